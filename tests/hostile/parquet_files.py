"""Parquet files of nulls, made by hand: any number of nulls takes a few bytes, and a footer may lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

_Value: TypeAlias = "int | bytes | Sequence[_Value] | Mapping[int, _Value]"
_BOOLEAN, _OPTIONAL, _PLAIN, _RUNS = 0, 1, 0, 3


class Long(int):
    """A number that the format keeps in 64 bits."""


def nulls(rows: int, columns: int = 1, *, stated: int | None = None, groups: int = 1) -> bytes:
    """Return a Parquet file of booleans that are all null.

    Parameters
    ----------
    rows
        Nulls of each column in each group of rows: what its page says.
    columns
        Columns, named ``c0``, ``c1`` …
    stated
        What the footer says of each group instead.
    groups
        Groups of rows; all columns of all groups share one page.
    """
    reported = Long(rows if stated is None else stated)
    run = _number(rows << 1) + b"\0"  # one run of level 0: null
    body = len(run).to_bytes(4, "little") + run
    page = _structure(
        {1: 0, 2: len(body), 3: len(body), 5: {1: rows, 2: _PLAIN, 3: _RUNS, 4: _RUNS}},
    )
    page += body
    size = Long(len(page))
    names = [b"c%d" % number for number in range(columns)]
    chunks: list[_Value] = [
        {
            2: Long(4),
            3: {1: _BOOLEAN, 2: [_PLAIN, _RUNS], 3: [name], 4: 0, 5: reported, 6: size, 7: size, 9: Long(4)},
        }
        for name in names
    ]
    group: _Value = {1: chunks, 2: Long(size * columns), 3: reported}
    leaves: list[_Value] = [{1: _BOOLEAN, 3: _OPTIONAL, 4: name} for name in names]
    root: _Value = {4: b"root", 5: columns}
    footer = _structure({1: 1, 2: [root, *leaves], 3: Long(reported * groups), 4: [group] * groups})
    return b"PAR1" + page + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _structure(fields: Mapping[int, _Value]) -> bytes:
    """Return a structure in the compact protocol of Thrift."""
    written, last = b"", 0
    for number, value in fields.items():
        written += bytes([(number - last) << 4 | _kind(value)]) + _content(value)
        last = number
    return written + b"\0"


def _kind(value: _Value) -> int:
    if isinstance(value, int):
        return 6 if isinstance(value, Long) else 5
    return 8 if isinstance(value, bytes) else 12 if isinstance(value, Mapping) else 9


def _content(value: _Value) -> bytes:
    if isinstance(value, int):
        return _number(value << 1)  # zigzag of what is not negative
    if isinstance(value, bytes):
        return _number(len(value)) + value
    if isinstance(value, Mapping):
        return _structure(value)
    return bytes([0xF0 | _kind(value[0])]) + _number(len(value)) + b"".join(map(_content, value))


def _number(number: int) -> bytes:
    digits = []
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])
