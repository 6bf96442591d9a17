"""The method ``shrunk``, and its estimates on several sensitive columns from the predicate's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from splu_ref.estimators.answers import ON_AVERAGE, Estimates, Interval, QueryCounts, Unclipped
from splu_ref.estimators.linear.transition import contract
from splu_ref.estimators.queries.methods import ClosedForm
from splu_ref.estimators.queries.one_column import (
    ColumnEstimates,
    ErrorParts,
    PublishedColumn,
    QueryBatch,
    margins,
    shrunk,
)
from splu_ref.estimators.queries.query import ResolvedQuery
from splu_ref.estimators.queries.several_columns import SeveralColumns
from splu_ref.estimators.shrinkage.conjunction_interval import LEAST
from splu_ref.estimators.shrinkage.interactions import (
    ALL_RECORDS,
    FLOOR,
    PREDICATE,
    TRACE,
    Interaction,
    Interactions,
    Places,
)
from splu_ref.estimators.shrinkage.limited_translation import COST, few_records_cost, translate
from splu_ref.estimators.shrinkage.several_states import SeveralStates
from splu_ref.estimators.shrinkage.shrinkage import half_widths
from splu_ref.estimators.shrinkage.weights import ShrinkageWeights, posterior_of_tau, shrinkage_weights
from splu_ref.mechanisms import FloatArray

T = TypeVar("T")


class MeanSquareError(NamedTuple):
    """Parts of a mean square error: variance at fixed true counts, and mean squared shrinkage bias."""

    sampling: float
    bias: float

    def times(self, factor: float) -> MeanSquareError:
        """Return the error of the estimate times the root of ``factor``."""
        return MeanSquareError(self.sampling * factor, self.bias * factor)

    def plus(self, other: MeanSquareError) -> MeanSquareError:
        """Return the error of a sum of independent estimates."""
        return MeanSquareError(self.sampling + other.sampling, self.bias + other.bias)


NOTHING = MeanSquareError(0.0, 0.0)
_CAVEATS: dict[Interval, str | None] = {"each": None, "average": ON_AVERAGE}


class CountEstimateWithError(NamedTuple):
    """An estimated count, with its error and the part of that which is due to interactions of its columns."""

    value: float
    error: MeanSquareError
    interaction: MeanSquareError


class RecordTables(NamedTuple):
    """Estimated tables of a set of records.

    Attributes
    ----------
    total
        n, the number of records.
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
        """Return the table of all columns with its mean square errors, including those of the margins."""
        whole = self.tables[tuple(range(len(self.margins)))]
        relative = np.zeros(())
        for margin, variance in zip(self.margins, self.variances, strict=True):
            own = np.divide(variance, margin**2, out=np.zeros_like(margin), where=margin > 0)
            relative = np.add.outer(relative, np.minimum(own, 1.0))
        return whole.estimate, whole.variance + relative * whole.estimate**2


class JointEstimate(NamedTuple):
    """An estimate, the parts of its mean square error, and the ends of two kinds of interval."""

    value: float
    error: float
    each: tuple[float, float]
    average: tuple[float, float]
    solved: tuple[float, float]  # the unbiased estimate with its standard error; NaN if there is none


NO_RECORDS = JointEstimate(0.0, 0.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))


class JointQuery:
    """A query as indicators of the counted values of each column.

    Parameters
    ----------
    model
        The interactions of all records.
    members
        Indicators of the counted values, one array per column.
    """

    def __init__(self, model: Interactions, members: Sequence[FloatArray]) -> None:
        self._model, self._members = model, tuple(members)
        # The deviations of a set's values may be correlated, so a set has its own likelihood.
        self._is_set = any(members_of_column.sum() > 1 for members_of_column in members)
        pairs = list(zip(model.channels, members, strict=True))
        self._shares = [float(channel.share @ members_of_column) for channel, members_of_column in pairs]
        # An interaction sums to 0 over a column: replace a set with most records by minus its complement.
        self._signed = [
            members_of_column - 1 if members_of_column.sum() > 1 and share > 1 / 2 else members_of_column
            for members_of_column, share in zip(members, self._shares, strict=True)
        ]
        pairs = list(zip(model.channels, self._signed, strict=True))
        self._informative = [
            not (members_of_column != 0)[channel.informative == 0].any()
            for channel, members_of_column in pairs
        ]
        weights = [channel.weights(members_of_column) for channel, members_of_column in pairs]
        self._squares = [each[:, None] ** 2 for each in weights]
        self._own = [np.array([share * (1 - share)]) for share in self._shares]

    def estimate(
        self,
        records: RecordTables,
        single: Sequence[CountEstimateWithError],
        whole: Mapping[Places, CountEstimateWithError] | None = None,
    ) -> dict[Places, CountEstimateWithError]:
        """Estimate the counts of the conditions on every subset of the columns.

        Parameters
        ----------
        records
            Those of a predicate, or all.
        single
            The count of each column's condition alone in them.
        whole
            The same estimates for all records; None if ``records`` are all.
        """
        known: dict[Places, CountEstimateWithError] = {(place,): one for place, one in enumerate(single)}
        for places in records.tables:
            known[places] = self._joint(places, records, known, None if whole is None else whole[places])
        return known

    def _joint(
        self,
        places: Places,
        records: RecordTables,
        known: Mapping[Places, CountEstimateWithError],
        base: CountEstimateWithError | None,
    ) -> CountEstimateWithError:
        table, n = records.tables[places], records.total
        # The fit's count, rescaled by the estimates of fewer columns; the relative errors are added.
        fit, error = contract(table.fit, self._of(self._members, places)), NOTHING
        for rest in combinations(places, len(places) - 1):
            inside = records.margins[rest[0]] if len(rest) == 1 else records.tables[rest].estimate
            counted = contract(inside, self._of(self._members, rest))
            fit *= max(known[rest].value / counted, TRACE) if counted > 0 else 1.0
        for rest in combinations(places, len(places) - 1):
            least = TRACE * n * float(np.prod(self._of(self._shares, rest)))
            lower = max(known[rest].value, least)
            error = error.plus(known[rest].error.times((fit / lower) ** 2 if lower > 0 else 0.0))
        # The shrinkage weight of the interaction, from the table's cells or for a set from its own deviation.
        deviation = contract(table.deviation, self._of(self._signed, places))
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
            sharper = prior.updated(table.posterior[:, 0])
            posterior = posterior_of_tau(scaled.relative, scaled.noise, scaled.chance, sharper)
        learned = ShrinkageWeights(
            *(part[0, 0] for part in shrinkage_weights(posterior, scaled.noise, scaled.chance, prior))
        )
        # The estimate with the error of the interaction, and for a predicate that of all records.
        weight, unit, variance = float(learned.weight), float(scaled.unit.flat[0]), scaled.variance.flat[0]
        value = min(max(fit + weight * deviation, FLOOR * fit if base is None else 0.0), n)
        bias = float(learned.bias(deviation, unit))
        own = MeanSquareError(weight**2 * float(variance), bias) if fit > 0 else NOTHING
        if base is not None and base.value > 0:
            own = own.plus(base.interaction.times((fit / base.value) ** 2))
        return CountEstimateWithError(value, error.plus(own), own)

    @staticmethod
    def _of(parts: Sequence[T], places: Places) -> list[T]:
        return [parts[place] for place in places]


class JointQueries:
    """Estimates of queries on several columns, from those of each column and of all records.

    Parameters
    ----------
    parts
        The columns, each alone.
    model
        Their interactions in all records.
    queries
        Those to answer.
    by_conditions
        Whether each column uses the estimates of the single conditions.
    """

    def __init__(
        self,
        parts: Sequence[PublishedColumn],
        model: Interactions,
        queries: Sequence[ResolvedQuery],
        by_conditions: bool,
    ) -> None:
        self._parts, self._model = parts, model
        self._batches, self._single = _margins(parts, queries, by_conditions)
        alone = [query._replace(predicate=()) for query in queries]
        _, self._alone = _margins(parts, alone, by_conditions)
        frequencies = [part.frequencies for part in parts]
        self._all = RecordTables(
            model.rows, frequencies, [part.count_variances for part in parts], model.all_records
        )
        self._last: tuple[int, RecordTables] | None = None

    def answer(self, number: int, cells: FloatArray, members: list[FloatArray]) -> JointEstimate:
        """Return the answer to a query.

        Parameters
        ----------
        number
            Index of the query. Queries with one predicate should be consecutive.
        cells
            Its predicate's records by their published values.
        members
            Indicators of the counted values, one array per column.
        """
        total = float(cells.sum())
        if total == 0:
            return NO_RECORDS
        query, records, margins = JointQuery(self._model, members), self._all, self._alone
        found = query.estimate(records, [_selected_count(one.selected, number) for one in margins])
        if total < self._model.rows:
            records, margins = self._records(int(self._batches[0].which[number]), cells), self._single
            found = query.estimate(records, [_selected_count(one.selected, number) for one in margins], found)
        value, error, _ = found[tuple(range(len(members)))]
        columns = [
            part.states(members_of_column)
            for part, members_of_column in zip(self._parts, members, strict=True)
        ]
        states = SeveralStates.of(columns, cells, *records.table())
        most = min(total, *(float(one.most[number]) for one in margins))
        return _translated(states, value, error, most)

    def estimates(self, answers: Sequence[JointEstimate], kind: Interval) -> Estimates:
        """Return all answers, in order, with one kind of interval."""
        ends = np.array([one.each if kind == "each" else one.average for one in answers]).reshape(-1, 2)
        solved = np.array([one.solved for one in answers]).reshape(-1, 2)
        return Estimates(
            np.array([one.value for one in answers]),
            np.array([one.error for one in answers]),
            ends[:, 0],
            ends[:, 1],
            interval_kind=kind,
            caveat=_CAVEATS[kind],
            model_based=True,
            unclipped=Unclipped(solved[:, 0], solved[:, 1]),
        )

    def _records(self, which: int, cells: FloatArray) -> RecordTables:
        """Return a predicate's tables; the last predicate is cached."""
        if self._last is None or self._last[0] != which:
            values = [one.values[which] for one in self._single]
            variances = [one.variances[which] for one in self._single]
            tables = self._model.tables(cells, values)
            self._last = which, RecordTables(float(cells.sum()), values, variances, tables)
        return self._last[1]


def _margins(
    parts: Sequence[PublishedColumn], queries: Sequence[ResolvedQuery], by_conditions: bool
) -> tuple[list[QueryBatch], list[ColumnEstimates]]:
    """Return each column's part of the queries, counted and estimated."""
    batches = [part.count([query.alone(place) for query in queries]) for place, part in enumerate(parts)]
    each = zip(parts, batches, strict=True)
    return batches, [margins(part, by_conditions, batch) for part, batch in each]


def _selected_count(selected: ErrorParts, number: int) -> CountEstimateWithError:
    value, sampling, bias = (float(part[number]) for part in selected)
    return CountEstimateWithError(value, MeanSquareError(sampling, bias), NOTHING)


def _translated(states: SeveralStates, shrunk: float, error: MeanSquareError, most: float) -> JointEstimate:
    """Apply limited translation to an estimate, and return it with its intervals, at most ``most``."""
    low, high = states.interval()
    posterior, value, spread = error.sampling + error.bias, shrunk, float("nan")
    if states.contrast > 0:
        middle = min(max(states.solved, 0.0), states.total)
        spread = float(np.sqrt(states.variance(np.array(middle)))) / states.contrast
        own = max(float(states.variance(np.array([middle, shrunk])).max()) / states.contrast**2, LEAST)
        ratio = min(max(posterior / own, LEAST), 1.0)
        far = abs(states.solved - shrunk) / np.sqrt(own * max(1 - ratio, LEAST))
        # The clipped moment estimate has an error of at most n.
        part = min(1.0, states.total**2 / own)
        cost = COST * ratio + part * float(few_records_cost(np.array(states.total)))
        found = translate(*(np.array([one]) for one in (middle, own, shrunk, ratio, far, cost)))
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
    return JointEstimate(value, float(np.sqrt(posterior)), each, other, (states.solved, spread))


@dataclass(frozen=True)
class ShrinkageMethod:
    """The default method ``shrunk``: empirical-Bayes shrinkage with limited translation.

    Attributes
    ----------
    interval
        Kind of coverage of the intervals.
    by_conditions
        Whether queries use the estimates of their single conditions, and those on one sensitive column
        intervals with the tails that the records outside the predicate make shortest.
    """

    interval: Interval = "each"
    by_conditions: bool = True

    name = "shrunk"
    summary = (
        "all values of the predicate together, shrunk toward their shares of all records; the data alone: "
        "--method exact or inversion"
    )
    answers_predicates = True

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Return the estimates, with intervals at most as high as those of the values alone."""
        if column.shrinkage is None:  # too few values are published for a plan
            return ClosedForm().single(column, batch)
        found = batch.by_the_rarer_side(partial(shrunk, column, self.interval, self.by_conditions))
        found = found.below(batch.most).clipped_to_interval()
        return replace(
            found,
            interval_kind=self.interval,
            caveat=_CAVEATS[self.interval],
            allows_for_plan=column.allows_for_plan,
        )

    def joint(
        self, columns: SeveralColumns, queries: Sequence[ResolvedQuery]
    ) -> tuple[QueryCounts, Estimates]:
        """Estimate each predicate's table from its margins, and shrink the query's interactions."""
        joint = JointQueries(columns.parts, columns.interactions, queries, self.by_conditions)
        counted, each = columns.answer_each(queries, joint.answer)
        found = joint.estimates(each, self.interval)
        return counted, found.below(counted.most).clipped_to_interval()
