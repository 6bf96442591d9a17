"""Reading of tables: CSV, compressed CSV or Parquet by suffix, and the embedded table."""

from __future__ import annotations

import gzip
import io
import json
import os
import shlex
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import resources
from pathlib import Path
from typing import TypeAlias

import polars as pl
from narwhals.typing import IntoDataFrame

from splu_ref.channels import DataError, InputError, ParameterError
from splu_ref.data.csv_structure import Structure, check_structure
from splu_ref.data.files import open_regular
from splu_ref.data.limits import ALWAYS_READ, expansion_error, largest_content
from splu_ref.data.parquet import parse_parquet
from splu_ref.data.table import Microdata

SUFFIXES = (".csv", ".csv.gz", ".parquet")
"""The kinds of file that are read and written."""
STANDARD_INPUT = "-"
"""Path of the standard input."""
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""What may stand between the cells of a CSV file that is read, by name or as it is; a comma is written."""
_DIVIDED_BY: ContextVar[str | None] = ContextVar("divided_by", default=None)
_SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def use_separator(separator: str | None) -> Iterator[None]:
    """Set the separator of CSV files within the block, as the command line does.

    It applies to each CSV file whose header line contains it or contains no comma, so that tables written by
    this program, with commas, can be read as well.

    Raises
    ------
    ParameterError
        If it is none of `SEPARATORS`.
    """
    token = _DIVIDED_BY.set(None if separator is None else _separator(separator))
    try:
        yield
    finally:
        _DIVIDED_BY.reset(token)


def current_separator() -> str | None:
    """Return the name of the separator set by `use_separator`; None outside of its block."""
    between = _DIVIDED_BY.get()
    return next((name for name, character in SEPARATORS.items() if character == between), None)


def require_suffix(path: str | os.PathLike[str]) -> str:
    """Return which of `SUFFIXES` the name ends in, in upper or lower case; for use before long work.

    Raises
    ------
    DataError
        If it ends in none of them.
    """
    name = Path(path).name.lower()
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return suffix
    if os.path.isdir(path):  # noqa: PTH112 - unlike a path's own method, it answers for any name
        raise DataError(f"{path} is a folder: name a file in it")
    raise DataError(f"{path}: a table's name ends in {', '.join(SUFFIXES)}: give such a file")


def read_table(
    path: str | os.PathLike[str],
    missing: str | None = None,
    separator: str | None = None,
    *,
    empty: bool = False,
) -> Microdata:
    """Read a table.

    Every cell of a CSV file is unmodified text: blanks are not stripped, types and missing values are not
    inferred, and an empty cell is the empty text. Columns of a Parquet file have their types.

    Parameters
    ----------
    path
        A file whose name ends in ``.csv``, ``.csv.gz`` or ``.parquet``; or ``-``, the standard input, whose
        format is detected from its first bytes.
    missing
        See `Microdata.from_frame`.
    separator
        Separator of a CSV file, one of `SEPARATORS`; by default a comma, or that of `use_separator`.
    empty
        Whether a table may have columns and no rows, as a set of tuples may.

    Raises
    ------
    DataError
        If the file cannot be read or is not well formed; the message names the file and the line.
    InputError
        If it is not a regular file.
    """
    between = None if separator is None else _separator(separator)
    if os.fspath(path) == STANDARD_INPUT:
        name, data = "standard input", _standard_input()
        suffix = ".parquet" if data.startswith(_PARQUET) else ".csv"
        suffix = ".csv.gz" if data.startswith(_GZIP) else suffix
    else:
        name = str(path)
        if name.lower().endswith(_SPREADSHEETS):
            read, made = json.dumps(name), json.dumps(f"{name.rpartition('.')[0]}.csv")
            # As text a cell stays as it is: 007, and whole numbers beside empty cells.
            code = f"import pandas; pandas.read_excel({read}, dtype=str).to_csv({made}, index=False)"
            raise DataError(
                f"{name} is a spreadsheet: save its sheet as “CSV UTF-8” (in Excel: Save as), or run python "
                f"-c {shlex.quote(code)}, and give that file"
            )
        suffix = require_suffix(path)
        try:
            with open_regular(path) as file:
                data = file.read()
        except OSError as error:
            raise unreadable_error(path, error) from None
    if suffix == ".parquet":
        if separator is not None:
            raise ParameterError(f"{name} is a Parquet file, which has no separator: leave out --separator")
        return Microdata.from_frame(parse_parquet(data, name), missing, empty=empty)
    content = decompress(data, name) if suffix == ".csv.gz" else data
    between = between or file_separator(content)
    return Microdata.from_frame(parse_csv(content, name, between, empty=empty), missing, empty=empty)


def unreadable_error(path: str | os.PathLike[str], error: OSError) -> DataError:
    """Return the error for a table's file that cannot be read."""
    return DataError(f"{path} cannot be read: {error.strerror}: check its name and permissions")


def file_separator(content: bytes) -> str:
    """Return the separator of a file by its header and `use_separator`."""
    said, header = _DIVIDED_BY.get(), io.BytesIO(content).readline()
    return "," if said is None or (said.encode() not in header and b"," in header) else said


def _separator(given: str) -> str:
    found = SEPARATORS.get(given, given)
    if found not in SEPARATORS.values():
        raise ParameterError(f"--separator {given!r} is unknown: choose one of {', '.join(SEPARATORS)}")
    return found


def _standard_input() -> bytes:
    """Return all of the standard input, which another program must end."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("- is what another program writes, and none does: name a file, or pipe one in")
    data = sys.stdin.buffer.read(ALWAYS_READ + 1)
    if len(data) > ALWAYS_READ:
        raise InputError(f"standard input has more than {ALWAYS_READ} bytes: save it in a file and name that")
    return data


TableInput: TypeAlias = Microdata | IntoDataFrame | str | os.PathLike[str]
"""A table, a data frame of pandas, Polars or PyArrow, or the path of a file."""


def as_table(table: TableInput, missing: str | None = None, *, empty: bool = False) -> Microdata:
    """Convert a data frame or the path of a file to a table; a table is returned unchanged.

    Parameters
    ----------
    table
        A frame of pandas, Polars or PyArrow, a path for `read_table`, or a table.
    missing
        See `Microdata.from_frame`; ignored for a table.
    empty
        As for `read_table`.

    Raises
    ------
    DataError
        As `Microdata.from_frame` and `read_table`.
    """
    if isinstance(table, Microdata):
        if missing is not None:
            raise ParameterError(
                "missing was decided when the table was made: give it there, as in recode(table, missing=…)"
            )
        return table
    if isinstance(table, str | os.PathLike):
        return read_table(table, missing, empty=empty)
    return Microdata.from_frame(table, missing, empty=empty)


def decompress(data: bytes, name: str) -> bytes:
    """Return the content of the gzip file ``data``.

    Raises
    ------
    DataError
        If the file is empty or damaged, or unpacks to more than a table does.
    """
    if not data:
        raise DataError(f"{name} is empty: it needs a header line and rows")
    most = largest_content(len(data))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(most + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise damaged_gzip(name, error) from None
    if len(content) > most:
        raise expansion_error(name, len(data))
    return content


def damaged_gzip(name: str, error: Exception) -> DataError:
    """Return the error for a gzip file that cannot be unpacked."""
    if isinstance(error, EOFError):
        return DataError(f"{name} is a gzip file that breaks off: fetch or write it again")
    return DataError(f"{name} is not an intact gzip file ({error}): fetch or write it again")


def parse_csv(data: bytes, name: str, separator: str = ",", *, empty: bool = False) -> pl.DataFrame:
    """Return the cells of the CSV file ``data`` as text columns; ``empty`` as in `check_structure`.

    Raises
    ------
    DataError
        As `check_structure`.
    """
    data = data.removeprefix(BYTE_ORDER_MARK)
    structure = check_structure(data, name, separator, empty=empty)
    return parse_rows(data, name, structure, separator, structure.header)


def parse_rows(
    data: bytes,
    name: str,
    structure: Structure,
    separator: str,
    columns: Sequence[str],
    *,
    headed: bool = True,
) -> pl.DataFrame:
    """Return some columns of a part of a CSV file, as text."""
    if not structure.quoted and b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    # A first row is read and cut off: given the rows alone, Polars would take a U+FEFF that begins the first
    # cell for a byte-order mark. Polars makes empty cells null, and nothing else.
    if not headed:
        data = b"0" + separator.encode() * (len(structure.header) - 1) + b"\n" + data
    frame = pl.read_csv(
        data,
        has_header=False,
        separator=separator,
        schema=dict.fromkeys(structure.header, pl.String),
        columns=[structure.header.index(column) for column in columns],
        quote_char='"' if structure.quoted else None,
        glob=False,
    )[1:]
    frame = frame.fill_null("").rechunk()
    if len(columns) == len(structure.header):
        lengths = frame.select(pl.all().str.len_bytes().cast(pl.Int64).sum())
        found = (frame.height, int(lengths.sum_horizontal().item()))
    else:
        found = (frame.height, structure.text_bytes)
    expected = (structure.row_count, structure.text_bytes)
    if found != expected:  # a defect of this check or of Polars: better no table than another one
        raise DataError(
            f"{name}: {expected[0]} rows with {expected[1]} bytes of text were read as {found[0]} rows with "
            f"{found[1]}: please report this file"
        )
    return frame


EMBEDDED_SENSITIVE = "occupation"
"""The sensitive column of the embedded table."""


def embedded_table() -> Microdata:
    """Return 30,718 records of the UCI Adult data (Becker & Kohavi 1996) with ten columns.

    The sensitive column is ``occupation``: 14 values, the most frequent 4,140 times, so that gamma may be 7
    at most. Cells of other columns may hold ``?``.
    """
    name = "adult_demo.csv.gz"
    data = resources.files("splu_ref").joinpath("data", name).read_bytes()
    return Microdata.from_frame(parse_csv(decompress(data, name), name))
