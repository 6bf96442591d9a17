"""A coded table larger than memory, with a file for each column.

Values are numbered while the table is read. The values of a column with too many of them for memory are
partitioned and numbered by part, as in `splu_ref.mechanisms.streaming`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

from splu_ref.audit.advice.coded_table import CodedTable, CountedColumn
from splu_ref.audit.advice.column_files import ColumnWriter
from splu_ref.channels import DataError
from splu_ref.data import Value
from splu_ref.guarantees import Progress
from splu_ref.mechanisms import PART_BYTES, PART_ENTRIES, Scan
from splu_ref.randomness import IntArray

MOST_VALUES = 1 << 19
"""Distinct values in memory at once, of all columns together."""
MOST_WORK, OVERHEAD = 6 * 10**9, 10**5
"""Limit of records times pairs of columns, about an hour; and the fixed cost of a pair in records."""


class TableInFiles(CodedTable):
    """A coded table in files; see `CodedTable`.

    Parameters
    ----------
    path
        The table: ``.csv``, ``.csv.gz`` or ``.parquet``. It is read twice, and must not change in between.
    sensitive
        The sensitive columns.
    missing
        See `Microdata.from_frame`.
    folder
        A private folder for the columns.
    only
        The columns of the table that are read; None for all.
    progress
        Called with (amount read, estimated total).

    Raises
    ------
    DataError
        If the table cannot be read, lacks a column, holds categories, or has too many columns for a search of
        all pairs of them.
    """

    def __init__(
        self,
        path: Path,
        sensitive: Sequence[str],
        missing: str | None,
        folder: Path,
        progress: Progress = lambda _done, _whole: None,
        *,
        only: Sequence[str] | None = None,
    ) -> None:
        self.folder = folder
        self._scan = Scan(path, sensitive, missing, None, None, folder, lambda rows: progress(rows, 2 * rows))
        self.columns = tuple(name for name in self._scan.columns if only is None or name in only)
        self.row_count = self._scan.row_count
        alone = sensitive[0] if len(sensitive) == 1 else None  # each of several may disclose the others
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
                while sum(each.in_memory for each in writers.values()) > MOST_VALUES:
                    max(writers.values(), key=lambda each: each.in_memory).distribute()
            done += table.row_count
            progress(self.row_count + done, 2 * self.row_count)
        self._columns = {name: writer.finished() for name, writer in writers.items()}

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending."""
        return self._scan.domain(column)

    def histogram(self, column: str) -> IntArray:
        """Return the frequencies of a sensitive column's values."""
        return self._scan.histogram(column)

    def counted(self, column: str) -> CountedColumn:
        """Return the codes and frequencies of a column."""
        return self._columns[column]

    def _sensitive(self, column: str, begin: int, count: int) -> IntArray:
        codes = np.fromfile(self._codes[column], dtype=np.int32, count=count, offset=4 * begin)
        return codes.astype(np.int64)
