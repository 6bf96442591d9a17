"""Limited-translation estimates of conjunctions on one sensitive column.

The estimate is the shrunk one of the composition, moved to within c standard errors of the moment estimate of
x (limited translation, Efron and Morris 1972), which bounds the loss under a wrong prior. The bound is
tighter where y indicates that many records of the predicate share the value, and for small predicates,
because the prior has one spread for all values and no spikes.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from splu_ref.estimators.shrinkage.conjunction_interval import LEAST, ConjunctionStates
from splu_ref.mechanisms import FloatArray

COST = 0.1
"""Relative increase of the predicted mean square error that limited translation may cost."""
SPIKE, FROM, FULL = 1.0, 0.1, 0.3
"""Additional cost allowed for a spike, and the excess shares of the predicate, less a standard error, at
which a spike begins and is complete."""
FEW = 10.0
"""Predicate size at which translation may cost the whole variance of the moment estimate; for larger ones the
share falls with the square of the size."""

RARE, LEAST_FAR = 0.3, 2.5
"""Share of the cost allowed for dropping the prior, and the smallest distance at which it is dropped, in
standard deviations between the published count and its prior mean."""
FAR = 4.0
"""Distance in standard deviations from which an answer reports that the prior was contradicted."""


class TranslatedEstimates(NamedTuple):
    """Estimates by limited translation: arrays of one shape.

    Attributes
    ----------
    value
        In 0 .. n.
    variance
        Predicted mean square error, including the cost of the translation.
    far
        Distance between the published count and its prior mean, in standard deviations.
    """

    value: FloatArray
    variance: FloatArray
    far: FloatArray


def limited_translation(
    states: ConjunctionStates, shrunk: FloatArray, posterior: FloatArray
) -> TranslatedEstimates:
    """Move shrunk estimates towards the moment estimates.

    ``shrunk`` and ``posterior`` are the posterior mean and variance of x.
    """
    solved, n = states.solved, states.predicate
    known = np.isfinite(solved)
    inside, shared = np.clip(shrunk, 0.0, n), states.shared
    middle = np.clip(np.where(known, solved, shrunk), 0.0, n)
    noise = np.maximum(states.variance(inside), states.variance(middle))
    own = np.maximum(noise / np.where(known, states.contrast, 1.0) ** 2 - shared, LEAST)
    ratio = np.clip(posterior / own, LEAST, 1.0)
    far = np.where(known, _distance(states, inside, ratio), 0.0)
    surplus = np.minimum(middle, states.frequency) - np.sqrt(own) - n * states.frequency / states.rows / 2
    found = translate(middle, own, shrunk, ratio, far, allowed_cost(ratio, surplus, n))
    return TranslatedEstimates(
        value=np.clip(np.where(known, found.value, shrunk), 0.0, n),
        variance=np.where(n > 0, np.where(known, found.variance, posterior) + shared, 0.0),
        far=found.far,
    )


def flat_prior_estimates(states: ConjunctionStates, shrunk: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return counts and variances under a flat prior on 0 .. n instead of the learned one.

    Where D is near 0 the published count cannot contradict the learned prior. ``shrunk`` is the estimate
    where y is not informative.
    """
    known, wide = states.contrast > LEAST, np.maximum(states.predicate**2 / 12, LEAST)
    solved = np.clip(np.where(known, states.solved, shrunk), 0.0, states.predicate)
    noise = states.variance(solved) / np.where(known, states.contrast, 1.0) ** 2
    trust = np.where(known, wide / (wide + noise), 0.0)
    return solved * trust + shrunk * (1 - trust), wide * (1 - trust)


def allowed_cost(ratio: FloatArray, surplus: FloatArray, total: FloatArray) -> FloatArray:
    """Return the allowed cost of translation, in units of the variance of the moment estimate.

    ``ratio`` is that of `translate`, ``surplus`` a lower estimate of the excess of x over n f'/N, ``total``
    n.
    """
    spike = np.clip((surplus / np.maximum(total, 1.0) - FROM) / (FULL - FROM), 0.0, 1.0)
    return np.asarray(ratio * (COST + SPIKE * spike) + few_records_cost(total))


def few_records_cost(total: FloatArray) -> FloatArray:
    """Return the part of `allowed_cost` for small predicates."""
    return np.asarray((FEW / np.maximum(total, 1.0)) ** 2)


def translate(
    solved: FloatArray,
    variance: FloatArray,
    shrunk: FloatArray,
    ratio: FloatArray,
    far: FloatArray,
    cost: FloatArray,
) -> TranslatedEstimates:
    """Move shrunk estimates to within a limited distance of the moment estimates.

    Parameters
    ----------
    solved, variance
        Moment estimates of x and their variance.
    shrunk, ratio
        Shrunk estimates, and their variance over that of the moment estimates if the prior is right, r in
        0 .. 1.
    far
        Distance between the published count and its prior mean, in standard deviations.
    cost
        The allowed cost: see `allowed_cost`.

    Notes
    -----
    Under the prior the two estimates differ by sqrt(1-r) Z standard errors, Z normal. Limiting the distance
    to k costs (1-r) E max(abs(Z) - k, 0)^2; k is the least with a cost of at most ``cost``. Dropping the
    prior beyond ``last`` costs (1-r) E[Z^2; abs(Z) > last], at most `RARE` of ``cost``.
    """
    moved = 1 - ratio
    allowed = cost / np.maximum(moved, LEAST)
    first = _reached(allowed, 0)
    last = np.maximum(np.maximum(_reached(RARE * allowed, 1), first), LEAST_FAR)
    reach = np.sqrt(moved * variance) * first * np.clip(last - far, 0.0, 1.0)
    predicted = np.where(far < last, np.minimum(ratio + cost, 1.0), 1.0) * variance
    return TranslatedEstimates(np.clip(shrunk, solved - reach, solved + reach), predicted, far)


def _distance(states: ConjunctionStates, shrunk: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return the distance of y from its prior mean, in standard deviations, by the Poisson deviance."""
    solved, n = np.nan_to_num(states.solved), states.predicate
    moved = np.maximum(1 - ratio, 1e-9)
    expected = np.clip((shrunk - ratio * solved) / moved, 0.0, n) * states.contrast + n * states.gain
    expected, y = np.maximum(expected, LEAST), states.both
    deviance = 2 * (y * np.log(np.maximum(y, LEAST) / expected) - (y - expected))
    # Rescale: the variance is not that of a Poisson count, and a is uncertain.
    scale = expected / np.maximum(states.variance(np.clip(shrunk, 0.0, n)), LEAST)
    return np.sqrt(np.maximum(deviance * scale * moved, 0.0))


@cache
def _table() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return descending points k, and the log costs of limiting at k and of dropping beyond k."""
    points = np.linspace(6.0, 0.0, 601)
    density = np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    translated_by = 2 * ((1 + points**2) * ndtr(-points) - points * density)
    given_up = 2 * (ndtr(-points) + points * density)
    return points, np.log(translated_by), np.log(given_up)


def _reached(cost: FloatArray, kind: int) -> FloatArray:
    """Return the k, 0 .. 6, with this cost of limiting at k (kind 0) or of dropping beyond k (kind 1)."""
    points, *logs = _table()
    return np.interp(np.log(np.maximum(cost, np.finfo(np.float64).tiny)), logs[kind], points)
