"""Queries with Python values: numbers, dates, booleans match all cells of equal value, in any notation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, cast

import numpy as np

from splu_ref.channels import ParameterError
from splu_ref.data import number
from splu_ref.estimators import AnyOf, Condition, NoneOf, Query
from splu_ref.mechanisms import PublishedTable

_LENGTH_OF_DATE = 10


class Conditions:
    """Conversion of conditions on the columns of a published table into queries."""

    def __init__(self, release: PublishedTable) -> None:
        self._release = release
        self._known: dict[str, tuple[str, ...]] = {}

    def query(self, where: Mapping[str, object]) -> Query:
        """Return the query of all conditions together.

        A condition is a value, a list, tuple or set of values (any of them: ``(1, 2)`` is no range), a range
        ``{"min": 1, "max": 2}`` with one or both ends, or ``{"not": values}``.
        """
        if not isinstance(where, Mapping):
            raise ParameterError(
                f"{where!r} is no query: give conditions by column, as keywords or as a mapping such as "
                '{"occupation": "Sales", "age": {"min": 30}}'
            )
        if not where:
            raise ParameterError('a query needs at least one condition, such as occupation="Sales"')
        return Query(tuple((column, self._condition(column, given)) for column, given in where.items()))

    def values(self, column: str) -> tuple[str, ...]:
        """Return the values of a column as texts: the whole domain of a sensitive one."""
        if column not in self._known:
            known = self._release.domains.get(column)
            if known is None and column not in self._release.table.columns:
                known = ()  # a part of a crossing, or a column that is refused when the query is answered
            if known is None:
                known = tuple(sorted(self._release.table.values(column)))
            self._known[column] = known
        return self._known[column]

    def _condition(self, column: str, given: object) -> Condition:
        values = self.values(column)
        if isinstance(given, Mapping):
            return (
                NoneOf(_any(column, given["not"], values)) if set(given) == {"not"} else _range(column, given)
            )
        return AnyOf(_any(column, given, values))


def _any(column: str, given: object, values: Sequence[str]) -> tuple[str, ...]:
    """Return the texts of the cells equal to any of the values."""
    one = not isinstance(given, Iterable) or isinstance(given, str | bytes)
    several = [given] if one else list(cast("Iterable[object]", given))
    found = dict.fromkeys(text for value in several for text in _found(column, value, values))
    if not found:
        raise ParameterError(f"column {column!r}: there is no value in the list: name at least one")
    return tuple(found)


def _found(column: str, value: Any, values: Sequence[str]) -> Iterable[str]:
    """Return the texts of the cells equal to a value; the value's text if there is none."""
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or type(value).__name__ in {"NAType", "NaTType"} or _is_nan(value):
        return [""]
    if isinstance(value, str):
        moment = None if value in values or len(value) < _LENGTH_OF_DATE else _written_moment(value)
        same = [text for text in values if _written_moment(text) == moment] if moment is not None else []
        return same or [value]
    if isinstance(value, bool):
        return [text for text in values if text.lower() == str(value).lower()] or [str(value)]
    if type(value).__name__ == "Interval":
        return [str(value)]
    if isinstance(value, date):
        moment = _moment(value)
        return [text for text in values if _written_moment(text) == moment] or [str(value)]
    if isinstance(value, int | float | Decimal):
        wanted = Decimal(repr(value) if isinstance(value, float) else value)
        return [text for text in values if number(text) == wanted] or [str(value)]
    raise ParameterError(
        f"column {column!r}: {value!r} is no value: give a text, a number, a date, a list of them or "
        '{"min": …, "max": …}'
    )


def _range(column: str, given: Mapping[Any, Any]) -> Condition:
    limits = {key: value.item() if isinstance(value, np.generic) else value for key, value in given.items()}
    texts = {key: value.isoformat() if isinstance(value, date) else value for key, value in limits.items()}
    [(_, found)] = Query.of({column: texts}).conditions
    return found


def _moment(value: date) -> np.datetime64:
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value.isoformat())


def _written_moment(text: str) -> np.datetime64 | None:
    try:
        moment = np.datetime64(text.removesuffix("Z"))
    except ValueError:
        return None
    return None if np.isnat(moment) else moment


def _is_nan(value: object) -> bool:
    return isinstance(value, float | Decimal) and math.isnan(value)
