"""The estimate that any declared channel allows: what was published, weighted by the channel's inverse."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

import numpy as np

from splu_ref.channels import DependentRowsError, inverse
from splu_ref.estimators import Query, QueryEstimate
from splu_ref.estimators.queries.query import selected
from splu_ref.interfaces import Randomizer
from splu_ref.mechanisms import PublishedTable
from splu_ref.model import DataError, ParameterError
from splu_ref.randomness import SystemSource

_NORMAL_95 = 1.959963984540054


class ChannelEstimator:
    """Answers queries on one sensitive column by the inverse of the mechanism's channel.

    With W = A^-1 w, w the indicator of the values counted, the estimate is the sum of W over the published
    values of the records that meet the other conditions. It is unbiased, and may be negative. The sum of
    W^2 less the estimate is unbiased for its variance if the records are independent.

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

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        """Return an answer to each query.

        Raises
        ------
        DataError
            If the channel has no inverse: the release tells nothing then that a query could use.
        ParameterError
            For another method than ``inversion``, or a query that does not name one sensitive column.
        """
        if method not in {None, "inversion"}:
            raise ParameterError(f"a release by {self._mechanism.name} has the method 'inversion' only")
        return [self._answer(query) for query in queries]

    def _answer(self, query: Query) -> QueryEstimate:
        named = [column for column, _ in query.conditions if column in self._release.sensitive]
        if len(named) != 1:
            raise ParameterError(f"{query} names {len(named)} sensitive columns: name one")
        inside = np.ones(self._release.table.row_count, dtype=np.bool_)
        members: list[int] = []
        for column, condition in query.conditions:
            domain = self._domain(column)
            chosen = selected(column, condition, domain)
            if column == named[0]:
                members = chosen
            else:
                inside &= np.isin(self._codes(column, domain), chosen)
        weights = self._weights(named[0], members)
        published = self._codes(named[0], self._domain(named[0]))
        counts = np.bincount(published[inside], minlength=len(weights)).tolist()
        estimate = sum((count * weight for count, weight in zip(counts, weights, strict=True)), Fraction(0))
        squares = sum((count * weight**2 for count, weight in zip(counts, weights, strict=True)), Fraction(0))
        error = sqrt(max(squares - max(estimate, Fraction(0)), Fraction(0)))
        return QueryEstimate(
            estimate=float(estimate),
            standard_error=error,
            interval=(float(estimate) - _NORMAL_95 * error, float(estimate) + _NORMAL_95 * error),
            method="inversion",
            published_count=sum(counts[member] for member in members),
            predicate_count=sum(counts),
        )

    def _weights(self, column: str, members: Sequence[int]) -> list[Fraction]:
        domain = self._domain(column)
        histogram = np.bincount(self._codes(column, domain), minlength=len(domain)).astype(np.int64)
        try:
            inverted = inverse(self._mechanism.channel(histogram, SystemSource())).weights
        except DependentRowsError as error:
            raise DataError(
                f"a release by {self._mechanism.name} does not tell values of {column!r} apart ({error}): "
                "ask the publisher for one by another mechanism"
            ) from None
        return [
            sum((inverted[code].get(member, Fraction(0)) for member in members), Fraction(0))
            for code in range(len(domain))
        ]

    def _domain(self, column: str) -> tuple[str, ...]:
        known = self._release.domains.get(column)
        return tuple(sorted(set(self._release.table.cells(column)))) if known is None else known

    def _codes(self, column: str, domain: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        places = {value: place for place, value in enumerate(domain)}
        return np.array([places[cell] for cell in self._release.table.cells(column)], dtype=np.int64)
