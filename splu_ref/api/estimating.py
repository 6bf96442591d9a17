"""Estimated counts of the original, as numbers and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from splu_ref.api.conditions import Conditions
from splu_ref.channels import ParameterError
from splu_ref.data import ordered
from splu_ref.estimators import (
    AnswerQueries,
    Measure,
    Query,
    TupleEstimator,
    count_table,
    estimator_of,
    measure_table,
    recoded_query,
    table_columns,
)
from splu_ref.mechanisms import AlphaBeta, PublishedTable


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
        why there is no interval or none of 95 % for each count, and where a published count reveals little.
        The standard error of the method ``shrunk`` is an average over the values of the column: see
        `QueryEstimate`.

    Raises
    ------
    InputError
        If a query cannot be answered.
    """
    conditions = Conditions(release)
    ask = release.answer_queries
    if isinstance(queries, Mapping | str):
        return ask([_known(release, conditions.query(queries))], method)[0]
    parsed = [conditions.query(where) for where in queries]
    if not parsed:
        raise ParameterError("there is no query in the list: give at least one")
    found = ask([_known(release, query) for query in parsed], method)
    named = dict.fromkeys(column for query in parsed for column, _ in query.conditions)
    texts = [{column: str(condition) for column, condition in query.conditions} for query in parsed]
    columns: dict[str, list[Any]] = {name: [each.get(name) for each in texts] for name in named}
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
    """Return the estimated counts of all pairs of values of two columns, which add up: see `tabulate`.

    Parameters
    ----------
    release
        The published table.
    rows, columns
        Two columns.
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
        If a column does not exist, or the method cannot answer.
    """
    if rows == columns:
        raise ParameterError(f"the two columns are both {rows!r}: name two different ones")
    if isinstance(release.mechanism, AlphaBeta):  # of tuples nothing is public that could add up
        conditions = Conditions(release)
        pairs = [(one, other) for one in conditions.values(rows) for other in conditions.values(columns)]
        parsed = [conditions.query({rows: one, columns: other}) for one, other in pairs]
        found = [answer.estimate for answer in TupleEstimator(release)(parsed, method)]
    else:
        table = count_table(release, release.answer_queries, (rows, columns), method=method)
        pairs = [(str(one), str(other)) for one, other in (cell.values for cell in table.cells)]
        found = [cell.estimate for cell in table.cells]
    down, across = (ordered({pair[place] for pair in pairs}) for place in (0, 1))
    of_pair = dict(zip(pairs, found, strict=True))
    counts = {other: [of_pair.get((one, other), 0.0) for one in down] for other in across}
    if rows in counts:
        raise ParameterError(f"{rows!r} is a value of {columns!r} too: rename the column")
    frame = _frame_like(release, {rows: list(down)} | counts)
    return nw.maybe_set_index(frame, rows).to_native()


def tabulate(
    release: PublishedTable,
    by: str | Sequence[str],
    where: Mapping[str, object] | None = None,
    *,
    sum_of: str | None = None,
    mean_of: str | None = None,
    method: str | None = None,
) -> Any:
    """Return the estimated counts of all combinations of values of some columns, which add up.

    Parameters
    ----------
    release
        The published table.
    by
        The columns of the table, or one.
    where
        Conditions that all its records meet, as for `answers`.
    sum_of, mean_of
        A column of numbers, whose sums or means are estimated in place of counts.
    method
        As for `answers`; for counts only.

    Returns
    -------
    A data frame
        Of the kind of the published table: a row for each combination, with the columns of ``by`` as texts,
        ``estimate``, ``standard_error``, ``low`` and ``high`` (the ends of the 95 % interval),
        ``half_width``, ``approximation``, ``method``, ``published_count`` and ``predicate_count``. The
        standard error is that of `answers`. Rows add up to the public counts of the columns that are not
        sensitive, and to the estimates of each sensitive value.

    Raises
    ------
    InputError
        If a column does not exist, no record meets the conditions, or the method cannot answer.
    """
    columns = (by,) if isinstance(by, str) else tuple(by)
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError('by names columns, each of them once: ["sex", "occupation"]')
    conditions = _known(release, Conditions(release).query(where)).conditions if where else ()
    if sum_of is None and mean_of is None:
        table = count_table(release, release.answer_queries, columns, conditions, method)
    elif (sum_of is None) == (mean_of is None) or method is not None:
        raise ParameterError("ask for sums or for means, by inversion: drop the other arguments")
    else:
        measure: Measure = "sum" if mean_of is None else "mean"
        table = measure_table(release, measure, str(sum_of or mean_of), columns, conditions)
    return _frame_like(release, table_columns(table)).to_native()


def _known(release: PublishedTable, query: Query) -> Query:
    """Return the query by the columns of the release, which may be bins or crossings of the original's."""
    return recoded_query(query, release.manifest, release.table)


def estimator_for(release: PublishedTable) -> AnswerQueries:
    """Return the function that answers queries on a release, which keeps what several of them need."""
    return estimator_of(release)


def _frame_like(release: PublishedTable, columns: Mapping[str, list[Any]]) -> nw.DataFrame[Any]:
    origin = nw.from_native(release.table.to_frame(), eager_only=True)
    return nw.from_dict(dict(columns), backend=origin.implementation)
