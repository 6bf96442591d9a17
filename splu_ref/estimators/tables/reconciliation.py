"""Reconciliation of estimated tables with known totals, and intervals of sums and means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from splu_ref.channels import InputError
from splu_ref.estimators.answers import NORMAL_95
from splu_ref.mechanisms import FloatArray

_STEPS = 200
_EXACT = 1e-10
"""Rounding tolerance of totals, as a share of all records."""
_LEAST_VARIANCE = 1e-2
"""Lower bound of the variance of an estimate, so that every cell can be adjusted."""
_RIDGE = 1e-10


def reconcile(
    estimates: FloatArray, variances: FloatArray, totals: Sequence[FloatArray | None]
) -> FloatArray:
    """Return the nearest nonnegative estimates with the given totals, by weighted least squares.

    The adjustment minimizes the sum of its squares over the variances (Deming and Stephan 1940). The solution
    is unique: its cells are max(0, e + v t), where t is the sum of the multipliers of a cell's totals, which
    are computed by Newton's method.
    """
    constrained = [axis for axis, total in enumerate(totals) if total is not None]
    wanted = np.concatenate([np.asarray(totals[axis], dtype=np.float64) for axis in constrained])
    starts = np.cumsum([0, *(estimates.shape[axis] for axis in constrained)])
    possible = np.ones(estimates.shape, dtype=np.bool_)
    for axis in constrained:
        possible &= _along(np.asarray(totals[axis]) > 0, axis, estimates.ndim)
    values = np.where(possible, estimates, 0.0)
    weights = np.where(possible, np.maximum(variances, _LEAST_VARIANCE), 0.0)

    def sums(cells: FloatArray) -> FloatArray:
        return np.concatenate([_total(cells, {axis}) for axis in constrained])

    def moved(numbers: FloatArray) -> FloatArray:
        parts = (numbers[starts[place] : starts[place + 1]] for place in range(len(constrained)))
        change = sum(
            (_along(part, axis, estimates.ndim) for axis, part in zip(constrained, parts, strict=True)),
            np.zeros((1,) * estimates.ndim),
        )
        return np.maximum(values + weights * change, 0.0)

    def objective(cells: FloatArray, numbers: FloatArray) -> float:
        square = np.divide(cells**2, weights, out=np.zeros_like(cells), where=weights > 0)
        return float(square.sum() / 2 - numbers @ wanted)

    numbers = np.zeros(len(wanted))
    cells = moved(numbers)
    for _ in range(_STEPS):
        missing = wanted - sums(cells)
        if np.abs(missing).max() <= _EXACT * max(1.0, wanted.sum()):
            return cells
        curvature = _curvature(np.where(cells > 0, weights, 0.0), constrained)
        curvature[np.diag_indices_from(curvature)] += _RIDGE * max(1.0, float(curvature.max()))
        step = np.linalg.solve(curvature, missing)
        size, now = 1.0, objective(cells, numbers)
        while objective(moved(numbers + size * step), numbers + size * step) > now - 1e-4 * size * float(
            missing @ step
        ):
            size /= 2
            if size < 1e-9:  # beyond double precision
                break
        numbers = numbers + size * step
        cells = moved(numbers)
    if np.abs(wanted - sums(cells)).max() > 1e-6 * max(1.0, wanted.sum()):
        raise InputError(
            "the rows and columns of the table could not be reconciled: name fewer columns in --by"
        )
    return cells


def _along(values: np.ndarray, axis: int, axes: int) -> np.ndarray:
    shape = [1] * axes
    shape[axis] = -1
    return values.reshape(shape)


def _total(cells: FloatArray, remaining: set[int]) -> FloatArray:
    return np.asarray(cells.sum(axis=tuple(axis for axis in range(cells.ndim) if axis not in remaining)))


def _curvature(weights: FloatArray, constrained: Sequence[int]) -> FloatArray:
    """Return the sums of weights over the cells shared by each pair of totals."""
    return np.block(
        [
            [
                np.diag(_total(weights, {one}))
                if one == other
                else _total(weights, {one, other})
                if one < other
                else _total(weights, {one, other}).T
                for other in constrained
            ]
            for one in constrained
        ]
    )


Measure: TypeAlias = Literal["sum", "mean"]
_LEVEL = NORMAL_95**2
_ROUNDING = 1e-9
"""Rounding tolerance of a discriminant, as a share of the square of its linear coefficient."""


class Quadratic(NamedTuple):
    """Quadratic functions constant + linear m + square m^2; arrays of one shape."""

    constant: FloatArray
    linear: FloatArray
    square: FloatArray

    def at(self, m: FloatArray) -> FloatArray:
        """Return the values at m."""
        return np.asarray(self.constant + self.linear * m + self.square * m**2)


class Rates(NamedTuple):
    """Increase of a sum's variance per unit that the sum is larger, or smaller; arrays of the sums' shape."""

    up: FloatArray
    down: FloatArray

    @classmethod
    def of(cls, numbers: FloatArray, variances: FloatArray, weights: FloatArray) -> Rates:
        """Return the rates of records with these numbers and variances, summed over the last axis."""
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


class GroupSums(NamedTuple):
    """Estimated sums by group, shape (public groups, groups of each sensitive column in turn)."""

    # total, records: estimated sums of the numbers, and of the records that have one
    total: FloatArray
    records: FloatArray
    variance: Quadratic  # variance of the sum less m times the records, as a function of m
    # sum_rates, mean_rates: variance rates of the sum, and of the deviations from the mean of the public
    # group
    sum_rates: Rates
    mean_rates: Rates
    published: FloatArray  # published records of each group with a number
    # least, greatest: range of the numbers of a record in the group
    least: FloatArray
    greatest: FloatArray
    # lowest, highest: range of their sum
    lowest: FloatArray
    highest: FloatArray

    @classmethod
    def added(cls, parts: Sequence[GroupSums]) -> GroupSums:
        """Return the sums over parts that draw independently, such as batches, with their largest rates."""
        if len(parts) == 1:
            return parts[0]

        def total(name: str) -> FloatArray:
            return np.asarray(np.sum([getattr(part, name) for part in parts], axis=0))

        def largest(name: str, sign: int = 1) -> FloatArray:
            return np.asarray(sign * np.max([sign * getattr(part, name) for part in parts], axis=0))

        def rates(name: str) -> Rates:
            return Rates(*np.max([getattr(part, name) for part in parts], axis=0))

        return cls(
            total=total("total"),
            records=total("records"),
            variance=Quadratic(*total("variance")),
            sum_rates=rates("sum_rates"),
            mean_rates=rates("mean_rates"),
            published=total("published"),
            least=largest("least", -1),
            greatest=largest("greatest"),
            lowest=total("lowest"),
            highest=total("highest"),
        )


def intervals(sums: GroupSums, measure: Measure) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return estimates, standard errors and the ends of 95 % intervals."""
    if measure == "sum":
        variance = np.maximum(sums.variance.constant, 0.0)
        below, above = _reach(variance, sums.sum_rates.down), _reach(variance, sums.sum_rates.up)
        low = np.clip(sums.total - below, sums.lowest, sums.highest)
        high = np.clip(sums.total + above, sums.lowest, sums.highest)
        return sums.total, np.asarray(np.sqrt(variance)), np.asarray(low), np.asarray(high)
    # All m with (total - m records)^2 <= z^2 (variance(m) + rate |total - m records|): two quadratics in m.
    square = sums.records**2 - _LEVEL * sums.variance.square
    ends_of_mean = []
    for sign, rate in ((-1, sums.mean_rates.down), (1, sums.mean_rates.up)):
        linear = -2 * sums.total * sums.records - _LEVEL * (sums.variance.linear + sign * rate * sums.records)
        constant = sums.total**2 - _LEVEL * (sums.variance.constant - sign * rate * sums.total)
        root = linear**2 - 4 * square * constant
        # without any variance the root is 0, but for rounding
        bounded = (square > 0) & (root >= -_ROUNDING * linear**2) & (sums.records > 0)
        half = np.sqrt(np.where(bounded, np.maximum(root, 0.0), 0.0))
        end = (sign * half - linear) / np.where(bounded, 2 * square, 1.0)
        ends_of_mean.append(np.where(bounded, end, sums.least if sign < 0 else sums.greatest))
    low, high = ends_of_mean
    middle = (sums.least + sums.greatest) / 2
    quotient = np.divide(sums.total, sums.records, out=middle.copy(), where=sums.records > 0)
    value = np.clip(quotient, sums.least, sums.greatest)
    error = np.divide(
        np.sqrt(np.maximum(sums.variance.at(quotient), 0.0)), sums.records,
        out=np.full(value.shape, np.inf), where=sums.records > 0,
    )  # fmt: skip
    error = np.minimum(error, (sums.greatest - sums.least) / 2)  # no law on the range has a larger one
    low = np.minimum(np.clip(low, sums.least, sums.greatest), value)
    high = np.maximum(np.clip(high, sums.least, sums.greatest), value)
    return np.asarray(value), np.asarray(error), np.asarray(low), np.asarray(high)


def _reach(variance: FloatArray, rate: FloatArray) -> FloatArray:
    """Return the half-width of a score interval: the largest d with d^2 <= z^2 (variance + rate d)."""
    half = _LEVEL * rate / 2
    return np.asarray(half + np.sqrt(half**2 + _LEVEL * variance))
