"""Estimator for Anatomy, from the groups of a predicate's records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, floor, inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, ParameterError
from splu_ref.estimators.answers import QueryEstimate
from splu_ref.estimators.queries.conditions import AnyOf
from splu_ref.estimators.queries.counting import Columns
from splu_ref.estimators.queries.query import Query, selected
from splu_ref.mechanisms import (
    GROUP,
    FloatArray,
    PublishedTwoTables,
    ReleaseData,
    TwoTables,
    groups_of_release,
)
from splu_ref.randomness import IntArray

INVERSION, SHARES = "inversion", "shares"
MOST_VALUES = 2_000
"""Largest number of sensitive values: pairs are counted, and a system of that size is solved."""
_SIDE = log(40)
"""Each end of a 95 % interval has an error probability of at most exp(-_SIDE) = 1/40."""
_ROUNDING, _CONDITIONS = 1e-9, 1 << 10
_PAIRS, _CACHED = 1 << 22, 1 << 24
"""Largest number of pairs of values per batch, and of cached weights."""
LARGEST = (
    "the standard error is the largest over all values of so many records; the interval holds at 95 % "
    "or more (Bernstein's inequality)"
)
BIASED = (
    "the share of a group's records is biased toward the predicate's share of all records, and no standard "
    "error is known; the interval is certain: each group has a least and a greatest possible count"
)


class TwoTablesEstimator:
    """Estimator of queries on a release by Anatomy.

    ``inversion``: a record of the predicate adds u(G), a number of its group G, where the mean of u over the
    groups that hold a value v is 1 if v is counted, and 0 if not. Given the groups' values, the records of
    each value are placed among its groups at random, so the sum is unbiased. Of all such u the one with the
    least sum of squares is taken: it is the sum, over the group's values, of a number for each value. Its
    variance is a sum over the values v of n_v (f_v - n_v)/(f_v - 1) s_v^2, s_v^2 the variance of u over the
    groups that hold v, where n_v of the predicate's n records and f_v of all have v. The n_v are unknown but
    for their sum, so the largest variance is reported. Sampling without replacement is no more variable than
    with replacement (Hoeffding 1963), so Bernstein's inequality gives a valid interval.

    ``shares``: Anatomy's own estimate, the sum over the groups of the share of their records that are in the
    predicate, for each value counted that they hold.

    A group with a records of the predicate and c counted values among its gamma has between a + c - gamma and
    min(a, c) of the counted records. The sums of these bounds are certain, and intervals are clipped to them.

    Parameters
    ----------
    release
        The two tables.

    Raises
    ------
    DataError
        If the tables are not those of one release, or there are too many values.
    """

    def __init__(self, release: ReleaseData) -> None:
        assert isinstance(release, PublishedTwoTables)
        [(self._column, self._domain)] = release.domains.items()
        if len(self._domain) > MOST_VALUES:
            raise DataError(
                f"column {self._column!r} has more than {MOST_VALUES} values: publish it with fewer, grouped"
            )
        self._tables = groups_of_release(release)
        self._columns = Columns(release.table, {})
        # Weights have a number for each group, and one for every second record.
        kept = min(_CONDITIONS, 1 + _CACHED // len(self._tables.rows))
        self._weights = lru_cache(kept)(_WeightEquations(self._tables).weights)

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered; as the call."""
        self._resolved(query)

    def __call__(self, queries: Sequence[Query], method: str | None = None) -> list[QueryEstimate]:
        """Return an answer to each query."""
        if method not in {None, INVERSION, SHARES}:
            raise ParameterError(
                f"a release by Anatomy has the methods {INVERSION!r} and {SHARES!r} only: choose from these"
            )
        return [self._answer(query, method or INVERSION) for query in queries]

    def _resolved(self, query: Query) -> tuple[frozenset[int], NDArray[np.bool_]]:
        """Return the counted values, and which records satisfy the other conditions."""
        conditions = dict(query.conditions)
        counted = conditions.pop(self._column, None)
        if counted is None:
            raise ParameterError(f"{query} names no value of the sensitive column {self._column!r}: name one")
        if GROUP in conditions:
            raise ParameterError(
                f"{query}: who is in a group was drawn at random, and says nothing of people: leave out "
                f"{GROUP!r}"
            )
        inside = np.ones(self._columns.rows, dtype=np.bool_)
        for name, condition in conditions.items():
            inside &= self._columns.holding(name, condition)[self._columns[name].codes]
        return frozenset(selected(self._column, counted, self._domain)), inside

    def _answer(self, query: Query, method: str) -> QueryEstimate:
        members, inside = self._resolved(query)
        tables = self._tables
        counted = np.isin(tables.values, list(members)).sum(axis=1)
        records = np.bincount(tables.groups[inside], minlength=len(tables.values))
        size = tables.values.shape[1]
        least = int(np.maximum(records + counted - size, 0).sum())
        most = int(np.minimum(records, counted).sum())
        number, seen = int(records.sum()), int(records[counted > 0].sum())
        estimate, error, note = int(records @ counted) / size, None, BIASED if least < most else None
        if method == INVERSION:
            weights = self._weights(members)
            if weights is None and least < most:
                values = AnyOf(tuple(self._domain[place] for place in sorted(members)))
                raise DataError(
                    f"the groups do not distinguish {self._column}={values} from values that occur with it: "
                    f"count these together, or use --method {SHARES}, whose interval is certain"
                )
            if weights is None:  # but certain, such as a value alone
                estimate, error = float(least), 0.0
            else:
                estimate, error = float(records @ weights.of_groups), weights.largest_error(number)
                below, above = weights.reach(number)
                low, high = ceil(estimate - below), floor(estimate + above)
                if (
                    low <= most and high >= least
                ):  # or else it is one of the releases that it does not hold in
                    least, most = max(least, low), min(most, high)
            note = LARGEST if error else None
        return QueryEstimate(
            estimate=round(estimate, 6),
            standard_error=error,
            interval=(float(least), float(most)),
            method=method,
            published_count=seen,
            predicate_count=number,
            note=note,
            exact=True,
        )


@dataclass(frozen=True, eq=False)
class _Weights:
    """Weights of the records of each group in a count."""

    of_groups: FloatArray  # u, shape (groups,)
    # frequencies, variances: f_v, and the variance of u over the groups that hold v, each of shape (values,)
    frequencies: IntArray
    variances: FloatArray
    # over, under: largest excess of u over the indicator of the value, and of the indicator over u
    over: float
    under: float
    bias: float  # largest rounding error of the mean of u over the groups of a value

    @cached_property
    def _steps(self) -> FloatArray:
        """Cumulative sums from 0 of the largest variance increments of further records.

        The k-th record of a value adds s_v^2 (f_v - 2k + 1)/(f_v - 1), which decreases in k.
        """
        some = (self.variances > _ROUNDING) & (self.frequencies > 1)
        steps = [
            variance * (frequency - 2 * np.arange(1, frequency // 2 + 1) + 1) / (frequency - 1)
            for frequency, variance in zip(self.frequencies[some], self.variances[some], strict=True)
        ]
        added = np.sort(np.concatenate([np.zeros(0), *steps]))[::-1]
        return np.concatenate([[0.0], np.cumsum(added)])

    def largest_error(self, number: int) -> float:
        """Return the largest standard error for a predicate of this size, over all values of its records.

        A predicate and its complement have the same standard error.
        """
        few = min(number, int(self.frequencies.sum()) - number, len(self._steps) - 1)
        return sqrt(float(self._steps[few]))

    def reach(self, number: int) -> tuple[float, float]:
        """Return the lengths of the interval below and above the estimate, each valid at 39/40."""
        others = int(self.frequencies.sum()) - number
        few, sides = min(number, others), (self.over, self.under)
        if not few:
            return _ROUNDING * (1 + number), _ROUNDING * (1 + number)
        order = np.argsort(-self.variances)
        before = np.cumsum(self.frequencies[order]) - self.frequencies[order]
        moments = np.clip(few - before, 0, self.frequencies[order])
        variance = float((moments * self.variances[order]).sum())
        slack = _ROUNDING * (1 + number) + self.bias * number
        below, above = (_bernstein(variance, side) + slack for side in sides)
        return (below, above) if number <= others else (above, below)


def _bernstein(variance: float, largest: float) -> float:
    """Return a bound that a sum with this variance and terms up to ``largest`` exceeds with at most 1/40."""
    half = _SIDE * largest / 3
    return half + sqrt(half**2 + 2 * _SIDE * variance)


class _WeightEquations:
    """The linear equations of unbiased weights, factorized once for all sets of values."""

    def __init__(self, tables: TwoTables) -> None:
        self._values, size = tables.values, tables.domain_size
        self._frequencies = np.bincount(self._values.reshape(-1), minlength=size)
        together = np.zeros((size, size))
        for some in np.array_split(self._values, 1 + self._values.size * self._values.shape[1] // _PAIRS):
            pairs = some[:, :, None] * size + some[:, None, :]
            together += np.bincount(pairs.reshape(-1), minlength=size**2).reshape(size, size)
        self._inverse = np.linalg.pinv(together, rcond=1e-12, hermitian=True)

    def weights(self, members: frozenset[int]) -> _Weights | None:
        """Return the weights for the count of some values; None if none are unbiased."""
        counted = np.zeros(len(self._frequencies))
        counted[list(members)] = 1
        of_groups = (self._inverse @ (self._frequencies * counted))[self._values].sum(axis=1)
        flat, repeated = self._values.reshape(-1), np.repeat(of_groups, self._values.shape[1])
        away = repeated - counted[flat]
        frequencies = np.maximum(self._frequencies, 1)
        means, squares = (
            np.bincount(flat, weights=each, minlength=len(counted)) / frequencies for each in (away, away**2)
        )
        bias = float(np.abs(means).max(initial=0))
        if bias > 1e-6 or not bias < inf:
            return None
        return _Weights(
            of_groups,
            self._frequencies,
            np.maximum(squares - means**2, 0),
            max(float(away.max()), 0.0),
            max(float(-away.min()), 0.0),
            bias,
        )
