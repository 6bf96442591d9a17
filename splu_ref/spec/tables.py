"""Tables: how the bytes of a file become cells, and cells become values, codes, identities and a digest.

The paper (section 2) speaks of a table with a sensitive column. Which bytes are a cell, which cells are the
same value and in which order values are listed is fixed here. Everything in this module is an addition of
this specification.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from splu_ref.spec.errors import Refused, Unsupported, require
from splu_ref.spec.keys import message_text, with_length
from splu_ref.spec.randomness import u64

MISSING = ("?", "NA", "N/A", "NaN", "NULL")
"""Texts that say that a cell is missing, spelled exactly so, with or without white space around them."""


@dataclass(frozen=True)
class Table:
    """The names of the columns, and the cells of each row."""

    columns: list[str]
    rows: list[list[str]]

    def cells(self, column: str) -> list[str]:
        """Return the cells of a column; a name that the table does not have is refused (``parameter``)."""
        require(column in self.columns, "there is no such column")
        return [row[self.columns.index(column)] for row in self.rows]


def read_table(name: str, content: bytes) -> Table:
    r"""Return the table of a file.

    The end of the name, in upper or lower case, gives the kind of the file: ``.csv``, ``.csv.gz`` (gzip, one
    member or several) or ``.parquet``. A Parquet file is ``unsupported`` here; another name is refused
    (``parameter``). A gzip file is refused if it is damaged or breaks off, and if it unpacks to more than
    2^27 bytes and more than 100 times its own size. The bytes are then read by `parse_csv`.

    >>> read_table("a.CSV", b'a,b\r\n" x, y",\n')
    Table(columns=['a', 'b'], rows=[[' x, y', '']])
    """
    kind = name.lower()
    if kind.endswith(".parquet"):
        raise Unsupported("Parquet files are outside this specification")
    require(kind.endswith((".csv", ".csv.gz")), "the name does not end with a known kind of table")
    if kind.endswith(".gz"):
        packed = len(content)
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error):
            raise Refused("the file is damaged") from None
        require(len(content) <= max(2**27, 100 * packed), "the file unpacks to too many bytes")
    return parse_csv(content)


def parse_csv(content: bytes) -> Table:
    r"""Return the table of the bytes of a CSV file.

    1. The bytes are UTF-8. A byte-order mark (ef bb bf) at the very beginning is dropped. Other bytes, and
       the character NUL anywhere, are refused.
    2. A record ends with LF, with CRLF or with the end of the file. An LF that ends the last record begins
       no other.
    3. A record has cells, separated by commas. A cell is bare or quoted. A bare cell has no comma, quote, LF
       or CR. A quoted cell begins and ends with a quote; inside, every character is allowed, and a quote is
       written twice.
    4. The first record has the names of the columns, every other one is a row.
    5. A cell is literal text: nothing is stripped, and no number, date or missing value is inferred. A
       bare cell without characters and the quoted cell ``""`` are both the empty text.

    All faults are refused with the kind ``parameter``: an empty file or a file without rows; a blank line; a
    quote in a bare cell; text beside a quoted cell; a quoted cell that is never closed; a CR outside quotes
    without an LF after it; a row with more or fewer cells than the header; an empty column name, or one that
    occurs twice; more than 100,000 columns.

    >>> parse_csv(b'a\n"x, ""y"" z"\n')
    Table(columns=['a'], rows=[['x, "y" z']])
    """
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        raise Refused("the file is not UTF-8") from None
    require("\0" not in text, "the file has the character NUL")
    header, *rows = _records(text)
    require(len(rows) > 0, "the table has no rows")
    require(len(header) <= 100_000, "the header has too many columns")
    require("" not in header and len(set(header)) == len(header), "a column name is empty, or occurs twice")
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
    complete = end == len(text) or text[end] in ",\n" or text[end : end + 2] == "\r\n"
    require(complete, "there is text beside a quoted cell, a quote in a bare one, or a CR alone")
    return cell, end


def codes(cells: Sequence[str], missing: str | None = None) -> tuple[list[str], list[int]]:
    """Return the domain of a sensitive column and the code of each cell.

    The domain is the distinct values in ascending order by code point, and the code of a cell is the place
    of its value in the domain, from 0. Texts are compared character by character, without Unicode
    normalization.

    Without ``missing``, a missing cell is refused (``parameter``). A cell is missing if it is empty, if it
    has white space alone, or if it is one of `MISSING` after the white space around it is removed (white
    space of Unicode). With ``missing``, an empty cell means this text and every other cell is a value,
    also blanks and the markers. ``missing`` may be the empty text: then empty cells are the value that is
    empty. It may be a value that other cells have, and it need not occur. A column with one value only is
    refused (``parameter``).

    >>> codes(["b", "a", ""], missing="?")
    (['?', 'a', 'b'], [2, 1, 0])
    >>> codes(["b", "", "b"], missing="")
    (['', 'b'], [1, 0, 1])
    >>> codes(["b", " NA "])
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: a cell is missing
    """
    if missing is None:
        require(all(cell.strip() and cell.strip() not in MISSING for cell in cells), "a cell is missing")
    values = [missing if missing is not None and cell == "" else cell for cell in cells]
    domain = sorted(set(values))
    require(len(domain) > 1, "the column has one value only")
    return domain, [domain.index(value) for value in values]


def record_bytes(row: Sequence[str]) -> bytes:
    """Return the bytes of a record's cells: each with its length in bytes before it, in column order.

    A missing cell of a typed table (null, NaN) is eight bytes ff; `digest` takes it as an empty text.

    >>> record_bytes(["é", "10"]).hex()
    '0000000000000002c3a900000000000000023130'
    """
    return b"".join(message_text(cell) for cell in row)


def identities(table: Table, id_column: str | None = None) -> list[bytes]:
    """Return the bytes that identify each record under a key.

    With an identifying column: the cell of the record in that column, in UTF-8. An empty cell, and two equal
    cells, are refused (``parameter``). Without one: the bytes of all cells of the record (`record_bytes`),
    then u64(the number of records above it with the same cells). Cells are taken as they were read, before
    any text is put in the place of missing ones.

    >>> [identity.hex() for identity in identities(Table(["a"], [["x"], ["x"]]))]
    ['0000000000000001780000000000000000', '0000000000000001780000000000000001']
    """
    if id_column is not None:
        cells = table.cells(id_column)
        require("" not in cells and len(set(cells)) == len(cells), "an identity is empty, or occurs twice")
        return [cell.encode() for cell in cells]
    above: dict[bytes, int] = {}
    result = []
    for row in table.rows:
        record = record_bytes(row)
        result.append(record + u64(above.get(record, 0)))
        above[record] = above.get(record, 0) + 1
    return result


def digest(table: Table) -> str:
    """Return the digest of a table's content, which a manifest has: 64 hexadecimal digits.

    It is SHA-256 of ``splu-ref/table/1`` ‖ u64(the number of columns) ‖ their names, texts ‖ the bytes of
    each record, with their length before them, in ascending order. So it does not depend on the order of the
    rows.

    >>> digest(Table(["a"], [["x"], ["y"]])) == digest(Table(["a"], [["y"], ["x"]]))
    True
    """
    names = b"".join(message_text(name) for name in table.columns)
    rows = sorted(record_bytes(row) for row in table.rows)
    content = b"splu-ref/table/1" + u64(len(table.columns)) + names + b"".join(map(with_length, rows))
    return hashlib.sha256(content).hexdigest()
