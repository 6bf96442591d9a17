"""The composition of a predicate: its true counts by value, all estimated together and shrunk.

The n records of a predicate P have the true counts x by value, and E y = x T for the published ones, whatever
P has to do with the values: T is the transition of the plan (claim splu.M1c), made from the expected
co-occurrence. Beforehand x is about m = n phi, with phi the published shares: by chance, as P were a random
sample, and by a relative deviation tau of each value, the same tau for all. With s = n/N,

    B = n^2 tau^2 (diag(phi^2), given that the sum is n) + n (1-s) (diag(phi) - phi phi^T)
    S = T^T B T + noise = n^2 tau^2 T^T(...)T + n (1-s) (diag(phi) - phi phi^T)

because phi T = phi: chance and the noise of publication add up to the multinomial variance of y. So one
eigendecomposition, in units of sqrt(phi), serves every predicate and every tau. The likelihood of tau is
averaged over a grid that reaches predicates of one value; nothing is cut off there.

Values of one frequency are alike (`ExpectedPairs`), so the eigenvectors are those of the kinds, and the
contrasts between values of one kind: a domain of 20,000 values has some hundreds of kinds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from splu_ref.channels import PublishedCount
from splu_ref.estimators.linear.transition import decoy_probability
from splu_ref.mechanisms import ExpectedPairs, FloatArray
from splu_ref.randomness import IntArray

_POWER = 1.5
"""How the prior variance of a value rises with its frequency: in proportion it would be 1 for a share of a
Dirichlet law, and 2 if relative deviations did not depend on it. On tables 1.5 does best."""
_FINEST, _STEPS = 0.02, 20
"""The smallest tau and how many there are; the largest is that of a predicate with the rarest value alone."""
_USUAL = 0.3
"""The scale of tau: its prior law is a half Cauchy one."""


class Learned(NamedTuple):
    """What the published counts of predicates tell.

    Attributes
    ----------
    total
        n, shape (predicates,).
    share
        1 - n/N, and not 0, shape (predicates,).
    posterior
        The weight of each tau, shape (taus, predicates).
    strength
        n times the mean of tau^2, shape (predicates,).
    by_tau, by_chance
        What an eigenvector's part of the published counts is worth, of each part of B, shape (predicates,
        kinds - 1).
    within
        The same for the contrasts between values of a kind, shape (predicates, kinds).
    mean, variance
        Of the true counts, shape (predicates, values); the variance at the average tau.
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


class Composition:
    """The transition of a column and its eigenvectors, for any number of predicates.

    Parameters
    ----------
    pairs
        The expected co-occurrence, of the published frequencies.
    law
        gamma and p.

    Attributes
    ----------
    share
        phi of each value, shape (values,).
    """

    def __init__(self, pairs: ExpectedPairs, law: PublishedCount) -> None:
        self._held = np.flatnonzero(pairs.kind >= 0)
        self._kind, self._size = pairs.kind[self._held], pairs.size
        self._order = np.argsort(self._kind, kind="stable")
        self._starts = np.searchsorted(self._kind[self._order], np.arange(len(pairs.size)))
        frequency = pairs.frequency
        self.rows = float(frequency @ pairs.size)
        phi = frequency / self.rows
        self.share: FloatArray = np.zeros(len(pairs.kind))
        self.share[self._held] = phi[self._kind]
        self._phi = phi
        # T is u's row: what another value is published with, by kind, and how much more a value keeps itself.
        self._taken = decoy_probability(law) * pairs.together / frequency[:, None]
        self._kept = float(law.retention) - np.diag(self._taken)
        # Coordinates: orthonormal over the values of a kind.
        root, self._root = np.sqrt(phi), np.sqrt(pairs.size)
        matrix = self._root[:, None] * self._taken * self._root + np.diag(self._kept)
        one = self._root * 1.0
        self._scale: FloatArray = phi**_POWER * float(phi**2 @ pairs.size) ** (2 - _POWER)
        square, first = self._scale, phi * one
        self._scales: FloatArray = np.zeros(len(pairs.kind))
        self._scales[self._held] = square[self._kind]
        prior = np.diag(square) - np.outer(square * one, square * one) / (square @ pairs.size)
        chance = np.diag(phi) - np.outer(first, first)
        whitened = matrix / root
        spread = whitened.T @ prior @ whitened
        # Leave out the direction of all records, along which nothing is unknown.
        direction = root * one
        values, vectors = np.linalg.eigh(spread - 2.0 * np.outer(direction, direction) * np.trace(spread))
        self._spread, vectors = np.maximum(values[1:], 0.0), vectors[:, 1:]
        self._whiten = vectors / root[:, None]
        self._by_tau, self._by_chance = prior @ whitened @ vectors, chance @ whitened @ vectors
        crowd = np.flatnonzero(pairs.size > 1)
        self._crowd, self._dimension = crowd, np.concatenate([np.ones(len(phi) - 1), pairs.size[crowd] - 1])
        self._kurtosis = np.concatenate([(vectors**4).T @ (1 / (phi * pairs.size)), 1 / phi[crowd]])
        # Within a kind: T is a multiple of the identity.
        self._spread_within = square / phi * self._kept**2
        self._ratio = square / phi
        self.taus: FloatArray = np.geomspace(
            _FINEST, max(1 / float(np.sqrt(square.min())), 2 * _FINEST), _STEPS
        )

    def published(self, members: FloatArray) -> FloatArray:
        """Return how likely a record with each value is published with one of a set.

        Shape (sets, values) in and out. A value that is published nowhere has 0.
        """
        own = members[:, self._held]
        taken = (self._by_kind(own) @ self._taken.T)[:, self._kind] + self._kept[self._kind] * own
        found = np.zeros_like(members)
        found[:, self._held] = taken
        return found

    def transmitted(self, counts: FloatArray) -> FloatArray:
        """Return x T, the expected published counts of true ones, shape (predicates, values) in and out."""
        own = counts[:, self._held]
        found = np.zeros_like(counts)
        kinds = self._by_kind(own) @ self._taken
        found[:, self._held] = kinds[:, self._kind] + self._kept[self._kind] * own
        return found

    def learn(self, published: FloatArray) -> Learned:
        """Learn the compositions of predicates.

        Parameters
        ----------
        published
            y, shape (predicates, values).
        """
        n = published.sum(axis=1)
        share = np.maximum(1 - n / self.rows, 1e-9)
        residual = published[:, self._held] - n[:, None] * self.share[self._held]
        split, within = self._split(residual)
        between = split @ self._whiten
        # The likelihood of tau, each part weighted by how far the square of a sparse count is from normal.
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
        return self._averaged(n, share, between, within, posterior)

    def _averaged(
        self, n: FloatArray, share: FloatArray, between: FloatArray, within: FloatArray, posterior: FloatArray
    ) -> Learned:
        """Average over tau, and return what follows for each value's true count."""
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
                own = (strength * self._ratio[crowd] + share[:, None]) * self._kept[crowd]
                part = weight[:, None] * own / (share[:, None] + strength * self._spread_within[crowd])
                inner[:, crowd] += part
                known[:, crowd] += part * own * phi[crowd]
        kinds = (by_tau * between) @ self._by_tau.T + (by_chance * between) @ self._by_chance.T
        mean, variance = np.zeros((len(n), len(self.share))), np.zeros((len(n), len(self.share)))
        mean[:, self._held] = (
            n[:, None] * self.share[self._held]
            + (kinds / self._root)[:, self._kind]
            + inner[:, self._kind] * within
        )
        # The prior variance less what is known; a value is a coordinate of its kind and of what is within it.
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
        variance[:, self._held] = (n[:, None] * np.maximum(prior - known, 0.0))[:, self._kind]
        return Learned(
            total=n,
            share=share,
            posterior=posterior,
            strength=strength,
            by_tau=by_tau,
            by_chance=by_chance,
            within=inner,
            mean=mean,
            variance=variance,
        )

    def solved_for(self, learned: Learned, which: IntArray, weights: FloatArray) -> FloatArray:
        """Return the weights of published counts in the mean of weighted sums of true counts.

        Parameters
        ----------
        learned, which
            The predicates, and that of each sum.
        weights
            Of each value, shape (sums, values), as the result.

        Notes
        -----
        S^-1 T^T B, averaged over tau: the mean is n phi . weights + (y - n phi) . result.
        """
        split, inner = self._split(weights[:, self._held])
        between = learned.by_tau[which] * (split @ self._by_tau)
        between += learned.by_chance[which] * (split @ self._by_chance)
        kinds = (between @ self._whiten.T) / self._root
        found = np.zeros_like(weights)
        found[:, self._held] = kinds[:, self._kind] + learned.within[which][:, self._kind] * inner
        return found

    def prior(
        self, learned: Learned, which: IntArray, weights: FloatArray, some: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return what the prior says of weighted sums of the true counts of some values, given their total.

        Parameters
        ----------
        learned, which
            The predicates, and that of each sum.
        weights
            Of each value, shape (sums, values).
        some
            1 for the values, 0 for others.

        Returns
        -------
        tuple
            By how much a sum rises with the total, and its variance.
        """
        n, share, strength = learned.total[which], learned.share[which], learned.strength[which]
        spread = some * (strength[:, None] * self._scales + share[:, None] * self.share)
        total = spread.sum(axis=1)
        slope = np.divide((spread * weights).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
        return slope, n * (spread * (weights - slope[:, None]) ** 2).sum(axis=1)

    def _by_kind(self, values: FloatArray) -> FloatArray:
        """Sum over the values of each kind, shape (vectors, held values) to (vectors, kinds)."""
        if len(self._phi) == values.shape[1]:
            return values[:, self._order]
        return np.asarray(np.add.reduceat(values[:, self._order], self._starts, axis=1))

    def _split(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Split vectors into coordinates by kind and the rest within kinds."""
        sums = self._by_kind(values)
        return sums / self._root, values - (sums / self._size)[:, self._kind]


def noise(counts: FloatArray, sent: FloatArray, weights: FloatArray, pushed: FloatArray) -> FloatArray:
    """Return the variance of weighted sums of published counts at fixed true counts.

    Parameters
    ----------
    counts, sent
        The true counts x, shape (sums, values), and x T: `Composition.transmitted` of them.
    weights, pushed
        w of the published counts, and T w: `Composition.published` of them.
    """
    return np.asarray(np.maximum((sent * weights**2 - counts * pushed**2).sum(axis=1), 0.0))
