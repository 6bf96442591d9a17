"""Reading a Parquet file, first on trial in a process of its own.

On a damaged file, Polars may panic, with a report on the standard error stream, or abort the process, which
no handler can catch. So the file is first read by another process: if that one ends well, so does this one,
since the same library then reads the same bytes.
"""

from __future__ import annotations

import io
import subprocess
import sys

import polars as pl

from splu_ref.model import DataError

_STARTED = "started"
_TRIAL = f"""
import sys
sys.path[:] = sys.argv[1:]
import io
import polars
data = sys.stdin.buffer.read()
print({_STARTED!r}, flush=True)
try:
    polars.read_parquet(io.BytesIO(data))
except polars.exceptions.PolarsError as error:
    print(str(error).partition("\\n")[0])
    sys.exit(1)
"""
"""A program that reads Parquet from its standard input; its arguments are where to find modules."""


def parse_parquet(data: bytes, name: str) -> pl.DataFrame:
    """Return the table in the Parquet file ``data``.

    Where no other process can be started, the file is read without a trial. Polars may then still write to
    the standard error stream, or abort, if the file is damaged.

    Raises
    ------
    DataError
        If the file is empty or damaged.
    """
    if not data:
        raise DataError(f"{name} is empty: it needs columns and rows")
    fault = _fault_on_trial(data)
    if fault:
        raise _damaged(name, fault)
    try:
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise _damaged(name, str(error).partition("\n")[0]) from None


def _fault_on_trial(data: bytes) -> str:
    """Return why a process of its own cannot read the file, nothing if it can or if none can be started."""
    try:
        trial = subprocess.run(  # noqa: S603  # this Python and the program above
            [sys.executable, "-I", "-X", "utf8", "-c", _TRIAL, *map(str, sys.path)],
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, ValueError):
        return ""
    started, _, reason = trial.stdout.decode(errors="replace").partition("\n")
    if started.rstrip() != _STARTED or trial.returncode == 0:
        return ""
    return reason.strip() or "its reader breaks down on it"


def _damaged(name: str, fault: str) -> DataError:
    return DataError(f"{name} is not an intact Parquet file ({fault}): write it again")
