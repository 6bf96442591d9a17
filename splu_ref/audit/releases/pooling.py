"""The mean of many dependent e-values, computed where it matters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import EValue, average
from splu_ref.randomness import IntArray

_COMPUTED = 12

IMPOSSIBLE = EValue(math.inf)
"""What never happens if the claim is true."""


def largest_mean(
    test: Callable[[int, int, Fraction], EValue],
    trials: IntArray,
    successes: IntArray,
    rates: Sequence[Fraction],
    *,
    above_only: bool = False,
    of: int | None = None,
) -> EValue:
    """Return a lower bound of the mean of e-values, which is an e-value whatever their dependence.

    Only the 12 that deviate most are computed; the others count as 0, which only lowers the mean. More
    successes than trials never happen under the claims tested here, so they refute it outright.

    Parameters
    ----------
    test
        The e-value of (trials, successes, rate).
    trials, successes, rates
        One entry per e-value, at least one.
    above_only
        Whether the test looks for more successes than claimed, and never for fewer.
    of
        How many e-values the mean is taken of, if there are more than are given; the others count as 0.
    """
    if (successes > trials).any():
        return IMPOSSIBLE
    stated = np.array([float(rate) for rate in rates])
    expected = trials * stated
    deviation = successes - expected
    spread = np.sqrt(np.maximum(expected * (1 - stated), 1e-12)) + 1  # the 1 keeps tiny samples in proportion
    score = deviation / spread if above_only else np.abs(deviation) / spread
    chosen = np.argsort(-score, kind="stable")[:_COMPUTED].tolist()
    computed = average([test(int(trials[i]), int(successes[i]), rates[i]) for i in chosen])
    whole = len(rates) if of is None else of
    if len(chosen) == whole:
        return computed
    return EValue(computed.log10 + math.log10(len(chosen) / whole) - 1e-9)  # rounded down, amply
