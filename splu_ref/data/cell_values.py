"""The values of a column as Python objects, and the canonical text of a value."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np

from splu_ref.channels import DataError

Frame: TypeAlias = nw.DataFrame[Any]
"""A data frame of any library."""
Column: TypeAlias = nw.Series[Any]
"""A column of any library."""
Value: TypeAlias = str | bool | int | float | Decimal | date
"""A cell that is not missing."""


def values(series: Column) -> list[Value | None]:
    """Return the cells of a column, None for a null or NaN.

    A date with a time of day is given as its canonical text, because Python's own type drops nanoseconds.

    Raises
    ------
    DataError
        If the column is of a type without canonical text (bytes, durations, nested types).
    """
    dtype = series.dtype
    if isinstance(dtype, nw.Datetime):
        return list(_moments(series, dtype))
    missing = series.is_null().to_list()
    if dtype.is_nested() and not all(missing):
        raise _without_text(series, "list or structure")
    cells = [None if null else cell for cell, null in zip(series.to_list(), missing, strict=True)]
    if dtype == nw.String:
        return cells
    return [_value(cell, series) for cell in cells]


def text(value: Value) -> str:
    """Return the canonical text of a value.

    Text is unchanged; booleans are ``True`` and ``False``; integers and decimals are written in
    decimal digits; a float is written in the fewest digits that give back the same 64-bit number
    (``1.0``, ``0.1``, ``1e+16``, ``inf``); a date is ``2024-02-29``.
    """
    return repr(value) if isinstance(value, float) else str(value)


def listed(value: str) -> str:
    """Return a value as lists show it: in quotes if it begins or ends with a blank."""
    return value if value == value.strip() else repr(value)


def number(text: str) -> Decimal | None:
    """Return the number that a text writes in decimal digits, or None."""
    if "_" in text:  # Python reads 1_000 as a number
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def ordered(values: Iterable[str]) -> list[str]:
    """Return values in table order: numbers by size, then texts by code point, then the empty text."""

    def place(value: str) -> tuple[int, Decimal, str]:
        found = number(value)
        return (1 if value else 2, Decimal(0), value) if found is None else (0, found, value)

    return sorted(values, key=place)


def contents(series: Column) -> list[str] | None:
    """Return for cells without canonical text their JSON, the empty text for a missing one.

    It is None for columns of other types than bytes, durations, lists and structures. These may occur in
    columns that are not sensitive.
    """
    if series.dtype.is_nested() or series.dtype in (nw.Binary, nw.Duration):  # equal, but of other hashes
        return ["" if cell is None else _written(cell) for cell in series.to_list()]
    return None


def _written(cell: object) -> str:
    return json.dumps(cell, default=_parts, ensure_ascii=False, separators=(",", ":"))


def _parts(cell: object) -> object:
    """Convert a value without JSON form to one that has it."""
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, np.ndarray):
        return cell.tolist()
    return str(cell)


def _value(cell: object, series: Column) -> Value | None:
    if isinstance(cell, np.generic):  # pandas columns of type object may hold these
        cell = cell.item()
    if cell is None or (isinstance(cell, float | Decimal) and math.isnan(cell)):
        return None
    if _is_interval(cell):
        return str(cell)
    if isinstance(cell, datetime) or not isinstance(cell, str | int | float | Decimal | date):
        raise _without_text(series, type(cell).__name__)
    return cell


def holds_intervals(series: Column) -> bool:
    """Return whether the cells are intervals of pandas, whose canonical text is such as ``(20, 30]``."""
    if not series.implementation.is_pandas() or series.dtype in {nw.String, nw.Boolean}:
        return False
    present = series.drop_nulls()
    return len(present) > 0 and _is_interval(present[0])


def _is_interval(cell: object) -> bool:
    return type(cell).__name__ == "Interval" and hasattr(cell, "closed")  # pandas need not be installed


def _without_text(series: Column, kind: str) -> DataError:
    return DataError(
        f"column {series.name!r} of type {series.dtype} holds a {kind}, which has no canonical text: convert "
        "the column to text"
    )


def _moments(series: Column, dtype: nw.Datetime) -> list[str | None]:
    """Return dates with time of day as ISO 8601 text, with all digits of the column's unit."""
    unit: Literal["ms", "us", "ns"] = "ms" if dtype.time_unit == "s" else dtype.time_unit
    zone = "Z" if dtype.time_zone else ""
    missing = series.is_null().to_list()
    counts = [
        0 if null else int(count) for count, null in zip(series.dt.timestamp(unit), missing, strict=True)
    ]
    moments = np.datetime_as_string(np.array(counts, dtype=f"datetime64[{unit}]"), unit=unit)
    return [None if null else f"{moment}{zone}" for moment, null in zip(moments, missing, strict=True)]
