"""Random sets of a fixed size in which each value has a given chance to be: the law of largest entropy.

The law is that of independent inclusions, value v with probability p_v, given that ``size`` values were
included (Hájek 1964; Chen, Dempster and Liu 1994). The sums below have no negative terms, so nothing cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import ParameterError

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

TOLERANCE = 1e-13
"""How far a chance may stay from what it should be."""
MOST_STEPS = 300
_STEP = 2 / 3
"""Part of a correction that would be exact for one value alone. With two values and sets of one, each is made
twice; with many values, once. This part shrinks the error to a third in either case."""
_CHUNK = 1 << 21


def fitted(chances: FloatArray, size: int) -> FloatArray:
    """Return independent probabilities p_v under which each value has the given chance to be in the set.

    Parameters
    ----------
    chances
        Each above 0 and below 1, with the sum ``size``, shape (values,).
    size
        How many values a set holds, at least 1.

    Raises
    ------
    ParameterError
        If some chances are too close to 0 or 1 for this precision.
    """
    wanted = np.log(chances) - np.log1p(-chances)
    log_odds, independent = wanted.copy(), chances
    for _ in range(MOST_STEPS):
        included, excluded = _weights(independent, size)
        total = included + excluded
        if np.abs(included / total - chances).max() <= TOLERANCE:
            return independent
        log_odds += _STEP * (wanted - np.log(included) + np.log(excluded))
        independent = 1 / (1 + np.exp(-log_odds))
    raise ParameterError("a frequency is too close to 0 or to N / gamma: round the frequencies")


def pair_probabilities(independent: FloatArray, size: int) -> FloatArray:
    """Return the chance of each pair of values to be in the set together, shape (values, values).

    Parameters
    ----------
    independent
        p_v, each above 0 and below 1, shape (values,).
    size
        How many values a set holds, at least 1.

    Returns
    -------
    NDArray
        The diagonal holds the chance of each value alone. Time is O(values**2 size).
    """
    values = len(independent)
    included, excluded = _weights(independent, size)
    pairs = np.zeros((values, values))
    for rows in _chunks(values, values * size) if size > 1 else ():
        others = np.tile(independent, (len(rows), 1))
        others[np.arange(len(rows)), rows] = 0
        rest = _count_without_each(others, size - 2)
        pairs[rows] = (
            independent[rows, np.newaxis] * independent * rest / (included + excluded)[rows, np.newaxis]
        )
    np.fill_diagonal(pairs, included / (included + excluded))
    return pairs


def odds_by_kind(chances: FloatArray, values: IntArray, size: int) -> FloatArray:
    """Return the odds of independent inclusion that `fitted` finds, for many values of few kinds.

    Parameters
    ----------
    chances
        Of one value of each kind to be in the set, each above 0 and below 1, shape (kinds,).
    values
        How many values are of each kind, shape (kinds,); with these the chances sum to ``size``.
    size
        How many values a set holds, at least 1.

    Raises
    ------
    ParameterError
        As for `fitted`.
    """
    wanted = np.log(chances) - np.log1p(-chances)
    log_odds = wanted.copy()
    for _ in range(MOST_STEPS):
        independent = 1 / (1 + np.exp(-log_odds))
        odds = np.exp(log_odds)
        laws, fewer = (_binomial(many, odds, size) for many in (values, values - 1))
        rest = _without_each(laws, fewer, size)
        included, excluded = independent * rest[:, size - 1], (1 - independent) * rest[:, size]
        if np.abs(included / (included + excluded) - chances).max() <= TOLERANCE:
            return np.asarray(odds)
        log_odds += _STEP * (wanted - np.log(included) + np.log(excluded))
    raise ParameterError("a frequency is too close to 0 or to N / gamma: round the frequencies")


def _binomial(many: IntArray, odds: FloatArray, size: int) -> FloatArray:
    """Return the laws of how many of some independent values with these odds are included, 0 .. size."""
    law = np.zeros((len(odds), size + 1))
    law[:, 0] = (1 + odds) ** -many.astype(np.float64)
    for count in range(1, size + 1):
        law[:, count] = law[:, count - 1] * odds * np.maximum(many - count + 1, 0) / count
    return law


def _without_each(laws: FloatArray, fewer: FloatArray, size: int) -> FloatArray:
    """Return, by kind, the law of how many of all values but one of that kind are included, 0 .. size."""
    kinds = len(laws)
    before, after = np.zeros((kinds + 1, size + 1)), np.zeros((kinds + 1, size + 1))
    before[0, 0] = after[kinds, 0] = 1
    for kind in range(kinds):
        before[kind + 1] = np.convolve(before[kind], laws[kind])[: size + 1]
        last = kinds - 1 - kind
        after[last] = np.convolve(after[last + 1], laws[last])[: size + 1]
    return np.array(
        [
            np.convolve(np.convolve(before[kind], after[kind + 1])[: size + 1], fewer[kind])[: size + 1]
            for kind in range(kinds)
        ]
    )


def _weights(independent: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Return the probability that ``size`` values are included, v among them, and that v is not."""
    row = independent[np.newaxis]
    included = independent * _count_without_each(row, size - 1)[0]
    return included, (1 - independent) * _count_without_each(row, size)[0]


def _count_without_each(independent: FloatArray, count: int) -> FloatArray:
    """Return, by row, for every value the probability that ``count`` of the other values are included.

    ``independent`` has the shape (rows, values), and so has the result.
    """
    rows, values = independent.shape
    before = np.zeros((values + 1, rows, count + 1))
    after = np.zeros_like(before)
    before[0, :, 0] = after[values, :, 0] = 1
    for value in range(values):
        _add(before[value], before[value + 1], independent[:, value])
        last = values - 1 - value
        _add(after[last + 1], after[last], independent[:, last])
    counted: FloatArray = np.einsum("vrk,vrk->rv", before[:-1], after[1:, :, ::-1])
    return counted


def _add(law: FloatArray, longer: FloatArray, probability: FloatArray) -> None:
    """Write the law of a count with one more independent inclusion."""
    chance = probability[:, np.newaxis]
    np.multiply(law, 1 - chance, out=longer)
    longer[:, 1:] += law[:, :-1] * chance


def _chunks(values: int, row_size: int) -> Iterator[NDArray[np.intp]]:
    step = max(1, _CHUNK // row_size)
    return (np.arange(first, min(first + step, values)) for first in range(0, values, step))
