"""The estimate that any declared channel allows: what was published, weighted by the channel's inverse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Channel, DependentRowsError, inverse
from splu_ref.channels.channel import In
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.estimators.queries.record_states import (
    approximate_interval,
    exact_interval,
    least_variances,
    plugged_in,
    weighted,
)
from splu_ref.interfaces import Randomizer, RecordRandomizer
from splu_ref.mechanisms import PublishedTable
from splu_ref.model import DataError, ParameterError
from splu_ref.randomness import IntArray, SystemSource

MOST_COLUMNS = 20
"""Sensitive columns of one query: a record has one of 2^k states."""
_NEGATIVE = (
    "the unbiased estimate of the variance is negative: the standard error is that at the estimated counts "
    "of all combinations, with 0 for those below it"
)


class ChannelEstimator:
    """Answers queries by the inverse of the channel that the mechanism declares.

    With W = A^-1 w, w the indicator of the values counted, the estimate is the sum of W over the published
    values of the records that meet the other conditions. It is unbiased, and may be negative. The sum of
    W^2 less the estimate is unbiased for its variance if the records are independent; it may be negative too.

    Of a mechanism whose records and columns are independent and for which all predicates are alike, a query
    may name several sensitive columns: a record has 2^k states, in or out of each column's set, and W is the
    product of the columns'. With one column the published count is the sum of two binomial ones, which is
    inverted for an interval that holds at least at its level. All other intervals are approximate.

    Parameters
    ----------
    release
        The published table.

    Raises
    ------
    DataError
        If the mechanism declares no channel.
    """

    def __init__(self, release: PublishedTable) -> None:
        mechanism = release.mechanism
        if not isinstance(mechanism, Randomizer):
            raise DataError(f"no estimator is known for a release by {mechanism.name}: ask its publisher")
        self._mechanism: Randomizer[object] = mechanism
        self._release = release
        self._column = cache(self._coded)

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        """Return an answer to each query.

        Raises
        ------
        DataError
            If the channel has no inverse: the release tells nothing then that a query could use.
        ParameterError
            For another method than ``inversion``, or a query that names no sensitive column, or more than the
            channel allows.
        """
        if method not in {None, "inversion"}:
            raise ParameterError(f"a release by {self._mechanism.name} has the method 'inversion' only")
        return [self._answer(query) for query in queries]

    def _answer(self, query: Query) -> QueryEstimate:
        mechanism, several = self._mechanism, isinstance(self._mechanism, RecordRandomizer)
        named = [column for column, _ in query.conditions if column in self._release.sensitive]
        most = MOST_COLUMNS if several else 1
        if not 1 <= len(named) <= most:
            limit = f"one to {most}" if several else "one"
            raise ParameterError(f"{query} names {len(named)} sensitive columns: name {limit}")
        inside = np.ones(self._release.table.row_count, dtype=np.bool_)
        sets: dict[str, list[int]] = {}
        for column, condition in query.conditions:
            domain, codes = self._column(column)
            chosen = selected(column, condition, domain)
            if column in named:
                sets[column] = sorted({*sets.get(column, chosen)} & {*chosen})
            else:
                inside &= np.isin(codes, chosen)
        if isinstance(mechanism, RecordRandomizer):
            return self._of_independent_records(mechanism, sets, inside)
        return self._of_values(named[0], sets[named[0]], inside)

    def _of_values(self, column: str, members: Sequence[int], inside: NDArray[np.bool_]) -> QueryEstimate:
        """Weigh each value by the inverse of the whole channel."""
        domain, codes = self._column(column)
        histogram = np.bincount(codes, minlength=len(domain)).astype(np.int64)
        inverted = self._inverted(self._mechanism.channel(histogram, SystemSource()), column)
        weights = [
            sum((inverted[code].get(member, Fraction(0)) for member in members), Fraction(0))
            for code in range(len(domain))
        ]
        counts = np.bincount(codes[inside], minlength=len(weights)).tolist()
        estimate = sum((count * weight for count, weight in zip(counts, weights, strict=True)), Fraction(0))
        squares = sum((count * weight**2 for count, weight in zip(counts, weights, strict=True)), Fraction(0))
        error = sqrt(max(squares - max(estimate, Fraction(0)), Fraction(0)))
        return QueryEstimate(
            estimate=float(estimate),
            standard_error=error,
            interval=(float(estimate) - NORMAL_95 * error, float(estimate) + NORMAL_95 * error),
            method="inversion",
            published_count=sum(counts[member] for member in members),
            predicate_count=sum(counts),
            variance_estimate=squares - estimate,
        )

    def _of_independent_records(
        self,
        mechanism: RecordRandomizer[object],
        sets: Mapping[str, Sequence[int]],
        inside: NDArray[np.bool_],
    ) -> QueryEstimate:
        """Weigh each of the 2^k states, the first column's bit leftmost."""
        states = np.zeros(int(np.count_nonzero(inside)), dtype=np.int64)
        channels, weights = [], []
        for column, members in sets.items():
            domain, codes = self._column(column)
            hits = np.zeros(len(domain), dtype=np.int64)
            hits[list(members)] = 1
            states = 2 * states + hits[codes[inside]]
            channel = mechanism.predicate_channel(len(members), len(domain))
            inverted = self._inverted(channel, column)
            channels.append(channel)
            weights.append((inverted[False].get(True, Fraction(0)), inverted[True].get(True, Fraction(0))))
        found, numbers = np.unique(states, return_counts=True)
        counts = dict(zip(found.tolist(), numbers.tolist(), strict=True))
        estimate = weighted(counts, weights)
        variance = weighted(counts, [(low**2, high**2) for low, high in weights]) - estimate
        published = counts.get(2 ** len(sets) - 1, 0)
        if len(sets) == 1:
            known = exact_interval(channels[0], published, len(states), estimate, sqrt(variance))
            return QueryEstimate(
                estimate=float(estimate),
                standard_error=sqrt(variance),
                interval=(float(known[0]), float(known[1])),
                method="inversion",
                published_count=published,
                predicate_count=len(states),
                variance_estimate=variance,
                exact=True,
            )
        error = sqrt(max(variance, Fraction(0)))
        if variance < 0:
            error = sqrt(max(plugged_in(states, channels, weights, estimate), 0.0))
        ends = approximate_interval(float(estimate), error, len(states), least_variances(channels, weights))
        return QueryEstimate(
            estimate=float(estimate),
            standard_error=error,
            interval=ends,
            method="inversion",
            published_count=published,
            predicate_count=len(states),
            note=_NEGATIVE if variance < 0 else None,
            variance_estimate=variance,
        )

    def _inverted(self, channel: Channel[In, In], column: str) -> Mapping[In, Mapping[In, Fraction]]:
        try:
            return inverse(channel).weights
        except DependentRowsError as error:
            raise DataError(
                f"a release by {self._mechanism.name} does not tell values of {column!r} apart ({error}): "
                "ask the publisher for one by another mechanism"
            ) from None

    def _coded(self, column: str) -> tuple[tuple[str, ...], IntArray]:
        """Return the domain of a column, and each published record's place in it."""
        cells = self._release.table.cells(column)
        known = self._release.domains.get(column)
        domain = tuple(sorted(set(cells))) if known is None else known
        places = {value: place for place, value in enumerate(domain)}
        return domain, np.array([places[cell] for cell in cells], dtype=np.int64)
