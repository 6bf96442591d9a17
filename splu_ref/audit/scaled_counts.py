"""Counts out of very many trials, each with a small chance: held against it by its multiples."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from splu_ref.audit.e_values import EValue
from splu_ref.audit.power import DETECTION

Sides = Literal["both", "fewer", "more"]

_STEPS = 10
_FEWER = [1 - 2.0**-step for step in range(1, _STEPS + 1)] + [0.25, 1 / 16]
_MORE = [1 + 2.0**-step for step in range(_STEPS + 1)] + [4.0, 16.0, 256.0]
_FACTORS = {"both": _FEWER + _MORE, "fewer": _FEWER, "more": _MORE}
_FINE = 1 << 10
"""Means are stated as multiples of the claimed one by one in so many."""


def scaled_count(trials: int, successes: int, rate: Fraction, sides: Sides = "both") -> EValue:
    """Test that a count is Bin(trials, rate), by the mean of likelihood ratios of multiples of the rate.

    Unlike `counts_point`, which mixes over all rates up to 1, this loses nothing where trials are very many.

    Parameters
    ----------
    trials
        Number of independent trials, at least 0.
    successes
        How many succeeded, 0 to ``trials``.
    rate
        The stated probability, strictly between 0 and 1.
    sides
        ``both``; ``fewer``: that the count is a sum of independent trials with at least this rate each;
        ``more``: with at most this rate each.

    Notes
    -----
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
    """Which other means of a count are found with probability 0.999 or more.

    Attributes
    ----------
    mean
        The mean that is claimed.
    low, high
        Every mean up to ``low``, and from ``high`` on, is found; None if none is.
    """

    mean: Fraction
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
