"""Tables of estimates: their cells, the groups of public columns, and rows for data frames and JSON."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple, Self

import numpy as np

from splu_ref.channels import ParameterError
from splu_ref.data import JOINED_BY, OTHER, Cross, Dropped, Recoding, ordered
from splu_ref.data import record_counts as counted
from splu_ref.estimators.answers import QueryEstimate
from splu_ref.estimators.queries.conditions import AnyOf, Condition
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.mechanisms import FloatArray, PublishedTable, ReleaseData, SpluGen, SpluGenByColumn
from splu_ref.randomness import IntArray

COUNT = "count"
NO_ESTIMATE = (
    "no estimate: the release says nothing about the mean, whose interval is the range of the numbers"
)
"""Warning of a mean about which nothing is known."""
PUBLIC = "public"
"""The method of a count that publication did not change."""


class Cell(NamedTuple):
    """A line of a table."""

    #: the value of each column of the table, as text, in order; None for a total over the column
    values: tuple[str | None, ...]
    estimate: float  #: estimated number of original records with these values among those of the table
    standard_error: float | None  #: standard error of the estimate; None if unknown, 0 for a public count
    interval: tuple[float, float] | None  #: 95 % interval, or None
    method: str  #: estimation method; `PUBLIC` for a count that publication did not change
    #: published records with all values, and with the values of columns that are not sensitive
    published_count: int
    predicate_count: int  #: see ``published_count``
    exact: bool = False  #: whether the interval has at least its nominal coverage for every count
    warning: str | None = None  #: why the interval is wide, missing or no 95 % interval; or None

    @property
    def is_known(self) -> bool:
        """Whether the estimate and its error say anything: see `NO_ESTIMATE`."""
        return self.warning != NO_ESTIMATE

    @property
    def approximation(self) -> str:
        """Kind of the interval: ``exact``, ``approximate``, or ``none`` if there is none."""
        return approximation(exact=self.exact, interval=self.interval)


@dataclass(frozen=True, kw_only=True)
class Table:
    """Estimates for all combinations of values of some columns."""

    quantity: str  #: the estimated quantity: ``count``, ``sum of age``, ``mean of age``
    by: tuple[str, ...]  #: the columns
    #: conditions on the records of the table; empty for all records of the release
    where: tuple[tuple[str, Condition], ...]
    #: A line for each combination. Combinations of values of columns that are not sensitive are those that
    #: occur.
    cells: tuple[Cell, ...]
    #: the totals of the lines: public counts of the columns that are not sensitive, counts of each sensitive
    #: column's values, and all records
    totals: tuple[Cell, ...]
    #: number of records that satisfy the conditions on columns that are not sensitive, and have a number in
    #: the measured column, if that is not sensitive either
    rows: int
    warning: str | None = None  #: reason for missing intervals, or None


def approximation(*, exact: bool, interval: object) -> str:
    """Return the kind of an interval: ``exact``, ``approximate`` or ``none``."""
    return "none" if interval is None else "exact" if exact else "approximate"


def is_exact(release: ReleaseData, query: Query, answer: QueryEstimate) -> bool:
    """Return whether the interval of an estimate has at least its nominal coverage for every count.

    True for a sensitive value alone under SPLU-Gen with retention probability 1/gamma and independent draws.
    """
    mechanism, conditions = release.mechanism, [condition for _, condition in query.conditions]
    if isinstance(mechanism, SpluGenByColumn) and query.conditions[0][0] in release.domains:
        mechanism = mechanism.for_column(query.conditions[0][0])
    alone = len(conditions) == 1 and isinstance(conditions[0], AnyOf) and len(conditions[0].values) == 1
    return answer.exact or (
        alone
        and answer.method == "mle"
        and isinstance(mechanism, SpluGen)
        and mechanism.retention == Fraction(1, mechanism.gamma)
        and mechanism.draws.bound is None
    )


def public_cell(values: tuple[str | None, ...], count: int) -> Cell:
    """Return the line of a count that publication did not change."""
    return Cell(
        values=values,
        estimate=count,
        standard_error=0.0,
        interval=(count, count),
        method=PUBLIC,
        published_count=count,
        predicate_count=count,
        exact=True,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class PublicGroups:
    """The records of a table by the values of its columns that are not sensitive."""

    columns: tuple[str, ...]  #: these columns, in the table's order; none if all are sensitive
    #: the combinations of their values that occur, ascending column by column
    values: tuple[tuple[str, ...], ...]
    counts: FloatArray  #: number of records of each combination, shape (combinations,)
    #: index of the combination of each published row, -1 if it does not satisfy the conditions, shape (rows,)
    of_row: IntArray
    times: FloatArray  #: number of records that each row represents, shape (rows,)
    where: tuple[tuple[str, Condition], ...]  #: the conditions on columns that are not sensitive

    @classmethod
    def of(cls, release: ReleaseData, by: Sequence[str], where: Sequence[tuple[str, Condition]]) -> Self:
        """Group the records that meet the conditions.

        Raises
        ------
        DataError
            If there is no such column.
        ParameterError
            For no column, one named twice, or if no record meets the conditions.
        """
        require_columns(release, by)
        public = tuple(column for column in by if column not in release.domains)
        kept = tuple(pair for pair in where if pair[0] not in release.domains)
        counts = release.table.counts
        times = np.ones(release.table.row_count) if counts is None else counts.astype(np.float64)
        inside = np.ones(len(times), dtype=np.bool_)
        for column, condition in kept:
            domain, codes = _coded(release, column)
            inside &= np.isin(codes, selected(column, condition, domain))
        if not inside.any():
            raise ParameterError(
                f"no record meets {' and '.join(column + '=' + str(one) for column, one in kept)}: change it"
            )
        coded = [_coded(release, column) for column in public]
        cells = np.zeros(len(inside), dtype=np.int64)
        for domain, codes in coded:
            cells = np.unique(cells * len(domain) + codes, return_inverse=True)[1]
        found, first, which = np.unique(cells[inside], return_index=True, return_inverse=True)
        of_row = np.full(len(inside), -1, dtype=np.int64)
        of_row[inside] = which
        places = np.flatnonzero(inside)[first]
        return cls(
            columns=public,
            values=tuple(tuple(domain[codes[place]] for domain, codes in coded) for place in places),
            counts=np.asarray(
                np.bincount(which, weights=times[inside], minlength=len(found)), dtype=np.float64
            ),
            of_row=of_row,
            times=times,
            where=kept,
        )

    def part(self, rows: range) -> Self:
        """Return the same groups of some consecutive rows alone."""
        taken = slice(rows.start, rows.stop)
        of_row, times = self.of_row[taken], self.times[taken]
        inside = of_row >= 0
        counts = np.bincount(of_row[inside], weights=times[inside], minlength=len(self.values))
        return replace(self, counts=np.asarray(counts, dtype=np.float64), of_row=of_row, times=times)

    def conditions(self, place: int) -> tuple[tuple[str, Condition], ...]:
        """Return the conditions that define a combination."""
        named = tuple(
            (column, AnyOf((value,))) for column, value in zip(self.columns, self.values[place], strict=True)
        )
        return (*(pair for pair in self.where if pair[0] not in self.columns), *named)


def require_columns(release: ReleaseData, columns: Sequence[str]) -> None:
    """Raise unless the columns are distinct, exist, and are at least one."""
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError("--by names the columns of the table, such as sex,occupation: each of them once")
    there = release.table.columns  # the sensitive column of two tables is in the other one
    known = (*there, *(name for name in release.domains if name not in there))
    for lost in (name for name in columns if name not in known):
        for step in recodings(release):
            if isinstance(step, Cross) and lost in step.parts:
                raise _crossed(step, lost, release.domains.get(step.column, ()))
            if step == Dropped(lost):
                raise ParameterError(f"the column {lost!r} was not published: name another one")
    counted.require_columns(columns, known)


def recodings(release: ReleaseData) -> tuple[Recoding, ...]:
    """Return the recodings of the original's columns before publication, as far as they are known."""
    if release.attached_manifest is not None:
        return release.attached_manifest.recoded
    return release.recoded if isinstance(release, PublishedTable) else ()


def _crossed(step: Cross, lost: str, values: Sequence[str]) -> ParameterError:
    """Return the error of a table by a part of a crossing; ``values`` are those of the crossing."""
    message = (
        f"--by {lost}: {step.column} was published in place of {' and '.join(step.parts)}: give "
        f"--by {shlex.quote(step.column)}"
    )
    if OTHER in values:
        return ParameterError(
            f"{message}, whose rare values were grouped, so that counts of {lost} are not known"
        )
    fitting = (parts for value in values if len(parts := value.split(JOINED_BY)) == len(step.parts))
    example = f"{lost}={next(fitting, ['VALUE'] * len(step.parts))[step.parts.index(lost)]}"
    return ParameterError(
        message,
        f"one query for each value of {lost}, as --where {shlex.quote(example)}",
        "several of them in a file: --batch",
    )


def _coded(release: ReleaseData, column: str) -> tuple[list[str], IntArray]:
    """Return the values of a column in table order, and each published record's index among them."""
    domain = ordered(release.table.values(column))
    return domain, counted.codes_in_domain(release.table, column, domain)


MEASURES = ("estimate", "standard_error", "low", "high", "half_width")
"""Names of the columns with floating-point numbers."""
_NAMES = {*MEASURES, "approximation", "method", "published_count", "predicate_count"}


def table_columns(table: Table) -> dict[str, list[Any]]:
    """Return the lines of a table, without totals, as columns: its values, then the numbers.

    Raises
    ------
    ParameterError
        If a column of the table has the name of a column of numbers.
    """
    for column in table.by:
        if column in _NAMES:
            raise ParameterError(
                f"the column {column!r} would stand beside the numbers of that name: rename it"
            )
    found: dict[str, list[Any]] = {
        column: [cell.values[place] for cell in table.cells] for place, column in enumerate(table.by)
    }
    ends = [cell.interval or (None, None) for cell in table.cells]
    numbers: dict[str, list[float | None]] = {
        "estimate": [cell.estimate if cell.is_known else None for cell in table.cells],
        "standard_error": [cell.standard_error if cell.is_known else None for cell in table.cells],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
        "half_width": [half_width(cell.interval) for cell in table.cells],
    }
    return (
        found
        | {name: [None if each is None else float(each) for each in some] for name, some in numbers.items()}
        | {
            "approximation": [cell.approximation for cell in table.cells],
            "method": [cell.method for cell in table.cells],
            "published_count": [cell.published_count for cell in table.cells],
            "predicate_count": [cell.predicate_count for cell in table.cells],
        }
    )


def table_object(table: Table) -> dict[str, Any]:
    """Return a table with its totals as a JSON object."""
    found: dict[str, Any] = {
        "quantity": table.quantity,
        "by": list(table.by),
        "where": str(Query(table.where)) if table.where else "",
        "rows": table.rows,
        "cells": [cell_object(table, cell) for cell in table.cells],
        "totals": [cell_object(table, cell) for cell in table.totals],
    }
    return found if table.warning is None else found | {"warning": table.warning}


def cell_object(table: Table, cell: Cell) -> dict[str, Any]:
    """Return a line of a table as a JSON object, without the columns it is a total over."""
    interval = None if cell.interval is None else [json_number(end) for end in cell.interval]
    found: dict[str, Any] = {
        "values": {
            column: value for column, value in zip(table.by, cell.values, strict=True) if value is not None
        },
        "estimate": json_number(cell.estimate) if cell.is_known else None,
        "standard_error": cell.standard_error if cell.is_known else None,
        "interval": interval,
        "half_width": half_width(cell.interval),
        "approximation": cell.approximation,
        "method": cell.method,
        "published_count": cell.published_count,
        "predicate_count": cell.predicate_count,
    }
    return found if cell.warning is None else found | {"warning": cell.warning}


def half_width(interval: tuple[float, float] | None) -> float | int | None:
    """Return half the length of an interval, None without one."""
    return None if interval is None else json_number((interval[1] - interval[0]) / 2)


def json_number(value: float) -> float | int:
    """Return a whole number as an integer."""
    return int(value) if value == int(value) else value
