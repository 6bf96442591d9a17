"""Counting the records of a table while it is read in parts: what is held are distinct combinations alone.

Each value of a column has a number, in the order in which values first occur, or shares one with values of
which the same is true of all that is asked; a combination is the numbers' bits side by side, 62 at most.
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
from splu_ref.data.cell_values import texts
from splu_ref.data.parts import Progress, TableParts
from splu_ref.data.record_counts import RecordCounts, Whole, require_columns

Telling: TypeAlias = Callable[[Sequence[str]], NDArray[np.bool_]]
"""Says of values what is true of them, shape (values, statements)."""
MOST_COMBINATIONS = 1 << 21
"""Distinct combinations of values that are held at once, of all sets of columns together."""
_BITS = 62
_WAITING = 1 << 16
"""Combinations of parts that wait to be merged, of each set, at most, unless it has more."""


class TooManyCombinationsError(DataError):
    """Columns have more combinations of values than are counted."""


def count_records(
    path: str | os.PathLike[str],
    sets: Sequence[Sequence[str]],
    seen: Sequence[str] = (),
    progress: Progress = lambda _done, _whole: None,
    told: Sequence[Mapping[str, Telling]] | None = None,
) -> Iterator[tuple[int, RecordCounts]]:
    """Yield the records of a table, counted by each of several sets of columns, with the number of the set.

    The file is read once, and once more for each time that the combinations of all sets left are too many to
    be held.

    Parameters
    ----------
    path
        The file, which is not held in memory.
    sets
        Columns by which records are counted; an empty set counts the rows.
    seen
        Columns whose values are told in any case.
    progress
        Called with what was read, for each reading anew.
    told
        Of each set, for some of its columns, what is asked of their values: those of which the same is true
        are counted together, as the one of them that occurs first.

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
        numbers = {name: Numbers(name) for name in table.columns if name in (wanted or {table.columns[0]})}
        tallies = {number: _Tally(sets[number], {} if told is None else told[number]) for number in waiting}
        for frame in table.frames(list(numbers), progress):
            codes = {name: column.of(frame[name]) for name, column in numbers.items()}
            for tally in tallies.values():
                tally.add(codes, numbers, frame.height)
            if sum(tally.held for tally in tallies.values()) > MOST_COMBINATIONS:
                for tally in tallies.values():
                    tally.merge()
            while sum(tally.held for tally in tallies.values()) > MOST_COMBINATIONS:
                if len(tallies) == 1:
                    raise _too_many(next(iter(tallies.values())).columns)
                tallies.popitem()
        known = {name: tuple(column.known) for name, column in numbers.items()}
        waiting = [number for number in waiting if number not in tallies]
        while tallies:  # what was taken need not be held on
            number = next(iter(tallies))
            yield number, tallies.pop(number).counted(table.columns, known)


def _too_many(columns: Sequence[str]) -> TooManyCombinationsError:
    return TooManyCombinationsError(
        f"the columns {', '.join(columns)} have too many combinations of values (more than "
        f"{MOST_COMBINATIONS}, or of {_BITS} bits) to be counted in a table that is not held in memory: name "
        "fewer of them at once, ask for counts by --batch, which counts together what no query tells apart, "
        "or give a table with coarser values"
    )


class Numbers:
    """The values of a column, numbered in the order in which they first occur."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.known: dict[str, int] = {}

    def of(self, cells: pl.Series) -> Whole:
        """Return the numbers of the cells, and keep new values."""
        shown = cells.dtype
        if shown.is_float():  # 0.0 and -0.0 are equal, and have two texts: what is told apart are bits
            floats = cells.fill_null(float("nan")).to_numpy()
            cells = pl.Series(cells.name, floats.view(f"i{floats.itemsize}"))
        values = cells.unique(maintain_order=True)
        places = (
            cells.cast(pl.Enum(values)).to_physical()
            if cells.dtype == pl.String and not values.null_count()
            else _places(cells, values)
        )
        if shown.is_float():
            values = pl.Series(values.to_numpy().view(floats.dtype))
        given = texts(nw.from_native(values, series_only=True))
        moved = [self.known.setdefault(value or "", len(self.known)) for value in given]
        if len(self.known) > MOST_COMBINATIONS:
            raise _too_many([self._name])
        return np.asarray(np.array(moved, dtype=np.int64)[places.to_numpy()])


def _places(cells: pl.Series, values: pl.Series) -> pl.Series:
    """Return the place of each cell among the distinct values, of any type and with nulls."""
    numbered = pl.DataFrame({"value": values, "place": pl.int_range(len(values), eager=True)})
    given = cells.alias("value").to_frame()
    return given.join(numbered, on="value", how="left", nulls_equal=True, maintain_order="left")["place"]


class _Classes:
    """The values of a column, those together of which the same is true; all apart if nothing is asked."""

    def __init__(self, telling: Telling | None) -> None:
        self._telling = telling
        self._known: dict[bytes, int] = {}
        self._class: Whole = np.empty(0, dtype=np.int64)
        self.first: list[int] = []

    @property
    def bits(self) -> int:
        return max(len(self.first) - 1, 0).bit_length()

    def of(self, codes: Whole, numbers: Numbers) -> Whole:
        """Return the classes of the cells, of which the numbers are given."""
        begin, size = len(self._class), len(numbers.known)
        if self._telling is None:
            self.first += range(len(self.first), size)
            return codes
        if size > begin:
            true = self._telling(list(islice(numbers.known, begin, None)))
            found = []
            for number, row in enumerate(np.packbits(true, axis=1), start=begin):
                place = self._known.setdefault(row.tobytes(), len(self.first))
                if place == len(self.first):
                    self.first.append(number)
                found.append(place)
            self._class = np.concatenate([self._class, np.array(found, dtype=np.int64)])
        return self._class[codes]


class _Tally:
    """Distinct combinations of the values of some columns, and how many records have each."""

    def __init__(self, columns: Sequence[str], told: Mapping[str, Telling]) -> None:
        self.columns = tuple(dict.fromkeys(columns))
        self._classes = {name: _Classes(told.get(name)) for name in self.columns}
        self._bits = dict.fromkeys(self.columns, 0)
        self._keys: list[Whole] = [np.empty(0, dtype=np.int64)]
        self._counts: list[Whole] = [np.empty(0, dtype=np.int64)]
        self._waiting = 0

    @property
    def held(self) -> int:
        """How many combinations are held, some of them more than once unless all are merged."""
        return len(self._keys[0]) + self._waiting

    def add(self, codes: dict[str, Whole], numbers: dict[str, Numbers], rows: int) -> None:
        """Count the records of a part, whose values have these numbers."""
        own = {name: each.of(codes[name], numbers[name]) for name, each in self._classes.items()}
        wider = {name: each.bits for name, each in self._classes.items()}
        if sum(wider.values()) > _BITS:
            raise _too_many(self.columns)
        if wider != self._bits:
            self.merge()
            self._keys = [_joined({name: self._codes(name) for name in self.columns}, wider, self.held)]
            self._bits = wider
        keys, counts = np.unique(_joined(own, wider, rows), return_counts=True)
        self._keys.append(keys)
        self._counts.append(counts)
        self._waiting += len(keys)
        if self._waiting > max(len(self._keys[0]), _WAITING):
            self.merge()

    def counted(self, columns: tuple[str, ...], values: dict[str, tuple[str, ...]]) -> RecordCounts:
        """Return what was counted, of a table with these columns."""
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
        """Hold each combination once."""
        keys, places = np.unique(np.concatenate(self._keys), return_inverse=True)
        counts = np.zeros(len(keys), dtype=np.int64)
        np.add.at(counts, places, np.concatenate(self._counts))
        self._keys, self._counts, self._waiting = [keys], [counts], 0

    def _codes(self, name: str) -> Whole:
        """Return the numbers of a column's values in the combinations."""
        shift = 0
        for column in self.columns:
            if column == name:
                break
            shift += self._bits[column]
        return self._keys[0] >> shift & (1 << self._bits[name]) - 1


def _joined(codes: dict[str, Whole], bits: dict[str, int], rows: int) -> Whole:
    """Return the combinations of numbers, the first column's bits lowest."""
    keys, shift = np.zeros(rows, dtype=np.int64), 0
    for name, size in bits.items():
        keys |= codes[name] << shift
        shift += size
    return keys
