"""Detection power of a check, and tests of counts with a small probability out of very many trials."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np

from splu_ref.audit.e_values import EValue, counts_point
from splu_ref.channels import lower_tail_bounds, upper_tail_bounds

Sides = Literal["both", "fewer", "more"]

_STEPS = 10
_FEWER = [1 - 2.0**-step for step in range(1, _STEPS + 1)] + [0.25, 1 / 16]
_MORE = [1 + 2.0**-step for step in range(_STEPS + 1)] + [4.0, 16.0, 256.0]
_FACTORS = {"both": _FEWER + _MORE, "fewer": _FEWER, "more": _MORE}
_FINE = 1 << 10
"""Means are stated as multiples of the claimed one in steps of its reciprocal."""


def scaled_count(trials: int, successes: int, rate: Fraction, sides: Sides = "both") -> EValue:
    """Test that a count is Bin(trials, rate), by the mean of likelihood ratios of multiples of the rate.

    Unlike `counts_point`, which mixes over all rates up to 1, this keeps its power for very many trials.

    The ratio of theta against the rate is C a^successes, a > 1 for theta above it and a < 1 below. So its
    expectation is at most 1 for every larger sum if theta is below, and for every smaller one if above.
    """
    logs = []
    for factor in _FACTORS[sides]:
        other = float(rate) * factor
        if other >= 1:
            continue
        moved = math.log1p(-other) - math.log1p(-float(rate))
        log = successes * math.log(factor) + (trials - successes) * moved
        logs.append(log - 1e-9 - 1e-14 * (successes + trials * abs(moved)) * 16)
    mean = float(np.logaddexp.reduce(logs)) - math.log(len(_FACTORS[sides]))
    return EValue((mean - 1e-9) / math.log(10))


@dataclass(frozen=True, slots=True)
class MeanPower:
    """The other means of a count that are detected with probability at least 0.999."""

    mean: Fraction  # the claimed mean
    # low, high: every mean up to ``low``, and from ``high`` on, is detected; None if there is no such mean
    low: Fraction | None
    high: Fraction | None

    def __str__(self) -> str:
        found = [] if self.low is None else [f"<= {float(self.low):.6g}"]
        found += [] if self.high is None else [f">= {float(self.high):.6g}"]
        return f"a mean {' or '.join(found) or 'of no other number'} instead of {float(self.mean):.6g}"


def mean_power(trials: int, rate: Fraction, level: Fraction, sides: Sides = "both") -> MeanPower:
    """Return the power of `scaled_count` at a level, by Chernoff's bound of the tails.

    The logarithm of the e-value is convex in the count, so the counts that are not rejected are an interval.
    """
    mean = trials * rate
    middle = min(trials, int(mean))

    def rejected(successes: int) -> bool:
        return scaled_count(trials, successes, rate, sides).rejects(level)

    most = min(trials, 512 * (middle + 1) + 1000)  # beyond the largest multiple that is tried
    first = bisect_left(range(middle, most + 1), True, key=rejected) + middle
    last = middle - bisect_left(range(middle + 1), True, key=lambda below: rejected(middle - below))
    low = high = None
    if first <= most:
        steps = bisect_left(range(512 * _FINE), True, key=lambda k: _above(first, _times(mean, k)))
        high = _times(mean, steps)
    if last >= 0:
        steps = bisect_left(range(_FINE), True, key=lambda k: _below(last, _times(mean, -k)))
        low = _times(mean, -steps)
    return MeanPower(mean, low, None if high is None or high > trials else high)


def _times(mean: Fraction, steps: int) -> Fraction:
    return mean * (1 + Fraction(steps, _FINE))


def _above(bound: int, mean: Fraction) -> bool:
    """Return whether a count of this mean is at least the bound with probability 0.999."""
    return mean > bound and _tail(bound, mean)


def _below(bound: int, mean: Fraction) -> bool:
    """Return whether a count of this mean is at most the bound with probability 0.999."""
    return (mean < bound and _tail(bound, mean)) or not mean


def _tail(bound: int, mean: Fraction) -> bool:
    """Return whether a sum of independent trials lies between mean and bound, or on the mean's other side.

    Beyond the bound it lies with probability exp(x - mu - x ln(x/mu)) at most (Chernoff), 0.001 here.
    """
    mu = float(mean)
    if not mu:
        return True
    exponent = bound - mu - (bound * math.log(bound / mu) if bound else 0.0)
    return exponent <= math.log(1 - float(DETECTION)) - 1e-6


DETECTION = Fraction(999, 1000)
"""The probability of detecting the stated deviation."""

_GRID = 10**6  # deviations are stated as multiples of one millionth

RateTest = Callable[[int, int, Fraction], EValue]


@dataclass(frozen=True, slots=True)
class RatePower:
    """The true rates that a test of a stated rate detects with probability at least `DETECTION`."""

    trials: int  #: sample cap and stated rate
    rate: Fraction  #: sample cap and stated rate
    low: Fraction | None  #: every true rate from 0 to ``low`` is detected; None if there is no such rate
    high: Fraction | None  #: every true rate from ``high`` to 1 is detected; None if there is no such rate

    def __str__(self) -> str:
        found = []
        if self.low is not None:
            found.append(f"<= {float(self.low):.6g}")
        if self.high is not None:
            found.append(f">= {float(self.high):.6g}")
        rates = " or ".join(found) or "no other"
        return f"rate {rates} instead of {float(self.rate):.6g} in {self.trials} trials"


@dataclass(frozen=True, slots=True)
class MultinomialPower:
    """The true probabilities of one bin that a multinomial test detects, for all laws of the other bins."""

    bin_name: str
    power: RatePower

    def __str__(self) -> str:
        return f"Pr({self.bin_name}): {self.power}"


@lru_cache(maxsize=512)
def rate_power(test: RateTest, trials: int, rate: Fraction, level: Fraction) -> RatePower:
    """Return the power of `counts_point`, `rate_at_most` or `rate_at_least` at a sample cap.

    Parameters
    ----------
    test
        The e-value of (trials, successes, rate); the counts that it does not reject form an interval.
    trials
        The sample cap.
    rate
        The stated rate.
    level
        Reject when e >= 1/level. For the mean of m e-values, give level/m: one of them suffices then.
    """
    middle = min(trials, int(trials * rate))

    def rejected(successes: int) -> bool:
        return test(trials, successes, rate).rejects(level)

    last, first = _rejected_ends(trials, middle, rejected)
    return _power(trials, rate, last, first)


@lru_cache(maxsize=512)
def trials_needed(test: RateTest, rate: Fraction, other: Fraction, level: Fraction) -> int:
    """Return a sample size that detects the true rate ``other`` with probability at least `DETECTION`."""

    def found(trials: int) -> bool:
        middle = min(trials, int(trials * rate))

        def rejected(successes: int) -> bool:
            return test(trials, successes, rate).rejects(level)

        if other < rate:
            last = _last_rejected(trials, middle, rejected)
            return last >= 0 and lower_tail_bounds(trials, last, other, 64).lower >= DETECTION
        first = _first_rejected(trials, middle, rejected)
        return first <= trials and upper_tail_bounds(trials, first, other, 64).lower >= DETECTION

    most = 1
    while not found(most):
        most *= 2
    return bisect_left(range(most // 2, most + 1), True, key=found) + most // 2


def multinomial_power(
    observations: int, probabilities: Sequence[Fraction], index: int, name: str, level: Fraction
) -> MultinomialPower:
    """Return the power of `multinomial_point` against a change of one bin's probability.

    The e-value is 1/(C(n+b-1, b-1) Pr(count of the bin) Pr(the rest given it)); the last factor is at most
    the largest mass of Bin(n - count, q), q the conditional probability of any other bin. So counts of
    the bin are located that reject whatever the other bins hold.

    Parameters
    ----------
    observations
        The sample cap n.
    probabilities
        The stated law, at least two bins.
    index, name
        The bin and its description.
    level
        As in `rate_power`.
    """
    rate = probabilities[index]
    bins = len(probabilities)
    compositions = math.log10(math.comb(observations + bins - 1, bins - 1))
    others = [p / (1 - rate) for i, p in enumerate(probabilities) if i != index]
    other = min(others, key=lambda q: abs(q - Fraction(1, 2)))
    needed = -math.log10(level) + compositions + 1e-6  # covers the rounding of the logarithms

    def rejected(count: int) -> bool:
        rest = observations - count
        log10 = counts_point(observations, count, rate).log10 + math.log10(observations + 1)
        if other < 1:
            mode = min(rest, int((rest + 1) * other))
            log10 += counts_point(rest, mode, other).log10 + math.log10(rest + 1)
        return log10 >= needed

    middle = min(observations, int(observations * rate))
    last, first = _rejected_ends(observations, middle, rejected)
    return MultinomialPower(name, _power(observations, rate, last, first))


def _rejected_ends(trials: int, middle: int, rejected: Callable[[int], bool]) -> tuple[int, int]:
    """Return the last count below and the first count above ``middle`` that is rejected.

    The logarithms of all e-values here are convex in the count, so the counts not rejected are an interval.
    """
    return _last_rejected(trials, middle, rejected), _first_rejected(trials, middle, rejected)


def _last_rejected(trials: int, middle: int, rejected: Callable[[int], bool]) -> int:
    return middle - _first(0, middle + 1, _step(trials), lambda below: rejected(middle - below))


def _first_rejected(trials: int, middle: int, rejected: Callable[[int], bool]) -> int:
    return _first(middle, trials + 1, _step(trials), rejected)


def _step(trials: int) -> int:
    """Return about a standard deviation: e-values of far counts take long."""
    return math.isqrt(trials) + 1


def _first(start: int, stop: int, step: int, key: Callable[[int], bool]) -> int:
    """Return the least number with a monotone property, by growing steps from the start; ``stop`` if none."""
    begin = end = start
    while end < stop:
        if key(end):
            return bisect_left(range(begin, end), True, key=key) + begin
        begin, end, step = end + 1, min(end + step, max(end + 1, stop - 1)), 2 * step
    return stop


def _power(trials: int, rate: Fraction, last: int, first: int) -> RatePower:
    """Return the power of a test that rejects up to ``last`` successes, and from ``first`` on."""
    low = high = None
    middle, step = int(rate * _GRID), _GRID // (math.isqrt(trials) + 1) + 1
    if first <= trials:
        above = _first(
            middle + 1,
            _GRID,
            step,
            lambda g: upper_tail_bounds(trials, first, Fraction(g, _GRID), 64).lower >= DETECTION,
        )
        high = Fraction(above, _GRID)
    if last >= 0:
        below = _first(
            -middle,
            0,
            step,
            lambda g: lower_tail_bounds(trials, last, Fraction(-g, _GRID), 64).lower >= DETECTION,
        )
        low = Fraction(-below, _GRID)
    return RatePower(trials, rate, low, high)
