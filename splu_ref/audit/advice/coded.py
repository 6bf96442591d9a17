"""A column that is not sensitive as indices into its values, and the groups of records that share cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals as nw
import numpy as np
import polars as pl

from splu_ref.microdata import Microdata
from splu_ref.microdata.values import texts
from splu_ref.randomness import IntArray

DENSE = 4
"""Cells of a table of counts for each record up to which it is kept whole, which is faster than sorting."""


@dataclass(frozen=True, slots=True)
class Coded:
    """A column as indices into its values; -1 stands for a cell without content.

    Attributes
    ----------
    name
        Of the column.
    values
        Its values as texts, each once.
    cells
        Shape (N,).
    counts
        Records of each value, shape (values,).
    """

    name: str
    values: list[str]
    cells: IntArray
    counts: IntArray

    @classmethod
    def of(cls, table: Microdata, name: str) -> Coded:
        """Return a column of a table."""
        series = nw.from_native(table.to_frame(), eager_only=True)[name]
        if series.implementation.is_polars() and series.dtype == nw.String:
            return cls._of_texts(name, series.to_native())
        number: dict[str, int] = {}
        cells = np.array(
            [number.setdefault(cell, len(number)) if cell else -1 for cell in texts(series)], dtype=np.int64
        )
        return cls(name, list(number), cells, np.bincount(cells[cells >= 0], minlength=len(number)))

    @classmethod
    def _of_texts(cls, name: str, series: pl.Series) -> Coded:
        """Return a column of texts, as CSV files have them, without a step for each cell."""
        texts = pl.select(pl.when(series != "").then(series)).to_series()
        values = texts.drop_nulls().unique().sort()
        cells = texts.rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1
        return cls(name, values.to_list(), cells, np.bincount(cells[cells >= 0], minlength=len(values)))

    @property
    def filled(self) -> int:
        """Records whose cell has content."""
        return int(self.counts.sum())

    @property
    def alone(self) -> int:
        """Records whose cell no other record has."""
        return int(np.count_nonzero(self.counts == 1))


@dataclass(frozen=True, slots=True)
class Groups:
    """The records of each combination of cells, by sensitive value; combinations in ascending order.

    Attributes
    ----------
    columns
        Whose cells are combined.
    key
        Shape (groups,): the cells as one number.
    size
        Records of each combination.
    code
        The sensitive value that most of them have; of several, the first.
    most
        How many have it.
    second
        How many have the next one.
    """

    columns: tuple[Coded, ...]
    key: IntArray
    size: IntArray
    code: IntArray
    most: IntArray
    second: IntArray

    @classmethod
    def of(cls, columns: Sequence[Coded], codes: IntArray, domain_size: int) -> Groups:
        """Return the groups of the records in which all these columns have content."""
        filled = np.logical_and.reduce([column.cells >= 0 for column in columns])
        keys = np.zeros(np.count_nonzero(filled), dtype=np.int64)
        for column in columns:
            keys = keys * max(len(column.values), 1) + column.cells[filled]
        pairs, counts = _counted(keys * domain_size + codes[filled], len(codes))
        key, code = np.divmod(pairs, domain_size)
        starts = np.flatnonzero(np.r_[True, np.diff(key) != 0]) if len(key) else np.zeros(0, dtype=np.int64)
        if not len(starts):
            return cls(tuple(columns), *([starts] * 5))
        group = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(key)]))
        most = np.maximum.reduceat(counts, starts)
        winners = np.flatnonzero(counts == most[group])
        first = winners[np.r_[True, np.diff(group[winners]) != 0]]
        others = counts.copy()
        others[first] = 0
        return cls(
            tuple(columns),
            key[starts],
            np.add.reduceat(counts, starts),
            code[first],
            most,
            np.maximum.reduceat(others, starts),
        )

    @property
    def shared(self) -> int:
        """Records that are not alone in their group."""
        return int(self.size[self.size > 1].sum())

    @property
    def guessed(self) -> int:
        """Records whose value is the one that most of the *other* records of their group have."""
        return int(self.most[self.most - 1 > self.second].sum())

    def cells(self, place: int) -> tuple[int, ...]:
        """Return the combination of cells that a group has, one for each column."""
        found, rest = [], int(self.key[place])
        for column in reversed(self.columns):
            rest, cell = divmod(rest, len(column.values))
            found.append(cell)
        return tuple(reversed(found))

    def where(self, place: int) -> dict[str, str]:
        """Return the same by column, as texts."""
        cells = zip(self.columns, self.cells(place), strict=True)
        return {column.name: column.values[cell] for column, cell in cells}

    def selected_by_one(self, place: int) -> bool:
        """Say whether one of several cells selects the same records alone."""
        cells = zip(self.columns, self.cells(place), strict=True)
        return len(self.columns) > 1 and any(
            column.counts[cell] == self.size[place] for column, cell in cells
        )


def _counted(numbers: IntArray, rows: int) -> tuple[IntArray, IntArray]:
    """Return the distinct numbers, none negative, ascending, and how often each occurs."""
    if len(numbers) and int(numbers.max()) < DENSE * rows:
        counts = np.bincount(numbers)
        found = np.flatnonzero(counts)
        return found, counts[found]
    return np.unique(numbers, return_counts=True)
