"""The method `shrunk` for queries on one sensitive column, predicate by predicate."""

from __future__ import annotations

import numpy as np

from splu_ref.estimators.answers import Estimates
from splu_ref.estimators.published_column import Batch, PublishedColumn
from splu_ref.estimators.shrinkage import Shrunk, half_widths, shrunk_estimates
from splu_ref.estimators.single_values import exact
from splu_ref.estimators.value_sets import shrunk_sets

CELLS = 1 << 21
"""Predicates times values that are worked on at once, which bounds the memory."""


def shrunk(column: PublishedColumn, batch: Batch) -> Estimates:
    """Learn each predicate's weights from the whole domain, and shrink its queries."""
    parts = [np.empty(len(batch.which)) for _ in Estimates._fields]
    chunk = max(1, CELLS // len(column.frequencies))
    for begin in range(0, len(batch.published), chunk):
        published = batch.published[begin : begin + chunk]
        learned = shrunk_estimates(
            published, published.sum(axis=1), column.frequencies, column.rows, column.gamma, column.retention
        )
        where = np.flatnonzero((batch.which >= begin) & (batch.which < begin + chunk))
        some = batch.of(where)._replace(published=published, which=batch.which[where] - begin)
        for part, found in zip(parts, _of_learned(column, some, learned), strict=True):
            part[where] = found
    return Estimates(*parts)


def _of_learned(column: PublishedColumn, batch: Batch, learned: Shrunk) -> Estimates:
    value, bias, sampling = (
        np.einsum("qv,qv->q", part[batch.which], batch.members)
        for part in (learned.estimate, learned.bias, learned.sampling)
    )
    sets = np.flatnonzero(batch.members.sum(axis=1) > 1)
    if len(sets):
        value[sets], sampling[sets], bias[sets] = shrunk_sets(column, batch.of(sets), learned.likely)
    half, n = half_widths(sampling, bias), batch.predicate_count
    lower, upper = np.clip(value - half, 0.0, n), np.clip(value + half, 0.0, n)
    unseen = np.flatnonzero(batch.frequency == 0)  # nothing to learn from: what is published nowhere
    if len(unseen):
        upper[unseen] = exact(column, batch.of(unseen)).upper
    return Estimates(value, np.sqrt(sampling + bias), lower, upper)
