"""One sensitive column of a release: what it tells, and what follows from that once for all queries."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from splu_ref.estimators.answers import Ask
from splu_ref.estimators.counting import Columns, Predicate, SensitiveCounts
from splu_ref.estimators.inversion import Inversion
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.scatter import Scatter
from splu_ref.estimators.transition import published_co_occurrence
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray


class Batch(NamedTuple):
    """Queries on the column, counted.

    Attributes
    ----------
    published
        y by predicate and value, shape (predicates, values).
    which
        The predicate of each query, shape (queries,).
    members
        Which values each query counts, 1 or 0, shape (queries, values).
    predicate_count
        n by query, shape (queries,).
    counted
        Published records of the whole query, shape (queries,).
    frequency
        f' of its values together, shape (queries,).
    most
        The largest count that is possible: n, or N/gamma for each value named, shape (queries,). A table with
        more than N/gamma of a value cannot be published.
    """

    published: FloatArray
    which: IntArray
    members: FloatArray
    predicate_count: FloatArray
    counted: FloatArray
    frequency: FloatArray
    most: FloatArray

    def of(self, queries: IntArray) -> Batch:
        """Return some of the queries."""
        return Batch(
            self.published,
            self.which[queries],
            self.members[queries],
            self.predicate_count[queries],
            self.counted[queries],
            self.frequency[queries],
            self.most[queries],
        )


class PublishedColumn:
    """What a release tells of one sensitive column.

    Parameters
    ----------
    columns
        The columns of the published table.
    name
        The sensitive column.
    gamma, retention
        Size of a decoy group, and p.
    plan
        Name of the plan method.
    """

    def __init__(self, columns: Columns, name: str, gamma: Gamma, retention: Fraction, plan: str) -> None:
        self.rows, self.gamma, self.retention = columns.rows, gamma, retention
        self._plan = plan
        self._counts = SensitiveCounts(columns, name)
        self._last: tuple[tuple[Predicate, ...], FloatArray] = (), np.empty((0, len(self.frequencies)))

    @cached_property
    def frequencies(self) -> FloatArray:
        """Published frequencies f', shape (values,)."""
        return self._counts.frequencies.astype(np.float64)

    @cached_property
    def co_occurrence(self) -> FloatArray:
        """c(u, v) as far as the published histogram tells it."""
        return published_co_occurrence(self._plan, self._counts.frequencies, self.gamma)

    @cached_property
    def inversion(self) -> Inversion:
        """The inverse of the per-value matrix."""
        return Inversion(self.co_occurrence, self.frequencies, self.gamma, self.retention)

    @cached_property
    def scatter(self) -> Scatter:
        """The variances of linear estimates."""
        return Scatter(self.co_occurrence, self.gamma, self.retention)

    def count(self, asks: Sequence[Ask]) -> Batch:
        """Return the counts of queries, each predicate counted once."""
        places: dict[Predicate, int] = {}
        which = np.array([places.setdefault(ask.predicate, len(places)) for ask in asks], dtype=np.int64)
        predicates = tuple(places)
        if predicates != self._last[0]:  # several methods are often asked about the same queries
            self._last = predicates, self._counts.by_value(predicates).astype(np.float64)
        published = self._last[1]
        members = np.zeros((len(asks), len(self.frequencies)))
        for number, ask in enumerate(asks):
            members[number, list(ask.members[0])] = 1.0
        n = published.sum(axis=1)[which]
        counted = np.einsum("qv,qv->q", published[which], members)
        most = np.minimum(n, np.array([ask.named[0] for ask in asks]) * (self.rows / self.gamma))
        return Batch(published, which, members, n, counted, members @ self.frequencies, most)
