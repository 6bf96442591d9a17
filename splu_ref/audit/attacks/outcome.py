"""What an attack comes to."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.audit.e_values import EValue, counts_point, sum_of_bounded
from splu_ref.audit.shares import Shares

LEVEL = Fraction(1, 10**9)
"""Probability of calling a prediction contradicted that holds, at most."""


@dataclass(frozen=True, kw_only=True)
class AttackOutcome:
    """The success of an attack, predicted and measured.

    Attributes
    ----------
    attack, mechanism
        Their names.
    success
        What was measured, exactly; None if nothing was carried out.
    predicted
        The expectation of ``success`` under the law that the mechanism declares; None where it is not known.
    baseline
        What the same attacker expects who has no release.
    e_value
        Evidence against the prediction: in an honest run it reaches 1/a with probability at most a. None
        where nothing is predicted, or nothing is left to chance.
    noticed
        The least difference between ``success`` and ``predicted`` that would have been a contradiction at
        ``LEVEL``; None without an e-value, or if no outcome would have been one.
    largest
        The largest posterior of any record's value that the attack can end with; None if it is not known.
    says
        What this shows, in one sentence.
    attacked
        How many records or tuples were attacked, where the attack is on each of them.
    believed
        What an attacker without the original believes his own success to be.
    bounded
        Whether ``predicted`` is an upper bound of the expectation, not the expectation itself.
    measured
        Where nothing is predicted: what the attack achieves on several publications of the table, whose
        median ``success`` is.
    """

    attack: str
    mechanism: str
    success: Fraction | None
    predicted: Fraction | None
    baseline: Fraction
    e_value: EValue | None
    noticed: Fraction | None
    largest: Fraction | None
    says: str
    attacked: int | None = None
    believed: Fraction | None = None
    bounded: bool = False
    measured: Shares | None = None

    @property
    def contradicted(self) -> bool:
        """Whether what was measured contradicts the prediction."""
        return self.e_value is not None and self.e_value.rejects(LEVEL)


def point_tested(found: int, trials: int, rate: Fraction) -> tuple[EValue | None, Fraction | None]:
    """Hold a count to Bin(trials, rate): the e-value, and the least difference in share that contradicts.

    Without chance there is nothing to test, and both are None; then a count that is not the one that must be
    is infinite evidence.
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
    """Hold a sum over ``rows`` records to its expectation: the e-value, and the least gap that contradicts.

    ``spread`` is that of `sum_of_bounded`.
    """
    least = bisect_left(
        range(rows + 1),
        True,
        key=lambda gap: sum_of_bounded(Fraction(gap), Fraction(0), spread).rejects(LEVEL),
    )
    return sum_of_bounded(total, expected, spread), Fraction(least, rows) if least <= rows else None
