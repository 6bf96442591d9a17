"""What needs no sampling: condition numbers, and retentions without a breach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

import numpy as np

from splu_ref.channels.breach import Levels
from splu_ref.randomness import IntArray

from .tables import Column, OlapTable

BITS = 64
"""Binary places of what is not rational."""
INTERVALS = 10
"""Equally wide intervals that a column is cut into."""


class Condition(NamedTuple):
    """Condition numbers of the matrix of one column; those of a product are the products."""

    one: Fraction
    infinity: Fraction
    two: tuple[Fraction, Fraction]


def condition(keep: Fraction, share: Fraction) -> Condition:
    """Return the condition numbers of A = p I + (1-p) 1 (1-b, b), p > 0.

    With t = |1 - 2b| they are (1 + (1-p) t)/p in the 1- and in the infinity-norm: columns of A sum to at most
    1 + (1-p) t in absolute value, those of the inverse to 1/p; rows of A sum to 1, those of the inverse to at
    most (1 + (1-p) t)/p. In the 2-norm, with singular values of product p whose squares add up to F,
    kappa = (F + sqrt(F^2 - 4 p^2)) / (2p), which is enclosed. All are 1/p exactly if b = 1/2, and larger
    otherwise.
    """
    b = share
    larger = (1 + (1 - keep) * abs(1 - 2 * b)) / keep
    entries = ((1 - b) * (1 - keep) + keep, b * (1 - keep), (1 - b) * (1 - keep), b * (1 - keep) + keep)
    total = sum(entry**2 for entry in entries)
    low, high = _root(total**2 - 4 * keep**2)
    return Condition(larger, larger, ((total + low) / (2 * keep), (total + high) / (2 * keep)))


def _root(value: Fraction) -> tuple[Fraction, Fraction]:
    """Return two numbers around the square root, equal if it is that short."""
    whole = value.numerator * value.denominator << 2 * BITS
    low = isqrt(whole)
    scale = value.denominator << BITS
    return Fraction(low, scale), Fraction(low + (low * low < whole), scale)


def theorem5_retention(relative: Fraction, levels: Levels, columns: int) -> Fraction:
    """Return the largest p, to `BITS` places from below, that Theorem 5's last inequality calls safe.

    s < rho2 (1-rho1) (1-p)^k / ((1-rho2) p^k): the shares m_i of the sets in the replacements are left out.
    """
    bound = levels.amplification * levels.rho1 / relative  # rho2 (1-rho1) / ((1-rho2) s)
    return _largest(lambda p: p**columns < bound * (1 - p) ** columns)


def cell_retention(prior: Fraction, shares: Sequence[Fraction], levels: Levels) -> Fraction:
    """Return the largest safe p for a set S = S_1 x ... x S_k of prior p_S, whatever the other records are.

    Given Y in S the odds of X in S are at most p_S U / ((1-p_S) L), U the product of (1-p) m_i + p and L that
    of (1-p) m_i, which is attained if no other record has a value in any S_i. A set above rho1 is safe.
    """
    if prior > levels.rho1:
        return Fraction(1)
    odds = levels.rho2 / (1 - levels.rho2) * (1 - prior) / prior

    def safe(p: Fraction) -> bool:
        up = down = Fraction(1)
        for share in shares:
            up *= (1 - p) * share + p
            down *= (1 - p) * share
        return up < odds * down

    return _largest(safe)


def table_retention(table: OlapTable, columns: int, levels: Levels, relative: Fraction) -> Fraction:
    """Return the largest p at which no cell of the table has a breach, to 20 places from below.

    Cells are the products of ten equally wide intervals of each of the first columns, with p_S at most rho1
    and p_S/m_S at most ``relative``. The other records are those of the table: a record's chance to be
    published in S is the product over the columns, (1-p) m_i, and p more where it lies in S_i.
    """
    counts = cells(table, columns)
    n, share = int(counts.sum()), Fraction(1, INTERVALS)
    chosen = [
        tuple(cell)
        for cell in np.argwhere(counts > 0).tolist()
        if Fraction(int(counts[tuple(cell)]), n) <= min(levels.rho1, relative * share**columns)
    ]
    agreeing = [_agreeing(counts, cell) for cell in chosen]
    odds = levels.rho2 / (1 - levels.rho2)

    def safe(p: Fraction) -> bool:
        inside, outside = (1 - p) * share + p, (1 - p) * share
        powers = [inside**k * outside ** (columns - k) for k in range(columns + 1)]
        for numbers in agreeing:
            others = sum(number * power for number, power in zip(numbers[:-1], powers, strict=False))
            if numbers[-1] * powers[-1] >= odds * others:
                return False
        return True

    return _largest(safe, 20)


def _agreeing(counts: IntArray, cell: tuple[int, ...]) -> list[int]:
    """Return how many records lie in 0, 1, ..., k of the intervals of a cell."""
    places = np.zeros(counts.shape, dtype=np.int64)
    for axis, interval in enumerate(cell):
        mark = np.zeros(INTERVALS, dtype=np.int64)
        mark[interval] = 1
        places += mark.reshape([-1 if each == axis else 1 for each in range(counts.ndim)])
    found = np.bincount(places.ravel(), weights=counts.ravel(), minlength=counts.ndim + 1)
    return [round(number) for number in found]


def cells(table: OlapTable, columns: int) -> IntArray:
    """Return the records in each product of intervals, shape (10, ..., 10)."""
    places = [
        _interval(row, column) for row, column in zip(table.values, table.columns[:columns], strict=False)
    ]
    number = np.ravel_multi_index(places, (INTERVALS,) * columns)
    return np.bincount(number, minlength=INTERVALS**columns).reshape((INTERVALS,) * columns)


def _interval(values: IntArray, column: Column) -> IntArray:
    width = column.greatest - column.least
    return np.minimum((values - column.least) * INTERVALS // width, INTERVALS - 1)


def largest_relative(table: OlapTable, columns: int) -> Fraction:
    """Return the largest p_S/m_S of all cells, with m_S = 10^-k."""
    counts = cells(table, columns)
    return Fraction(int(counts.max()) * INTERVALS**columns, int(counts.sum()))


def _largest(safe: Callable[[Fraction], bool], bits: int = BITS) -> Fraction:
    low, high = 0, 1 << bits
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if safe(Fraction(middle, 1 << bits)) else (low, middle)
    return Fraction(low, 1 << bits)
