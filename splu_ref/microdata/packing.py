"""The bytes of many records at once: what `records_from_cells` says, for the columns of a Polars frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import narwhals as nw
import polars as pl

from splu_ref.microdata.identities import records_from_cells
from splu_ref.microdata.values import Column

_SHORT = 128
_PREFIXES = pl.Series([chr(0) * 7 + chr(length) for length in range(_SHORT)], dtype=pl.String)
"""The bytes before a short text: eight characters of one byte each, so that texts may be joined."""


def text_columns(frame: pl.DataFrame, cells: Callable[[Column], Sequence[str | None]]) -> list[pl.Series]:
    """Return the canonical text of every cell, as columns of text.

    Parameters
    ----------
    frame
        The table.
    cells
        `texts` or `contents`, which is asked for the columns that hold neither text nor integers.
    """
    return [
        column.cast(pl.String)
        if column.dtype == pl.String or column.dtype.is_integer()
        else pl.Series(column.name, cells(nw.from_native(column, series_only=True)), dtype=pl.String)
        for column in frame
    ]


def packed_records(columns: Sequence[pl.Series]) -> pl.Series:
    """Return the cells of each record, with their lengths before them, as a column of bytes.

    Parameters
    ----------
    columns
        The canonical texts of every column, of one length, in table order; null for a null.
    """
    lengths = [column.str.len_bytes() for column in columns]
    short = pl.select(
        pl.all_horizontal((length < _SHORT).fill_null(value=False) for length in lengths)
    ).to_series()
    if short.all():
        parts = [
            part
            for column, length in zip(columns, lengths, strict=True)
            for part in (_PREFIXES.gather(length), column)
        ]
        return pl.select(pl.concat_str(parts)).to_series().cast(pl.Binary)
    joined = iter(packed_records([column.filter(short) for column in columns]).to_list())
    others = records_from_cells(column.filter(~short).to_list() for column in columns)
    return pl.Series([next(joined if each else others) for each in short.to_list()], dtype=pl.Binary)
