"""Tables: how a CSV file becomes cells, and cells become values, codes, identities and a digest.

The paper speaks of values and of records; which bytes are equal values is fixed here.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from splu_ref.spec.errors import Refused, Unsupported, require
from splu_ref.spec.keys import sized, told
from splu_ref.spec.randomness import u64

MISSING = ("?", "NA", "N/A", "NaN", "NULL")
"""What says that a cell is missing, with white space around it or not."""


@dataclass(frozen=True)
class Table:
    """The names of the columns, and the cells of each row."""

    columns: list[str]
    rows: list[list[str]]

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column."""
        require(column in self.columns, "there is no such column")
        return [row[self.columns.index(column)] for row in self.rows]


def read_table(name: str, content: bytes) -> Table:
    """Return the table of a file, whose kind the end of its name tells.

    >>> read_table("a.CSV", b'a,b\\r\\n" x, y",\\n')
    Table(columns=['a', 'b'], rows=[[' x, y', '']])
    """
    kind = name.lower()
    if kind.endswith(".parquet"):
        raise Unsupported("Parquet files are outside this specification")
    require(kind.endswith((".csv", ".csv.gz")), "the name tells no kind of table")
    if kind.endswith(".gz"):
        packed = len(content)
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise Refused("the file is damaged") from None
        require(len(content) <= max(2**27, 100 * packed), "the file unpacks to far too much")
    return parse_csv(content)


def parse_csv(content: bytes) -> Table:
    """Return the table of the bytes of a CSV file: cells are texts as they stand, nothing is inferred."""
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        raise Refused("the file is not UTF-8") from None
    require("\0" not in text, "the file holds the character NUL")
    header, *rows = _records(text)
    require(len(rows) > 0, "the table has no rows")
    require(len(header) <= 100_000, "the header has too many columns")
    require("" not in header and len(set(header)) == len(header), "a column name is empty, or stands twice")
    require(all(len(row) == len(header) for row in rows), "a row has another number of cells than the header")
    return Table(header, rows)


def _records(text: str) -> list[list[str]]:
    """Return the records of a text, each a list of cells."""
    records: list[list[str]] = []
    at = 0
    while at < len(text) or not records:
        require(text[at : at + 1] not in ("", "\n") and text[at : at + 2] != "\r\n", "a line is blank")
        cells: list[str] = []
        while True:
            cell, at = _cell(text, at)
            cells.append(cell)
            if text[at : at + 1] != ",":
                break
            at += 1
        at += 2 if text[at : at + 2] == "\r\n" else 1
        records.append(cells)
    return records


def _cell(text: str, at: int) -> tuple[str, int]:
    """Return the cell that begins at a place, and the place after it: a comma, a line end or the end."""
    if text[at : at + 1] != '"':
        end = at
        while end < len(text) and text[end] not in ',"\n\r':
            end += 1
        cell = text[at:end]
    else:
        cell, end = "", at + 1
        while True:
            close = text.find('"', end)
            require(close >= 0, "a quoted cell is never closed")
            cell += text[end:close]
            end = close + 1
            if text[end : end + 1] != '"':
                break
            cell, end = cell + '"', end + 1
    over = end == len(text) or text[end] in ",\n" or text[end : end + 2] == "\r\n"
    require(over, "there is text beside a quoted cell, a quote in a bare one, or a CR alone")
    return cell, end


def codes(cells: Sequence[str], missing: str | None = None) -> tuple[list[str], list[int]]:
    """Return the domain of a sensitive column, ascending by code point, and the code of each cell.

    A missing cell is refused; with a text for missing ones, empty cells are that text and all others are values.

    >>> codes(["b", "a", ""], missing="?")
    (['?', 'a', 'b'], [2, 1, 0])
    """
    if missing is None:
        require(all(cell.strip() and cell.strip() not in MISSING for cell in cells), "a cell is missing")
    else:
        require(missing != "", "the text for missing cells is empty")
    values = [missing if missing is not None and cell == "" else cell for cell in cells]
    domain = sorted(set(values))
    require(len(domain) > 1, "the column has one value only")
    return domain, [domain.index(value) for value in values]


def record_bytes(row: Sequence[str]) -> bytes:
    """Return the bytes of a record's cells: each with its length before it."""
    return b"".join(told(cell) for cell in row)


def identities(table: Table, id_column: str | None = None) -> list[bytes]:
    """Return the bytes that identify each record.

    They are its cell of an identifying column; without one, all its cells and the number of equal records above it.

    >>> [identity.hex() for identity in identities(Table(["a"], [["x"], ["x"]]))]
    ['0000000000000001780000000000000000', '0000000000000001780000000000000001']
    """
    if id_column is not None:
        cells = table.cells(id_column)
        require("" not in cells and len(set(cells)) == len(cells), "an identity is empty, or stands twice")
        return [cell.encode() for cell in cells]
    above: dict[bytes, int] = {}
    made = []
    for row in table.rows:
        record = record_bytes(row)
        made.append(record + u64(above.get(record, 0)))
        above[record] = above.get(record, 0) + 1
    return made


def digest(table: Table) -> str:
    """Return the digest of a table's content, which a manifest holds: the same whatever the order of the rows."""
    names = b"".join(told(name) for name in table.columns)
    rows = sorted(record_bytes(row) for row in table.rows)
    content = b"splu-ref/table/1" + u64(len(table.columns)) + names + b"".join(map(sized, rows))
    return hashlib.sha256(content).hexdigest()
