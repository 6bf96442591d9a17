"""Exact probabilities as they are printed: a fraction where it can be written, decimals in any case."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log10
from typing import Literal

from splu_ref.binomial import Bounds
from splu_ref.guarantees import exact_json
from splu_ref.guarantees.decimals import ExactJson
from splu_ref.model import Gamma

LONGEST = 10_000
"""Decimal digits up to which a denominator gamma^(gamma f) is worth computing for print."""


def printable(
    gamma: Gamma,
    frequency: int,
    value: Callable[[], Fraction],
    bounds: Bounds,
    rounding: Literal["down", "up"],
) -> ExactJson:
    """Return a probability over gamma^(gamma f) for JSON: exact while the fraction is printable."""
    if gamma * frequency * log10(gamma) <= LONGEST:
        return exact_json(value(), rounding)
    return exact_json(bounds, rounding)


def words(number: ExactJson) -> str:
    """Return a probability for people: its decimals, and its fraction if that fits a line."""
    fraction, digits = number["fraction"], f"{number['digits']} digits, rounded in the safe direction"
    if fraction is None or len(fraction) > 60:
        return f"{number['decimal']} ({digits})"
    return number["decimal"] if fraction.endswith("/1") else f"{fraction} = {number['decimal']} ({digits})"
