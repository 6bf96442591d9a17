"""A table larger than memory that is searched: its columns as numbers in files, a file for each column.

Values are numbered while the table is read. A column whose values are too many to be held is numbered in
parts that its values are distributed to, as rows are that are published (`splu_ref.engines.streaming`); so
are combinations of cells that are too many. Nothing is guessed, and nothing left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

import numpy as np
import polars as pl

from splu_ref.audit.advice.coded import CountedColumn
from splu_ref.audit.advice.numbered import ColumnWriter, in_parts, merged
from splu_ref.engines.streaming.scan import Scan
from splu_ref.engines.streaming.spool import PART_BYTES, PART_ENTRIES, FrameSpool, RecordSpool
from splu_ref.guarantees.progress import Progress
from splu_ref.microdata.counted import require_columns
from splu_ref.microdata.values import Value
from splu_ref.model import DataError
from splu_ref.randomness import IntArray

MOST_VALUES = 1 << 19
"""Distinct values that are held at once, of all columns together."""
DENSE = 1 << 21
"""Combinations of cells that are counted in an array, whether they occur or not."""
MOST_GROUPS = 1 << 20
"""Combinations of cells that occur and are counted at once."""
_CHUNK = 1 << 19
"""Rows of which numbers are read at once."""
_PAIR = np.dtype([("number", np.int64), ("count", np.int64)])
_TIMES = "times"
MOST_WORK, OVERHEAD = 6 * 10**9, 10**5
"""Records times pairs of columns that are looked at, about an hour; each pair takes as long as so many
records more."""


class ColumnsInFiles:
    """A table in a file that is searched; see `splu_ref.audit.advice.coded.Searched`.

    Parameters
    ----------
    path
        The table: ``.csv``, ``.csv.gz`` or ``.parquet``. It is read twice, and must not change meanwhile.
    sensitive
        The sensitive columns.
    missing
        See `Microdata.from_frame`.
    folder
        A private folder, which holds the columns afterwards.
    progress
        Called with (amount read, about how much there is).

    Raises
    ------
    DataError
        If the table cannot be read, lacks a column, holds categories, or has too many columns for a search of
        all pairs of them.
    """

    is_held = False

    def __init__(
        self,
        path: Path,
        sensitive: Sequence[str],
        missing: str | None,
        folder: Path,
        progress: Progress = lambda _done, _whole: None,
    ) -> None:
        self._folder = folder
        self._scan = Scan(path, sensitive, missing, None, None, folder, lambda rows: progress(rows, 2 * rows))
        self.columns, self.row_count = self._scan.columns, self._scan.row_count
        self._steps = 0
        alone = sensitive[0] if len(sensitive) == 1 else None  # each of several is looked at for the others
        others = [name for name in self.columns if name != alone]
        if len(others) * (len(others) + 1) // 2 * (self.row_count + OVERHEAD) > MOST_WORK:
            raise DataError(
                f"{path} has {len(self.columns)} columns and {self.row_count} records, too many for a "
                "search of all pairs of columns: give a file with fewer of either"
            )
        parts = 1 + max(self.row_count // PART_ENTRIES, self._scan.bytes // PART_BYTES)
        writers = {name: ColumnWriter(name, self._own_folder(), parts) for name in others}
        self._codes = {name: folder / f"sensitive-{number}" for number, name in enumerate(sensitive)}
        done = 0
        for table in self._scan.tables():
            frame: pl.DataFrame = table.to_frame()
            for name, place in self._codes.items():
                with place.open("ab") as file:
                    file.write(self._scan.codes(table, name).astype(np.int32).tobytes())
            for name, writer in writers.items():
                writer.add(frame[name])
                while sum(each.held for each in writers.values()) > MOST_VALUES:
                    max(writers.values(), key=lambda each: each.held).distribute()
            done += table.row_count
            progress(self.row_count + done, 2 * self.row_count)
        self._columns = {name: writer.finished() for name, writer in writers.items()}

    def require(self, column: str) -> None:
        """Raise ``DataError`` if there is no such column."""
        require_columns([column], self.columns)

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending."""
        return self._scan.domain(column)

    def histogram(self, column: str) -> IntArray:
        """Return how often each of them occurs."""
        return self._scan.histogram(column)

    def counted(self, column: str) -> CountedColumn:
        """Return a column that is not sensitive, or another one of them."""
        return self._columns[column]

    def counts(self, columns: Sequence[str], sensitive: str) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the counts; see `Searched.counts`.

        Raises
        ------
        DataError
            If the columns have so many values that their combinations have no number of 63 bits.
        """
        coded = [self._columns[name] for name in columns]
        if len(coded) > 1 and any(column.alone == column.filled for column in coded):
            return  # one cell alone selects each of these records: a second one says nothing more
        size = len(self.domain(sensitive))
        space = prod(max(column.size, 1) for column in coded) * size
        if space >= 1 << 63:
            raise DataError(
                f"columns {' and '.join(columns)} have too many values to be looked at together: leave one "
                "out"
            )
        if space <= DENSE:
            dense = np.zeros(space, dtype=np.int64)
            for numbers in self._numbers(columns, sensitive):
                dense += np.bincount(numbers, minlength=space)
            found = np.flatnonzero(dense)
            yield found, dense[found]
            return
        yield from self._sparse(columns, sensitive, size)

    def unique_records(self, columns: Sequence[str]) -> int:
        """Return how many records no other one equals in these columns."""
        if any(self._columns[name].alone == self.row_count for name in columns):
            return self.row_count
        if not columns:
            return 0
        parts = 1 + 4 * len(columns) * self.row_count // PART_BYTES
        spool = FrameSpool(self._own_folder(), parts)
        for begin in range(0, self.row_count, _CHUNK):
            rows = pl.DataFrame({name: self._columns[name].codes(begin, _CHUNK) for name in columns})
            rows = rows.group_by(columns).agg(pl.len().alias(_TIMES).cast(pl.Int64))
            spool.add(rows, in_parts(rows.select(columns).hash_rows(), parts))
        found = 0
        for part, size in enumerate(spool.sizes.tolist()):
            if size:
                times = spool.part(part).group_by(columns).agg(pl.col(_TIMES).sum())[_TIMES]
                found += int((times == 1).sum())
        return found

    def _own_folder(self) -> Path:
        self._steps += 1
        return self._folder / f"step-{self._steps}"

    def _numbers(self, columns: Sequence[str], sensitive: str) -> Iterator[IntArray]:
        """Yield the cells and sensitive value as one number, of the records with content in all columns."""
        size = len(self.domain(sensitive))
        for begin in range(0, self.row_count, _CHUNK):
            codes = np.fromfile(self._codes[sensitive], dtype=np.int32, count=_CHUNK, offset=4 * begin)
            keys = np.zeros(len(codes), dtype=np.int64)
            filled = np.ones(len(codes), dtype=np.bool_)
            for name in columns:
                cells = self._columns[name].codes(begin, _CHUNK)
                keys = keys * max(self._columns[name].size, 1) + cells
                filled &= cells >= 0
            numbers = keys * size + codes
            yield numbers if filled.all() else numbers[filled]

    def _sparse(
        self, columns: Sequence[str], sensitive: str, size: int
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield the counts of combinations of which most do not occur."""
        parts = 1 + self.row_count // PART_ENTRIES
        spool: RecordSpool | None = None
        waiting: list[tuple[IntArray, IntArray]] = []
        for numbers in self._numbers(columns, sensitive):
            waiting.append(np.unique(numbers, return_counts=True))
            if sum(len(each) for each, _ in waiting) <= MOST_GROUPS:
                continue
            waiting = [merged(waiting)]
            if spool is None and len(waiting[0][0]) > MOST_GROUPS // 2:
                spool = RecordSpool(self._own_folder(), parts, _PAIR)
            if spool is not None:
                _distribute(*waiting.pop(), size, spool)
        last = merged(waiting)
        if spool is None:
            yield last
            return
        _distribute(*last, size, spool)
        for part in range(parts):
            records = spool.part(part)
            if len(records):
                yield merged([(records["number"], records["count"])])


def _distribute(numbers: IntArray, counts: IntArray, size: int, spool: RecordSpool) -> None:
    """Add counts to the part that the cells decide about."""
    records = np.empty(len(numbers), dtype=_PAIR)
    records["number"], records["count"] = numbers, counts
    spool.add(records, in_parts(pl.Series(numbers // size).hash(), len(spool.sizes)))
