"""Adjusting the cells of a table as little as possible until rows and columns add up, and interval ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from splu_ref.channels import InputError
from splu_ref.estimators.answers import NORMAL_95
from splu_ref.mechanisms import FloatArray

_STEPS = 200
_EXACT = 1e-10
"""Share of all records by which totals may be off, for rounding."""
_LEAST_VARIANCE = 1e-2
"""Of an estimate, which is never quite sure of itself: it can be moved where totals ask for it."""
_RIDGE = 1e-10


def add_up(estimates: FloatArray, variances: FloatArray, totals: Sequence[FloatArray | None]) -> FloatArray:
    """Return the least change of estimates after which all are at least 0 and have the given totals.

    The change is least in the sum of its squares over the variances, as in constrained least squares (Deming
    and Stephan 1940): what is known well moves little. The solution is unique. Its cells are max(0, e + v t),
    with t the sum of a number for each of a cell's totals, which Newton's method finds.

    Parameters
    ----------
    estimates, variances
        e and v, of one shape: an axis for each column of the table.
    totals
        For each axis, what the estimates of each of its places add up to over all other axes, none below 0,
        or None if nothing is known. All have one sum.

    Raises
    ------
    InputError
        If the numbers were not found.
    """
    known = [axis for axis, total in enumerate(totals) if total is not None]
    wanted = np.concatenate([np.asarray(totals[axis], dtype=np.float64) for axis in known])
    starts = np.cumsum([0, *(estimates.shape[axis] for axis in known)])
    possible = np.ones(estimates.shape, dtype=np.bool_)
    for axis in known:
        possible &= _along(np.asarray(totals[axis]) > 0, axis, estimates.ndim)
    values = np.where(possible, estimates, 0.0)
    weights = np.where(possible, np.maximum(variances, _LEAST_VARIANCE), 0.0)

    def sums(cells: FloatArray) -> FloatArray:
        return np.concatenate([_total(cells, {axis}) for axis in known])

    def moved(numbers: FloatArray) -> FloatArray:
        parts = (numbers[starts[place] : starts[place + 1]] for place in range(len(known)))
        change = sum(
            (_along(part, axis, estimates.ndim) for axis, part in zip(known, parts, strict=True)),
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
        curvature = _curvature(np.where(cells > 0, weights, 0.0), known)
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
        raise InputError("the table was not found whose rows and columns add up: name fewer columns in --by")
    return cells


def _along(values: np.ndarray, axis: int, axes: int) -> np.ndarray:
    shape = [1] * axes
    shape[axis] = -1
    return values.reshape(shape)


def _total(cells: FloatArray, kept: set[int]) -> FloatArray:
    return np.asarray(cells.sum(axis=tuple(axis for axis in range(cells.ndim) if axis not in kept)))


def _curvature(weights: FloatArray, known: Sequence[int]) -> FloatArray:
    """Return the sums of weights over the cells that any two totals share."""
    return np.block(
        [
            [
                np.diag(_total(weights, {one}))
                if one == other
                else _total(weights, {one, other})
                if one < other
                else _total(weights, {one, other}).T
                for other in known
            ]
            for one in known
        ]
    )


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
