"""Reading a Parquet file: first its footer, then on trial in a process of its own.

A file of a kilobyte can hold hundreds of millions of nulls, so the footer is read before anything is
decoded, and the cells that it states are counted.

It may lie. On a damaged file, Polars may also panic, with a report on the standard error stream, or abort
the process, which no handler can catch; and a small file may unpack to more than the memory holds. So the
file is then read by another process, whose memory and time are limited: if that one ends well, so does this
one, since the same library then reads the same bytes.
"""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence

import polars as pl

from splu_ref.microdata.limits import (
    has_too_many_cells,
    largest_content,
    most_cells,
    unpacks_to_too_much,
)
from splu_ref.microdata.parquet_footer import FooterError, read_footer
from splu_ref.model import DataError

STARTED = "started"
_TOO_MUCH = "too much"
_MEMORY = 1 << 32  # bytes of the trial beyond what the table may take four times
_SECONDS = 30  # of the trial, and one more for each megabyte
_TRIAL = f"""
import sys
most, cells, memory = map(int, sys.argv[1:4])
sys.path[:] = sys.argv[4:]
import io
try:
    import resource
    resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
except (ImportError, ValueError, OSError):
    pass  # no such limit here, or a lower one
import polars
data = sys.stdin.buffer.read()
print({STARTED!r}, flush=True)
try:
    frame = polars.read_parquet(io.BytesIO(data))
    texts = frame.select(polars.selectors.by_dtype(polars.String, polars.Categorical, polars.Enum))
    lengths = texts.select(polars.all().cast(polars.String).str.len_bytes().cast(polars.Int64).sum())
    size = max(frame.estimated_size(), sum(lengths.row(0) if texts.columns else ()))
except polars.exceptions.PolarsError as error:
    print(str(error).partition("\\n")[0])
    sys.exit(1)
if size > most or frame.height * frame.width > cells:
    print({_TOO_MUCH!r})
    sys.exit(1)
"""
"""A program that reads Parquet from its standard input.

Its arguments are the bytes that the table may take, the cells that it may have, the bytes that the program
may take, and where to find modules.
"""


def parse_parquet(data: bytes, name: str) -> pl.DataFrame:
    """Return the table in the Parquet file ``data``.

    Where no other process can be started, the file is read without a trial. Polars may then still write to
    the standard error stream, or abort, if the file is damaged.

    Raises
    ------
    DataError
        If the file is empty or damaged, or unpacks to more than a table does.
    """
    if not data:
        raise DataError(f"{name} is empty: it needs columns and rows")
    try:
        footer = read_footer(data)
    except FooterError as error:
        raise damaged(name, str(error)) from None
    if footer.cells > most_cells(len(data)):
        raise has_too_many_cells(name, len(data), footer.cells)
    if footer.unpacked > largest_content(len(data)):
        raise unpacks_to_too_much(name, len(data))
    fault = _fault_on_trial(data)
    if fault == _TOO_MUCH:
        raise unpacks_to_too_much(name, len(data))
    if fault:
        raise damaged(name, fault)
    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise damaged(name, str(error).partition("\n")[0]) from None


def _fault_on_trial(data: bytes) -> str:
    """Return why a process of its own cannot read the file, nothing if it can or if none can be started."""
    most = largest_content(len(data))
    return on_trial(_TRIAL, (most, most_cells(len(data)), _MEMORY + 4 * most), data, len(data))


def on_trial(program: str, arguments: Sequence[object], data: bytes, size: int) -> str:
    """Return why a program cannot read a file, nothing if it can or if none can be started.

    Parameters
    ----------
    program
        Python, which tells that it has `STARTED`, and then its reason if it fails.
    arguments
        Its arguments, after which it finds the path of modules.
    data
        What it is given to read.
    size
        Bytes of the file, by which its time is limited.
    """
    try:
        trial = subprocess.run(  # noqa: S603  # this Python and a program of this package
            [sys.executable, "-I", "-X", "utf8", "-c", program, *map(str, (*arguments, *sys.path))],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=_SECONDS + size // 1_000_000,
        )
    except subprocess.TimeoutExpired:
        return "its reader comes to no end"
    except (OSError, ValueError):
        return ""
    started, _, reason = trial.stdout.decode(errors="replace").partition("\n")
    if started.rstrip() != STARTED or trial.returncode == 0:
        return ""
    return reason.strip() or "its reader breaks down on it"


def damaged(name: str, fault: str) -> DataError:
    """Return the error for a file that cannot be decoded."""
    return DataError(f"{name} is not an intact Parquet file ({fault}): write it again")
