"""The structural check of a CSV file, which rejects every irregularity that lenient readers accept.

The dialect is RFC 4180: commas, records ended by LF or CRLF (the last may lack it), cells optionally in
double quotes, a quote inside quotes doubled, line ends inside quotes allowed. The check works on positions
of bytes: outside quotes means that an even number of quotes came before. Bytes of a multi-byte UTF-8
character are never mistaken for a comma, a quote or a line end, because all of those are below 128.

A file may be checked in parts, each of which begins and ends with a record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.limits import MOST_COLUMNS

_QUOTE, _LF, _CR = b'"\n\r'
_OTHERS = {";": "semicolon", "\t": "tab", "|": "bar"}

Positions: TypeAlias = NDArray[np.int64]
"""Ascending offsets into the bytes of a file."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The structure of a well-formed CSV file."""

    header: tuple[str, ...]  # the column names, distinct and not empty
    row_count: int  # data rows, at least 1
    quoted: bool  # whether the file holds any quote
    text_bytes: int  # total length in bytes of the text of all cells below the header


@dataclass(frozen=True, slots=True)
class PrecedingContent:
    """The content of a file before a part of it."""

    header: tuple[str, ...]  # the column names
    # lines, rows: numbers of line ends and of data rows before the part
    lines: int
    rows: int


class _Part(NamedTuple):
    """Bytes of a file from the beginning of a line, and the numbers of lines and data rows before them."""

    data: bytes
    lines: int
    rows: int

    def line(self, position: int) -> int:
        """Return the line of a position, from 1."""
        return self.lines + self.data.count(b"\n", 0, position) + 1

    def place(self, position: int) -> str:
        """Return "line L, byte B", both from 1, B counted within the line."""
        byte = position - self.data.rfind(b"\n", 0, position)
        return f"line {self.line(position)}, byte {byte}"


def check_structure(
    data: bytes,
    name: str,
    separator: str = ",",
    *,
    empty: bool = False,
    before: PrecedingContent | None = None,
) -> Structure:
    """Return the structure of the CSV file ``data``, which begins after any byte-order mark."""
    if not data:
        raise DataError(f"{name} is empty: it needs a header line and rows")
    part = _Part(data, 0, -1) if before is None else _Part(data, before.lines, before.rows)
    _check_characters(part, name)
    array = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(array == _QUOTE)
    _check_punctuation(part, array, quotes, ord(separator), name)
    commas = _outside(np.flatnonzero(array == ord(separator)), quotes)
    line_feeds = _outside(np.flatnonzero(array == _LF), quotes)
    ends = line_feeds
    if not line_feeds.size or line_feeds[-1] != len(data) - 1:
        ends = np.append(line_feeds, len(data))
    returns = array[ends - 1] == _CR  # wraps around only at offset 0, where the blank line is found first
    starts = np.concatenate(([0], ends[:-1] + 1))
    _check_records(part, starts, ends - returns, commas, name, None if before is None else before.header)
    header = _header(data[: ends[0] - returns[0]], commas, name) if before is None else before.header
    if before is None and len(ends) == 1 and not empty:
        raise no_rows_error(name)
    doubled = int(np.count_nonzero(quotes[2::2] == quotes[1:-1:2] + 1))
    punctuation = len(commas) + len(line_feeds) + int(returns.sum()) + len(quotes) - doubled
    header_bytes = sum(len(column.encode()) for column in header) if before is None else 0
    rows = len(ends) - (before is None)
    return Structure(header, rows, bool(quotes.size), len(data) - punctuation - header_bytes)


def no_rows_error(name: str) -> DataError:
    """Return the error for a file without data rows."""
    return DataError(f"{name} holds a header and no rows: there is nothing to read")


def last_record_end(data: bytes) -> int:
    """Return the end of the last complete record in ``data``, which begins with a record; 0 if none."""
    if data.find(b'"') < 0:
        return data.rfind(b"\n") + 1
    array = np.frombuffer(data, dtype=np.uint8)
    ends = _outside(np.flatnonzero(array == _LF), np.flatnonzero(array == _QUOTE))
    return int(ends[-1]) + 1 if ends.size else 0


def _check_characters(part: _Part, name: str) -> None:
    data = part.data
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError(f"{name}: {part.place(nul)} is NUL, which is not text: save the file as UTF-8 text")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name}: {part.place(error.start)} is 0x{data[error.start]:02X}, which is not UTF-8 there: "
            "save the file as UTF-8"
        ) from None


def _check_punctuation(
    part: _Part, array: NDArray[np.uint8], quotes: Positions, comma: int, name: str
) -> None:
    """Raise for the first misplaced quote or carriage return."""
    faults = [*_misplaced_quotes(part, array, quotes, comma), *_misplaced_returns(part, array, quotes)]
    if faults:
        _, message = min(faults)
        first = part.data[: part.data.find(b"\n") + 1]
        other = () if part.lines else separator_remedies(first.decode(), first.count(comma))
        message = f"{message.rpartition(': ')[0]}: {other[0]}" if other else message
        raise DataError(f"{name}: {message}", *other[1:])


def _misplaced_quotes(
    part: _Part, array: NDArray[np.uint8], quotes: Positions, comma: int
) -> Iterator[tuple[int, str]]:
    """Yield the first quote of each kind of fault, as (offset, message).

    Of well-formed quotes the first, third, fifth … open a quoted stretch and the others close one; a
    doubled quote closes one and opens the next at once.
    """
    opening, closing = quotes[0::2], quotes[1::2]
    before = _bytes_at(array, opening - 1)
    misplaced = opening[~np.isin(before, (comma, _LF, _QUOTE))]
    if misplaced.size:
        at = int(misplaced[0])
        fault = "is a quote inside a cell that does not begin with one"
        yield at, f'{part.place(at)} {fault}: put the cell in quotes and write the quote twice ("")'
    after = _bytes_at(array, closing + 1)
    ended = np.isin(after, (comma, _LF, _QUOTE))
    ended |= (after == _CR) & (_bytes_at(array, closing + 2) == _LF)
    if not ended.all():
        at = int(closing[~ended][0])
        first = int(opening[(opening < at) & (before != _QUOTE)][-1])
        fault = f"is a quote that ends the cell begun in line {part.line(first)}, and text follows it"
        yield at, f'{part.place(at)} {fault}: write a quote inside a cell twice ("")'
    if len(quotes) % 2:
        at = int(opening[-1])
        yield at, f"{part.place(at)} is a quote that is never closed: close it, or write it twice"


def _misplaced_returns(part: _Part, array: NDArray[np.uint8], quotes: Positions) -> Iterator[tuple[int, str]]:
    returns = _outside(np.flatnonzero(array == _CR), quotes)
    misplaced = returns[(_bytes_at(array, returns + 1) != _LF) | (returns == len(part.data) - 1)]
    if misplaced.size:
        at = int(misplaced[0])
        fault = "is a carriage return alone, outside quotes"
        remedy = "end lines with LF or CRLF, and put a cell that holds one in quotes"
        yield at, f"{part.place(at)} {fault}: {remedy}"


def _check_records(
    part: _Part,
    starts: Positions,
    ends: Positions,
    commas: Positions,
    name: str,
    header: tuple[str, ...] | None,
) -> None:
    """Raise for a blank line, or a record whose number of cells differs from the header's."""
    blank = _first(starts == ends)
    if blank == 0 and header is None:
        raise DataError(f"{name}: line 1 is blank: the first line must name the columns")
    cells = np.diff(np.searchsorted(commas, ends[:blank]), prepend=0) + 1
    wanted = int(cells[0]) if header is None else len(header)
    row = _first(cells != wanted) if cells.size else None
    if row is None:
        row = blank
    if row is None:
        return
    place = f"{name}: row {part.rows + 1 + row} (line {part.line(int(starts[row]))})"
    if starts[row] == ends[row]:
        remedy = "remove it" if wanted > 1 else 'remove it, or write "" for an empty cell'
        raise DataError(f"{place} is blank: {remedy}")
    names = part.data[: int(ends[0])].decode() if header is None else header[0]
    meant = separator_remedies(names, wanted - 1)
    remedies = meant or ("mend the row, and put a cell that holds a comma in quotes",)
    raise DataError(
        f"{place} has {_counted(int(cells[row]))}, the header has {wanted}: {remedies[0]}", *remedies[1:]
    )


def separator_remedies(header: str, divided: int = 0) -> tuple[str, ...]:
    """Return the remedies if a header, or its first name, has more of another separator than ``divided``."""
    for separator, name in _OTHERS.items():
        if header.count(separator) > divided:
            return f"the cells seem to be divided by a {name}: write commas", f"say --separator {name}"
    return ()


def _header(line: bytes, commas: Positions, name: str) -> tuple[str, ...]:
    commas = commas[commas < len(line)]
    if len(commas) >= MOST_COLUMNS:
        raise DataError(
            f"{name}: the header names {len(commas) + 1} columns, and at most {MOST_COLUMNS} are read: "
            "leave some out"
        )
    cuts = [-1, *commas.tolist(), len(line)]
    cells = [line[left + 1 : right].decode() for left, right in pairwise(cuts)]
    header = [cell[1:-1].replace('""', '"') if cell.startswith('"') else cell for cell in cells]
    for number, column in enumerate(header, start=1):
        if not column:
            index = (
                ", or leave it out if it is the index that pandas writes (index=False)" if number == 1 else ""
            )
            raise DataError(f"{name}: column {number} has no name in the header: name it{index}")
    for column, times in Counter(header).items():
        if times > 1:
            raise DataError(f"{name}: the header names column {column!r} {times} times: rename all but one")
    return tuple(header)


def _first(faulty: NDArray[np.bool_]) -> int | None:
    """Return the index of the first true entry, None if there is none."""
    place = int(faulty.argmax())
    return place if faulty[place] else None


def _outside(positions: Positions, quotes: Positions) -> Positions:
    """Return those positions that are outside quotes."""
    if not quotes.size:
        return positions
    outside: NDArray[np.bool_] = np.searchsorted(quotes, positions) % 2 == 0
    return positions[outside]


def _bytes_at(array: NDArray[np.uint8], positions: Positions) -> NDArray[np.uint8]:
    """Return the bytes at the positions; a line end beyond either end of the file."""
    beyond = (positions < 0) | (positions >= len(array))
    found = array[np.where(beyond, 0, positions)]
    found[beyond] = _LF
    return found


def _counted(cells: int) -> str:
    return "1 field" if cells == 1 else f"{cells} fields"
