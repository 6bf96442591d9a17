"""Several sensitive columns of a release: counts of the combinations of their values by predicate.

Each column has its own plan, order and draws, so a record's values move independently given the true ones
(claim splu.Kc), and the transition is a Kronecker product: see `splu_ref.estimators.linear.transition`. The
product of the columns' two-state matrices is unbiased for the states of a conjunction only on average, and
only if the columns' other values are independent (claim splu.K); value by value it is unbiased for any
dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np

from splu_ref.channels import InputError
from splu_ref.estimators.answers import QueryCounts
from splu_ref.estimators.linear.transition import contract
from splu_ref.estimators.queries.conditions import Predicate
from splu_ref.estimators.queries.counting import Columns, records_of
from splu_ref.estimators.queries.one_column import PublishedColumn
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.shrinkage.interactions import ColumnChannel, Interactions
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

MOST_CELLS = 1 << 26
"""Largest number of combinations of values, for which the counts of a query take 512 MB."""

MOST_SHRUNK = 1 << 22
"""Largest number of cells in the tables of all subsets of columns, for ``shrunk``."""
_TABLE = 1_000
"""Fixed cost of a table in cells."""
MOST_STATES = 1 << 14
"""Largest number of states of a conjunction for ``em``, which may take thousands of steps."""

T = TypeVar("T")


class SeveralColumns:
    """Joint published counts of several sensitive columns (Fu et al. 2014, section 5.2)."""

    def __init__(self, columns: Columns, names: Sequence[str], parts: Sequence[PublishedColumn]) -> None:
        self.parts = tuple(parts)
        self._columns = columns
        coded = [columns[name] for name in names]
        self._shape = tuple(len(column.domain) for column in coded)
        if prod(self._shape) > MOST_CELLS:
            raise InputError(
                f"{', '.join(names)} have {prod(self._shape)} combinations of values, above {MOST_CELLS}: "
                "name fewer sensitive columns in a query"
            )
        self._cell: IntArray = np.ravel_multi_index([column.codes for column in coded], self._shape)

    @cached_property
    def interactions(self) -> Interactions:
        """The interactions of the columns in all records."""
        cells = prod(size + 1 for size in self._shape) + _TABLE * 2 ** len(self._shape)
        if cells > MOST_SHRUNK:
            raise InputError(
                f"the tables of any of the {len(self._shape)} columns together count as {cells} cells, above "
                f"{MOST_SHRUNK}, and shrunk learns from all: name fewer sensitive columns in a query, or use "
                "--method inversion"
            )
        channels = [
            ColumnChannel.of(part.frequencies, part.rows, float(part.law.retention)) for part in self.parts
        ]
        return Interactions(channels, self._cells(()), [part.frequencies for part in self.parts])

    def require_few_states(self) -> None:
        """Raise if a conjunction has too many states for ``em``."""
        if (states := 2 ** len(self._shape)) > MOST_STATES:
            raise InputError(
                f"a conjunction of {len(self._shape)} sensitive columns has {states} states, above "
                f"{MOST_STATES}, for the method em: name fewer, or use --method inversion"
            )

    def members(self, query: ResolvedQuery) -> list[FloatArray]:
        """Return the indicators of the counted values of a query, one array per column."""
        members = []
        for chosen, size in zip(query.members, self._shape, strict=True):
            indicator = np.zeros(size)
            indicator[list(chosen)] = 1.0
            members.append(indicator)
        return members

    def answer_each(
        self, queries: Sequence[ResolvedQuery], answer: Callable[[int, FloatArray, list[FloatArray]], T]
    ) -> tuple[QueryCounts, list[T]]:
        """Count each predicate once, and return the counts and results of all queries, in order.

        ``answer`` is called with the index of a query, its predicate's records by published values, and its
        `members`; queries with one predicate are consecutive.
        """
        numbers: dict[Predicate, list[int]] = {}
        for number, query in enumerate(queries):
            numbers.setdefault(query.predicate, []).append(number)
        predicate, both, expected, most = (np.zeros(len(queries)) for _ in QueryCounts._fields)
        answers: dict[int, T] = {}
        rows = self._columns.rows
        shares = [part.frequencies / rows for part in self.parts]
        for conditions, numbers_of_predicate in numbers.items():
            cells = self._cells(conditions)
            total = float(cells.sum())
            for number in numbers_of_predicate:
                members = self.members(queries[number])
                by_column = (share @ indicator for share, indicator in zip(shares, members, strict=True))
                predicate[number], both[number] = total, contract(cells, members)
                expected[number] = total * float(prod(by_column))
                bounds = zip(queries[number].named, self.parts, strict=True)
                most[number] = min(total, *(named * rows / part.law.gamma for named, part in bounds))
                answers[number] = answer(number, cells, members)
        counted = QueryCounts(predicate=predicate, both=both, expected=expected, most=most)
        return counted, [answers[number] for number in range(len(queries))]

    def _cells(self, predicate: Predicate) -> FloatArray:
        inside = records_of(self._columns, predicate) if predicate else None
        table = self._columns.tally(self._cell, prod(self._shape), inside).astype(np.float64)
        return table.reshape(self._shape)
