"""Limits of certificates: what is refused as unreadable before any work.

The limits are an addition of this specification; they bound the time of checking. Each limit is a number that
follows from the fields, and the most that it may be. No limit is about a running program, so every checker
refuses the same certificates.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt

MOST_TRIALS = 1_000_000
MOST_BITS = 4_000_000
MOST_EXACT = 60_000_000_000
MOST_EXACT_WITH_RETENTION = 200_000_000_000
MOST_TERMS = 40_000_000


@dataclass(frozen=True)
class Cost:
    """What limits are about: the largest count f of a certificate, and how many probabilities S it rounds.

    Attributes
    ----------
    trials
        gamma f: at most 1,000,000.
    bits
        B, the bits of a numerator: at most 4,000,000.
    exact
        Bits times terms of an exact sum: at most ``most_exact``.
    rounded
        Terms of all rounded sums: at most 40,000,000.
    """

    trials: int
    bits: int
    exact: int
    rounded: int
    most_exact: int


def cost(gamma: int, retention: Fraction | None, epsilon: Fraction, f: int, sums: int) -> Cost:
    """Return what a certificate about published counts costs; ``sums`` is S.

    >>> cost(3, None, Fraction(1, 2), 4, 0)
    Cost(trials=12, bits=24, exact=168, rounded=0, most_exact=60000000000)
    >>> cost(3, Fraction(1, 2), Fraction(1, 2), 4, 2).exact
    1024
    """
    trials = gamma * f
    if retention is None:
        bits = trials * gamma.bit_length()
        exact = bits * (min(trials, floor(2 * epsilon * f)) + 3)
        terms = 2 * min(400 + 28 * isqrt(f), floor(266 * (1 + epsilon) / epsilon) + 2)
        return Cost(trials, bits, exact, sums * terms, MOST_EXACT)
    w, t = retention.denominator, ((1 - retention) / (gamma - 1)).denominator
    bits = f * w.bit_length() + (gamma - 1) * f * t.bit_length()
    terms = min(trials, f + floor(epsilon * f) + 1) + 1
    factor = 1 + (w.bit_length() + t.bit_length() + trials.bit_length()) // 30
    return Cost(trials, bits, bits * terms * factor * (sums + 2), terms * sums, MOST_EXACT_WITH_RETENTION)
