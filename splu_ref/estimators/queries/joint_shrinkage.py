"""The method ``shrunk``: on several sensitive columns each query is estimated from its predicate's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from splu_ref.estimators.answers import Counted, Estimates, Interval
from splu_ref.estimators.linear.transition import contracted
from splu_ref.estimators.queries.methods import ClosedForm
from splu_ref.estimators.queries.one_column import Batch, Margins, Parts, PublishedColumn, margins, shrunk
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.queries.several_columns import SeveralColumns
from splu_ref.estimators.shrinkage.interactions import (
    ALL_RECORDS,
    FLOOR,
    PREDICATE,
    TRACE,
    Interaction,
    Interactions,
    Places,
)
from splu_ref.estimators.shrinkage.learning import Learned, learned_weights, posterior_of_tau
from splu_ref.estimators.shrinkage.neighbors import COST, LEAST, limited, small
from splu_ref.estimators.shrinkage.several_states import SeveralStates
from splu_ref.estimators.shrinkage.shrinkage import half_widths
from splu_ref.mechanisms import FloatArray

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
    variances
        Mean square errors of those.
    tables
        The tables of several columns: see `Interactions`.
    """

    total: float
    margins: Sequence[FloatArray]
    variances: Sequence[FloatArray]
    tables: Mapping[Places, Interaction]

    def table(self) -> tuple[FloatArray, FloatArray]:
        """Return the table of all columns and its mean square errors; relative ones of margins add up."""
        whole = self.tables[tuple(range(len(self.margins)))]
        relative = np.zeros(())
        for margin, variance in zip(self.margins, self.variances, strict=True):
            own = np.divide(variance, margin**2, out=np.zeros_like(margin), where=margin > 0)
            relative = np.add.outer(relative, np.minimum(own, 1.0))
        return whole.estimate, whole.variance + relative * whole.estimate**2


class Answer(NamedTuple):
    """An estimate, the parts of its mean square error, and the ends of two kinds of interval."""

    value: float
    error: float
    each: tuple[float, float]
    average: tuple[float, float]


NONE = Answer(0.0, 0.0, (0.0, 0.0), (0.0, 0.0))


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
        frequencies = [part.frequencies for part in parts]
        self._all = Records(model.rows, frequencies, [part.count_variances for part in parts], model.whole)
        self._last: tuple[int, Records] | None = None

    def answer(self, number: int, cells: FloatArray, members: list[FloatArray]) -> Answer:
        """Return the answer to a query.

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
            return NONE
        query, records, margins = JointQuery(self._model, members), self._all, self._alone
        found = query.estimate(records, [_estimated(one.asked, number) for one in margins])
        if total < self._model.rows:
            records, margins = self._records(int(self._batches[0].which[number]), cells), self._single
            found = query.estimate(records, [_estimated(one.asked, number) for one in margins], found)
        value, error, _ = found[tuple(range(len(members)))]
        columns = [part.states(held) for part, held in zip(self._parts, members, strict=True)]
        states = SeveralStates.of(columns, cells, *records.table())
        most = min(total, *(float(one.most[number]) for one in margins))
        return _bent(states, value, error, most)

    def estimates(self, answers: Sequence[Answer], kind: Interval) -> Estimates:
        """Return all answers, in order, with one kind of interval."""
        ends = np.array([one.each if kind == "each" else one.average for one in answers]).reshape(-1, 2)
        return Estimates(
            np.array([one.value for one in answers]),
            np.array([one.error for one in answers]),
            ends[:, 0],
            ends[:, 1],
            interval_kind=kind,
        )

    def _records(self, which: int, cells: FloatArray) -> Records:
        """Return a predicate's tables; those of one are kept until another is asked for."""
        if self._last is None or self._last[0] != which:
            values = [one.values[which] for one in self._single]
            variances = [one.variances[which] for one in self._single]
            tables = self._model.tables(cells, values)
            self._last = which, Records(float(cells.sum()), values, variances, tables)
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


def _bent(states: SeveralStates, shrunk: float, error: Error, most: float) -> Answer:
    """Bend an estimate, and return it with its intervals, all below ``most``."""
    low, high = states.interval()
    posterior, value = error.sampling + error.bias, shrunk
    if states.contrast > 0:
        middle = min(max(states.solved, 0.0), states.total)
        own = max(float(states.variance(np.array([middle, shrunk])).max()) / states.contrast**2, LEAST)
        ratio = min(max(posterior / own, LEAST), 1.0)
        far = abs(states.solved - shrunk) / np.sqrt(own * max(1 - ratio, LEAST))
        # The solution, cut off at 0 and n, is off by n at most, whatever its variance.
        part = min(1.0, states.total**2 / own)
        cost = COST * ratio + part * float(small(np.array(states.total)))
        found = limited(*(np.array([one]) for one in (middle, own, shrunk, ratio, far, cost)))
        value, posterior = float(found.value[0]), float(found.variance[0])
    value = min(max(value, 0.0), most)
    half = float(half_widths(np.array(error.sampling), np.array(error.bias)))
    average = max(shrunk - half, 0.0), min(shrunk + half, states.total)
    if average[1] - average[0] > high - low:
        average = low, high
    each, other = (
        (float(np.floor(min(least, value))), min(float(np.ceil(max(greatest, value))), most))
        for least, greatest in ((low, high), average)
    )
    return Answer(value, float(np.sqrt(posterior)), each, other)


@dataclass(frozen=True)
class LearnedWeight:
    """The default: the composition of a predicate, shrunk, and bent to what each count shows by itself.

    Attributes
    ----------
    interval
        What the intervals are for.
    """

    interval: Interval = "each"

    name = "shrunk"
    summary = "all values of the predicate together, shrunk and bent"
    answers_predicates = True

    def single(self, column: PublishedColumn, batch: Batch) -> Estimates:
        """Return the estimates, with intervals that end where those of the values alone do."""
        if column.shrinkage is None:  # too few values are published to tell of a plan
            return ClosedForm().single(column, batch)
        found = batch.by_the_rarer_side(partial(shrunk, column, self.interval))
        found = found.with_ends_below(batch.most).within_ends()
        return replace(found, interval_kind=self.interval, allows_for_plan=column.allows_for_plan)

    def joint(self, columns: SeveralColumns, queries: Sequence[ResolvedQuery]) -> tuple[Counted, Estimates]:
        """Build up each predicate's table from its margins, and shrink the query's interactions."""
        joint = JointQueries(columns.parts, columns.interactions, queries)
        counted, each = columns.answer_each(queries, joint.answer)
        found = joint.estimates(each, self.interval)
        return counted, found.with_ends_below(counted.most).within_ends()
