"""The outcome of an attack, and shares measured in repeated experiments."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from statistics import median

from splu_ref.audit.e_values import EValue, counts_point, sum_of_bounded

LEVEL = Fraction(1, 10**9)
"""Largest probability of rejecting a correct prediction."""


@dataclass(frozen=True, kw_only=True)
class AttackOutcome:
    """The success of an attack, predicted and measured."""

    attack: str
    mechanism: str
    success: Fraction | None  #: the measured success, exact; None if nothing was measured
    #: the expectation of ``success`` under the declared law of the mechanism; None if unknown
    predicted: Fraction | None
    baseline: Fraction  #: the expected success without a release
    #: Evidence against the prediction: under a correct prediction it reaches 1/a with probability at most a.
    #: None if nothing is predicted, or the outcome is not random.
    e_value: EValue | None
    #: the least difference between ``success`` and ``predicted`` that would contradict the prediction at
    #: ``LEVEL``; None without an e-value, or if no outcome would
    detectable: Fraction | None
    largest: Fraction | None  #: the largest posterior of any record's value under the attack; None if unknown
    measure: str  #: description of the success, in one sentence
    attacked: int | None = None  #: number of attacked records or tuples, if the attack is on each of them
    believed: Fraction | None = None  #: the expected success in the view of an attacker without the original
    bounded: bool = False  #: whether ``predicted`` is an upper bound of the expectation
    #: without prediction: the success on several publications of the table, whose median is ``success``
    measured: Shares | None = None
    #: what the e-value is about, if ``predicted`` is not the expectation of ``success``; empty otherwise
    tested: str = ""
    remedy: str = ""  #: how this success is prevented, in a sentence; empty if nothing is to be done
    #: why a measured success is not tested against ``predicted``; empty if both are certain, or it is tested
    untested: str = ""

    @property
    def tested_by_release(self) -> bool:
        """Whether some release would have contradicted the prediction."""
        return self.e_value is not None and (self.detectable is not None or bool(self.tested))

    @property
    def contradicted(self) -> bool:
        """Whether the measured success contradicts the prediction."""
        return self.e_value is not None and self.e_value.rejects(LEVEL)


def point_tested(found: int, trials: int, rate: Fraction) -> tuple[EValue | None, Fraction | None]:
    """Test a count against Bin(trials, rate): the e-value, and the least detectable difference in share.

    For a rate of 0 or 1 both are None if the count agrees, and the evidence is infinite otherwise.
    """
    if not trials:
        return None, None
    if rate in (0, 1):
        return (None, None) if found == rate * trials else (EValue(math.inf), Fraction(1, trials))
    center = int(rate * trials)
    above = bisect_left(range(center + 1, trials + 1), True, key=lambda k: _odd(k, trials, rate)) + center + 1
    below = center - bisect_left(range(center + 1), True, key=lambda gap: _odd(center - gap, trials, rate))
    odd = [abs(Fraction(k, trials) - rate) for k in (above, below) if 0 <= k <= trials]
    return counts_point(trials, found, rate), min(odd, default=None)


def _odd(found: int, trials: int, rate: Fraction) -> bool:
    return counts_point(trials, found, rate).rejects(LEVEL)


def sum_tested(
    total: Fraction, expected: Fraction, rows: int, spread: int
) -> tuple[EValue | None, Fraction | None]:
    """Test a sum over ``rows`` records against its expectation: the e-value, and the least detectable gap.

    ``spread`` is that of `sum_of_bounded`.
    """
    least = bisect_left(
        range(rows + 1),
        True,
        key=lambda gap: sum_of_bounded(Fraction(gap), Fraction(0), spread).rejects(LEVEL),
    )
    return sum_of_bounded(total, expected, spread), Fraction(least, rows) if least <= rows else None


MEDIAN_LEVEL = 20
"""The interval misses the median with probability at most its reciprocal."""
FEWEST = 6
"""Least number of experiments for which such an interval exists."""


@dataclass(frozen=True, slots=True)
class Shares:
    """A share, over repeated independent experiments."""

    median: Fraction  #: median of the experiments
    #: An interval that covers the median of the share's law with probability at least 95 %, by order
    #: statistics. 0 to 1 with fewer than six experiments.
    least: Fraction
    greatest: Fraction  #: see ``least``
    experiments: int  #: number of experiments

    @property
    def interval(self) -> tuple[Fraction, Fraction] | None:
        """The interval, or None with too few experiments."""
        return (self.least, self.greatest) if self.experiments >= FEWEST else None

    @classmethod
    def of(cls, shares: Sequence[Fraction]) -> Shares:
        """Return the median and its interval, of at least one experiment."""
        ordered, runs = sorted(shares), len(shares)
        rank, below = 0, 0
        while rank < runs and MEDIAN_LEVEL * 2 * (below + comb(runs, rank)) <= 2**runs:
            below += comb(runs, rank)
            rank += 1
        ends = (ordered[rank - 1], ordered[runs - rank]) if rank else (Fraction(0), Fraction(1))
        return cls(median(ordered), *ends, runs)
