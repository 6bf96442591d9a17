"""Queries with one sensitive value: the closed forms, each vectorized over all queries."""

from __future__ import annotations

import numpy as np

from splu_ref.estimators.answers import Estimates, Reconstruction
from splu_ref.estimators.counts import estimate_count
from splu_ref.estimators.em import most_likely, require_settled
from splu_ref.estimators.moments import FloatArray, count_moments
from splu_ref.estimators.published_column import Batch, PublishedColumn
from splu_ref.estimators.two_state import exact_estimates, exact_intervals, two_state


def alone(column: PublishedColumn, batch: Batch) -> Estimates:
    """Return published counts of values alone, with exact intervals."""
    found = {
        f: estimate_count(int(f), column.gamma, retention=column.retention)
        for f in set(batch.frequency.tolist())
    }
    each = [found[f] for f in batch.frequency.tolist()]
    ends = np.array([one.interval for one in each], dtype=np.float64).reshape(-1, 2)
    return Estimates(
        batch.frequency.copy(),
        np.array([one.standard_error for one in each]),
        ends[:, 0],
        np.minimum(ends[:, 1], column.rows),
    )


def exact(column: PublishedColumn, batch: Batch) -> Estimates:
    """Return the closed form of the corrected two-state matrix."""
    counts = batch.counted, batch.predicate_count, batch.frequency
    release = column.rows, column.gamma, column.retention
    return Estimates(*exact_estimates(*counts, *release), *exact_intervals(*counts, *release))


def em(column: PublishedColumn, batch: Batch) -> Estimates:
    """Maximize over the two states of P's records; the errors are those of the closed form."""
    keep = float(column.retention)
    gained = two_state(batch.frequency, column.rows, keep).gained
    return exact(column, batch)._replace(value=maximized(batch, gained, np.full_like(gained, keep)))


def maximized(batch: Batch, gained: FloatArray, kept: FloatArray) -> FloatArray:
    """Return the most likely counts; not a number where the matrix says nothing.

    Parameters
    ----------
    batch
        The queries.
    gained, kept
        Probability that a record without the values, and one with them, is published with them, shape
        (queries,).
    """
    value = np.where(kept > gained, 0.0, np.nan)
    where = np.flatnonzero((kept > gained) & (batch.predicate_count > 0))
    if len(where):
        y, a, b = batch.counted[where], gained[where], kept[where]
        states = np.stack([batch.predicate_count[where] - y, y], axis=1)
        factor = np.stack([np.stack([1 - a, a], axis=1), np.stack([1 - b, b], axis=1)], axis=1)
        value[where] = require_settled(most_likely(states, [factor]))[:, 1]
    return value


def iterated(
    column: PublishedColumn, batch: Batch, printed: Reconstruction
) -> tuple[Estimates, list[str | None]]:
    """Iterate as printed; the error is that of the published count, which it mostly returns."""
    value, notes = batch.counted.copy(), []
    for number, (y3, n, f) in enumerate(
        zip(batch.counted, batch.predicate_count, batch.frequency, strict=True)
    ):
        y = [int(part) for part in (column.rows - n - f + y3, f - y3, n - y3, y3)]
        note = "for comparison only: biased, and the interval is that of the published count"
        try:
            value[number] = printed(y, int(column.gamma))[0][3]
        except ArithmeticError as error:
            note = f"the printed iteration has no result ({error}): this is the published count"
        notes.append(note)
    moments = count_moments(
        value, batch.predicate_count, batch.frequency, column.rows, column.gamma, float(column.retention)
    )
    return Estimates.normal(value, np.sqrt(moments.inside), batch.predicate_count), list(notes)
