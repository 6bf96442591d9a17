"""Linear estimates from the per-value matrix: their variance, and unbiased estimates by the inverse.

With T from the plan's co-occurrence, E y = n T for the counts n_w of a predicate by value (claim splu.M1c).
So y T^-1 is unbiased for any dependence between the predicate and the sensitive values, if T is known. It may
be negative and is not clipped, because clipping would bias it.

A linear estimate adds g(v) for each record of a predicate published with v, and h(v) for each other record.
Its variance has three sources: the draws within the groups, the places of the predicate's records among those
of their value, and the decoys of these places. The predicate's records have n_w of the f_w places of value w,
a simple random sample (claim splu.V).
"""

from __future__ import annotations

import numpy as np

from splu_ref.channels import InputError, PublishedCount
from splu_ref.estimators.linear.transition import decoy_probability, value_matrix
from splu_ref.mechanisms import FloatArray

_SINGULAR = 1e12
"""Condition number (2-norm) from which a matrix counts as singular."""


class LinearVariance:
    """Variances of linear estimates from one sensitive column."""

    def __init__(self, co_occurrence: FloatArray, law: PublishedCount) -> None:
        self.frequencies: FloatArray = np.diag(co_occurrence).copy()
        self.matrix = value_matrix(co_occurrence, law)
        positive = np.maximum(self.frequencies, 1.0)
        chance = np.minimum(co_occurrence / positive[:, None], 1.0)
        np.fill_diagonal(chance, 0.0)
        self._inclusion_variance = chance * (1 - chance)
        tiny = np.finfo(np.float64).tiny
        self._total = np.maximum(self._inclusion_variance.sum(axis=1), tiny)
        left = self._total - (self._inclusion_variance**2).sum(axis=1) / self._total
        self._scale = np.where(left > 0, self._total / np.maximum(left, tiny), 0.0)
        self._draw = decoy_probability(law) ** 2

    def between(self, weights: FloatArray) -> FloatArray:
        """Return, for each value w, the variance over its places of the mean weight of the decoys.

        Shape (values, estimates) in and out. The decoys of a place are treated as a maximum-entropy sample
        with given inclusion probabilities, with the approximate variance of Hajek (1964), scaled to the
        exact sum of the variances of all indicators. Exact for decoys of equal frequency.
        """
        square, plain = self._inclusion_variance @ weights**2, self._inclusion_variance @ weights
        scatter = np.maximum(square - plain**2 / self._total[:, None], 0.0)
        return np.asarray(self._draw * self._scale[:, None] * scatter)

    def within(self, weights: FloatArray) -> FloatArray:
        """Return, for each value w, the mean variance of one record's contribution given its place."""
        drawn = self.matrix @ weights**2 - (self.matrix @ weights) ** 2
        return np.maximum(drawn - self.between(weights), 0.0)

    def variance(self, inside: FloatArray, outside: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the variances of estimates."""
        frequencies = np.maximum(self.frequencies[:, None], counts)
        share = np.divide(counts, frequencies, out=np.zeros_like(counts), where=frequencies > 0)
        parts = (
            counts * self.within(inside)
            + (frequencies - counts) * self.within(outside)
            + counts * (1 - share) * self.between(inside - outside)
        )
        return np.asarray(parts.sum(axis=0))


class Inversion:
    """The inverse of one sensitive column's matrix, for any number of predicates.

    Parameters
    ----------
    co_occurrence
        c(u, v), shape (values, values): see `published_co_occurrence`.
    f_published
        Published frequencies, shape (values,).
    law
        gamma and p.

    Raises
    ------
    InputError
        If the matrix cannot be inverted, as with two values that share all their groups.

    Attributes
    ----------
    weights
        T^-1, shape (published value, true value): column v holds the weights whose sum estimates x_v.
    condition_number
        Of T on the values that occur, 2-norm: bound on the magnification of relative errors.
    """

    def __init__(self, co_occurrence: FloatArray, f_published: FloatArray, law: PublishedCount) -> None:
        self._linear_variance = LinearVariance(co_occurrence, law)
        self._published = np.asarray(f_published, dtype=np.float64)
        matrix = self._linear_variance.matrix
        occurring = np.flatnonzero(np.diag(co_occurrence) > 0)
        self.condition_number = float(np.linalg.cond(matrix[np.ix_(occurring, occurring)]))
        if not self.condition_number < _SINGULAR:
            raise InputError(
                "the transition matrix of this plan cannot be inverted, because some values share all their "
                "decoy groups, or one is published with N/gamma records or more: the count of a sensitive "
                "value alone stays estimable by --method mle, others by shrunk, or em for several sensitive "
                "columns"
            )
        self.weights: FloatArray = np.asarray(np.linalg.inv(matrix), dtype=np.float64)

    def estimates(self, published: FloatArray) -> FloatArray:
        """Return the estimates of all values, shape (predicates, values) in and out; some may be negative."""
        return np.asarray(published @ self.weights)

    def standard_errors(self, published: FloatArray, members: FloatArray) -> FloatArray:
        """Return the standard error of one estimate for each predicate.

        Parameters
        ----------
        published
            y, shape (predicates, values).
        members
            Which values are counted, 1 or 0, shape (predicates, values).

        Notes
        -----
        T is computed from f', whose variance is included. Because f T = f for every f, f dT w = df (w - 1_S)
        for the weights w of a set S of values. For a predicate with n_w in proportion to f_w each record of
        the table thus adds -(n/N)(w - 1_S); this is used for every predicate. Where estimates of other
        values are negative, n_w is in proportion to the positive ones.
        """
        rows = float(self._published.sum())
        n = published.sum(axis=1)
        weights = self.weights @ members.T
        shared = n / rows * (weights - members.T)
        counts = np.maximum(self.estimates(published), 0.0)
        counts *= np.divide(n, counts.sum(axis=1), out=np.zeros_like(n), where=n > 0)[:, None]
        return np.sqrt(self._linear_variance.variance(weights - shared, -shared, counts.T))
