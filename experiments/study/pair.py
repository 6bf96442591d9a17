"""Figure 12: queries on two sensitive columns, each published with a plan of its own."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np
import polars as pl

from experiments.study.bench import Sources, pool_sources
from experiments.study.level import PAIR_CLASSES, least_counts
from experiments.study.methods import FloatArray, Printed
from experiments.study.pieces import Piece
from experiments.study.tables import StudyTable
from experiments.study.workload import Pool, Workload, workload
from splu_ref.channels.parameters import Gamma
from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimator, most_likely, published_co_occurrence, set_matrix
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import IntArray

FIRST, SECOND = "first", "second"
"""Names of the sensitive columns in the published table; the others are numbered."""
METHODS = ("shrunk", "inversion")
"""Of `QueryEstimator`, whose ``em`` refuses queries that have not settled: here the best so far is taken."""


class PairBench:
    """A table with queries on both its sensitive columns.

    Parameters
    ----------
    table
        With a second sensitive column.
    size
        Queries in all, the same number for each class.
    sources, printed
        As for `Bench`.
    """

    def __init__(self, table: StudyTable, size: int, sources: Sources, printed: Printed | None) -> None:
        assert table.second is not None
        self.table, self.joint = table, table.joint()
        self._size, self._sources, self._printed = size, sources, printed
        self._second = table.second
        self._name = f"{table.name}/{table.rows}/pair"
        self.ends = least_counts(PAIR_CLASSES, table.rows)

    @property
    def pools(self) -> tuple[Pool, ...]:
        """One pool for each class."""
        each = self._size // (len(self.ends) - 1)
        return tuple(Pool(least, end, each) for least, end in pairwise(self.ends))

    @cached_property
    def queries(self) -> Workload:
        """The queries; their values are pairs."""
        return workload(self.joint, self.pools, pool_sources(self._sources, self._name))

    def release(self, gamma: Gamma, number: int) -> Piece:
        """Publish both columns once with mixed plans and answer all queries, if any, by all methods."""
        if not len(self.queries.value):
            return {"classes": [], "steps": None}
        source = self._sources(f"{self._name}/{gamma}/{number}")  # one stream: two would be the same twice
        done = SpluGen(gamma).publish_columns(
            {FIRST: self.table.values, SECOND: self._second},
            dict(zip((FIRST, SECOND), self._sizes, strict=True)),
            lambda _: source,
        )
        first, second = done.published[FIRST], done.published[SECOND]
        estimator = QueryEstimator(self._table(done.rows, first, second), (FIRST, SECOND), SpluGen(gamma))
        queries = self._queries()
        estimates: dict[str, FloatArray] = {}
        for method in METHODS:
            found = estimator.estimate(queries, method)
            estimates[method] = np.array([one.estimate for one in found])
        estimates["published count"] = np.array([float(one.published_count) for one in found])
        inside = np.array([float(one.predicate_count) for one in found])
        frequencies = [
            np.bincount(part, minlength=size)
            for part, size in ((first, self._sizes[0]), (second, self._sizes[1]))
        ]
        a, b = np.divmod(self.queries.value, self._sizes[1])
        estimates["n f'g'/N²"] = inside * frequencies[0][a] * frequencies[1][b] / len(first) ** 2
        pairs = np.full(self.table.rows, self._sizes[0] * self._sizes[1], dtype=np.int64)
        pairs[done.rows] = first * self._sizes[1] + second
        states = self._states(pairs)
        factors = [_two_states(f, gamma, code) for f, code in zip(frequencies, (a, b), strict=True)]
        informative = np.all([factor[:, 1, 1] > factor[:, 0, 1] for factor in factors], axis=0)
        factors = [factor[informative] for factor in factors]
        estimates["em"] = estimates["n f'g'/N²"].copy()
        estimates["em"][informative] = most_likely(states[informative, 1], factors).counts[:, 1, 1]
        steps = None
        if self._printed is not None:
            solved, taken = self._printed(states, int(gamma))
            estimates["printed"] = solved[:, 1, 1, 1]
            steps = {"median": float(np.median(taken)), "mean": float(taken.mean()), "most": int(taken.max())}
        return {"classes": self._summary(estimates), "steps": steps}

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        return self.table.domain_size, int(self._second.max()) + 1

    def _queries(self) -> list[Query]:
        first, second = np.divmod(self.queries.value, self._sizes[1])
        found = []
        for predicate, a, b in zip(
            self.queries.predicate.tolist(), first.tolist(), second.tolist(), strict=True
        ):
            where = {FIRST: a, SECOND: b}
            named = zip(self.queries.columns[predicate], self.queries.assignments[predicate], strict=True)
            found.append(Query.of(where | {str(column): code for column, code in named}))
        return found

    def _table(self, rows: IntArray, first: IntArray, second: IntArray) -> Microdata:
        columns = {str(number): codes[rows] for number, codes in enumerate(self.joint.codes)}
        columns |= {FIRST: first, SECOND: second}
        frame = pl.DataFrame({name: pl.Series(codes).cast(pl.String) for name, codes in columns.items()})
        return Microdata.from_frame(frame)

    def _states(self, pairs: IntArray) -> FloatArray:
        """Return the published counts of the eight states of each query, shape (queries, 2, 2, 2)."""
        shape = self._sizes
        first, second = np.divmod(self.queries.value, shape[1])
        cells = shape[0] * shape[1]
        whole = np.bincount(pairs, minlength=cells + 1)[:cells].reshape(shape)
        counts = self.queries.count(pairs, cells)
        states = np.empty((len(first), 2, 2, 2))
        for query, (predicate, a, b) in enumerate(zip(self.queries.predicate, first, second, strict=True)):
            inside = counts[predicate].reshape(shape)
            for side, table in ((1, inside), (0, whole - inside)):
                both, row, column = table[a, b], table[a].sum(), table[:, b].sum()
                states[query, side] = [
                    [table.sum() - row - column + both, column - both],
                    [row - both, both],
                ]
        return states

    def _summary(self, estimates: dict[str, FloatArray]) -> list[Piece]:
        true = self.queries.true.astype(np.float64)
        errors = {name: np.abs(found - true) / true for name, found in estimates.items()}
        places = [(number, np.flatnonzero(self.queries.pool == number)) for number in range(len(self.pools))]
        return [
            {
                "class": number,
                "queries": len(where),
                "errors": {name: float(error[where].mean()) for name, error in errors.items()},
            }
            for number, where in places
            if len(where)
        ]


def _two_states(frequencies: IntArray, gamma: Gamma, values: IntArray) -> FloatArray:
    """Return the corrected two-state matrix of each query's value, shape (queries, 2, 2)."""
    mechanism = SpluGen(gamma)
    together = published_co_occurrence(frequencies, mechanism)
    found = {
        value: set_matrix(together, np.arange(len(frequencies)) == value, mechanism.count_law)
        for value in np.unique(values).tolist()
    }
    return np.array([found[value] for value in values.tolist()])
