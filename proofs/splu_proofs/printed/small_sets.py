"""The bound for several columns with small sets, Agrawal, Srikant & Thomas 2005, section 5.2."""

from __future__ import annotations

from fractions import Fraction


def largest_relative_prior(rho1: Fraction, rho2: Fraction, p: Fraction, columns: int) -> Fraction:
    """Return rho2 (1 - rho1) (1 - p)^k / ((1 - rho2) p^k)."""
    return rho2 * (1 - rho1) * (1 - p) ** columns / ((1 - rho2) * p**columns)
