"""Record counts of a table that is read in parts: only distinct combinations of values are in memory.

The values of a column are numbered in the order in which they first occur; values that agree in all given
predicates share a number. A combination is stored as the concatenated bits of its numbers, at most 62.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.coding import code_column
from splu_ref.data.parts import Progress, TableParts
from splu_ref.data.record_counts import IntArray, RecordCounts, require_columns

Predicates: TypeAlias = Callable[[Sequence[str]], NDArray[np.bool_]]
"""Function from values to the truth of some predicates, shape (values, predicates)."""
MOST_COMBINATIONS = 1 << 21
"""Largest number of distinct combinations in memory, of all sets of columns together."""
_BITS = 62
_WAITING = 1 << 16
"""Combinations of each set that are collected before merging, unless the set has more."""


class TooManyCombinationsError(DataError):
    """Columns have too many combinations of values to count."""


def count_records(
    path: str | os.PathLike[str],
    sets: Sequence[Sequence[str]],
    seen: Sequence[str] = (),
    progress: Progress = lambda _done, _total: None,
    predicates: Sequence[Mapping[str, Predicates]] | None = None,
) -> Iterator[tuple[int, RecordCounts]]:
    """Count the records of a table by each of several sets of columns.

    The file is read once, and again if the combinations of the remaining sets do not fit into memory.

    Parameters
    ----------
    path
        The file, which is not loaded into memory.
    sets
        Columns by which records are counted; an empty set counts the rows.
    seen
        Columns whose values are reported in any case.
    progress
        Called with the progress of each reading.
    predicates
        For each set the predicates of some of its columns: values that agree in all of them are counted
        together, under the first one that occurs.

    Yields
    ------
    tuple
        Number of the set, and its counts.

    Raises
    ------
    DataError
        If the file cannot be read or is not well formed, or lacks a column.
    TooManyCombinationsError
        If one of the sets has more than `MOST_COMBINATIONS`.
    """
    table = TableParts(path)
    for columns in (*sets, seen):
        require_columns(columns, table.columns)
    waiting = list(range(len(sets)))
    while waiting:
        wanted = {*seen, *(column for number in waiting for column in sets[number])}
        # Some column must be read for the rows to be counted.
        names = [name for name in table.columns if name in (wanted or {table.columns[0]})]
        numbers = {name: ValueNumbers(name) for name in names}
        tallies = {
            number: _Tally(sets[number], {} if predicates is None else predicates[number])
            for number in waiting
        }
        for frame in table.frames(list(numbers), progress):
            codes = {name: column.of(frame[name]) for name, column in numbers.items()}
            for tally in tallies.values():
                tally.add(codes, numbers, frame.height)
            if sum(tally.size for tally in tallies.values()) > MOST_COMBINATIONS:
                for tally in tallies.values():
                    tally.merge()
            while sum(tally.size for tally in tallies.values()) > MOST_COMBINATIONS:
                if len(tallies) == 1:
                    raise _too_many(next(iter(tallies.values())).columns)
                tallies.popitem()
        known = {name: tuple(column.known) for name, column in numbers.items()}
        waiting = [number for number in waiting if number not in tallies]
        while tallies:  # a set is removed from memory when it is yielded
            number = next(iter(tallies))
            yield number, tallies.pop(number).record_counts(table.columns, known)


def _too_many(columns: Sequence[str]) -> TooManyCombinationsError:
    return TooManyCombinationsError(
        f"the columns {', '.join(columns)} have too many combinations of values (more than "
        f"{MOST_COMBINATIONS}, or of {_BITS} bits) to be counted in a table that is not loaded into memory: "
        "name fewer of them at once, request counts by --batch, which counts values together if no query "
        "distinguishes them, or give a table with coarser values"
    )


class ValueNumbers:
    """The values of a column, numbered in the order in which they first occur."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.known: dict[str, int] = {}

    def of(self, cells: pl.Series) -> IntArray:
        """Return the numbers of the cells; new values get new numbers."""
        coding = code_column(nw.from_native(cells, series_only=True))
        values = coding.texts.fill_null("").to_list()
        moved = [self.known.setdefault(value, len(self.known)) for value in values]
        if len(self.known) > MOST_COMBINATIONS:
            raise _too_many([self._name])
        return np.asarray(np.array(moved, dtype=np.int64)[coding.codes])


class _Classes:
    """Classes of a column's values that agree in all predicates; single values without predicates."""

    def __init__(self, predicates: Predicates | None) -> None:
        self._predicates = predicates
        self._known: dict[bytes, int] = {}
        self._class: IntArray = np.empty(0, dtype=np.int64)
        self.first: list[int] = []

    @property
    def bits(self) -> int:
        return max(len(self.first) - 1, 0).bit_length()

    def of(self, codes: IntArray, numbers: ValueNumbers) -> IntArray:
        """Return the classes of the cells with these numbers."""
        begin, size = len(self._class), len(numbers.known)
        if self._predicates is None:
            self.first += range(len(self.first), size)
            return codes
        if size > begin:
            true = self._predicates(list(islice(numbers.known, begin, None)))
            classes = []
            for number, row in enumerate(np.packbits(true, axis=1), start=begin):
                place = self._known.setdefault(row.tobytes(), len(self.first))
                if place == len(self.first):
                    self.first.append(number)
                classes.append(place)
            self._class = np.concatenate([self._class, np.array(classes, dtype=np.int64)])
        return self._class[codes]


class _Tally:
    """Distinct combinations of the values of some columns with their record counts."""

    def __init__(self, columns: Sequence[str], predicates: Mapping[str, Predicates]) -> None:
        self.columns = tuple(dict.fromkeys(columns))
        self._classes = {name: _Classes(predicates.get(name)) for name in self.columns}
        self._bits = dict.fromkeys(self.columns, 0)
        self._keys: list[IntArray] = [np.empty(0, dtype=np.int64)]
        self._counts: list[IntArray] = [np.empty(0, dtype=np.int64)]
        self._waiting = 0

    @property
    def size(self) -> int:
        """Number of combinations in memory, with repetitions until they are merged."""
        return len(self._keys[0]) + self._waiting

    def add(self, codes: dict[str, IntArray], numbers: dict[str, ValueNumbers], rows: int) -> None:
        """Count the records of a part by the numbers of their values."""
        own = {name: each.of(codes[name], numbers[name]) for name, each in self._classes.items()}
        wider = {name: each.bits for name, each in self._classes.items()}
        if sum(wider.values()) > _BITS:
            raise _too_many(self.columns)
        if wider != self._bits:
            self.merge()
            self._keys = [_joined({name: self._codes(name) for name in self.columns}, wider, self.size)]
            self._bits = wider
        keys, counts = np.unique(_joined(own, wider, rows), return_counts=True)
        self._keys.append(keys)
        self._counts.append(counts)
        self._waiting += len(keys)
        if self._waiting > max(len(self._keys[0]), _WAITING):
            self.merge()

    def record_counts(self, columns: tuple[str, ...], values: dict[str, tuple[str, ...]]) -> RecordCounts:
        """Return the counts, for a table with these columns."""
        self.merge()
        return RecordCounts(
            columns=columns,
            counts=self._counts[0],
            distinct=values,
            codes={
                name: np.array(each.first, dtype=np.int64)[self._codes(name)]
                for name, each in self._classes.items()
            },
        )

    def merge(self) -> None:
        """Merge repeated combinations."""
        keys, places = np.unique(np.concatenate(self._keys), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, places, np.concatenate(self._counts))
        self._keys, self._counts, self._waiting = [keys], [counts], 0

    def _codes(self, name: str) -> IntArray:
        """Return the numbers of a column's values in the combinations."""
        shift = 0
        for column in self.columns:
            if column == name:
                break
            shift += self._bits[column]
        return self._keys[0] >> shift & (1 << self._bits[name]) - 1


def _joined(codes: dict[str, IntArray], bits: dict[str, int], rows: int) -> IntArray:
    """Concatenate the bits of numbers, those of the first column lowest."""
    keys, shift = np.zeros(rows, dtype=np.int64), 0
    for name, size in bits.items():
        keys |= codes[name] << shift
        shift += size
    return keys
