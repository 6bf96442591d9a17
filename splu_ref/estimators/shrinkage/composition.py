"""Empirical-Bayes estimates of the composition of a predicate: its true counts by sensitive value.

The n records of a predicate P have true counts x by value and published counts y, with E y = x T for any
dependence between P and the values. T is the transition matrix of the plan (claim splu.M1c), computed from
the expected co-occurrence. The prior mean of x is m = n phi, where phi are the published shares. The prior
variance has two parts: P as a simple random sample, and a relative deviation with standard deviation tau,
common to all values. With s = n/N,

    B = n^2 tau^2 (diag(phi^2), given that the sum is n) + n (1-s) (diag(phi) - phi phi^T)
    S = T^T B T + noise = n^2 tau^2 T^T(...)T + n (1-s) (diag(phi) - phi phi^T)

because phi T = phi: sampling and the noise of publication add up to the multinomial variance of y. One
eigendecomposition, in units of sqrt(phi), therefore serves every predicate and every tau. The posterior of
tau is computed on a grid whose upper end covers predicates with a single value.

Values with equal frequencies are exchangeable and form a kind (`ExpectedPairs`). The eigenvectors are those
of the kinds and the contrasts within kinds; a domain of 20,000 values has a few hundred kinds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from splu_ref.channels import PublishedCount
from splu_ref.estimators.linear.transition import decoy_probability
from splu_ref.estimators.shrinkage.conditions import (
    Conditions,
    CountPosterior,
    ProductForms,
    PublishedForm,
    product_form_posterior,
)
from splu_ref.mechanisms import ExpectedPairs, FloatArray
from splu_ref.randomness import IntArray

_POWER = 1.5
"""Exponent of the frequency in the prior variance: 1 under a Dirichlet prior, 2 under equal relative
deviations; 1.5 has the smallest error on the test tables."""
_FINEST, _STEPS = 0.02, 20
"""Smallest tau of the grid, and number of points; the largest is that of a predicate with only the rarest
value."""
_USUAL = 0.3
"""Scale of the half-Cauchy prior of tau."""
LEAST_CONTRAST = 0.02
"""Lower bound of the diagonal of T less the gain of a value."""


class CompositionPosterior(NamedTuple):
    """Posterior of the compositions of several predicates.

    Attributes
    ----------
    total
        n, shape (predicates,).
    share
        1 - n/N, above 0, shape (predicates,).
    posterior
        Posterior mass of each tau, shape (taus, predicates).
    strength
        n times the posterior mean of tau^2, shape (predicates,).
    by_tau, by_chance
        Coefficients of the eigenvectors in the posterior mean, for the two parts of B, shape (predicates,
        kinds - 1).
    within
        Coefficients of the contrasts within kinds, shape (predicates, kinds).
    mean, variance
        Posterior moments of the true counts, shape (predicates, values).
    spread
        Prior variance of the true counts given their total, divided by n, likewise.
    outside
        Prior mean of the true counts without the predicate's own published counts, likewise.
    """

    total: FloatArray
    share: FloatArray
    posterior: FloatArray
    strength: FloatArray
    by_tau: FloatArray
    by_chance: FloatArray
    within: FloatArray
    mean: FloatArray
    variance: FloatArray
    spread: FloatArray
    outside: FloatArray


class WeightCoordinates(NamedTuple):
    """Weights of true counts in the coordinates of a composition's prior, linear in the weights.

    Attributes
    ----------
    by_tau, by_chance
        Coefficients of the eigenvectors, for the two parts of B, shape (sums, kinds - 1).
    within
        The weights less their mean in each kind, for values of kinds with several, shape (sums, such values).
    """

    by_tau: FloatArray
    by_chance: FloatArray
    within: FloatArray


class Composition:
    """The prior of a column's compositions, diagonalized once for all predicates.

    Parameters
    ----------
    pairs
        Expected co-occurrence for the published frequencies.
    law
        gamma and p.

    Attributes
    ----------
    share
        phi of each value, shape (values,).
    """

    def __init__(self, pairs: ExpectedPairs, law: PublishedCount) -> None:
        self._occurring = np.flatnonzero(pairs.kind >= 0)
        self._kind, self._size = pairs.kind[self._occurring], pairs.size
        self._order = np.argsort(self._kind, kind="stable")
        self._starts = np.searchsorted(self._kind[self._order], np.arange(len(pairs.size)))
        frequency = pairs.frequency
        self.rows = float(frequency @ pairs.size)
        phi = frequency / self.rows
        self.share: FloatArray = np.zeros(len(pairs.kind))
        self.share[self._occurring] = phi[self._kind]
        self._phi = phi
        # Off-diagonal entries of T by kind, and the excess of the diagonal.
        self._gain = decoy_probability(law) * pairs.together / frequency[:, None]
        self._retention = float(law.retention)
        self._excess_retention = self._retention - np.diag(self._gain)
        # Coordinates: orthonormal over the values of a kind.
        root, self._root = np.sqrt(phi), np.sqrt(pairs.size)
        matrix = self._root[:, None] * self._gain * self._root + np.diag(self._excess_retention)
        one = self._root * 1.0
        self._scale: FloatArray = phi**_POWER * float(phi**2 @ pairs.size) ** (2 - _POWER)
        square, first = self._scale, phi * one
        self._scales: FloatArray = np.zeros(len(pairs.kind))
        self._scales[self._occurring] = square[self._kind]
        prior = np.diag(square) - np.outer(square * one, square * one) / (square @ pairs.size)
        chance = np.diag(phi) - np.outer(first, first)
        whitened = matrix / root
        spread = whitened.T @ prior @ whitened
        # Project out the direction of the total, which is known.
        direction = root * one
        values, vectors = np.linalg.eigh(spread - 2.0 * np.outer(direction, direction) * np.trace(spread))
        self._spread, vectors = np.maximum(values[1:], 0.0), vectors[:, 1:]
        self._whiten = vectors / root[:, None]
        self._by_tau, self._by_chance = prior @ whitened @ vectors, chance @ whitened @ vectors
        # Weights of published values, and their expectations by true value, from coordinates.
        self._weighted = (self._whiten / self._root[:, None])[self._kind]
        self._pushed = (self._gain @ (self._whiten * self._root[:, None]))[self._kind]
        self._pushed += self._excess_retention[self._kind][:, None] * self._weighted
        self._crowded = np.flatnonzero(pairs.size[self._kind] > 1)
        crowd = np.flatnonzero(pairs.size > 1)
        self._crowd, self._dimension = crowd, np.concatenate([np.ones(len(phi) - 1), pairs.size[crowd] - 1])
        self._kurtosis = np.concatenate([(vectors**4).T @ (1 / (phi * pairs.size)), 1 / phi[crowd]])
        # Within a kind: T is a multiple of the identity.
        self._spread_within = square / phi * self._excess_retention**2
        self._ratio = square / phi
        self.taus: FloatArray = np.geomspace(
            _FINEST, max(1 / float(np.sqrt(square.min())), 2 * _FINEST), _STEPS
        )

    def published(self, members: FloatArray) -> FloatArray:
        """Return the probability that a record with each value is published with a value of a set.

        Shape (sets, values) in and out; 0 for values that are not published.
        """
        own = members[:, self._occurring]
        kinds = self._by_kind(own) @ self._gain.T
        return self._among_all(kinds[:, self._kind] + self._excess_retention[self._kind] * own)

    def expected_counts(self, counts: FloatArray) -> FloatArray:
        """Return x T, the expected published counts for true counts x, shape (predicates, values)."""
        own = counts[:, self._occurring]
        kinds = self._by_kind(own) @ self._gain
        return self._among_all(kinds[:, self._kind] + self._excess_retention[self._kind] * own)

    def counts(self, learned: CompositionPosterior) -> CountPosterior:
        """Return the posterior of counts without conditions."""
        # The prior mean is that of the other records, which are few if the predicate is large.
        few = self.share * (1 / learned.share - 1)[:, None]
        spread = learned.total[:, None] * (learned.spread + few)
        return CountPosterior(learned.mean, learned.variance, learned.outside, spread)

    def by_conditions(
        self, found: CountPosterior, published: FloatArray, conditions: Conditions
    ) -> CountPosterior:
        """Replace a posterior of counts by that under the product form for several conditions."""
        where = np.flatnonzero(conditions.several)
        conditions, n = conditions.of_predicates(where), published[where].sum(axis=1)[:, None]
        single = self.learn(conditions.published)
        records = np.maximum(single.total, 1.0)[:, None]
        forms = ProductForms.of(
            self.share,
            single.mean / records,
            single.variance / records**2,
            self._own_weights(single) / records,
            conditions.of,
        )
        contrast = np.ones_like(self.share)
        contrast[self._occurring] = np.maximum(self._excess_retention, LEAST_CONTRAST)[self._kind]
        better = product_form_posterior(
            [
                PublishedForm.of(
                    published[where],
                    n * self.expected_counts(share),
                    share,
                    relative,
                    slope,
                    rows=self.rows,
                    retention=self._retention,
                    contrast=contrast,
                )
                for share, relative, slope in zip(*forms, strict=True)
            ]
        )
        parts = [part.copy() for part in found]
        for part, own in zip(parts, better, strict=True):
            part[where] = own
        return CountPosterior(*parts)

    def _own_weights(self, learned: CompositionPosterior) -> FloatArray:
        """Return the derivatives of posterior means by the published counts of the same values."""
        kinds = learned.by_tau @ (self._by_tau * self._whiten).T
        kinds += learned.by_chance @ (self._by_chance * self._whiten).T
        kinds = kinds / self._size + learned.within * (1 - 1 / self._size)
        return self._among_all(kinds[:, self._kind])

    def learn(self, published: FloatArray) -> CompositionPosterior:
        """Return the posterior of compositions given y, shape (predicates, values)."""
        n = published.sum(axis=1)
        share = np.maximum(1 - n / self.rows, 1e-9)
        residual = published[:, self._occurring] - n[:, None] * self.share[self._occurring]
        split, within = self._split(residual)
        between = split @ self._whiten
        # Log-likelihood of tau; sparse counts are down-weighted by their kurtosis.
        some, crowd = np.maximum(n, 1.0)[:, None], self._crowd
        by_kind = self._by_kind(within**2)[:, crowd] / self._phi[crowd]
        square = np.concatenate([between**2, by_kind], axis=1) / (share[:, None] * some)
        trust = 2 / (2 + self._kurtosis / some)
        spread = np.concatenate([self._spread, self._spread_within[crowd]])
        fits = np.empty((len(self.taus), len(n)))
        for number, tau in enumerate(self.taus.tolist()):
            scatter = 1 + spread * (tau * tau * some / share[:, None])
            fit = trust * (square * (1 - 1 / scatter) - self._dimension * np.log(scatter))
            fits[number] = fit.sum(axis=1) / 2 - np.log1p((tau / _USUAL) ** 2) + np.log(tau)
        posterior = np.exp(fits - fits.max(axis=0))
        posterior /= posterior.sum(axis=0)
        return self._averaged(published, share, between, within, posterior)

    def _averaged(
        self,
        published: FloatArray,
        share: FloatArray,
        between: FloatArray,
        within: FloatArray,
        posterior: FloatArray,
    ) -> CompositionPosterior:
        """Average the posterior moments over tau."""
        n = published.sum(axis=1)
        crowd, phi = self._crowd, self._phi
        by_tau, by_chance, twice = (np.zeros_like(between) for _ in range(3))
        inner, known = (np.zeros((len(n), len(phi))) for _ in range(2))
        for tau, weight in zip(self.taus.tolist(), posterior, strict=True):
            strength = (n * tau * tau)[:, None]
            part = weight[:, None] / (share[:, None] + strength * self._spread)
            by_chance += share[:, None] * part
            part *= strength
            by_tau += part
            twice += strength * part
            if len(crowd):
                own = (strength * self._ratio[crowd] + share[:, None]) * self._excess_retention[crowd]
                part = weight[:, None] * own / (share[:, None] + strength * self._spread_within[crowd])
                inner[:, crowd] += part
                known[:, crowd] += part * own * phi[crowd]
        kinds = (by_tau * between) @ self._by_tau.T + (by_chance * between) @ self._by_chance.T
        mean, variance = np.zeros((len(n), len(self.share))), np.zeros((len(n), len(self.share)))
        mean[:, self._occurring] = (
            n[:, None] * self.share[self._occurring]
            + (kinds / self._root)[:, self._kind]
            + inner[:, self._kind] * within
        )
        # Posterior variance: the prior variance less the explained part, between and within kinds.
        strength = n * (self.taus**2 @ posterior)
        square, total = self._scale, float(self._scale @ self._size)
        prior = strength[:, None] * (square - square**2 / total) + share[:, None] * (phi - phi**2)
        known *= (self._size - 1) / self._size
        for part, left, right in (
            (twice, self._by_tau, self._by_tau),
            (by_tau * share[:, None] * 2, self._by_tau, self._by_chance),
            (by_chance * share[:, None], self._by_chance, self._by_chance),
        ):
            known += part @ (left * right).T / self._size
        variance[:, self._occurring] = (n[:, None] * np.maximum(prior - known, 0.0))[:, self._kind]
        return CompositionPosterior(
            total=n,
            share=share,
            posterior=posterior,
            strength=strength,
            by_tau=by_tau,
            by_chance=by_chance,
            within=inner,
            mean=mean,
            variance=variance,
            spread=strength[:, None] * self._scales + share[:, None] * self.share,
            # The share among the other records, where there are others.
            outside=(n / (self.rows * share))[:, None] * (self.rows * self.share - published),
        )

    def coordinates(self, weights: FloatArray) -> WeightCoordinates:
        """Return weights of true counts, shape (sums, values), in the coordinates of the prior."""
        split, inner = self._split(weights[:, self._occurring])
        return WeightCoordinates(split @ self._by_tau, split @ self._by_chance, inner[:, self._crowded])

    def published_weights(
        self, learned: CompositionPosterior, which: IntArray, weights: WeightCoordinates
    ) -> tuple[FloatArray, FloatArray]:
        """Return the weights of published counts in the posterior means of weighted sums of true counts.

        ``which`` is the predicate of each sum; the results have the shape (sums, values). The first one is
        w = S^-1 T^T B weights, averaged over tau: the mean is n phi . weights + (y - n phi) . w. The second
        one is T w.
        """
        between = learned.by_tau[which] * weights.by_tau
        between += learned.by_chance[which] * weights.by_chance
        found = between @ self._weighted.T, between @ self._pushed.T
        if len(self._crowded):
            kind = self._kind[self._crowded]
            inner = learned.within[which][:, kind] * weights.within
            found[0][:, self._crowded] += inner
            found[1][:, self._crowded] += self._excess_retention[kind] * inner
        return self._among_all(found[0]), self._among_all(found[1])

    def prior(
        self, learned: CompositionPosterior, which: IntArray, weights: FloatArray, some: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the prior slope and variance of weighted sums of some values' counts, given their total.

        ``which`` is the predicate of each sum, ``some`` marks the values by 1; shapes (sums, values).
        """
        n, spread = learned.total[which], some * learned.spread[which]
        total = spread.sum(axis=1)
        slope = np.divide((spread * weights).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
        return slope, n * (spread * (weights - slope[:, None]) ** 2).sum(axis=1)

    def _among_all(self, occurring: FloatArray) -> FloatArray:
        """Return columns of all values, 0 for those that do not occur."""
        if occurring.shape[1] == len(self.share):
            return occurring
        found = np.zeros((len(occurring), len(self.share)))
        found[:, self._occurring] = occurring
        return found

    def _by_kind(self, values: FloatArray) -> FloatArray:
        """Sum over the values of each kind, shape (vectors, occurring values) to (vectors, kinds)."""
        if len(self._phi) == values.shape[1]:
            return values[:, self._order]
        return np.asarray(np.add.reduceat(values[:, self._order], self._starts, axis=1))

    def _split(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Split vectors into coordinates by kind and the rest within kinds."""
        sums = self._by_kind(values)
        return sums / self._root, values - (sums / self._size)[:, self._kind]


def noise(counts: FloatArray, sent: FloatArray, weights: FloatArray, pushed: FloatArray) -> FloatArray:
    """Return the variance of weighted sums of published counts at fixed true counts.

    ``counts`` are the true counts x and ``sent`` is x T; ``weights`` are w and ``pushed`` is T w. All have
    the shape (sums, values).
    """
    return np.asarray(np.maximum((sent * weights**2 - counts * pushed**2).sum(axis=1), 0.0))
