"""The count of a sensitive value, estimated from a published table, with its error.

The published count f' of a value with true count f is binomial with gamma f trials and success
probability 1 / gamma (Fu et al. 2014, section 4). Its mean is f, and f' is the maximum likelihood
estimate of f. With another retention probability p, f' is the sum of two binomials: f trials with p and
(gamma - 1) f trials with q = (1 - p)/(gamma - 1). Its mean is still f.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from statistics import NormalDist
from typing import Protocol

from splu_ref.channels import (
    Enclosure,
    Exact,
    Gamma,
    ParameterError,
    PublishedCount,
    exact,
    retention_probability,
    whole,
)

_PRECISIONS = (32, 128, 512, 2048)
"""Precision in bits of the enclosures that are tried before a tail is computed exactly."""


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
        Lower bound of the probability that the interval contains the true count, for every true count.
    estimate
        Maximum likelihood estimate of the true count from f' alone; unbiased.
    interval
        Least and greatest true count that the exact test does not reject at this confidence.
    retention
        Retention probability p.
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
        """The maximum likelihood estimate under the public bound: the smaller of the two."""
        return self._within(self.estimate)

    @property
    def interval_within_bound(self) -> tuple[int, int]:
        """The interval with both ends moved to the bound where they exceed it."""
        least, greatest = self.interval
        return self._within(least), self._within(greatest)

    @property
    def variance(self) -> Fraction:
        """The variance f (p (1-p) + (gamma-1) q (1-q)) of f' at f = f', exactly."""
        return self.published_count * PublishedCount(self.gamma, self.retention).variance

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
        Retention probability p, 1 / gamma by default.

    Returns
    -------
    CountEstimate
        The interval inverts the exact test: it holds every f for which neither Pr(f' or more | f) nor
        Pr(f' or less | f) is at most (1 - confidence) / 2. Both probabilities are monotone in f, so
        bisection finds the ends. Each comparison uses a certified enclosure, or exact arithmetic if that is
        inconclusive.

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
    retained = retention_probability(retention, size)
    return CountEstimate(count, size, level, _interval(count, size, level, retained), retained, limit)


@lru_cache(maxsize=1 << 14)
def _interval(count: int, gamma: Gamma, level: Fraction, retention: Fraction) -> tuple[int, int]:
    """Return the interval of a count, which values of equal frequency share."""
    law, tail = PublishedCount(gamma, retention), (1 - level) / 2
    half_width = round(-NormalDist().inv_cdf(max(float(tail), 1e-300)) * sqrt(count * law.variance))
    return confidence_limits(law, count, tail, (count - half_width, count + half_width))


class CountLaw(Protocol):
    """The law of a published count given the true one, stochastically increasing in the true count."""

    def upper_tail(self, frequency: int, k: int, /) -> Fraction:
        """Return the chance of a published count of k or more at a true count, exactly."""
        ...

    def lower_tail(self, frequency: int, k: int, /) -> Fraction:
        """Return the chance of k or less."""
        ...

    def upper_tail_enclosure(self, frequency: int, k: int, bits: int, /) -> Enclosure:
        """Enclose the chance of k or more."""
        ...

    def lower_tail_enclosure(self, frequency: int, k: int, bits: int, /) -> Enclosure:
        """Enclose the chance of k or less."""
        ...


def confidence_limits(
    law: CountLaw, count: int, tail: Fraction, guess: tuple[int, int], most: int | None = None
) -> tuple[int, int]:
    """Return exact confidence limits of a true count, by inversion of two one-sided tests."""

    def above(frequency: int) -> bool:
        return most is not None and frequency > most

    def not_too_low(frequency: int) -> bool:
        def enclosed(bits: int) -> Enclosure:
            return law.upper_tail_enclosure(frequency, count, bits)

        return above(frequency) or _exceeds(tail, enclosed, lambda: law.upper_tail(frequency, count))

    def too_high(frequency: int) -> bool:
        def enclosed(bits: int) -> Enclosure:
            return law.lower_tail_enclosure(frequency, count, bits)

        return above(frequency) or not _exceeds(tail, enclosed, lambda: law.lower_tail(frequency, count))

    least = _first(not_too_low, max(guess[0], 0))
    greatest = _first(too_high, max(guess[1], 0)) - 1
    if most is None:
        return least, greatest
    return min(least, most), max(greatest, 0)


def _first(test: Callable[[int], bool], start: int) -> int:
    """Return the least nonnegative integer with a monotone property, starting from a guess."""
    step = 1
    if test(start):
        high = start
        while high and test(max(high - step, 0)):
            high, step = max(high - step, 0), 2 * step
        low = max(high - step, 0) if high else -1
    else:
        low = start
        while not test(low + step):
            low, step = low + step, 2 * step
        high = low + step
    return low + 1 + bisect_left(range(low + 1, high), True, key=test)


def _exceeds(level: Fraction, enclosed: Callable[[int], Enclosure], exact: Callable[[], Fraction]) -> bool:
    """Return whether a number exceeds a level; it is computed only if the enclosures are inconclusive."""
    for bits in _PRECISIONS:
        bounds = enclosed(bits).bounds()
        if bounds.lower > level or bounds.upper <= level:
            return bounds.lower > level
    return exact() > level
