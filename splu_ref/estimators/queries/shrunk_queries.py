"""The method ``shrunk`` on one sensitive column: queries by themselves, and as margins of several columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators.answers import Estimates
from splu_ref.estimators.linear.two_state import LinearEstimate, TwoState, exact_intervals
from splu_ref.estimators.queries.published_column import Batch, PublishedColumn
from splu_ref.estimators.shrunk.learning import Learned, learned_weights
from splu_ref.estimators.shrunk.shrinkage import Shrunk, half_widths, shrunk_estimates
from splu_ref.randomness import IntArray

_CELLS = 1 << 21
"""Predicates times values that are worked on at once, which bounds the memory."""


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

    def put(self, where: IntArray, others: Parts) -> None:
        """Put other estimates in the place of some, in this very object."""
        for mine, other in zip(self, others, strict=True):
            mine[where] = other


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


def shrunk(column: PublishedColumn, batch: Batch) -> Estimates:
    """Learn each predicate's weights from the whole domain, and shrink its queries."""
    return Estimates.gathered(len(batch.which), _some_at_a_time(column, batch))


def margins(column: PublishedColumn, batch: Batch) -> Margins:
    """Return the shrunk estimates of a column: of each value in each predicate, and of the queries' sets.

    A set with most records is estimated as n less its other values: see `Batch.by_the_rarer_side`.
    """
    learned = _learned(column, batch.published)
    asked = _asked(learned, batch)
    sets = np.flatnonzero(batch.is_set)
    if len(sets):
        some = batch.of(sets)
        common = some.frequency > column.rows / 2
        found = _sets(column, some.turned(common), learned.posterior)
        value = np.where(common, some.predicate_count - found.value, found.value)
        asked.put(sets, found._replace(value=value))
    return Margins(learned.estimate, asked)


def _some_at_a_time(column: PublishedColumn, batch: Batch) -> Iterator[tuple[IntArray, Estimates]]:
    chunk = max(1, _CELLS // len(column.frequencies))
    for begin in range(0, len(batch.published), chunk):
        where = np.flatnonzero((batch.which >= begin) & (batch.which < begin + chunk))
        published, which = batch.published[begin : begin + chunk], batch.which[where] - begin
        yield where, _at_once(column, batch.of(where)._replace(published=published, which=which))


def _at_once(column: PublishedColumn, batch: Batch) -> Estimates:
    learned = _learned(column, batch.published)
    asked = _asked(learned, batch)
    sets = np.flatnonzero(batch.is_set)
    if len(sets):
        asked.put(sets, _sets(column, batch.of(sets), learned.posterior))
    half, n = half_widths(asked.sampling, asked.bias), batch.predicate_count
    error = np.sqrt(asked.sampling + asked.bias)
    return Estimates(
        asked.value,
        error,
        np.clip(asked.value - half, 0.0, n),
        upper_ends(np.clip(asked.value + half, 0.0, n), column, batch),
    )


def upper_ends(upper: FloatArray, column: PublishedColumn, batch: Batch) -> FloatArray:
    """Return upper ends, those of ``exact`` where nothing can be learned: of what is published nowhere."""
    unseen = np.flatnonzero(batch.frequency == 0)
    if len(unseen):
        some = batch.of(unseen)
        counts = some.counted, some.predicate_count, some.frequency
        upper[unseen] = exact_intervals(*counts, column.rows, column.law)[1]
    return upper


def _learned(column: PublishedColumn, published: FloatArray) -> Shrunk:
    n = published.sum(axis=1)
    return shrunk_estimates(published, n, column.frequencies, column.rows, column.law)


def _asked(learned: Shrunk, batch: Batch) -> Parts:
    """Return what queries ask for, as if their values deviated independently: right for single values."""
    parts = (learned.estimate, learned.sampling, learned.bias)
    return Parts(*(np.einsum("qv,qv->q", part[batch.which], batch.members) for part in parts))


def _sets(column: PublishedColumn, batch: Batch, posterior: FloatArray) -> Parts:
    """Shrink sums over sets, with the tau learned from single values: see `Shrunk.posterior`.

    The values of a set may deviate together, so a sum is taken to deviate as much as each of them.
    """
    n, rows, expected = batch.predicate_count, column.rows, batch.expected
    frequencies, share = column.frequencies[None], (n / rows)[:, None]
    # Both sources, as for single values: the sum of the unbiased estimates, and n f'/N.
    matrix = TwoState.of(frequencies, rows, float(column.law.retention))
    linear = LinearEstimate.of(batch.published[batch.which], n[:, None], matrix)
    raw = np.where(batch.members > 0, linear.value, 0.0).sum(axis=1)
    known = np.isfinite(raw) & (expected > 0)
    difference, scale = np.where(known, raw - expected, 0.0), np.where(expected > 0, expected, 1.0)
    # The weight between them.
    inside, outside = linear.weights(share * frequencies, n[:, None])
    noise = column.set_error(batch, expected, inside - share, outside - share) ** 2
    relative = np.where(known & np.isfinite(noise), noise / scale**2, np.inf)
    chance = (1 - n / rows) * (1 - batch.frequency / rows) / scale
    learned = learned_weights(posterior[:, batch.which], relative[:, None], chance[:, None])
    learned = Learned(*(part[:, 0] for part in learned))
    weight = learned.weight
    value = np.clip(expected + weight * difference, 0.0, n)
    # The error of the mixture.
    inside, outside = (np.nan_to_num(part) for part in (inside, outside))
    mixed = (weight[:, None] * part + (1 - weight[:, None]) * share for part in (inside, outside))
    sampling = column.set_error(batch, value, *mixed) ** 2
    return Parts(value, sampling, np.where(expected > 0, learned.bias(difference, scale), 0.0))
