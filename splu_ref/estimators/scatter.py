"""The variance of any linear estimate, value by value.

An estimate that adds g(v) for each record of a predicate published with v, and h(v) for each other record,
scatters for three reasons: draws within the groups, which places the predicate's records have among those of
their value, and which decoys these places have. With random places within each value, n_w of the f_w places
of value w belong to the predicate, a simple random sample (claim splu.V).
"""

from __future__ import annotations

import numpy as np

from splu_ref.estimators.moments import FloatArray, other_draw
from splu_ref.estimators.transition import value_matrix
from splu_ref.model import Exact, Gamma, retention_probability


class Scatter:
    """Variances of linear estimates from one sensitive column.

    Parameters
    ----------
    co_occurrence
        c(u, v), shape (values, values), with the frequencies f on the diagonal.
    gamma, retention
        Size of a decoy group, and p.
    """

    def __init__(self, co_occurrence: FloatArray, gamma: Exact, retention: Exact | None = None) -> None:
        self.frequencies: FloatArray = np.diag(co_occurrence).copy()
        self.matrix = value_matrix(co_occurrence, gamma, retention)
        held = np.maximum(self.frequencies, 1.0)
        chance = np.minimum(co_occurrence / held[:, None], 1.0)
        np.fill_diagonal(chance, 0.0)
        self._decoys = chance * (1 - chance)
        tiny = np.finfo(np.float64).tiny
        self._spread = np.maximum(self._decoys.sum(axis=1), tiny)
        left = self._spread - (self._decoys**2).sum(axis=1) / self._spread
        self._scale = np.where(left > 0, self._spread / np.maximum(left, tiny), 0.0)
        self._draw = other_draw(float(retention_probability(retention, Gamma(gamma))), Gamma(gamma)) ** 2

    def between(self, weights: FloatArray) -> FloatArray:
        """Return, for each value w, the variance over its places of the mean of ``weights`` beside it.

        Shape (values, estimates) in and out. The decoys of a place are taken as a sample with given inclusion
        probabilities and the largest entropy, whose variance is approximately that of Hajek (1964), scaled
        so that the variances of all indicators add up to what they are. Exact for decoys of equal frequency.
        """
        square, plain = self._decoys @ weights**2, self._decoys @ weights
        scatter = np.maximum(square - plain**2 / self._spread[:, None], 0.0)
        return np.asarray(self._draw * self._scale[:, None] * scatter)

    def within(self, weights: FloatArray) -> FloatArray:
        """Return, for each value w, the variance of one record's contribution given its place, on average."""
        drawn = self.matrix @ weights**2 - (self.matrix @ weights) ** 2
        return np.maximum(drawn - self.between(weights), 0.0)

    def variance(self, inside: FloatArray, outside: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the variances of estimates.

        Parameters
        ----------
        inside, outside
            g and h, shape (values, estimates).
        counts
            n_w, the records of each estimate's predicate by true value, or what stands for them, shape
            (values, estimates).

        Returns
        -------
        FloatArray
            Shape (estimates,): sum over w of n_w within(g) + (f_w - n_w) within(h) + n_w (1 - n_w/f_w)
            between(g - h).
        """
        frequencies = np.maximum(self.frequencies[:, None], counts)
        share = np.divide(counts, frequencies, out=np.zeros_like(counts), where=frequencies > 0)
        parts = (
            counts * self.within(inside)
            + (frequencies - counts) * self.within(outside)
            + counts * (1 - share) * self.between(inside - outside)
        )
        return np.asarray(parts.sum(axis=0))
