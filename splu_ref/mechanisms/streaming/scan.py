"""The first pass over a table: what is asked of the whole of it before a record is published."""

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
    missing_words,
    numbered,
    require_declared,
)
from splu_ref.mechanisms.release import RecordMechanism
from splu_ref.mechanisms.streaming.content import Numbers
from splu_ref.mechanisms.streaming.files import PART_BYTES
from splu_ref.randomness import IntArray, Key, TableSum, record_digest

BATCH_BYTES, BATCH_ROWS = 8 << 20, 1 << 17
"""About how much of a table is looked at at once."""
_CATEGORIES = (pl.Categorical, pl.Enum)
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
        The path of the table: ``.csv``, ``.csv.gz`` or ``.parquet``. It must not change while it is read.
    sensitive
        The sensitive columns.
    missing
        See `Microdata.from_frame`.
    key
        The secret key, if the release is made with one.
    id_column
        The column that identifies a record under the key; None if its cells do.
    folder
        Where rows may be kept.
    progress
        Called with the number of rows that were read.
    mechanism
        How it is published, if that may declare domains.

    Raises
    ------
    DataError
        If the table cannot be read, or holds categories, there is no such column, or a sensitive one has
        missing cells that were not declared a value, or others outside a declared domain.
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
        stated = {} if mechanism is None else mechanism.declared_domains
        self._numbers: Numbers | None = None
        if key is not None and id_column is None:
            # Few parts for a file of a few megabytes; those of a large one are a few batches each.
            parts = min(_MOST_PARTS, 1 + 4 * self._source.size // PART_BYTES)
            self._numbers = Numbers(folder / "numbers", parts)
        for table in self.tables():
            frame: pl.DataFrame = table.to_frame()
            for column in sensitive:
                self._count(table, column, stated.get(column), counts[column], distinct[column])
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
        self._held = {
            column: _distinct(Microdata.from_frame(pl.concat(frames), missing), column)
            for column, frames in distinct.items()
        }
        for column, values in stated.items():
            if column in self._held:
                self._held[column] = self._held[column].with_domain(column, values)
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
    def disk(self) -> int:
        """Bytes that were written."""
        return 0 if self._numbers is None else self._numbers.written

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

    def tables(self) -> Iterator[Microdata]:
        """Yield all rows, in the order of the file, some at a time."""
        for frame in self._source.frames(self.columns):
            for name, kind in frame.schema.items():
                if isinstance(kind, _CATEGORIES):
                    raise DataError(
                        f"{self._source.path}: column {name!r} holds categories, which parts of a table do "
                        "not share: convert it to text"
                    )
            yield Microdata.from_frame(frame, self.missing)

    def rows(self) -> Iterator[Rows]:
        """Yield all rows once more, in their order."""
        seen = 0
        for table in self.tables():
            identities: Sequence[bytes] = ()
            if self._numbers is not None:
                numbers = self._numbers.of(seen, table.row_count)
                identities = numbered(table.records(), numbers.tolist())
            elif self._keyed:
                with _rows_after(seen):
                    identities = table.identities(self.id_column)
            seen += table.row_count
            yield Rows(table, identities)
        if seen != self.row_count:
            raise DataError(f"{self._source.path} changed while it was read: publish a copy")

    def _missing(self, column: str) -> dict[Value | None, tuple[int, int]]:
        """Return what missing cells of a column hold, with the first row of each and how many there are."""
        found: dict[Value | None, tuple[int, int]] = {}
        seen = 0
        for table in self.tables():
            cells = table.cells(column)
            for marker in filter(is_missing, dict.fromkeys(cells)):
                first, many = found.get(marker, (seen + cells.index(marker), 0))
                found[marker] = (first, many + cells.count(marker))
            seen += table.row_count
        return found

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
                found = table.encoding(column)
                if stated is not None:
                    require_declared(column, found, stated)
        except MissingCellError:  # which the whole table is asked for
            raise DataError(*missing_words(column, self._missing(column))) from None
        counts.update(dict(zip(found.domain, table.histogram(column).tolist(), strict=True)))
        frame: pl.DataFrame = table.to_frame()
        if self.missing is not None and frame[column].dtype != pl.String:
            raise ParameterError(
                f"--missing with --stream is for text, and column {column!r} holds {frame[column].dtype}: "
                "convert it to text, or leave one of them out"
            )
        distinct.append(_distinct(table, column).to_frame())
        if len(distinct) > 64:
            together = Microdata.from_frame(pl.concat(distinct), self.missing)
            distinct[:] = [_distinct(together, column).to_frame()]


@contextmanager
def _rows_after(seen: int) -> Iterator[None]:
    """Say in an error of some rows how many of the table's stand before them."""
    try:
        yield
    except MissingCellError:
        raise
    except DataError as error:
        if not seen:
            raise
        raise DataError(f"{error} (rows counted from row {seen + 1} as the first)") from None


def _distinct(table: Microdata, column: str) -> Microdata:
    """Return a table of one column with a row for each value: of equal cells, the one that its domain has."""
    return table.select([column]).take(table.encoding(column).rows)
