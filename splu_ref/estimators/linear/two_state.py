"""The estimate of a conjunction from the corrected two-state matrix, with its standard error and interval.

y3 of the n records of a predicate P are published with the value s, and y1 of the other records, together
f'. x of the n records carried s before publication, as did f of all N. A record with s publishes it with
probability p, one without it with probability a = f (1-p)/(N-f) on average (claim splu.M1c, for any p). So
E y3 = x p + (n - x) a, and with f' for f the estimate of x is (y3 - n a)/(p - a). `conjunction_estimate`
computes it in fractions; all other functions use floating point, for many conjunctions at once.

The moments of (y3, y1) are those of claim splu.V, for any p, under its hypothesis H: the places of P's
records without s are a uniformly random subset of all places without s. A record with s keeps it with
probability p. K records of P without s have s among their decoys, hypergeometric under H, and each takes it
with probability q = (1 - p)/(gamma - 1).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_ref.channels import InputError, ParameterError, PublishedCount, integer, inverse, two_state
from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.linear.group_noise import VarianceReduction
from splu_ref.estimators.linear.transition import decoy_probability, gain_probability
from splu_ref.mechanisms import FloatArray

_HALVINGS = 24
"""Bisection steps for the ends of an interval, for a precision of 1e-7 of the predicate's size."""


class TwoState(NamedTuple):
    """The matrices [[1-a, a], [1-p, p]] of values, with derivatives by f'."""

    gain_probability: FloatArray  # a: probability that a record without the value publishes it
    # D = p - a; not positive if f' >= p N, where the counts of a predicate are not informative about x
    contrast: FloatArray
    slope: FloatArray  # derivative of a by f'

    @classmethod
    def of(cls, frequency: FloatArray, rows: float, retention: FloatArray | float) -> TwoState:
        """Return the corrected matrices for frequencies f < N, in 0 .. N - 1; ``retention`` is p."""
        gain = gain_probability(frequency, rows, retention)
        slope = (1 - retention) * rows / np.maximum(rows - frequency, 1.0) ** 2
        return cls(gain_probability=gain, contrast=np.asarray(retention - gain), slope=np.asarray(slope))


class LinearEstimate(NamedTuple):
    """The estimate before clipping, with the weights of y3 and y1 in its linear part (delta method)."""

    value: FloatArray  # (y3 - n a)/D; NaN where D is not positive
    matrix: TwoState  # the two-state matrix

    @classmethod
    def of(cls, y3: FloatArray, predicate: FloatArray, matrix: TwoState) -> LinearEstimate:
        """Return the unclipped estimate from counts that broadcast."""
        contrast = np.where(matrix.contrast > 0, matrix.contrast, np.nan)
        value = np.asarray((y3 - predicate * matrix.gain_probability) / contrast)
        return cls(value, matrix._replace(contrast=contrast))

    def weights(self, count: FloatArray, predicate: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return g3 and g1, the derivatives of the estimate by y3 and by y1 at the estimate ``count``."""
        outside = (count - predicate) * self.matrix.slope / self.matrix.contrast
        return 1 / self.matrix.contrast + outside, outside


class Moments(NamedTuple):
    """Variances of y3 and y1, and their covariance: arrays of one shape."""

    inside: FloatArray
    outside: FloatArray
    covariance: FloatArray

    def variance(self, inside_weight: ArrayLike, outside_weight: ArrayLike) -> FloatArray:
        """Return the variance of ``inside_weight * y3 + outside_weight * y1``."""
        g3, g1 = np.asarray(inside_weight), np.asarray(outside_weight)
        return np.asarray(g3 * g3 * self.inside + g1 * g1 * self.outside + 2 * g1 * g3 * self.covariance)


def count_moments(
    count: FloatArray, predicate: FloatArray, frequency: FloatArray, rows: int, law: PublishedCount
) -> Moments:
    """Return the moments of (y3, y1) under hypothesis H.

    Parameters
    ----------
    count, predicate, frequency
        x, n and f, arrays that broadcast, not necessarily integers. Impossible combinations (x > f, or more
        records than places) are replaced by the nearest possible ones.
    rows
        N, at least 2.
    law
        gamma and p.

    Notes
    -----
    Var y3 = x p(1-p) + E K q(1-q) + q^2 Var K, Var y1 likewise with the rest of the f(gamma-1) places that
    have s as a decoy, Cov = -q^2 Var K, where K is hypergeometric: n - x draws among N - f places,
    f(gamma-1) of which have s as a decoy. The formulas are exact; with p = 1/gamma they are those of claim
    splu.V.
    """
    p, q = float(law.retention), decoy_probability(law)
    own, other = p * (1 - p), q * (1 - q)
    places = np.maximum(rows - frequency, 1.0)
    beside = np.minimum(frequency * (law.gamma - 1), places)
    share = beside / places
    drawn = np.clip(predicate - count, 0.0, places)
    exposed = drawn * share
    scatter = q * q * exposed * (1 - share) * (places - drawn) / np.maximum(places - 1, 1.0)
    return Moments(
        count * own + exposed * other + scatter,
        np.maximum(frequency - count, 0.0) * own + np.maximum(beside - exposed, 0.0) * other + scatter,
        -scatter,
    )


def two_state_estimates(
    y3: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    law: PublishedCount,
    reduction: VarianceReduction | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Estimate counts of conjunctions with one sensitive value each.

    Parameters
    ----------
    y3, predicate_count, f_published
        Published count of predicate and value, of the predicate, and of the value; arrays that broadcast.
    rows
        Rows of the published table, N.
    law
        gamma and p.
    reduction
        Variance reduction by dependent draws; None if draws are independent.

    Returns
    -------
    tuple
        The estimates, clipped to 0 .. n, and their standard errors: square roots of the variance of
        claim splu.V by the delta method, with estimates in place of x and f. Both are NaN where f' >= p N,
        where y3 carries no information.
    """
    case = _Case.of(y3, predicate_count, f_published, rows, law, reduction)
    return case.clipped, np.sqrt(case.variance(case.clipped))


def two_state_intervals(
    y3: ArrayLike,
    predicate_count: ArrayLike,
    f_published: ArrayLike,
    rows: int,
    law: PublishedCount,
    reduction: VarianceReduction | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of 95 % intervals for the same counts as `two_state_estimates`.

    A score interval with continuity correction: it contains every x in 0 .. n that is at most 1.96 standard
    errors, those at x, plus half a published record from the unclipped estimate. Unlike a Wald interval it
    does not shrink to a point where few or no records were published. Its coverage is approximate: see
    `docs/estimating`.
    """
    case = _Case.of(y3, predicate_count, f_published, rows, law, reduction)
    step = 1 / (2 * case.linear.matrix.contrast)

    def contradicted(count: FloatArray) -> NDArray[np.bool_]:
        margin = NORMAL_95 * np.sqrt(case.variance(count)) + step
        return np.asarray(np.abs(case.linear.value - count) > margin)

    low = boundary(contradicted, np.zeros_like(case.clipped), case.clipped)
    high = boundary(contradicted, np.broadcast_to(case.predicate, case.clipped.shape), case.clipped)
    return low, high


class _Case(NamedTuple):
    """Counts of conjunctions, with the estimates of x before and after clipping."""

    predicate: FloatArray
    frequency: FloatArray
    linear: LinearEstimate
    clipped: FloatArray
    rows: int
    law: PublishedCount
    reduction: VarianceReduction | None

    @classmethod
    def of(
        cls,
        y3: ArrayLike,
        predicate: ArrayLike,
        frequency: ArrayLike,
        rows: int,
        law: PublishedCount,
        reduction: VarianceReduction | None,
    ) -> _Case:
        y, n, f = (np.asarray(array, dtype=np.float64) for array in (y3, predicate, frequency))
        linear = LinearEstimate.of(y, n, TwoState.of(f, rows, float(law.retention)))
        return cls(
            predicate=n,
            frequency=f,
            linear=linear,
            clipped=np.clip(linear.value, 0.0, n),
            rows=rows,
            law=law,
            reduction=reduction,
        )

    def variance(self, count: FloatArray) -> FloatArray:
        """Return the variance of the estimates if the true count is ``count``."""
        frequency = np.maximum(self.frequency, count)
        moments = count_moments(count, self.predicate, frequency, self.rows, self.law)
        inside, outside = self.linear.weights(count, self.predicate)
        variance = moments.variance(inside, outside)
        if self.reduction is not None:
            own = count / np.maximum(frequency, 1.0)
            other = np.clip((self.predicate - count) / np.maximum(self.rows - frequency, 1.0), 0.0, 1.0)
            more = frequency / np.maximum(self.frequency, 1.0)
            variance = variance - more * self.reduction.of_difference(inside, outside, own, other)
        return np.maximum(variance, 0.0)


def boundary(
    contradicted: Callable[[FloatArray], NDArray[np.bool_]], outermost: FloatArray, estimate: FloatArray
) -> FloatArray:
    """Bisect between the estimate and the outermost count for the end of a confidence interval."""
    within, beyond = estimate, outermost
    reaches = ~contradicted(outermost)
    for _ in range(_HALVINGS):
        middle = (within + beyond) / 2
        out = contradicted(middle)
        within, beyond = np.where(out, within, middle), np.where(out, middle, beyond)
    return np.where(reaches, outermost, within)


def conjunction_estimate(
    y3: int, f_published: int, predicate_count: int, rows: int, law: PublishedCount
) -> Fraction:
    """Estimate how many records of a predicate carried a value before publication, exactly.

    Parameters
    ----------
    y3
        Published records that satisfy the predicate and carry the value, 0 .. min(n, f').
    f_published
        Published records that carry the value, f' >= 0.
    predicate_count
        Records that satisfy the predicate, n, which publication does not change; 0 .. N.
    rows
        Records of the published table, N >= 1.
    law
        gamma and p.

    Returns
    -------
    Fraction
        (y3 - n a)/(p - a) clipped to 0 .. n, where a = f' (1 - p)/(N - f') is the estimated probability
        that a record without the value is published with it.

    Raises
    ------
    InputError
        If f' >= p N: then a >= p, and the counts of the predicate are not informative about x.
    ParameterError
        If the counts cannot come from one table.

    Notes
    -----
    Fu et al. 2014, section 5.1, equations (6) to (9), state gamma f/N for the probability that a record
    without s has it among its decoys; the average is f (gamma - 1)/(N - f) (claim splu.M1c). With a fixed
    matrix the estimate is the limit of their iteration (13) and (14), the maximum of the likelihood of y3
    (claim splu.I).
    """
    total = integer(rows, "rows", 1)
    inside = integer(predicate_count, "predicate_count", 0)
    published = integer(f_published, "f_published", 0)
    both = integer(y3, "y3", 0)
    if inside > total:
        raise ParameterError(f"predicate_count is {inside}, above rows = {total}: count records of one table")
    if both > min(inside, published):
        raise ParameterError(
            f"y3 is {both}, above predicate_count = {inside} or f_published = {published}: "
            "count the records that have both"
        )
    if published - both > total - inside:
        raise ParameterError(
            f"f_published - y3 = {published - both} records outside the predicate carry the value, "
            f"but only {total - inside} are outside: count all four in one table"
        )
    least = law.retention * total
    if published >= least:
        limit = f"rows/gamma = {least}" if law.is_plain else f"p rows = {least}"
        raise InputError(
            f"the value is published {published} times in {total} rows, which is not below {limit}: "
            "its records cannot be distinguished from the others, so ask for another value"
        )
    channel = two_state(law.retention, published, total)
    unclipped = inverse(channel).estimate({False: inside - both, True: both})[True]
    return min(max(unclipped, Fraction(0)), Fraction(inside))
