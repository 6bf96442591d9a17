"""The bytes that identify records and tables, which other implementations must reproduce."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import add
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.coding import row_keys

CodedTexts: TypeAlias = tuple[pl.Series, NDArray[np.integer]]
"""Texts, and for each row of a table an index into them."""
_AT_ONCE = 1 << 16
"""Rows of a table that are joined at once."""
_ROWS_PER_COMBINATION = 16
"""Texts of neighboring columns are joined once for each combination if there are so many rows for each."""


def identities_from_records(records: Iterable[bytes]) -> list[bytes]:
    """Return one identity per record: its cells and its number among identical records."""
    seen: dict[bytes, int] = {}
    identities = []
    for record in records:
        number = seen.get(record, 0)
        seen[record] = number + 1
        identities.append(record + number.to_bytes(8, "big"))
    return identities


def number_identities(records: Iterable[bytes], numbers: Iterable[int]) -> list[bytes]:
    """Return one identity per record: its cells, then 8 bytes with the number of identical ones above it."""
    return [record + number.to_bytes(8, "big") for record, number in zip(records, numbers, strict=True)]


def identities_from_column(column: str, cells: Sequence[str | None]) -> list[bytes]:
    """Return the text of each cell in UTF-8."""
    row_of: dict[str, int] = {}
    for row, cell in enumerate(cells, start=1):
        if not cell:
            raise DataError(
                f"column {column!r} cannot identify records: row {row} is empty: "
                "fill it or choose another column"
            )
        first = row_of.setdefault(cell, row)
        if first != row:
            raise DataError(
                f"column {column!r} cannot identify records: rows {first} and {row} both hold {cell!r}: "
                "choose a column without repeated values"
            )
    return [cell.encode() for cell in row_of]


def content_digest(names: Sequence[str], records: Iterable[pl.Series]) -> str:
    """Return SHA-256 of a table's columns and rows, in whatever order the rows stand, in hexadecimal digits.

    Parameters
    ----------
    names
        The names of the columns, in table order.
    records
        The rows as columns of bytes, in ascending order: see `ascending_records`.

    Notes
    -----
    The message is the text ``splu-ref/table/1``, the number of columns as 8 bytes, big-endian, their names,
    and the rows in ascending order of their bytes. Each name, each cell and each row is preceded by its
    length in bytes as 8 bytes, big-endian; a row consists of its cells in UTF-8.
    """
    digest = hashlib.sha256(b"splu-ref/table/1" + len(names).to_bytes(8, "big"))
    header = pl.Series(names, dtype=pl.String).cast(pl.Binary)
    for each in chain([header], records):
        digest.update(_framed(each).cast(pl.List(pl.UInt8)).explode().to_numpy().data)
    return digest.hexdigest()


def packed_records(columns: Sequence[CodedTexts]) -> pl.Series:
    """Return the cells of each record as bytes.

    Each cell is its length in bytes as 8 bytes, big-endian, and its text in UTF-8, a null being 2^64 - 1 and
    no text.

    Parameters
    ----------
    columns
        For each column its distinct texts, null for a null, and indices into them, shape (rows,).
    """
    return _joined(_cells(columns))


def content_keys(columns: Sequence[CodedTexts]) -> NDArray[np.int64]:
    """Return an integer for each record of `packed_records`: equal for equal bytes, and in their order."""
    return _keys(_cells(columns))


def ascending_records(
    columns: Sequence[CodedTexts], times: NDArray[np.int64] | None = None
) -> Iterator[pl.Series]:
    """Yield the records of `packed_records` in the order of their bytes, in columns of limited length.

    ``times`` is how often each of them occurs, by default once.
    """
    cells = _cells(columns)
    order = np.argsort(_keys(cells))
    ends = None if times is None else np.cumsum(times[order])
    for begin in range(0, len(order) if ends is None else int(ends[-1]), _AT_ONCE):
        rows = order[begin : begin + _AT_ONCE]
        if ends is not None:
            places = np.arange(begin, min(begin + _AT_ONCE, ends[-1]))
            rows = order[np.searchsorted(ends, places, side="right")]
        yield _joined([(each, codes[rows]) for each, codes in cells])


def _keys(cells: Sequence[CodedTexts]) -> NDArray[np.int64]:
    ranks = [(each.rank("dense").to_numpy()[codes], len(each) + 1) for each, codes in cells]
    return row_keys(ranks, len(cells[0][1]))


def _cells(columns: Sequence[CodedTexts]) -> list[CodedTexts]:
    """Return framed texts and their indices, by column, or for neighbors with few combinations together."""
    found: list[CodedTexts] = []
    for texts, own in columns:
        cells, codes, size = _framed(texts.cast(pl.Binary)), own, len(texts)
        if found and size * len(found[-1][0]) * _ROWS_PER_COMBINATION <= len(own):
            before, places = found.pop()
            first, second = divmod(np.arange(len(before) * size), size)
            cells = before.gather(first) + cells.gather(second)
            codes = places.astype(np.int64) * size + own
        found.append((cells, codes))
    return found


def _joined(cells: Sequence[CodedTexts]) -> pl.Series:
    return reduce(add, (each.gather(codes) for each, codes in cells))


def _framed(cells: pl.Series) -> pl.Series:
    """Return bytes after their length as 8 bytes, big-endian; 2^64 - 1 for a null."""
    lengths = cells.bin.size().cast(pl.UInt64).fill_null((1 << 64) - 1).to_numpy()
    # Few bytes sort faster.
    distinct, places = np.unique(
        lengths.astype(np.min_scalar_type(lengths.max(initial=0))), return_inverse=True
    )
    prefixes = pl.Series([length.to_bytes(8, "big") for length in distinct.tolist()], dtype=pl.Binary)
    return prefixes.gather(places) + cells.fill_null(b"")
