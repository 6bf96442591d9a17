"""The method `shrunk` for one query on several sensitive columns, from its predicate's tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

import numpy as np

from splu_ref.estimators.interactions import ALL_RECORDS, FLOOR, PREDICATE, Interaction, Interactions
from splu_ref.estimators.kronecker import contracted
from splu_ref.estimators.learning import learned_weights, likely_spreads
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.proportional_fitting import TRACE, Places

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
        self._shares = [float(side.share @ held) for side, held in zip(model.sides, members, strict=True)]
        # An interaction adds up to 0 over a column, so a set with most records is minus the other values.
        self._signed = [
            held - 1 if held.sum() > 1 and share > 1 / 2 else held
            for held, share in zip(members, self._shares, strict=True)
        ]
        self._told = [
            not (held != 0)[side.known == 0].any()
            for side, held in zip(model.sides, self._signed, strict=True)
        ]
        weights = [side.weights(held) for side, held in zip(model.sides, self._signed, strict=True)]
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
        fit, error = contracted(table.fit, self._of(self._members, places)), NOTHING
        for rest in combinations(places, len(places) - 1):
            inside = records.margins[rest[0]] if len(rest) == 1 else records.tables[rest].estimate
            counted = contracted(inside, self._of(self._members, rest))
            fit *= max(known[rest].value / counted, TRACE) if counted > 0 else 1.0
        for rest in combinations(places, len(places) - 1):
            least = TRACE * n * float(np.prod(self._of(self._shares, rest)))
            lower = max(known[rest].value, least)
            error = error.plus(known[rest].error.times((fit / lower) ** 2 if lower > 0 else 0.0))
        deviation = contracted(table.deviation, self._of(self._signed, places))
        shape = (1,) * len(places)
        told = all(self._of(self._told, places))
        judged = self._model.judged(
            places,
            n,
            np.full(shape, fit),
            np.full(shape, deviation if told else np.nan),
            records.margins,
            self._of(self._squares, places),
            self._of(self._own, places),
        )
        prior, likely = ALL_RECORDS if base is None else PREDICATE, table.likely
        if self._is_set:
            sharper = prior.after(table.likely[:, 0])
            likely = likely_spreads(judged.relative, judged.noise, judged.chance, sharper)
        learned = learned_weights(likely, judged.noise, judged.chance, prior)
        weight, doubt, spread = (float(part[0, 0]) for part in learned)
        unit, variance = float(judged.unit.flat[0]), float(judged.variance.flat[0])
        value = min(max(fit + weight * deviation, FLOOR * fit if base is None else 0.0), n)
        bias = (1 - weight) ** 2 * spread * unit**2 + doubt * deviation**2
        own = Error(weight**2 * variance, bias) if fit > 0 else NOTHING
        if base is not None and base.value > 0:
            own = own.plus(base.interaction.times((fit / base.value) ** 2))
        return Estimated(value, error.plus(own), own)

    @staticmethod
    def _of(parts: Sequence[T], places: Places) -> list[T]:
        return [parts[place] for place in places]
