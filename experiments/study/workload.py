"""Random count queries as the paper asks them (Fu et al. 2014, section 6.1).

A query is A1 = v1 and ... and Ad = vd and S = s: d from 1 to 3, d distinct columns, a value of each, and a
sensitive value, all uniformly at random. A pool holds distinct queries whose true count lies in a range:
drawn one after another, those outside the range and those drawn before left out. Instead of waiting for rare
hits, every query with a count in the range is listed, and the first ones of an exponential race are taken,
which has the same law (Efraimidis & Spirakis 2006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, log, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.study.tables import StudyTable
from splu_ref.randomness import IntArray, UniformSource

MOST_COLUMNS = 3
_GRAIN = 2**48
"""Uniform numbers of the race are whole numbers below this."""


class Part(NamedTuple):
    """The records of the predicates on one set of columns; a record satisfies at most one of them.

    Attributes
    ----------
    begin
        The first of these predicates, which are consecutive.
    records
        Records that satisfy one.
    places
        Which one, counted from ``begin``, shape of ``records``.
    """

    begin: int
    records: NDArray[np.int32]
    places: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Workload:
    """Queries on a table, in pools.

    Attributes
    ----------
    columns, assignments
        By predicate: the columns used, as places in ``StudyTable.columns``, and the codes of the query.
    parts
        Which records satisfy which predicates.
    predicate, value, true
        By query: its predicate, its sensitive value, its count in the original table.
    pool
        By query: the number of its pool.
    """

    columns: tuple[tuple[int, ...], ...]
    assignments: tuple[tuple[int, ...], ...]
    parts: tuple[Part, ...]
    predicate: IntArray
    value: IntArray
    true: IntArray
    pool: IntArray

    def count(self, values: IntArray, domain_size: int) -> IntArray:
        """Return the records of each predicate by value, shape (predicates, domain size).

        Parameters
        ----------
        values
            The value of each record of the original, shape (N,); ``domain_size`` for a record left out.
        domain_size
            Number of values.
        """
        width = domain_size + 1
        counts = np.zeros(len(self.columns) * width, dtype=np.int64)
        for begin, records, places in self.parts:
            found = np.bincount(places.astype(np.int64) * width + values[records])
            counts[begin * width : begin * width + len(found)] = found
        return counts.reshape(-1, width)[:, :domain_size]


class Pool(NamedTuple):
    """What a pool asks for: at most ``size`` queries with least <= count < end.

    Attributes
    ----------
    records, share
        The predicate has at least so many records, and at least this share of them the value.
    """

    least: int
    end: int
    size: int
    records: int = 1
    share: Fraction = Fraction(0)

    def holds(self, counts: IntArray, predicates: IntArray) -> NDArray[np.bool_]:
        """Return which queries belong to the pool, from their counts and those of their predicates."""
        concentrated = counts * self.share.denominator >= predicates * self.share.numerator
        within = (counts >= self.least) & (counts < self.end)
        return np.asarray(within & (predicates >= self.records) & concentrated)


@dataclass(frozen=True, eq=False)
class _Candidates:
    """Queries in a race: by query its arrival, set of columns, cell and count."""

    arrival: NDArray[np.float64]
    columns: IntArray
    cell: IntArray
    count: IntArray

    def first(self, size: int) -> _Candidates:
        """Return the first to arrive."""
        if len(self.arrival) <= size:
            return self
        return self.chosen(np.argpartition(self.arrival, size - 1)[:size])

    def chosen(self, places: IntArray) -> _Candidates:
        """Return some of them, in the order of their places."""
        return _Candidates(self.arrival[places], self.columns[places], self.cell[places], self.count[places])


def _joined(some: Sequence[_Candidates]) -> _Candidates:
    return _Candidates(
        np.concatenate([one.arrival for one in some]),
        np.concatenate([one.columns for one in some]),
        np.concatenate([one.cell for one in some]),
        np.concatenate([one.count for one in some]),
    )


def workload(table: StudyTable, pools: Sequence[Pool], sources: Callable[[Pool], UniformSource]) -> Workload:
    """Draw pools of queries.

    Parameters
    ----------
    table
        The original.
    pools
        What to draw. Where they overlap, a query may be drawn for each.
    sources
        Where random integers come from, for each pool. One is drawn for each query whose count is in the
        pool's range, by set of columns, then by cell.
    """
    drawing = [sources(pool) for pool in pools]
    nothing = np.empty(0, dtype=np.int64)
    best = [_Candidates(np.empty(0), nothing, nothing, nothing)] * len(pools)
    sets = list(_sets(len(table.columns)))
    for number, columns in enumerate(sets):
        cells, counts = np.unique(
            _cells(table, columns) * table.domain_size + table.values, return_counts=True
        )
        _, of_cell = np.unique(cells // table.domain_size, return_inverse=True)
        predicates = np.bincount(of_cell, weights=counts).astype(np.int64)[of_cell]
        rarity = log(comb(len(table.columns), len(columns))) + log(prod(table.sizes[c] for c in columns))
        for place, pool in enumerate(pools):
            where = np.flatnonzero(pool.holds(counts, predicates))
            uniform = (drawing[place].below(_GRAIN, len(where)) + 1) / (_GRAIN + 1)
            arrival = np.log(-np.log(uniform)) + rarity
            some = _Candidates(arrival, np.full(len(where), number), cells[where], counts[where])
            best[place] = _joined([best[place], some.first(pool.size)]).first(pool.size)
    return _resolved(table, sets, best)


def _sets(columns: int) -> Iterator[tuple[int, ...]]:
    for size in range(1, min(MOST_COLUMNS, columns) + 1):
        yield from combinations(range(columns), size)


def _cells(table: StudyTable, columns: tuple[int, ...]) -> IntArray:
    """Return each record's combination of values as one number."""
    cells = np.zeros(table.rows, dtype=np.int64)
    for column in columns:
        cells = cells * table.sizes[column] + table.codes[column]
    return cells


def _resolved(table: StudyTable, sets: Sequence[tuple[int, ...]], best: Sequence[_Candidates]) -> Workload:
    pool = np.repeat(np.arange(len(best)), [len(one.cell) for one in best])
    drawn = _joined(best)
    order = np.lexsort((drawn.cell, drawn.columns, pool))
    drawn, pool = drawn.chosen(order), pool[order]
    cell, value = np.divmod(drawn.cell, table.domain_size)
    predicate = np.empty(len(cell), dtype=np.int64)
    columns: list[tuple[int, ...]] = []
    assignments: list[tuple[int, ...]] = []
    parts = []
    for number in np.unique(drawn.columns).tolist():
        where = np.flatnonzero(drawn.columns == number)
        wanted, places = np.unique(cell[where], return_inverse=True)
        begin = len(columns)
        predicate[where] = begin + places
        columns += [sets[number]] * len(wanted)
        assignments += _decoded(table, sets[number], wanted)
        of_record = _cells(table, sets[number])
        found = np.minimum(np.searchsorted(wanted, of_record), len(wanted) - 1)
        records = np.flatnonzero(wanted[found] == of_record)
        parts.append(Part(begin, records.astype(np.int32), found[records].astype(np.int32)))
    return Workload(
        columns=tuple(columns),
        assignments=tuple(assignments),
        parts=tuple(parts),
        predicate=predicate,
        value=value,
        true=drawn.count,
        pool=pool,
    )


def _decoded(table: StudyTable, columns: tuple[int, ...], cells: IntArray) -> list[tuple[int, ...]]:
    codes = []
    for column in reversed(columns):
        cells, code = np.divmod(cells, table.sizes[column])
        codes.append(code.tolist())
    return list(zip(*reversed(codes), strict=True))
