"""The share of a range among uniform replacements, Agrawal, Srikant & Thomas 2005, section 4.1."""

from __future__ import annotations

from fractions import Fraction


def share(low: int, high: int, least: int, most: int) -> Fraction:
    """Return (high - low)/(max - min)."""
    return Fraction(high - low, most - least)
