"""The estimate by the inverse of the per-value matrix: unbiased for every predicate, related or not.

With T from the plan's co-occurrence, E y = n T for the counts n_w of a predicate by value (claim splu.M1c).
So y T^-1 is unbiased whatever the predicate has to do with the sensitive values, as far as T is known. It may
be negative and is not clipped: that is what keeps it unbiased.
"""

from __future__ import annotations

import numpy as np

from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.scatter import Scatter
from splu_ref.estimators.transition import condition_number
from splu_ref.model import Exact, InputError

_SINGULAR = 1e12


class Inversion:
    """The inverse of one sensitive column's matrix, for any number of predicates.

    Parameters
    ----------
    co_occurrence
        c(u, v), shape (values, values): see `published_co_occurrence`.
    f_published
        Published frequencies, shape (values,).
    gamma, retention
        Size of a decoy group; probability of keeping the own value, 1/gamma unless given.

    Raises
    ------
    InputError
        If the matrix cannot be inverted, as with two values that share all their groups.

    Attributes
    ----------
    weights
        T^-1, shape (published value, true value): column v holds the weights whose sum estimates x_v.
    condition_number
        Of T on the values that occur, 2-norm.
    """

    def __init__(
        self, co_occurrence: FloatArray, f_published: FloatArray, gamma: Exact, retention: Exact | None = None
    ) -> None:
        self._scatter = Scatter(co_occurrence, gamma, retention)
        self._published = np.asarray(f_published, dtype=np.float64)
        matrix = self._scatter.matrix
        occurring = np.flatnonzero(np.diag(co_occurrence) > 0)
        self.condition_number = condition_number(matrix[np.ix_(occurring, occurring)])
        if not self.condition_number < _SINGULAR:
            raise InputError(
                "the transition matrix of this plan cannot be inverted, because some values share all their "
                "decoy groups, or one is published with N/gamma records or more: use --method shrunk, or em "
                "for several sensitive columns"
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
        T is made from f', so f' scatters along. Because f T = f whatever f is, f dT w = df (w - 1_S) for the
        weights w of a set S of values; for a predicate with n_w in proportion to f_w, each record of the
        table thus adds -(n/N)(w - 1_S). That is taken for every predicate. Where estimates of other values
        are negative, n_w is taken in proportion to the positive ones.
        """
        rows = float(self._published.sum())
        n = published.sum(axis=1)
        weights = self.weights @ members.T
        shared = n / rows * (weights - members.T)
        counts = np.maximum(self.estimates(published), 0.0)
        counts *= np.divide(n, counts.sum(axis=1), out=np.zeros_like(n), where=n > 0)[:, None]
        return np.sqrt(self._scatter.variance(weights - shared, -shared, counts.T))


def inversion_estimates(
    published: FloatArray,
    f_published: FloatArray,
    co_occurrence: FloatArray,
    gamma: Exact,
    retention: Exact | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return the unbiased estimates of all values and their standard errors, shape (predicates, values).

    Parameters
    ----------
    published
        y, shape (predicates, values).
    f_published, co_occurrence, gamma, retention
        As for `Inversion`.
    """
    inversion = Inversion(co_occurrence, f_published, gamma, retention)
    errors = np.empty(published.shape)
    for value in range(published.shape[1]):
        members = np.zeros(published.shape)
        members[:, value] = 1.0
        errors[:, value] = inversion.standard_errors(published, members)
    return inversion.estimates(published), errors
