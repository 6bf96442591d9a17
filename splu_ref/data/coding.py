"""Columns as integer codes: the distinct cells of a column, and the place of each cell among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.cell_values import Column, Value, text, values

_PLAIN = (nw.String, nw.Boolean, nw.Date, nw.Float32, nw.Float64)
"""Types, besides integers, that are the same in every library."""
_ROWS_PER_VALUE = 4
"""Integers are looked up in an array if there are so many rows, or more, for each number of their range."""


@dataclass(frozen=True, eq=False)
class Coding:
    """A column as indices into its distinct cells, of which no two agree in type and canonical text."""

    #: the distinct cells, in the order in which they first occur; all missing cells are one
    cells: pl.Series | Sequence[Value | None]
    rows: NDArray[np.int64]  #: shape (distinct,), ascending: the first row of each
    #: shape (rows,), of the smallest unsigned type: the index of each cell into ``cells``
    codes: NDArray[np.unsignedinteger]

    @cached_property
    def values(self) -> Sequence[Value | None]:
        """The distinct cells as values, None for a missing one."""
        if isinstance(self.cells, pl.Series):
            return values(nw.from_native(self.cells, series_only=True))
        return self.cells

    @cached_property
    def texts(self) -> pl.Series:
        """The canonical texts of the distinct cells, null for a missing one."""
        if isinstance(self.cells, pl.Series) and (
            self.cells.dtype == pl.String or self.cells.dtype.is_integer()
        ):
            return self.cells.cast(pl.String)
        written = [None if value is None else text(value) for value in self.values]
        return pl.Series(written, dtype=pl.String)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The frequencies of the distinct cells, shape (distinct,)."""
        return np.bincount(self.codes, minlength=len(self.rows)).astype(np.int64, copy=False)

    def column(self) -> pl.Series:
        """Return the canonical text of each cell, null for a missing one."""
        return self.texts.gather(self.codes)

    def by_text(self) -> tuple[list[str], NDArray[np.integer]]:
        """Return the distinct texts by first occurrence, and the place of each distinct cell among them.

        A missing cell is the empty text.
        """
        distinct = code_column(nw.from_native(self.texts.fill_null(""), series_only=True))
        return distinct.texts.to_list(), distinct.codes

    def content(self) -> tuple[list[str], NDArray[np.signedinteger]]:
        """Return the distinct texts that are not empty, and the place of each cell, -1 for an empty one."""
        texts, codes = self.by_text()
        places = codes.astype(np.min_scalar_type(-len(texts) - 1))
        if "" in texts:
            empty = texts.index("")
            texts.pop(empty)
            places[codes > empty] -= 1
            places[codes == empty] = -1
        return texts, places[self.codes]

    def take(self, rows: NDArray[np.int64]) -> Coding:
        """Return the coding of the column with these rows in their order."""
        return occurring(self.cells, self.codes[rows])


def occurring(cells: pl.Series | Sequence[Value | None], codes: NDArray[np.integer]) -> Coding:
    """Return the coding of a column by distinct cells, of which some may not occur, and indices into them."""
    first = np.full(len(cells), len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of a cell in several rows, the last is assigned
    order = np.argsort(first)[: int(np.count_nonzero(first < len(codes)))]
    moved = np.empty(len(cells), dtype=np.min_scalar_type(len(order)))
    moved[order] = np.arange(len(order))
    found = (
        cells.gather(order) if isinstance(cells, pl.Series) else [cells[place] for place in order.tolist()]
    )
    return Coding(found, first[order], _shared(moved[codes]))


def code_column(series: Column) -> Coding:
    """Return the coding of a column.

    Raises
    ------
    DataError
        If the column is of a type without canonical text, or holds a surrogate.
    """
    cells = _in_polars(series)
    if cells is None:
        return code_values(values(series), str(series.name))
    if cells.dtype.is_integer() and len(cells):
        numbers = cells.cast(pl.Int64, strict=False)  # one that is too large becomes null
        if not numbers.null_count():
            keys = numbers.to_numpy()
            least, greatest = int(keys.min()), int(keys.max())
            if greatest - least < len(keys) // _ROWS_PER_VALUE:
                between = pl.int_range(greatest - least + 1, dtype=pl.Int64, eager=True) + least
                return occurring(between.cast(cells.dtype).alias(cells.name), keys - least)
    key = cells
    if cells.dtype.is_float():  # 0.0 and -0.0 are equal but have different texts: bits are compared
        floats = cells.fill_nan(None).fill_null(float("nan")).to_numpy()
        key = pl.Series(floats.view(f"i{floats.itemsize}"))
    places = pl.int_range(len(key), dtype=pl.UInt32, eager=True)
    table = pl.DataFrame([key.alias("key"), places.alias("row")])
    first = table.select(pl.col("row").first().over("key")).to_series()
    rows = (first == places).arg_true().to_numpy().astype(np.int64)
    return Coding(cells.gather(rows), rows, _codes(rows, first.to_numpy()))


def code_values(cells: Sequence[Value | None], name: str = "") -> Coding:
    """Return the coding of values, None for a missing one; ``name`` is that of their column, for messages."""
    row_of: dict[tuple[type, str], int] = {}
    first = [
        row_of.setdefault((type(cell), "" if cell is None else text(cell)), row)
        for row, cell in enumerate(cells)
    ]
    try:
        "".join(written for _, written in row_of).encode()
    except UnicodeEncodeError:
        raise DataError(
            f"column {name!r} holds a surrogate, which is not a character: mend the text"
        ) from None
    rows = np.fromiter(row_of.values(), dtype=np.int64, count=len(row_of))
    return Coding([cells[row] for row in rows.tolist()], rows, _codes(rows, np.array(first, dtype=np.int64)))


def _in_polars(series: Column) -> pl.Series | None:
    """Return a column whose cells are plain values, not objects of Python, as one of Polars."""
    native = series.to_native()
    if isinstance(native, pl.Series):
        kind = native.dtype
        plain = kind in (pl.String, pl.Boolean, pl.Date, pl.Datetime, pl.Categorical, pl.Enum)
        return native if plain or kind.is_numeric() else None
    if series.dtype in _PLAIN or series.dtype.is_integer():
        try:
            return series.to_polars()
        except (ImportError, UnicodeError):  # pandas without PyArrow; a surrogate, which the caller names
            return None
    return None


def row_keys(columns: Iterable[tuple[NDArray[np.integer], int]], rows: int) -> NDArray[np.int64]:
    """Return an integer for each row: equal for equal codes, and in the order of the codes, column by column.

    Parameters
    ----------
    columns
        For each column the codes, shape (rows,), from 0 to below a size, and this size.
    rows
        Number of rows.
    """
    keys, width = np.zeros(rows, dtype=np.int64), 1
    for codes, size in columns:
        if width * size >= 1 << 63:
            _, keys = np.unique(keys, return_inverse=True)
            width = rows
        keys *= size
        keys += codes
        width *= size
    return keys


def _codes(rows: NDArray[np.int64], first: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """Return the place among the distinct cells, by the first row that holds the same cell."""
    place = np.empty(len(first), dtype=np.min_scalar_type(len(rows)))
    place[rows] = np.arange(len(rows))
    return _shared(place[first])


def _shared(codes: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    codes.flags.writeable = False
    return codes
