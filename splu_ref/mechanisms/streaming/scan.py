"""The first pass over a table in a file: domains, histograms, and the sum of record digests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from splu_ref.channels import DataError, ParameterError
from splu_ref.data import (
    Microdata,
    MissingCellError,
    TableParts,
    Value,
    is_missing,
    missing_message,
    number_identities,
    require_declared,
    require_new_text,
)
from splu_ref.mechanisms.record_mechanism import RecordMechanism
from splu_ref.mechanisms.streaming.content import DuplicateNumbers
from splu_ref.mechanisms.streaming.files import PART_BYTES
from splu_ref.randomness import IntArray, Key, TableSum, record_digest

BATCH_BYTES, BATCH_ROWS = 8 << 20, 1 << 17
"""Approximate size of the part of a table that is read at once."""
_CATEGORIES = (pl.Categorical, pl.Enum)
_MOST_PARTS = 1 << 12


class Rows(NamedTuple):
    """Some rows of a table, with the identities of the records under a key; empty without a key."""

    table: Microdata
    identities: Sequence[bytes]


class Scan:
    """The result of reading a table once: its domains and histograms (see `Frequencies`) and digests.

    Parameters
    ----------
    source
        Path of the table, which ends in ``.csv``, ``.csv.gz`` or ``.parquet``. It must not change.
    sensitive
        The sensitive columns.
    missing
        See `Microdata.from_frame`.
    key
        The secret key of a keyed release; None otherwise.
    id_column
        The column that identifies a record under the key; None if its cells do.
    folder
        A folder for temporary files.
    progress
        Called with the number of rows read so far.
    mechanism
        The mechanism, which may declare domains.

    Raises
    ------
    DataError
        If the table cannot be read, a column is missing or has a categorical type, or a sensitive column has
        undeclared missing cells, the text for them as a value too, or values outside a declared domain.
    """

    def __init__(
        self,
        source: Path,
        sensitive: Sequence[str],
        missing: str | None,
        key: Key | None,
        id_column: str | None,
        folder: Path,
        progress: Callable[[int], None],
        mechanism: RecordMechanism | None = None,
    ) -> None:
        self._source = TableParts(source, BATCH_BYTES, BATCH_ROWS)
        self.missing = missing
        self.id_column = id_column
        self._keyed = key is not None
        self.columns = self._source.columns
        self.row_count, self.bytes, self.table_sum = 0, 0, TableSum()
        counts: dict[str, Counter[Value]] = {column: Counter() for column in sensitive}
        distinct: dict[str, list[pl.DataFrame]] = {column: [] for column in sensitive}
        marked = dict.fromkeys(sensitive, frozenset[Value | None]())
        stated = {} if mechanism is None else mechanism.declared_domains
        self._numbers: DuplicateNumbers | None = None
        if key is not None and id_column is None:
            # Few parts for a file of a few megabytes; parts of a large file are a few batches each.
            parts = min(_MOST_PARTS, 1 + 4 * self._source.size // PART_BYTES)
            self._numbers = DuplicateNumbers(folder / "numbers", parts)
        for table in self.tables():
            frame: pl.DataFrame = table.to_frame()
            for column in sensitive:
                self._count(table, column, stated.get(column), counts[column], distinct[column])
                marked[column] |= {None, "", missing}.intersection(table.coding(column).values)
            if key is not None:
                if id_column is not None:
                    table.require(id_column)
                digests = [record_digest(key, record) for record in table.records()]
                self.table_sum += TableSum.of_digests(digests)
                if self._numbers is not None:
                    self._numbers.add(digests)
            self.row_count += table.row_count
            self.bytes += int(frame.estimated_size())
            progress(self.row_count)
        for column, cells in marked.items():
            require_new_text(column, cells, missing)
        self._value_tables = {
            column: _distinct(Microdata.from_frame(pl.concat(frames), missing), column)
            for column, frames in distinct.items()
        }
        for column, values in stated.items():
            if column in self._value_tables:
                self._value_tables[column] = self._value_tables[column].with_domain(column, values)
        self._places = {
            column: {value: place for place, value in enumerate(values.domain(column))}
            for column, values in self._value_tables.items()
        }
        self._histograms = {
            column: np.array([counts[column][value] for value in values.domain(column)], dtype=np.int64)
            for column, values in self._value_tables.items()
        }
        for column, one_column in self._value_tables.items():
            one_column.codes(column)  # raises for a column with one value

    @property
    def disk(self) -> int:
        """Number of bytes written to temporary files."""
        return 0 if self._numbers is None else self._numbers.written

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending."""
        return self._value_tables[column].domain(column)

    def histogram(self, column: str) -> IntArray:
        """Return the frequencies of these values, shape (values,)."""
        return self._histograms[column]

    def value_table(self, column: str) -> Microdata:
        """Return a table of one column with a row for each value of its domain."""
        return self._value_tables[column]

    def codes(self, table: Microdata, column: str) -> IntArray:
        """Return the codes of a sensitive column of some rows, indices into `domain`."""
        encoding, places = table.encoding(column), self._places[column]
        return np.array([places[value] for value in encoding.domain], dtype=np.int64)[encoding.codes]

    def tables(self) -> Iterator[Microdata]:
        """Yield all rows in pieces, in the order of the file."""
        for frame in self._source.frames(self.columns):
            for name, kind in frame.schema.items():
                if isinstance(kind, _CATEGORIES):
                    raise DataError(
                        f"{self._source.path}: column {name!r} holds categories, which parts of a table do "
                        "not share: convert it to text"
                    )
            yield Microdata.from_frame(frame, self.missing)

    def rows(self) -> Iterator[Rows]:
        """Yield all rows again, in the order of the file."""
        seen = 0
        for table in self.tables():
            identities: Sequence[bytes] = ()
            if self._numbers is not None:
                numbers = self._numbers.of(seen, table.row_count)
                identities = number_identities(table.records(), numbers.tolist())
            elif self._keyed:
                with _rows_after(seen):
                    identities = table.identities(self.id_column)
            seen += table.row_count
            yield Rows(table, identities)
        if seen != self.row_count:
            raise DataError(f"{self._source.path} changed while it was read: publish a copy")

    def _missing(self, column: str) -> dict[Value | None, tuple[int, int]]:
        """Return by marker of missing cells in a column the first row and the number of cells."""
        markers: dict[Value | None, tuple[int, int]] = {}
        seen = 0
        for table in self.tables():
            cells = table.cells(column)
            for marker in filter(is_missing, dict.fromkeys(cells)):
                first, many = markers.get(marker, (seen + cells.index(marker), 0))
                markers[marker] = (first, many + cells.count(marker))
            seen += table.row_count
        return markers

    def _count(
        self,
        table: Microdata,
        column: str,
        stated: Collection[str] | None,
        counts: Counter[Value],
        distinct: list[pl.DataFrame],
    ) -> None:
        try:
            with _rows_after(self.row_count):
                encoding = table.encoding(column)
                if stated is not None:
                    require_declared(column, encoding, stated)
        except MissingCellError:  # the message counts those of the whole table
            raise DataError(*missing_message(column, self._missing(column))) from None
        counts.update(dict(zip(encoding.domain, table.histogram(column).tolist(), strict=True)))
        frame: pl.DataFrame = table.to_frame()
        if self.missing is not None and frame[column].dtype != pl.String:
            raise ParameterError(
                f"--missing with --stream is for text, and column {column!r} holds {frame[column].dtype}: "
                "convert it to text, or leave one of them out"
            )
        distinct.append(_distinct(table, column).to_frame())
        if len(distinct) > 64:
            merged = Microdata.from_frame(pl.concat(distinct), self.missing)
            distinct[:] = [_distinct(merged, column).to_frame()]


@contextmanager
def _rows_after(seen: int) -> Iterator[None]:
    """Add to an error about some rows the number of the first of them."""
    try:
        yield
    except MissingCellError:
        raise
    except DataError as error:
        if not seen:
            raise
        raise DataError(f"{error} (rows counted from row {seen + 1} as the first)") from None


def _distinct(table: Microdata, column: str) -> Microdata:
    """Return a table of one column with one row for each distinct value."""
    return table.select([column]).take(table.encoding(column).rows)
