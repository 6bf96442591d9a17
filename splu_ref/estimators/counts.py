"""The count of a sensitive value, estimated from a published table, with its error.

The published count f' of a value with true count f is binomial with gamma f trials and success
probability 1 / gamma (Fu et al. 2014, section 4). Its mean is f, and f' is the maximum likelihood
estimate of f. Where records keep their own value with another probability p, f' is the sum of two binomials:
f trials with p and (gamma - 1) f trials with q = (1 - p)/(gamma - 1). Its mean is still f.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

import numpy as np
from scipy import stats

from splu_ref.binomial import Bounds, lower_tail, lower_tail_bounds, upper_tail, upper_tail_bounds
from splu_ref.model import Exact, Gamma, ParameterError, exact, retention_probability, whole


@dataclass(frozen=True)
class CountEstimate:
    """The estimated true count of a sensitive value.

    Attributes
    ----------
    published_count
        Occurrences of the value in the published table, f'.
    gamma
        Size of the decoy groups.
    confidence
        Least probability with which the interval holds the true count, whatever that count is.
    estimate
        Maximum likelihood estimate of the true count from f' alone; unbiased.
    interval
        All true counts that f' does not contradict at the stated confidence, as (least, greatest).
    retention
        Probability p of keeping the own value.
    bound
        A public upper bound on the true count, or None.
    """

    published_count: int
    gamma: Gamma
    confidence: Fraction
    interval: tuple[int, int]
    retention: Fraction
    bound: int | None = None

    @property
    def estimate(self) -> int:
        """The unbiased estimate f'; for p = 1 / gamma that of maximum likelihood (Theorem 2)."""
        return self.published_count

    @property
    def estimate_within_bound(self) -> int:
        """The maximum likelihood estimate once the public bound is used: the smaller of the two."""
        return self._within(self.estimate)

    @property
    def interval_within_bound(self) -> tuple[int, int]:
        """The interval with both ends moved to the bound where they exceed it."""
        least, greatest = self.interval
        return self._within(least), self._within(greatest)

    @property
    def variance(self) -> Fraction:
        """The variance f (p (1-p) + (gamma-1) q (1-q)) of f' at f = f', exactly."""
        p = self.retention
        return self.published_count * (p * (1 - p) + (1 - p) * (1 - (1 - p) / (self.gamma - 1)))

    @property
    def standard_error(self) -> float:
        """The square root of the variance, rounded to a float."""
        return sqrt(self.variance)

    def _within(self, count: int) -> int:
        return count if self.bound is None else min(count, self.bound)


def estimate_count(
    published_count: int,
    gamma: Exact,
    bound: Exact | None = None,
    confidence: Exact = "0.95",
    retention: Exact | None = None,
) -> CountEstimate:
    """Estimate the true count of a value from its published count.

    Parameters
    ----------
    published_count
        Occurrences in the published table, f' >= 0.
    gamma
        Size of the decoy groups, at least 2.
    bound
        A public upper bound on the true count, such as N / gamma; a fraction is rounded down.
    confidence
        Between 0 and 1, both excluded.
    retention
        Probability p of keeping the own value, 1 / gamma unless given.

    Returns
    -------
    CountEstimate
        The interval inverts the exact test: it holds every f for which neither Pr(f' or more | f) nor
        Pr(f' or less | f) is at most (1 - confidence) / 2. Both probabilities are monotone in f, so
        bisection finds the ends. For p = 1 / gamma each comparison is decided in exact arithmetic; for
        another p the tails are summed in double precision, and an end whose probability is within about
        1e-10 of the level may be off by one.

    Raises
    ------
    ParameterError
        If a parameter is outside its range.
    """
    count = whole(published_count, "published_count", 0)
    size = Gamma(gamma)
    level = exact(confidence, "confidence")
    if not 0 < level < 1:
        raise ParameterError(f"confidence must lie between 0 and 1, both excluded, not {level}")
    limit = None if bound is None else exact(bound, "bound").__floor__()
    if limit is not None and limit < 0:
        raise ParameterError(f"bound must be at least 0, not {bound}")
    tail = (1 - level) / 2
    keep = retention_probability(retention, size)
    tests = _binomial_tests(size, count, tail) if keep * size == 1 else _sum_tests(size, count, tail, keep)
    too_low, too_high = tests
    least = bisect_left(range(count), True, key=lambda frequency: not too_low(frequency))
    step = 1
    while not too_high(count + step):
        step *= 2
    greatest = count + bisect_left(range(step), True, key=lambda more: too_high(count + more)) - 1
    return CountEstimate(count, size, level, (least, greatest), keep, limit)


_Test: TypeAlias = Callable[[int], bool]


def _binomial_tests(gamma: Gamma, count: int, tail: Fraction) -> tuple[_Test, _Test]:
    """Return whether a true count would make f' improbably high, and whether improbably low; p = 1/gamma."""
    retention = Fraction(1, gamma)

    def too_low(frequency: int) -> bool:
        at = (gamma * frequency, count, retention)
        return not _exceeds(tail, upper_tail_bounds(*at), lambda: upper_tail(*at))

    def too_high(frequency: int) -> bool:
        at = (gamma * frequency, count, retention)
        return not _exceeds(tail, lower_tail_bounds(*at), lambda: lower_tail(*at))

    return too_low, too_high


def _sum_tests(gamma: Gamma, count: int, tail: Fraction, retention: Fraction) -> tuple[_Test, _Test]:
    """Return the same for any p: sum over how many records of the value keep it, in double precision."""
    keep, other, level = float(retention), float((1 - retention) / (gamma - 1)), float(tail)

    def too_low(frequency: int) -> bool:
        kept = np.arange(frequency + 1)
        beyond = stats.binom.sf(count - kept - 1, (gamma - 1) * frequency, other)
        return float(stats.binom.pmf(kept, frequency, keep) @ beyond) <= level

    def too_high(frequency: int) -> bool:
        kept = np.arange(frequency + 1)
        below = stats.binom.cdf(count - kept, (gamma - 1) * frequency, other)
        return float(stats.binom.pmf(kept, frequency, keep) @ below) <= level

    return too_low, too_high


def _exceeds(level: Fraction, enclosure: Bounds, value: Callable[[], Fraction]) -> bool:
    """Return whether a number is greater than ``level``; it is computed only if its enclosure is silent."""
    if enclosure.lower > level:
        return True
    return enclosure.upper > level and value() > level
