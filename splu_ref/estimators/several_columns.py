"""Queries that name several sensitive columns (Fu et al. 2014, section 5.2).

Each column has its own plan, order and draws, so a record's values move independently given the true ones
(claim splu.Kc), and the transition is a Kronecker product: see `splu_ref.estimators.kronecker`. The product
of the columns' two-state matrices, over the states of the conjunction, is right only on average and if the
other values of the columns are unrelated (claim splu.K); value by value it is right for any relation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import NamedTuple, TypeVar

import numpy as np

from splu_ref.estimators.answers import NO_INFORMATION, Ask, Estimates, QueryEstimate
from splu_ref.estimators.contrasts import Side
from splu_ref.estimators.counting import Column, Columns, Predicate, records_of
from splu_ref.estimators.em import most_likely, require_settled
from splu_ref.estimators.interactions import Interactions
from splu_ref.estimators.joint_queries import JointQueries
from splu_ref.estimators.kronecker import apply_by_mode, contracted, inverses
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.published_column import PublishedColumn
from splu_ref.estimators.transition import LEAST_SPREAD, set_matrix
from splu_ref.estimators.two_state import NORMAL_95
from splu_ref.model import Gamma, InputError
from splu_ref.randomness import IntArray

JOINT_METHODS = ("shrunk", "inversion", "em")
"""The methods for several sensitive columns."""

MOST_CELLS = 1 << 26
"""Combinations of values that are counted at most: a query's counts then take 512 MB."""

MOST_SHRUNK = 1 << 22
"""The same for ``shrunk``, which holds some twenty tables of that size."""


T = TypeVar("T")


class _Counted(NamedTuple):
    """What is published of a query: records of its predicate, records of all of it, and n f'g'/N^2."""

    total: float
    published: float
    expected: float


class SeveralColumns:
    """Estimates of queries on several sensitive columns of a release.

    Parameters
    ----------
    columns
        The columns of the published table.
    names
        The sensitive columns that the queries name, at least two.
    parts
        The same columns, each alone.
    gamma
        Size of a decoy group.

    Raises
    ------
    InputError
        If the columns have too many combinations of values.
    """

    def __init__(
        self, columns: Columns, names: Sequence[str], parts: Sequence[PublishedColumn], gamma: Gamma
    ) -> None:
        self._columns, self._parts, self._gamma = columns, parts, gamma
        self._coded: list[Column] = [columns[name] for name in names]
        shape = tuple(len(column.domain) for column in self._coded)
        if prod(shape) > MOST_CELLS:
            raise InputError(
                f"{', '.join(names)} have {prod(shape)} combinations of values, above {MOST_CELLS}: name "
                "fewer sensitive columns in a query"
            )
        self._shape = shape
        self._cell: IntArray = np.ravel_multi_index([column.codes for column in self._coded], shape)
        self._shares = [part.frequencies / columns.rows for part in parts]

    def estimate(self, asks: Sequence[Ask], method: str) -> list[QueryEstimate]:
        """Return the estimates by one of `JOINT_METHODS`, in order.

        Raises
        ------
        InputError
            If a matrix has no inverse (``inversion``), or EM has not settled (``em``).
        """
        condition = None
        if method == "inversion":
            counted, found = self._inverted(asks)
            condition = float(np.prod([part.inversion.condition_number for part in self._parts]))
        elif method == "em":
            counted, found = self._em(asks)
        else:
            counted, found = self._shrunk(asks)
        most = np.array([self._most(ask, one) for ask, one in zip(asks, counted, strict=True)])
        if method != "inversion":
            found = found.with_ends_below(most)
        if method == "shrunk":
            found = found._replace(value=np.clip(found.value, found.lower, found.upper))
        blank = ~np.isfinite(found.value)
        expected = np.array([one.expected for one in counted])
        parts = (part.tolist() for part in found.without_information(expected, most))
        return [
            QueryEstimate(
                value,
                error,
                (lower, upper),
                method,
                round(one.published),
                round(one.total),
                condition,
                NO_INFORMATION if nothing else None,
            )
            for value, error, lower, upper, one, nothing in zip(*parts, counted, blank, strict=True)
        ]

    def _most(self, ask: Ask, counted: _Counted) -> float:
        """Return the largest count that is possible: the predicate's, or N/gamma for each value named."""
        return min(counted.total, min(ask.named) * (self._columns.rows / self._gamma))

    def _members(self, ask: Ask) -> list[FloatArray]:
        members = []
        for chosen, size in zip(ask.members, self._shape, strict=True):
            held = np.zeros(size)
            held[list(chosen)] = 1.0
            members.append(held)
        return members

    def _cells(self, predicate: Predicate) -> FloatArray:
        cells = self._cell[records_of(self._columns, predicate)] if predicate else self._cell
        table = np.bincount(cells, minlength=prod(self._shape)).astype(np.float64)
        return table.reshape(self._shape)

    def _each(
        self, asks: Sequence[Ask], answer: Callable[[int, FloatArray, list[FloatArray]], T]
    ) -> tuple[list[_Counted], list[T]]:
        """Count each predicate once and answer its queries: their number, the cells, which values count."""
        queries: dict[Predicate, list[int]] = {}
        for number, ask in enumerate(asks):
            queries.setdefault(ask.predicate, []).append(number)
        counted: dict[int, _Counted] = {}
        answers: dict[int, T] = {}
        for predicate, numbers in queries.items():
            cells = self._cells(predicate)
            total = float(cells.sum())
            for number in numbers:
                members = self._members(asks[number])
                shares = (share @ held for share, held in zip(self._shares, members, strict=True))
                counted[number] = _Counted(total, contracted(cells, members), total * float(prod(shares)))
                answers[number] = answer(number, cells, members)
        order = range(len(asks))
        return [counted[number] for number in order], [answers[number] for number in order]

    def _inverted(self, asks: Sequence[Ask]) -> tuple[list[_Counted], Estimates]:
        """Weigh every record by the product of its columns' inverse weights: unbiased, value by value."""

        def solved(_: int, cells: FloatArray, members: list[FloatArray]) -> tuple[float, float]:
            weights = [part.inversion.weights @ held for part, held in zip(self._parts, members, strict=True)]
            return contracted(cells, weights), contracted(cells, [weight**2 for weight in weights])

        counted, found = self._each(asks, solved)
        value, square = np.array(found).reshape(-1, 2).T
        # Each record's expected weight is 1 or 0, so the variance is E(sum of squares) less the count.
        error = np.sqrt(np.maximum(square - value, 0.0))
        margin = NORMAL_95 * error
        return counted, Estimates(value, error, value - margin, value + margin)

    def _em(self, asks: Sequence[Ask]) -> tuple[list[_Counted], Estimates]:
        """Maximize the likelihoods of the published states under the products of two-state matrices."""
        counted, each = self._each(asks, lambda _, cells, members: _states(cells, members))
        total = np.array([one.total for one in counted])
        factors = [
            set_matrix(
                part.co_occurrence,
                np.array([self._members(ask)[place] for ask in asks]),
                self._gamma,
                part.retention,
            )
            for place, part in enumerate(self._parts)
        ]
        spread = [matrices[:, 1, 1] - matrices[:, 0, 1] for matrices in factors]
        told = np.min(spread, axis=0) >= LEAST_SPREAD
        empty = np.where(told | (total == 0), 0.0, np.nan)
        value, linear, error = empty.copy(), empty.copy(), empty.copy()
        solvable = np.flatnonzero(told & (total > 0))
        if len(solvable):
            states = np.stack(each)[solvable]
            factors = [matrices[solvable] for matrices in factors]
            best = require_settled(most_likely(states, factors))
            value[solvable] = best.reshape(len(best), -1)[:, -1]
            weights = [solved[:, :, 1:] for solved in inverses(factors)]
            linear[solvable] = apply_by_mode(states, weights).reshape(-1)
            fitted = apply_by_mode(best, factors)
            square = apply_by_mode(fitted, [weight**2 for weight in weights]).reshape(-1)
            error[solvable] = np.sqrt(np.maximum(square - value[solvable], 0.0))
        ends = Estimates.normal(linear, error, total)
        return counted, ends._replace(value=value).around_estimate()

    def _shrunk(self, asks: Sequence[Ask]) -> tuple[list[_Counted], Estimates]:
        """Build up each predicate's table from its margins, and shrink the query's interactions."""
        if prod(self._shape) > MOST_SHRUNK:
            raise InputError(
                f"the columns have {prod(self._shape)} combinations of values, above {MOST_SHRUNK}, and "
                "shrunk learns from all: name fewer sensitive columns in a query, or use --method em"
            )
        queries = JointQueries(self._parts, self._interactions, asks)
        counted, each = self._each(asks, queries.answer)
        return counted, queries.estimates(each, np.array([one.total for one in counted]))

    @cached_property
    def _interactions(self) -> Interactions:
        sides = [Side.of(part.frequencies / part.rows, float(part.retention)) for part in self._parts]
        return Interactions(sides, self._cells(()), [part.frequencies for part in self._parts])


def _states(cells: FloatArray, members: Sequence[FloatArray]) -> FloatArray:
    """Return the counts of the conjunction's states, shape (2, ..., 2): 1 where a column's value is meant."""
    states = cells
    for mode, held in enumerate(members):
        sides = [np.tensordot(states, side, axes=([mode], [0])) for side in (1 - held, held)]
        states = np.stack(sides, axis=mode)
    return states
