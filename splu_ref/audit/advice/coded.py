"""A column that is not sensitive as indices into its values, and the groups of records that share cells.

What is searched for is decided by counts of records alone, so that a table need not be held: see `Searched`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.microdata import Microdata
from splu_ref.microdata.values import Value, texts
from splu_ref.randomness import IntArray

DENSE = 4
"""Cells of a table of counts for each record up to which it is kept whole, which is faster than sorting."""


class CountedColumn(Protocol):
    """A column that is not sensitive, by its values and how often they occur."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def values(self) -> Sequence[str] | None:
        """Its values as texts, each once; None if they are too many to be held."""
        ...

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    @property
    def filled(self) -> int:
        """Records whose cell has content."""
        ...

    @property
    def alone(self) -> int:
        """Records whose cell no other record has."""
        ...

    def texts(self, codes: IntArray) -> list[str]:
        """Return some of the values."""
        ...

    def frequencies(self, codes: IntArray) -> IntArray:
        """Return how often they occur."""
        ...


class Searched(Protocol):
    """A table in which is searched for what gives a sensitive column away."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        ...

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    @property
    def is_held(self) -> bool:
        """Whether the table is in memory, so that its search takes little for each pair of columns."""
        ...

    def require(self, column: str) -> None:
        """Raise ``DataError`` if there is no such column."""
        ...

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending: two at least."""
        ...

    def histogram(self, column: str) -> IntArray:
        """Return how often each of them occurs, shape (domain,)."""
        ...

    def counted(self, column: str) -> CountedColumn:
        """Return a column that is not sensitive."""
        ...

    def counts(self, columns: Sequence[str], sensitive: str) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the records in which all these columns have content, counted by cells and sensitive value.

        Yields
        ------
        tuple
            Numbers, ascending, each once: the cells as one number (the last column's changes fastest) times
            the size of the domain, plus the code; and how many records have each. Records with the same cells
            are counted in the same piece.
        """
        ...

    def unique_records(self, columns: Sequence[str]) -> int:
        """Return how many records no other one equals in all these columns."""
        ...


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
    def size(self) -> int:
        """Number of its values."""
        return len(self.values)

    @property
    def filled(self) -> int:
        """Records whose cell has content."""
        return int(self.counts.sum())

    @property
    def alone(self) -> int:
        """Records whose cell no other record has."""
        return int(np.count_nonzero(self.counts == 1))

    def texts(self, codes: IntArray) -> list[str]:
        """Return some of its values."""
        return [self.values[code] for code in codes.tolist()]

    def frequencies(self, codes: IntArray) -> IntArray:
        """Return how often they occur."""
        return self.counts[codes]


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

    columns: tuple[CountedColumn, ...]
    key: IntArray
    size: IntArray
    code: IntArray
    most: IntArray
    second: IntArray

    @classmethod
    def of(cls, columns: Sequence[CountedColumn], pairs: IntArray, counts: IntArray, domain: int) -> Groups:
        """Return the groups of records that were counted; see `Searched.counts`."""
        key, code = np.divmod(pairs, domain)
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

    def cells(self, places: IntArray) -> list[IntArray]:
        """Return the combinations of cells that some groups have, by column."""
        found, rest = [], self.key[places]
        for column in reversed(self.columns):
            rest, cell = np.divmod(rest, max(column.size, 1))
            found.append(cell)
        return found[::-1]

    def where(self, places: IntArray) -> list[dict[str, str]]:
        """Return the same for each of these groups, by column, as texts."""
        cells = zip(self.columns, self.cells(places), strict=True)
        named = [[(column.name, cell) for cell in column.texts(codes)] for column, codes in cells]
        return [dict(assignments) for assignments in zip(*named, strict=True)]

    def selected_by_one(self, places: IntArray) -> NDArray[np.bool_]:
        """Say of some groups whether one of several cells selects the same records alone."""
        found = np.zeros(len(places), dtype=np.bool_)
        if len(self.columns) > 1:
            for column, codes in zip(self.columns, self.cells(places), strict=True):
                found |= column.frequencies(codes) == self.size[places]
        return found


class HeldColumns:
    """A table in memory that is searched.

    Parameters
    ----------
    table
        The table.
    """

    is_held = True

    def __init__(self, table: Microdata) -> None:
        self.table = table
        self.columns, self.row_count = table.columns, table.row_count
        self.require = table.require
        self._counted: dict[str, Coded] = {}

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column.

        Raises
        ------
        DataError
            As `Microdata.codes`.
        """
        self.table.codes(column)  # one value only is refused
        return self.table.domain(column)

    def histogram(self, column: str) -> IntArray:
        """Return how often each of them occurs."""
        return self.table.histogram(column)

    def counted(self, column: str) -> Coded:
        """Return a column that is not sensitive."""
        if column not in self._counted:
            self._counted[column] = Coded.of(self.table, column)
        return self._counted[column]

    def counts(self, columns: Sequence[str], sensitive: str) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the counts as one piece; see `Searched.counts`."""
        codes = self.table.codes(sensitive)
        coded = [self.counted(name) for name in columns]
        filled = np.logical_and.reduce([column.cells >= 0 for column in coded])
        keys = np.zeros(np.count_nonzero(filled), dtype=np.int64)
        for column in coded:
            keys = keys * max(column.size, 1) + column.cells[filled]
        yield _counted(keys * len(self.table.domain(sensitive)) + codes[filled], self.row_count)

    def unique_records(self, columns: Sequence[str]) -> int:
        """Return how many records no other one equals in these columns."""
        keys = np.zeros(self.row_count, dtype=np.int64)
        for column in map(self.counted, columns):
            _, keys = np.unique(keys * (column.size + 1) + column.cells + 1, return_inverse=True)
        return int(np.count_nonzero(np.bincount(keys) == 1)) if columns else 0


def searched(table: Microdata | Searched) -> Searched:
    """Return a table as one that can be searched."""
    return HeldColumns(table) if isinstance(table, Microdata) else table


def groups_of(table: Searched, columns: Sequence[CountedColumn], sensitive: str) -> Iterator[Groups]:
    """Yield the groups of the records in which all these columns have content, each whole, in pieces."""
    size = len(table.domain(sensitive))
    for pairs, counts in table.counts([column.name for column in columns], sensitive):
        yield Groups.of(columns, pairs, counts, size)


def _counted(numbers: IntArray, rows: int) -> tuple[IntArray, IntArray]:
    """Return the distinct numbers, none negative, ascending, and how often each occurs."""
    if len(numbers) and int(numbers.max()) < DENSE * rows:
        counts = np.bincount(numbers)
        found = np.flatnonzero(counts)
        return found, counts[found]
    return np.unique(numbers, return_counts=True)
