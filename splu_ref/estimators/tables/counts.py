"""Tables of counts: an estimate for each combination of values of some columns, which add up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, ParameterError
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.conditions import AnyOf, Condition
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.estimators.tables.adding_up import add_up
from splu_ref.estimators.tables.cells import COUNT, Cell, Groups, Table, is_exact, known, ordered
from splu_ref.mechanisms import AlphaBeta, FloatArray, PerturbedGeneralization, ReleaseData

Ask: TypeAlias = Callable[[Sequence[Query], str | None], Sequence[QueryEstimate]]
"""Answers queries by the method of that name, or by the one that suits each."""

MOST_CELLS = 50_000
"""Cells of a table at most."""
MOST_WORK = 1 << 31
"""Cells times combinations of values of several sensitive columns, at most: about a minute."""
_EACH = 100_000
"""Combinations whose counting takes as long as a query does whatever their number."""
_DECIMALS = 6
_ROUNDING = 1e-6


class _Axis(NamedTuple):
    """A sensitive column of a table: sets of values without a common one, which are all of its domain.

    Attributes
    ----------
    column
        Its name.
    parts
        The values of each place.
    shown
        How many places, from the first one, are in the table; the last one may hold what is left.
    """

    column: str
    parts: tuple[tuple[str, ...], ...]
    shown: int

    @property
    def complete(self) -> bool:
        return self.shown == len(self.parts)


class _Estimated(NamedTuple):
    """Estimates of one shape, with what was said of them; ends and errors are NaN where there are none."""

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
    ) -> _Estimated:
        ends = [answer.interval or (np.nan, np.nan) for answer in answers]
        errors = [np.nan if answer.standard_error is None else answer.standard_error for answer in answers]
        value = np.array([answer.estimate for answer in answers], dtype=np.float64)
        low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
        pairs = zip(queries, answers, strict=True)
        exact = np.array([is_exact(release, query, answer) for query, answer in pairs])
        return cls(value, np.array(errors), low, high, answers, exact).shaped(shape)

    def shaped(self, shape: tuple[int, ...]) -> _Estimated:
        """Return the same in another shape."""
        return _Estimated(
            self.value.reshape(shape),
            self.error.reshape(shape),
            self.low.reshape(shape),
            self.high.reshape(shape),
            self.answers,
            self.exact.reshape(shape),
        )

    def adding_up(self, totals: Sequence[FloatArray | None], most: FloatArray) -> _Estimated:
        """Return the estimates that have these totals, with their intervals widened to hold them.

        An estimate that leaves its interval shows that the interval is wrong, if the totals are right: it is
        widened by 1.96 standard errors beyond the estimate then. No end is below 0 or above ``most``.
        """
        variances = np.where(np.isnan(self.error), np.abs(self.value) + 1, self.error**2)
        value = add_up(self.value, variances, totals)
        reach = NORMAL_95 * np.nan_to_num(self.error)
        low = np.where(value < self.low, np.floor(value - reach + _ROUNDING), self.low)
        high = np.where(value > self.high, np.ceil(value + reach - _ROUNDING), self.high)
        return self._replace(value=value, low=np.clip(low, 0, most), high=np.clip(high, 0, most))

    def cell(self, place: tuple[int, ...], values: tuple[str | None, ...]) -> Cell:
        answer = self.answers[int(np.ravel_multi_index(place, self.value.shape))]
        error, low, high = (float(part[place]) for part in (self.error, self.low, self.high))
        return Cell(
            values=values,
            estimate=round(float(self.value[place]), _DECIMALS),
            standard_error=None if np.isnan(error) else error,
            interval=None if np.isnan(low) else (low, high),
            method=answer.method,
            published_count=answer.published_count,
            predicate_count=answer.predicate_count,
            exact=bool(self.exact[place]),
        )


def count_table(
    release: ReleaseData,
    ask: Ask,
    by: Sequence[str],
    where: Sequence[tuple[str, Condition]] = (),
    method: str | None = None,
) -> Table:
    """Return the estimated counts of all combinations of values of some columns.

    Each is what ``ask`` says of its conjunction, moved until lines add up: to the public counts of the
    columns that are not sensitive, and to the estimates of each sensitive value among the table's records
    (which are moved first until they add up to these records, unless they are all records of the release).

    Parameters
    ----------
    release
        The published table.
    ask
        What answers queries about it.
    by
        Columns, each once.
    where
        Conditions that all records of the table meet, each on another column.
    method
        As ``ask`` takes it; the values alone have always the one that suits them.

    Raises
    ------
    DataError
        If there is no such column, or the release does not tell public counts.
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
    groups = Groups.of(release, by, where)
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
    margins = [_margin(release, ask, groups, axis, method) for axis in used]
    shape = (len(groups.values), *(len(axis.parts) for axis in used))
    if len(groups.values) == len(used) == 1:
        found = margins[0].shaped(shape)
    else:
        queries = [
            Query(
                (
                    *groups.conditions(place[0]),
                    *((axis.column, AnyOf(axis.parts[at])) for axis, at in zip(used, place[1:], strict=True)),
                )
            )
            for place in np.ndindex(*shape)
        ]
        most = groups.counts.reshape(-1, *(1 for _ in used))
        found = _Estimated.of(release, queries, ask(queries, method), shape).adding_up(
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
    """Return a sensitive column's part in a table, None if it has none."""
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


def _margin(release: ReleaseData, ask: Ask, groups: Groups, axis: _Axis, method: str | None) -> _Estimated:
    """Return the estimates of a sensitive column's parts among the table's records, which add up to them."""
    queries = [Query((*groups.where, (axis.column, AnyOf(part)))) for part in axis.parts]
    answers = ask(queries, method if groups.where else None)
    found = _Estimated.of(release, queries, answers, (len(queries),))
    return _summing(found, np.array([groups.counts.sum()]))


def _summing(found: _Estimated, total: FloatArray) -> _Estimated:
    """Return the estimates of one axis with the given sum."""
    row = found.shaped((1, len(found.value))).adding_up([total, None], total)
    return row.shaped(found.value.shape)


def _public(groups: Groups, by: Sequence[str], where: Sequence[tuple[str, Condition]]) -> Table:
    return Table(
        quantity=COUNT,
        by=tuple(by),
        where=tuple(where),
        cells=tuple(
            known(values, int(count)) for values, count in zip(groups.values, groups.counts, strict=True)
        ),
        totals=(known((None,) * len(by), int(groups.counts.sum())),),
        rows=int(groups.counts.sum()),
    )


def _cells(found: _Estimated, groups: Groups, axes: Sequence[_Axis], by: Sequence[str]) -> tuple[Cell, ...]:
    public = groups.columns
    cells = []
    for place in np.ndindex(len(groups.values), *(axis.shown for axis in axes)):
        named = dict(zip(public, groups.values[place[0]], strict=True))
        named |= {axis.column: axis.parts[at][0] for axis, at in zip(axes, place[1:], strict=True)}
        cells.append(found.cell(place, tuple(named[column] for column in by)))
    return tuple(cells)


def _totals(
    margins: Sequence[_Estimated], groups: Groups, axes: Sequence[_Axis], by: Sequence[str]
) -> tuple[Cell, ...]:
    """Return the totals that the lines of the table have: of those only whose other columns are complete."""
    totals = []
    complete = all(axis.complete for axis in axes)
    if complete and groups.columns:
        for each, count in zip(groups.values, groups.counts, strict=True):
            told = dict(zip(groups.columns, each, strict=True))
            totals.append(known(tuple(told.get(column) for column in by), int(count)))
    for axis, margin in zip(axes, margins, strict=True):
        others = (other for other in axes if other is not axis)
        if len(by) > 1 and axis.column in by and all(other.complete for other in others):
            for place in range(axis.shown):
                value = axis.parts[place][0]
                places = tuple(value if column == axis.column else None for column in by)
                totals.append(margin.cell((place,), places))
    nothing = (None,) * len(by)
    if complete:
        totals.append(known(nothing, int(groups.counts.sum())))
    elif len(axes) == 1 and axes[0].column not in by:
        totals.append(margins[0].cell((0,), nothing))
    return tuple(totals)
