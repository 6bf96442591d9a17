"""Queries on one sensitive column: many at once, by any method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from splu_ref.estimators.answers import (
    NO_INFORMATION,
    Ask,
    Estimates,
    QueryEstimate,
    Reconstruction,
    require_printed,
)
from splu_ref.estimators.published_column import Batch, PublishedColumn
from splu_ref.estimators.shrunk_queries import CELLS, shrunk
from splu_ref.estimators.single_values import alone, em, exact, iterated
from splu_ref.estimators.value_sets import alone_sets, by_the_rarer_side, em_sets, exact_sets


def estimated(
    column: PublishedColumn, asks: Sequence[Ask], method: str, printed: Reconstruction | None = None
) -> list[QueryEstimate]:
    """Return the estimates of queries on a column, in order."""
    batch = column.count(asks)
    condition = None
    notes: list[str | None] = [None] * len(asks)
    if method == "mle":
        found = _by_size(batch, partial(alone, column), partial(alone_sets, column))
    elif method == "exact":
        either = partial(_by_size, single=partial(exact, column), several=partial(exact_sets, column))
        found = by_the_rarer_side(column, batch, either).with_ends_below(batch.most)
    elif method == "em":
        found = _by_size(batch, partial(em, column), partial(em_sets, column)).with_ends_below(batch.most)
    elif method == "inversion":
        found, condition = _inverted(column, batch), column.inversion.condition_number
    elif method == "printed":
        found, notes = iterated(column, batch, require_printed(printed))
    else:
        found = by_the_rarer_side(column, batch, partial(shrunk, column)).with_ends_below(batch.most)
        found = found._replace(value=np.clip(found.value, found.lower, found.upper))
    blank = ~np.isfinite(found.value)
    expected = batch.predicate_count * batch.frequency / column.rows
    found = found.without_information(expected, batch.most)
    parts = (part.tolist() for part in found)
    return [
        QueryEstimate(
            value,
            error,
            (lower, upper),
            method,
            int(counted),
            int(inside),
            condition,
            NO_INFORMATION if nothing else note,
        )
        for value, error, lower, upper, counted, inside, nothing, note in zip(
            *parts, batch.counted, batch.predicate_count, blank, notes, strict=True
        )
    ]


def _by_size(
    batch: Batch, single: Callable[[Batch], Estimates], several: Callable[[Batch], Estimates]
) -> Estimates:
    """Use one function for queries with at most one sensitive value, and another for sets of values."""
    sets = batch.members.sum(axis=1) > 1
    parts = [np.empty(len(sets)) for _ in Estimates._fields]
    for chosen, function in ((~sets, single), (sets, several)):
        where = np.flatnonzero(chosen)
        if len(where):
            for part, found in zip(parts, function(batch.of(where)), strict=True):
                part[where] = found
    return Estimates(*parts)


def _inverted(column: PublishedColumn, batch: Batch) -> Estimates:
    published = batch.published[batch.which]
    value = np.einsum("qv,qv->q", column.inversion.estimates(published), batch.members)
    error = np.empty(len(value))
    chunk = max(1, CELLS // len(column.frequencies))
    for begin in range(0, len(value), chunk):
        some = slice(begin, begin + chunk)
        error[some] = column.inversion.standard_errors(published[some], batch.members[some])
    margin = Estimates.normal(np.zeros_like(value), error, np.full_like(value, np.inf)).upper
    return Estimates(value, error, value - margin, value + margin)
