"""Who of a group has which of its values: posteriors by permanents, all groups at once.

The same as `splu_ref.audit.attacks.assignment.exact_posteriors`, in doubles.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels.parameters import ParameterError

Matrices: TypeAlias = NDArray[np.float64]
"""By group, record and value: shape (groups, gamma, gamma)."""
LARGEST = 12
"""Largest gamma: work grows with gamma 2^gamma."""
SMALL = 1e-250
"""Permanents below this are computed by logarithms, before they vanish."""


def assignment_posteriors(likelihoods: Matrices) -> Matrices:
    """Return the probability that each record of each group has each of the group's values.

    Parameters
    ----------
    likelihoods
        Numbers above 0; a row may be multiplied by anything.

    Returns
    -------
    Matrices
        Rows and columns sum to 1.

    Raises
    ------
    ParameterError
        If gamma is above 12.

    Notes
    -----
    Sums over the sets of values that the first i records take: the permanent of the first i rows within a
    set, and of the other rows within the rest, joined at L[i][j]. Exact up to the rounding of doubles; all
    terms are positive, so that nothing cancels.
    """
    gamma = likelihoods.shape[1]
    if gamma > LARGEST:
        raise ParameterError(f"groups of {gamma}: assignments are summed for groups of at most {LARGEST}")
    scaled = likelihoods / likelihoods.max(axis=2, keepdims=True)
    first = _taken(scaled)
    last = _taken(scaled[:, ::-1])
    every = 2**gamma - 1
    posteriors = np.zeros_like(scaled)
    for subset in range(every + 1):
        record = subset.bit_count()
        for value in range(gamma if record < gamma else 0):
            if not subset >> value & 1:
                rest = every & ~subset & ~(1 << value)
                posteriors[:, record, value] += first[subset] * scaled[:, record, value] * last[rest]
    sums = posteriors.sum(axis=2, keepdims=True)
    small = np.flatnonzero((sums < SMALL).any(axis=(1, 2)))
    posteriors /= np.maximum(sums, SMALL)
    if len(small):
        posteriors[small] = _by_logarithms(np.log(scaled[small]))
    return np.asarray(posteriors)


def _by_logarithms(likelihoods: Matrices) -> Matrices:
    """Return the posteriors of groups whose permanents are too small for doubles, from logarithms."""
    groups, gamma, _ = likelihoods.shape

    def taken(rows: Matrices) -> NDArray[np.float64]:
        permanents = np.full((2**gamma, groups), -np.inf)
        permanents[0] = 0.0
        for subset in range(1, 2**gamma):
            record = subset.bit_count() - 1
            for value in range(gamma):
                if subset >> value & 1:
                    through = permanents[subset ^ (1 << value)] + rows[:, record, value]
                    permanents[subset] = np.logaddexp(permanents[subset], through)
        return permanents

    first, last = taken(likelihoods), taken(likelihoods[:, ::-1])
    every = 2**gamma - 1
    logs = np.full_like(likelihoods, -np.inf)
    for subset in range(every):
        record = subset.bit_count()
        for value in range(gamma):
            if not subset >> value & 1:
                through = (
                    first[subset] + likelihoods[:, record, value] + last[every & ~subset & ~(1 << value)]
                )
                logs[:, record, value] = np.logaddexp(logs[:, record, value], through)
    weights = np.exp(logs - logs.max(axis=2, keepdims=True))
    return np.asarray(weights / weights.sum(axis=2, keepdims=True))


def _taken(likelihoods: Matrices) -> NDArray[np.float64]:
    """Return by set of values the permanent of as many first rows within it, shape (2^gamma, groups)."""
    groups, gamma, _ = likelihoods.shape
    permanents = np.zeros((2**gamma, groups))
    permanents[0] = 1.0
    for subset in range(1, 2**gamma):
        record = subset.bit_count() - 1
        for value in range(gamma):
            if subset >> value & 1:
                permanents[subset] += permanents[subset ^ (1 << value)] * likelihoods[:, record, value]
    return permanents
