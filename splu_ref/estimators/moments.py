"""How the published counts of a conjunction scatter (claim splu.V), for any retention probability.

y3 of the n records of a predicate P are published with the value s, and y1 of the other records. x of the
n records carried s before publication, as did f of all N. Hypothesis H of the claim: the places of P's
records without s are a uniformly random subset of all places without s. A record with s keeps it with
probability p. K records of P without s have s among their decoys, hypergeometric under H, and each takes it
with probability q = (1 - p)/(gamma - 1).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from splu_ref.model import Gamma

FloatArray: TypeAlias = NDArray[np.float64]


class Moments(NamedTuple):
    """Variances of y3 and y1, and their covariance: arrays of one shape."""

    inside: FloatArray
    outside: FloatArray
    covariance: FloatArray

    def variance(self, inside_weight: ArrayLike, outside_weight: ArrayLike) -> FloatArray:
        """Return the variance of ``inside_weight * y3 + outside_weight * y1``."""
        g3, g1 = np.asarray(inside_weight), np.asarray(outside_weight)
        return np.asarray(g3 * g3 * self.inside + g1 * g1 * self.outside + 2 * g1 * g3 * self.covariance)


def other_draw(retention: float, gamma: Gamma) -> float:
    """Return q = (1 - p)/(gamma - 1): the probability of each other decoy."""
    return (1 - retention) / (gamma - 1)


def count_moments(
    count: FloatArray, predicate: FloatArray, frequency: FloatArray, rows: int, gamma: Gamma, retention: float
) -> Moments:
    """Return the moments of (y3, y1) under hypothesis H.

    Parameters
    ----------
    count, predicate, frequency
        x, n and f, arrays that broadcast; fractions are welcome, because estimates are put in their place.
        What no table can have (x > f, or more records than places) is read as the nearest that one can.
    rows
        N, at least 2.
    gamma, retention
        Size of a decoy group, and p.

    Notes
    -----
    Var y3 = x p(1-p) + E K q(1-q) + q^2 Var K, Var y1 likewise with what is left of the f(gamma-1) places
    beside s, Cov = -q^2 Var K, where K has n - x draws among N - f places, f(gamma-1) of them beside s. The
    formulas are exact; with p = 1/gamma they are those of claim splu.V.
    """
    q = other_draw(retention, gamma)
    own, other = retention * (1 - retention), q * (1 - q)
    places = np.maximum(rows - frequency, 1.0)
    beside = np.minimum(frequency * (gamma - 1), places)
    share = beside / places
    drawn = np.clip(predicate - count, 0.0, places)
    exposed = drawn * share
    scatter = q * q * exposed * (1 - share) * (places - drawn) / np.maximum(places - 1, 1.0)
    return Moments(
        count * own + exposed * other + scatter,
        np.maximum(frequency - count, 0.0) * own + np.maximum(beside - exposed, 0.0) * other + scatter,
        -scatter,
    )


def frequency_variance(frequency: FloatArray, gamma: Gamma, retention: float) -> FloatArray:
    """Return Var f' = f (p(1-p) + (gamma-1) q(1-q)): exact for every plan."""
    q = other_draw(retention, gamma)
    return np.asarray(frequency * (retention * (1 - retention) + (gamma - 1) * q * (1 - q)))
