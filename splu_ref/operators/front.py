"""Operators compared at one prior, exactly: how well a value is hidden, and how well counts are estimated.

These are the two aims of OptRR (Huang and Du 2008), which searches for operators by a genetic algorithm. Here
operators are evaluated, and not searched for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from splu_ref.channels import Channel
from splu_ref.channels.channel import In
from splu_ref.operators.appraisal import Appraisal


class Point(NamedTuple):
    """What an operator achieves at a prior.

    Attributes
    ----------
    name
        The operator's.
    hidden
        The chance that the best guess of a record's value from what is published is wrong, 0 to 1.
    largest_posterior
        The largest belief in a value.
    variance
        The mean, over the values, of the variance of the unbiased estimate of the value's count; None if a
        count has no such estimate, which is worse than any variance.
    """

    name: str
    hidden: Fraction
    largest_posterior: Fraction
    variance: Fraction | None

    def beaten_by(self, other: Point) -> bool:
        """Return whether another point is as good in both aims, and better in one."""
        if self.variance == other.variance:
            return other.hidden > self.hidden
        if other.variance is None or (self.variance is not None and other.variance > self.variance):
            return False
        return other.hidden >= self.hidden


def front(
    operators: Mapping[str, Channel[In, In]],
    counts: Mapping[In, int],
    most: Fraction = Fraction(1),
) -> list[tuple[Point, bool]]:
    """Return the point of each operator, and whether none of the others beats it.

    Parameters
    ----------
    operators
        By name, square channels of the prior's values.
    counts
        The prior, records by value.
    most
        Bound on the largest posterior: operators above it are left out.
    """
    points = [_point(name, Appraisal(channel, counts)) for name, channel in operators.items()]
    admitted = [point for point in points if point.largest_posterior <= most]
    return [(point, not _beaten(point, admitted)) for point in admitted]


def _point(name: str, found: Appraisal[In]) -> Point:
    return Point(name, found.hidden, found.largest_posterior, found.mean_variance)


def _beaten(point: Point, others: Sequence[Point]) -> bool:
    return any(point.beaten_by(other) for other in others)
