"""What an estimate says: a number, its error, and what it was made from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

_DECIMALS = 6
"""Of a record, which counts are rounded to: what is left beyond is the rounding of double precision."""

NORMAL_95 = 1.959963984540054
"""The 97.5 % point of the normal law."""

Interval: TypeAlias = Literal["each", "average"]
"""What an interval is for: every true count, or 95 % of the values of a domain on average."""

NO_INFORMATION = (
    "the value is published with at least p of all rows: the records tell nothing about the conjunction, and "
    "the estimate is n f'/N"
)


NO_INTERVAL = (
    "no interval and no standard error: under this plan, which values stand together follows from the counts "
    "before publication, which are known by estimates only, and this method does not allow for their error"
)
"""Said of a plan that is a function of the histogram, where its uncertainty is not accounted for."""

NO_JOINT_INTERVAL = (
    "no interval and no standard error: this method counts records as independent, and where draws are all "
    "or none the records of a rare value are not: use shrunk"
)
"""Said of several sensitive columns, where the draws of a group are all or none."""


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """The estimated count of a conjunction among the records that the release holds, before publication.

    Attributes
    ----------
    estimate
        Not rounded to whole records.
    standard_error
        A named approximation for each method: see `docs/estimating`. None where none is known.
    interval
        Nominal 95 %; None where none is known to hold.
    method
        The method's name.
    published_count
        Records of the published table that satisfy the whole query.
    predicate_count
        Records that satisfy its conditions on columns that are not sensitive, which publication does not
        change.
    condition_number
        Of the transition matrix, 2-norm, if the method inverts it.
    note
        What else must be known about this estimate.
    warning
        Why there is no interval.
    interval_kind
        Whether the interval is for each count by itself, or for the values of a domain on average.
    variance_estimate
        An unbiased estimate of the variance, exact, where there is one; it may be negative.
    exact
        Whether the interval holds the true count with at least its level, whatever that count is.
    """

    estimate: float
    standard_error: float | None
    interval: tuple[float, float] | None
    method: str
    published_count: int
    predicate_count: int
    condition_number: float | None = None
    note: str | None = None
    warning: str | None = None
    interval_kind: Interval = "each"
    variance_estimate: Fraction | None = None
    exact: bool = False


class Counted(NamedTuple):
    """What is counted of queries before any estimate: arrays of one length.

    Attributes
    ----------
    predicate
        n, records of the predicate.
    both
        Published records of the whole query.
    expected
        n times the published shares of the values asked for: what a predicate has that is unrelated to them.
    most
        The largest count that is possible: n, or N/gamma for each value named. A table with more than N/gamma
        of a value cannot be published.
    """

    predicate: FloatArray
    both: FloatArray
    expected: FloatArray
    most: FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Estimates:
    """Estimates of several queries: arrays of one length.

    Attributes
    ----------
    value
        Not a number where the counts say nothing.
    error
        Standard errors.
    lower, upper
        Ends of the 95 % intervals.
    notes
        What else must be known of each; empty if nothing of any.
    condition_number
        Of the transition matrix, if it was inverted.
    warning
        Why errors and ends must not be told; None if they may.
    allows_for_plan
        Whether they allow for a plan that is a function of the histogram.
    interval_kind
        As in `QueryEstimate`.
    """

    value: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray
    notes: Sequence[str | None] = field(default=(), kw_only=True)
    condition_number: float | None = field(default=None, kw_only=True)
    warning: str | None = field(default=None, kw_only=True)
    allows_for_plan: bool = field(default=False, kw_only=True)
    interval_kind: Interval = field(default="each", kw_only=True)

    @classmethod
    def normal(cls, value: FloatArray, error: FloatArray, most: FloatArray) -> Estimates:
        """Return estimates within 0 .. most, with the ends of value plus or minus 1.96 errors cut off there.

        ``value`` is the estimate before it is cut off itself.
        """
        ends = (np.clip(value + sign * NORMAL_95 * error, 0.0, most) for sign in (-1, 1))
        return cls(np.clip(value, 0.0, most), error, *ends)

    @classmethod
    def unbounded(cls, value: FloatArray, error: FloatArray, condition_number: float) -> Estimates:
        """Return estimates of which neither value nor ends, value plus or minus 1.96 errors, are cut off."""
        margin = NORMAL_95 * error
        return cls(value, error, value - margin, value + margin, condition_number=condition_number)

    @classmethod
    def gathered(cls, size: int, parts: Iterable[tuple[IntArray, Estimates]]) -> Estimates:
        """Return the estimates of all queries from those of some at a time, which have no notes.

        Parameters
        ----------
        size
            How many queries there are.
        parts
            Places of queries, each once in all, and their estimates.
        """
        arrays = [np.empty(size) for _ in range(4)]
        for where, found in parts:
            for array, part in zip(arrays, (found.value, found.error, found.lower, found.upper), strict=True):
                array[where] = part
        return cls(*arrays)

    def with_ends_below(self, bound: FloatArray) -> Estimates:
        """Return the same with both ends of the interval cut off at a bound of the true count."""
        return replace(self, lower=np.minimum(self.lower, bound), upper=np.minimum(self.upper, bound))

    def within_ends(self) -> Estimates:
        """Return the same with the estimate moved into the interval, where it lies outside."""
        return replace(self, value=np.clip(self.value, self.lower, self.upper))

    def with_value(self, value: FloatArray) -> Estimates:
        """Return the same with another estimate, and the interval widened to it where it lies outside."""
        return replace(
            self, value=value, lower=np.minimum(self.lower, value), upper=np.maximum(self.upper, value)
        )

    def stated(self, method: str, counted: Counted) -> list[QueryEstimate]:
        """Return an answer to each query, with the name of the method.

        Where there is no estimate that is n f'/N, with all of 0 .. most as interval, and most/2 as error: no
        count in 0 .. most has a standard deviation above it.
        """
        blank, most = ~np.isfinite(self.value), counted.most
        arrays = (
            np.where(blank, np.minimum(counted.expected, most), self.value),
            np.where(blank, most / 2, self.error),
            np.where(blank, 0.0, self.lower),
            np.where(blank, most, self.upper),
            counted.both,
            counted.predicate,
        )
        notes = self.notes or [None] * len(self.value)
        return [
            QueryEstimate(
                estimate=value,
                standard_error=None if self.warning else error,
                interval=None if self.warning else (lower, upper),
                method=method,
                published_count=round(both),
                predicate_count=round(predicate),
                condition_number=self.condition_number,
                interval_kind=self.interval_kind,
                note=NO_INFORMATION if nothing else note,
                warning=self.warning,
            )
            for value, error, lower, upper, both, predicate, nothing, note in zip(
                *(array.round(_DECIMALS).tolist() for array in arrays), blank.tolist(), notes, strict=True
            )
        ]
