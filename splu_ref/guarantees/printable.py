"""Exact probabilities as they are printed: a fraction where it can be written, decimals in any case."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Literal

from splu_ref.binomial import Bounds
from splu_ref.channels import PublishedCount
from splu_ref.guarantees.decimals import ExactJson, exact_json

LONGEST = 10_000
"""Decimal digits up to which a denominator, gamma^(gamma f) for p = 1/gamma, is worth computing for print."""


def printable(
    law: PublishedCount,
    frequency: int,
    value: Callable[[], Fraction],
    bounds: Bounds,
    rounding: Literal["down", "up"],
) -> ExactJson:
    """Return a probability at a count for JSON: exact while the fraction is printable.

    Parameters
    ----------
    law
        The law of the published count.
    frequency
        The count at which the probability is taken; it decides how long the fraction is.
    value
        Computes the probability.
    bounds
        An enclosure of it, which serves where the fraction is too long.
    rounding
        The direction in which decimals are rounded.
    """
    return exact_json(value() if _is_short(law, frequency) else bounds, rounding)


def _is_short(law: PublishedCount, frequency: int) -> bool:
    """Say whether the denominator of the probability, before it is reduced, has at most `LONGEST` digits."""
    own, decoy = law.retention.denominator, law.decoy.denominator
    longest: int = 10**LONGEST
    # What is certainly too long is not computed.
    least_bits = frequency * (own.bit_length() - 1 + (law.gamma - 1) * (decoy.bit_length() - 1))
    if least_bits > longest.bit_length():
        return False
    denominator: int = (own * decoy ** (law.gamma - 1)) ** frequency
    return denominator < longest
