"""The expected co-occurrence of values in the mixed plan, from their frequencies.

Under the uniform law over all valid plans, all groups have the same law, and a group contains the value v
with probability gamma f_v / N. It is approximated by the law of largest entropy with these probabilities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from splu_ref.channels import Gamma, ParameterError
from splu_ref.mechanisms.plans.conditional_poisson import (
    FloatArray,
    fit_inclusion,
    odds_by_kind,
    pair_probabilities,
)
from splu_ref.randomness import IntArray

_CERTAIN = 1 - 1e-12
"""A probability from here on is taken as 1: the frequency is N / gamma up to rounding."""

_DIGITS = 9
"""Decimals to which the frequencies of one kind agree."""


def expected_co_occurrence(frequencies: ArrayLike, gamma: Gamma) -> FloatArray:
    """Return the expected number of groups of the mixed plan that contain both of two values.

    Parameters
    ----------
    frequencies
        True or estimated frequencies, whole or not, shape (values,); see :func:`within_bound` for estimates
        above N / gamma.
    gamma
        Size of a group.

    Returns
    -------
    NDArray
        c(u, v), shape (values, values), symmetric; c(u, u) = f_u, and a row sums to gamma f_u. Claim splu.TRI
        bounds the distance from the uniform law over all plans.

    Raises
    ------
    ParameterError
        If an entry is negative or not finite, or fewer than gamma values occur.
    """
    bounded = within_bound(frequencies, gamma)
    groups = float(bounded.sum()) / gamma
    chances = bounded / groups
    certain = chances >= _CERTAIN
    drawn = np.flatnonzero((chances > 0) & ~certain)
    # A value in every group co-occurs with another one as often as that one occurs.
    together = np.where(certain[:, np.newaxis], chances, 0.0)
    together = np.maximum(together, together.T)
    size = gamma - int(certain.sum())
    if len(drawn) and size:
        independent = fit_inclusion(chances[drawn] * (size / chances[drawn].sum()), size)
        together[np.ix_(drawn, drawn)] = pair_probabilities(independent, size)
    np.fill_diagonal(together, chances)
    expected: FloatArray = groups * together
    return expected


class ExpectedPairs(NamedTuple):
    """Expected co-occurrence for a large domain, by kinds of values with the same frequency."""

    kind: IntArray  #: kind of each value, shape (values,), -1 for a value that does not occur
    frequency: FloatArray  #: mean frequency of the values of each kind, ascending, shape (kinds,)
    size: FloatArray  #: number of values of each kind, shape (kinds,)
    #: c(u, v) of two different values by their kinds, shape (kinds, kinds); 0 on the diagonal for a kind of
    #: one value
    together: FloatArray


def expected_pairs(frequencies: ArrayLike, gamma: Gamma) -> ExpectedPairs:
    """Return the expected co-occurrence by kinds of values; there are at most sqrt(2N) kinds.

    Parameters and errors as for `expected_co_occurrence`.

    Notes
    -----
    For two values with odds o_u, o_v of independent inclusion, P(u in, v out) o_v = P(v in, u out) o_u. So
    P(both) = (o_u P(v in) - o_v P(u in))/(o_u - o_v). For two values of one kind it follows because the
    gamma - 1 other values of a group sum up to gamma - 1.
    """
    bounded = within_bound(frequencies, gamma)
    groups = float(bounded.sum()) / gamma
    occurring = np.flatnonzero(bounded > 0)
    _, place, size = np.unique(np.round(bounded[occurring], _DIGITS), return_inverse=True, return_counts=True)
    kind = np.full(len(bounded), -1, dtype=np.int64)
    kind[occurring] = place
    # The mean, not the rounded number: N / gamma remains a probability of 1, and the probabilities sum to
    # gamma.
    frequency = np.bincount(place, weights=bounded[occurring]) / size
    chances = frequency / groups
    certain = chances >= _CERTAIN
    chances[certain] = 1.0
    together = np.where(certain[:, np.newaxis], chances, 0.0)
    together = np.maximum(together, together.T)
    drawn = np.flatnonzero(~certain)
    others = gamma - int(size[certain].sum())
    if len(drawn) and others:
        own, many = chances[drawn], size[drawn].astype(np.float64)
        own = own * (others / (own @ many))
        odds = odds_by_kind(own, size[drawn], others)
        difference = odds[:, np.newaxis] - odds
        np.fill_diagonal(difference, 1.0)
        cross = np.outer(odds, own)
        pairs = np.maximum((cross - cross.T) / difference, 0.0)
        left = (others - 1) * own - pairs @ many  # the diagonal is 0
        np.fill_diagonal(pairs, np.maximum(left, 0.0) / np.maximum(many - 1, 1.0) * (many > 1))
        together[np.ix_(drawn, drawn)] = pairs
    single = size == 1
    together[single, single] = 0.0
    return ExpectedPairs(kind, frequency, size.astype(np.float64), groups * together)


def within_bound(frequencies: ArrayLike, gamma: Gamma) -> FloatArray:
    """Cap frequencies at N / gamma, N their sum, and preserve the sum.

    Tables with a frequency above N / gamma are not eligible, but an estimate may exceed this bound. It is
    lowered to the bound, and the excess is distributed over the other values in proportion.

    Parameters
    ----------
    frequencies
        Finite numbers of at least 0, at least gamma of them positive, shape (values,).
    gamma
        Size of a group.

    Returns
    -------
    NDArray
        Shape of ``frequencies``.

    Raises
    ------
    ParameterError
        If an entry is negative or not finite, or fewer than gamma values occur.
    """
    bounded = np.array(frequencies, dtype=np.float64)
    if bounded.ndim != 1 or not np.isfinite(bounded).all() or (bounded < 0).any():
        raise ParameterError("frequencies are finite numbers of at least 0, one for each value")
    if np.count_nonzero(bounded) < gamma:
        raise ParameterError(f"fewer than gamma = {gamma} values occur: give the frequencies of all values")
    records = bounded.sum()
    bound = records / gamma
    full = np.zeros(len(bounded), dtype=np.bool_)
    while (bounded[~full] > bound).any():
        full |= bounded > bound
        bounded[full] = bound
        free = bounded[~full]
        # With gamma values at the bound only rounding remains, for values that may all be 0.
        left = max(records - bound * full.sum(), 0.0)
        bounded[~full] = free * (left / free.sum()) if free.any() else 0.0
    return bounded
