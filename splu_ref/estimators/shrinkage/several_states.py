"""The states of a conjunction on several sensitive columns, each column's own given the others.

A record with the values A_k of all columns k counts in x. Give each published record of the predicate the
weight prod_k (1 where its value is in A_k, else 0, less a_k). With a_k the mean chance to be published in A_k
of the records that lack A_k in column k alone, those add up to nothing, and E of the sum is x times
prod_k (b_k - a_k), but for records that lack two or more, for which both factors are small: what is left of
them is taken from the estimated table. No margin enters, and nothing is believed of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.linear.transition import contracted
from splu_ref.estimators.linear.two_state import border
from splu_ref.mechanisms import FloatArray

_LEAST = 1e-9


class ColumnStates(NamedTuple):
    """One column's part of a conjunction.

    Attributes
    ----------
    members
        1 for the values that are counted, 0 for the others, shape (values,).
    chances
        How likely a record with each value is published with one of them, shape (values,).
    kept
        b where no record is estimated to have one of them.
    scatter
        Relative standard deviation of the published frequency of the values, from which the chances are.
    """

    members: FloatArray
    chances: FloatArray
    kept: float
    scatter: float


class SeveralStates(NamedTuple):
    """A conjunction on several columns, counted.

    Attributes
    ----------
    total
        n.
    statistic
        The sum of the weights of the published records.
    contrast
        prod_k (b_k - a_k): what a record of the conjunction adds to its expectation.
    beside
        What the other records add to it.
    held
        x, as the table has it.
    noise, slope
        The variance of the statistic where x is ``held``, and by how much it rises with x.
    doubt
        Variance of what is ``beside``, which the table and the published frequencies leave open.
    """

    total: float
    statistic: float
    contrast: float
    beside: float
    held: float
    noise: float
    slope: float
    doubt: float

    @classmethod
    def of(
        cls, columns: Sequence[ColumnStates], cells: FloatArray, table: FloatArray, variance: FloatArray
    ) -> SeveralStates:
        """Return the states of a conjunction.

        Parameters
        ----------
        columns
            Its columns.
        cells
            The predicate's records by their published values.
        table, variance
            Estimated true counts of the same cells, and the variance of their errors.
        """
        members = [column.members for column in columns]
        weights, kept, taken, scatter = [], [], [], 0.0
        for place, column in enumerate(columns):
            others = [None if other == place else held for other, held in enumerate(members)]
            along = _along(table, others)
            inside, outside = along @ column.members, along @ (1 - column.members)
            b = along @ (column.members * column.chances) / inside if inside > _LEAST else column.kept
            a = along @ ((1 - column.members) * column.chances) / outside if outside > _LEAST else 0.0
            weights.append(column.chances - a)
            kept.append(float(b))
            taken.append(float(a))
            scatter += float(outside * a * column.scatter) ** 2
        held, each = contracted(table, members), np.subtract(kept, taken)
        counted = contracted(table, [one * weight for one, weight in zip(members, weights, strict=True)])
        contrast = counted / held if held > _LEAST else float(np.prod(each))
        squares = [column.chances * (1 - 2 * a) + a * a for column, a in zip(columns, taken, strict=True)]
        beside = contracted(table, weights) - counted
        second = [weight**2 for weight in weights]
        others_doubt = contracted(variance, second) - contracted(
            variance, [held_ * square for held_, square in zip(members, second, strict=True)]
        )
        drawn = [held_ - a for held_, a in zip(members, taken, strict=True)]
        return cls(
            total=float(cells.sum()),
            statistic=contracted(cells, drawn),
            contrast=contrast if each.min() > _LEAST else 0.0,
            beside=beside,
            held=held,
            noise=contracted(table, squares) - contracted(table, second),
            slope=float(np.prod([(b - a) * (1 - 2 * a) for b, a in zip(kept, taken, strict=True)]))
            - contrast**2,
            doubt=max(others_doubt, 0.0) + scatter,
        )

    @property
    def solved(self) -> float:
        """Return the x whose expectation the statistic is; not a number where no column tells of it."""
        return (self.statistic - self.beside) / self.contrast if self.contrast > _LEAST else float("nan")

    def variance(self, count: FloatArray) -> FloatArray:
        """Return the variance of the statistic if x is ``count``."""
        moved = self.noise + (count - self.held) * self.slope
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
        low, high = (border(contradicted, np.array(end), middle) for end in (0.0, self.total))
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
