"""The least error probability of Poisson counts, enclosed by fractions."""

from __future__ import annotations

from fractions import Fraction
from math import factorial


def level(epsilon: Fraction, alpha: int) -> tuple[Fraction, Fraction]:
    """Return bounds of the least Pr(|Poisson(f) - f| > epsilon f) over 1 <= f <= alpha, 0 < epsilon < 1."""
    terms = 60
    below_e = sum((Fraction(1, factorial(i)) for i in range(terms)), Fraction(0))
    above_e = below_e + Fraction(2, factorial(terms))  # the rest is less than twice its first term
    # 1/e in 256 bits, rounded outwards, keeps its powers short
    scale = 1 << 256
    least, most = Fraction(scale / above_e // 1, scale), Fraction(scale / below_e // 1 + 1, scale)
    bounds = []
    for f in range(1, alpha + 1):
        c = epsilon * f // 1
        window = sum((Fraction(f**k, factorial(k)) for k in range(f - c, f + c + 1)), Fraction(0))
        bounds.append((1 - window * most**f, 1 - window * least**f))
    return min(low for low, _ in bounds), min(high for _, high in bounds)
