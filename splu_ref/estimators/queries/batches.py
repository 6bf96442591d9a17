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

from splu_ref.estimators.answers import AVERAGED, NORMAL_95, PUBLISHED_ALONE, Estimates, QueryCounts
from splu_ref.mechanisms import FloatArray

ADDED = "the sum of the estimates of {} batches, each by its own plan"
"""Note on the estimates of queries with records in several batches."""

WEAK_SHARE = 0.1
"""Least share of weakly supported batches, in the records of a predicate or its count, to be warned of."""

_SAME = 1e-9
"""Largest difference of equal estimates, in records."""


def reasons_in_batches(
    counts: Sequence[QueryCounts], reasons: Sequence[Sequence[str | None]], numbers: Sequence[int]
) -> list[str | None]:
    """Return a reason for each query why its published count says little, with the number of the batch.

    The batches with a reason must have `WEAK_SHARE` of the records of the predicate, or of the expected count
    or its complement. The reason is that of the batch with most of the expected count.
    """
    weak = np.array([[reason is not None for reason in of_batch] for of_batch in reasons])
    n, expected = (np.stack([getattr(part, name) for part in counts]) for name in ("predicate", "expected"))
    matters = np.any(
        [
            (np.where(weak, part, 0.0).sum(axis=0) >= WEAK_SHARE * part.sum(axis=0))
            for part in (n, expected, n - expected)
        ],
        axis=0,
    )
    worst = np.where(weak, expected, -1.0).argmax(axis=0).tolist()
    found: list[str | None] = [None] * len(matters)
    for query in np.flatnonzero(weak.any(axis=0) & matters).tolist():
        number, several = numbers[worst[query]], int(weak[:, query].sum())
        place = f"in batch {number}" if several == 1 else f"in {several} batches, such as batch {number}"
        found[query] = f"{place}: {reasons[worst[query]][query]}"
    return found


def added(counts: Sequence[QueryCounts], each: Sequence[Estimates]) -> tuple[QueryCounts, Estimates]:
    """Return the counts of queries over all batches, and their estimates.

    A query with records in one batch alone has the estimate of that batch. Of several, the estimate is the
    sum clipped to its interval, so that the errors of shrinkage do not accumulate; where all batches have
    unbiased estimates, clipped at most, it is the sum before clipping.
    """
    total = QueryCounts(*(np.sum(arrays, axis=0) for arrays in zip(*counts, strict=True)))
    inside = np.array([part.predicate > 0 for part in counts])
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
    notes = [_note(each, query, np.flatnonzero(holds).tolist()) for query, holds in enumerate(inside.T)]
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


def _note(each: Sequence[Estimates], query: int, batches: Sequence[int]) -> str | None:
    """Return the note on a query with records in some batches: that of one, or what holds for their sum."""
    notes = [each[batch].notes[query] if each[batch].notes else None for batch in batches or [0]]
    if len(notes) == 1:
        return notes[0]
    said = [ADDED.format(len(notes))]
    if any(AVERAGED in (note or "") for note in notes):
        said.append(AVERAGED)
        if each[0].interval_kind == "each":
            errors = np.array([each[batch].linear.error[query] for batch in batches])
            known = np.isfinite(errors)
            alone = f"whose standard error is {np.sqrt(np.square(errors[known]).sum()):.1f}"
            said.append(PUBLISHED_ALONE.format(alone if known.any() else "which says nothing"))
            if not known.all() and known.any():
                said.append(f"it says nothing in {(~known).sum()} of the batches, whose whole range is added")
    return "; ".join(said)


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
