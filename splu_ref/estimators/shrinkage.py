"""The default estimate of a conjunction: between the unbiased one and the one of an unrelated predicate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from splu_ref.estimators.critical_values import LARGEST, MISS, critical_values
from splu_ref.estimators.learning import learned_weights, likely_spreads
from splu_ref.estimators.moments import FloatArray, count_moments
from splu_ref.estimators.two_state import linear_estimate
from splu_ref.model import Exact, Gamma, retention_probability


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
    likely
        What was learned: the weight of each tau, shape (taus, predicates), see `likely_spreads`.
    """

    estimate: FloatArray
    sampling: FloatArray
    bias: FloatArray
    weight: FloatArray
    likely: FloatArray

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
    published: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    gamma: Exact,
    retention: Exact | None = None,
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
    rows, gamma, retention
        As for `exact_estimates`.

    Notes
    -----
    The weights are learned with the variance that the unbiased estimate has if the predicate has nothing to
    do with the value (x = n f'/N). That variance is free of the noise of the estimate that it judges. The
    interval and the standard error use the variance at the shrunk estimate.
    """
    size, p = Gamma(gamma), float(retention_probability(retention, Gamma(gamma)))
    n = np.asarray(predicate_count, dtype=np.float64)[:, None]
    f = np.asarray(f_published, dtype=np.float64)[None, :]
    linear = linear_estimate(np.asarray(published, dtype=np.float64), n, f, rows, p)
    expected = n * f / rows
    known = np.isfinite(linear.value) & (expected > 0)
    share = n / rows
    inside, outside = linear.weights(expected, n)
    moments = count_moments(expected, n, f, rows, size, p)
    noise = np.maximum(moments.variance(inside - share, outside - share), 0.0)
    scale = np.where(expected > 0, expected, 1.0)
    difference = np.where(known, linear.value - expected, 0.0)
    relative = np.where(known, noise / scale**2, np.inf)
    chance = (1 - share) * (1 - f / rows) / scale
    likely = likely_spreads(difference / scale, relative, chance)
    learned = learned_weights(likely, relative, chance)
    weight = learned.weight
    estimate = np.clip(expected + weight * difference, 0.0, n)
    inside, outside = (np.where(known, g, 0.0) for g in linear.weights(estimate, n))
    mixed = weight * inside + (1 - weight) * share, weight * outside + (1 - weight) * share
    sampling = count_moments(estimate, n, np.maximum(f, estimate), rows, size, p).variance(*mixed)
    bias = (1 - weight) ** 2 * learned.prior * scale**2 + learned.doubt * difference**2
    return Shrunk(estimate, np.maximum(sampling, 0.0), np.where(expected > 0, bias, 0.0), weight, likely)
