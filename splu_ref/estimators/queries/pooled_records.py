"""Estimates from dependent records (swapping, or replacement by the histogram), and their intervals.

The estimate is the sum of the columns' weights as for independent records. Its square has the mean
Var + x^2, and x^2 is x plus the number of ordered pairs of different counted records. That number has an
unbiased estimate from the published values of pairs of records, and so does the variance.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, lcm, prod, sqrt

import numpy as np

from splu_ref.channels import Pairs
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.record_states import (
    IntegerWeights,
    RecordStates,
    Side,
    approximate_interval,
    nearest,
    weighted,
)
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

MOST_COLUMNS = 10
"""Largest number k of sensitive columns of a query; all pairs of 2^k states are summed."""
_NEGATIVE = (
    "the unbiased estimate of the variance is negative: the standard error is the least one that independent "
    "records would have at the estimated count"
)
_COUNTED = "the release has every value as often as the original, so this count is the original's"


def pooled_answer(states: RecordStates, pairs: Sequence[Pairs], *, everybody: bool) -> QueryEstimate:
    """Return the estimated number of records with all bits set.

    ``pairs`` are the weights of pairs of records in the estimated number of counted pairs, by column;
    ``everybody`` states that all records of the release are counted, with one condition.
    """
    records, published, estimate = int(states.counts.sum()), int(states.counts[-1]), states.weighted()
    variance = estimate**2 - estimate - _different(states.counts, pairs)
    error = sqrt(max(variance, Fraction(0)))
    if variance < 0:
        counted, other = _least_variances(states.sides)
        inside = min(max(float(estimate), 0.0), records)
        error = sqrt(max(inside * counted + (records - inside) * other, 0.0))
    settled = everybody and not variance and estimate == published
    value = float(estimate)
    return QueryEstimate(
        estimate=value,
        standard_error=error,
        interval=(value, value) if settled else approximate_interval(states, value, error),
        method="inversion",
        published_count=published,
        predicate_count=records,
        note=_COUNTED if settled else _NEGATIVE if variance < 0 else None,
        variance_estimate=variance,
        exact=settled,
    )


def _least_variances(sides: Sequence[Side]) -> tuple[float, float]:
    """Return the variance per counted record, and the least variance per other record."""
    squares = [side.mean_squares for side in sides]
    least = [min(pair) for pair in squares]
    # Some column's condition does not hold.
    other = min(pair[0] * prod(least[:place] + least[place + 1 :]) for place, pair in enumerate(squares))
    return max(prod(inside for _, inside in squares) - 1, 0.0), other


def _different(counts: IntArray, pairs: Sequence[Pairs]) -> Fraction:
    """Return the estimated number of ordered pairs of different records that are both in all sets."""
    scale = 1
    sums = counts.astype(object)
    for place, pair in enumerate(reversed(pairs)):
        common = lcm(*(weight.denominator for weight in pair))
        neither, one, both = (int(weight * common) for weight in pair)
        scale *= common
        sides = sums.reshape(-1, 2, 1 << place)
        outside, inside = sides[:, 0], sides[:, 1]
        sums = np.stack([neither * outside + one * inside, one * outside + both * inside], axis=1).reshape(-1)
    themselves = weighted(counts, [IntegerWeights.of(pair.neither, pair.both) for pair in pairs])
    return Fraction(int(counts.astype(object) @ sums), scale) - themselves


def interval_of_weights(
    law: FloatArray, weights: FloatArray, members: FloatArray, counts: IntArray, error: float
) -> tuple[float, float]:
    """Return the ends of a 95 % interval for the number of records with one of several values.

    The union of two intervals: the estimate plus or minus 1.96 standard errors, and the same with the largest
    variance compatible with the published counts, rounded outwards and clipped to 0 .. N. The second accounts
    for large weights of rare values without a published record.
    """
    records, estimate = int(counts.sum()), float(counts @ weights)
    added = law @ weights**2 - members  # to the variance, by a record of each value
    order = np.argsort(-added, kind="stable")
    filled = np.minimum(np.cumsum(_most(law, counts)[order]), records)
    reach = NORMAL_95 * sqrt(max(float(np.diff(filled, prepend=0.0) @ added[order]), 0.0))
    half = NORMAL_95 * error
    least, most = nearest(estimate, records)
    low, high = max(floor(least - reach), 0), min(ceil(most + reach), records)
    return min(least - half, low), max(most + half, high)


def _most(law: FloatArray, counts: IntArray) -> FloatArray:
    """Return upper limits of the count of each value: 1.96 times the largest standard error above it."""
    records = float(counts.sum())
    if law.shape[0] != law.shape[1] or np.linalg.matrix_rank(law) < len(law):
        return np.full(len(law), records)  # the channel is singular
    single = np.linalg.inv(law)
    largest = (law @ single**2 - np.eye(len(law))).max(axis=0) * records
    most: FloatArray = np.clip(counts @ single + NORMAL_95 * np.sqrt(np.maximum(largest, 0)), 0, records)
    return most
