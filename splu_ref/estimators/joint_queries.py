"""The method `shrunk` for many queries on several sensitive columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_ref.estimators.answers import Ask, Estimates
from splu_ref.estimators.interactions import Interactions
from splu_ref.estimators.joint_shrinkage import NOTHING, Error, Estimated, JointQuery, Records
from splu_ref.estimators.margins import Margins, Parts, margins
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.published_column import Batch, PublishedColumn
from splu_ref.estimators.shrinkage import half_widths
from splu_ref.estimators.single_values import exact


class JointQueries:
    """Queries with what each of their columns tells alone, in their predicates and in all records.

    Parameters
    ----------
    parts
        The columns, each alone.
    model
        Their interactions in all records.
    asks
        The queries.
    """

    def __init__(self, parts: Sequence[PublishedColumn], model: Interactions, asks: Sequence[Ask]) -> None:
        self._parts, self._model = parts, model
        self._batches, self._single = _margins(parts, asks)
        _, self._alone = _margins(parts, [ask._replace(predicate=()) for ask in asks])
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
            unseen = np.flatnonzero(batch.frequency == 0)  # nothing to learn from: what is published nowhere
            if len(unseen):
                upper[unseen] = exact(part, batch.of(unseen)).upper
        return Estimates(value, np.sqrt(sampling + bias), np.clip(value - half, 0.0, total), upper)

    def _records(self, which: int, cells: FloatArray) -> Records:
        """Return a predicate's tables; those of one are kept until another is asked for."""
        if self._last is None or self._last[0] != which:
            values = [one.values[which] for one in self._single]
            self._last = which, Records(float(cells.sum()), values, self._model.tables(cells, values))
        return self._last[1]


def _margins(parts: Sequence[PublishedColumn], asks: Sequence[Ask]) -> tuple[list[Batch], list[Margins]]:
    """Return each column's part of the queries, counted and estimated."""
    batches = [
        part.count([Ask(ask.predicate, (ask.members[place],), (ask.named[place],)) for ask in asks])
        for place, part in enumerate(parts)
    ]
    return batches, [margins(part, batch) for part, batch in zip(parts, batches, strict=True)]


def _estimated(asked: Parts, number: int) -> Estimated:
    value, sampling, bias = (float(part[number]) for part in asked)
    return Estimated(value, Error(sampling, bias), NOTHING)
