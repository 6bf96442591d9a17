"""The methods without shrinkage: ``mle``, ``exact``, ``em`` and ``inversion``.

A method's ``single`` estimates queries on one sensitive column, ``joint`` queries on several, if supported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from splu_ref.estimators.answers import Estimates, QueryCounts, Unclipped
from splu_ref.estimators.counts import estimate_count
from splu_ref.estimators.linear.em import most_likely, require_convergence
from splu_ref.estimators.linear.group_noise import GroupNoise
from splu_ref.estimators.linear.transition import (
    LEAST_CONTRAST,
    apply_by_mode,
    contract,
    gain_probability,
    inverses,
    set_matrix,
    two_state_matrices,
)
from splu_ref.estimators.linear.two_state import (
    LinearEstimate,
    TwoState,
    two_state_estimates,
    two_state_intervals,
)
from splu_ref.estimators.queries.one_column import PublishedColumn, QueryBatch
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.queries.several_columns import SeveralColumns
from splu_ref.mechanisms import FloatArray

_CELLS = 1 << 21
"""Largest number of queries times values per batch, which bounds the memory."""


class PublishedCountAlone:
    """The published count of a sensitive value, which is the maximum likelihood estimate of its count."""

    name = "mle"
    summary = "the published count of a sensitive value alone"
    answers_predicates = False
    joint = None

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Return the counts with exact intervals; those of sets with score intervals.

        The counts are unbiased and may be above the largest possible one, at which the intervals end unless
        they are above it as a whole.
        """
        value, several = partial(self._value, column), partial(self._set, column)
        found = batch.by_the_rarer_side(lambda side: side.by_size(value, several))
        return replace(
            found, upper=np.where(found.lower <= batch.most, np.minimum(found.upper, batch.most), found.upper)
        )

    @staticmethod
    def _value(column: PublishedColumn, batch: QueryBatch) -> Estimates:
        if column.noise is not None:
            return PublishedCountAlone._dependent(column.noise, batch)
        law, counts = column.law, set(batch.frequency.tolist())
        found = {f: estimate_count(int(f), law.gamma, retention=law.retention) for f in counts}
        each = [found[f] for f in batch.frequency.tolist()]
        ends = np.array([one.interval for one in each], dtype=np.float64).reshape(-1, 2)
        error = np.array([one.standard_error for one in each])
        return Estimates(batch.frequency.copy(), error, ends[:, 0], np.minimum(ends[:, 1], column.rows))

    @staticmethod
    def _dependent(noise: GroupNoise, batch: QueryBatch) -> Estimates:
        """Return the counts under dependent draws, with approximate intervals."""
        values = np.where(batch.members.any(axis=1), batch.members.argmax(axis=1), -1).tolist()
        counts = [
            (None if value == -1 else value, int(f))
            for value, f in zip(values, batch.frequency.tolist(), strict=True)
        ]
        ends = np.array([noise.count_interval(*each) for each in counts], dtype=np.float64).reshape(-1, 2)
        error = np.array([noise.count_error(*each) for each in counts])
        return Estimates(batch.frequency.copy(), error, ends[:, 0], np.minimum(ends[:, 1], batch.rows))

    @staticmethod
    def _set(column: PublishedColumn, batch: QueryBatch) -> Estimates:
        ones = np.ones((len(batch.which), 1))
        error = column.set_error(batch, batch.frequency, ones, 0 * ones)
        return Estimates.score(batch.frequency, error, batch.predicate_count, float(column.law.variance))


class ClosedForm:
    """The closed form of the corrected two-state matrix, value by value."""

    name = "exact"
    summary = "closed form of the corrected two-state matrix"
    answers_predicates = True
    joint = None

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Return the estimates with score intervals; those of sets are sums with normal intervals."""
        value, several = partial(_closed_form, column), partial(self._set, column)
        found = batch.by_the_rarer_side(lambda side: side.by_size(value, several))
        return found.moved_below(batch.most)

    @staticmethod
    def _set(column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Add the estimates of the values, with the standard error of dependent estimates."""
        n = batch.predicate_count[:, None]
        matrix = TwoState.of(column.frequencies[None], column.rows, float(column.law.retention))
        linear = LinearEstimate.of(batch.published[batch.which], n, matrix)
        value = np.where(batch.members > 0, linear.value, 0.0).sum(axis=1)
        inside, outside = linear.weights(np.clip(linear.value, 0.0, n), n)
        error = column.set_error(batch, value, inside, outside)
        return Estimates.normal(value, error, batch.predicate_count)


class MostLikely:
    """The likelihood's maximum over the states of the conjunction, by EM with a matrix that stays fixed."""

    name = "em"
    summary = "the likelihood's maximum over the states of the conjunction"
    answers_predicates = True

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Return the maxima; intervals and errors are those of the unclipped solution."""
        found = batch.by_size(partial(self._value, column), partial(self._set, column))
        return found.moved_below(batch.most)

    def joint(
        self, columns: SeveralColumns, queries: Sequence[ResolvedQuery]
    ) -> tuple[QueryCounts, Estimates]:
        """Maximize the likelihoods of the published states under the products of two-state matrices."""
        columns.require_few_states()
        counted, each = columns.answer_each(queries, lambda _, cells, members: _states(cells, members))
        total = counted.predicate
        members = [columns.members(query) for query in queries]
        factors = [
            set_matrix(part.co_occurrence, np.array(indicators), part.law)
            for part, indicators in zip(columns.parts, zip(*members, strict=True), strict=True)
        ]
        contrast = [matrices[:, 1, 1] - matrices[:, 0, 1] for matrices in factors]
        informative = np.min(contrast, axis=0) >= LEAST_CONTRAST
        empty = np.where(informative | (total == 0), 0.0, np.nan)
        value, linear, error = empty.copy(), empty.copy(), empty.copy()
        solvable = np.flatnonzero(informative & (total > 0))
        if len(solvable):
            states = np.stack(each)[solvable]
            factors = [matrices[solvable] for matrices in factors]
            best = require_convergence(most_likely(states, factors))
            value[solvable] = best.reshape(len(best), -1)[:, -1]
            weights = [solved[:, :, 1:] for solved in inverses(factors)]
            linear[solvable] = apply_by_mode(states, weights).reshape(-1)
            fitted = apply_by_mode(best, factors)
            square = apply_by_mode(fitted, [weight**2 for weight in weights]).reshape(-1)
            error[solvable] = np.sqrt(np.maximum(square - value[solvable], 0.0))
        found = Estimates.normal(linear, error, total).with_value(value)
        return counted, replace(found.below(counted.most), model_based=True)

    @staticmethod
    def _value(column: PublishedColumn, batch: QueryBatch) -> Estimates:
        keep = float(column.law.retention)
        gain = gain_probability(batch.frequency, column.rows, keep)
        maxima = _maximized(batch, gain, np.full_like(gain, keep))
        return replace(_closed_form(column, batch), value=maxima)

    @staticmethod
    def _set(column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Treat each set as one value, with the two-state matrix of the set."""
        matrices = set_matrix(column.co_occurrence, batch.members, column.law)
        gain, retention = matrices[:, 0, 1], matrices[:, 1, 1]
        gain = np.where(retention - gain < LEAST_CONTRAST, retention, gain)
        contrast = np.where(retention > gain, retention - gain, np.nan)
        n = batch.predicate_count
        value = (batch.counted - n * gain) / contrast
        slope = TwoState.of(batch.frequency, column.rows, retention).slope
        outside = (np.clip(value, 0.0, n) - n) * slope / contrast
        error = column.set_error(batch, value, (1 / contrast + outside)[:, None], outside[:, None])
        return Estimates.normal(value, error, n).with_value(_maximized(batch, gain, retention))


class InvertedMatrix:
    """The inverse of the per-value matrix: unbiased, may be negative, and not cut off."""

    name = "inversion"
    summary = "inverse of the per-value matrix, unbiased, may be negative"
    answers_predicates = True

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Return the estimates with normal intervals."""
        inversion = column.inversion
        published = batch.published[batch.which]
        value = np.einsum("qv,qv->q", inversion.estimates(published), batch.members)
        error = np.empty(len(value))
        chunk = max(1, _CELLS // len(column.frequencies))
        for begin in range(0, len(value), chunk):
            some = slice(begin, begin + chunk)
            error[some] = inversion.standard_errors(published[some], batch.members[some])
        if column.noise is not None:
            reduction = (batch.predicate_count / column.rows) ** 2 * column.noise.of_sets(batch.members).total
            error = np.sqrt(np.maximum(error**2 - reduction, 0.0))
        return Estimates.unbounded(value, error, inversion.condition_number)

    def joint(
        self, columns: SeveralColumns, queries: Sequence[ResolvedQuery]
    ) -> tuple[QueryCounts, Estimates]:
        """Weight every record by the product of its columns' inverse weights, which is unbiased."""
        inverted = [part.inversion for part in columns.parts]

        def solved(_: int, cells: FloatArray, members: list[FloatArray]) -> tuple[float, float]:
            weights = [
                inverse.weights @ indicators for inverse, indicators in zip(inverted, members, strict=True)
            ]
            return contract(cells, weights), contract(cells, [weight**2 for weight in weights])

        counted, found = columns.answer_each(queries, solved)
        value, square = np.array(found).reshape(-1, 2).T
        # Each record's expected weight is 1 or 0, so the variance is E(sum of squares) less the count.
        error = np.sqrt(np.maximum(square - value, 0.0))
        condition = float(np.prod([inverse.condition_number for inverse in inverted]))
        return counted, Estimates.unbounded(value, error, condition)


def _closed_form(column: PublishedColumn, batch: QueryBatch) -> Estimates:
    counts = batch.counted, batch.predicate_count, batch.frequency
    reduction = None if column.noise is None else column.noise.of_sets(batch.members)
    value, error = two_state_estimates(*counts, column.rows, column.law, reduction)
    matrix = TwoState.of(batch.frequency, column.rows, float(column.law.retention))
    linear = LinearEstimate.of(batch.counted, batch.predicate_count, matrix).value
    return Estimates(
        value,
        error,
        *two_state_intervals(*counts, column.rows, column.law, reduction),
        unclipped=Unclipped(linear, error),
    )


def _maximized(batch: QueryBatch, gain: FloatArray, retention: FloatArray) -> FloatArray:
    """Return maximum likelihood counts from the probabilities a and b, NaN where the matrix is singular."""
    value = np.where(retention > gain, 0.0, np.nan)
    where = np.flatnonzero((retention > gain) & (batch.predicate_count > 0))
    if len(where):
        y = batch.counted[where]
        states = np.stack([batch.predicate_count[where] - y, y], axis=1)
        factor = two_state_matrices(gain[where], retention[where])
        value[where] = require_convergence(most_likely(states, [factor]))[:, 1]
    return value


def _states(cells: FloatArray, members: Sequence[FloatArray]) -> FloatArray:
    """Return the counts of the conjunction's states, shape (2, ..., 2): 1 where a column's value is meant."""
    states = cells
    for mode, indicators in enumerate(members):
        sides = [np.tensordot(states, side, axes=([mode], [0])) for side in (1 - indicators, indicators)]
        states = np.stack(sides, axis=mode)
    return states
