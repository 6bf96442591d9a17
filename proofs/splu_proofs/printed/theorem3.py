"""Theorem 3 as printed (Fu et al. 2014, section 4.1). It is false: see splu.T3."""

from __future__ import annotations

from fractions import Fraction


def error_bound(gamma: int, epsilon: Fraction, frequency: int) -> Fraction:
    """Return 1 / (gamma epsilon^2 f^2), printed as an upper bound on Pr(abs(f' - f) >= epsilon f)."""
    return 1 / (gamma * Fraction(epsilon) ** 2 * frequency**2)
