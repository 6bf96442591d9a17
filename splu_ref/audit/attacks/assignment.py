"""Posteriors of the assignment of a group's values to its records, by permanents.

A group of gamma records is published with its gamma values. With likelihoods L[i][j] of record i having value
j, an assignment has the weight of the product of its likelihoods, and record i has value j with the share of
the permanent that goes through L[i][j].
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm, prod


def exact_posteriors(
    likelihoods: Sequence[Sequence[Fraction]],
) -> tuple[Fraction, list[list[Fraction]] | None]:
    """Return the permanent of one group's likelihoods, and the posterior of each record and value.

    Parameters
    ----------
    likelihoods
        Square matrix by record and value, entries at least 0.

    Returns
    -------
    tuple
        The permanent, and for each record the probability of each value; None instead if the permanent is 0.

    Notes
    -----
    Sums over the sets of values that the first i records take: the permanent of the first i rows within a
    set, and of the other rows within the rest, joined at L[i][j].
    """
    scales = [lcm(*(entry.denominator for entry in row)) for row in likelihoods]
    whole = [[int(entry * scale) for entry in row] for row, scale in zip(likelihoods, scales, strict=True)]
    gamma = len(whole)
    first, last = _within(whole), _within(whole[::-1])
    every = 2**gamma - 1
    permanent = first[every]
    if not permanent:
        return Fraction(0), None
    through = [[0] * gamma for _ in range(gamma)]
    for subset in range(every):
        record = subset.bit_count()
        for value in range(gamma):
            if not subset >> value & 1:
                rest = every & ~subset & ~(1 << value)
                through[record][value] += first[subset] * whole[record][value] * last[rest]
    posteriors = [[Fraction(each, permanent) for each in row] for row in through]
    return Fraction(permanent, prod(scales)), posteriors


def _within(whole: Sequence[Sequence[int]]) -> list[int]:
    """Return by set of values the permanent of as many first rows within it."""
    gamma = len(whole)
    permanents = [1] + [0] * (2**gamma - 1)
    for subset in range(1, 2**gamma):
        row = whole[subset.bit_count() - 1]
        permanents[subset] = sum(
            permanents[subset ^ (1 << value)] * row[value] for value in range(gamma) if subset >> value & 1
        )
    return permanents
