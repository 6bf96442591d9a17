"""A column as integer codes into its sorted domain, and missing cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.cell_values import Value, text
from splu_ref.data.coding import Coding

MISSING_MARKERS = ("?", "NA", "N/A", "NaN", "NULL")
"""Conventional texts of missing cells, besides empty and blank cells."""


class MissingCellError(DataError):
    """A column has missing cells that were not declared a value."""


class Encoding(NamedTuple):
    """A column's values as codes."""

    # The distinct values ascending: numbers by size, text by code point. Of equal numbers that are written
    # differently (1.0 and 1.00), it has the one whose text comes last; the zero of floats is 0.0.
    domain: tuple[Value, ...]
    codes: NDArray[np.int64]  # shape (rows,): index into ``domain``
    # shape (domain,): a row that holds each value as it is written there, any row for the codes in
    # ``absent_values``
    rows: NDArray[np.int64]
    # Codes of values that no row holds as they are written: of the text that cells without content are read
    # as, of a zero where all are -0.0, or of values that were declared and do not occur.
    absent_values: frozenset[int]


def encode(column: str, coding: Coding, missing: str | None) -> Encoding:
    """Return the encoding of a column."""
    cells: Sequence[Any] = coding.values
    kinds = sorted({type(cell).__name__ for cell in cells if cell is not None})
    if len(kinds) > 1:
        raise DataError(f"column {column!r} mixes values of types {', '.join(kinds)}: convert it to text")
    if missing is None:
        occurrences = zip(coding.rows.tolist(), coding.counts.tolist(), strict=True)
        markers = {cell: each for cell, each in zip(cells, occurrences, strict=True) if is_missing(cell)}
        if markers:
            raise MissingCellError(*missing_message(column, markers))
    elif kinds not in ([], ["str"]) and None in cells:
        raise DataError(
            f"column {column!r} does not hold text and row {coding.rows[cells.index(None)] + 1} is empty: "
            f"convert the column to text to publish {missing!r} as a value, or drop the row"
        )
    read: list[Any] = [missing if cell is None or cell == "" else cell for cell in cells]
    # Of equal values the last text comes last, and of cells read as one text the one that holds it.
    ascending = sorted(range(len(read)), key=lambda place: (text(read[place]), cells[place] == read[place]))
    chosen = {read[place]: place for place in ascending}
    domain = sorted(chosen)
    code_of = {value: code for code, value in enumerate(domain)}
    places = [chosen[value] for value in domain]
    absent_values = {code for code, place in enumerate(places) if cells[place] != read[place]}
    domain = [read[place] for place in places]
    if kinds == ["float"] and 0.0 in code_of and text(domain[code_of[0.0]]) == "-0.0":
        domain[code_of[0.0]] = 0.0
        absent_values.add(code_of[0.0])
    codes = np.array([code_of[value] for value in read], dtype=np.int64)[coding.codes]
    codes.flags.writeable = False  # shared by all callers
    return Encoding(tuple(domain), codes, coding.rows[places], frozenset(absent_values))


def encode_declared(column: str, found: Encoding, domain: Sequence[str]) -> Encoding:
    """Return the encoding of a column by a declared domain, of which the column may hold a part only."""
    if len(domain) < 2 or len(set(domain)) < len(domain):
        raise DataError(
            f"the domain declared for {column!r} must name at least two values, each of them once"
        )
    require_declared(column, found, domain)
    known = {text(value): value for value in found.domain}
    kind = type(found.domain[0])
    values: list[Any] = [known[name] if name in known else _typed(column, name, kind) for name in domain]
    ordered: list[Any] = sorted(values)
    places = {value: place for place, value in enumerate(ordered)}
    moved = np.array([places[value] for value in found.domain], dtype=np.int64)
    rows = np.zeros(len(ordered), dtype=np.int64)
    rows[moved] = found.rows
    occurring = {places[value] for code, value in enumerate(found.domain) if code not in found.absent_values}
    return Encoding(tuple(ordered), moved[found.codes], rows, frozenset(range(len(ordered))) - occurring)


def require_declared(column: str, found: Encoding, domain: Collection[str]) -> None:
    """Raise ``DataError`` for a cell outside a declared domain; the message names its row."""
    stated = frozenset(domain)
    for place, value in enumerate(found.domain):
        if text(value) not in stated:
            row = int(np.argmax(found.codes == place))
            raise DataError(
                f"column {column!r} holds {text(value)!r} in row {row + 1}, which is not in the declared "
                "domain: add it, or drop the row"
            )


def _typed(column: str, name: str, kind: type[Any]) -> Value:
    if kind is str:
        return name
    try:
        value: Value = int(name) if kind is int else kind(name)
    except (ValueError, TypeError, ArithmeticError):
        value = name
    if type(value) is not kind or kind not in (int, float) or text(value) != name:
        raise DataError(
            f"the domain declared for {column!r} names {name!r}, and the column holds values of type "
            f"{kind.__name__}: write it as the column would, or convert the column to text"
        )
    return value


def is_missing(value: Value | None) -> bool:
    """Return whether a cell is empty, blank or a conventional marker of a missing value."""
    return value is None or (
        isinstance(value, str) and (not value.strip() or value.strip() in MISSING_MARKERS)
    )


def require_new_text(column: str, cells: Iterable[Value | None], missing: str | None) -> None:
    """Raise ``DataError`` if the text for missing cells is a value of a column that has missing cells.

    ``cells`` are the distinct cells of the column. A marker of missing cells may be both.
    """
    if missing is None or is_missing(missing):
        return
    if {"" if cell is None else text(cell) for cell in cells} >= {missing, ""}:
        raise DataError(
            f"--missing {missing!r}: column {column!r} holds this value already, and missing cells would "
            "count as it: choose another text"
        )


def missing_message(column: str, found: Mapping[Value | None, tuple[int, int]]) -> tuple[str, str]:
    """Return the error message for a column with missing cells, and the remedy of commands that publish.

    ``found`` has for each marker of missing cells the first row, counted from 0, and the number of cells.
    """
    cell = min(found, key=lambda marker: found[marker][0])
    shown = "empty" if cell is None or cell == "" else repr(text(cell))
    value = cell if isinstance(cell, str) and cell.strip() else MISSING_MARKERS[0]
    count = sum(many for _, many in found.values())
    others = f", as are {count - 1} more of its cells" if count > 2 else ""
    others = ", as is 1 more of its cells" if count == 2 else others
    remedy = f"say --missing {value!r} to publish it as a value"
    texts = [marker for marker in found if isinstance(marker, str) and marker.strip()]
    if texts and len(texts) < len(found):  # such as NA for Namibia beside cells that are empty
        remedy = (
            f"say --missing 'missing' to publish empty cells as that; {texts[0]!r} stays "
            f"a value then, as the code of Namibia is one (--missing {texts[0]!r} makes both one value)"
        )
    place = f"column {column!r} is missing in row {found[cell][0] + 1} (the cell is {shown}){others}"
    return f"{place}: drop these rows", remedy
