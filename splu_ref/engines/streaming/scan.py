"""The first pass over a table: what is asked of the whole of it before a record is published."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from splu_ref.engines.streaming.source import Source
from splu_ref.engines.streaming.spool import PART_BYTES, FrameSpool
from splu_ref.microdata import Microdata
from splu_ref.microdata.values import Value
from splu_ref.model import DataError, ParameterError
from splu_ref.randomness import IntArray, Key, TableSum, record_digest

_FIRST_BYTES = 2
"""Of a record's digest, where identical records are brought together."""
_MOST_PARTS = 1 << 12


class Rows(NamedTuple):
    """Some rows of a table, with what identifies each record under a key; nothing without a key."""

    table: Microdata
    identities: Sequence[bytes]


class Scan:
    """A table that was read once. It has what a mechanism asks of a table (`Frequencies`).

    Parameters
    ----------
    source
        The table.
    sensitive
        The sensitive columns.
    key
        The secret key, if the release is made with one.
    id_column
        The column that identifies a record under the key; None if its cells do.
    folder
        Where rows may be kept.
    progress
        Called with the number of rows that were read.

    Raises
    ------
    DataError
        If the table cannot be read, there is no such column, or a sensitive one has missing cells that were
        not declared a value.
    """

    def __init__(
        self,
        source: Source,
        sensitive: Sequence[str],
        key: Key | None,
        id_column: str | None,
        folder: Path,
        progress: Callable[[int], None],
    ) -> None:
        self._source = source
        self._id_column = id_column
        self._keyed = key is not None
        self.columns: tuple[str, ...] = ()
        self.row_count, self.bytes, self.table_sum = 0, 0, TableSum()
        counts: dict[str, Counter[Value]] = {column: Counter() for column in sensitive}
        distinct: dict[str, list[pl.DataFrame]] = {column: [] for column in sensitive}
        self._by_cells: FrameSpool | None = None
        if key is not None and id_column is None:
            # Few parts for a file of a few megabytes; those of a large one are a few batches each.
            parts = min(_MOST_PARTS, 1 + 4 * source.size // PART_BYTES)
            self._by_cells = FrameSpool(folder / "cells", parts)
        for table in source.batches():
            self.columns = table.columns
            frame: pl.DataFrame = table.to_frame()
            for column in sensitive:
                self._count(table, column, counts[column], distinct[column])
            if key is not None:
                if id_column is not None:
                    table.require(id_column)
                digests = [record_digest(key, record) for record in table.records()]
                self.table_sum += TableSum.of_digests(digests)
                if self._by_cells is not None:
                    first = np.array([int.from_bytes(digest[:_FIRST_BYTES], "big") for digest in digests])
                    self._by_cells.add(frame, first * len(self._by_cells.sizes) >> 8 * _FIRST_BYTES)
            self.row_count += table.row_count
            self.bytes += int(frame.estimated_size())
            progress(self.row_count)
        self._held = {
            column: _distinct(Microdata.from_frame(pl.concat(frames), source.missing), column)
            for column, frames in distinct.items()
        }
        self._places = {
            column: {value: place for place, value in enumerate(held.domain(column))}
            for column, held in self._held.items()
        }
        self._histograms = {
            column: np.array([counts[column][value] for value in held.domain(column)], dtype=np.int64)
            for column, held in self._held.items()
        }
        for column, held in self._held.items():
            held.codes(column)  # refuses a column with one value

    @property
    def missing(self) -> str | None:
        """The text that stands for missing sensitive cells."""
        return self._source.missing

    @property
    def disk(self) -> int:
        """Bytes that were written."""
        return 0 if self._by_cells is None else self._by_cells.written

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending."""
        return self._held[column].domain(column)

    def histogram(self, column: str) -> IntArray:
        """Return how often each of them occurs, shape (domain,)."""
        return self._histograms[column]

    def held(self, column: str) -> Microdata:
        """Return a table of one column that holds each value."""
        return self._held[column]

    def codes(self, table: Microdata, column: str) -> IntArray:
        """Return the place in `domain` of each cell of a sensitive column of some rows."""
        found, places = table.encoding(column), self._places[column]
        return np.array([places[value] for value in found.domain], dtype=np.int64)[found.codes]

    def rows(self) -> Iterator[Rows]:
        """Yield all rows once more, in whatever order; this can be done once."""
        if self._by_cells is not None:
            yield from self._numbered(self._by_cells)
            return
        seen = 0
        for table in self._source.batches():
            with _rows_after(seen):
                identities = table.identities(self._id_column) if self._keyed else ()
            seen += table.row_count
            yield Rows(table, identities)
        if seen != self.row_count:
            raise DataError(f"{self._source.path} changed while it was read: publish a copy")

    def _numbered(self, spool: FrameSpool) -> Iterator[Rows]:
        """Yield the rows, identical ones from the same part of the spool, where they are numbered."""
        for part in range(len(spool.sizes)):
            seen: dict[bytes, int] = {}
            for frame in spool.pieces(part):
                table = Microdata.from_frame(frame, self._source.missing)
                yield Rows(table, table.identities(seen=seen))

    def _count(
        self, table: Microdata, column: str, counts: Counter[Value], distinct: list[pl.DataFrame]
    ) -> None:
        with _rows_after(self.row_count):
            found = table.encoding(column)
        counts.update(dict(zip(found.domain, table.histogram(column).tolist(), strict=True)))
        frame: pl.DataFrame = table.to_frame()
        if self._source.missing is not None and frame[column].dtype != pl.String:
            raise ParameterError(
                f"--missing with --stream is for text, and column {column!r} holds {frame[column].dtype}: "
                "convert it to text, or leave one of them out"
            )
        distinct.append(_distinct(table, column).to_frame())
        if len(distinct) > 64:
            together = Microdata.from_frame(pl.concat(distinct), self._source.missing)
            distinct[:] = [_distinct(together, column).to_frame()]


@contextmanager
def _rows_after(seen: int) -> Iterator[None]:
    """Say in an error of some rows how many of the table's stand before them."""
    try:
        yield
    except DataError as error:
        if not seen:
            raise
        raise DataError(f"{error} (rows counted from row {seen + 1} as the first)") from None


def _distinct(table: Microdata, column: str) -> Microdata:
    """Return a table of one column with a row for each value: of equal cells, the one that its domain has."""
    return table.select([column]).take(table.encoding(column).rows)
