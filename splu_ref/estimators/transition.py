"""How a sensitive column's values turn into published ones: the matrix of the transition, value by value.

T[u, v] is the probability that a record with value u is published with v: p if they are equal, otherwise
c(u, v) (1-p)/((gamma-1) f_u), where c(u, v) groups of the plan hold both values (claim splu.M1c). The plan
belongs to the publisher. What an analyst has is the published histogram f', unbiased for f, and the plan's
method; so c is what the method makes of f'.
"""

from __future__ import annotations

import numpy as np

from splu_ref.decoys import PLANS, CoOccurrence, expected_co_occurrence, within_bound
from splu_ref.estimators.moments import FloatArray
from splu_ref.model import Exact, Gamma, InputError, ParameterError, retention_probability
from splu_ref.randomness import IntArray, SystemSource

MOST_VALUES = 5_000
"""Values of the largest domain whose matrix is made: it takes 200 MB."""

LEAST_SPREAD = 1e-9
"""What D of a set must be at least: below, it is nothing but rounding."""


def published_co_occurrence(plan: str, f_published: IntArray, gamma: Exact) -> FloatArray:
    """Return c(u, v) as far as the published histogram tells it.

    Parameters
    ----------
    plan
        Name of the plan method.
    f_published
        Published frequencies, shape (values,).
    gamma
        Size of a decoy group.

    Returns
    -------
    FloatArray
        Shape (values, values), with the frequencies that the method was given on the diagonal. For ``mixed``
        the expectation over its secret. For ``anatomy`` and ``cyclic`` the plan of f', which can differ
        much from the plan of f: their groups depend on small differences between frequencies.

    Notes
    -----
    A published frequency above N/gamma is lowered to it first (``within_bound``).

    Raises
    ------
    InputError
        If fewer than gamma values are published, or more than `MOST_VALUES` belong to the domain.
    ParameterError
        For an unknown plan.
    """
    size = Gamma(gamma)
    if plan not in PLANS:
        raise ParameterError(f"plan {plan!r} is unknown: choose one of {', '.join(PLANS)}")
    if len(f_published) > MOST_VALUES:
        raise InputError(
            f"the column has {len(f_published)} values, and a matrix of more than {MOST_VALUES} is too "
            "large: ask for single values by --method shrunk or exact"
        )
    occurring = int(np.count_nonzero(f_published))
    if occurring < size:
        raise InputError(
            f"{occurring} values are published, fewer than gamma = {size}, which tells too little of the "
            "decoy groups: ask for single values by --method shrunk or exact"
        )
    if plan == "mixed":
        return np.asarray(expected_co_occurrence(f_published, size), dtype=np.float64)
    counted = CoOccurrence(PLANS[plan](_whole(within_bound(f_published, size)), size, SystemSource()))
    return np.array([counted.row(value) for value in range(len(f_published))], dtype=np.float64)


def _whole(frequencies: FloatArray) -> IntArray:
    """Round to whole numbers with the same sum; none rises above the bound, itself a whole number."""
    floor = np.floor(frequencies + 1e-9).astype(np.int64)
    missing = round(float(frequencies.sum())) - int(floor.sum())
    floor[np.argsort(floor - frequencies, kind="stable")[:missing]] += 1
    return floor


def value_matrix(co_occurrence: FloatArray, gamma: Exact, retention: Exact | None = None) -> FloatArray:
    """Return T, shape (values, values), rows true and columns published values.

    A value with frequency 0 keeps itself: it has no record, and its row does no more than keep T invertible.
    """
    size = Gamma(gamma)
    p = float(retention_probability(retention, size))
    frequencies = np.diag(co_occurrence)
    held = frequencies > 0
    matrix = np.zeros_like(co_occurrence)
    matrix[held] = co_occurrence[held] * ((1 - p) / (size - 1) / frequencies[held, None])
    np.fill_diagonal(matrix, np.where(held, p, 1.0))
    return matrix


def set_matrix(
    co_occurrence: FloatArray, members: FloatArray, gamma: Exact, retention: Exact | None = None
) -> FloatArray:
    """Return the corrected two-state matrix [[1-a, a], [1-b, b]] of a set of values, or of several sets.

    Parameters
    ----------
    co_occurrence
        c(u, v), shape (values, values).
    members
        1 for the values of a set, 0 for the others, shape (..., values).

    Returns
    -------
    FloatArray
        Shape (..., 2, 2).

    Notes
    -----
    b is the average over the records with a value of the set, and a = f (1-b)/(N-f), which keeps the mean:
    E f' = f for the set as for each value. For a single value b = p.
    """
    frequencies = np.diag(co_occurrence)
    inside = np.asarray(members @ frequencies)
    taken = ((members * frequencies) @ value_matrix(co_occurrence, gamma, retention) * members).sum(axis=-1)
    keep = float(retention_probability(retention, Gamma(gamma)))
    kept = np.divide(taken, inside, out=np.full_like(inside, keep), where=inside > 0)
    gained = inside * (1 - kept) / np.maximum(frequencies.sum() - inside, 1.0)
    return np.stack([np.stack([1 - gained, gained], axis=-1), np.stack([1 - kept, kept], axis=-1)], axis=-2)


def condition_number(matrix: FloatArray) -> float:
    """Return the ratio of the largest to the smallest singular value (2-norm); infinite if singular.

    It bounds how much solving with the matrix can magnify a relative error of the published counts.
    """
    return float(np.linalg.cond(matrix))
