"""The bytes that identify records and tables, which other implementations must reproduce."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice

from splu_ref.channels import DataError

_AT_ONCE = 1 << 14
"""Rows of a table that are joined before they are hashed."""


def identities_from_records(records: Iterable[bytes]) -> list[bytes]:
    """Return one identity per record: its cells and its number among identical records.

    Parameters
    ----------
    records
        The cells of each record of a table: see `packed_records`.

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
    rest = iter(records)
    while some := list(islice(rest, _AT_ONCE)):
        lengths = {length: length.to_bytes(8, "big") for length in set(map(len, some))}
        digest.update(b"".join([part for record in some for part in (lengths[len(record)], record)]))
    return digest.hexdigest()


def _framed(cell: str) -> bytes:
    content = cell.encode()
    return len(content).to_bytes(8, "big") + content
