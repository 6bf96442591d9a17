"""Estimates and intervals from independent records by the states of a query's columns.

A record has one of 2^k states: one bit per column, set if the value is in the set of the column's condition,
the first column's bit leftmost. Each bit is published through the two-state channel of its column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, lcm, prod, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from splu_ref.channels import Channel, PredicateCount
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.counts import bounded_limits
from splu_ref.estimators.linear.em import most_likely, require_convergence
from splu_ref.estimators.linear.interior_point import settled
from splu_ref.estimators.linear.transition import apply_by_mode, inverses
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

TAIL = Fraction(1, 40)
"""Error probability of an exact interval at either end."""

EM_STEPS = 60
"""Evaluations of the matrix by EM before Newton's method is used."""
_NEGATIVE = (
    "the unbiased estimate of the variance is negative: the standard error is that at the estimated counts "
    "of all combinations, with 0 for those below it"
)

Weights: TypeAlias = tuple[Fraction, Fraction]
"""Weights of a record published outside, and inside, the set of a column's condition."""


class IntegerWeights(NamedTuple):
    """Weights as integer multiples of 1/scale."""

    low: int
    high: int
    scale: int

    @classmethod
    def of(cls, low: Fraction, high: Fraction) -> IntegerWeights:
        """Return the weights over their least common denominator."""
        scale = lcm(low.denominator, high.denominator)
        return cls(int(low * scale), int(high * scale), scale)


class Side:
    """The two-state channel of a column's condition, with its inverse weights."""

    def __init__(self, channel: Channel[bool, bool], weights: Weights) -> None:
        self.channel = channel
        low, high = weights
        self.weights, self.squares = IntegerWeights.of(low, high), IntegerWeights.of(low**2, high**2)
        outside, inside = (
            channel.probability(true, False) * low**2 + channel.probability(true, True) * high**2
            for true in (False, True)
        )
        self.mean_squares = float(outside), float(inside)

    def variances(self, records: int) -> tuple[float, float]:
        """Return the variance per record inside, and the total variance if none is inside."""
        outside, inside = self.mean_squares
        return inside - 1 - outside, records * outside


@dataclass(frozen=True, eq=False, slots=True)
class RecordStates:
    """The published states of the records that a query selects."""

    counts: IntArray  # number of records published in each state, shape (2^k,)
    sides: tuple[Side, ...]  # one for each column

    def weighted(self) -> Fraction:
        """Return the unbiased estimate as an exact fraction."""
        return weighted(self.counts, [side.weights for side in self.sides])

    def inversion(self) -> QueryEstimate:
        """Return the unbiased estimate of the number of records with all bits set."""
        records, published = int(self.counts.sum()), int(self.counts[-1])
        estimate = self.weighted()
        variance = weighted(self.counts, [side.squares for side in self.sides]) - estimate
        exactly = len(self.sides) == 1
        if exactly:
            error = sqrt(variance)
            least, most = exact_interval(self.sides[0].channel, published, records, estimate, error)
            ends = float(least), float(most)
        else:
            error = sqrt(max(variance, Fraction(0)))
            if variance < 0:
                error = sqrt(max(plug_in_variance(self, estimate), 0.0))
            ends = approximate_interval(self, float(estimate), error)
        return QueryEstimate(
            estimate=float(estimate),
            standard_error=error,
            interval=ends,
            method="inversion",
            published_count=published,
            predicate_count=records,
            note=_NEGATIVE if variance < 0 else None,
            variance_estimate=variance,
            exact=exactly,
        )


def most_likely_counts(several: Sequence[RecordStates]) -> list[float]:
    """Return maximum likelihood estimates of the numbers of records with all bits set.

    The likelihood is that of independent records under the product of the columns' channels, which is applied
    column by column. With one column its maximum is the clipped inversion (claim splu.Ic). Otherwise it is
    computed by EM from a positive start, and by Newton's method where that is slow, to within a thousandth of
    the maximum of the log-likelihood.
    """
    totals = [int(states.counts.sum()) for states in several]
    if len(several[0].sides) == 1:
        return [
            min(max(float(states.weighted()), 0.0), float(n))
            for states, n in zip(several, totals, strict=True)
        ]
    found = np.zeros(len(several))
    some = [place for place, n in enumerate(totals) if n]
    if some:
        shape = (2,) * len(several[0].sides)
        counts = np.stack([several[place].counts for place in some]).astype(np.float64).reshape(-1, *shape)
        laws = [[matrix(side.channel) for side in several[place].sides] for place in some]
        factors = [np.array(column) for column in zip(*laws, strict=True)]
        begun = most_likely(counts, factors, limit=EM_STEPS)
        best = require_convergence(settled(begun, counts, factors), "inversion")
        found[some] = best.reshape(len(some), -1)[:, -1]
    return [round(value, 6) for value in found.tolist()]


def matrix(channel: Channel[bool, bool]) -> FloatArray:
    """Return the rounded law of a column's bit: rows by its true one, columns by the published one."""
    bits = (False, True)
    return np.array([[float(channel.probability(true, seen)) for seen in bits] for true in bits])


def weighted(counts: IntArray, weights: Sequence[IntegerWeights]) -> Fraction:
    """Return the sum over states of their count times the product of the columns' weights, exactly.

    Uses 64-bit integers unless a sum can overflow, otherwise Python integers: each column multiplies the sum
    of absolute values by at most the larger weight.
    """
    left, scale, largest = counts, 1, int(counts.sum())
    for low, high, common in reversed(weights):
        largest *= max(abs(low), abs(high), 1)
        if largest >= 2**63:
            left = left.astype(object)
        left = left[0::2] * low + left[1::2] * high
        scale *= common
    return Fraction(int(left[0]), scale)


def exact_interval(
    channel: Channel[bool, bool], published: int, records: int, estimate: Fraction, error: float
) -> tuple[int, int]:
    """Return the exact confidence interval of a true count from its published count."""
    own, other = (channel.probability(state, True) for state in (True, False))
    if not 0 < other <= own < 1:  # no value is in the set, or all are
        return published, published
    half_width = NORMAL_95 * error
    guess = round(estimate - half_width), round(estimate + half_width)
    return bounded_limits(PredicateCount(records, own, other), published, TAIL, guess, records)


def largest_variance(states: RecordStates) -> float:
    """Return the largest total variance of uncounted records under the intervals of the single columns.

    The number of records with a bit is at most the upper end of that column's interval. Under these limits
    the states with the largest variance are filled first.
    """
    shape = (2,) * len(states.sides)
    counts, records = states.counts.reshape(shape), int(states.counts.sum())
    most = np.full(shape, float(records))
    for axis, side in enumerate(states.sides):
        published = counts.sum(axis=tuple(other for other in range(len(shape)) if other != axis))
        estimate = float(weighted(published, [side.weights]))
        low, high = near_counts(estimate, *side.variances(records)) or (estimate, estimate)
        ends = np.clip((records - low, high), 0, records)
        np.minimum(most, _along(ends, axis, len(shape)), out=most)
    means, limits = _mean_squares(states.sides).ravel()[:-1], most.ravel()[:-1]
    order = np.argsort(-means, kind="stable")
    filled = np.minimum(np.cumsum(limits[order]), records)
    return float(np.diff(filled, prepend=0.0) @ means[order])


def approximate_interval(states: RecordStates, estimate: float, error: float) -> tuple[float, float]:
    """Return the ends of a 95 % interval for the count of a conjunction.

    The union of two intervals, clipped to 0 .. N: the estimate plus or minus 1.96 standard errors, and a
    score interval with the largest variance under each count t (see `largest_variance`), rounded outwards.
    The second accounts for large weights of rare states without a published record. The estimate itself may
    lie outside 0 .. N: see `nearest`.
    """
    records, half = int(states.counts.sum()), NORMAL_95 * error
    least, most = nearest(estimate, records)
    low, high = least - half, most + half
    if len(states.sides) == 1:
        each, others = states.sides[0].variances(records)
    else:
        each = max(prod(side.mean_squares[1] for side in states.sides) - 1, 0.0)
        others = largest_variance(states)
    below, above = (near_counts(end, each, others) or (end, end) for end in (least, most))
    return max(min(low, floor(below[0])), 0.0), min(max(high, ceil(above[1])), float(records))


def nearest(estimate: float, records: int) -> tuple[float, float]:
    """Return an estimate, which may lie outside 0 .. N, as both ends of an interval are computed from it.

    The lower one is that of at most N, and the upper one that of at least 0: no estimate contradicts all
    counts.
    """
    return min(estimate, float(records)), max(estimate, 0.0)


def near_counts(estimate: float, each: float, others: float) -> tuple[float, float] | None:
    """Return the ends of the score interval with variance ``others`` + t ``each``; None if it is empty."""
    # (estimate - t)^2 <= 1.96^2 (others + t each)
    half = estimate + NORMAL_95**2 * each / 2
    inside = half**2 - estimate**2 + NORMAL_95**2 * others
    return None if inside < 0 else (half - sqrt(inside), half + sqrt(inside))


def sum_interval(
    estimate: float, error: float, records: int, reaches: Iterable[tuple[float, float]]
) -> tuple[float, float]:
    """Return the ends of a 95 % interval for a sum of independent estimates, from their intervals.

    The squared lengths of the intervals are added on each side (Newcombe 1998; Zou and Donner 2008). The
    result contains the estimate plus or minus 1.96 standard errors and is clipped to 0 .. N.
    """
    below, above = (sqrt(sum(reach**2 for reach in side)) for side in zip((0.0, 0.0), *reaches, strict=True))
    half, (least, most) = NORMAL_95 * error, nearest(estimate, records)
    return max(least - max(half, below), 0.0), min(most + max(half, above), float(records))


def plug_in_variance(states: RecordStates, estimate: Fraction) -> float:
    """Return the variance of the estimate at the estimated counts of all states, negative ones set to 0."""
    shape = (2,) * len(states.sides)
    counts: FloatArray = states.counts.astype(np.float64).reshape(1, *shape)
    counts = apply_by_mode(counts, inverses([matrix(side.channel) for side in states.sides]))[0]
    return float((np.maximum(counts, 0) * _mean_squares(states.sides)).sum()) - max(float(estimate), 0.0)


def _mean_squares(sides: Sequence[Side]) -> FloatArray:
    """Return the mean squared weight of a record by its true state, shape (2,) * columns."""
    means = np.ones((2,) * len(sides))
    for axis, side in enumerate(sides):
        means *= _along(np.array(side.mean_squares), axis, len(sides))
    return means


def _along(pair: FloatArray, axis: int, columns: int) -> FloatArray:
    """Return a pair of numbers, one for each bit of a column, as an array by state."""
    return pair.reshape([2 if place == axis else 1 for place in range(columns)])
