"""Cells of tables as text, so that tables can be compared whatever files they came from."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import numpy as np
import polars as pl

from splu_ref.microdata import Microdata
from splu_ref.microdata.values import Frame, texts
from splu_ref.randomness import IntArray


def frame_of(table: Microdata) -> Frame:
    """Return the data frame of a table."""
    return nw.from_native(table.to_frame(), eager_only=True)


def types_of(table: Microdata) -> tuple[str, ...]:
    """Return the names of the columns' types, in order."""
    return tuple(str(dtype) for dtype in frame_of(table).schema.dtypes())


def holds_text_only(table: Microdata) -> bool:
    """Return whether every column is text, as in any table read from CSV."""
    return all(dtype == nw.String for dtype in frame_of(table).schema.dtypes())


def text_cells(table: Microdata, columns: Sequence[str], *, blank: bool) -> pl.DataFrame:
    """Return the canonical texts of some columns, named 0, 1, ...; a null stays null.

    Parameters
    ----------
    table, columns
        What to read.
    blank
        Whether a null counts as the empty text, as it does in a CSV file.
    """
    frame = frame_of(table)
    cells = {}
    for number, column in enumerate(columns):
        series = frame[column]
        if frame.implementation.is_polars() and series.dtype == nw.String:
            text: pl.Series = series.to_native().alias(str(number))
        else:
            text = pl.Series(str(number), texts(series), dtype=pl.String)
        cells[str(number)] = text.fill_null("") if blank else text
    return pl.DataFrame(cells)


def ranks_of(cells: pl.DataFrame) -> list[IntArray]:
    """Return for each column the rank of every cell among the column's texts, nulls before all."""
    return [cells[column].rank("dense").cast(pl.Int64).fill_null(0).to_numpy() for column in cells.columns]


def classes_of(cells: pl.DataFrame, rows: int) -> IntArray:
    """Return for every row the first row with the same cells, shape (rows,): 0 if there are no columns."""
    if not cells.width:
        return np.zeros(rows, dtype=np.int64)
    first = cells.with_row_index("row").select(pl.col("row").first().over(cells.columns))
    return first.to_series().to_numpy().astype(np.int64)
