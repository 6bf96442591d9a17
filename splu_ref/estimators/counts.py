"""The count of a sensitive value, estimated from a published table, with its error.

The published count f' of a value with true count f is binomial with gamma f trials and success
probability 1 / gamma (Fu et al. 2014, section 4). Its mean is f, and f' is the maximum likelihood
estimate of f. With another retention probability p, f' is the sum of two binomials: f trials with p and
(gamma - 1) f trials with q = (1 - p)/(gamma - 1). Its mean is still f.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import ceil, floor, inf, prod, sqrt
from statistics import NormalDist
from typing import Protocol

import numpy as np

from splu_ref.channels import (
    Bounds,
    Enclosure,
    Exact,
    Gamma,
    ParameterError,
    PublishedCount,
    exact,
    integer,
    retention_probability,
)
from splu_ref.mechanisms import FloatArray

_PRECISIONS = (32, 128, 512, 2048)
"""Precision in bits of the enclosures that are tried before a tail is computed exactly."""
_LEAST = 1e-9
"""Least odds of a success or failure for which masses are added up in floats."""
_LARGEST = 1 << 24
"""Bound of a binomial's mean, and so of the number of its masses, that are added up in floats."""


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
    count = integer(published_count, "published_count", 0)
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
    law, tail, kinds = PublishedCount(gamma, retention), (1 - level) / 2, _odds(gamma, retention)

    def roughly(frequency: int, upper: bool) -> Bounds | None:
        if upper:
            return upper_tail_in_floats([(times * frequency, odds) for times, odds in kinds], count)
        missing = [(times * frequency, 1 / odds) for times, odds in kinds]
        return upper_tail_in_floats(missing, gamma * frequency - count)

    usable = all(_LEAST < odds < 1 / _LEAST for _, odds in kinds)
    guess = _guessed_limits(kinds, count, tail)
    return confidence_limits(law, count, tail, guess, roughly=roughly if usable else None)


@lru_cache
def _odds(gamma: Gamma, retention: Fraction) -> tuple[tuple[int, float], ...]:
    """Return the kinds of trials for each record of a value: how many, and the odds of a success."""
    law = PublishedCount(gamma, retention)
    kinds = [(1, retention), (gamma - 1, law.decoy)] if not law.is_plain else [(int(gamma), retention)]
    return tuple((times, float(p / (1 - p)) if p < 1 - _LEAST else inf) for times, p in kinds)


def _guessed_limits(kinds: Iterable[tuple[int, float]], count: int, tail: Fraction) -> tuple[int, int]:
    """Return the limits by the normal law with corrections for continuity and skewness."""
    each = [(times, 1 / (1 + 1 / odds) if odds else 0.0) for times, odds in kinds]
    variance = sum(times * p * (1 - p) for times, p in each)
    third = sum(times * p * (1 - p) * (1 - 2 * p) for times, p in each)
    far = -NormalDist().inv_cdf(max(float(tail), 1e-300))
    skewness = (far**2 - 1) / 6 * third / variance if variance else 0.0
    half, spread = far * sqrt(variance) / 2, 4 * count + far**2 * variance
    low, high = (
        side / 2 - skewness + 2 * half**2 + side * half * sqrt(max(spread + 2 * side - 4 * skewness, 0.0))
        for side in (-1, 1)
    )
    return count + ceil(low), count + ceil(high)


def upper_tail_in_floats(kinds: Sequence[tuple[int, float]], k: int) -> Bounds | None:
    """Return a certified enclosure of Pr(X >= k) for a sum X of independent binomials, or None for long ones.

    ``kinds`` has n and the odds p/(1-p) of each, one or two; the odds have a relative error of at most 2^-52.
    The absolute error of the chance is about 1e-12, or less for small n.

    The masses of a binomial are relative to one near the largest: products of ratios, each with up to five
    roundings, so after s steps the relative error is below (1 + u)^(6 s) - 1, u = 2^-53. Sums of nonnegative
    terms add one rounding for each term. The masses left out at both ends are less than geometric series.
    """
    if any(n * min(odds, 1.0) > _LARGEST for n, odds in kinds):
        return None
    found = [_masses_in_floats(n, odds) for n, odds in kinds]
    first, masses, _ = found[-1]
    reaching = np.append(np.cumsum(masses[::-1])[::-1], 0.0)  # the masses from each one on
    begin, others, _ = found[0] if len(found) > 1 else (0, np.ones(1), 0.0)
    places = np.clip(k - first - begin - np.arange(len(others)), 0, len(masses))
    known = prod(float(each.sum()) for _, each, _ in found)
    share, left_out = float(others @ reaching[places]) / known, sum(rest for _, _, rest in found)
    lost = (12 * (len(masses) + len(others)) + 100) / (1 << 53)
    everything = prod(1 + rest for _, _, rest in found)  # or more; one of the masses is 1
    return Bounds(Fraction(share / everything * (1 - lost)), Fraction((share + left_out) * (1 + lost)))


def _masses_in_floats(n: int, odds: float) -> tuple[int, FloatArray, float]:
    """Return a first number of successes, masses from there on over the mode's, and a bound of the rest."""
    p = odds / (1 + odds)
    mode, reach = min(int((n + 1) * p), n), int(10 * sqrt(n * p * (1 - p))) + 64
    rising = np.arange(mode, min(mode + reach, n) + 1, dtype=np.float64)
    falling = np.arange(mode, max(mode - reach, 0) - 1, -1, dtype=np.float64)
    sides = (n - rising) / (rising + 1) * odds, falling / ((n - falling + 1) * odds)
    above, below = (np.cumprod(ratios) for ratios in sides)
    rest = sum(float(each[-1] / (1 - ratios[-1])) for each, ratios in zip((above, below), sides, strict=True))
    return int(falling[-1]), np.concatenate([below[-2::-1], [1.0], above[:-1]]), 2 * rest


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
    law: CountLaw,
    count: int,
    tail: Fraction,
    guess: tuple[int, int],
    most: int | None = None,
    roughly: Callable[[int, bool], Bounds | None] | None = None,
) -> tuple[int, int]:
    """Return exact confidence limits of a true count, by inversion of two one-sided tests.

    ``guess`` has the least count that is not too low and the least that is too high. ``roughly`` encloses
    the chance of ``count`` or more, or else of ``count`` or less, at a true count; what it does not decide is
    decided by enclosures of rising precision, at last by exact arithmetic.
    """

    def exceeds(frequency: int, upper: bool) -> bool:
        enclosed, exactly = (
            (law.upper_tail_enclosure, law.upper_tail) if upper
            else (law.lower_tail_enclosure, law.lower_tail)
        )  # fmt: skip
        found = (enclosed(frequency, count, bits).bounds() for bits in _PRECISIONS)
        for bounds in chain([] if roughly is None else [roughly(frequency, upper)], found):
            if bounds is not None and (bounds.lower > tail or bounds.upper <= tail):
                return bounds.lower > tail
        return exactly(frequency, count) > tail

    def above(frequency: int) -> bool:
        return most is not None and frequency > most

    least = _first(lambda frequency: above(frequency) or exceeds(frequency, True), max(guess[0], 0))
    greatest = (
        _first(lambda frequency: above(frequency) or not exceeds(frequency, False), max(guess[1], 0)) - 1
    )
    return least, greatest


class BoundedCountLaw(CountLaw, Protocol):
    """The law of a published count whose true count is at most a known number."""

    def mean(self, frequency: int, /) -> Fraction:
        """Return the mean published count at a true count."""
        ...


def bounded_limits(
    law: BoundedCountLaw, count: int, tail: Fraction, guess: tuple[int, int], most: int
) -> tuple[int, int]:
    """Return exact confidence limits of a true count of 0 .. ``most``; see `confidence_limits`.

    The tests may reject every true count. The upper limit is therefore that of at least the mean at 0, and
    the lower one that of at most the mean at ``most``. Limits increase with the published count, so this
    extends intervals only.
    """
    low, high = min(count, floor(law.mean(most))), max(count, ceil(law.mean(0)))
    found = {seen: confidence_limits(law, seen, tail, guess, most) for seen in {low, high}}
    return found[low][0], found[high][1]


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
