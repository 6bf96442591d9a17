"""The error probabilities of Poisson counts, enclosed by fractions."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import factorial


def level(epsilon: Fraction, alpha: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the least Pr(|Poisson(f) - f| > epsilon f) over 1 <= f <= alpha, 0 < epsilon < 1."""
    bounds = [beyond(f, epsilon * f // 1 + 1) for f in range(1, alpha + 1)]
    return min(low for low, _ in bounds), min(high for _, high in bounds)


def beyond(f: int, distance: int) -> tuple[Fraction, Fraction]:
    """Return bounds of Pr(|Poisson(f) - f| >= distance) for a whole distance from 1 to f + 1."""
    least, most = _inverse_of_e()
    window = sum((Fraction(f**k, factorial(k)) for k in range(f - distance + 1, f + distance)), Fraction(0))
    return 1 - window * most**f, 1 - window * least**f


@cache
def _inverse_of_e() -> tuple[Fraction, Fraction]:
    """Return bounds of 1/e in 256 bits, rounded outwards, which keeps its powers short."""
    terms = 60
    below_e = sum((Fraction(1, factorial(i)) for i in range(terms)), Fraction(0))
    above_e = below_e + Fraction(2, factorial(terms))  # the rest is less than twice its first term
    scale = 1 << 256
    return Fraction(scale / above_e // 1, scale), Fraction(scale / below_e // 1 + 1, scale)
