"""Maximum likelihood by a primal-dual interior-point method, for vectors on which EM converges slowly.

With many columns most estimated counts are 0, towards which EM converges sublinearly. An interior-point
method (Wright 1997) takes about twenty Newton steps for any number of zeros. Each step solves a system with
one unknown per state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_ref.estimators.linear.em import TOLERANCE, Maximum, rows_of
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

MOST_STATES = 1 << 10
"""Largest number of states for which the equations are solved, in about a second per vector."""

_STEPS, _HALVINGS = 100, 30
_ENTRIES = 1 << 22
_CENTER, _SHORT = 0.1, 0.995
"""Factor of the complementarity that a step aims at, and largest share of the distance to the boundary."""
_EVEN = 0.05
"""Share of the initial counts that is uniform, to start far from every boundary."""


def settled(
    found: Maximum, published: FloatArray, factors: Sequence[FloatArray], tolerance: float = TOLERANCE
) -> Maximum:
    """Return the result of EM with all vectors above ``tolerance`` refined by Newton's method.

    Rows of F sum to 1, so the maximum minimizes sum_u x_u - sum_v y_v log (x F)_v over x >= 0, with
    multiplier 1. With s = 1 - F (y / x F) the conditions are x >= 0, s >= 0, x s = 0. A step is a damped
    Newton step for x s = mu.
    """
    size = published[0].size if len(published) else 0
    todo = np.flatnonzero(found.gap > tolerance)
    if not len(todo) or size > MOST_STATES:
        return found
    counts, gap, steps = found.counts.copy(), found.gap.copy(), found.steps
    chunk = max(1, _ENTRIES // size**2)
    for begin in range(0, len(todo), chunk):
        some = todo[begin : begin + chunk]
        matrix = _product(rows_of(factors, some), len(some))
        y = published[some].reshape(len(some), size)
        best, left, taken = _solved(counts[some].reshape(y.shape), y, matrix, tolerance)
        better = left < gap[some]
        counts[some[better]] = best[better].reshape(-1, *counts.shape[1:])
        gap[some[better]] = left[better]
        steps += taken
    return Maximum(counts, gap, steps)


def _solved(
    start: FloatArray, y: FloatArray, matrix: FloatArray, tolerance: float
) -> tuple[FloatArray, FloatArray, int]:
    total = y.sum(axis=1, keepdims=True)
    size = y.shape[1]
    x = (1 - _EVEN) * start + _EVEN * total / size
    slope, _ = _slope(x, y, matrix)
    s = np.maximum(slope, 0.1)
    best, gaps = x.copy(), np.full(len(x), np.inf)
    active = np.arange(len(x))
    for taken in range(_STEPS):
        x_now, s_now, y_now, f_now = x[active], s[active], y[active], _of(matrix, active)
        gap = _gap(x_now, y_now, f_now)
        closer = gap < gaps[active]
        best[active[closer]], gaps[active[closer]] = x_now[closer], gap[closer]
        going = gap > tolerance
        if not going.any():
            return _summing_to(best, total), gaps, taken
        active = active[going]
        x_now, s_now, y_now, f_now = x_now[going], s_now[going], y_now[going], _of(matrix, active)
        x[active], s[active] = _newton(x_now, s_now, y_now, f_now)
    return _summing_to(best, total), gaps, _STEPS


def _newton(x: FloatArray, s: FloatArray, y: FloatArray, f: FloatArray) -> tuple[FloatArray, FloatArray]:
    slope, expected = _slope(x, y, f)
    mu = _CENTER * (x * s).mean(axis=1, keepdims=True)
    scaled = f * (np.sqrt(y) / expected)[:, None, :]
    curvature = scaled @ np.swapaxes(scaled, -1, -2)
    diagonal = np.arange(x.shape[1])
    curvature[:, diagonal, diagonal] += s / x
    dx = np.linalg.solve(curvature, (mu / x - slope)[:, :, None])[:, :, 0]
    ds = (mu - s * dx) / x - s
    reach = np.minimum(_reach(x, dx), _reach(s, ds))
    before = _residual(slope, x, s, mu)
    for _ in range(_HALVINGS):
        moved, dual = x + reach * dx, s + reach * ds
        after = _residual(_slope(moved, y, f)[0], moved, dual, mu)
        worse = after > (1 - 0.01 * reach) * before
        if not worse.any():
            break
        reach = np.where(worse, reach / 2, reach)
    return x + reach * dx, s + reach * ds


def _slope(x: FloatArray, y: FloatArray, f: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return 1 - F (y / x F), and x F."""
    expected = (x[:, None, :] @ f)[:, 0, :]
    return 1 - (f @ (y / expected)[:, :, None])[:, :, 0], expected


def _residual(slope: FloatArray, x: FloatArray, s: FloatArray, mu: FloatArray) -> FloatArray:
    """Return the residual of the conditions for mu, in records."""
    missed = np.concatenate([x * (slope - s), x * s - mu], axis=1)
    return np.asarray(np.linalg.norm(missed, axis=1, keepdims=True))


def _reach(value: FloatArray, change: FloatArray) -> FloatArray:
    """Return the largest step of at most 1 that keeps every entry positive."""
    steepest = np.max(-change / value, axis=1, keepdims=True)
    return np.asarray(np.minimum(_SHORT / np.maximum(steepest, _SHORT), 1.0))


def _gap(x: FloatArray, y: FloatArray, f: FloatArray) -> FloatArray:
    """Return `Maximum.gap` at the counts, scaled to the sum of y."""
    total = y.sum(axis=1, keepdims=True)
    slope, _ = _slope(_summing_to(x, total), y, f)
    return np.asarray(np.maximum(total[:, 0] * -slope.min(axis=1), 0.0))


def _summing_to(x: FloatArray, total: FloatArray) -> FloatArray:
    return np.asarray(x * (total / x.sum(axis=1, keepdims=True)))


def _of(matrix: FloatArray, rows: IntArray) -> FloatArray:
    return matrix if len(matrix) == 1 else matrix[rows]


def _product(factors: Sequence[FloatArray], vectors: int) -> FloatArray:
    """Return the Kronecker product: one for all vectors, shape (1, states, states), or one for each."""
    alike = all(factor.ndim == 2 for factor in factors)
    whole = np.ones((1 if alike else vectors, 1, 1))
    for factor in factors:
        each = factor[None] if factor.ndim == 2 else factor
        parts = whole[:, :, None, :, None] * each[:, None, :, None, :]
        whole = parts.reshape(len(parts), parts.shape[1] * parts.shape[2], -1)
    return whole
