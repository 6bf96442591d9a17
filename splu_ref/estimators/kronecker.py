"""Several sensitive columns: a Kronecker product of matrices, applied column by column and never formed.

With an independent plan, order and draws for each column, a record's values move independently given the
true ones, so the transition on the product of the domains is the Kronecker product of the columns' matrices
(claim splu.Kc). Its size is the square of the product of all domain sizes; one column at a time needs none
of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.transition import condition_number


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


def contracted(table: FloatArray, vectors: Sequence[FloatArray]) -> float:
    """Return the sum over all cells of the cell times the product of its coordinates' weights.

    Parameters
    ----------
    table
        Shape (d_1, ..., d_w).
    vectors
        One per mode, of shape (d_i,).
    """
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


def product_condition(factors: Sequence[FloatArray]) -> float:
    """Return the condition number (2-norm) of the whole: the product of the factors' own."""
    return prod(condition_number(factor) for factor in factors)
