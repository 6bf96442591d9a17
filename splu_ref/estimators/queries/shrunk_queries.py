"""The method ``shrunk`` on one sensitive column: queries by themselves, and as margins of several columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators.answers import Estimates, Interval
from splu_ref.estimators.queries.published_column import Batch, PublishedColumn
from splu_ref.estimators.shrunk.neighbors import FAR
from splu_ref.estimators.shrunk.plausible_plans import PlausiblePlans
from splu_ref.estimators.shrunk.shrinkage import Shrinkage, Shrunk
from splu_ref.randomness import IntArray

_CELLS = 1 << 20
"""Predicates or queries times values that are worked on at once, which bounds the memory."""

CONTRADICTED = (
    "the published count is {:.0f} standard deviations from what the other values of the predicate lead to "
    "expect: the estimate rests on this count alone"
)


class Parts(NamedTuple):
    """Estimates with the parts of their mean square errors, arrays of one shape.

    Attributes
    ----------
    value
        The estimate.
    sampling
        Its variance at fixed true counts.
    bias
        Mean square of what shrinking adds to the error, over the learned prior.
    """

    value: FloatArray
    sampling: FloatArray
    bias: FloatArray


class Margins(NamedTuple):
    """Queries on one column, each with a predicate.

    Attributes
    ----------
    values, variances
        Estimates of all values by predicate and their mean square errors, shape (predicates, values).
    asked
        Parts of the estimates that the queries ask for, shape (queries,).
    most
        Upper ends of their intervals.
    """

    values: FloatArray
    variances: FloatArray
    asked: Parts
    most: FloatArray


def shrunk(column: PublishedColumn, kind: Interval, batch: Batch) -> Estimates:
    """Learn each predicate's composition from the whole domain, and shrink its queries."""
    assert column.learning is not None
    notes: list[str | None] = [None] * len(batch.which)
    parts = []
    for where, found in _some_at_a_time(column.learning, batch):
        low, high = found.interval(kind)
        parts.append((where, Estimates(found.value, np.sqrt(found.bent.variance), low, high)))
        for number in np.flatnonzero(found.bent.far > FAR).tolist():
            notes[where[number]] = CONTRADICTED.format(found.bent.far[number])
    return replace(Estimates.gathered(len(batch.which), parts), notes=notes)


def margins(column: PublishedColumn, batch: Batch) -> Margins:
    """Return the shrunk estimates of a column: of each value in each predicate, and of the queries' sets.

    A set with most records is estimated as n less its other values: see `Batch.by_the_rarer_side`.
    """
    if column.shrinkage is None:
        expected = batch.published.sum(axis=1)[:, None] * (column.frequencies / column.rows)
        parts = Parts(batch.expected, 0 * batch.expected, batch.expected**2)
        return Margins(expected, expected**2, parts, batch.most)
    common = (batch.frequency > column.rows / 2) & batch.is_set
    parts = Parts(*(np.zeros(len(batch.which)) for _ in Parts._fields))
    most = np.zeros(len(batch.which))
    learned = column.shrinkage.learn(batch.published)
    for where, found in _some_at_a_time(column.shrinkage, batch.turned(common)):
        value = np.where(common[where], batch.predicate_count[where] - found.value, found.value)
        sampling = np.minimum(found.sampling, found.bent.variance)
        parts.value[where], parts.sampling[where] = value, sampling
        parts.bias[where] = found.bent.variance - sampling
        low, high = found.interval("each")
        most[where] = np.where(common[where], batch.predicate_count[where] - low, high)
    return Margins(learned.each.value, learned.each.variance, parts, np.minimum(most, batch.most))


def _some_at_a_time(shrinkage: Shrinkage | PlausiblePlans, batch: Batch) -> Iterator[tuple[IntArray, Shrunk]]:
    """Answer the queries of some predicates after another, and many of one predicate in parts."""
    chunk = max(1, _CELLS // batch.published.shape[1])
    order = np.argsort(batch.which, kind="stable")
    for begin in range(0, len(order), chunk):
        where = order[begin : begin + chunk]
        places, which = np.unique(batch.which[where], return_inverse=True)
        yield where, shrinkage.answer(batch.published[places], which, batch.members[where])
