"""Tables of counts: consistent estimates for all combinations of values of some columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import isnan, prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, ParameterError
from splu_ref.data import ordered
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.conditions import AnyOf, Condition
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.estimators.tables.cells import COUNT, Cell, PublicGroups, Table, is_exact, public_cell
from splu_ref.estimators.tables.reconciliation import reconcile
from splu_ref.mechanisms import AlphaBeta, FloatArray, PerturbedGeneralization, ReleaseData

AnswerQueries: TypeAlias = Callable[[Sequence[Query], str | None], Sequence[QueryEstimate]]
"""Function that estimates queries by the method of a name, or by default methods."""

MOST_CELLS = 50_000
"""Largest number of cells of a table."""
MOST_WORK = 1 << 31
"""Largest number of cells times combinations of values of several sensitive columns, about a minute."""
_EACH = 100_000
"""Fixed cost of a query in combinations."""
_DECIMALS = 6
_ROUNDING = 1e-6


class _Axis(NamedTuple):
    """A sensitive column of a table: a partition of its domain."""

    column: str
    parts: tuple[tuple[str, ...], ...]  # the sets of values
    shown: int  # number of sets in the table, from the first one; the last set may be the remainder

    @property
    def complete(self) -> bool:
        return self.shown == len(self.parts)


class _CellEstimates(NamedTuple):
    """Estimates of cells, arrays of one shape; ends and known errors are NaN where there are none."""

    value: FloatArray
    error: FloatArray
    low: FloatArray
    high: FloatArray
    answers: Sequence[QueryEstimate]
    exact: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        release: ReleaseData,
        queries: Sequence[Query],
        answers: Sequence[QueryEstimate],
        shape: tuple[int, ...],
    ) -> _CellEstimates:
        ends = [answer.interval or (np.nan, np.nan) for answer in answers]
        errors = [answer.known_error for answer in answers]
        value = np.array([answer.estimate for answer in answers], dtype=np.float64)
        low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        pairs = zip(queries, answers, strict=True)
        exact = np.array([is_exact(release, query, answer) for query, answer in pairs])
        return cls(value, np.array(errors), low, high, answers, exact).shaped(shape)

    def shaped(self, shape: tuple[int, ...]) -> _CellEstimates:
        """Return the estimates in another shape."""
        return _CellEstimates(
            self.value.reshape(shape),
            self.error.reshape(shape),
            self.low.reshape(shape),
            self.high.reshape(shape),
            self.answers,
            self.exact.reshape(shape),
        )

    def reconciled(self, totals: Sequence[FloatArray | None], most: FloatArray) -> _CellEstimates:
        """Return estimates with these totals, and intervals extended to contain them.

        An interval that does not contain the reconciled estimate is extended to 1.96 standard errors beyond
        it, unless an unbiased estimate was as far outside before. Ends are clipped to 0 .. ``most``.
        """
        variances = np.where(np.isnan(self.error), np.abs(self.value) + 1, self.error**2)
        value = reconcile(self.value, variances, totals)
        reach = NORMAL_95 * np.nan_to_num(self.error)
        low = np.where(
            value < np.minimum(self.low, self.value) - _ROUNDING,
            np.floor(value - reach + _ROUNDING),
            self.low,
        )
        high = np.where(
            value > np.maximum(self.high, self.value) + _ROUNDING,
            np.ceil(value + reach - _ROUNDING),
            self.high,
        )
        return self._replace(value=value, low=np.clip(low, 0, most), high=np.clip(high, 0, most))

    def lines(self, places: Iterable[int], values: Iterable[tuple[str | None, ...]]) -> Iterator[Cell]:
        """Yield the lines of some cells, given by their places in the flat arrays, with these values."""
        value, low, high = (part.reshape(-1).tolist() for part in (self.value, self.low, self.high))
        exact = self.exact.reshape(-1).tolist()
        for at, named in zip(places, values, strict=True):
            answer = self.answers[at]
            yield Cell(
                values=named,
                estimate=round(value[at], _DECIMALS),
                standard_error=answer.standard_error,
                interval=None if isnan(low[at]) else (low[at], high[at]),
                method=answer.method,
                published_count=answer.published_count,
                predicate_count=answer.predicate_count,
                exact=exact[at],
                warning=answer.warning,
            )


def count_table(
    release: ReleaseData,
    answer_queries: AnswerQueries,
    by: Sequence[str],
    where: Sequence[tuple[str, Condition]] = (),
    method: str | None = None,
) -> Table:
    """Return the estimated counts of all combinations of values of some columns.

    The estimates of the conjunctions are reconciled with the public counts of the columns that are not
    sensitive, and with the estimates of each sensitive value among the table's records. The latter are first
    reconciled with the number of these records, unless they are all records of the release.

    Parameters
    ----------
    release
        The published table.
    answer_queries
        Estimator of queries on it.
    by
        Distinct columns.
    where
        Conditions on the records of the table, on distinct columns.
    method
        Method of the conjunctions; values alone use their default method.

    Raises
    ------
    DataError
        If there is no such column, or the release has no public counts.
    ParameterError
        For no column, one named twice, no record, or too many cells.
    """
    if isinstance(release.mechanism, AlphaBeta):
        raise DataError(
            "a release of tuples has no public counts that a table could add up to: ask for each count with "
            "--where"
        )
    if isinstance(release.mechanism, PerturbedGeneralization):
        raise DataError(
            "a release of one record of each group has no public counts that a table could add up to: ask "
            "for each count with --where"
        )
    groups = PublicGroups.of(release, by, where)
    axes = [_axis(release, column, by, dict(where)) for column in release.sensitive]
    used = [axis for axis in axes if axis is not None]
    size = len(groups.values) * prod(len(axis.parts) for axis in used)
    domains = prod(len(release.domains[axis.column]) for axis in used)
    work = size * (domains + _EACH) if len(used) > 1 else 0
    if size > MOST_CELLS or work > MOST_WORK:
        raise ParameterError(
            f"the table of {', '.join(by)} has {size} cells, of {domains} combinations of sensitive values, "
            "which is too much work: name fewer columns, or fewer values by conditions"
        )
    if not used:
        return _public(groups, by, where)
    margins = [_margin(release, answer_queries, groups, axis, method) for axis in used]
    shape = (len(groups.values), *(len(axis.parts) for axis in used))
    if len(groups.values) == len(used) == 1:
        found = margins[0].shaped(shape)
    else:
        of_groups = [groups.conditions(place) for place in range(len(groups.values))]
        of_parts = [[(axis.column, AnyOf(part)) for part in axis.parts] for axis in used]
        queries = [Query((*group, *parts)) for group, parts in product(of_groups, product(*of_parts))]
        most = groups.counts.reshape(-1, *(1 for _ in used))
        found = _CellEstimates.of(release, queries, answer_queries(queries, method), shape).reconciled(
            [groups.counts, *(margin.value for margin in margins)], most
        )
    return Table(
        quantity=COUNT,
        by=tuple(by),
        where=tuple(where),
        cells=_cells(found, groups, used, by),
        totals=_totals(margins, groups, used, by),
        rows=int(groups.counts.sum()),
        warning=next((answer.warning for answer in found.answers if answer.warning), None),
    )


def _axis(release: ReleaseData, column: str, by: Sequence[str], where: dict[str, Condition]) -> _Axis | None:
    """Return the partition of a sensitive column in a table, None if the table does not depend on it."""
    if column not in by and column not in where:
        return None
    domain = release.domains[column]
    chosen = selected(column, where[column], domain) if column in where else range(len(domain))
    if not chosen:
        raise ParameterError(f"no value of {column!r} meets the condition {where[column]}: change it")
    kept = ordered(domain[place] for place in chosen)
    rest = tuple(value for value in domain if value not in set(kept))
    parts = tuple((value,) for value in kept) if column in by else (tuple(kept),)
    return _Axis(column, (*parts, rest) if rest else parts, len(parts))


def _margin(
    release: ReleaseData, answer_queries: AnswerQueries, groups: PublicGroups, axis: _Axis, method: str | None
) -> _CellEstimates:
    """Return estimates of a sensitive column's sets, reconciled with the number of the table's records."""
    queries = [Query((*groups.where, (axis.column, AnyOf(part)))) for part in axis.parts]
    answers = answer_queries(queries, method if groups.where else None)
    found = _CellEstimates.of(release, queries, answers, (len(queries),))
    return _summing(found, np.array([groups.counts.sum()]))


def _summing(found: _CellEstimates, total: FloatArray) -> _CellEstimates:
    """Return the estimates of one axis with the given sum."""
    row = found.shaped((1, len(found.value))).reconciled([total, None], total)
    return row.shaped(found.value.shape)


def _public(groups: PublicGroups, by: Sequence[str], where: Sequence[tuple[str, Condition]]) -> Table:
    return Table(
        quantity=COUNT,
        by=tuple(by),
        where=tuple(where),
        cells=tuple(
            public_cell(values, int(count))
            for values, count in zip(groups.values, groups.counts, strict=True)
        ),
        totals=(public_cell((None,) * len(by), int(groups.counts.sum())),),
        rows=int(groups.counts.sum()),
    )


def _cells(
    found: _CellEstimates, groups: PublicGroups, axes: Sequence[_Axis], by: Sequence[str]
) -> tuple[Cell, ...]:
    columns = (*groups.columns, *(axis.column for axis in axes))
    order = [columns.index(column) for column in by]
    shown = tuple(slice(axis.shown) for axis in axes)
    places = np.arange(found.value.size).reshape(found.value.shape)[:, *shown].reshape(-1)
    parts = ([part[0] for part in axis.parts[: axis.shown]] for axis in axes)
    named = ((*group, *values) for group, values in product(groups.values, product(*parts)))
    return tuple(found.lines(places.tolist(), (tuple(each[at] for at in order) for each in named)))


def _totals(
    margins: Sequence[_CellEstimates], groups: PublicGroups, axes: Sequence[_Axis], by: Sequence[str]
) -> tuple[Cell, ...]:
    """Return the totals of the table's lines, for columns whose other columns are complete."""
    totals = []
    complete = all(axis.complete for axis in axes)
    if complete and groups.columns:
        for each, count in zip(groups.values, groups.counts, strict=True):
            public_values = dict(zip(groups.columns, each, strict=True))
            totals.append(public_cell(tuple(public_values.get(column) for column in by), int(count)))
    for axis, margin in zip(axes, margins, strict=True):
        others = (other for other in axes if other is not axis)
        if len(by) > 1 and axis.column in by and all(other.complete for other in others):
            named = (
                tuple(part[0] if column == axis.column else None for column in by)
                for part in axis.parts[: axis.shown]
            )
            totals += margin.lines(range(axis.shown), named)
    nothing = (None,) * len(by)
    if complete:
        totals.append(public_cell(nothing, int(groups.counts.sum())))
    elif len(axes) == 1 and axes[0].column not in by:
        totals += margins[0].lines([0], [nothing])
    return tuple(totals)
