"""Conditions on one column: one of several values, none of them, or a range of numbers or dates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from splu_ref.channels import ParameterError
from splu_ref.estimators.queries.limits import Limit, days, end_of, limit_text, reaches, same_kind

_NOT_PLAIN = re.compile(r'[|{}"]|\.\.|^[\s!=<>]|\s$|^$|\s(?:and|AND)\s')
"""Parts of a value that have a meaning in condition texts, so that the value must be quoted."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The column holds one of these values, as texts, at least one."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return value_set(self.values)


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The column holds none of these values, as texts, at least one."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return "!" + value_set(self.values)


@dataclass(frozen=True, slots=True)
class Between:
    """The column holds a number, or a date, from ``least`` to ``greatest``; None is no limit."""

    least: Limit | None  #: The limits, of one kind. A day as a limit means all its moments.
    greatest: Limit | None  #: see ``least``
    above: bool = False  #: whether the least and the greatest are themselves left out
    below: bool = False  #: see ``above``

    def __str__(self) -> str:
        least = "" if self.least is None else limit_text(self.least)
        greatest = "" if self.greatest is None else limit_text(self.greatest)
        return f"{'>' if self.above else ''}{least}..{'<' if self.below else ''}{greatest}"

    def holds(self, text: str) -> bool:
        """Return whether a cell is a number, or a date, in the range."""
        return (self.least is None or reaches(text, self.least, strict=self.above)) and (
            self.greatest is None or reaches(text, self.greatest, strict=self.below, down=True)
        )


Condition: TypeAlias = AnyOf | NoneOf | Between
Predicate: TypeAlias = tuple[tuple[str, Condition], ...]
"""Conditions on columns that are not sensitive, sorted by column; empty for all records."""


def value_set(values: Sequence[str]) -> str:
    """Return values as they are written in a condition: one alone, several in braces."""
    if len(values) == 1:
        return written(values[0])
    return "{" + ", ".join(written(value, ",") for value in values) + "}"


def written(value: str, besides: str = "") -> str:
    """Return a value, quoted if it has a meaning in condition texts."""
    if _NOT_PLAIN.search(value) is None and not (besides and besides in value):
        return value
    return json.dumps(value, ensure_ascii=False)


def condition_of(column: object, given: object) -> Condition:
    """Return the condition that a JSON value states: a value, a list of values, a range or ``{"not": …}``."""
    if isinstance(given, Mapping):
        return NoneOf(_values(column, given["not"])) if set(given) == {"not"} else _range(column, given)
    return AnyOf(_values(column, given))


def _range(column: object, given: Mapping[object, object]) -> Between:
    least, greatest = ([key for key in keys if key in given] for keys in (("min", "above"), ("max", "below")))
    if not given or not set(given) <= {*least, *greatest} or max(len(least), len(greatest)) > 1:
        raise ParameterError(
            f'column {column!r}: a range is {{"min": 20, "max": 40}}, or one of the two, with "above" or '
            '"below" for a limit that is left out'
        )
    return between(
        column,
        range_end(column, given[least[0]], last=least == ["above"]) if least else None,
        range_end(column, given[greatest[0]], last=greatest == ["max"]) if greatest else None,
        above=least == ["above"],
        below=greatest == ["below"],
    )


def between(
    column: object, least: Limit | None, greatest: Limit | None, *, above: bool = False, below: bool = False
) -> Between:
    """Return a range.

    Raises
    ------
    ParameterError
        If its limits are of two kinds, or exchanged.
    """
    found = Between(least, greatest, above=above, below=below)
    if least is not None and greatest is not None:
        ordered = same_kind(least, greatest)
        if ordered is None and (in_days := range_of_days(found)) is not None:  # a year and a date
            return in_days
        if ordered is None:
            raise ParameterError(f"column {column!r}: give two numbers or two dates as the limits of a range")
        if ordered[0] > ordered[1]:
            raise ParameterError(
                f"column {column!r}: min {limit_text(least)} is above max {limit_text(greatest)}: "
                "exchange them"
            )
    return found


def range_of_days(condition: Condition) -> Between | None:
    """Return the range of days that a condition on years, quarters or months means; None for any other."""
    above = below = False
    if isinstance(condition, Between):
        least, greatest = (
            "" if end is None else limit_text(end) for end in (condition.least, condition.greatest)
        )
        above, below = condition.above, condition.below
    elif isinstance(condition, AnyOf) and len(condition.values) == 1:
        least, dots, greatest = condition.values[0].partition("..")
        greatest = greatest if dots else least
    else:
        return None
    first, last = days(least), days(greatest)
    if (first is None) != (not least) or (last is None) != (not greatest):
        return None
    low, high = first and first[1 if above else 0], last and last[0 if below else 1]
    return None if low and high and low > high else Between(low, high, above, below)


def _values(column: object, given: object) -> tuple[str, ...]:
    values = given if isinstance(given, list | tuple) else [given]
    if not values:
        raise ParameterError(f"column {column!r}: the list of values is empty: name at least one")
    return tuple(dict.fromkeys(_text(column, value) for value in values))


def _text(column: object, value: object) -> str:
    if value is None:
        raise ParameterError(
            f'column {column!r}: null is no value: give "" for cells without content, or the text that was '
            "published for them"
        )
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise ParameterError(
            f'column {column!r}: {value!r} is no value: give a text, a list of them or {{"min": …, "max": …}}'
        )
    return repr(value) if isinstance(value, float) else str(value)


def range_end(column: object, given: object, *, last: bool) -> Limit:
    """Return the limit that a text or a number states, of a quarter or a month its first or its last day.

    Raises
    ------
    ParameterError
        If it states none.
    """
    known = not isinstance(given, bool) and isinstance(given, str | int | float)
    found = end_of(str(given), last=last) if known else None
    if found is None:
        raise ParameterError(
            f"column {column!r}: {given!r} is no number and no date: write a limit such as 20, 37.5, "
            "2024-12-31 or 2024-Q1"
        )
    return found
