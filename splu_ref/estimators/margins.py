"""What one sensitive column tells of queries on several: shrunk counts, with the parts of their errors."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.published_column import Batch, PublishedColumn
from splu_ref.estimators.shrinkage import shrunk_estimates
from splu_ref.estimators.value_sets import shrunk_sets


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
    values
        Estimates of all values by predicate, shape (predicates, values).
    asked
        Parts of the estimates that the queries ask for, shape (queries,).
    """

    values: FloatArray
    asked: Parts


def margins(column: PublishedColumn, batch: Batch) -> Margins:
    """Return the shrunk estimates of a column: of each value in each predicate, and of the queries' sets.

    A set with most records is estimated as n less its other values: see `value_sets.by_the_rarer_side`.
    """
    learned = shrunk_estimates(
        batch.published,
        batch.published.sum(axis=1),
        column.frequencies,
        column.rows,
        column.gamma,
        column.retention,
    )
    value, sampling, bias = (
        np.einsum("qv,qv->q", part[batch.which], batch.members)
        for part in (learned.estimate, learned.sampling, learned.bias)
    )
    sets = np.flatnonzero(batch.members.sum(axis=1) > 1)
    if len(sets):
        some = batch.of(sets)
        turned = some.frequency > column.rows / 2
        rarer = some._replace(
            members=np.where(turned[:, None], 1 - some.members, some.members),
            counted=np.where(turned, some.predicate_count - some.counted, some.counted),
            frequency=np.where(turned, column.rows - some.frequency, some.frequency),
        )
        found, sampling[sets], bias[sets] = shrunk_sets(column, rarer, learned.likely)
        value[sets] = np.where(turned, some.predicate_count - found, found)
    return Margins(learned.estimate, Parts(value, sampling, bias))
