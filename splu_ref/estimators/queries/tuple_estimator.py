"""Estimator of tuple counts for the alpha-beta algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod, sqrt

import numpy as np

from splu_ref.channels import ParameterError, TupleCount, integer
from splu_ref.data import codes_in_domain, require_columns
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.counts import bounded_limits
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.estimators.queries.record_states import TAIL
from splu_ref.mechanisms import AlphaBeta, ReleaseData
from splu_ref.randomness import IntArray


@dataclass(frozen=True, slots=True)
class TupleEstimate:
    """The estimate of one count, exactly."""

    law: TupleCount  #: the law of the published count, by the true one
    published: int  #: n_V, published tuples that the query selects

    @property
    def estimate(self) -> Fraction:
        """(n_V - beta n_D)/alpha: unbiased, and possibly negative (Rastogi, Suciu and Hong 2007)."""
        return (self.published - self.law.mean(0)) / (self.law.own - self.law.other)

    @property
    def variance_estimate(self) -> Fraction:
        """The variance at the estimate; a linear function of the count, so it is unbiased.

        It is nonnegative: n_D beta (alpha + beta)/alpha^2 at n_V = 0, n_D (1 - beta) (1 - alpha -
        beta)/alpha^2 at n_V = n_D, and linear in n_V.
        """
        own, other = self.law.own, self.law.other
        each = own * (1 - own) - other * (1 - other)
        return (self.estimate * each + self.law.variance(0)) / (own - other) ** 2

    def interval(self) -> tuple[int, int]:
        """Return the exact 95 % confidence interval of the true count."""
        half = NORMAL_95 * self.standard_error
        guess = round(self.estimate - half), round(self.estimate + half)
        return bounded_limits(self.law, self.published, TAIL, guess, self.law.query_size)

    @property
    def standard_error(self) -> float:
        """The root of the estimated variance."""
        return sqrt(self.variance_estimate)


def estimate_tuples(mechanism: AlphaBeta, query_size: int, published: int) -> TupleEstimate:
    """Return the estimate for a query that selects ``query_size`` tuples of the domain.

    Raises
    ------
    ParameterError
        Unless 0 <= published <= query_size.
    """
    size, seen = integer(query_size, "query_size", 0), integer(published, "published", 0)
    if seen > size:
        raise ParameterError(f"{seen} published tuples of {size}: give at most {size}")
    return TupleEstimate(TupleCount(size, mechanism.alpha + mechanism.beta, mechanism.beta), seen)


class TupleEstimator:
    """Estimator of queries on a release by the alpha-beta algorithm.

    The number of domain tuples that a query selects is a product over its columns. Intervals invert the law
    of the published count and are exact.

    Parameters
    ----------
    release
        The published table, by `AlphaBeta`.
    """

    def __init__(self, release: ReleaseData) -> None:
        assert isinstance(release.mechanism, AlphaBeta)
        self._mechanism = release.mechanism
        self._release = release
        self._column = cache(self._coded)

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered.

        Raises
        ------
        DataError
            For a column that was not published.
        ParameterError
            For a value outside its domain.
        """
        for column, condition in query.conditions:
            selected(column, condition, self._column(column)[0])

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        """Return an answer to each query."""
        if method not in {None, "inversion"}:
            raise ParameterError(f"a release by {self._mechanism.name} has the method 'inversion' only")
        return [self._answer(query) for query in queries]

    def _answer(self, query: Query) -> QueryEstimate:
        inside = np.ones(1, dtype=np.bool_)
        sizes = {column: len(domain) for column, domain in self._mechanism.domains}
        for column, condition in query.conditions:
            domain, codes = self._column(column)
            chosen = selected(column, condition, domain)
            inside = inside & np.isin(codes, chosen)
            sizes[column] = len(chosen)
        counts = self._release.table.counts
        published = int((inside if counts is None else counts[inside]).sum())
        found = estimate_tuples(self._mechanism, prod(sizes.values()), published)
        least, greatest = found.interval()
        return QueryEstimate(
            estimate=float(found.estimate),
            standard_error=found.standard_error,
            interval=(float(least), float(greatest)),
            method="inversion",
            published_count=found.published,
            predicate_count=found.law.query_size,
            variance_estimate=found.variance_estimate,
            exact=True,
        )

    def _coded(self, column: str) -> tuple[tuple[str, ...], IntArray]:
        """Return the domain of a column, and each published tuple's place in it."""
        require_columns([column], self._release.table.columns)
        domain = self._release.domains[column]
        return domain, codes_in_domain(self._release.table, column, domain)
