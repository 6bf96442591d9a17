"""The estimate of a conjunction from the corrected two-state matrix, for many conjunctions at once.

A record with the value s publishes it with probability p, one without it with probability
a = f (1-p)/(N-f) on average (claim splu.M1c, with retention p). So E y3 = x p + (n - x) a, and with f' for f
the estimate of x is (y3 - n a)/(p - a). Everything here is floating point; `conjunction_estimate` computes
the same estimate in fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_ref.estimators.moments import FloatArray, Moments, count_moments
from splu_ref.model import Exact, Gamma, retention_probability

NORMAL_95 = 1.959963984540054
"""The 97.5 % point of the normal law."""

_HALVINGS = 24
"""Bisection steps for the ends of an interval: they are right to 1e-7 of the predicate's size."""


class TwoState(NamedTuple):
    """The matrix [[1-a, a], [1-p, p]] of a value and how it moves with f'.

    Attributes
    ----------
    gained
        a: probability that a record without the value publishes it.
    spread
        D = p - a; not positive if f' >= p N, where the counts of a predicate say nothing about x.
    slope
        Derivative of a by f'.
    """

    gained: FloatArray
    spread: FloatArray
    slope: FloatArray


def two_state(frequency: ArrayLike, rows: int, retention: float) -> TwoState:
    """Return the corrected two-state matrix for frequencies f < N, in 0 .. N - 1."""
    f = np.asarray(frequency, dtype=np.float64)
    others = np.maximum(rows - f, 1.0)
    gained = f * (1 - retention) / others
    return TwoState(gained, retention - gained, (1 - retention) * rows / others**2)


class LinearEstimate(NamedTuple):
    """The estimate before clipping, with the weights of y3 and y1 in its linear part (delta method).

    Attributes
    ----------
    value
        (y3 - n a)/D; not a number where D is not positive.
    matrix
        The two-state matrix it was made with.
    """

    value: FloatArray
    matrix: TwoState

    def weights(self, count: FloatArray, predicate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return g3 and g1: the derivatives of the estimate by y3 and by y1 where it is ``count``."""
        outside = (count - predicate) * self.matrix.slope / self.matrix.spread
        return 1 / self.matrix.spread + outside, outside


def linear_estimate(
    y3: FloatArray, predicate: FloatArray, f_published: FloatArray, rows: int, retention: float
) -> LinearEstimate:
    """Return the unclipped estimate for arrays that broadcast."""
    matrix = two_state(f_published, rows, retention)
    spread = np.where(matrix.spread > 0, matrix.spread, np.nan)
    matrix = matrix._replace(spread=spread)
    return LinearEstimate(np.asarray((y3 - predicate * matrix.gained) / spread), matrix)


def exact_estimates(
    y3: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    gamma: Exact,
    retention: Exact | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Estimate counts of conjunctions with one sensitive value each.

    Parameters
    ----------
    y3, predicate_count, f_published
        Published count of predicate and value, of the predicate, and of the value; arrays that broadcast.
    rows
        Rows of the published table, N.
    gamma, retention
        Size of a decoy group; probability of keeping the own value, 1/gamma unless given.

    Returns
    -------
    tuple
        The estimates, clipped to 0 .. n, and their standard errors: square roots of the variance of
        claim splu.V by the delta method, with estimates in place of x and f. Both are not a number where
        f' >= p N, where y3 carries no information.
    """
    size, p = Gamma(gamma), float(retention_probability(retention, Gamma(gamma)))
    n, f = _floats(predicate_count, f_published)
    linear = linear_estimate(np.asarray(y3, dtype=np.float64), n, f, rows, p)
    clipped = np.clip(linear.value, 0.0, n)
    return clipped, np.sqrt(_variance(linear, clipped, n, f, rows, size, p))


def exact_intervals(
    y3: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    gamma: Exact,
    retention: Exact | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of 95 % intervals for the same counts as `exact_estimates`.

    The interval holds every x in 0 .. n that is at most 1.96 standard errors, those at x, and half a
    published record from the unclipped estimate: a score interval with continuity correction. So it does not
    shrink to a point where few or no records were published, as estimate plus or minus 1.96 standard errors
    would. Its coverage is approximate: see `docs/estimating`.
    """
    size, p = Gamma(gamma), float(retention_probability(retention, Gamma(gamma)))
    n, f = _floats(predicate_count, f_published)
    linear = linear_estimate(np.asarray(y3, dtype=np.float64), n, f, rows, p)
    clipped = np.clip(linear.value, 0.0, n)
    step = 1 / (2 * linear.matrix.spread)

    def contradicted(count: FloatArray) -> NDArray[np.bool_]:
        margin = NORMAL_95 * np.sqrt(_variance(linear, count, n, f, rows, size, p)) + step
        return np.asarray(np.abs(linear.value - count) > margin)

    low = _border(contradicted, np.zeros_like(clipped), clipped)
    high = _border(contradicted, np.broadcast_to(n, clipped.shape), clipped)
    return low, high


def _border(
    contradicted: Callable[[FloatArray], NDArray[np.bool_]], outermost: FloatArray, estimate: FloatArray
) -> FloatArray:
    """Bisect between the estimate and the outermost count for where the contradiction begins."""
    within, beyond = estimate, outermost
    reaches = ~contradicted(outermost)
    for _ in range(_HALVINGS):
        middle = (within + beyond) / 2
        out = contradicted(middle)
        within, beyond = np.where(out, within, middle), np.where(out, middle, beyond)
    return np.where(reaches, outermost, within)


def linear_moments(
    linear: LinearEstimate, count: FloatArray, n: FloatArray, f: FloatArray, rows: int, gamma: Gamma, p: float
) -> tuple[Moments, FloatArray, FloatArray]:
    """Return the moments of (y3, y1) at a count, and the weights g3 and g1 there."""
    moments = count_moments(count, n, np.maximum(f, count), rows, gamma, p)
    return moments, *linear.weights(count, n)


def _variance(
    linear: LinearEstimate, count: FloatArray, n: FloatArray, f: FloatArray, rows: int, gamma: Gamma, p: float
) -> FloatArray:
    moments, inside, outside = linear_moments(linear, count, n, f, rows, gamma, p)
    return np.maximum(moments.variance(inside, outside), 0.0)


def _floats(*arrays: ArrayLike) -> tuple[FloatArray, ...]:
    return tuple(np.asarray(array, dtype=np.float64) for array in arrays)
