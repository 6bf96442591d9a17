"""Formulas of Chirayath et al. 2006 as printed that are false: see entropy.T2, entropy.PX and entropy.EX."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from splu_ref.channels import LogForm

ENTROPY_AT_200 = Fraction("1.4395")
"""Section 3.3 prints H' = 1.439 bits for three salaries with mean 200: the largest number so rounded."""


def expected_loss(records: int) -> LogForm:
    """Return equation (5): the mean over k of 1 - ((k/n) lg(n/k) - ((n-k)/n) lg(n/(n-k)))."""
    terms: dict[int, Fraction] = {2: Fraction(1)}
    for k in range(records + 1):
        weight = Fraction(comb(records, k), 2**records)
        for part, sign in ((k, -1), (records - k, 1)):
            if part:
                share = sign * weight * Fraction(part, records)
                terms[records] = terms.get(records, Fraction(0)) + share
                terms[part] = terms.get(part, Fraction(0)) - share
    return LogForm.of(terms)


def remaining_chance(table_chance: Fraction, tables: int) -> Fraction:
    """Return p' = q_i |t_x|: the chance of a table times how many tables give the record the value."""
    return table_chance * tables
