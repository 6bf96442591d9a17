"""Queries with a set of sensitive values: sums of unbiased estimates, whose errors are dependent."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from splu_ref.estimators.answers import Estimates
from splu_ref.estimators.learning import learned_weights
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.published_column import Batch, PublishedColumn
from splu_ref.estimators.single_values import maximized
from splu_ref.estimators.transition import LEAST_SPREAD, set_matrix
from splu_ref.estimators.two_state import linear_estimate


def by_the_rarer_side(
    column: PublishedColumn, batch: Batch, function: Callable[[Batch], Estimates]
) -> Estimates:
    """Estimate a set that holds most records as n less the estimate of the other values.

    The predicate's records are n, whatever their values. A sum of estimates does not know that: for all
    values together it would be wrong by the errors of all, and of each set it would say something else than
    of the others.
    """
    turned = (batch.frequency > column.rows / 2) & (batch.members.sum(axis=1) > 1)
    if not turned.any():
        return function(batch)
    n = batch.predicate_count
    members = np.where(turned[:, None], 1 - batch.members, batch.members)
    found = function(
        batch._replace(
            members=members,
            counted=np.where(turned, n - batch.counted, batch.counted),
            frequency=np.where(turned, column.rows - batch.frequency, batch.frequency),
        )
    )
    nothing = turned & (members.sum(axis=1) == 0)  # all values were named: the count is n
    value, error, lower, upper = (np.where(nothing, 0.0, part) for part in found)
    return Estimates(
        np.where(turned, n - value, value),
        error,
        np.where(turned, n - upper, lower),
        np.where(turned, n - lower, upper),
    )


def alone_sets(column: PublishedColumn, batch: Batch) -> Estimates:
    """Return published counts of sets alone."""
    ones = np.ones((len(batch.which), 1))
    error = set_error(column, batch, batch.frequency, ones, 0 * ones)
    return Estimates.normal(batch.frequency, error, batch.predicate_count)


def exact_sets(column: PublishedColumn, batch: Batch) -> Estimates:
    """Add the estimates of the values; their errors are dependent, and counted so."""
    n = batch.predicate_count[:, None]
    keep, f = float(column.retention), column.frequencies[None]
    linear = linear_estimate(batch.published[batch.which], n, f, column.rows, keep)
    value = np.where(batch.members > 0, linear.value, 0.0).sum(axis=1)
    inside, outside = linear.weights(np.clip(linear.value, 0.0, n), n)
    error = set_error(column, batch, value, inside, outside)
    return Estimates.normal(value, error, batch.predicate_count)


def em_sets(column: PublishedColumn, batch: Batch) -> Estimates:
    """Take each set as one value, with the two-state matrix of the set."""
    matrices = set_matrix(column.co_occurrence, batch.members, column.gamma, column.retention)
    gained, kept = matrices[:, 0, 1], matrices[:, 1, 1]
    gained = np.where(kept - gained < LEAST_SPREAD, kept, gained)
    spread = np.where(kept > gained, kept - gained, np.nan)
    n = batch.predicate_count
    value = (batch.counted - n * gained) / spread
    others = np.maximum(column.rows - batch.frequency, 1.0)
    outside = (np.clip(value, 0.0, n) - n) * (1 - kept) * column.rows / others**2 / spread
    error = set_error(column, batch, value, (1 / spread + outside)[:, None], outside[:, None])
    ends = Estimates.normal(value, error, n)
    return ends._replace(value=maximized(batch, gained, kept)).around_estimate()


def shrunk_sets(
    column: PublishedColumn, batch: Batch, likely: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Shrink sums over sets, with the tau learned from single values.

    Returns the estimate, its sampling variance and its bias, as `Shrunk` names them. The values of a set may
    deviate together, so a sum is taken to deviate as much as each of them.
    """
    n, rows = batch.predicate_count, column.rows
    keep, f = float(column.retention), column.frequencies[None]
    share = (n / rows)[:, None]
    linear = linear_estimate(batch.published[batch.which], n[:, None], f, rows, keep)
    expected = n * batch.frequency / rows
    raw = np.where(batch.members > 0, linear.value, 0.0).sum(axis=1)
    known = np.isfinite(raw) & (expected > 0)
    difference, scale = np.where(known, raw - expected, 0.0), np.where(expected > 0, expected, 1.0)
    inside, outside = linear.weights(share * f, n[:, None])
    noise = set_error(column, batch, expected, inside - share, outside - share) ** 2
    relative = np.where(known & np.isfinite(noise), noise / scale**2, np.inf)
    chance = (1 - n / rows) * (1 - batch.frequency / rows) / scale
    learned = learned_weights(likely[:, batch.which], relative[:, None], chance[:, None])
    weight, doubt, prior = (part[:, 0] for part in learned)
    value = np.clip(expected + weight * difference, 0.0, n)
    inside, outside = (np.nan_to_num(part) for part in (inside, outside))
    mixed = (weight[:, None] * part + (1 - weight[:, None]) * share for part in (inside, outside))
    sampling = set_error(column, batch, value, *mixed) ** 2
    bias = (1 - weight) ** 2 * prior * scale**2 + doubt * difference**2
    return value, sampling, np.where(expected > 0, bias, 0.0)


def set_error(
    column: PublishedColumn, batch: Batch, value: FloatArray, inside: FloatArray, outside: FloatArray
) -> FloatArray:
    """Return standard errors of estimates that weigh the values of a set.

    The counts by value, which the variance asks for, are the expected ones, with the estimate itself as the
    sum over the set.
    """
    n = batch.predicate_count
    expected = n[:, None] * column.frequencies / column.rows
    own = (expected * batch.members).sum(axis=1)
    wanted = np.clip(np.nan_to_num(value), 0.0, n)
    rise = np.divide(wanted, own, out=np.ones_like(own), where=own > 0)
    rest = np.divide(n - wanted, n - own, out=np.ones_like(own), where=n - own > 0)
    counts = expected * np.where(batch.members > 0, rise[:, None], rest[:, None])
    known = np.isfinite(value)
    held = batch.members * known[:, None]
    inside, outside = (np.where(held > 0, part, 0.0).T for part in (inside, outside))
    return np.where(known, np.sqrt(column.scatter.variance(inside, outside, counts.T)), np.nan)
