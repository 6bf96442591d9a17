"""Conditional Poisson sampling: random sets of a fixed size with given inclusion probabilities.

It is the law of largest entropy with these inclusion probabilities: independent inclusions, value v with
probability p_v, conditional on the number of included values (Hájek 1964; Chen, Dempster and Liu 1994). The
sums have no negative terms, so there is no cancellation.
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
"""Largest error of an inclusion probability."""
MOST_STEPS = 300
_STEP = 2 / 3
"""Step size of the iteration, relative to a correction that is exact for one value alone.

With two values and sets of one, a full correction overshoots by a factor of two; with many values it is
exact.
This step size reduces the error to a third in both cases.
"""
_CHUNK = 1 << 21


def fit_inclusion(chances: FloatArray, size: int) -> FloatArray:
    """Return the probabilities p_v of independent inclusion that give the wanted inclusion probabilities.

    ``chances`` are the wanted ones, shape (values,), each in (0, 1), with the sum ``size``, the number of
    values of a set. Raises ``ParameterError`` if some are too close to 0 or 1 for the precision.
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
    """Return the joint inclusion probability of each pair of values, shape (values, values).

    ``independent`` are the p_v, shape (values,). The diagonal has the inclusion probability of each value.
    Time is O(values**2 size).
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
    """Return the odds of independent inclusion, as `fit_inclusion`, for many values of few kinds.

    ``chances`` are the inclusion probabilities of one value of each kind, ``values`` the numbers of values of
    each kind, both of shape (kinds,). Errors as for `fit_inclusion`.
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
    """Return by kind the law of the number of included values, 0 .. size, under independent inclusion."""
    law = np.zeros((len(odds), size + 1))
    law[:, 0] = (1 + odds) ** -many.astype(np.float64)
    for count in range(1, size + 1):
        law[:, count] = law[:, count - 1] * odds * np.maximum(many - count + 1, 0) / count
    return law


def _without_each(laws: FloatArray, fewer: FloatArray, size: int) -> FloatArray:
    """Return by kind the law of the number of included values, 0 .. size, without one value of that kind."""
    nothing = np.eye(1, size + 1)
    before, after = (np.concatenate([nothing, _running(each)[:-1]]) for each in (laws, laws[::-1]))
    return _convolved(_convolved(before, after[::-1]), fewer)


def _running(laws: FloatArray) -> FloatArray:
    """Return by kind the law of the number of included values of this kind and those before it."""
    found, length = laws.copy(), 1  # laws of so many kinds
    while length < len(laws):
        found[length:] = _convolved(found[length:], found[:-length])
        length *= 2
    return found


def _convolved(laws: FloatArray, others: FloatArray) -> FloatArray:
    """Return row by row the law of the sum of two counts, as far as the rows are long."""
    found = laws * others[:, :1]
    for count in range(1, laws.shape[1]):
        found[:, count:] += laws[:, :-count] * others[:, count : count + 1]
    return found


def _weights(independent: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """Return by value v the probabilities of ``size`` included values with v, and without v."""
    row = independent[np.newaxis]
    included = independent * _count_without_each(row, size - 1)[0]
    return included, (1 - independent) * _count_without_each(row, size)[0]


def _count_without_each(independent: FloatArray, count: int) -> FloatArray:
    """Return for every value of each row the probability that ``count`` other values of the row are included.

    The shape is that of ``independent``, (rows, values).
    """
    rows, values = independent.shape
    before = np.zeros((values + 1, rows, count + 1))
    after = np.zeros_like(before)
    before[0, :, 0] = after[values, :, 0] = 1
    for value in range(values):
        _add(before[value], before[value + 1], independent[:, value])
        last = values - 1 - value
        _add(after[last + 1], after[last], independent[:, last])
    chances: FloatArray = np.einsum("vrk,vrk->rv", before[:-1], after[1:, :, ::-1])
    return chances


def _add(law: FloatArray, longer: FloatArray, probability: FloatArray) -> None:
    """Write the law of a count with one more independent inclusion."""
    chance = probability[:, np.newaxis]
    np.multiply(law, 1 - chance, out=longer)
    longer[:, 1:] += law[:, :-1] * chance


def _chunks(values: int, row_size: int) -> Iterator[NDArray[np.intp]]:
    step = max(1, _CHUNK // row_size)
    return (np.arange(first, min(first + step, values)) for first in range(0, values, step))
