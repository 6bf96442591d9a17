"""Estimates of a table's cells, moved as little as possible until rows and columns add up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.model import InputError

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
