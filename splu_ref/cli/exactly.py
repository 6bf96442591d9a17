"""Exact probabilities and their setting in words, as commands print them."""

from __future__ import annotations

from splu_ref.channels import PublishedCount
from splu_ref.guarantees.decimals import ExactJson


def words(number: ExactJson) -> str:
    """Return a probability for people: its decimals, and its fraction if that fits a line."""
    fraction, digits = number["fraction"], f"{number['digits']} digits, rounded in the safe direction"
    if fraction is None or len(fraction) > 60:
        return f"{number['decimal']} ({digits})"
    return number["decimal"] if fraction.endswith("/1") else f"{fraction} = {number['decimal']} ({digits})"


def setting(law: PublishedCount) -> str:
    """Return gamma, and the retention where it is not 1/gamma, for a sentence."""
    own = "" if law.is_plain else f" and retention = {law.retention}"
    return f"gamma = {law.gamma}{own}"
