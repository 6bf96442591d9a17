"""A query: how many records satisfy a conjunction of conditions, one per column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import ParameterError
from splu_ref.data import number, ordered
from splu_ref.estimators.queries.condition_text import condition_text, read_conditions
from splu_ref.estimators.queries.conditions import (
    AnyOf,
    Between,
    Condition,
    NoneOf,
    Predicate,
    condition_of,
    written,
)
from splu_ref.estimators.queries.limits import Limit, Scale, days, end_of


@dataclass(frozen=True, slots=True)
class Query:
    """A conjunction of conditions on distinct columns, at least one."""

    conditions: tuple[tuple[str, Condition], ...]  #: pairs (column, condition), sorted by column

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
            of them), ``{"not": value or list}`` (none of them), or ``{"min": a, "max": b}`` with one or both
            limits, on a column of numbers or of dates, ``"above"`` and ``"below"`` for limits left out.

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
        return cls(tuple((str(column), condition_of(column, given)) for column, given in where.items()))

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Return the query that texts such as ``age>=30`` state, by `read_conditions` without the table."""
        return cls(read_conditions(texts))

    def __str__(self) -> str:
        """Return the query as it can be written on the command line."""
        return " and ".join(condition_text(column, condition) for column, condition in self.conditions)


class ResolvedQuery(NamedTuple):
    """A query as codes of one published table."""

    predicate: Predicate  # its conditions on columns that are not sensitive
    # for each sensitive column that it names, in the estimator's order, the codes of the values counted
    members: tuple[tuple[int, ...], ...]
    # for each of these columns how many values are meant, at least 1: more than members if some are not
    # published
    named: tuple[int, ...]

    def alone(self, place: int) -> ResolvedQuery:
        """Return the query with the condition on one of its sensitive columns only."""
        return ResolvedQuery(self.predicate, (self.members[place],), (self.named[place],))


class Values:
    """The values of a column, which evaluates conditions; numbers are parsed once."""

    def __init__(self, column: str, domain: Sequence[str]) -> None:
        self.domain = domain
        self._column = column
        self._scales: dict[type[object], Scale] = {}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {value: place for place, value in enumerate(self.domain)}

    def holding(self, condition: Condition, *, complete: bool = True) -> NDArray[np.bool_]:
        """Return whether each value satisfies a condition, shape (values,)."""
        self._require(condition, complete=complete)
        return self.matching(condition)

    def matching(self, condition: Condition) -> NDArray[np.bool_]:
        """Return whether each value satisfies a condition, without validating the condition."""
        if not isinstance(condition, Between):
            named = [self._places[value] for value in condition.values if value in self._places]
            holds = np.zeros(len(self.domain), dtype=np.bool_)
            holds[named] = True
            return holds if isinstance(condition, AnyOf) else ~holds
        holds = np.ones(len(self.domain), dtype=np.bool_)
        if condition.least is not None:
            holds &= self._scale(condition.least).reaching(condition.least, strict=condition.above)
        if condition.greatest is not None:
            scale = self._scale(condition.greatest)
            holds &= scale.reaching(condition.greatest, strict=condition.below, down=True)
        return holds

    def _require(self, condition: Condition, *, complete: bool) -> None:
        if isinstance(condition, Between):
            end = condition.least if condition.least is not None else condition.greatest
            if end is not None and not self._scale(end).values:
                numeric = isinstance(end, Decimal)
                kind, other = ("numbers", "dates") if numeric else ("dates such as 2024-12-31", "numbers")
                others = self._scale(date.min if numeric else Decimal(0)).values
                instead = f"write {other} as it does" if others else "name values instead of a range"
                raise ParameterError(
                    f"column {self._column!r} holds no {kind}, but {self.domain[0]!r}: {instead}"
                )
            return
        for value in condition.values:
            if value not in self._places and complete:
                if any(number(each) is None and days(each) for each in self.domain):
                    _require_alone(value, condition)
                raise ParameterError(
                    f"{value!r} is not a value of {self._column!r}{suggestion(value, self.domain)}"
                )
        if isinstance(condition, NoneOf) and len(self._places.keys() & condition.values) == len(self.domain):
            raise ParameterError(
                f"column {self._column!r} holds nothing else than {condition}: name fewer values"
            )

    def _scale(self, limit: Limit) -> Scale:
        """Return the values as numbers or dates, the kind of a limit."""
        if type(limit) not in self._scales:
            self._scales[type(limit)] = Scale(self.domain, limit)
        return self._scales[type(limit)]


def condition_matcher(conditions: Sequence[Condition]) -> Callable[[Sequence[str]], NDArray[np.bool_]]:
    """Return a function from values to the conditions they satisfy, shape (values, conditions)."""

    def satisfied(values: Sequence[str]) -> NDArray[np.bool_]:
        looked_up = Values("", values)
        return np.stack([looked_up.matching(condition) for condition in conditions], axis=1)

    return satisfied


def selected(column: str, condition: Condition, domain: Sequence[str], *, complete: bool = True) -> list[int]:
    """Return the places in ``domain`` of the values that satisfy a condition, ascending.

    See `Values.holding` for parameters and errors.
    """
    places: list[int] = np.flatnonzero(Values(column, domain).holding(condition, complete=complete)).tolist()
    return places


def _require_alone(value: str, condition: AnyOf | NoneOf) -> None:
    """Raise for a year, quarter or month among other values of dates, or one that does not exist."""
    end_of(value, last=False)
    period = days(value)
    alone = isinstance(condition, AnyOf) and len(condition.values) == 1
    if period is not None and period[0] < period[1] and not alone:
        raise ParameterError(
            f"{value!r} is a range of dates, which is named alone or as a limit ({value}..{value}), not in a "
            "list of values or after !="
        )


def suggestion(value: str, domain: Sequence[str]) -> str:
    """Return the end of an error message on an unknown value, with similar values."""
    by_letters = {each.casefold(): each for each in domain}
    equal = [each for each in domain if number(each) == number(value)] if number(value) is not None else []
    close = (
        equal[:3]
        or get_close_matches(value, domain, n=3)
        or [by_letters[each] for each in get_close_matches(value.casefold(), by_letters, n=3)]
    )
    if close:
        quoted = [text for each in close if (text := written(each, ",")) != each]
        in_set = f" (in a set with quotes: {', '.join(quoted)})" if quoted else ""
        return f": did you mean {' or '.join(map(repr, close))}{in_set}?"
    shown = ", ".join(written(each, ",") for each in ordered(domain)[:20])
    return f": it has {shown}" + (", …" if len(domain) > 20 else "")
