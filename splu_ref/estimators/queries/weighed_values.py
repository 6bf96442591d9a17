"""The interval of a count that each published value adds a weight of its own to."""

from __future__ import annotations

from math import ceil, floor, sqrt

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators.answers import NORMAL_95
from splu_ref.randomness import IntArray


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
