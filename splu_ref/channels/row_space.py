"""Elimination in whole numbers: which rows depend on one another, and what they add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd


@dataclass
class RowSpace:
    """The space of the rows added so far, reduced by Gauss and Jordan.

    Attributes
    ----------
    width
        Columns that are eliminated. What a row holds behind them is carried along: the unit vector of the row
        shows which combination of the added rows a reduced one is.
    reduced
        Pivot column and row, 0 at the pivots of all others; one for each independent row.
    """

    width: int
    reduced: list[tuple[int, list[int]]] = field(default_factory=list)

    def add(self, row: Sequence[int]) -> list[int] | None:
        """Add a row; return None, or what is carried along if it depends on the rows before it."""
        left = list(row)
        for column, pivot in self.reduced:
            left = _eliminated(left, pivot, column)
        first = next((column for column in range(self.width) if left[column]), None)
        if first is None:
            return left[self.width :]
        self.reduced = [(column, _eliminated(pivot, left, first)) for column, pivot in self.reduced]
        self.reduced.append((first, left))
        return None


def _eliminated(row: list[int], pivot: list[int], column: int) -> list[int]:
    """Return a multiple of ``row`` less one of ``pivot``, 0 in the column, without common factor."""
    if not row[column]:
        return row
    left = [pivot[column] * entry - row[column] * other for entry, other in zip(row, pivot, strict=True)]
    common = gcd(*left)
    return left if common <= 1 else [entry // common for entry in left]
