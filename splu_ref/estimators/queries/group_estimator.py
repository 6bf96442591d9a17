"""Estimator for perturbed generalization, where one record per group is published."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache
from math import sqrt
from typing import NamedTuple

from splu_ref.channels import DataError, ParameterError
from splu_ref.data import Microdata, number
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.conditions import AnyOf, Between, Condition, NoneOf
from splu_ref.estimators.queries.limits import reaches
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.estimators.queries.record_states import sum_interval
from splu_ref.mechanisms import BETWEEN, SIZE, PerturbedGeneralization, ReleaseData

ABOVE = (
    "each group publishes one record, so the variance estimate is biased upwards over releases, the more the "
    "shares of groups differ; in one release it is too small if the few groups of a large size publish equal "
    "values, for which the interval is widened"
)


class _Place(Enum):
    """Position of a group's range relative to a condition."""

    INSIDE, OUTSIDE, CUT = range(3)


class _Range(NamedTuple):
    """The published range of a group in one column."""

    least: str
    greatest: str

    @classmethod
    def read(cls, cell: str) -> _Range:
        least, between, greatest = cell.partition(BETWEEN)
        return cls(least, greatest if between else least)


class GroupEstimator:
    """Estimator of queries on a release by perturbed generalization.

    A group of k records with published value y adds k ([y in S] - (1-p)|S|/m)/p to the count of the values S,
    with the mean of its true count. The estimate is unbiased for conditions that cut no group. For other
    conditions there is no estimate, because it is not published which records of a group satisfy them. The
    variance sum k^2 t (1-t)/p^2, t the probability that a group publishes a value of S, has no unbiased
    estimate, because each group is observed once. With s of the n groups of one size in S, s (n-s)/(n-1) has
    a mean of at least sum t (1-t). The interval combines those of the sizes: 1.96 standard errors on both
    sides, extended to the score interval (Wilson 1927) of the mean of t.

    Parameters
    ----------
    release
        The published table, by `PerturbedGeneralization`.

    Raises
    ------
    DataError
        If the table does not hold the sizes of its groups, each at least k.
    """

    def __init__(self, release: ReleaseData) -> None:
        assert isinstance(release.mechanism, PerturbedGeneralization)
        assert isinstance(release.table, Microdata)
        self._mechanism = release.mechanism
        self._domain = release.domains[self._mechanism.column]
        self._shown = release.table.cells(self._mechanism.column)
        sizes = release.table.cells(SIZE)
        if not all(
            size.isascii() and size.isdigit() and int(size) >= release.mechanism.least for size in sizes
        ):
            raise DataError(
                f"column {SIZE!r} does not hold the sizes of groups of {release.mechanism.least} or more "
                "records: give the table and the manifest of one release"
            )
        self._sizes = [int(size) for size in sizes]
        self._ranges = {
            name: [_Range.read(cell) for cell in release.table.cells(name)] for name in self._mechanism.quasi
        }
        self._placed = cache(self._places)

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered; as the call."""
        self._inside(query)

    def __call__(self, queries: Sequence[Query], method: str | None = None) -> list[QueryEstimate]:
        """Return an answer to each query."""
        if method not in {None, "inversion"}:
            raise ParameterError(f"a release by {self._mechanism.name} has the method 'inversion' only")
        return [self._answer(query) for query in queries]

    def _inside(self, query: Query) -> tuple[set[str], list[int]]:
        """Return the counted values, and the groups that satisfy the other conditions."""
        conditions = dict(query.conditions)
        counted = conditions.pop(self._mechanism.column, None)
        if counted is None:
            raise ParameterError(
                f"{query} names no value of the sensitive column {self._mechanism.column!r}: name one"
            )
        values = {self._domain[place] for place in selected(self._mechanism.column, counted, self._domain)}
        groups, cut, by = [], 0, ""
        places = [(name, self._placed(name, condition)) for name, condition in conditions.items()]
        for group in range(len(self._sizes)):
            found = {placed[group]: name for name, placed in places}
            if _Place.OUTSIDE in found:
                continue
            if _Place.CUT in found:
                cut, by = cut + 1, by or found[_Place.CUT]
            else:
                groups.append(group)
        if cut:
            raise ParameterError(
                f"{query}: the condition on {by!r} cuts groups ({cut} of {len(self._sizes)}), and which of a "
                "group's records meet it is not published: no estimator answers this; ask for whole ranges"
            )
        return values, groups

    def _answer(self, query: Query) -> QueryEstimate:
        values, groups = self._inside(query)
        keep = self._mechanism.retention
        replacement = self._mechanism.law.absent_probability * len(values)
        shown: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        for group in groups:
            shown[self._sizes[group]][self._shown[group] in values] += 1
        weighted, variance = Fraction(0), Fraction(0)
        reaches: list[tuple[float, float]] = []
        for size, (others, seen) in shown.items():
            weighted += size * (seen - (others + seen) * replacement)
            spread = (
                Fraction(others * seen, others + seen - 1)
                if others + seen > 1
                else _largest_spread(replacement, keep)
            )
            variance += size**2 * spread
            below, above = _reach(seen, others + seen, float(spread))
            each = float(size / keep)
            reaches.append((each * below, each * above))
        estimate, variance = weighted / keep, variance / keep**2
        records, hits = sum(self._sizes[group] for group in groups), sum(each[1] for each in shown.values())
        settled = not groups or len(values) in (0, len(self._domain))
        if settled:
            variance = Fraction(0)
        error = sqrt(variance)
        ends = sum_interval(float(estimate), error, records, reaches)
        return QueryEstimate(
            estimate=float(estimate),
            standard_error=error,
            interval=(float(estimate), float(estimate)) if settled else ends,
            method="inversion",
            published_count=hits,
            predicate_count=records,
            note=None if settled else ABOVE,
            exact=settled,
        )

    def _places(self, name: str, condition: Condition) -> list[_Place]:
        """Return the position of each group relative to a condition on one column."""
        if name not in self._ranges:
            known = ", ".join((*self._mechanism.quasi, self._mechanism.column))
            raise DataError(f"there is no column {name!r} in the groups: the columns are {known}")
        size = name in self._mechanism.numbers
        if isinstance(condition, Between):
            return [_between(each, condition, numeric=size) for each in self._ranges[name]]
        found = [_among(each, condition.values, numeric=size) for each in self._ranges[name]]
        if isinstance(condition, NoneOf):
            turned = {_Place.INSIDE: _Place.OUTSIDE, _Place.OUTSIDE: _Place.INSIDE, _Place.CUT: _Place.CUT}
            found = [turned[place] for place in found]
        elif all(place is _Place.OUTSIDE for place in found):
            raise ParameterError(
                f"{AnyOf(condition.values)} is in no group's range of {name!r}: check its spelling"
            )
        return found


def _largest_spread(replacement: Fraction, keep: Fraction) -> Fraction:
    """Return the largest t (1-t) for t between a replacement probability and that plus p."""
    nearest = min(max(Fraction(1, 2), replacement), replacement + keep)
    return nearest * (1 - nearest)


def _reach(seen: int, groups: int, spread: float) -> tuple[float, float]:
    """Return the lengths of a 95 % interval below and above the observed number of groups.

    The interval combines 1.96 standard deviations with the score interval under equal probabilities, which
    have the largest variance.
    """
    square = NORMAL_95**2
    scale = groups / (groups + square)
    middle = (seen + square / 2) * scale
    half = NORMAL_95 * sqrt(seen * (groups - seen) / groups + square / 4) * scale
    wide = NORMAL_95 * sqrt(spread)
    return max(wide, seen - middle + half), max(wide, middle + half - seen)


def _among(group_range: _Range, values: Sequence[str], *, numeric: bool) -> _Place:
    """Return the position of a range relative to values; a range that contains one is cut."""
    if group_range.least == group_range.greatest:
        return _Place.INSIDE if group_range.least in values else _Place.OUTSIDE
    ends = _ordered(group_range.least, numeric=numeric), _ordered(group_range.greatest, numeric=numeric)
    reached = any(ends[0] <= _ordered(value, numeric=numeric) <= ends[1] for value in values)
    return _Place.CUT if reached else _Place.OUTSIDE


def _ordered(value: str, *, numeric: bool) -> tuple[bool, Decimal, str]:
    """Return the sort key of a value; texts follow numbers."""
    found = number(value) if numeric else None
    return (numeric and found is None, Decimal(0) if found is None else found, value)


def _between(group_range: _Range, condition: Between, *, numeric: bool) -> _Place:
    """Return the position of a range relative to limits; a range of texts is cut."""
    if group_range.least == group_range.greatest:
        return _Place.INSIDE if condition.holds(group_range.least) else _Place.OUTSIDE
    limits = condition.least, condition.greatest
    if not numeric or not all(limit is None or isinstance(limit, Decimal) for limit in limits):
        return _Place.CUT
    if condition.holds(group_range.least) and condition.holds(group_range.greatest):
        return _Place.INSIDE
    least, greatest = limits
    below = least is not None and not reaches(group_range.greatest, least, strict=condition.above)
    above = greatest is not None and not reaches(
        group_range.least, greatest, strict=condition.below, down=True
    )
    return _Place.OUTSIDE if below or above else _Place.CUT
