"""Estimates of a release of batches, from those of each batch: every batch is a release with its own plan.

Estimates add up, and so do their variances, since batches draw independently. The 95 % interval of a sum is
made of those of its terms by the method of variance estimates recovery (MOVER; Zou and Donner 2008): its ends
are the sum of the unbiased estimates less, and plus, the root of the summed squared distances between these
estimates and their limits. The unbiased estimates are those before any clipping or shrinkage, whose errors
would not cancel in a sum. A limit that was moved into the possible range counts as 1.96 standard errors away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from splu_ref.estimators.answers import NORMAL_95, Estimates, QueryCounts
from splu_ref.mechanisms import FloatArray

ADDED = "the sum of the estimates of {} batches, each by its own plan"
"""Note on the estimates of queries with records in several batches."""

_SAME = 1e-9
"""Largest difference of equal estimates, in records."""


def holders(parts: Sequence[QueryCounts]) -> NDArray[np.bool_]:
    """Return which batches have records of each predicate, shape (batches, queries)."""
    return np.array([part.predicate > 0 for part in parts])


def added(counts: Sequence[QueryCounts], each: Sequence[Estimates]) -> tuple[QueryCounts, Estimates]:
    """Return the counts of queries over all batches, and their estimates.

    A query with records in one batch alone has the estimate of that batch. Of several, the estimate is the
    sum clipped to its interval, so that the errors of shrinkage do not accumulate; where all batches have
    unbiased estimates, clipped at most, it is the sum before clipping.
    """
    total = QueryCounts(*(np.sum(arrays, axis=0) for arrays in zip(*counts, strict=True)))
    inside = holders(counts)
    first, queries = inside.argmax(axis=0), np.arange(inside.shape[1])
    several = inside.sum(axis=0) > 1
    value, error, lower, upper = (
        np.where(several, sums, np.stack(arrays)[first, queries])
        for sums, arrays in zip(
            _sums(counts, each, inside, total),
            zip(*((found.value, found.error, found.lower, found.upper) for found in each), strict=True),
            strict=True,
        )
    )
    notes = [
        ADDED.format(number) if number > 1 else (each[batch].notes or [None] * len(queries))[query]
        for query, (batch, number) in enumerate(zip(first.tolist(), inside.sum(axis=0).tolist(), strict=True))
    ]
    conditions = [found.condition_number for found in each if found.condition_number is not None]
    return total, replace(
        each[0],
        value=value,
        error=error,
        lower=lower,
        upper=upper,
        notes=notes,
        condition_number=max(conditions, default=None),
        warning=next((found.warning for found in each if found.warning), None),
        allows_for_plan=all(found.allows_for_plan for found in each),
        unclipped=None,
    )


def _sums(
    counts: Sequence[QueryCounts],
    each: Sequence[Estimates],
    inside: NDArray[np.bool_],
    total: QueryCounts,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the sums of estimates, their errors and the ends of their intervals."""
    clipped = each[0].condition_number is None
    value, lower, upper = (
        np.stack([getattr(found, name) for found in each]) for name in ("value", "lower", "upper")
    )
    linear, spread = (np.stack(arrays) for arrays in zip(*(found.linear for found in each), strict=True))
    error = np.stack([found.error for found in each])
    most, expected = (np.stack([getattr(part, name) for part in counts]) for name in ("most", "expected"))
    known = inside & np.isfinite(value) & np.isfinite(linear) & np.isfinite(spread)
    unknown = inside & ~known
    nothing = unknown & ~np.isfinite(value)
    value = np.where(nothing, np.minimum(expected, most), value)
    error = np.where(nothing, most / 2, error)
    reach = NORMAL_95 * spread
    below, above = (
        np.sqrt(np.square(np.where(known, np.maximum(reach, distance), 0.0)).sum(axis=0))
        for distance in (linear - lower, upper - linear)
    )
    middle = np.where(known, linear, 0.0).sum(axis=0)
    low, high = middle - below, middle + above + np.where(unknown, most, 0.0).sum(axis=0)
    if clipped:
        low, high = (np.clip(end, 0.0, total.most) for end in (low, high))
    estimate = np.where(inside, value, 0.0).sum(axis=0)
    unshrunk = np.where(known, np.abs(value - (np.clip(linear, 0.0, most) if clipped else linear)), 0.0)
    plain = (unshrunk < _SAME).all(axis=0) & ~unknown.any(axis=0)
    estimate = np.clip(np.where(plain, middle, estimate), low, high)
    estimate = np.where((~inside | nothing).all(axis=0), np.nan, estimate)
    return estimate, np.sqrt(np.square(np.where(inside, error, 0.0)).sum(axis=0)), low, high
