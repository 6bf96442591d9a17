"""Score intervals of conjunctions on one sensitive column.

A record of the predicate P with a value of the set A is published with a value of A with probability b, a
record of P without one with probability a. Both are averages over the estimated composition of P
(`Composition`), so hypothesis H of `two_state` is not needed; their uncertainty is added to the variance of
the published count. The score interval contains every x that the published count does not reject, without a
prior.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from splu_ref.estimators.linear.group_noise import VarianceReduction
from splu_ref.estimators.linear.transition import gain_probability
from splu_ref.estimators.linear.two_state import boundary
from splu_ref.mechanisms import FloatArray

MISS, LEAST_SIDE = 0.05, 0.1
"""Share of the intervals that may miss, and the smallest part of it for one side."""

LEAST = 1e-12
LEAST_LEFT = 1024
"""Divisor of the variance of independent draws that bounds the variance of dependent draws from below."""


class ConjunctionStates(NamedTuple):
    """Counts and two-state probabilities of conjunctions: arrays that broadcast.

    Attributes
    ----------
    both, predicate, frequency
        y, n and f'.
    rows
        N.
    retention, gain
        b and a.
    doubt
        Variance of the expectation of y due to the uncertainty of a and b.
    decoy
        Probability q of taking a given decoy; 0 for sets, whose decoys in one group exclude each other.
    reduction
        Variance reduction by dependent draws; None if draws are independent.
    """

    both: FloatArray
    predicate: FloatArray
    frequency: FloatArray
    rows: int
    retention: FloatArray
    gain: FloatArray
    doubt: FloatArray
    decoy: FloatArray
    reduction: VarianceReduction | None = None

    @property
    def contrast(self) -> FloatArray:
        """Return D = b - a; where it is not positive, y is not informative about x."""
        return np.asarray(self.retention - self.gain)

    @property
    def solved(self) -> FloatArray:
        """Return the moment estimate (y - n a)/D, unclipped; NaN where D is not positive."""
        contrast = np.where(self.contrast > LEAST, self.contrast, np.nan)
        return np.asarray((self.both - self.predicate * self.gain) / contrast)

    @property
    def evidence(self) -> FloatArray:
        """Return the moment estimate, clipped to 0 .. n, in standard errors; 0 where there is none."""
        return np.asarray(np.clip(np.nan_to_num(self.solved), 0.0, self.predicate) / self.error)

    @property
    def error(self) -> FloatArray:
        """Return the standard error of the moment estimate, at it clipped to 0 .. n; inf without one."""
        middle = np.clip(np.nan_to_num(self.solved), 0.0, self.predicate)
        error = np.sqrt(np.maximum(self.variance(middle), LEAST))
        return np.divide(error, self.contrast, out=np.full_like(error, np.inf), where=self.contrast > LEAST)

    def carried(self, count: FloatArray) -> FloatArray:
        """Return the derivative of the expectation of y by f' if x is ``count``."""
        others = np.maximum(self.rows - self.frequency, 1.0)
        return np.asarray(
            np.clip((self.predicate - count) * (1 - self.retention) * self.rows / others**2, 0, 1)
        )

    def variance(self, count: FloatArray) -> FloatArray:
        """Return the variance of y less its estimated expectation if x is ``count``.

        As in `count_moments`, with a and b of the predicate itself.
        """
        own = self.retention * (1 - self.retention)
        others, carried = np.maximum(self.predicate - count, 0.0), self.carried(count)
        places = np.maximum(self.rows - self.frequency, 1.0)
        exposed = others * self.gain
        scatter = exposed * (self._drawn - self.gain) * np.clip((places - others) / places, 0.0, 1.0)
        inside = count * own + exposed * (1 - self._drawn) + scatter
        left = np.maximum(self._average_gain * places - exposed, 0.0)
        outside = np.maximum(self.frequency - count, 0.0) * own + left * (1 - self._drawn) + scatter
        mixed = (1 - carried) ** 2 * inside + carried**2 * outside + 2 * carried * (1 - carried) * scatter
        if self.reduction is not None:
            own = np.clip(count / np.maximum(self.frequency, 1.0), 0.0, 1.0)
            other = np.clip(exposed / np.maximum(self._average_gain * places, LEAST), 0.0, 1.0)
            more = np.maximum(count / np.maximum(self.frequency, 1.0), 1.0)  # f is no less than x
            reduction = more * self.reduction.of_difference(1 - carried, -carried, own, other)
            mixed = np.maximum(mixed - reduction, mixed / LEAST_LEFT)
        return np.asarray(
            np.maximum(mixed + self.doubt, mixed / 4)
        )  # the doubt may be negative because of shared noise

    @property
    def _average_gain(self) -> FloatArray:
        """Return a on average over the table."""
        return gain_probability(np.minimum(self.frequency, self.rows - 1.0), self.rows, self.retention)

    @property
    def _drawn(self) -> FloatArray:
        """Return q, or a where it is larger: sets."""
        return np.maximum(self.decoy, self.gain)

    @property
    def shared(self) -> FloatArray:
        """Return the variance of n f'/N, which both estimates share."""
        everywhere = self.frequency * self.retention * (1 - self.retention) + self._average_gain * (
            self.rows - self.frequency
        ) * (1 - self._drawn)
        if self.reduction is not None:
            everywhere = np.maximum(everywhere - self.reduction.total, 0.0)
        return np.asarray((self.predicate / self.rows) ** 2 * everywhere)

    def interval(
        self, prior: FloatArray, spread: FloatArray, most: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the ends of score intervals with continuity correction: 95 %, for every x.

        ``prior`` and ``spread`` are the prior mean and variance of x. They move the 5 % from one side to the
        other, see `sides`, and leave their sum. ``most`` bounds x by the value's published frequency. That
        may miss an x that is all of the value's records, so high counts have half of the 5 % at most for it.
        """
        all_records = np.where(most < self.predicate, 2 * self.frequency - most, np.inf)
        contrast = np.where(self.contrast > LEAST, self.contrast, np.inf)

        def contradicted(count: FloatArray) -> NDArray[np.bool_]:
            expected = count * self.retention + (self.predicate - count) * self.gain
            error = np.sqrt(self.variance(count))
            distance = error / contrast * (count - prior) / np.maximum(spread, LEAST)
            below, above = sides(np.where(count < all_records, distance, np.maximum(distance, 0.0)))
            margin = np.where(self.both < expected, below, above) * error + (1 - self.carried(count)) / 2
            return np.asarray(np.abs(self.both - expected) > margin)

        middle = np.clip(np.nan_to_num(self.solved), 0.0, self.predicate)
        low = boundary(contradicted, np.zeros_like(middle), middle)
        high = boundary(contradicted, np.broadcast_to(self.predicate, middle.shape), middle)
        nothing = ~np.isfinite(self.solved)
        return np.where(nothing, 0.0, low), np.where(nothing, self.predicate, high)


def sides(distance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return how many standard deviations below and above its expectation a published count may be.

    ``distance`` is that of x from its prior mean, times the standard deviation of its moment estimate over
    the prior variance. The two tails have 5 % together. If x is far above its prior mean, low counts have
    most of it, since they are what the prior predicts: the expected length of the interval is then the least
    (Yu and Hoff 2018, section 2), and its coverage is the same for every x. Each side keeps `LEAST_SIDE`.
    """
    shares, distances = _sides()
    share = np.interp(distance, distances, shares)
    return -ndtri(MISS * share), -ndtri(MISS * (1 - share))


@cache
def _sides() -> tuple[FloatArray, FloatArray]:
    """Return the share of the lower tail, and the distance for which it is the best one."""
    shares = np.linspace(LEAST_SIDE, 1 - LEAST_SIDE, 81)
    return shares, (ndtri(MISS * shares) - ndtri(MISS * (1 - shares))) / 2
