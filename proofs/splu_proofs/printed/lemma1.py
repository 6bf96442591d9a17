"""Lemma 1 as printed (Fu et al. 2014, section 4.1). It falls with Theorem 3: see splu.L1."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt


def threshold(gamma: int, epsilon: Fraction, t_e: Fraction) -> int:
    """Return the least whole f that is at least the printed T_f = (gamma epsilon^2 T_E)^(-1/2)."""
    square = 1 / (gamma * Fraction(epsilon) ** 2 * Fraction(t_e))
    return isqrt(-(-square.numerator // square.denominator) - 1) + 1
