"""Limits of a range: numbers in decimal digits, days and moments as ISO 8601 writes them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypeAlias

from splu_ref.microdata.values import number

Limit: TypeAlias = Decimal | date
"""A number, a day, or a moment (a `datetime` without a time zone)."""

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def moment(text: str) -> datetime | None:
    """Return the moment that a text writes as a date, with or without a time, in UTC if it names a zone."""
    if _DATE.match(text) is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is None else found.astimezone(UTC).replace(tzinfo=None)


def limit(text: str) -> Limit | None:
    """Return the limit that a text writes: a number, a day, or a moment; None for anything else."""
    found = number(text)
    if found is not None:
        return found
    at = moment(text)
    return at.date() if at is not None and _DATE.fullmatch(text) else at


def limit_text(value: Limit) -> str:
    """Return a limit as `limit` reads it."""
    return value.isoformat() if isinstance(value, date) else str(value)


def reaches(text: str, limit: Limit, *, strict: bool, down: bool = False) -> bool:
    """Return whether a cell is of a limit's kind and above it, or at it unless ``strict``.

    With ``down`` it is below. A day as a limit stands for all its moments.
    """
    value: Decimal | int | None
    if isinstance(limit, Decimal):
        value, end = number(text), limit
    else:
        at = moment(text)
        day = at is not None and not isinstance(limit, datetime)
        value = None if at is None else _stamp(at.date() if day else at)
        end = Decimal(_stamp(limit))
    return value is not None and ((value == end and not strict) or (value < end if down else value > end))


def same_kind(first: Limit, second: Limit) -> tuple[Decimal, Decimal] | None:
    """Return two limits as numbers in their order, or None if one is a number and the other a date."""
    if isinstance(first, Decimal) and isinstance(second, Decimal):
        return first, second
    if isinstance(first, Decimal) or isinstance(second, Decimal):
        return None
    return Decimal(_stamp(first)), Decimal(_stamp(second))


def _stamp(at: date) -> int:
    """Return microseconds since a fixed day, of a day those of its beginning."""
    return at.toordinal() * 86_400_000_000 + (
        ((at.hour * 60 + at.minute) * 60 + at.second) * 1_000_000 + at.microsecond
        if isinstance(at, datetime)
        else 0
    )
