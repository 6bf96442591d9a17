"""The bytes that identify records and tables, which other implementations must reproduce."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from splu_ref.channels import DataError

_NULL = (2**64 - 1).to_bytes(8, "big")


def identities_from_records(records: Iterable[bytes]) -> list[bytes]:
    """Return one identity per record: its cells and its number among identical records.

    Parameters
    ----------
    records
        The cells of each record of a table: see `records_from_cells`.

    Returns
    -------
    list of bytes
        The cells, then 8 bytes with the number of identical records above it.
    """
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
    """Return the text of each cell in UTF-8.

    Raises
    ------
    DataError
        If a cell is null or empty, or if two are equal.
    """
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


def content_digest(names: Sequence[str], records: Iterable[bytes]) -> str:
    """Return SHA-256 of a table's columns and rows, in whatever order the rows stand, in hexadecimal digits.

    Parameters
    ----------
    names
        The names of the columns, in table order.
    records
        The rows, in ascending order of their bytes.

    Notes
    -----
    The message is the text ``splu-ref/table/1``, the number of columns as 8 bytes, big-endian, their names,
    and the rows in ascending order of their bytes. Each name, each cell and each row is preceded by its
    length in bytes as 8 bytes, big-endian; a row consists of its cells in UTF-8.
    """
    digest = hashlib.sha256(b"splu-ref/table/1" + len(names).to_bytes(8, "big"))
    digest.update(b"".join(map(_framed, names)))
    for record in records:
        digest.update(len(record).to_bytes(8, "big") + record)
    return digest.hexdigest()


def records_from_cells(columns: Iterable[Sequence[str | None]]) -> Iterator[bytes]:
    """Yield the cells of each record.

    Parameters
    ----------
    columns
        The canonical texts of every column, in table order; None for a null.

    Yields
    ------
    bytes
        For each cell its length in bytes as 8 bytes, big-endian, and its text in UTF-8, a null being 2^64 - 1
        and no text.
    """
    encoded: list[list[bytes]] = []
    for column in columns:
        known = {cell: _framed(cell) for cell in dict.fromkeys(column)}
        encoded.append([known[cell] for cell in column])
    return map(b"".join, zip(*encoded, strict=True))


def _framed(cell: str | None) -> bytes:
    if cell is None:
        return _NULL
    content = cell.encode()
    return len(content).to_bytes(8, "big") + content
