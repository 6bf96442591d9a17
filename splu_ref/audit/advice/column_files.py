"""A column as integer codes in a file, for any number of distinct values."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.audit.advice.coded_table import TEXT, CountedColumn, frequencies, in_parts
from splu_ref.data import ValueNumbers, code_column
from splu_ref.mechanisms import FrameSpool, RecordSpool
from splu_ref.randomness import IntArray

_FIRST, _TIMES = "first", "times"
_RENUMBERED = np.dtype([("first", np.int64), ("code", np.int32)])
_AT_ONCE = 1 << 19
"""Preliminary codes that are replaced at once."""


class _Batch(NamedTuple):
    """Rows whose cells have preliminary codes of a range, or -1."""

    rows: int
    begin: int
    size: int


class ColumnWriter:
    """Writer of a column's codes.

    Values are numbered in memory in the order of occurrence. Once there are too many, each batch of rows has
    preliminary codes, and the values are partitioned by hash; equal values of a part then get one code.
    """

    def __init__(self, name: str, folder: Path, parts: int) -> None:
        folder.mkdir(mode=0o700)
        self._name, self._folder, self._parts = name, folder, parts
        self._codes = folder / "codes"
        self._codes.touch()
        self._numbers = ValueNumbers(name)
        self._counts = np.zeros(0, dtype=np.int64)
        self._batches: list[_Batch] = []
        self._rows = 0
        self._next = 0
        self._spool: FrameSpool | None = None

    @property
    def in_memory(self) -> int:
        """Number of values in memory."""
        return 0 if self._spool is not None else len(self._numbers.known)

    def add(self, cells: pl.Series) -> None:
        """Add the cells of the next rows."""
        if self._spool is None:
            codes: NDArray[np.signedinteger] = self._numbers.of(cells)
            blank = self._numbers.known.get("")
            if blank is not None:
                codes = np.where(codes == blank, -1, codes - (codes > blank))
            counts = frequencies(codes, len(self._values()))
            counts[: len(self._counts)] += self._counts
            self._counts = counts
            self._rows += len(codes)
        else:
            codes = self._numbered_anew(cells, self._spool)
        with self._codes.open("ab") as file:
            file.write(codes.astype(np.int32).tobytes())

    def distribute(self) -> None:
        """Move the values from memory to partitions."""
        self._spool = FrameSpool(self._folder / "values", self._parts)
        known = self._values()
        self._batches.append(_Batch(self._rows, 0, len(known)))
        self._next = len(known)
        self._add_values(self._spool, pl.Series(known, dtype=pl.String), 0, self._counts)
        self._numbers = ValueNumbers(self._name)

    def finished(self) -> CountedColumn:
        """Return the column."""
        if self._spool is not None:
            return self._renumbered(self._spool)
        return CountedColumn.counted(self._name, self._codes, self._values(), self._counts)

    def _values(self) -> list[str]:
        return [value for value in self._numbers.known if value]

    def _numbered_anew(self, cells: pl.Series, spool: FrameSpool) -> NDArray[np.signedinteger]:
        """Return preliminary codes of these rows, and add their values to the spool."""
        values, codes = code_column(nw.from_native(cells, series_only=True)).content()
        counts = frequencies(codes, len(values))
        self._add_values(spool, pl.Series(values, dtype=pl.String), self._next, counts)
        self._batches.append(_Batch(len(codes), self._next, len(values)))
        self._next += len(values)
        return codes

    def _add_values(self, spool: FrameSpool, values: pl.Series, begin: int, counts: IntArray) -> None:
        frame = pl.DataFrame(
            {
                TEXT: values,
                _FIRST: np.arange(begin, begin + len(values)),
                _TIMES: counts[: len(values)].astype(np.int64),
            }
        )
        spool.add(frame, in_parts(values.hash(), self._parts))

    def _renumbered(self, spool: FrameSpool) -> CountedColumn:
        """Return the column with one code for each value."""
        last = RecordSpool(self._folder / "last", 1 + self._next // _AT_ONCE, _RENUMBERED)
        distinct = FrameSpool(self._folder / "distinct", self._parts)
        begins = np.zeros(self._parts, dtype=np.int64)
        frequencies = self._folder / "counts"
        size = filled = alone = 0
        with frequencies.open("wb") as file:
            for part in range(self._parts):
                begins[part] = size
                if not spool.sizes[part]:
                    continue
                frame = spool.part(part)
                values = frame.group_by(TEXT, maintain_order=True).agg(pl.col(_TIMES).sum())
                values = values.with_columns(code=pl.int_range(size, size + values.height))
                joined = frame.select(TEXT, _FIRST).join(values.select(TEXT, "code"), on=TEXT)
                records = np.empty(joined.height, dtype=_RENUMBERED)
                records["first"], records["code"] = joined[_FIRST].to_numpy(), joined["code"].to_numpy()
                last.add(records, records["first"] // _AT_ONCE)
                distinct.add(values.select(TEXT), np.full(values.height, part))
                times = values[_TIMES].to_numpy()
                file.write(times.astype(np.int32).tobytes())
                size += values.height
                filled += int(times.sum())
                alone += int(np.count_nonzero(times == 1))
        codes = self._rewritten(last)
        return CountedColumn(self._name, codes, None, frequencies, size, filled, alone, (distinct, begins))

    def _rewritten(self, last: RecordSpool) -> Path:
        """Return a file with the final codes in place of the preliminary ones."""
        numbers = self._folder / "numbers"
        with numbers.open("wb") as file:
            for part in range(len(last.sizes)):
                records = last.part(part)
                ordered = np.empty(len(records), dtype=np.int32)
                ordered[records["first"] - part * _AT_ONCE] = records["code"]
                file.write(ordered.tobytes())
        written, begin = self._folder / "rewritten", 0
        with written.open("wb") as file:
            for batch in self._batches:
                meant = np.fromfile(numbers, dtype=np.int32, count=batch.size, offset=4 * batch.begin)
                meant = np.append(meant, np.int32(-1))  # -1 is the last place
                end = begin + batch.rows
                while begin < end:
                    count = min(end - begin, _AT_ONCE)
                    some = np.fromfile(self._codes, dtype=np.int32, count=count, offset=4 * begin)
                    file.write(meant[some].tobytes())
                    begin += count
        self._codes.unlink()
        return written
