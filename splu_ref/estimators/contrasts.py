"""Counts by several sensitive columns, centered: what no column shows alone, and how estimates scatter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from splu_ref.estimators.moments import FloatArray

LEAST = 1e-6
"""D up to which a column is taken to say nothing about a value."""


class Side(NamedTuple):
    """One sensitive column.

    Attributes
    ----------
    share
        f'/N, shape (values,).
    gained
        a, the probability that a record without a value publishes it, shape (values,).
    spread
        D = p - a, shape (values,). Where it is not positive, the column says nothing about the value.
    """

    share: FloatArray
    gained: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, share: FloatArray, retention: float) -> Side:
        """Return the side of a column with these shares."""
        gained = share * (1 - retention) / np.maximum(1 - share, np.finfo(np.float64).eps)
        return cls(share, gained, retention - gained)

    @property
    def known(self) -> FloatArray:
        """Return 1 for values of which the column tells something, else 0."""
        return (self.spread > LEAST).astype(np.float64)

    @property
    def inverse(self) -> FloatArray:
        """Return 1/D, or 0 where nothing is told."""
        known = self.known
        return known / np.where(known > 0, self.spread, 1.0)

    def published(self, margin: FloatArray) -> FloatArray:
        """Return what shares are expected to be published of records with this margin."""
        expected = np.maximum(self.gained + self.spread * margin / max(float(margin.sum()), LEAST), 0.0)
        return np.asarray(expected / expected.sum())

    @property
    def squares(self) -> FloatArray:
        """Return the squares of the weights of single values, shape (published values, values)."""
        inverse = self.inverse
        return np.asarray((np.diag(inverse) - self.share * inverse) ** 2)

    def weights(self, members: FloatArray) -> FloatArray:
        """Return the weights whose sum estimates a set's centered count, shape (published values,)."""
        inverse = members * self.inverse
        return np.asarray(inverse - self.share @ inverse)


def contrast_noise(
    count: float, published: Sequence[FloatArray], square: Sequence[FloatArray], own: Sequence[FloatArray]
) -> FloatArray:
    """Return the variance of interactions.

    Parameters
    ----------
    count
        n.
    published
        The expected published shares of each column.
    square
        Squares of the centered weights of each column, shape (published values, estimates).
    own
        f (1 - f) of what each estimate counts of each column, shape (estimates,).

    Notes
    -----
    n records with independent products of weights: n E(squares) less what the true values account for. That
    is a little too much, because decoys are drawn without replacement.
    """
    drawn = [shares @ weights for shares, weights in zip(published, square, strict=True)]
    return np.asarray(np.maximum(count * (outer(drawn) - outer(own)), 0.0))


def outer(vectors: Sequence[FloatArray]) -> FloatArray:
    """Return the product of one entry of each vector, for all entries."""
    product = np.ones(())
    for vector in vectors:
        product = np.multiply.outer(product, vector)
    return np.asarray(product)


def centered(table: FloatArray, shares: Sequence[FloatArray]) -> FloatArray:
    """Return the table less what its margins say: for each column, f times the sum over that column."""
    for axis, share in enumerate(shares):
        shape = [1] * table.ndim
        shape[axis] = -1
        table = table - share.reshape(shape) * table.sum(axis=axis, keepdims=True)
    return table
