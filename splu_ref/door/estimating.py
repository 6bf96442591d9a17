"""Counts in the original of a release: the estimator follows from the mechanism, the frame from the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import narwhals as nw

from splu_ref.door.conditions import Conditions
from splu_ref.estimators import ChannelEstimator, Query, QueryEstimate, QueryEstimator, TupleEstimator
from splu_ref.mechanisms import AlphaBeta, PublishedTable, SpluGen
from splu_ref.model import ParameterError

Ask: TypeAlias = Callable[[Sequence[Query], str | None], Sequence[QueryEstimate]]
"""Answers queries by the method of that name, or by the one that suits each."""


def _of_splu_gen(release: PublishedTable) -> Ask:
    mechanism = release.mechanism
    assert isinstance(mechanism, SpluGen)
    estimator = QueryEstimator(release.table, release.sensitive, mechanism, domains=release.domains)

    return estimator.estimate


ESTIMATORS: dict[str, Callable[[PublishedTable], Ask]] = {
    SpluGen.name: _of_splu_gen,
    AlphaBeta.name: TupleEstimator,
}
"""Estimators by method. A mechanism without a row is estimated by the inverse of the channel it declares."""


def answers(
    release: PublishedTable,
    queries: Mapping[str, object] | Sequence[Mapping[str, object]],
    method: str | None = None,
) -> Any:
    """Return the estimate of one query, or a data frame with a row for each of several.

    Parameters
    ----------
    release
        The published table.
    queries
        Conditions by column, all of which a record must meet, at least one of them on a sensitive column; or
        a sequence of such queries. See `Conditions.query` for what a condition may be.
    method
        Name of the method; by default the one that suits each query.

    Returns
    -------
    QueryEstimate or a data frame
        The frame is of the kind of the published table. It has a column for each column that a query names,
        with the condition as text, and ``estimate``, ``standard_error``, ``low`` and ``high`` (the ends of
        the 95 % interval), ``method``, ``published_count``, ``predicate_count`` and ``warning``, which says
        why there is no interval where there is none.

    Raises
    ------
    InputError
        If a query cannot be answered.
    """
    conditions = Conditions(release)
    ask = ESTIMATORS.get(release.mechanism.name, ChannelEstimator)(release)
    if isinstance(queries, Mapping):
        return ask([conditions.query(queries)], method)[0]
    asked = [conditions.query(where) for where in queries]
    if not asked:
        raise ParameterError("there is no query in the list: give at least one")
    found = ask(asked, method)
    named = dict.fromkeys(column for query in asked for column, _ in query.conditions)
    told = [{column: str(condition) for column, condition in query.conditions} for query in asked]
    columns: dict[str, list[Any]] = {name: [each.get(name) for each in told] for name in named}
    columns |= {
        "estimate": [each.estimate for each in found],
        "standard_error": [each.standard_error for each in found],
        "low": [None if each.interval is None else each.interval[0] for each in found],
        "high": [None if each.interval is None else each.interval[1] for each in found],
        "method": [each.method for each in found],
        "published_count": [each.published_count for each in found],
        "predicate_count": [each.predicate_count for each in found],
        "warning": [each.warning for each in found],
    }
    return _frame_like(release, columns).to_native()


def crosstab(release: PublishedTable, rows: str, columns: str, method: str | None = None) -> Any:
    """Return the estimated counts of all pairs of values of two columns.

    Parameters
    ----------
    release
        The published table.
    rows, columns
        Two columns, at least one of them sensitive.
    method
        As for `answers`.

    Returns
    -------
    A data frame
        Of the kind of the published table: a row for each value of ``rows`` and a column for each of
        ``columns``. A pandas frame has the values of ``rows`` as its index, another one as its first column.

    Raises
    ------
    InputError
        If no column is sensitive, a column does not exist, or the method cannot answer.
    """
    if rows == columns:
        raise ParameterError(f"the two columns are both {rows!r}: name two different ones")
    conditions = Conditions(release)
    down, across = conditions.values(rows), conditions.values(columns)
    queries = [conditions.query({rows: one, columns: other}) for one in down for other in across]
    found = iter(ESTIMATORS.get(release.mechanism.name, ChannelEstimator)(release)(queries, method))
    table = [[next(found).estimate for _ in across] for _ in down]
    counts = {other: [line[place] for line in table] for place, other in enumerate(across)}
    if rows in counts:
        raise ParameterError(f"{rows!r} is a value of {columns!r} too: rename the column")
    frame = _frame_like(release, {rows: list(down)} | counts)
    return nw.maybe_set_index(frame, rows).to_native()


def _frame_like(release: PublishedTable, columns: Mapping[str, list[Any]]) -> nw.DataFrame[Any]:
    origin = nw.from_native(release.table.to_frame(), eager_only=True)
    return nw.from_dict(dict(columns), backend=origin.implementation)
