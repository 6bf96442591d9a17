"""The co-occurrence that the mixed plan has on average, from the frequencies alone.

Under the uniform law over all valid plans, all groups have the same law, in which the value v has the chance
gamma f_v / N to stand. The law of largest entropy with these chances is put in its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from splu_ref.channels import Gamma, ParameterError
from splu_ref.mechanisms.plans.conditional_poisson import FloatArray, fitted, odds_by_kind, pair_probabilities
from splu_ref.randomness import IntArray

_CERTAIN = 1 - 1e-12
"""From here on a chance is 1: a frequency that is N / gamma but for rounding."""

_DIGITS = 9
"""Decimals to which frequencies of one kind agree."""


def expected_co_occurrence(frequencies: ArrayLike, gamma: Gamma) -> FloatArray:
    """Return how many groups of the mixed plan are expected to hold both of two values.

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
        c(u, v), shape (values, values), symmetric; c(u, u) = f_u, and a row sums to gamma f_u. How far these
        are from the uniform law over all plans is said by claim splu.TRI.

    Raises
    ------
    ParameterError
        For what are no frequencies, or if fewer than gamma values occur.
    """
    held = within_bound(frequencies, gamma)
    groups = float(held.sum()) / gamma
    chances = held / groups
    certain = chances >= _CERTAIN
    drawn = np.flatnonzero((chances > 0) & ~certain)
    # A value in every group is with another one as often as that occurs.
    together = np.where(certain[:, np.newaxis], chances, 0.0)
    together = np.maximum(together, together.T)
    size = gamma - int(certain.sum())
    if len(drawn) and size:
        independent = fitted(chances[drawn] * (size / chances[drawn].sum()), size)
        together[np.ix_(drawn, drawn)] = pair_probabilities(independent, size)
    np.fill_diagonal(together, chances)
    expected: FloatArray = groups * together
    return expected


class ExpectedPairs(NamedTuple):
    """The same co-occurrence for a large domain: values of one frequency are alike.

    Attributes
    ----------
    kind
        The kind of each value, shape (values,), -1 for a value that does not occur.
    frequency
        Their mean frequency by kind, ascending, shape (kinds,).
    size
        How many values are of each kind, shape (kinds,).
    together
        c(u, v) of two different values by their kinds, shape (kinds, kinds); 0 on the diagonal where a kind
        has one value.
    """

    kind: IntArray
    frequency: FloatArray
    size: FloatArray
    together: FloatArray


def expected_pairs(frequencies: ArrayLike, gamma: Gamma) -> ExpectedPairs:
    """Return what `expected_co_occurrence` does, by kinds of values, of which there are at most sqrt(2N).

    Two values with the odds o_u, o_v of independent inclusion trade places in a set: P(u in, v out) o_v =
    P(v in, u out) o_u. So P(both) = (o_u P(v in) - o_v P(u in))/(o_u - o_v), and for values of one kind it is
    what is left of the gamma - 1 others of a group.

    Raises
    ------
    ParameterError
        As for `expected_co_occurrence`.
    """
    held = within_bound(frequencies, gamma)
    groups = float(held.sum()) / gamma
    occurring = np.flatnonzero(held > 0)
    _, place, size = np.unique(np.round(held[occurring], _DIGITS), return_inverse=True, return_counts=True)
    kind = np.full(len(held), -1, dtype=np.int64)
    kind[occurring] = place
    # The mean, not the rounded number: N / gamma stays a chance of 1, and the chances add up to gamma.
    frequency = np.bincount(place, weights=held[occurring]) / size
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
    """Return the frequencies, none of them above the gamma-th part of their sum N.

    No table with a frequency above N / gamma can be published, but an estimate may be above it. It is lowered
    to N / gamma, and what is left is spread over the other values in proportion, so that the sum is kept.

    Parameters
    ----------
    frequencies
        None below 0, at least gamma above 0, shape (values,).
    gamma
        Size of a group.

    Raises
    ------
    ParameterError
        For what are no such frequencies.
    """
    held = np.array(frequencies, dtype=np.float64)
    if held.ndim != 1 or not np.isfinite(held).all() or (held < 0).any():
        raise ParameterError("frequencies are finite numbers of at least 0, one for each value")
    if np.count_nonzero(held) < gamma:
        raise ParameterError(f"fewer than gamma = {gamma} values occur: give the frequencies of all values")
    records = held.sum()
    bound = records / gamma
    full = np.zeros(len(held), dtype=np.bool_)
    while (held[~full] > bound).any():
        full |= held > bound
        held[full] = bound
        free = held[~full]
        # Once gamma values are full nothing is left but rounding, for values that may all be 0.
        left = max(records - bound * full.sum(), 0.0)
        held[~full] = free * (left / free.sum()) if free.any() else 0.0
    return held
