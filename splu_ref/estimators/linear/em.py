"""Maximum likelihood over nonnegative counts, by an accelerated EM algorithm with a fixed matrix.

Fu et al. 2014, equations (13) and (14), change the matrix at every step, which is no EM and may lower the
likelihood (claim splu.I). With the matrix frozen the same step is EM (claim splu.Ic). Plain EM needs
thousands of steps near the boundary, so steps are extrapolated (SQUAREM, Varadhan and Roland 2008), on the
logarithms of the counts: there a count that tends to 0 moves along a line, and no extrapolation leaves the
simplex.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from splu_ref.channels import InputError
from splu_ref.estimators.linear.transition import apply_by_mode, inverses, transposed
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

TOLERANCE = 1e-6
"""Certified bound of the distance to the maximum of the log-likelihood."""

LIMIT = 3000
"""Evaluations of the matrix after which the best point so far is returned."""

_LEAST = 1e-290
_LONGEST = 256.0

_START, _FAINT, _DROP = 1e-5, 1e-3, 1e-6
"""Shares of a uniform share: the start of a count at the boundary, and the threshold below which a falling
count is multiplied once by the last factor. This saves steps if the maximum is at the boundary; a count
that grows again is restored."""


class ConvergenceError(InputError):
    """The search for a maximum of the likelihood has not converged."""


class Maximum(NamedTuple):
    """Counts at which a maximization of the likelihood stopped."""

    counts: FloatArray  #: estimated true counts, shape of the published ones
    #: For each vector, n (max_u g_u - 1), where g_u is the factor by which EM would multiply the count of
    #: state u. The log-likelihood is concave, so no counts are more likely than these by more than the gap.
    #: It is 0 where the conditions of Karush, Kuhn and Tucker hold: g_u = 1 where the count is positive, at
    #: most 1 where it is 0.
    gap: FloatArray
    steps: int  #: evaluations of the matrix


def most_likely(
    published: FloatArray,
    factors: Sequence[FloatArray],
    tolerance: float = TOLERANCE,
    limit: int | None = None,
) -> Maximum:
    """Return the counts that maximize sum_v y_v log (x F)_v over x >= 0 with the sum of y.

    Parameters
    ----------
    published
        y, shape (vectors, d_1, ..., d_w), each vector with a positive sum.
    factors
        The Kronecker factors of F, as for `apply_by_mode`; rows sum to 1.
    tolerance
        Required bound of `Maximum.gap`.
    limit
        Evaluations of the matrix after which the best point so far is returned; `LIMIT` unless given.
    """
    most = LIMIT if limit is None else limit
    flat = len(published), -1
    total = published.reshape(flat).sum(axis=1)
    x = _start(published, total, factors)
    best, gaps = x.copy(), np.full(len(published), np.inf)
    active = np.arange(len(published))
    dropped, before = np.zeros(published.shape, dtype=np.bool_), np.zeros(published.shape)
    steps = 0
    while steps < most:
        first, gain, _ = _step(x, published[active], rows_of(factors, active))
        best[active], gaps[active] = x, total[active] * (gain - 1)
        steps += 1
        going = gaps[active] > tolerance
        if not going.any():
            break
        active, x, first = active[going], x[going], first[going]
        y, own = published[active], rows_of(factors, active)
        second, _, reached = _step(first, y, own)
        leap = _extrapolated(x, first, second, total[active])
        third, _, leapt = _step(leap, y, own)
        better = _column((leapt >= reached).astype(np.float64), y.ndim)
        x = np.where(better > 0, third, second)
        previous = before[active]
        faint = (second < first) & (x < _FAINT * _even(x, total[active])) & ~dropped[active]
        dropped[active] |= faint
        regrown = dropped[active] & (second > first) & (x < before[active])
        before[active] = np.where(faint, x, np.where(regrown, 0.0, before[active]))
        x = np.maximum(np.where(faint, _DROP * x, np.where(regrown, previous, x)), _LEAST)
        steps += 2
    return Maximum(best, np.maximum(gaps, 0.0), steps)


def require_convergence(found: Maximum, instead: str = "shrunk") -> FloatArray:
    """Return the counts, or raise unless the maximization has converged.

    ``instead`` is the method that the message recommends.
    """
    if float(found.gap.max(initial=0.0)) > 1e-3:
        raise ConvergenceError(
            f"EM has not settled after {found.steps} steps: a count is too close to 0, or the value is "
            f"published with nearly p of all rows, so use --method {instead}"
        )
    return found.counts


def _start(published: FloatArray, total: FloatArray, factors: Sequence[FloatArray]) -> FloatArray:
    """Return the unconstrained maximum where it is positive, and a trace elsewhere.

    The start lies strictly inside, because EM never moves a count away from 0.
    """
    try:
        solved = apply_by_mode(published, inverses(factors))
    except np.linalg.LinAlgError:  # a singular matrix: any start inside will do
        solved = np.zeros_like(published)
    inside = np.where(solved > 0, solved, _START * _even(published, total))
    return inside * _column(total / inside.reshape(len(inside), -1).sum(axis=1), published.ndim)


def rows_of(factors: Sequence[FloatArray], rows: IntArray) -> list[FloatArray]:
    """Return the factors of some of the vectors."""
    return [factor if factor.ndim == 2 else factor[rows] for factor in factors]


def _step(
    x: FloatArray, y: FloatArray, factors: Sequence[FloatArray]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the EM step from x, the largest factor in it, and the log-likelihood at x."""
    expected = np.where(y > 0, apply_by_mode(x, factors), 1.0)
    gain = apply_by_mode(y / expected, transposed(factors))
    flat = len(x), -1
    fit = (y * np.log(expected)).reshape(flat).sum(axis=1)
    return x * gain, gain.reshape(flat).max(axis=1, initial=0.0), fit


def _extrapolated(x: FloatArray, first: FloatArray, second: FloatArray, total: FloatArray) -> FloatArray:
    """Follow the curve through three successive points, on logarithms; keep the sum."""
    speed = np.log(np.maximum(first, _LEAST) / x)
    curvature = np.log(np.maximum(second, _LEAST) / np.maximum(first, _LEAST)) - speed
    flat = len(x), -1
    moved = (second * speed**2).reshape(flat).sum(axis=1)
    curvature_norm = (second * curvature**2).reshape(flat).sum(axis=1)
    length = np.clip(np.sqrt(moved / np.maximum(curvature_norm, 1e-300)), 1.0, _LONGEST)
    length = _column(length, x.ndim)
    far = np.log(x) + 2 * length * speed + length**2 * curvature
    far -= _column(far.reshape(flat).max(axis=1, initial=-np.inf), x.ndim)
    leap = np.maximum(np.exp(np.maximum(far, -600.0)), _LEAST)
    return np.asarray(leap * _column(total / leap.reshape(flat).sum(axis=1), x.ndim))


def _even(x: FloatArray, total: FloatArray) -> FloatArray:
    return _column(total / x[0].size, x.ndim)


def _column(values: FloatArray, dimensions: int) -> FloatArray:
    return values.reshape((-1,) + (1,) * (dimensions - 1))
