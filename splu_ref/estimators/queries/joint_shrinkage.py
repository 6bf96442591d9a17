"""The method ``shrunk``: on several sensitive columns each query is estimated from its predicate's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators.answers import Counted, Estimates
from splu_ref.estimators.linear.transition import contracted
from splu_ref.estimators.queries.published_column import Batch, PublishedColumn
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.queries.several_columns import SeveralColumns
from splu_ref.estimators.queries.shrunk_queries import Margins, Parts, margins, shrunk, upper_ends
from splu_ref.estimators.shrunk.interactions import (
    ALL_RECORDS,
    FLOOR,
    PREDICATE,
    TRACE,
    Interaction,
    Interactions,
    Places,
)
from splu_ref.estimators.shrunk.learning import Learned, learned_weights, posterior_of_tau
from splu_ref.estimators.shrunk.shrinkage import half_widths

T = TypeVar("T")


class Error(NamedTuple):
    """Parts of a mean square error: variance at fixed true counts, and mean square of what shrinking adds."""

    sampling: float
    bias: float

    def times(self, factor: float) -> Error:
        """Return the error of the estimate times the root of ``factor``."""
        return Error(self.sampling * factor, self.bias * factor)

    def plus(self, other: Error) -> Error:
        """Return the error of a sum of independent estimates."""
        return Error(self.sampling + other.sampling, self.bias + other.bias)


NOTHING = Error(0.0, 0.0)


class Estimated(NamedTuple):
    """An estimated count, with its error and the part of that which is due to interactions of its columns."""

    value: float
    error: Error
    interaction: Error


class Records(NamedTuple):
    """Some records, by what is known of them.

    Attributes
    ----------
    total
        n, their number.
    margins
        Estimated counts by the values of each column.
    tables
        The tables of several columns: see `Interactions`.
    """

    total: float
    margins: Sequence[FloatArray]
    tables: Mapping[Places, Interaction]


class JointQuery:
    """A query: which values of each column it counts.

    Parameters
    ----------
    model
        The interactions of all records.
    members
        For each column 1 for the values that are counted, 0 for the others.
    """

    def __init__(self, model: Interactions, members: Sequence[FloatArray]) -> None:
        self._model, self._members = model, tuple(members)
        # The values of a set may deviate together, which single cells do not show: it is evidence of its own.
        self._is_set = any(held.sum() > 1 for held in members)
        pairs = list(zip(model.channels, members, strict=True))
        self._shares = [float(channel.share @ held) for channel, held in pairs]
        # An interaction adds up to 0 over a column, so a set with most records is minus the other values.
        self._signed = [
            held - 1 if held.sum() > 1 and share > 1 / 2 else held
            for held, share in zip(members, self._shares, strict=True)
        ]
        pairs = list(zip(model.channels, self._signed, strict=True))
        self._informative = [not (held != 0)[channel.informative == 0].any() for channel, held in pairs]
        weights = [channel.weights(held) for channel, held in pairs]
        self._squares = [each[:, None] ** 2 for each in weights]
        self._own = [np.array([share * (1 - share)]) for share in self._shares]

    def estimate(
        self,
        records: Records,
        single: Sequence[Estimated],
        whole: Mapping[Places, Estimated] | None = None,
    ) -> dict[Places, Estimated]:
        """Estimate the counts of the conditions on each of the columns, and on each several of them.

        Parameters
        ----------
        records
            Those of a predicate, or all.
        single
            The count of each column's condition alone in them.
        whole
            The same estimates for all records; None if ``records`` are all.
        """
        known: dict[Places, Estimated] = {(place,): one for place, one in enumerate(single)}
        for places in records.tables:
            known[places] = self._joint(places, records, known, None if whole is None else whole[places])
        return known

    def _joint(
        self, places: Places, records: Records, known: Mapping[Places, Estimated], base: Estimated | None
    ) -> Estimated:
        table, n = records.tables[places], records.total
        # What fewer columns lead to expect: the fit's count, moved as far as the conditions' own counts are
        # from those of the tables that the fit was made from; the relative errors of all add up.
        fit, error = contracted(table.fit, self._of(self._members, places)), NOTHING
        for rest in combinations(places, len(places) - 1):
            inside = records.margins[rest[0]] if len(rest) == 1 else records.tables[rest].estimate
            counted = contracted(inside, self._of(self._members, rest))
            fit *= max(known[rest].value / counted, TRACE) if counted > 0 else 1.0
        for rest in combinations(places, len(places) - 1):
            least = TRACE * n * float(np.prod(self._of(self._shares, rest)))
            lower = max(known[rest].value, least)
            error = error.plus(known[rest].error.times((fit / lower) ** 2 if lower > 0 else 0.0))
        # How much to believe of the interaction on top: as the table's cells taught, or a set by itself.
        deviation = contracted(table.deviation, self._of(self._signed, places))
        shape = (1,) * len(places)
        scaled = self._model.deviations(
            places,
            n,
            np.full(shape, fit),
            np.full(shape, deviation if all(self._of(self._informative, places)) else np.nan),
            records.margins,
            self._of(self._squares, places),
            self._of(self._own, places),
        )
        prior, posterior = ALL_RECORDS if base is None else PREDICATE, table.posterior
        if self._is_set:
            sharper = prior.after(table.posterior[:, 0])
            posterior = posterior_of_tau(scaled.relative, scaled.noise, scaled.chance, sharper)
        learned = Learned(
            *(part[0, 0] for part in learned_weights(posterior, scaled.noise, scaled.chance, prior))
        )
        # The estimate, with the noise of the interaction, and for a predicate what all records bring along.
        weight, unit, variance = float(learned.weight), float(scaled.unit.flat[0]), scaled.variance.flat[0]
        value = min(max(fit + weight * deviation, FLOOR * fit if base is None else 0.0), n)
        bias = float(learned.bias(deviation, unit))
        own = Error(weight**2 * float(variance), bias) if fit > 0 else NOTHING
        if base is not None and base.value > 0:
            own = own.plus(base.interaction.times((fit / base.value) ** 2))
        return Estimated(value, error.plus(own), own)

    @staticmethod
    def _of(parts: Sequence[T], places: Places) -> list[T]:
        return [parts[place] for place in places]


class JointQueries:
    """Queries with what each of their columns tells alone, in their predicates and in all records.

    Parameters
    ----------
    parts
        The columns, each alone.
    model
        Their interactions in all records.
    queries
        Those to answer.
    """

    def __init__(
        self, parts: Sequence[PublishedColumn], model: Interactions, queries: Sequence[ResolvedQuery]
    ) -> None:
        self._parts, self._model = parts, model
        self._batches, self._single = _margins(parts, queries)
        _, self._alone = _margins(parts, [query._replace(predicate=()) for query in queries])
        self._all = Records(model.rows, [part.frequencies for part in parts], model.whole)
        self._last: tuple[int, Records] | None = None

    def answer(self, number: int, cells: FloatArray, members: list[FloatArray]) -> tuple[float, float, float]:
        """Return the estimate of a query, its variance and its squared bias.

        Parameters
        ----------
        number
            Which query. The queries of one predicate should come one after another.
        cells
            Its predicate's records by their published values.
        members
            For each column 1 for the values that are counted, 0 for the others.
        """
        total = float(cells.sum())
        if total == 0:
            return 0.0, 0.0, 0.0
        query = JointQuery(self._model, members)
        found = query.estimate(self._all, [_estimated(one.asked, number) for one in self._alone])
        if total < self._model.rows:
            records = self._records(int(self._batches[0].which[number]), cells)
            found = query.estimate(records, [_estimated(one.asked, number) for one in self._single], found)
        value, error, _ = found[tuple(range(len(members)))]
        return value, error.sampling, error.bias

    def estimates(self, answers: Sequence[tuple[float, float, float]], total: FloatArray) -> Estimates:
        """Return all answers, in order, as estimates with intervals within 0 .. n.

        Parameters
        ----------
        answers
            What `answer` returned for each query.
        total
            n, shape (queries,).
        """
        value, sampling, bias = np.array(answers).reshape(-1, 3).T
        half = half_widths(sampling, bias)
        upper = np.clip(value + half, 0.0, total)
        for part, batch in zip(self._parts, self._batches, strict=True):
            upper = upper_ends(upper, part, batch)
        return Estimates(value, np.sqrt(sampling + bias), np.clip(value - half, 0.0, total), upper)

    def _records(self, which: int, cells: FloatArray) -> Records:
        """Return a predicate's tables; those of one are kept until another is asked for."""
        if self._last is None or self._last[0] != which:
            values = [one.values[which] for one in self._single]
            self._last = which, Records(float(cells.sum()), values, self._model.tables(cells, values))
        return self._last[1]


def _margins(
    parts: Sequence[PublishedColumn], queries: Sequence[ResolvedQuery]
) -> tuple[list[Batch], list[Margins]]:
    """Return each column's part of the queries, counted and estimated."""
    batches = [part.count([query.alone(place) for query in queries]) for place, part in enumerate(parts)]
    return batches, [margins(part, batch) for part, batch in zip(parts, batches, strict=True)]


def _estimated(asked: Parts, number: int) -> Estimated:
    value, sampling, bias = (float(part[number]) for part in asked)
    return Estimated(value, Error(sampling, bias), NOTHING)


class LearnedWeight:
    """The default: as close to the unbiased estimate as the whole domain says that it can be trusted."""

    name = "shrunk"
    summary = "between exact and n f'/N, by a learned weight"
    answers_predicates = True

    def single(self, column: PublishedColumn, batch: Batch) -> Estimates:
        """Return the estimates; intervals hold 95 % of the values on average over the domain."""
        found = batch.by_the_rarer_side(partial(shrunk, column))
        return found.with_ends_below(batch.most).within_ends()

    def joint(self, columns: SeveralColumns, queries: Sequence[ResolvedQuery]) -> tuple[Counted, Estimates]:
        """Build up each predicate's table from its margins, and shrink the query's interactions."""
        joint = JointQueries(columns.parts, columns.interactions, queries)
        counted, each = columns.answer_each(queries, joint.answer)
        found = joint.estimates(each, counted.predicate)
        return counted, found.with_ends_below(counted.most).within_ends()
