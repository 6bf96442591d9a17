"""Estimator for small-domain randomization: sums of the parts' estimates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

import numpy as np

from splu_ref.channels import ParameterError, retention
from splu_ref.data import Microdata
from splu_ref.estimators.answers import NORMAL_95, QueryEstimate
from splu_ref.estimators.queries.counting import Columns
from splu_ref.estimators.queries.query import Query
from splu_ref.estimators.queries.record_states import RecordStates, Side, near_counts, sum_interval, weighted
from splu_ref.mechanisms import ReleaseData, SmallDomainRandomization
from splu_ref.randomness import IntArray


class PartEstimator:
    """Estimator of queries on a release by small-domain randomization, by inversion within each part.

    Records are independent, so estimates and variances are sums over the parts, and both are unbiased. A part
    of which all values or none are counted has no error. Parts with equal numbers of values and of counted
    values have one law. With one law the interval is the exact one of two binomial counts; otherwise the
    intervals are combined.

    Parameters
    ----------
    release
        The published table, by `SmallDomainRandomization`.
    """

    def __init__(self, release: ReleaseData) -> None:
        assert isinstance(release.mechanism, SmallDomainRandomization)
        assert isinstance(release.table, Microdata)
        self._mechanism = release.mechanism
        self._columns = Columns(release.table, release.domains)
        self._parts = self._mechanism.parts(release.table)
        self._domains = self._mechanism.coded(release.domains[self._mechanism.column])

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered; as the call."""
        column = self._mechanism.column
        if column not in dict(query.conditions):
            raise ParameterError(f"{query} names no value of the sensitive column {column!r}: name one")
        for name, condition in query.conditions:
            self._columns.holding(name, condition)

    def __call__(self, queries: Sequence[Query], method: str | None = None) -> list[QueryEstimate]:
        """Return an answer to each query."""
        if method not in {None, "inversion"}:
            raise ParameterError(f"a release by {self._mechanism.name} has the method 'inversion' only")
        for query in queries:
            self.require(query)
        return [self._answer(query) for query in queries]

    def _answer(self, query: Query) -> QueryEstimate:
        inside = np.ones(self._columns.rows, dtype=np.bool_)
        for name, condition in query.conditions:
            holds = self._columns.holding(name, condition)
            if name == self._mechanism.column:
                members = holds
            else:
                inside &= holds[self._columns[name].codes]
        hits = members[self._columns[self._mechanism.column].codes]
        alike: dict[tuple[int, int], IntArray] = defaultdict(lambda: np.zeros(2, dtype=np.int64))
        known = 0
        for place, domain in enumerate(self._domains):
            here = inside & (self._parts == place)
            records, counted = int(here.sum()), int(members[domain].sum())
            if counted in (0, len(domain)):
                known += records if counted else 0
            elif records:
                seen = int((here & hits).sum())
                alike[counted, len(domain)] += np.array([records - seen, seen])
        found = [RecordStates(counts, (self._side(*law),)) for law, counts in alike.items()]
        return _summed(found, known, int(inside.sum()), int((inside & hits).sum()))

    def _side(self, counted: int, values: int) -> Side:
        """Return the two-state channel of a condition that counts some of a part's values."""
        keep, share = self._mechanism.retention(values), Fraction(counted, values)
        replaced = (1 - keep) * share
        return Side(
            retention(keep, {True: share, False: 1 - share}), (-replaced / keep, (1 - replaced) / keep)
        )


def _summed(parts: Sequence[RecordStates], known: int, records: int, published: int) -> QueryEstimate:
    """Return the sum of independent estimates and a known number."""
    estimates = [part.weighted() for part in parts]
    squares = (weighted(part.counts, [side.squares for side in part.sides]) for part in parts)
    variance = sum(squares, Fraction(0)) - sum(estimates, Fraction(0))
    estimate, error = sum(estimates, Fraction(known)), sqrt(variance)
    ends = float(known), float(known)
    if len(parts) == 1:
        low, high = parts[0].inversion().interval or ends
        ends = low + known, high + known
    elif parts:
        open_records = sum(int(part.counts.sum()) for part in parts)
        low, high = sum_interval(float(estimate) - known, error, open_records, map(_reach, parts))
        ends = low + known, high + known
    return QueryEstimate(
        estimate=float(estimate),
        standard_error=error,
        interval=ends,
        method="inversion",
        published_count=published,
        predicate_count=records,
        variance_estimate=variance,
        exact=len(parts) < 2,
    )


def _reach(part: RecordStates) -> tuple[float, float]:
    """Return the unclipped lengths of an interval for one part below and above its estimate."""
    estimate = part.weighted()
    half = NORMAL_95 * sqrt(weighted(part.counts, [side.squares for side in part.sides]) - estimate)
    found = float(estimate)
    low, high = near_counts(found, *part.sides[0].variances(int(part.counts.sum()))) or (found, found)
    return max(half, found - low), max(half, high - found)
