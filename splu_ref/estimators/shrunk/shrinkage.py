"""The default estimate of a conjunction: between the unbiased one and the one of an unrelated predicate.

A shrunk estimate misses by a normal error and by a bias that differs from value to value. In units of the
standard error the bias is t, and only its second moment m over the values is known. If chi is such that
E Pr(abs(Z + t) > chi) <= 5 % for every law of t with E t^2 = m, then estimate plus or minus chi standard
errors holds at least 95 % of the values, on average over them (Armstrong, Kolesar and Plagborg-Moller 2022,
section 3).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from splu_ref.channels import PublishedCount
from splu_ref.decoys import FloatArray
from splu_ref.estimators.linear.two_state import LinearEstimate, TwoState, count_moments
from splu_ref.estimators.shrunk.learning import learned_weights, posterior_of_tau

MISS = 0.05
"""Share of values that an interval may miss."""

LARGEST = 1e6
"""Second moment up to which critical values are tabulated."""

_KNOTS = 120


class Shrunk(NamedTuple):
    """Shrunk estimates of every sensitive value in every predicate, shape (predicates, values).

    Attributes
    ----------
    estimate
        m + B (unbiased estimate - m), in 0 .. n.
    sampling
        Variance of the estimate at fixed true counts, with the weight B as it is.
    bias
        Mean square of what shrinking adds to the error, over the learned prior.
    weight
        B, the learned weight of the unbiased estimate.
    posterior
        What was learned: the weight of each tau, shape (taus, predicates), see `posterior_of_tau`.
    """

    estimate: FloatArray
    sampling: FloatArray
    bias: FloatArray
    weight: FloatArray
    posterior: FloatArray

    @property
    def standard_error(self) -> FloatArray:
        """Root of the mean square error, on average over the sensitive values."""
        return np.sqrt(self.sampling + self.bias)

    @property
    def half_width(self) -> FloatArray:
        """Half the length of a 95 % interval, which holds 95 % of the values on average over the domain."""
        return half_widths(self.sampling, self.bias)


def half_widths(sampling: FloatArray, bias: FloatArray) -> FloatArray:
    """Return half the length of intervals that hold 95 % of the values, on average over the domain.

    The guarantee asks for normal errors and the stated mean square of the bias, and for no law of the bias.
    """
    known = sampling > bias / LARGEST
    moment = np.divide(bias, sampling, out=np.zeros_like(bias), where=known)
    # Where the bias is nearly all of the error, Chebyshev's inequality leaves nothing to gain.
    return np.where(known, critical_values(moment) * np.sqrt(sampling), np.sqrt((sampling + bias) / MISS))


def shrunk_estimates(
    published: ArrayLike, predicate_count: ArrayLike, f_published: ArrayLike, rows: int, law: PublishedCount
) -> Shrunk:
    """Estimate the counts of all sensitive values in predicates.

    Parameters
    ----------
    published
        Published records by predicate and value, y3, shape (predicates, values). The whole domain is needed:
        the weight of one value is learned from all.
    predicate_count
        Records by predicate, n, shape (predicates,).
    f_published
        Published records by value, f', shape (values,).
    rows, law
        As for `exact_estimates`.

    Notes
    -----
    The weights are learned with the variance that the unbiased estimate has if the predicate has nothing to
    do with the value (x = n f'/N). That variance is free of the noise of the estimate that it judges. The
    interval and the standard error use the variance at the shrunk estimate.
    """
    n = np.asarray(predicate_count, dtype=np.float64)[:, None]
    f = np.asarray(f_published, dtype=np.float64)[None, :]
    # Both sources: what an unrelated predicate would have, and how far the unbiased estimate is from that.
    matrix = TwoState.of(f, rows, float(law.retention))
    linear = LinearEstimate.of(np.asarray(published, dtype=np.float64), n, matrix)
    share, expected = n / rows, n * f / rows
    known = np.isfinite(linear.value) & (expected > 0)
    scale = np.where(expected > 0, expected, 1.0)
    difference = np.where(known, linear.value - expected, 0.0)
    # The weight between them: from how all values differ, and from how much noise and chance alone explain.
    inside, outside = linear.weights(expected, n)
    moments = count_moments(expected, n, f, rows, law)
    noise = np.maximum(moments.variance(inside - share, outside - share), 0.0)
    relative = np.where(known, noise / scale**2, np.inf)
    chance = (1 - share) * (1 - f / rows) / scale
    posterior = posterior_of_tau(difference / scale, relative, chance)
    learned = learned_weights(posterior, relative, chance)
    weight = learned.weight
    estimate = np.clip(expected + weight * difference, 0.0, n)
    # Its error: the noise of the mixture at the estimate itself, and what shrinking takes from the truth.
    inside, outside = (np.where(known, g, 0.0) for g in linear.weights(estimate, n))
    mixed = weight * inside + (1 - weight) * share, weight * outside + (1 - weight) * share
    sampling = count_moments(estimate, n, np.maximum(f, estimate), rows, law).variance(*mixed)
    return Shrunk(
        estimate=estimate,
        sampling=np.maximum(sampling, 0.0),
        bias=np.where(expected > 0, learned.bias(difference, scale), 0.0),
        weight=weight,
        posterior=posterior,
    )


def critical_values(second_moment: FloatArray) -> FloatArray:
    """Return chi for each second moment m of the bias, 0 .. `LARGEST`, from a table in log(1 + m)."""
    knots, table = _table()
    return np.interp(np.log1p(second_moment), knots, table)


def worst_miss(second_moment: float, critical: float) -> float:
    """Return the largest E Pr(abs(Z + t) > chi) over the laws of t with E t^2 = m.

    As a function of u = t^2 the probability is first convex, then concave, at most with a convex part near 0.
    So its least concave majorant is a chord from u = 0 to some u* >= m, or the function itself: the worst
    law has at most two points, 0 and sqrt(u*).
    """
    ends = np.concatenate([[second_moment], second_moment + np.geomspace(1e-3, (critical + 10) ** 2, 200)])
    mass = np.divide(second_moment, ends, out=np.ones_like(ends), where=ends > 0)
    at_zero = float(_miss(np.zeros(1), critical)[0])
    return float(np.max(at_zero * (1 - mass) + _miss(np.sqrt(ends), critical) * mass))


def _miss(bias: FloatArray, critical: float) -> FloatArray:
    return np.asarray(ndtr(-critical - bias) + ndtr(bias - critical))


@cache
def _table() -> tuple[FloatArray, FloatArray]:
    knots = np.linspace(0.0, np.log1p(LARGEST), _KNOTS)
    return knots, np.array([_critical(float(np.expm1(knot))) for knot in knots])


def _critical(second_moment: float) -> float:
    """Bisect for chi; by Chebyshev it is at most sqrt((1 + m) / 5 %)."""
    low, high = 1.0, float(np.sqrt((1 + second_moment) / MISS))
    for _ in range(30):
        middle = (low + high) / 2
        if worst_miss(second_moment, middle) > MISS:
            low = middle
        else:
            high = middle
    return high
