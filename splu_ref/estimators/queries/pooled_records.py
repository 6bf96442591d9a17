"""Estimates from records that depend on each other, and intervals of weighted counts.

What records say together that enter each other's estimates: swapped ones, or ones of a learned histogram.

The estimate is the sum of the columns' weights as for independent records. Its square has the mean
Var + x^2, and x^2 = x + (ordered pairs of different records that are both counted). What pairs of records are
published as tells that number without bias, so the variance has an estimate that knows of the dependence.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor, lcm, prod, sqrt

import numpy as np

from splu_ref.channels import Pairs
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.record_states import (
    RecordStates,
    Side,
    Whole,
    approximate_interval,
    weighted,
)
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

MOST_COLUMNS = 10
"""Sensitive columns of one query: all pairs of 2^k states are looked at."""
_NEGATIVE = (
    "the unbiased estimate of the variance is negative: the standard error is the least one that independent "
    "records would have at the estimated count"
)
_COUNTED = "the release has every value as often as the original, so this count is the original's"


def pooled_answer(states: RecordStates, pairs: Sequence[Pairs], *, everybody: bool) -> QueryEstimate:
    """Return the estimate of how many records have all bits.

    Parameters
    ----------
    states
        The published states of the records that the query is about.
    pairs
        What two records add to the estimate of how many pairs are both in a column's set.
    everybody
        Whether all records of the release are counted, with one condition.
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
    """Return what a record that is counted adds to the variance, and the least that any other one adds."""
    squares = [side.mean_squares for side in sides]
    least = [min(pair) for pair in squares]
    # Some column's condition does not hold.
    other = min(pair[0] * prod(least[:place] + least[place + 1 :]) for place, pair in enumerate(squares))
    return max(prod(inside for _, inside in squares) - 1, 0.0), other


def _different(counts: IntArray, pairs: Sequence[Pairs]) -> Fraction:
    """Return the estimate of how many ordered pairs of different records are both in all sets."""
    scale = 1
    sums = counts.astype(object)
    for place, pair in enumerate(reversed(pairs)):
        common = lcm(*(weight.denominator for weight in pair))
        neither, one, both = (int(weight * common) for weight in pair)
        scale *= common
        sides = sums.reshape(-1, 2, 1 << place)
        outside, inside = sides[:, 0], sides[:, 1]
        sums = np.stack([neither * outside + one * inside, one * outside + both * inside], axis=1).reshape(-1)
    themselves = weighted(counts, [Whole.of(pair.neither, pair.both) for pair in pairs])
    return Fraction(int(counts.astype(object) @ sums), scale) - themselves


def interval_of_weights(
    law: FloatArray, weights: FloatArray, asked: FloatArray, counts: IntArray, error: float
) -> tuple[float, float]:
    """Return the ends of a 95 % interval for how many records have one of the values asked for.

    It is the estimate plus or minus 1.96 standard errors, together with that by the largest variance that the
    published counts of all values allow, to the next whole count within 0 and all records. The first alone is
    blind to weights that are large and rare, and were not published.

    Parameters
    ----------
    law
        Probability of each published value by the true one, shape (values, published values).
    weights
        What each published value adds to the estimate, shape (published values,): its mean is 1 for a value
        asked for, and 0 for any other.
    asked
        1 for each value asked for, and 0 for the others, shape (values,).
    counts
        How many records are published with each value, shape (published values,).
    error
        The standard error.
    """
    records, estimate = int(counts.sum()), float(counts @ weights)
    added = law @ weights**2 - asked  # to the variance, by a record of each value
    order = np.argsort(-added, kind="stable")
    filled = np.minimum(np.cumsum(_most(law, counts)[order]), records)
    reach = NORMAL_95 * sqrt(max(float(np.diff(filled, prepend=0.0) @ added[order]), 0.0))
    half = NORMAL_95 * error
    low, high = (min(max(end, 0), records) for end in (floor(estimate - reach), ceil(estimate + reach)))
    return min(estimate - half, low), max(estimate + half, high)


def _most(law: FloatArray, counts: IntArray) -> FloatArray:
    """Return how many records each value has at most: 1.96 of the largest standard errors above its count."""
    records = float(counts.sum())
    if law.shape[0] != law.shape[1] or np.linalg.matrix_rank(law) < len(law):
        return np.full(len(law), records)  # values that the release does not tell apart
    single = np.linalg.inv(law)
    largest = (law @ single**2 - np.eye(len(law))).max(axis=0) * records
    most: FloatArray = np.clip(counts @ single + NORMAL_95 * np.sqrt(np.maximum(largest, 0)), 0, records)
    return most
