"""Translation of a query on the original columns into one on the columns of a release."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from splu_ref.channels import ParameterError
from splu_ref.data import JOINED_BY, OTHER, Bins, Cross, Dropped, Hashed, Rare, Recoding, Records, number
from splu_ref.estimators.queries.conditions import AnyOf, Between, Condition, range_of_days
from splu_ref.estimators.queries.limits import days, moment
from splu_ref.estimators.queries.query import Query, suggestion
from splu_ref.mechanisms import Manifest


def recoded_query(query: Query, manifest: Manifest | None, table: Records) -> Query:
    """Return the query by the columns of the release.

    A year, quarter or month means its days in a column of days, unless it is a value there.

    Parameters
    ----------
    query
        Conditions on columns of the release, of those that a crossing replaced, or on numbers within bins.
    manifest
        The recoding steps, the values of the sensitive columns, and the text published for missing cells.
    table
        The published table.

    Raises
    ------
    ParameterError
        If the release does not determine the query, such as a part of a bin, or has other values for it;
        the message suggests another.
    """
    conditions, known = dict(query.conditions), _ReleaseValues(manifest, table)
    for step in known.steps:
        if isinstance(step, Cross):
            parts = {part: conditions.pop(part) for part in step.parts if part in conditions}
            if parts:
                conditions[step.column] = _crossed(step, parts, conditions.get(step.column), known)
        elif step.column in conditions:
            values = known.of(step.column)
            conditions[step.column] = _CHANGED[type(step)](step, conditions[step.column], values)
    return Query(tuple((column, _by_values(column, each, known)) for column, each in conditions.items()))


class _ReleaseValues:
    """The possible values of a column in a release, including columns that a crossing replaced."""

    def __init__(self, manifest: Manifest | None, table: Records) -> None:
        self._table = table
        self.steps = () if manifest is None else manifest.recoded
        self.domains = {} if manifest is None else manifest.domains
        self.missing = None if manifest is None else manifest.missing

    def of(self, column: str) -> list[str]:
        if column in self.domains:
            return list(self.domains[column])
        if column in self._table.columns:
            return list(self._table.values(column))
        for step in self.steps:
            if isinstance(step, Cross) and column in step.parts:
                place = step.parts.index(column)
                return list(dict.fromkeys(parts[place] for _, parts in self.pairs(step)))
        return []

    def pairs(self, step: Cross) -> list[tuple[str, list[str]]]:
        """Return the values of a crossing with their parts, except grouped ones."""
        divided = [(value, value.split(JOINED_BY)) for value in self.of(step.column)]
        return [(value, parts) for value, parts in divided if len(parts) == len(step.parts)]


def _by_values(column: str, condition: Condition, known: _ReleaseValues) -> Condition:
    """Return a condition on years, quarters or months as one on days, if these are the column's values."""
    named = set() if isinstance(condition, Between) else set(condition.values)
    if "" in named and known.missing is not None and "" not in known.domains.get(column, ("",)):
        raise ParameterError(f'{column}="": empty cells were published as {known.missing!r}: ask for that')
    in_days = range_of_days(condition)
    if in_days is None or in_days == condition or (named and in_days.least == in_days.greatest):
        return condition
    values = known.of(column)
    has_value = any(each in named if named else number(each) is not None for each in values)
    return condition if has_value or not any(map(moment, values)) else in_days


def _crossed(
    step: Cross, conditions: dict[str, Condition], besides: Condition | None, known: _ReleaseValues
) -> Condition:
    name = " and ".join(f"{part}={condition}" for part, condition in conditions.items())
    if besides is not None:
        raise ParameterError(f"{name} and {step.column}={besides} ask of one column: ask of {step.column}")
    for part, condition in conditions.items():
        if isinstance(condition, Between):
            raise ParameterError(f"{part}={condition}: the column was crossed, and its values are texts")
    if OTHER in known.of(step.column):
        raise ParameterError(
            f"{name}: rare values of {step.column!r} were grouped as {OTHER!r}, and how many of these have "
            f"it is not known: ask of {step.column}"
        )
    values = [
        value
        for value, parts in known.pairs(step)
        if all(
            (parts[step.parts.index(part)] in condition.values) == isinstance(condition, AnyOf)
            for part, condition in conditions.items()
            if not isinstance(condition, Between)
        )
    ]
    if not values:
        wrong = [
            suggestion(value, known.of(part))
            for part, condition in conditions.items()
            for value in (condition.values if isinstance(condition, AnyOf) else ())
            if value not in known.of(part)
        ]
        raise ParameterError(f"no value of {step.column!r} has {name}{(wrong or [''])[0]}")
    return AnyOf(tuple(values))


def _binned(step: Recoding, condition: Condition, values: Sequence[str]) -> Condition:
    assert isinstance(step, Bins)
    wanted = f"{step.column}={condition}"
    in_days = range_of_days(condition) if step.whole is None else None
    named = condition.values if isinstance(condition, AnyOf) else ()
    known = set(named) & set(values)  # labels of bins are years, quarters and months too
    if in_days is not None and not known and not (named and in_days.least == in_days.greatest):
        condition = in_days
    if not isinstance(condition, Between):
        for value in condition.values:
            if value not in values:
                if step.whole is None and ".." in value:
                    raise _date_range(step, value, values)
                _refuse_part(step, value)
        return condition
    if OTHER in values:
        raise ParameterError(
            f"{wanted}: rare bins were published together, as {OTHER!r}: name bins that are "
            "in the release, one by one"
        )
    inside = _bins_inside(step, condition, values, wanted)
    if not inside:
        raise ParameterError(f"{wanted}: there is no such bin in the release")
    return AnyOf(tuple(inside))


def _bins_inside(step: Bins, condition: Between, values: Sequence[str], wanted: str) -> list[str]:
    """Return the bins of numbers or dates in a range, ascending, which must not cut one."""
    least, greatest = condition.least, condition.greatest
    limits = days if step.whole is None else step.limits
    kinds = {type(end) for end in (least, greatest) if end is not None}
    if kinds != {date if step.whole is None else Decimal}:
        raise _date_range(step, str(condition), values)
    inside, includes_last = [], step.whole is not False
    for value in values:
        ends: Any = limits(value)
        if ends is None:
            continue
        first, last = ends
        above = least is None or first > least or (first == least and not condition.above)
        ends_before = greatest is not None and (last < greatest or (last == greatest and not condition.below))
        below = greatest is None or ends_before or (last == greatest and not includes_last)
        meets = last == least and (condition.above or not includes_last)
        apart = (least is not None and (last < least or meets)) or (
            greatest is not None and (first > greatest or (first == greatest and condition.below))
        )
        if above and below:
            inside.append((ends, value))
        elif not apart:
            raise ParameterError(f"{wanted} cuts the bin {value}, whose parts are unknown: ask of whole bins")
    return [value for _, value in sorted(inside)]


def _date_range(step: Bins, given: str, values: Sequence[str]) -> ParameterError:
    """Return the error for a range of other limits than those of the bins, with an example of these."""
    bins = sorted(value for value in values if value[:1].isdigit()) or ["…"]
    kind, remedy = "dates are", f"name each of them, as '{step.column}={'|'.join(bins[:2])}'"
    if step.width == "year":
        remedy = f"give years, as '{step.column}={bins[0]}..{bins[-1]}'"
    elif step.whole is not None:
        kind, remedy = "numbers are", f"give numbers, as '{step.column}={bins[0]}'"
    return ParameterError(f"{step.column}={given}: {kind} selected by their bins: {remedy}")


def _refuse_part(step: Bins, value: str) -> None:
    """Raise if the value lies within a bin; other texts may name a bin without published records."""
    try:
        label = step.label(value)
    except (ValueError, ArithmeticError):
        return
    raise ParameterError(
        f"{step.column}={value} is not known: the column was published in bins of {step.width}: ask "
        f"{step.column}={label}"
    )


def _grouped(step: Recoding, condition: Condition, values: Sequence[str]) -> Condition:
    assert isinstance(step, Rare)
    if not isinstance(condition, Between):
        for value in condition.values:
            if value not in values:
                raise ParameterError(
                    f"{step.column}={value} is not known: values of fewer than {step.least} records were "
                    f"published as {OTHER!r}"
                )
        return condition
    raise ParameterError(f"{step.column}={condition}: rare values were grouped: name values one by one")


def _hidden(step: Recoding, condition: Condition, values: Sequence[str]) -> Condition:
    assert isinstance(step, Hashed)
    if not isinstance(condition, Between) and set(condition.values) <= set(values):
        return condition
    raise ParameterError(
        f"{step.column}={condition}: the values were published as hashes: ask of one of them"
    )


def _gone(step: Recoding, condition: Condition, _: Sequence[str]) -> Condition:
    raise ParameterError(f"{step.column}={condition}: the column {step.column!r} was not published")


_CHANGED = {Bins: _binned, Rare: _grouped, Hashed: _hidden, Dropped: _gone}
