"""A large Parquet file read in batches of a few columns, after a trial of the same in a process of its own.

See `splu_ref.microdata.parquet`, which reads a whole file, for what may happen otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

import polars as pl

from splu_ref.files import opened
from splu_ref.microdata.limits import has_too_many_cells, most_cells
from splu_ref.microdata.parquet import STARTED, damaged, on_trial
from splu_ref.microdata.parquet_footer import FooterError, read_footer
from splu_ref.model import DataError

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
    """Return the names of the columns of a Parquet file.

    Raises
    ------
    DataError
        If its footer is damaged, or tells of more cells than a table has, or of none.
    """
    name = os.fspath(path)
    try:
        with opened(path) as file:
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
        raise damaged(name, str(error)) from None
    if footer.cells > most_cells(size):
        raise has_too_many_cells(name, size, footer.cells)
    try:
        columns = list(pl.read_parquet_schema(name))
    except _FAULTS as error:
        raise damaged(name, str(error).partition("\n")[0]) from None
    if not footer.rows:
        raise DataError("the table holds no rows or no columns: there is nothing to read")
    return columns


class ParquetFile:
    """A Parquet file that is read in batches, any number of times, after one trial of each set of columns.

    Parameters
    ----------
    path
        The file.
    batch_bytes
        About how many bytes a batch takes, unless that is a thousand rows.
    batch_rows
        Rows of a batch, at most.
    """

    def __init__(self, path: str | os.PathLike[str], batch_bytes: int, batch_rows: int) -> None:
        self._name, self._bytes, self._rows = os.fspath(path), batch_bytes, batch_rows
        self._tried: set[tuple[str, ...]] = set()

    def batches(self, columns: Sequence[str], progress: Progress) -> Iterator[pl.DataFrame]:
        """Yield some columns in batches, in the order of the file.

        Raises
        ------
        DataError
            If the file is damaged.
        """
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
            raise damaged(self._name, str(error).partition("\n")[0]) from None

    def _try(self, columns: tuple[str, ...]) -> None:
        """Let another process read the columns first, once."""
        if columns in self._tried:
            return
        arguments = (self._name, _MEMORY, self._bytes, self._rows, len(columns), *columns)
        if fault := on_trial(_TRIAL, arguments, b"", Path(self._name).stat().st_size):
            raise damaged(self._name, fault)
        self._tried.add(columns)
