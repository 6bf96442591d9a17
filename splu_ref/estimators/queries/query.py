"""A query: how many records satisfy a conjunction of conditions, one per column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from typing import NamedTuple, Self, TypeAlias

from splu_ref.model import ParameterError


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The column holds one of these values, as texts, at least one."""

    values: tuple[str, ...]

    def __str__(self) -> str:
        return self.values[0] if len(self.values) == 1 else "{" + ", ".join(self.values) + "}"


@dataclass(frozen=True, slots=True)
class Between:
    """The column holds a number from ``least`` to ``greatest``, both included; None is no limit."""

    least: Decimal | None
    greatest: Decimal | None

    def __str__(self) -> str:
        least = "" if self.least is None else str(self.least)
        greatest = "" if self.greatest is None else str(self.greatest)
        return f"{least}..{greatest}"


Condition: TypeAlias = AnyOf | Between
Predicate: TypeAlias = tuple[tuple[str, Condition], ...]
"""Conditions on columns that are not sensitive, sorted by column; empty for all records."""


@dataclass(frozen=True, slots=True)
class Query:
    """A conjunction of conditions on distinct columns, at least one.

    Attributes
    ----------
    conditions
        Pairs (column, condition), sorted by column.
    """

    conditions: tuple[tuple[str, Condition], ...]

    def __post_init__(self) -> None:
        if not self.conditions:
            raise ParameterError('a query needs at least one condition, such as {"occupation": "Sales"}')
        columns = [column for column, _ in self.conditions]
        for column in columns:
            if columns.count(column) > 1:
                raise ParameterError(f"a query names column {column!r} twice: give each column one condition")
        object.__setattr__(self, "conditions", tuple(sorted(self.conditions, key=lambda pair: pair[0])))

    @classmethod
    def of(cls, where: Mapping[str, object]) -> Self:
        """Return the query with the given conditions.

        Parameters
        ----------
        where
            By column a value (text, or a whole or decimal number, meant as its text), a list of values (any
            of them), or ``{"min": a, "max": b}`` with one or both limits, on a column of numbers.

        Raises
        ------
        ParameterError
            For anything else.

        Examples
        --------
        >>> str(Query.of({"occupation": ["Sales", "Tech-support"], "hours_per_week": {"min": 20}}))
        'hours_per_week=20.. and occupation={Sales, Tech-support}'
        """
        if not isinstance(where, Mapping):
            raise ParameterError('a query is an object such as {"age": "39", "occupation": "Sales"}')
        return cls(tuple((str(column), _condition(column, given)) for column, given in where.items()))

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Return the query written as ``COLUMN=VALUE``, ``COLUMN>=NUMBER`` or ``COLUMN<=NUMBER`` texts.

        The first ``=`` divides; the value may contain others. A lower and an upper limit of one column may
        both be given.
        """
        where: dict[str, object] = {}
        for text in texts:
            column, equals, value = text.partition("=")
            limit = {">": "min", "<": "max"}.get(column[-1:])
            column = column[:-1] if limit else column
            if not equals or not column:
                raise ParameterError(f"{text!r} is no condition: write COLUMN=VALUE, or COLUMN>=NUMBER")
            known = where.get(column)
            if limit and isinstance(known, dict) and limit not in known:
                known[limit] = value
            elif column in where:
                raise ParameterError(
                    f"column {column!r} is named twice: give several values as a list in a --batch file"
                )
            else:
                where[column] = {limit: value} if limit else value
        return cls.of(where)

    def __str__(self) -> str:
        return " and ".join(f"{column}={condition}" for column, condition in self.conditions)


class ResolvedQuery(NamedTuple):
    """A query as codes of one published table.

    Attributes
    ----------
    predicate
        Its conditions on columns that are not sensitive.
    members
        For each sensitive column that it names, in the estimator's order, the codes of the values counted.
    named
        For each of these columns how many values are meant, at least 1: more than members if some are not
        published.
    """

    predicate: Predicate
    members: tuple[tuple[int, ...], ...]
    named: tuple[int, ...]

    def alone(self, place: int) -> ResolvedQuery:
        """Return the query with the condition on one of its sensitive columns only."""
        return ResolvedQuery(self.predicate, (self.members[place],), (self.named[place],))


def selected(column: str, condition: Condition, domain: Sequence[str], *, complete: bool = True) -> list[int]:
    """Return the places in ``domain`` of the values that satisfy a condition, ascending.

    Parameters
    ----------
    column
        Its name, for messages.
    condition
        What is asked.
    domain
        The values of the column, as texts.
    complete
        Whether other values are impossible; if not, they are selected nowhere.

    Raises
    ------
    ParameterError
        For a value that the complete domain lacks, or a range on a column that holds no numbers.
    """
    if isinstance(condition, Between):
        return _in_range(column, condition, domain)
    places = {value: place for place, value in enumerate(domain)}
    for value in condition.values:
        if value not in places and complete:
            raise ParameterError(f"{value!r} is not a value of {column!r}{suggestion(value, domain)}")
    return sorted({places[value] for value in condition.values if value in places})


def suggestion(value: str, domain: Sequence[str]) -> str:
    """Return how a message goes on that refuses a value: what may have been meant."""
    close = get_close_matches(value, domain, n=3)
    if close:
        return f": did you mean {' or '.join(map(repr, close))}?"
    return f": it has {', '.join(domain[:20])}" + (", …" if len(domain) > 20 else "")


def _in_range(column: str, condition: Between, domain: Sequence[str]) -> list[int]:
    numbers = [number(value) for value in domain]
    if all(value is None for value in numbers):
        raise ParameterError(
            f"column {column!r} holds no numbers, such as {domain[0]!r}: name values instead of a range"
        )
    least, greatest = condition.least, condition.greatest
    return [
        place
        for place, value in enumerate(numbers)
        if value is not None and (least is None or value >= least) and (greatest is None or value <= greatest)
    ]


def number(text: str) -> Decimal | None:
    """Return the number that a text writes in decimal digits, or None."""
    if "_" in text:  # Python reads 1_000 as a number
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def _condition(column: object, given: object) -> Condition:
    if isinstance(given, Mapping):
        if not given or not set(given) <= {"min", "max"}:
            raise ParameterError(f'column {column!r}: a range is {{"min": 20, "max": 40}}, or one of the two')
        limits = [_limit(column, given[key]) if key in given else None for key in ("min", "max")]
        if limits[0] is not None and limits[1] is not None and limits[0] > limits[1]:
            raise ParameterError(
                f"column {column!r}: min {limits[0]} is above max {limits[1]}: exchange them"
            )
        return Between(limits[0], limits[1])
    values = given if isinstance(given, list | tuple) else [given]
    if not values:
        raise ParameterError(f"column {column!r}: the list of values is empty: name at least one")
    return AnyOf(tuple(dict.fromkeys(_text(column, value) for value in values)))


def _text(column: object, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise ParameterError(
            f'column {column!r}: {value!r} is no value: give a text, a list of them or {{"min": …, "max": …}}'
        )
    return repr(value) if isinstance(value, float) else str(value)


def _limit(column: object, given: object) -> Decimal:
    value = (
        None if isinstance(given, bool) or not isinstance(given, str | int | float) else number(str(given))
    )
    if value is None:
        raise ParameterError(f"column {column!r}: {given!r} is no number: write a limit such as 20 or 37.5")
    return value
