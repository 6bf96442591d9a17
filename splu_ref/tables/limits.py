"""Ends of the intervals of sums and means by group.

A sum of scores is skewed where numbers are: if the one large number of a small group is published elsewhere,
sum and estimated variance are both too small. So the variance is taken at the sum that is asked about, as a
score interval does (Wilson 1927): a group whose sum is larger by d has more records, or larger ones, and each
unit adds what the records of the public group would add that have such numbers, by a rate that is known from
their numbers and the law of publication. Away from zero only: nothing that is seen is taken back.

A mean is a quotient. Its interval are all m at which the sum of what is above or below m is not contradicted
(Fieller 1954), as far as numbers of the group reach.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators.answers import NORMAL_95

Measure: TypeAlias = Literal["sum", "mean"]
_LEVEL = NORMAL_95**2


class Quadratic(NamedTuple):
    """Numbers that depend on m as constant + linear m + square m^2; arrays of one shape."""

    constant: FloatArray
    linear: FloatArray
    square: FloatArray

    def at(self, m: FloatArray) -> FloatArray:
        """Return the numbers at m."""
        return np.asarray(self.constant + self.linear * m + self.square * m**2)


class Rates(NamedTuple):
    """What a sum's variance gains with each unit that the sum is larger, or smaller: arrays as the sums."""

    up: FloatArray
    down: FloatArray

    @classmethod
    def of(cls, numbers: FloatArray, variances: FloatArray, weights: FloatArray) -> Rates:
        """Return the rates of records with these numbers and variances, the last axis summed up."""
        up, down = (
            np.divide(
                (weights * np.maximum(variances, 0.0) * side).sum(axis=-1),
                total := (weights * np.abs(numbers) * side).sum(axis=-1),
                out=np.zeros_like(total),
                where=total > 0,
            )
            for side in (numbers > 0, numbers < 0)
        )
        return cls(up, down)


class Found(NamedTuple):
    """Sums of each group, shape (public groups, groups of each sensitive column in turn).

    Attributes
    ----------
    total, records
        Estimated sums of the numbers, and of the records that have one.
    variance
        That of the sum less m times the records, by m.
    sum_rates, mean_rates
        Of the sum, and of what is above or below the mean of the public group's numbers.
    published
        Published records of each group that have a number.
    least, greatest
        The range of the numbers that a record of the group may have.
    lowest, highest
        The range of their sum.
    """

    total: FloatArray
    records: FloatArray
    variance: Quadratic
    sum_rates: Rates
    mean_rates: Rates
    published: FloatArray
    least: FloatArray
    greatest: FloatArray
    lowest: FloatArray
    highest: FloatArray


def intervals(found: Found, measure: Measure) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return estimates, standard errors and ends."""
    if measure == "sum":
        variance = np.maximum(found.variance.constant, 0.0)
        below, above = _reach(variance, found.sum_rates.down), _reach(variance, found.sum_rates.up)
        low = np.clip(found.total - below, found.lowest, found.highest)
        high = np.clip(found.total + above, found.lowest, found.highest)
        return found.total, np.asarray(np.sqrt(variance)), np.asarray(low), np.asarray(high)
    # All m with (total - m records)^2 <= z^2 (variance(m) + rate |total - m records|): two quadratics in m.
    square = found.records**2 - _LEVEL * found.variance.square
    ends_of_mean = []
    for sign, rate in ((-1, found.mean_rates.down), (1, found.mean_rates.up)):
        linear = -2 * found.total * found.records - _LEVEL * (
            found.variance.linear + sign * rate * found.records
        )
        constant = found.total**2 - _LEVEL * (found.variance.constant - sign * rate * found.total)
        root = linear**2 - 4 * square * constant
        told = (square > 0) & (root >= 0) & (found.records > 0)
        half = np.sqrt(np.where(told, root, 0.0))
        end = (sign * half - linear) / np.where(told, 2 * square, 1.0)
        ends_of_mean.append(np.where(told, end, found.least if sign < 0 else found.greatest))
    low, high = ends_of_mean
    middle = (found.least + found.greatest) / 2
    quotient = np.divide(found.total, found.records, out=middle.copy(), where=found.records > 0)
    value = np.clip(quotient, found.least, found.greatest)
    error = np.divide(
        np.sqrt(np.maximum(found.variance.at(quotient), 0.0)), found.records,
        out=np.full(value.shape, np.inf), where=found.records > 0,
    )  # fmt: skip
    error = np.minimum(error, (found.greatest - found.least) / 2)  # no law on the range has a larger one
    low = np.minimum(np.clip(low, found.least, found.greatest), value)
    high = np.maximum(np.clip(high, found.least, found.greatest), value)
    return np.asarray(value), np.asarray(error), np.asarray(low), np.asarray(high)


def _reach(variance: FloatArray, rate: FloatArray) -> FloatArray:
    """Return how far from the estimate the sum may lie: the largest d with d^2 <= z^2 (variance + rate d)."""
    half = _LEVEL * rate / 2
    return np.asarray(half + np.sqrt(half**2 + _LEVEL * variance))
