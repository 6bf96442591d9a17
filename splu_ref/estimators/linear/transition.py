"""Transition matrices in floating point, for many queries at once, and the exact error of the closed form.

Value by value, T[u, v] is the probability that a record with value u is published with v: p if they are
equal, otherwise c(u, v) (1-p)/((gamma-1) f_u), where c(u, v) groups of the plan hold both values (claim
splu.M1c). The plan is secret. An analyst knows the published histogram f', unbiased for f, and the method of
the plan, so c is estimated by applying the method to f'.

Several columns: with an independent plan, order and draws for each, a record's values move independently
given the true ones, so the transition on the product of the domains is the Kronecker product of the columns'
matrices (claim splu.Kc). Its size is the square of the product of all domain sizes; it is applied column by
column and never formed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np

from splu_ref.channels import InputError, PublishedCount
from splu_ref.mechanisms import CoOccurrence, FloatArray, SpluGen, expected_co_occurrence, within_bound
from splu_ref.randomness import IntArray, SystemSource

MOST_VALUES = 5_000
"""Size of the largest domain whose matrix is computed; it takes 200 MB."""

LEAST_CONTRAST = 1e-9
"""Smallest contrast D of a set; smaller ones are rounding."""


def decoy_probability(law: PublishedCount) -> float:
    """Return q = (1 - p)/(gamma - 1), the probability of taking a given decoy, in double precision."""
    return (1 - float(law.retention)) / (law.gamma - 1)


def gain_probability(frequency: FloatArray, rows: float, retention: FloatArray | float) -> FloatArray:
    """Return a = f (1 - b)/(N - f), the probability that a record without the values is published with one.

    a preserves the mean, E f' = f; for a single value it is the exact average over the records without it.
    """
    return np.asarray(frequency * (1 - retention) / np.maximum(rows - frequency, 1.0))


def published_co_occurrence(f_published: IntArray, mechanism: SpluGen) -> FloatArray:
    """Return the co-occurrence c(u, v) estimated from the published histogram.

    Parameters
    ----------
    f_published
        Published frequencies, shape (values,).
    mechanism
        The mechanism that published them, with the method of its plan.

    Returns
    -------
    FloatArray
        Shape (values, values), with the frequencies used on the diagonal. For ``mixed`` the expectation over
        the secret plan. For ``anatomy`` and ``cyclic`` the plan of f', which can differ much from that of f,
        because their groups depend on small differences between frequencies.

    Notes
    -----
    A published frequency above N/gamma is lowered to it first (``within_bound``).

    Raises
    ------
    InputError
        If fewer than gamma values are published, or more than `MOST_VALUES` belong to the domain.
    """
    gamma = mechanism.gamma
    if len(f_published) > MOST_VALUES:
        raise InputError(
            f"the column has {len(f_published)} values, and a matrix of more than {MOST_VALUES} is too "
            "large: ask for single values by --method shrunk or exact"
        )
    occurring = int(np.count_nonzero(f_published))
    if occurring < gamma:
        raise InputError(
            f"{occurring} values are published, fewer than gamma = {gamma}: too few to estimate the "
            "decoy groups: ask for single values by --method shrunk or exact"
        )
    if mechanism.plan == "mixed":
        return expected_co_occurrence(f_published, gamma)
    plan = mechanism.decoys(rounded_to_sum(within_bound(f_published, gamma)), gamma, SystemSource())
    counted = CoOccurrence(plan)
    return np.array([counted.row(value) for value in range(len(f_published))], dtype=np.float64)


def rounded_to_sum(frequencies: FloatArray) -> IntArray:
    """Round to integers with the same sum, none above the integer bound."""
    floor = np.floor(frequencies + 1e-9).astype(np.int64)
    missing = round(float(frequencies.sum())) - int(floor.sum())
    floor[np.argsort(floor - frequencies, kind="stable")[:missing]] += 1
    return floor


def value_matrix(co_occurrence: FloatArray, law: PublishedCount) -> FloatArray:
    """Return T, shape (values, values), rows true and columns published values.

    The row of a value with frequency 0 is a unit vector, so that T stays invertible.
    """
    frequencies = np.diag(co_occurrence)
    occurring = frequencies > 0
    matrix = np.zeros_like(co_occurrence)
    matrix[occurring] = co_occurrence[occurring] * (decoy_probability(law) / frequencies[occurring, None])
    np.fill_diagonal(matrix, np.where(occurring, float(law.retention), 1.0))
    return matrix


def set_matrix(co_occurrence: FloatArray, members: FloatArray, law: PublishedCount) -> FloatArray:
    """Return the corrected two-state matrix [[1-a, a], [1-b, b]] of a set of values, or of several sets.

    Parameters
    ----------
    co_occurrence
        c(u, v), shape (values, values).
    members
        1 for the values of a set, 0 for the others, shape (..., values).
    law
        gamma and p.

    Returns
    -------
    FloatArray
        Shape (..., 2, 2).

    Notes
    -----
    b is the average over the records with a value of the set; a is `gain_probability`. For a single value b
    = p.
    """
    frequencies = np.diag(co_occurrence)
    inside = np.asarray(members @ frequencies)
    gain = ((members * frequencies) @ value_matrix(co_occurrence, law) * members).sum(axis=-1)
    keep = float(law.retention)
    retention = np.divide(gain, inside, out=np.full_like(inside, keep), where=inside > 0)
    return two_state_matrices(gain_probability(inside, frequencies.sum(), retention), retention)


def two_state_matrices(gain_probability: FloatArray, retention: FloatArray) -> FloatArray:
    """Return [[1-a, a], [1-b, b]] for many a and b of one shape, shape (..., 2, 2)."""
    rows = [np.stack([1 - gain, gain], axis=-1) for gain in (gain_probability, retention)]
    return np.stack(rows, axis=-2)


def apply_by_mode(counts: FloatArray, factors: Sequence[FloatArray]) -> FloatArray:
    """Multiply row vectors by a Kronecker product of matrices.

    Parameters
    ----------
    counts
        Shape (vectors, d_1, ..., d_w).
    factors
        One matrix per mode, of shape (d_i, e_i), or (vectors, d_i, e_i) if each vector has its own.

    Returns
    -------
    FloatArray
        out[k, v_1, ..., v_w] = sum over u of counts[k, u_1, ..., u_w] times the product of F_i[u_i, v_i].
    """
    out = counts
    for mode, factor in enumerate(factors, start=1):
        moved = np.moveaxis(out, mode, -1)
        rows = moved.reshape(len(moved), -1, moved.shape[-1]) @ factor
        out = np.moveaxis(rows.reshape(*moved.shape[:-1], -1), -1, mode)
    return out


def contract(table: FloatArray, vectors: Sequence[FloatArray]) -> float:
    """Return the sum over all cells of the cell times the product of its coordinates' weights."""
    left = table
    for vector in vectors:
        left = np.tensordot(vector, left, axes=([0], [0]))
    return float(left)


def transposed(factors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the factors of the transposed Kronecker product."""
    return [np.swapaxes(factor, -1, -2) for factor in factors]


def inverses(factors: Sequence[FloatArray]) -> list[FloatArray]:
    """Return the factors of the inverse, which is the Kronecker product of the inverses."""
    return [np.asarray(np.linalg.inv(factor), dtype=np.float64) for factor in factors]


NORMAL_95 = Fraction("1.959963984540054")
"""The number of standard errors of the specification, as a fraction."""


@dataclass(frozen=True)
class ConjunctionEstimate:
    """The error of the estimate of a conjunction by the closed form.

    Notes
    -----
    ``splu_ref/spec/estimates.py``, the method exact.
    """

    y3: int
    f_published: int
    predicate_count: int
    rows: int
    law: PublishedCount

    @cached_property
    def _contrast(self) -> Fraction:
        """D = p - a, above 0."""
        p = self.law.retention
        return p - self.f_published * (1 - p) / (self.rows - self.f_published)

    @cached_property
    def unclipped(self) -> Fraction:
        """(y3 - n a)/D, which may lie outside 0 .. n."""
        gain_probability = self.law.retention - self._contrast
        return (self.y3 - self.predicate_count * gain_probability) / self._contrast

    def variance(self, count: Fraction | int) -> Fraction:
        """Return the variance of the estimate where the true count is ``count``, 0 .. n."""
        p, n, rows = self.law.retention, self.predicate_count, self.rows
        q = (1 - p) / (self.law.gamma - 1)
        own, other = p * (1 - p), q * (1 - q)
        frequency = max(Fraction(self.f_published), Fraction(count))
        places = max(rows - frequency, Fraction(1))
        beside = min(frequency * (self.law.gamma - 1), places)
        share = beside / places
        drawn = min(n - Fraction(count), places)
        exposed = drawn * share
        scatter = q**2 * exposed * (1 - share) * (places - drawn) / max(places - 1, Fraction(1))
        inside = count * own + exposed * other + scatter
        outside = (frequency - count) * own + (beside - exposed) * other + scatter
        g1 = (count - n) * (1 - p) * rows / (rows - self.f_published) ** 2 / self._contrast
        g3 = 1 / self._contrast + g1
        return max(g3**2 * inside + g1**2 * outside - 2 * g1 * g3 * scatter, Fraction(0))

    def holds(self, count: int) -> bool:
        """Return whether the 95 % interval holds a whole number in 0 .. n."""
        beyond = abs(self.unclipped - count) - 1 / (2 * self._contrast)
        return beyond <= 0 or beyond**2 <= NORMAL_95**2 * self.variance(count)

    def integer_interval(self) -> tuple[int, int] | None:
        """Return the ends of the 95 % interval in whole numbers, or None.

        There is no interval if neither whole number next to the clipped estimate is accepted.

        The accepted numbers may have a gap. If 0 or n is accepted, the interval extends to it across the gap,
        which can only increase the coverage. Accepted numbers between two gaps are left out.
        """
        clipped = min(max(self.unclipped, Fraction(0)), Fraction(self.predicate_count))
        below, above = floor(clipped), ceil(clipped)
        occurring = [count for count in (below, above) if self.holds(count)]
        if not occurring:
            return None
        low = 0 if self.holds(0) else occurring[0]
        high = self.predicate_count if self.holds(self.predicate_count) else occurring[-1]
        while low > 0 and self.holds(low - 1):
            low -= 1
        while high < self.predicate_count and self.holds(high + 1):
            high += 1
        return low, high
