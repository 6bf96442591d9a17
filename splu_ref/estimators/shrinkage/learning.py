"""How far to trust an unbiased estimate: a weight learned over all cells of a table.

For every cell v there are an expectation m_v and an unbiased, noisier estimate of x_v. The model is
x_v = m_v (1 + t_v), where the t_v have mean 0 and variance s_v + tau^2. Here s_v is what chance alone makes
of an unrelated predicate, and tau, the same for all v, is learned: its likelihood over all cells is averaged,
on a grid, with a prior density. So the prior variance of x_v is proportional to m_v^2 up to chance, and an
uncertain tau makes a cautious weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from splu_ref.mechanisms import FloatArray

_LEAST = 1e-12
"""Relative variances below this are taken as this: the estimate and the expectation are the same."""


class Prior(NamedTuple):
    """What is believed of tau before the data.

    Attributes
    ----------
    taus
        The grid of tau, ascending.
    density
        The prior density there, up to a factor.
    """

    taus: FloatArray
    density: FloatArray

    @property
    def masses(self) -> FloatArray:
        """Return the weight of each tau, up to a factor."""
        return self.density * np.diff(self.taus, prepend=0.0)

    def after(self, posterior: FloatArray) -> Prior:
        """Return what is believed after data that gave each tau this weight, shape (taus,)."""
        return Prior(self.taus, posterior / np.diff(self.taus, prepend=0.0))


class Learned(NamedTuple):
    """What was learned of each predicate and value, shape (predicates, estimates).

    Attributes
    ----------
    weight
        Weight of the unbiased estimate, 0 .. 1; the expectation has the rest.
    weight_variance
        Variance of that weight, from not knowing tau.
    prior_variance
        Mean of s_v + tau^2: prior variance of x_v relative to m_v^2.
    """

    weight: FloatArray
    weight_variance: FloatArray
    prior_variance: FloatArray

    def bias(self, deviation: FloatArray | float, unit: FloatArray | float) -> FloatArray:
        """Return the mean square of what shrinking adds to the error, over the learned prior.

        Parameters
        ----------
        deviation
            Unbiased estimate less expectation.
        unit
            m_v, what the deviation and its variances are relative to.
        """
        kept = (1 - self.weight) ** 2 * self.prior_variance * unit**2
        return np.asarray(kept + self.weight_variance * deviation**2)


def posterior_of_tau(
    deviation: FloatArray, noise: FloatArray, chance: FloatArray, prior: Prior
) -> FloatArray:
    """Learn tau from relative deviations.

    Parameters
    ----------
    deviation
        Unbiased estimate less expectation, over the expectation, shape (predicates, values).
    noise
        Variance of that difference when x_v = m_v, over m_v^2; infinite where there is no estimate.
    chance
        s_v, the variance that x_v / m_v has for a predicate chosen at random.
    prior
        Grid and prior density of tau.

    Returns
    -------
    FloatArray
        The weight of each tau of the grid, shape (taus, predicates); the sum over tau is 1.
    """
    known = np.isfinite(noise)
    scatter = np.maximum(np.where(known, noise + chance, 1.0), _LEAST)
    square = np.where(known, deviation, 0.0) ** 2
    fits = np.empty((len(prior.taus), len(deviation)))
    masses = np.log(np.maximum(prior.masses, np.finfo(np.float64).tiny))
    for number, (tau, mass) in enumerate(zip(prior.taus.tolist(), masses.tolist(), strict=True)):
        total = scatter + tau * tau
        fit = np.where(known, np.log(total / scatter) + square * (1 / total - 1 / scatter), 0.0)
        fits[number] = mass - fit.sum(axis=1) / 2
    shares = np.exp(fits - fits.max(axis=0))
    return np.asarray(shares / shares.sum(axis=0))


def learned_weights(posterior: FloatArray, noise: FloatArray, chance: FloatArray, prior: Prior) -> Learned:
    """Return the weights of unbiased estimates.

    Parameters
    ----------
    posterior
        The weight of each tau, shape (taus, predicates): see `posterior_of_tau`.
    noise, chance
        As there, shape (predicates, estimates): of single values, or of sets of values, for which tau is
        taken to be the same. Where the noise is infinite the weight is 0.
    prior
        That with which the weights of tau were learned.
    """
    known = np.isfinite(noise)
    own = np.where(known, noise, 1.0)
    total = np.maximum(own + chance, _LEAST)
    mean, square = np.zeros_like(own), np.zeros_like(own)
    for tau, share in zip(prior.taus.tolist(), posterior, strict=True):
        weight = np.where(known, 1 - own / (total + tau * tau), 0.0)
        mean += share[:, None] * weight
        square += share[:, None] * weight * weight
    variance = chance + (prior.taus**2 @ posterior)[:, None]
    return Learned(mean, np.maximum(square - mean * mean, 0.0), variance)
