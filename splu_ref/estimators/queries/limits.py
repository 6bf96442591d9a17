"""Limits of a range: numbers in decimal digits, days and moments as ISO 8601 writes them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from calendar import monthrange
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import ParameterError
from splu_ref.data import number

Limit: TypeAlias = Decimal | date
"""A number, a day, or a moment (a `datetime` without a time zone)."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CALENDAR = re.compile(r"\d{4}-(?:\d\d-\d\d|(?:\d\d|Q\d)$)")
_PERIOD = re.compile(r"((?!0000)\d{4})(?:-Q([1-4])|-(0[1-9]|1[0-2]))?")


def moment(text: str) -> datetime | None:
    """Return the moment that a text writes as a date, with or without a time, in UTC if it names a zone."""
    if _DATE.match(text) is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):  # no date, or one that is before the first or after the last in UTC
        return None


def limit(text: str) -> Limit | None:
    """Return the limit that a text writes: a number, a day, or a moment; None for anything else."""
    found = number(text)
    if found is not None:
        return found
    at = moment(text)
    return at.date() if at is not None and _DATE.fullmatch(text) else at


def days(text: str) -> tuple[date, date] | None:
    """Return the first and the last day of a year, a quarter (2024-Q1), a month (2024-03), or a day."""
    found = limit(text)
    if isinstance(found, date):
        return None if isinstance(found, datetime) else (found, found)
    match = _PERIOD.fullmatch(text)
    if match is None:
        return None
    year, quarter, month = (int(part or 0) for part in match.groups())
    first = month or 3 * quarter - 2 if month or quarter else 1
    last = first + (0 if month else 2 if quarter else 11)
    return date(year, first, 1), date(year, last, monthrange(year, last)[1])


def end_of(text: str, *, last: bool) -> Limit | None:
    """Return the limit that a text writes, of a quarter or a month its first or its last day.

    Raises
    ------
    ParameterError
        For a day, month or quarter that does not exist.
    """
    found, period, written = limit(text), days(text), _CALENDAR.match(text)
    if written is not None and days(written.group()) is None:
        kind = "day" if _DATE.fullmatch(written.group()) else "month or quarter"
        raise ParameterError(f"{written.group()!r} is no {kind} of the calendar: correct it")
    return period[last] if found is None and period is not None else found


def limit_text(value: Limit) -> str:
    """Return a limit as `limit` reads it."""
    return value.isoformat() if isinstance(value, date) else str(value)


def reaches(text: str, limit: Limit, *, strict: bool, down: bool = False) -> bool:
    """Return whether a cell is of a limit's kind and above it, or at it unless ``strict``.

    With ``down`` it is below. A day as a limit stands for all its moments.
    """
    value, end = _reader(limit)(text), _end(limit)
    return value is not None and ((value == end and not strict) or (value < end if down else value > end))


class Scale:
    """The texts of one kind of limit (numbers, days or moments) in ascending order."""

    def __init__(self, texts: Sequence[str], like: Limit) -> None:
        read = _reader(like)
        placed = [(value, place) for place, text in enumerate(texts) if (value := read(text)) is not None]
        placed.sort(key=itemgetter(0))
        self.values: list[Decimal | int] = [value for value, _ in placed]
        self._order = np.array([place for _, place in placed], dtype=np.int64)
        self._size = len(texts)

    def reaching(self, limit: Limit, *, strict: bool, down: bool = False) -> NDArray[np.bool_]:
        """Return which texts are above a limit, or at it unless ``strict``; below it with ``down``."""
        at = (bisect_left if strict == down else bisect_right)(self.values, _end(limit))
        holds = np.zeros(self._size, dtype=np.bool_)
        holds[self._order[:at] if down else self._order[at:]] = True
        return holds


def _reader(limit: Limit) -> Callable[[str], Decimal | int | None]:
    """Return the parser of the kind of a limit, which returns None for other texts."""
    if isinstance(limit, Decimal):
        return number
    return _time if isinstance(limit, datetime) else _day


def _end(limit: Limit) -> Decimal:
    return limit if isinstance(limit, Decimal) else Decimal(_stamp(limit))


def _day(text: str) -> int | None:
    at = moment(text)
    return None if at is None else _stamp(at.date())


def _time(text: str) -> int | None:
    at = moment(text)
    return None if at is None else _stamp(at)


def same_kind(first: Limit, second: Limit) -> tuple[Decimal, Decimal] | None:
    """Return two limits as numbers in their order, or None if one is a number and the other a date."""
    if isinstance(first, Decimal) and isinstance(second, Decimal):
        return first, second
    if isinstance(first, Decimal) or isinstance(second, Decimal):
        return None
    return _end(first), _end(second)


def _stamp(at: date) -> int:
    """Return microseconds since a fixed day, of a day those of its beginning."""
    return at.toordinal() * 86_400_000_000 + (
        ((at.hour * 60 + at.minute) * 60 + at.second) * 1_000_000 + at.microsecond
        if isinstance(at, datetime)
        else 0
    )
