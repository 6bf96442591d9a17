"""Tables larger than memory, read from CSV or Parquet in parts of bounded size, repeatedly.

A part of a CSV file ends with a record. It is checked as a whole file is, and parsed as one, in a few
columns; of a Parquet file, batches of a few columns are decoded.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, TypeAlias, cast

import polars as pl

from splu_ref.channels import DataError
from splu_ref.data.csv_structure import PrecedingContent, check_structure, last_record_end, no_rows_error
from splu_ref.data.files import open_regular
from splu_ref.data.limits import cell_count_error, expansion_error, largest_content, most_cells
from splu_ref.data.parquet import STARTED, FooterError, damaged_file_error, fault_on_trial, read_footer
from splu_ref.data.reading import (
    BYTE_ORDER_MARK,
    STANDARD_INPUT,
    damaged_gzip,
    file_separator,
    parse_rows,
    require_suffix,
    unreadable_error,
)

LARGE = {".csv": 1 << 26, ".csv.gz": 1 << 23, ".parquet": 1 << 23}
"""Bytes of a file, by its kind, from which on a table is not held as a whole where it need not be."""
PART_BYTES, PART_ROWS = 1 << 24, 1 << 19
"""Bytes of a table that are read at once, unless a record is longer, and rows of a Parquet file."""
LONGEST_RECORD = 1 << 27
"""Bytes of a record, at most."""


def is_large(path: str | os.PathLike[str]) -> bool:
    """Return whether a table is read in parts, by the size of its file; False if there is no file.

    Raises
    ------
    DataError
        If the suffix is none of `SUFFIXES`.
    """
    if os.fspath(path) == STANDARD_INPUT or not Path(path).is_file():
        return False
    return Path(path).stat().st_size >= LARGE[require_suffix(path)]


class TableParts:
    """A table in a file that is read in parts; the file must not change between the readings.

    Parameters
    ----------
    path
        The file: ``.csv``, ``.csv.gz`` or ``.parquet``.
    part_bytes, part_rows
        Size of a part; `PART_BYTES` and `PART_ROWS` by default.

    Raises
    ------
    DataError
        If the suffix is another one, or the path is that of the standard input.
    """

    def __init__(
        self, path: str | os.PathLike[str], part_bytes: int | None = None, part_rows: int | None = None
    ) -> None:
        if os.fspath(path) == STANDARD_INPUT:
            raise DataError(
                "a table larger than memory is read more than once: save standard input in a file"
            )
        self._path, self._name = path, str(path)
        self._suffix = require_suffix(path)
        self._part_bytes = part_bytes or PART_BYTES
        self._parquet = ParquetFile(path, self._part_bytes, part_rows or PART_ROWS)

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self._path)

    @property
    def size(self) -> int:
        """Size of the file in bytes at the first access.

        Raises
        ------
        DataError
            If it cannot be read.
        """
        return self._seen[0]

    @cached_property
    def _seen(self) -> tuple[int, int, int]:
        return self._status()

    def _status(self) -> tuple[int, int, int]:
        """Return the properties of the file by which changes are detected."""
        try:
            with open_regular(self._path) as file:
                status = os.fstat(file.fileno())
        except OSError as error:
            raise unreadable_error(self._path, error) from None
        return status.st_size, status.st_mtime_ns, status.st_ino

    def _require_unchanged(self) -> None:
        if self._status() != self._seen:  # one that grows might have no end
            raise DataError(f"{self._name} changed while it was read: give a copy that nobody writes to")

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns.

        Raises
        ------
        DataError
            If the file cannot be read, or its beginning is not well formed.
        """
        if self._suffix == ".parquet":
            return tuple(parquet_columns(self._path))
        part, _ = next(self._records())
        return check_structure(part, self._name, file_separator(part), empty=True).header

    def frames(
        self, columns: Sequence[str], progress: Progress = lambda _done, _whole: None
    ) -> Iterator[pl.DataFrame]:
        """Yield the cells of some columns in parts, from the first row to the last.

        Raises
        ------
        DataError
            If the file is not well formed, by the messages of `read_table`, or changes; parts before the
            fault were yielded.
        """
        self._require_unchanged()
        if self._suffix == ".parquet":
            for frame in self._parquet.batches(columns, progress):
                yield frame
                self._require_unchanged()
            return
        before: PrecedingContent | None = None
        separator = ","
        for part, done in self._records():
            if before is None:
                separator = file_separator(part)
            structure = check_structure(part, self._name, separator, empty=True, before=before)
            if structure.row_count:
                yield parse_rows(part, self._name, structure, separator, columns, headed=before is None)
                self._require_unchanged()
            lines, rows = (0, 0) if before is None else (before.lines, before.rows)
            before = PrecedingContent(structure.header, lines + part.count(b"\n"), rows + structure.row_count)
            progress(done, self.size)
        if before is not None and not before.rows:
            raise no_rows_error(self._name)

    def _records(self) -> Iterator[tuple[bytes, int]]:
        """Yield the file in parts that end with a record, and the number of bytes read.

        The first part has no byte-order mark, and is empty for an empty file.
        """
        kept, first, line = b"", True, 1
        with self._opened() as (file, read):
            while True:
                found = self._unpacked(file)
                data = kept + found
                if first:
                    data = data.removeprefix(BYTE_ORDER_MARK)
                end = last_record_end(data) if found else len(data)
                if end or (first and not found):
                    yield data[:end], read()
                    line += data.count(b"\n", 0, end)
                    first = False
                if not found:
                    return
                kept = data[end:]
                if len(kept) > LONGEST_RECORD:
                    raise DataError(
                        f"{self._name}: the record that begins in line {line} has more than {LONGEST_RECORD} "
                        "bytes: close its quotes, or shorten it"
                    )

    def _unpacked(self, file: BinaryIO) -> bytes:
        """Return the next bytes of the table, none at its end."""
        try:
            return file.read(self._part_bytes)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise damaged_gzip(self._name, error) from None

    @contextmanager
    def _opened(self) -> Iterator[tuple[BinaryIO, Callable[[], int]]]:
        """Open the file: a stream of unpacked bytes, and a function that returns the packed bytes read."""
        try:
            with open_regular(self._path) as file:
                if self._suffix == ".csv.gz":
                    packed = Path(self._path).stat().st_size
                    with gzip.GzipFile(fileobj=file) as unpacked:
                        yield cast("BinaryIO", _Limited(unpacked, packed, self._name)), file.tell
                else:
                    yield file, file.tell
        except OSError as error:
            raise unreadable_error(self._path, error) from None


class _Limited:
    """A stream that is limited to the unpacked size that a packed file may have."""

    def __init__(self, stream: gzip.GzipFile, packed: int, name: str) -> None:
        self._stream, self._packed, self._name = stream, packed, name
        self._left = largest_content(packed)

    def read(self, size: int) -> bytes:
        """Return up to so many bytes, none at the end."""
        found = self._stream.read(size)
        self._left -= len(found)
        if self._left < 0:
            raise expansion_error(self._name, self._packed)
        return found


Progress: TypeAlias = Callable[[int, int], None]
"""Called with how much of the file was read, and how much there is."""

_FIRST, _LEAST = 1 << 12, 1 << 10
"""Rows of the first batch, whose width decides about the next, and of each at least."""
_MEMORY = 1 << 32  # bytes of the trial
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
_TRIAL = f"""
import sys
path = sys.argv[1]
memory, size, rows, count = map(int, sys.argv[2:6])
columns = sys.argv[6 : 6 + count]
sys.path[:] = sys.argv[6 + count :]
try:
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
except (ImportError, ValueError, OSError):
    pass  # no such limit here, or a lower one
import polars
print({STARTED!r}, flush=True)
try:
    table = polars.scan_parquet(path, glob=False)
    begin, step, whole = 0, {_FIRST}, table.select(polars.len()).collect().item()
    while begin < whole:
        frame = table.select(columns).slice(begin, step).collect()
        begin += frame.height
        step = max({_LEAST}, min(rows, size * frame.height // max(1, frame.estimated_size())))
except polars.exceptions.PolarsError as error:
    print(str(error).partition("\\n")[0])
    sys.exit(1)
"""
"""A program that reads columns, as `parquet_batches` does: its arguments are the path, the bytes that it may
take, those of a batch and its rows at most, how many columns, these columns, and where to find modules."""


def parquet_columns(path: str | os.PathLike[str]) -> list[str]:
    """Return the names of the columns of a Parquet file."""
    name = os.fspath(path)
    try:
        with open_regular(path) as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            length = int.from_bytes(file.read(4), "little")
            file.seek(0)
            begin = file.read(4)
            file.seek(max(4, size - 8 - length))
            footer = read_footer(begin + file.read())
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}: check its name and permissions") from None
    except FooterError as error:
        raise damaged_file_error(name, str(error)) from None
    if footer.cells > most_cells(size):
        raise cell_count_error(name, size, footer.cells)
    try:
        columns = list(pl.read_parquet_schema(name))
    except _FAULTS as error:
        raise damaged_file_error(name, str(error).partition("\n")[0]) from None
    if not footer.rows:
        raise DataError("the table holds no rows or no columns: there is nothing to read")
    return columns


class ParquetFile:
    """A Parquet file that is read in batches, any number of times, after one trial of each set of columns."""

    def __init__(self, path: str | os.PathLike[str], batch_bytes: int, batch_rows: int) -> None:
        self._name, self._bytes, self._rows = os.fspath(path), batch_bytes, batch_rows
        self._tried: set[tuple[str, ...]] = set()

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pl.DataFrame]:
        """Yield some columns in batches, in the order of the file."""
        self._try(tuple(columns))
        table = pl.scan_parquet(self._name, glob=False)
        try:
            rows: int = table.select(pl.len()).collect().item()
            begin, step = 0, _FIRST
            while begin < rows:  # batches that Polars makes ahead fill the memory
                frame = table.select(columns).slice(begin, step).collect()
                begin += frame.height
                step = max(
                    _LEAST, min(self._rows, self._bytes * frame.height // max(1, int(frame.estimated_size())))
                )
                yield frame
                progress(begin, rows)
        except _FAULTS as error:
            raise damaged_file_error(self._name, str(error).partition("\n")[0]) from None

    def _try(self, columns: tuple[str, ...]) -> None:
        """Read the columns on trial in another process, once."""
        if columns in self._tried:
            return
        arguments = (self._name, _MEMORY, self._bytes, self._rows, len(columns), *columns)
        if fault := fault_on_trial(_TRIAL, arguments, b"", Path(self._name).stat().st_size):
            raise damaged_file_error(self._name, fault)
        self._tried.add(columns)
