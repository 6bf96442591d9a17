"""A column as integer codes into its sorted domain, and what counts as a missing cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.microdata.values import Value, text
from splu_ref.model import DataError

MISSING_MARKERS = ("?", "NA", "N/A", "NaN", "NULL")
"""Texts that conventionally stand for a missing cell, as do an empty cell and blanks alone."""


class Encoding(NamedTuple):
    """A column's values as codes.

    Attributes
    ----------
    domain
        The distinct values ascending: numbers by size, text by code point.
    codes
        Shape (rows,): index into ``domain``.
    rows
        Shape (domain,): a row that holds each value.
    filler
        Code of the text that cells without content are read as, if no row holds that text; otherwise -1.
    """

    domain: tuple[Value, ...]
    codes: NDArray[np.int64]
    rows: NDArray[np.int64]
    filler: int


def encode(column: str, cells: Sequence[Value | None], missing: str | None) -> Encoding:
    """Return the encoding of a column.

    Parameters
    ----------
    column
        Its name, for messages.
    cells
        Its values, None where a cell is null or NaN.
    missing
        If given, cells without content (null, NaN or empty text) are read as this text, and all others are
        values. If not, missing cells are an error.

    Raises
    ------
    DataError
        For a missing cell, for values of different types, or if ``missing`` is given for a column that has
        nulls and does not hold text.
    """
    kinds = sorted({type(cell).__name__ for cell in cells if cell is not None})
    if len(kinds) > 1:
        raise DataError(f"column {column!r} mixes values of types {', '.join(kinds)}: convert it to text")
    distinct: dict[Any, None] = dict.fromkeys(cells)
    empty = [value for value in (None, "") if value in distinct]
    held = missing in distinct
    if missing is None:
        _refuse_missing(column, cells, [value for value in distinct if _is_missing(value)])
    elif empty:
        if kinds not in ([], ["str"]):
            raise DataError(
                f"column {column!r} does not hold text and row {cells.index(None) + 1} is empty: convert the "
                f"column to text to publish {missing!r} as a value, or drop the row"
            )
        distinct = dict.fromkeys([value for value in distinct if value not in (None, "")] + [missing])
    domain: tuple[Value, ...] = tuple(sorted(distinct))
    code_of: dict[Value | None, int] = {value: code for code, value in enumerate(domain)}
    filler = -1
    if missing is not None and empty:
        filler = code_of[missing]
        code_of.update(dict.fromkeys(empty, filler))
    codes = np.fromiter(map(code_of.__getitem__, cells), dtype=np.int64, count=len(cells))
    codes.flags.writeable = False  # shared by all who ask
    rows = np.empty(len(domain), dtype=np.int64)
    rows[codes] = np.arange(len(codes))
    if filler >= 0 and held:
        rows[filler], filler = cells.index(missing), -1
    return Encoding(domain, codes, rows, filler)


def _is_missing(value: Value | None) -> bool:
    return value is None or (
        isinstance(value, str) and (not value.strip() or value.strip() in MISSING_MARKERS)
    )


def _refuse_missing(column: str, cells: Sequence[Value | None], markers: Sequence[Value | None]) -> None:
    if not markers:
        return
    row = min(cells.index(marker) for marker in markers)
    cell = cells[row]
    shown = "empty" if cell is None or cell == "" else repr(text(cell))
    value = cell if isinstance(cell, str) and cell.strip() else MISSING_MARKERS[0]
    count = sum(cells.count(marker) for marker in markers)
    others = f", as are {count - 1} more of its cells" if count > 2 else ""
    others = ", as is 1 more of its cells" if count == 2 else others
    raise DataError(
        f"column {column!r} is missing in row {row + 1} (the cell is {shown}){others}: "
        f"drop these rows or say --missing {value!r} to publish it as a value"
    )
