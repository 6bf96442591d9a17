"""Several sensitive columns of a release: the combinations of their values, counted by predicate.

Each column has its own plan, order and draws, so a record's values move independently given the true ones
(claim splu.Kc), and the transition is a Kronecker product: see `splu_ref.estimators.linear.transition`. The
product of the columns' two-state matrices, over the states of the conjunction, is right only on average and
if the other values of the columns are unrelated (claim splu.K); value by value it is right for any relation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np

from splu_ref.channels import InputError
from splu_ref.estimators.answers import Counted
from splu_ref.estimators.linear.transition import contracted
from splu_ref.estimators.queries.conditions import Predicate
from splu_ref.estimators.queries.counting import Columns, records_of
from splu_ref.estimators.queries.one_column import PublishedColumn
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.shrinkage.interactions import ColumnChannel, Interactions
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

MOST_CELLS = 1 << 26
"""Combinations of values that are counted at most: a query's counts then take 512 MB."""

MOST_SHRUNK = 1 << 22
"""Cells of the tables of any of the columns together, where interactions are learned from all of them."""
_TABLE = 1_000
"""Cells that take as long as a table does whatever its size."""
MOST_STATES = 1 << 14
"""States of a conjunction whose likelihood is maximized, which may take thousands of steps."""

T = TypeVar("T")


class SeveralColumns:
    """What a release tells of several sensitive columns together (Fu et al. 2014, section 5.2).

    Parameters
    ----------
    columns
        The columns of the published table.
    names
        The sensitive columns that the queries name, at least two.
    parts
        The same columns, each alone.

    Raises
    ------
    InputError
        If the columns have too many combinations of values.
    """

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
        """The interactions of the columns in all records.

        Raises
        ------
        InputError
            If there are too many combinations of values to learn from.
        """
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
        """Raise if a conjunction has too many states, each column's value being in it or not, for em.

        Raises
        ------
        InputError
            Above `MOST_STATES`.
        """
        if (states := 2 ** len(self._shape)) > MOST_STATES:
            raise InputError(
                f"a conjunction of {len(self._shape)} sensitive columns has {states} states, above "
                f"{MOST_STATES}, for the method em: name fewer, or use --method inversion"
            )

    def members(self, query: ResolvedQuery) -> list[FloatArray]:
        """Return for each column 1 for the values that a query counts, 0 for the others."""
        members = []
        for chosen, size in zip(query.members, self._shape, strict=True):
            held = np.zeros(size)
            held[list(chosen)] = 1.0
            members.append(held)
        return members

    def answer_each(
        self, queries: Sequence[ResolvedQuery], answer: Callable[[int, FloatArray, list[FloatArray]], T]
    ) -> tuple[Counted, list[T]]:
        """Count each predicate once, and answer its queries one after another.

        Parameters
        ----------
        queries
            Any number.
        answer
            Called with a query's number, its predicate's records by their published values, and its
            `members`.

        Returns
        -------
        tuple
            What is counted of the queries, and the answers, in their order.
        """
        numbers: dict[Predicate, list[int]] = {}
        for number, query in enumerate(queries):
            numbers.setdefault(query.predicate, []).append(number)
        predicate, both, expected, most = (np.zeros(len(queries)) for _ in Counted._fields)
        answers: dict[int, T] = {}
        rows = self._columns.rows
        shares = [part.frequencies / rows for part in self.parts]
        for conditions, asked in numbers.items():
            cells = self._cells(conditions)
            total = float(cells.sum())
            for number in asked:
                members = self.members(queries[number])
                by_column = (share @ held for share, held in zip(shares, members, strict=True))
                predicate[number], both[number] = total, contracted(cells, members)
                expected[number] = total * float(prod(by_column))
                bounds = zip(queries[number].named, self.parts, strict=True)
                most[number] = min(total, *(named * rows / part.law.gamma for named, part in bounds))
                answers[number] = answer(number, cells, members)
        counted = Counted(predicate=predicate, both=both, expected=expected, most=most)
        return counted, [answers[number] for number in range(len(queries))]

    def _cells(self, predicate: Predicate) -> FloatArray:
        inside = records_of(self._columns, predicate) if predicate else None
        table = self._columns.tally(self._cell, prod(self._shape), inside).astype(np.float64)
        return table.reshape(self._shape)
