"""What independent records say together: estimates and intervals from the states of a query's columns.

A record has 2^k states, in or out of the set that each of k columns' conditions names, the first column's bit
leftmost; published it has a state too, each bit by the column's channel of two states.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm, prod, sqrt
from typing import TypeAlias

import numpy as np

from splu_ref.channels import Channel, PredicateCount
from splu_ref.decoys import FloatArray
from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.counts import not_contradicted
from splu_ref.randomness import IntArray

TAIL = Fraction(1, 40)
"""What an exact interval may miss at either end."""

Weights: TypeAlias = tuple[Fraction, Fraction]
"""What a record adds that is published outside, and inside, the set that a column's condition names."""


def weighted(counts: Mapping[int, int], weights: Sequence[Weights]) -> Fraction:
    """Return the sum over states of their count times the product of the columns' weights."""
    sums, scale = dict(counts), 1
    for pair in reversed(weights):
        common = lcm(*(weight.denominator for weight in pair))
        whole = [int(weight * common) for weight in pair]
        left: dict[int, int] = defaultdict(int)
        for state, number in sums.items():
            left[state >> 1] += number * whole[state & 1]
        sums, scale = left, scale * common
    return Fraction(sums.get(0, 0), scale)


def exact_interval(
    channel: Channel[bool, bool], published: int, records: int, estimate: Fraction, error: float
) -> tuple[int, int]:
    """Return all true counts of a predicate that the published one does not contradict."""
    own, other = (channel.probability(state, True) for state in (True, False))
    if not 0 < other <= own < 1:  # no value is in the set, or all are
        return published, published
    half_width = NORMAL_95 * error
    guess = round(estimate - half_width), round(estimate + half_width)
    return not_contradicted(PredicateCount(records, own, other), published, TAIL, guess, records)


def _squares(channel: Channel[bool, bool], pair: Weights) -> tuple[float, float]:
    """Return the mean squared weight of a record outside, and of one inside, a column's set."""
    outside, inside = (
        sum(channel.probability(true, bool(seen)) * weight**2 for seen, weight in enumerate(pair))
        for true in (False, True)
    )
    return float(outside), float(inside)


def least_variances(
    channels: Sequence[Channel[bool, bool]], weights: Sequence[Weights]
) -> tuple[float, float]:
    """Return what a record that is counted adds to the variance, and the least that any other one adds."""
    squares = [_squares(channel, pair) for channel, pair in zip(channels, weights, strict=True)]
    least = prod(min(pair) for pair in squares)
    # Some column's condition does not hold.
    other = min(least / min(pair) * pair[0] for pair in squares)
    return max(prod(inside for _, inside in squares) - 1, 0.0), other


def approximate_interval(
    estimate: float, error: float, records: int, variances: tuple[float, float]
) -> tuple[float, float]:
    """Return the ends of a 95 % interval for the count of a conjunction of several sensitive columns.

    It is the estimate plus or minus 1.96 standard errors, together with every count t of which the estimate
    is at most 1.96 standard errors away, where its variance is taken as the least that t allows: t records
    that are counted and n - t others of the quietest kind. The first alone is blind to weights that are large
    and rare, and were not published; then it misses far too often.
    """
    low, high = estimate - NORMAL_95 * error, estimate + NORMAL_95 * error
    counted, other = variances
    # (estimate - t)^2 <= 1.96^2 (n other + t (counted - other))
    half = estimate + NORMAL_95**2 * (counted - other) / 2
    inside = half**2 - estimate**2 + NORMAL_95**2 * records * other
    if inside >= 0 and half + sqrt(inside) >= 0 and half - sqrt(inside) <= records:
        low, high = min(low, max(half - sqrt(inside), 0.0)), max(high, min(half + sqrt(inside), records))
    return low, high


def plugged_in(
    states: IntArray, channels: Sequence[Channel[bool, bool]], weights: Sequence[Weights], estimate: Fraction
) -> float:
    """Return the variance of the estimate at the estimated counts of all states, 0 for those below it."""
    shape = (2,) * len(channels)
    counts: FloatArray = np.bincount(states, minlength=2 ** len(channels)).astype(np.float64).reshape(shape)
    means = np.ones(shape)  # of the squared weight, by true state
    for axis, (channel, pair) in enumerate(zip(channels, weights, strict=True)):
        law = np.array([[float(channel.probability(true, seen)) for seen in (False, True)]
                        for true in (False, True)])  # fmt: skip
        counts = np.moveaxis(np.tensordot(np.linalg.inv(law).T, counts, axes=(1, axis)), 0, axis)
        squares = np.array(_squares(channel, pair))
        means *= squares.reshape([2 if place == axis else 1 for place in range(len(shape))])
    return float((np.maximum(counts, 0) * means).sum()) - max(float(estimate), 0.0)
