"""Atomic writing of tables to files."""

from __future__ import annotations

import gzip
import io
import os

import narwhals as nw
import polars as pl

from splu_ref.channels import DataError
from splu_ref.data.cell_values import holds_intervals
from splu_ref.data.files import refuse_existing, write_whole
from splu_ref.data.reading import require_suffix
from splu_ref.data.residue import bare_polars
from splu_ref.data.table import Microdata


def write_table(table: Microdata, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write a table as CSV, gzip-compressed CSV or Parquet, chosen by the suffix.

    Parameters
    ----------
    table
        The table.
    path
        A name that ends in ``.csv``, ``.csv.gz`` or ``.parquet``.
    force
        Whether an existing file may be replaced.

    Raises
    ------
    DataError
        As `table_bytes`.
    InputError
        If the file exists and ``force`` is false, or if it cannot be written.
    """
    require_suffix(path)
    refuse_existing(path, force=force)
    write_whole(path, table_bytes(table, path), force=force)


def table_bytes(table: Microdata, path: str | os.PathLike[str]) -> bytes:
    """Return the content of the file that `write_table` writes to ``path``.

    A CSV file gets UTF-8, lines ended by LF, and quotes where a cell needs them; a cell is its canonical
    text, a null is an empty cell. The same table gives the same bytes every time. A Parquet file gets the
    cells and the types of columns, with the categories that occur, ascending; no other metadata is passed on.

    Raises
    ------
    DataError
        If the suffix is none of `SUFFIXES`, or a column cannot be written in that format; the message names
        the file.
    """
    suffix = require_suffix(path)
    try:
        data = _parquet(table) if suffix == ".parquet" else csv_rows(table, header=True)
    except DataError as error:
        raise DataError(f"{os.fspath(path)} cannot be written: {error}") from error
    return _compressed(data) if suffix == ".csv.gz" else data


def csv_rows(table: Microdata, *, header: bool) -> bytes:
    """Return the rows of a CSV file, below its header or as a later part of it; see `table_bytes`.

    Raises
    ------
    DataError
        If a column has no canonical text, or a cell holds NUL.
    """
    cells = pl.DataFrame([table.texts(column) for column in table.columns])
    if len(cells.columns) == 1:  # an empty cell without quotes would be a blank line
        cells = cells.fill_null("")
    else:  # Polars puts the empty text in quotes and leaves a null bare
        cells = cells.with_columns(pl.when(pl.all() != "").then(pl.all()))
    # A first column name that begins with U+FEFF would be taken for a byte-order mark unless quoted.
    bare_mark = cells.columns[0].startswith("\ufeff")
    buffer = io.BytesIO()
    cells.write_csv(buffer, include_header=header, quote_style="always" if bare_mark else "necessary")
    data = buffer.getvalue()
    if b"\0" in data:
        raise DataError(
            "a cell holds the character NUL, which no CSV file may hold: write Parquet, or remove it"
        )
    return data


def _parquet(table: Microdata) -> bytes:
    buffer = io.BytesIO()
    frame = nw.from_native(table.to_frame(), eager_only=True)
    frame = frame.with_columns(
        nw.new_series(column, table.texts(column).to_list(), nw.String, backend=frame.implementation)
        for column in frame.columns
        if holds_intervals(frame[column])
    )
    try:
        is_polars = frame.implementation.is_polars()
        cells = table.bare().to_frame() if is_polars else bare_polars(frame.to_polars())
        cells.write_parquet(buffer)
    except (MemoryError, DataError):
        raise
    except Exception as error:  # pandas, PyArrow and Polars each raise their own
        reason = str(error).partition("\n")[0]
        raise DataError(f"a column does not fit into Parquet ({reason}): convert it to text") from error
    return buffer.getvalue()


def _compressed(data: bytes) -> bytes:
    """Return ``data`` in gzip format, without a time or a file name."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=buffer, mtime=0) as file:
        file.write(data)
    return buffer.getvalue()
