"""Score intervals of conjunctions on several sensitive columns.

x counts the records of the predicate with a value of A_k in every column k. The statistic is the sum over
published records of prod_k (1[value in A_k] - a_k), where a_k is the mean probability of being published in
A_k for the records outside A_k in column k alone. These records contribute 0 on average, so the expectation
is x prod_k (b_k - a_k) plus a small contribution of records outside two or more sets, which is computed from
the estimated table. Neither margins nor a prior of x are used.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.linear.transition import contract
from splu_ref.estimators.linear.two_state import boundary
from splu_ref.mechanisms import FloatArray

_LEAST = 1e-9


class ColumnStates(NamedTuple):
    """The set of one column in a conjunction."""

    members: FloatArray  # indicator of the set, shape (values,)
    # probability that a record with each value is published with a value of the set, shape (values,)
    chances: FloatArray
    retention: float  # b if no record is estimated to have a value of the set
    scatter: float  # relative standard deviation of the set's published frequency


class SeveralStates(NamedTuple):
    """The statistic of a conjunction on several columns, with its moments."""

    total: float  # n
    statistic: float  # sum of the weights of the published records
    contrast: float  # prod_k (b_k - a_k): the contribution of a record of the conjunction to the expectation
    background: float  # contribution of all other records
    tabled_count: float  # x in the estimated table
    # noise, slope: variance of the statistic at ``tabled_count``, and its derivative by x
    noise: float
    slope: float
    doubt: float  # variance of ``background`` due to the table and the published frequencies

    @classmethod
    def of(
        cls, columns: Sequence[ColumnStates], cells: FloatArray, table: FloatArray, variance: FloatArray
    ) -> SeveralStates:
        """Return the statistic of a conjunction.

        ``cells`` are the predicate's records by published values; ``table`` and ``variance`` are the
        estimated true counts of the same cells and their error variances.
        """
        members = [column.members for column in columns]
        weights, retention, gain, scatter = [], [], [], 0.0
        for place, column in enumerate(columns):
            others = [
                None if other == place else column_members for other, column_members in enumerate(members)
            ]
            along = _along(table, others)
            inside, outside = along @ column.members, along @ (1 - column.members)
            b = along @ (column.members * column.chances) / inside if inside > _LEAST else column.retention
            a = along @ ((1 - column.members) * column.chances) / outside if outside > _LEAST else 0.0
            weights.append(column.chances - a)
            retention.append(float(b))
            gain.append(float(a))
            scatter += float(outside * a * column.scatter) ** 2
        tabled_count, each = contract(table, members), np.subtract(retention, gain)
        counted = contract(table, [one * weight for one, weight in zip(members, weights, strict=True)])
        contrast = counted / tabled_count if tabled_count > _LEAST else float(np.prod(each))
        squares = [column.chances * (1 - 2 * a) + a * a for column, a in zip(columns, gain, strict=True)]
        background = contract(table, weights) - counted
        second = [weight**2 for weight in weights]
        others_doubt = contract(variance, second) - contract(
            variance, [indicator * square for indicator, square in zip(members, second, strict=True)]
        )
        drawn = [indicator - a for indicator, a in zip(members, gain, strict=True)]
        return cls(
            total=float(cells.sum()),
            statistic=contract(cells, drawn),
            contrast=contrast if each.min() > _LEAST else 0.0,
            background=background,
            tabled_count=tabled_count,
            noise=contract(table, squares) - contract(table, second),
            slope=float(np.prod([(b - a) * (1 - 2 * a) for b, a in zip(retention, gain, strict=True)]))
            - contrast**2,
            doubt=max(others_doubt, 0.0) + scatter,
        )

    @property
    def solved(self) -> float:
        """Return the moment estimate of x; NaN where the contrast is 0."""
        return (self.statistic - self.background) / self.contrast if self.contrast > _LEAST else float("nan")

    def variance(self, count: FloatArray) -> FloatArray:
        """Return the variance of the statistic if x is ``count``."""
        moved = self.noise + (count - self.tabled_count) * self.slope
        return np.asarray(np.maximum(moved, self.noise / 4) + self.doubt)

    def interval(self) -> tuple[float, float]:
        """Return the ends of the 95 % score interval, with continuity correction."""
        if not self.contrast > _LEAST:
            return 0.0, self.total
        distance = self.solved

        def contradicted(count: FloatArray) -> NDArray[np.bool_]:
            margin = NORMAL_95 * np.sqrt(self.variance(count)) + 0.5
            return np.asarray(np.abs(distance - count) * self.contrast > margin)

        middle = np.clip(np.array(distance), 0.0, self.total)
        low, high = (boundary(contradicted, np.array(end), middle) for end in (0.0, self.total))
        return float(low), float(high)


def _along(table: FloatArray, vectors: Sequence[FloatArray | None]) -> FloatArray:
    """Sum a table with weights for all columns but the one without."""
    left, axis = table, 0
    for vector in vectors:
        if vector is None:
            axis += 1
        else:
            left = np.tensordot(left, vector, axes=([axis], [0]))
    return np.asarray(left)
