"""Shrinkage weights of unbiased estimates, by empirical Bayes over all cells of a table.

Each cell v has a prior mean m_v and an unbiased, noisier estimate of x_v. The model is x_v = m_v (1 + t_v),
where t_v has mean 0 and variance s_v + tau^2. The sampling variance s_v is that of a predicate independent of
the values. The scale tau is common to all cells; its posterior is computed on a grid, and the weights are
averaged over it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from splu_ref.mechanisms import FloatArray

_LEAST = 1e-12
"""Lower bound of relative variances."""


class Prior(NamedTuple):
    """A prior density of tau on a grid."""

    taus: FloatArray  # the grid of tau, ascending
    density: FloatArray  # the prior density there, up to a factor

    @property
    def masses(self) -> FloatArray:
        """Return the weight of each tau, up to a factor."""
        return self.density * np.diff(self.taus, prepend=0.0)

    def updated(self, posterior: FloatArray) -> Prior:
        """Return the prior multiplied by the posterior weights of other data, shape (taus,)."""
        return Prior(self.taus, posterior / np.diff(self.taus, prepend=0.0))


class ShrinkageWeights(NamedTuple):
    """Weights of unbiased estimates, each of shape (predicates, estimates)."""

    weight: FloatArray  # Posterior mean weight of the unbiased estimate, 0 .. 1; the prior mean has the rest.
    weight_variance: FloatArray  # posterior variance of the weight
    prior_variance: FloatArray  # mean of s_v + tau^2: prior variance of x_v relative to m_v^2

    def bias(self, deviation: FloatArray | float, unit: FloatArray | float) -> FloatArray:
        """Return the mean squared bias of the shrunk estimate over the posterior of tau.

        ``deviation`` is the unbiased estimate less the prior mean; ``unit`` is m_v.
        """
        shrinkage = (1 - self.weight) ** 2 * self.prior_variance * unit**2
        return np.asarray(shrinkage + self.weight_variance * deviation**2)


def posterior_of_tau(
    deviation: FloatArray, noise: FloatArray, chance: FloatArray, prior: Prior
) -> FloatArray:
    """Return the posterior mass of each tau of the grid, shape (taus, predicates), from relative deviations.

    ``deviation`` is (estimate - m_v)/m_v, shape (predicates, values); ``noise`` its variance at x_v = m_v,
    infinite where there is no estimate; ``chance`` is s_v.
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


def shrinkage_weights(
    posterior: FloatArray, noise: FloatArray, chance: FloatArray, prior: Prior
) -> ShrinkageWeights:
    """Return the weights of unbiased estimates under a posterior by `posterior_of_tau`.

    ``noise`` and ``chance`` have the shape (predicates, estimates), for single values or for sets with the
    same tau. An estimate with infinite noise has weight 0.
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
    return ShrinkageWeights(mean, np.maximum(square - mean * mean, 0.0), variance)
