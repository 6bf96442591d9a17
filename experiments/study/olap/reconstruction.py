"""Errors of reconstructed counts: records are perturbed, and all 2^k states estimated from what is left."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from experiments.study.pieces import Piece
from splu_proofs.olap.tables import Column, OlapTable, perturbed
from splu_ref.channels import inverse, retention
from splu_ref.estimators import apply_by_mode, most_likely
from splu_ref.estimators.linear.em import require_convergence
from splu_ref.estimators.linear.interior_point import settled
from splu_ref.estimators.linear.transition import inverses
from splu_ref.estimators.queries.record_states import EM_STEPS, IntegerWeights, Side, matrix, weighted
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray, UniformSource


def side(column: Column, keep: Fraction) -> Side:
    """Return the law of a column's predicate and the weights of its inverse."""
    channel = retention(keep, {True: column.share, False: 1 - column.share})
    weights = inverse(channel).weights
    low, high = (weights[published].get(True, Fraction(0)) for published in (False, True))
    return Side(channel, (low, high))


def errors(table: OlapTable, keep: Fraction, sizes: Sequence[int], runs: int, source: UniformSource) -> Piece:
    """Perturb a table ``runs`` times and reconstruct its first k columns, for each k of ``sizes``.

    Each value is kept with p, or drawn anew from the whole domain of its column, its true value included: one
    integer below w m is coin and replacement, p = u/w.

    Returns
    -------
    Piece
        By k: for each run the distances of vectors that sum to 1 from the true one, l1 of what was published
        (``randomized``), of the most likely counts (``iterative``) and of the inversion, and the squared l2
        of the inversion; and the exact expectation of the last.
    """
    columns = table.columns[: max(sizes)]
    true = _bits(table.values, columns)
    counts: dict[int, list[IntArray]] = {size: [] for size in sizes}
    for _ in range(runs):
        published = np.stack(
            [
                perturbed(values, column, keep, source)
                for values, column in zip(table.values, columns, strict=False)
            ]
        )
        bits = _bits(published, columns)
        for size in sizes:
            counts[size].append(states(bits[:size]))
    return {str(size): _distances(true[:size], counts[size], columns[:size], keep) for size in sizes}


def _bits(values: IntArray, columns: Sequence[Column]) -> IntArray:
    return np.stack(
        [
            ((row >= column.low) & (row <= column.high)).astype(np.int64)
            for row, column in zip(values, columns, strict=False)
        ]
    )


def states(bits: IntArray) -> IntArray:
    """Return how many records have each combination of bits, the first column's leftmost."""
    number = np.zeros(bits.shape[1], dtype=np.int64)
    for row in bits:
        number = 2 * number + row
    return np.bincount(number, minlength=2 ** len(bits)).astype(np.int64)


def _distances(
    bits: IntArray, published: Sequence[IntArray], columns: Sequence[Column], keep: Fraction
) -> Piece:
    shape = (-1, *[2] * len(columns))
    x, n = states(bits), bits.shape[1]
    sides = [side(column, keep) for column in columns]
    y: FloatArray = np.stack(published).astype(np.float64).reshape(shape)
    laws = [matrix(each.channel) for each in sides]
    solved = apply_by_mode(y, inverses(laws))
    likely = require_convergence(settled(most_likely(y, laws, limit=EM_STEPS), y, laws), "inversion")
    true = x.reshape(shape) / n

    def l1(estimate: FloatArray) -> list[float]:
        return [float(value) for value in np.abs(estimate / n - true).reshape(len(y), -1).sum(axis=1)]

    squares = ((solved / n - true) ** 2).reshape(len(y), -1).sum(axis=1)
    return {
        "randomized": l1(y),
        "iterative": l1(likely),
        "inversion": l1(solved),
        "inversion_l2": [float(value) for value in squares],
        "expected_l2": float(expected_square(x, sides)),
    }


def expected_square(counts: IntArray, sides: Sequence[Side]) -> Fraction:
    """Return the expectation of the squared l2 error of the inversion, of vectors that sum to 1, exactly.

    Parameters
    ----------
    counts
        True counts of the 2^k states.
    sides
        One for each column.

    Notes
    -----
    A record of state i adds a row of the inverse, whose mean is the i-th unit vector. So it adds
    sum_v a_iv |W_v|^2 - 1 to the expectation of n^2 times the square, and both factors are products over the
    columns. Of one column W has the rows (1 - w, w): one weight is reported, the other is one minus it.
    """
    pairs = []
    for each in sides:
        weights = [Fraction(value, each.weights.scale) for value in (each.weights.low, each.weights.high)]
        norms = [weight**2 + (1 - weight) ** 2 for weight in weights]
        low, high = (
            sum(each.channel.probability(true, bool(seen)) * norm for seen, norm in enumerate(norms))
            for true in (False, True)
        )
        pairs.append(IntegerWeights.of(Fraction(low), Fraction(high)))
    n = int(counts.sum())
    return (weighted(counts, pairs) - n) / n**2
