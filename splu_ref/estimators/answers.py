"""What an estimate says: a number, its error, and what it was made from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from splu_ref.estimators.counting import Predicate
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.two_state import NORMAL_95
from splu_ref.model import InputError

METHODS = {
    "mle": "the published count of a sensitive value alone",
    "exact": "closed form of the corrected two-state matrix",
    "shrunk": "between exact and n f'/N, by a learned weight",
    "em": "the likelihood's maximum over the states of the conjunction",
    "inversion": "inverse of the per-value matrix, unbiased, may be negative",
    "printed": "the paper's iteration, for comparison only",
}
"""Methods by name, with what they are."""

NO_INFORMATION = (
    "the value is published with at least p of all rows: the records tell nothing about the conjunction, and "
    "the estimate is n f'/N"
)

Reconstruction: TypeAlias = Callable[[Sequence[int], int], tuple[Sequence[float], int]]
"""The printed iteration: from the counts of the four states (not P and not s, not P and s, P and not s, P and
s) and gamma to the counts before publication and the number of steps. The library itself has none."""


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """The estimated count of a conjunction in the original table.

    Attributes
    ----------
    estimate
        Not rounded.
    standard_error
        A named approximation for each method: see `docs/estimating`.
    interval
        Nominal 95 %.
    method
        A name in `METHODS`.
    published_count
        Records of the published table that satisfy the whole query.
    predicate_count
        Records that satisfy its conditions on columns that are not sensitive, which publication does not
        change.
    condition_number
        Of the transition matrix, 2-norm, if the method inverts it.
    note
        What else must be known about this estimate.
    """

    estimate: float
    standard_error: float
    interval: tuple[float, float]
    method: str
    published_count: int
    predicate_count: int
    condition_number: float | None = None
    note: str | None = None


class Ask(NamedTuple):
    """A query, resolved.

    Attributes
    ----------
    predicate
        Its conditions on columns that are not sensitive.
    members
        For each sensitive column that it names, in the estimator's order, the codes of the values counted.
    named
        For each of these columns how many values are meant, at least 1: more than members if some are not
        published.
    """

    predicate: Predicate
    members: tuple[tuple[int, ...], ...]
    named: tuple[int, ...]


class Estimates(NamedTuple):
    """Estimates of several queries: arrays of one length."""

    value: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray

    @classmethod
    def normal(cls, value: FloatArray, error: FloatArray, most: FloatArray) -> Estimates:
        """Return estimates within 0 .. most, with the ends of value plus or minus 1.96 errors cut off there.

        ``value`` is the estimate before it is cut off itself.
        """
        ends = (np.clip(value + sign * NORMAL_95 * error, 0.0, most) for sign in (-1, 1))
        return cls(np.clip(value, 0.0, most), error, *ends)

    def with_ends_below(self, bound: FloatArray) -> Estimates:
        """Return the same with both ends of the interval cut off at a bound of the true count."""
        return self._replace(lower=np.minimum(self.lower, bound), upper=np.minimum(self.upper, bound))

    def around_estimate(self) -> Estimates:
        """Return the same with the interval widened to the estimate, where that lies outside."""
        return self._replace(
            lower=np.minimum(self.lower, self.value), upper=np.maximum(self.upper, self.value)
        )

    def without_information(self, expected: FloatArray, most: FloatArray) -> Estimates:
        """Return the same with n f'/N, all of 0 .. most, and the error most/2 where there is no estimate.

        No count in 0 .. most has a standard deviation above most/2.
        """
        blank = ~np.isfinite(self.value)
        return Estimates(
            np.where(blank, np.minimum(expected, most), self.value),
            np.where(blank, most / 2, self.error),
            np.where(blank, 0.0, self.lower),
            np.where(blank, most, self.upper),
        )


def require_printed(printed: Reconstruction | None) -> Reconstruction:
    """Return the printed iteration, or say where it is."""
    if printed is None:
        raise InputError(
            "the method printed is kept with the proofs only: "
            "pass splu_proofs.printed.iteration.reconstruct as printed"
        )
    return printed
