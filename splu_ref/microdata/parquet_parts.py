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

_ROWS = 1 << 19
"""Rows of a batch, which may be a part of a group of rows that the writer made, or several."""
_MEMORY = 1 << 32  # bytes of the trial
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException)
_TRIAL = f"""
import sys
path, memory, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
columns = sys.argv[4 : 4 + count]
sys.path[:] = sys.argv[4 + count :]
try:
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
except (ImportError, ValueError, OSError):
    pass  # no such limit here, or a lower one
import polars
print({STARTED!r}, flush=True)
try:
    frame = polars.scan_parquet(path, glob=False)
    for begin in range(0, frame.select(polars.len()).collect().item(), {_ROWS}):
        frame.select(columns).slice(begin, {_ROWS}).collect()
except polars.exceptions.PolarsError as error:
    print(str(error).partition("\\n")[0])
    sys.exit(1)
"""
"""A program that reads columns: its arguments are the path, the bytes that it may take, how many columns,
these columns, and where to find modules."""


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


def parquet_batches(
    path: str | os.PathLike[str], columns: Sequence[str], progress: Progress
) -> Iterator[pl.DataFrame]:
    """Yield some columns in batches, in the order of the file.

    Raises
    ------
    DataError
        If the file is damaged.
    """
    name, size = os.fspath(path), Path(path).stat().st_size
    if fault := on_trial(_TRIAL, (name, _MEMORY, len(columns), *columns), b"", size):
        raise damaged(name, fault)
    frame = pl.scan_parquet(name, glob=False)
    try:
        rows: int = frame.select(pl.len()).collect().item()
        for begin in range(0, rows, _ROWS):  # batches that Polars makes ahead fill the memory
            yield frame.select(columns).slice(begin, _ROWS).collect()
            progress(min(begin + _ROWS, rows), rows)
    except _FAULTS as error:
        raise damaged(name, str(error).partition("\n")[0]) from None
