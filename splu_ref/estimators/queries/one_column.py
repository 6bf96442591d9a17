"""One sensitive column of a release: statistics shared by all queries, and the default method ``shrunk``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.estimators.answers import AVERAGED, PUBLISHED_ALONE, Estimates, Interval, QueryCounts, Unclipped
from splu_ref.estimators.linear.group_noise import GroupNoise
from splu_ref.estimators.linear.inversion import Inversion, LinearVariance
from splu_ref.estimators.linear.transition import published_co_occurrence
from splu_ref.estimators.queries.conditions import Predicate
from splu_ref.estimators.queries.counting import Columns, SensitiveCounts
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.shrinkage.conditions import Conditions
from splu_ref.estimators.shrinkage.limited_translation import FAR
from splu_ref.estimators.shrinkage.plausible_plans import MOST_VALUES, PlausiblePlans
from splu_ref.estimators.shrinkage.several_states import ColumnStates
from splu_ref.estimators.shrinkage.shrinkage import Shrinkage, ShrunkEstimates
from splu_ref.mechanisms import FloatArray, SpluGen
from splu_ref.randomness import IntArray


class QueryBatch(NamedTuple):
    """Queries on the column with their counts."""

    published: FloatArray  #: y by predicate and value, shape (predicates, values)
    which: IntArray  #: the predicate of each query, shape (queries,)
    members: FloatArray  #: which values each query counts, 1 or 0, shape (queries, values)
    predicate_count: FloatArray  #: n by query, shape (queries,)
    counted: FloatArray  #: published records of the whole query, shape (queries,)
    frequency: FloatArray  #: f' of its values together, shape (queries,)
    most: FloatArray  #: see `QueryCounts`, shape (queries,)
    rows: int  #: N
    predicates: tuple[Predicate, ...]  #: the conditions on columns that are not sensitive

    @property
    def expected(self) -> FloatArray:
        """Return n f'/N, shape (queries,)."""
        return self.predicate_count * self.frequency / self.rows

    @property
    def facts(self) -> QueryCounts:
        """Return the counts that do not depend on the method."""
        return QueryCounts(
            predicate=self.predicate_count, both=self.counted, expected=self.expected, most=self.most
        )

    @property
    def is_set(self) -> NDArray[np.bool_]:
        """Return whether each query counts more than one value."""
        return np.asarray(self.members.sum(axis=1) > 1)

    def of(self, queries: IntArray) -> QueryBatch:
        """Return some of the queries."""
        return self._replace(
            which=self.which[queries],
            members=self.members[queries],
            predicate_count=self.predicate_count[queries],
            counted=self.counted[queries],
            frequency=self.frequency[queries],
            most=self.most[queries],
        )

    def complemented(self, queries: NDArray[np.bool_]) -> QueryBatch:
        """Return the batch with some of the queries complemented."""
        n = self.predicate_count
        return self._replace(
            members=np.where(queries[:, None], 1 - self.members, self.members),
            counted=np.where(queries, n - self.counted, self.counted),
            frequency=np.where(queries, self.rows - self.frequency, self.frequency),
        )

    def by_size(
        self, single: Callable[[QueryBatch], Estimates], several: Callable[[QueryBatch], Estimates]
    ) -> Estimates:
        """Apply one function to queries with at most one sensitive value, and another to sets of values."""
        parts = ((np.flatnonzero(~self.is_set), single), (np.flatnonzero(self.is_set), several))
        return Estimates.from_batches(
            len(self.which), ((where, function(self.of(where))) for where, function in parts if len(where))
        )

    def by_the_rarer_side(self, function: Callable[[QueryBatch], Estimates]) -> Estimates:
        """Estimate a set with most records as n less the estimate of its complement.

        The estimates of a set and its complement then sum to n, and large sets have small errors.
        """
        common = (self.frequency > self.rows / 2) & self.is_set
        if not common.any():
            return function(self)
        others, n = self.complemented(common), self.predicate_count
        found = function(others)
        nothing = common & (others.members.sum(axis=1) == 0)  # all values were named: the count is n
        value, error, lower, upper, linear, spread = (
            np.where(nothing, 0.0, part)
            for part in (found.value, found.error, found.lower, found.upper, *found.linear)
        )
        return replace(
            found,
            value=np.where(common, n - value, value),
            error=error,
            lower=np.where(common, n - upper, lower),
            upper=np.where(common, n - lower, upper),
            unclipped=Unclipped(np.where(common, n - linear, linear), spread),
        )


class PublishedColumn:
    """The published statistics of one sensitive column, computed once for all queries.

    Parameters
    ----------
    columns
        The columns of the published table.
    name
        The sensitive column.
    mechanism
        The mechanism that published it.
    """

    def __init__(self, columns: Columns, name: str, mechanism: SpluGen) -> None:
        self.rows, self.law, self._mechanism = columns.rows, mechanism.record_law, mechanism
        self._counts = SensitiveCounts(columns, name)
        self._last: tuple[tuple[Predicate, ...], FloatArray] = (), np.empty((0, len(self.frequencies)))
        self._terms: dict[Predicate, FloatArray] = {}

    @cached_property
    def frequencies(self) -> FloatArray:
        """Published frequencies f', shape (values,)."""
        return self._counts.frequencies.astype(np.float64)

    @cached_property
    def co_occurrence(self) -> FloatArray:
        """The co-occurrence c(u, v) estimated from the published histogram."""
        return published_co_occurrence(self._counts.frequencies, self._mechanism)

    @cached_property
    def noise(self) -> GroupNoise | None:
        """Variances under dependent draws; None if draws are independent."""
        if self._mechanism.draws.bound is None:
            return None
        return GroupNoise.plausible(self.frequencies, self._mechanism)

    def count_variance(self, members: FloatArray) -> float:
        """Return the estimated variance of a set's published count; the set is given by its indicator."""
        independent = float(self.law.variance) * float(members @ self.frequencies)
        if self.noise is None:
            return independent
        return max(independent - float(self.noise.of_sets(members[None]).total[0]), 0.0)

    @cached_property
    def count_variances(self) -> FloatArray:
        """Estimated variances of the values' published counts, shape (values,)."""
        independent = float(self.law.variance) * self.frequencies
        if self.noise is None:
            return independent
        return np.maximum(independent - self.noise.of_values().total, 0.0)

    @cached_property
    def shrinkage(self) -> Shrinkage | None:
        """The shrinkage estimator, or None if fewer than gamma values are published."""
        if np.count_nonzero(self.frequencies) < self.law.gamma:
            return None
        return Shrinkage(self.frequencies, self.rows, self.law, noise=self.noise)

    def states(self, members: FloatArray) -> ColumnStates:
        """Return the part of a set of this column's values in a conjunction on several columns."""
        frequency, kept = float(members @ self.frequencies), float(self.law.retention)
        chances = members * kept
        if self.shrinkage is not None:
            published = self.shrinkage.composition.published(members[None])[0]
            chances = np.where(self.frequencies > 0, published, chances)
        scatter = float(np.sqrt(self.count_variance(members))) / frequency if frequency > 0 else 0.0
        return ColumnStates(members=members, chances=chances, retention=kept, scatter=scatter)

    @cached_property
    def learning(self) -> Shrinkage | PlausiblePlans | None:
        """The estimator of queries on this column alone: `shrinkage`, or plausible plans for few values."""
        if not self.allows_for_plan or self.shrinkage is None or self._mechanism.plan == "mixed":
            return self.shrinkage
        return PlausiblePlans(self.frequencies, self._mechanism, self.noise)

    @property
    def allows_for_plan(self) -> bool:
        """Whether `learning` includes the uncertainty of the plan."""
        return self._mechanism.plan == "mixed" or len(self.frequencies) <= MOST_VALUES

    @cached_property
    def inversion(self) -> Inversion:
        """The inverse of the per-value matrix."""
        return Inversion(self.co_occurrence, self.frequencies, self.law)

    @cached_property
    def _linear_variance(self) -> LinearVariance:
        return LinearVariance(self.co_occurrence, self.law)

    def members(self, sets: Sequence[Sequence[int]]) -> FloatArray:
        """Return the indicators of sets of values, shape (sets, values)."""
        found = np.zeros((len(sets), len(self.frequencies)))
        for number, values in enumerate(sets):
            found[number, list(values)] = 1.0
        return found

    def count(self, queries: Sequence[ResolvedQuery]) -> QueryBatch:
        """Return the counts of queries, each predicate counted once."""
        places: dict[Predicate, int] = {}
        which = np.array(
            [places.setdefault(query.predicate, len(places)) for query in queries], dtype=np.int64
        )
        predicates = tuple(places)
        if predicates != self._last[0]:  # several methods often estimate the same queries
            self._last = predicates, self._counts.by_value(predicates).astype(np.float64)
        published = self._last[1]
        members = self.members([query.members[0] for query in queries])
        n = published.sum(axis=1)[which]
        named = np.array([query.named[0] for query in queries])
        return QueryBatch(
            published=published,
            which=which,
            members=members,
            predicate_count=n,
            counted=np.einsum("qv,qv->q", published[which], members),
            frequency=members @ self.frequencies,
            most=np.minimum(n, named * (self.rows / self.law.gamma)),
            rows=self.rows,
            predicates=predicates,
        )

    def conditions(self, predicates: Sequence[Predicate]) -> Conditions:
        """Return the single conditions of predicates with several; each condition is counted once."""
        of = [[(term,) for term in predicate] if len(predicate) > 1 else [] for predicate in predicates]
        places: dict[Predicate, int] = {}
        for terms in of:
            for term in terms:
                places.setdefault(term, len(places))
        new = [term for term in places if term not in self._terms]
        self._terms |= dict(zip(new, self._counts.by_value(new).astype(np.float64), strict=True))
        incidence = np.zeros((len(of), len(places)))
        for number, terms in enumerate(of):
            incidence[number, [places[term] for term in terms]] = 1.0
        published = [self._terms[term] for term in places]
        return Conditions(np.array(published).reshape(-1, len(self.frequencies)), incidence)

    def set_error(
        self, batch: QueryBatch, value: FloatArray, inside: FloatArray, outside: FloatArray
    ) -> FloatArray:
        """Return standard errors of linear estimates of sets.

        ``inside`` and ``outside`` are the weights of a record of the predicate, and of one outside, by
        published value, shape (queries, values). The counts by value are the expected ones, rescaled to the
        estimate ``value``. The variance reduction by dependent draws is that of a predicate independent of
        the groups.
        """
        n = batch.predicate_count
        expected = n[:, None] * self.frequencies / self.rows
        own = (expected * batch.members).sum(axis=1)
        wanted = np.clip(np.nan_to_num(value), 0.0, n)
        rise = np.divide(wanted, own, out=np.ones_like(own), where=own > 0)
        rest = np.divide(n - wanted, n - own, out=np.ones_like(own), where=n - own > 0)
        counts = expected * np.where(batch.members > 0, rise[:, None], rest[:, None])
        known = np.isfinite(value)
        informative = batch.members * known[:, None]
        inside, outside = (np.where(informative > 0, part, 0.0).T for part in (inside, outside))
        variance = self._linear_variance.variance(inside, outside, counts.T)
        if self.noise is not None:
            share = n / self.rows
            reduction = self.noise.reduction_of(share * inside + (1 - share) * outside)
            variance = np.maximum(variance - reduction, 0.0)
        return np.where(known, np.sqrt(variance), np.nan)


_CELLS = 1 << 18
"""Largest number of predicates or queries times values per batch: 2 MiB, which processors cache."""

CONTRADICTED = (
    "the published count is {:.0f} standard deviations from the expectation given the other values of the "
    "predicate: the estimate rests on this count alone"
)


class ErrorParts(NamedTuple):
    """Estimates with the parts of their mean square errors, arrays of one shape."""

    value: FloatArray  # the estimate
    sampling: FloatArray  # its variance at fixed true counts
    bias: FloatArray  # mean squared shrinkage bias


class ColumnEstimates(NamedTuple):
    """Shrinkage estimates on one column."""

    # values, variances: estimates of all values by predicate and their mean square errors, shape (predicates,
    # values)
    values: FloatArray
    variances: FloatArray
    selected: ErrorParts  # estimates of the queries with the parts of their errors, shape (queries,)
    most: FloatArray  # upper ends of their intervals


def shrunk(column: PublishedColumn, kind: Interval, by_conditions: bool, batch: QueryBatch) -> Estimates:
    """Estimate each predicate's composition from the whole domain, and from it the queries."""
    assert column.learning is not None
    notes: list[str | None] = [None] * len(batch.which)
    has_error = (batch.predicate_count > 0) & batch.members.any(axis=1)
    parts = []
    conditions = column.conditions(batch.predicates) if by_conditions else None
    for where, found in _batches(column.learning, batch, conditions):
        low, high = found.interval(kind)
        unclipped = Unclipped(found.states.solved, found.states.error)
        errors = np.sqrt(found.translated.variance)
        parts.append((where, Estimates(found.value, errors, low, high, unclipped=unclipped)))
        columns = (where, has_error[where], found.translated.far, found.states.error)
        for number, noted, far, error in zip(*(column.tolist() for column in columns), strict=True):
            alone = f"whose standard error is {error:.1f}" if np.isfinite(error) else "which says nothing"
            each = (
                *([AVERAGED] if noted else []),
                *([PUBLISHED_ALONE.format(alone)] if noted and kind == "each" else []),
                *([CONTRADICTED.format(far)] if far > FAR else []),
            )
            notes[number] = "; ".join(each) or None
    return replace(Estimates.from_batches(len(batch.which), parts), notes=notes)


def margins(column: PublishedColumn, by_conditions: bool, batch: QueryBatch) -> ColumnEstimates:
    """Return the shrunk estimates of a column: of each value in each predicate, and of the queries' sets.

    A set with most records is estimated as n less its other values: see `QueryBatch.by_the_rarer_side`.
    """
    if column.shrinkage is None:
        expected = batch.published.sum(axis=1)[:, None] * (column.frequencies / column.rows)
        parts = ErrorParts(batch.expected, 0 * batch.expected, batch.expected**2)
        return ColumnEstimates(expected, expected**2, parts, batch.most)
    common = (batch.frequency > column.rows / 2) & batch.is_set
    parts = ErrorParts(*(np.zeros(len(batch.which)) for _ in ErrorParts._fields))
    most = np.zeros(len(batch.which))
    conditions = column.conditions(batch.predicates) if by_conditions else None
    learned = column.shrinkage.learn(batch.published, conditions)
    for where, found in _batches(column.shrinkage, batch.complemented(common), conditions):
        value = np.where(common[where], batch.predicate_count[where] - found.value, found.value)
        sampling = np.minimum(found.sampling, found.translated.variance)
        parts.value[where], parts.sampling[where] = value, sampling
        parts.bias[where] = found.translated.variance - sampling
        low, high = found.interval("each")
        most[where] = np.where(common[where], batch.predicate_count[where] - low, high)
    return ColumnEstimates(
        learned.by_value.value, learned.by_value.variance, parts, np.minimum(most, batch.most)
    )


def _batches(
    shrinkage: Shrinkage | PlausiblePlans, batch: QueryBatch, conditions: Conditions | None
) -> Iterator[tuple[IntArray, ShrunkEstimates]]:
    """Estimate queries in batches of bounded size, sorted by predicate."""
    chunk = max(1, _CELLS // batch.published.shape[1])
    order = np.argsort(batch.which, kind="stable")
    for begin in range(0, len(order), chunk):
        where = order[begin : begin + chunk]
        places, which = np.unique(batch.which[where], return_inverse=True)
        some = None if conditions is None else conditions.of_predicates(places)
        yield where, shrinkage.answer(batch.published[places], which, batch.members[where], some)
