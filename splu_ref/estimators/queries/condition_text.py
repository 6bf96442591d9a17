"""Conditions as people write them, and as queries are printed: ``age=30..39 and sex!=Female``.

| text | means |
|---|---|
| ``COLUMN=VALUE`` | the column holds the value |
| ``COLUMN=A|B`` or ``COLUMN={A, B}`` | any of the values |
| ``COLUMN!=VALUE``, also with several | none of them |
| ``COLUMN=30..39``, ``30..`` or ``..39`` | a number, or a date such as 2024-12-31, from here to there |
| ``COLUMN>=30``, ``<=``, ``>``, ``<`` | a limit; a lower and an upper one of a column make a range |
| ``… and …`` | both; the columns differ |

Where the table is known, a text that is a value of its column means that value, whatever is in it. A value
between double quotes, escaped as in JSON, always means itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from splu_ref.channels import ParameterError
from splu_ref.estimators.queries.conditions import (
    AnyOf,
    Between,
    Condition,
    NoneOf,
    between,
    range_end,
    value_set,
)
from splu_ref.estimators.queries.limits import end_of, limit, limit_text

Values: TypeAlias = Callable[[str], Sequence[str] | None]
"""The values of a column of the table, or None if it has no such column."""

_OPERATOR = re.compile(r"!=|<=|>=|=|<|>")
_AND = re.compile(r"\s(?:and|AND)\s")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_FORM = "write COLUMN=VALUE, COLUMN!=VALUE, COLUMN=A|B, COLUMN=30..39 or COLUMN>=30"


def read_conditions(
    texts: Iterable[str], values: Values = lambda _: None
) -> tuple[tuple[str, Condition], ...]:
    """Return the conditions written as texts, each with its column.

    Parameters
    ----------
    texts
        Each one condition, or several with ``and`` between them.
    values
        The values of the table's columns.

    Raises
    ------
    ParameterError
        For a text that is no condition, or two conditions on one column that are no two limits.
    """
    found: dict[str, Condition] = {}
    for text in texts:
        for column, operator, value in _parts(text, values):
            condition = _condition(column, operator, value, values(column) or ())
            if column in found:
                condition = join_limits(column, found[column], condition)
            found[column] = condition
    return tuple(found.items())


def _parts(text: str, values: Values) -> Iterator[tuple[str, str, str]]:
    """Yield column, operator and value of each condition of a text."""
    spans = [match.span() for match in _QUOTED.finditer(text)]
    between_parts = [
        match.span()
        for match in _AND.finditer(text)
        if not any(first < match.start() < last for first, last in spans)
    ]
    begins, ends = [0], [len(text)]
    begins += [last for _, last in between_parts]
    ends[:0] = [first for first, _ in between_parts]
    place = 0
    while place < len(ends):
        part = _divided(text[begins[place] : ends[place]], values)
        if part is None:
            raise ParameterError(f"{text!r} is no condition: {_FORM}")
        column, operator, begin = part
        begin += begins[place]
        known = _known_ends(text, begin, values(column) or ()) & set(ends) if operator in {"=", "!="} else ()
        if known:  # "and" may be part of a value
            place = ends.index(max(known))
        else:  # a text without operator continues the previous value
            while (
                place + 1 < len(ends) and _divided(text[begins[place + 1] : ends[place + 1]], values) is None
            ):
                place += 1
        value = text[begin : ends[place]]
        yield column, operator, value if value in (values(column) or ()) else value.strip()
        place += 1


def _known_ends(text: str, begin: int, domain: Sequence[str]) -> set[int]:
    """Return the end positions of all values of a column that occur in a text at a position."""
    begins = {begin, begin + len(text[begin:]) - len(text[begin:].lstrip())}
    return {place + len(value) for value in domain for place in begins if text.startswith(value, place)}


def _divided(text: str, values: Values) -> tuple[str, str, int] | None:
    """Divide a text at the first operator behind a column of the table, or at the first ``=``."""
    matches = [match for match in _OPERATOR.finditer(text) if text[: match.start()].strip()]
    for match in matches:
        for name in (text[: match.start()], text[: match.start()].strip()):
            if values(name) is not None:
                return name, match.group(), match.end()
    if not matches:
        return None
    match = next((match for match in matches if "=" in match.group()), matches[0])
    return text[: match.start()].strip(), match.group(), match.end()


def _condition(column: str, operator: str, value: str, domain: Sequence[str]) -> Condition:
    if operator in {"=", "!="}:
        found = _equal(column, value, domain)
        if operator == "=":
            return found
        if isinstance(found, Between):
            raise ParameterError(f"{column}!={value}: name values that are left out, or give a range to keep")
        return NoneOf(found.values)
    end, strict = range_end(column, _unquoted(value), last=operator in {">", "<="}), operator in {"<", ">"}
    return Between(None, end, below=strict) if operator[0] == "<" else Between(end, None, above=strict)


def _equal(column: str, value: str, domain: Sequence[str]) -> AnyOf | Between:
    if value in domain:
        return AnyOf((value,))
    braced = value.startswith("{") and value.endswith("}")
    several = _listed(value[1:-1], ",") if braced else _listed(value, "|")
    if len(several) > 1 or (braced and several[0]):
        return AnyOf(tuple(dict.fromkeys(several)))
    least, dots, greatest = value.partition("..")
    low, high = (end_of(end, last=last) if dots else None for end, last in ((least, False), (greatest, True)))
    if dots and (least or greatest) and (low is None) == (not least) and (high is None) == (not greatest):
        return between(column, low, high)
    bare = least.removeprefix(">"), greatest.removeprefix("<")
    if dots and None not in map(limit, bare):
        signs = (">" if bare[0] != least else ">="), ("<" if bare[1] != greatest else "<=")
        instead = " and ".join(f"{column}{sign}{end}" for sign, end in zip(signs, bare, strict=True))
        raise ParameterError(f"{column}={value}: a range includes both its ends: write '{instead}'")
    return AnyOf((_unquoted(value),))


def _listed(text: str, mark: str) -> list[str]:
    """Split a text at marks outside quotes, and strip the parts."""
    spans = [match.span() for match in _QUOTED.finditer(text)]
    parts, begin = [], 0
    for place in [place for place, letter in enumerate(text) if letter == mark] + [len(text)]:
        if place == len(text) or not any(first < place < last for first, last in spans):
            parts.append(_unquoted(text[begin:place].strip()))
            begin = place + 1
    return parts


def _unquoted(text: str) -> str:
    if _QUOTED.fullmatch(text) is None:
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        raise ParameterError(f"{text} is no quoted value: escape it between quotes as JSON does") from None


def join_limits(column: str, first: Condition, second: Condition) -> Condition:
    """Return the range between two limits of a column.

    Raises
    ------
    ParameterError
        If the two conditions are anything else.
    """
    if isinstance(first, Between) and isinstance(second, Between):
        low = [end for end in (first, second) if end.least is not None]
        high = [end for end in (first, second) if end.greatest is not None]
        if len(low) == len(high) == 1:
            return between(column, low[0].least, high[0].greatest, above=low[0].above, below=high[0].below)
    raise ParameterError(
        f"column {column!r} is named twice: give it one condition, {column}=A|B for any of several values"
    )


def condition_text(column: str, condition: Condition) -> str:
    """Return a condition as text, which `read_conditions` reads back."""
    if isinstance(condition, NoneOf):
        return f"{column}!={value_set(condition.values)}"
    if isinstance(condition, AnyOf) or not (condition.above or condition.below):
        return f"{column}={condition}"
    ends = ((condition.least, ">", condition.above), (condition.greatest, "<", condition.below))
    return " and ".join(
        f"{column}{sign}{'' if strict else '='}{limit_text(end)}"
        for end, sign, strict in ends
        if end is not None
    )
