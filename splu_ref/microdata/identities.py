"""The bytes that identify a record, for keyed randomness: other languages must reproduce them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from splu_ref.model import DataError

_NULL = (2**64 - 1).to_bytes(8, "big")


def identities_from_cells(columns: Iterable[Sequence[str | None]]) -> list[bytes]:
    """Return one identity per record: its cells and its number among identical records.

    Parameters
    ----------
    columns
        The canonical texts of every column, in table order; None for a null.

    Returns
    -------
    list of bytes
        For each cell its length in bytes as 8 bytes, big-endian, and its text in UTF-8, a null being 2^64 - 1
        and no text; then 8 bytes with the number of identical records above it.
    """
    encoded: list[list[bytes]] = []
    for column in columns:
        known = {cell: _framed(cell) for cell in dict.fromkeys(column)}
        encoded.append([known[cell] for cell in column])
    seen: dict[bytes, int] = {}
    identities = []
    for record in map(b"".join, zip(*encoded, strict=True)):
        number = seen.get(record, 0)
        seen[record] = number + 1
        identities.append(record + number.to_bytes(8, "big"))
    return identities


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


def _framed(cell: str | None) -> bytes:
    if cell is None:
        return _NULL
    content = cell.encode()
    return len(content).to_bytes(8, "big") + content
