"""How often records are published with their own value, where that depends on the value."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.releases.findings import Claim
from splu_ref.audit.releases.pooling import Logs, point_logs
from splu_ref.randomness import IntArray

Flags: TypeAlias = NDArray[np.bool_]


class OwnRates:
    """The probabilities of being published with the own value, by value.

    Parameters
    ----------
    claimed, column
        The claim, and the sensitive column.
    size
        Number of values of its domain.

    Attributes
    ----------
    rates
        By value.
    drawn
        Whether a coin decides: shape (size,), False where the probability is 0 or 1.
    """

    def __init__(self, claimed: Claim, column: str, size: int) -> None:
        self.rates = [claimed.own_rate(column, value) for value in range(size)]
        self.drawn = np.array([0 < rate < 1 for rate in self.rates])
        self._together = claimed.together
        self._alike = len(set(self.rates)) == 1
        self._own = np.array([float(rate) for rate in self.rates])
        self._other = np.array([float(1 - rate) for rate in self.rates])

    def mean(self, true: IntArray) -> Fraction:
        """Return the mean probability over rows with these true values, at least one."""
        if self._alike:
            return self.rates[0]
        counts = np.bincount(true, minlength=len(self.rates)).tolist()
        return sum((n * rate for n, rate in zip(counts, self.rates, strict=True)), Fraction(0)) / len(true)

    def contradicted(self, true: IntArray, own: Flags) -> bool:
        """Return whether a row shows its own value though it cannot, or another though it must."""
        certain = ~self.drawn[true]
        return bool((own[certain] != self._own[true[certain]]).any())

    def logs(self, part: IntArray, parts: int, true: IntArray, own: Flags) -> Logs:
        """Return the logarithms of the e-values of the parts of some rows, shape (parts,).

        Parameters
        ----------
        part, parts
            The part of each row, which no draw decides, and their number.
        true, own
            The true value of each row, for which a coin decides, and whether it is shown.

        Notes
        -----
        The rows of a part that show their own value are a sum of independent indicators. `point_logs` at
        their mean rate is the logarithm of a convex function, so that by Hoeffding (1956, Theorem 3) its
        expectation is at most that under a binomial law, which is 1.
        """
        trials = np.bincount(part, minlength=parts)
        successes = np.bincount(part, weights=own, minlength=parts).astype(np.int64)
        if self._alike:
            return point_logs(trials, successes, self.rates[0], self._together)
        rows = np.maximum(trials, 1)
        means = (
            np.bincount(part, weights=of[true], minlength=parts) / rows for of in (self._own, self._other)
        )
        kept, left = (np.where(trials > 0, mean, 0.5) for mean in means)
        return point_logs(trials, successes, (kept, left), self._together)

    def apart(self, part: IntArray, parts: int, true: IntArray) -> tuple[IntArray, int]:
        """Divide the parts so that each has one rate, as divisions need that draws before decide.

        There each row adds a factor whose expectation is 1 given the rows before: of a mean rate it is not.
        """
        size = len(self.rates)
        return (part, parts) if self._alike else (part * size + true, parts * size)
