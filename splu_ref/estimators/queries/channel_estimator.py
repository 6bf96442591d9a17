"""Estimates for any mechanism with a declared channel: by inversion and by maximum likelihood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import (
    Channel,
    DataError,
    DependentRowsError,
    In,
    ParameterError,
    inverse,
    query_weights,
)
from splu_ref.data import codes_in_domain, tally
from splu_ref.estimators.answers import QueryEstimate
from splu_ref.estimators.queries import pooled_records
from splu_ref.estimators.queries.conditions import Condition
from splu_ref.estimators.queries.pooled_records import interval_of_weights, pooled_answer
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.estimators.queries.record_states import RecordStates, Side, most_likely_counts
from splu_ref.mechanisms import Randomizer, RecordRandomizer, ReleaseData
from splu_ref.randomness import IntArray, SystemSource

MOST_COLUMNS = 20
"""Largest number k of sensitive columns of a query, with 2^k states."""
INVERSION, MOST_LIKELY = "inversion", "em"
_CELLS = 1 << 21
"""Largest number of counts of states per batch, which bounds the memory."""
_CONDITIONS, _CACHED = 1 << 14, 1 << 26
"""Largest number of cached conditions, and cached bytes per record."""
_CLIPPED = (
    "standard error and interval are those of the inversion, cut off at 0 and at the records of the predicate"
)


class ChannelEstimator:
    """Estimator of queries by the declared channel of the mechanism.

    ``inversion``: with W = A^-1 w, w the indicator of the values counted, the estimate is the sum of W over
    the published values of the records that satisfy the other conditions. It is unbiased, and may be
    negative. The sum of W^2 less the estimate is unbiased for its variance if the records are independent;
    it may be negative too.

    If records and columns are independent and the channel is the same for all predicates, a query may name
    several sensitive columns: a record has 2^k states, in or out of each column's set, and W is the product
    over the columns. With one column the published count is the sum of two binomial counts, and exact test
    inversion gives the interval. All other intervals are approximate.

    ``em``, for the same mechanisms: the maximum likelihood estimate over nonnegative counts of the 2^k
    states; the count of the last state is returned. With one column it is the clipped inversion.

    Parameters
    ----------
    release
        The published table.

    Raises
    ------
    DataError
        If the mechanism declares no channel.
    """

    def __init__(self, release: ReleaseData) -> None:
        mechanism = release.mechanism
        if not isinstance(mechanism, Randomizer):
            raise DataError(f"no estimator is known for a release by {mechanism.name}: ask its publisher")
        self._mechanism: Randomizer[object] = mechanism
        self._release = release
        # Columns, conditions, sets and their channels are computed once for all queries.
        self._column = cache(self._coded)
        self._chosen = lru_cache(_CONDITIONS)(self._selected)
        self._hits = lru_cache(1 + _CACHED // (1 + release.table.row_count))(self._marked)
        self._side = cache(self._compute_side)
        self._counted = cache(self._counted_values)

    @property
    def methods(self) -> tuple[str, ...]:
        """Names of the methods that this release allows; the first is the default."""
        independent = isinstance(self._mechanism, RecordRandomizer) and not self._mechanism.pooled
        return (INVERSION, MOST_LIKELY) if independent else (INVERSION,)

    def __call__(self, queries: Sequence[Query], method: str | None = None) -> list[QueryEstimate]:
        """Return the estimate of each query."""
        if method is not None and method not in self.methods:
            names = " and ".join(f"{name!r}" for name in self.methods)
            several = "s" if len(self.methods) > 1 else ""
            raise ParameterError(
                f"a release by {self._mechanism.name} has the method{several} {names} only: choose from these"
            )
        if method == MOST_LIKELY:
            return self._most_likely(queries)
        return [self._inversion(query) for query in queries]

    def require(self, query: Query) -> None:
        """Raise the errors of the call that do not depend on counts."""
        self._resolved(query)

    def _inversion(self, query: Query) -> QueryEstimate:
        mechanism = self._mechanism
        sets, inside = self._resolved(query)
        if isinstance(mechanism, RecordRandomizer):
            states = self.states(query)
            if not mechanism.pooled:
                return states.inversion()
            rows = self._release.table.row_count
            pairs = [
                mechanism.pairs(rows, int(self._tally(self._hits(column, members), 2)[1]))
                for column, members in sets.items()
            ]
            everybody = len(sets) == 1 and int(states.counts.sum()) == rows
            return pooled_answer(states, pairs, everybody=everybody)
        [(column, members)] = sets.items()
        return self._of_values(column, members, inside)

    def _most_likely(self, queries: Sequence[Query]) -> list[QueryEstimate]:
        """Return maximum likelihood estimates, in batches of queries."""
        answers: dict[int, QueryEstimate] = {}
        waiting: dict[int, dict[int, RecordStates]] = defaultdict(dict)
        for place, query in enumerate(queries):
            states = self.states(query)
            group = waiting[states.counts.size]
            group[place] = states
            if len(group) * states.counts.size >= _CELLS:
                answers |= _likeliest(group)
                group.clear()
        for group in waiting.values():
            answers |= _likeliest(group)
        return [answers[place] for place in range(len(queries))]

    def _resolved(self, query: Query) -> tuple[dict[str, frozenset[int]], NDArray[np.bool_] | None]:
        """Return the counted values of each sensitive column, and the selected records, None for all."""
        named = dict.fromkeys(column for column, _ in query.conditions if column in self._release.sensitive)
        most = 1
        if isinstance(self._mechanism, RecordRandomizer):
            most = pooled_records.MOST_COLUMNS if self._mechanism.pooled else MOST_COLUMNS
        if not 1 <= len(named) <= most:
            limit = f"one to {most}" if most > 1 else "one"
            raise ParameterError(f"{query} names {len(named)} sensitive columns: name {limit}")
        inside: NDArray[np.bool_] | None = None
        sets: dict[str, frozenset[int]] = {}
        for column, condition in query.conditions:
            chosen = self._chosen(column, condition)
            if column in named:
                sets[column] = chosen
            else:
                hits = self._hits(column, chosen).astype(np.bool_)
                inside = hits if inside is None else inside & hits
        return sets, inside

    def _of_values(
        self, column: str, members: frozenset[int], inside: NDArray[np.bool_] | None
    ) -> QueryEstimate:
        """Weigh each value by the inverse of the whole channel."""
        domain, codes = self._column(column)
        histogram = self._tally(codes, len(domain))
        channel = self._mechanism.channel(histogram, SystemSource())
        weights = self._weights(channel, column, members)
        published = self._tally(codes, len(weights), inside)
        counts = published.tolist()
        estimate = sum((count * weight for count, weight in zip(counts, weights, strict=True)), Fraction(0))
        squares = sum((count * weight**2 for count, weight in zip(counts, weights, strict=True)), Fraction(0))
        error = sqrt(max(squares - max(estimate, Fraction(0)), Fraction(0)))
        members_of_domain = [float(true in members) for true in channel.laws]
        return QueryEstimate(
            estimate=float(estimate),
            standard_error=error,
            interval=interval_of_weights(
                np.array(channel.as_floats()),
                np.array(weights, dtype=np.float64),
                np.array(members_of_domain),
                published,
                error,
            ),
            method="inversion",
            published_count=sum(counts[member] for member in members),
            predicate_count=sum(counts),
            variance_estimate=squares - estimate,
        )

    def states(self, query: Query) -> RecordStates:
        """Count each of the 2^k published states of a query, the first column's bit leftmost.

        Raises
        ------
        ParameterError
            As the call, and if the release has no method but ``inversion``.
        """
        mechanism = self._mechanism
        if not isinstance(mechanism, RecordRandomizer):
            raise ParameterError(
                f"records of a release by {self._mechanism.name} have no states of two sides"
            )
        sets, inside = self._resolved(query)
        together = [tuple(sets.items())] if mechanism.compound else [(each,) for each in sets.items()]
        kind = np.uint8 if len(together) <= 8 else np.uint16 if len(together) <= 16 else np.uint32
        rows = len(self._column(next(iter(sets)))[1])
        states: NDArray[np.unsignedinteger] = np.zeros(rows, dtype=kind)
        sides = []
        for conditions in together:
            (column, members), *others = conditions
            hits = self._hits(column, members)
            for column, members in others:
                hits = hits & self._hits(column, members)
            np.left_shift(states, 1, out=states)
            np.bitwise_or(states, hits, out=states)
            sides.append(self._side(conditions))
        return RecordStates(self._tally(states, 2 ** len(together), inside), tuple(sides))

    def _compute_side(self, conditions: tuple[tuple[str, frozenset[int]], ...]) -> Side:
        """Return the two-state channel of conditions on columns that are randomized together."""
        mechanism = self._mechanism
        assert isinstance(mechanism, RecordRandomizer)
        sets = {column: [self._column(column)[0][code] for code in members] for column, members in conditions}
        names = {column: self._counted(column) for column in sets} if mechanism.pooled else {}
        [channel] = mechanism.predicate_channels(sets, names).values()
        inverted = self._inverted(channel, ", ".join(sets))
        low, high = (inverted[published].get(True, Fraction(0)) for published in (False, True))
        return Side(channel, (low, high))

    def _counted_values(self, column: str) -> dict[str, int]:
        """Return how many published records hold each value of a column's domain."""
        domain, codes = self._column(column)
        return dict(zip(domain, self._tally(codes, len(domain)).tolist(), strict=True))

    def _inverted(self, channel: Channel[In, In], column: str) -> Mapping[In, Mapping[In, Fraction]]:
        try:
            return inverse(channel).weights
        except DependentRowsError as error:
            raise DataError(
                f"a release by {self._mechanism.name} does not distinguish values of {column!r} ({error}): "
                "ask the publisher for one by another mechanism"
            ) from None

    def _weights(self, channel: Channel[int, int], column: str, members: frozenset[int]) -> list[Fraction]:
        """Return the weight of each published code in the estimated count of a set."""
        found = query_weights(channel, dict.fromkeys(members, 1))
        if found is None:
            raise DataError(
                f"a release by {self._mechanism.name} does not distinguish values of {column!r}, those "
                "counted here from all others: count other values together, or use another mechanism"
            )
        return [found.get(code, Fraction(0)) for code in channel.outputs]

    def _tally(
        self,
        codes: NDArray[np.integer],
        size: int,
        inside: NDArray[np.bool_] | None = None,
    ) -> IntArray:
        return tally(codes, size, self._release.table.counts, inside)

    def _coded(self, column: str) -> tuple[tuple[str, ...], IntArray]:
        """Return the domain of a column, and each published record's place in it."""
        table = self._release.table
        domain = self._release.domains.get(column) or tuple(sorted(table.values(column)))
        return domain, codes_in_domain(table, column, domain)

    def _selected(self, column: str, condition: Condition) -> frozenset[int]:
        return frozenset(selected(column, condition, self._column(column)[0]))

    def _marked(self, column: str, members: frozenset[int]) -> NDArray[np.uint8]:
        """Return 1 for each published record with one of these values of a column, and 0 for the others."""
        domain, codes = self._column(column)
        hits = np.zeros(len(domain), dtype=np.uint8)
        hits[list(members)] = 1
        return hits[codes]


def _likeliest(group: Mapping[int, RecordStates]) -> dict[int, QueryEstimate]:
    """Return maximum likelihood estimates by query number."""
    found = most_likely_counts(list(group.values()))
    return {
        place: _bounded(states.inversion(), estimate)
        for (place, states), estimate in zip(group.items(), found, strict=True)
    }


def _bounded(answer: QueryEstimate, estimate: float) -> QueryEstimate:
    """Return a result with another estimate, its interval clipped to 0 .. n and extended to contain it."""
    assert answer.interval is not None
    low, high = (min(max(end, 0.0), float(answer.predicate_count)) for end in answer.interval)
    error, largest = answer.known_error, max(estimate, answer.predicate_count - estimate)
    return replace(
        answer,
        estimate=estimate,
        standard_error=min(error, largest),
        model_error=error if error > largest else None,
        interval=(min(low, estimate), max(high, estimate)),
        method=MOST_LIKELY,
        note=_CLIPPED if answer.note is None else f"{answer.note}; {_CLIPPED}",
    )
