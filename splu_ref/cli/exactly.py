"""Exact probabilities and their setting in words, as commands print them."""

from __future__ import annotations

from fractions import Fraction

from splu_ref.channels import PublishedCount
from splu_ref.guarantees.decimals import ExactJson


def words(number: ExactJson) -> str:
    """Return a probability for people: its decimals, and its fraction if that fits a line."""
    fraction, decimal = number["fraction"], number["decimal"]
    rounding = f"{number['digits']} digits, rounded in the safe direction"
    if fraction is None or len(fraction) > 60:
        return f"{decimal} ({rounding})"
    if fraction.endswith("/1"):
        return decimal
    return f"{fraction} = {decimal} ({'exact' if Fraction(fraction) == Fraction(decimal) else rounding})"


def setting(law: PublishedCount) -> str:
    """Return gamma, and the retention where it is not 1/gamma, for a sentence."""
    own = "" if law.is_plain else f" and retention = {law.retention}"
    return f"gamma = {law.gamma}{own}"
