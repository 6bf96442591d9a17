"""Results of estimators: estimates of queries with standard errors and intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import nan
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray

_DECIMALS = 6
"""Decimals of a record in reported numbers; further digits are rounding errors of double precision."""

_ROUNDING = 10**-_DECIMALS

NORMAL_95 = 1.959963984540054
"""The 97.5 % point of the normal law."""

Interval: TypeAlias = Literal["each", "average"]
"""Kind of coverage: for every true count, or for 95 % of the values of a domain on average."""

AVERAGED = "the standard error is that of the shrunken estimate, on average over the values of the column"
"""Note on the estimates of ``shrunk``."""

PUBLISHED_ALONE = "the interval is that of the published count alone, {}"
"""Note on the intervals of ``shrunk`` for each count, with the standard error of that estimate."""

MOVED = (
    "the estimate is moved into the range of possible counts: the standard error is that before the move, "
    "and the interval has the counts that agree with the published one"
)
"""Note on estimates of ``exact`` and ``em`` at an end of that range."""

IMPOSSIBLE = "the unbiased estimate is outside the possible range, to which the interval is cut"
"""Note on a count, and warning of a sum, that no records have."""

NO_INFORMATION = (
    "the value is published with at least p of all rows: the records are not informative about the "
    "conjunction, and the estimate is n f'/N"
)


NO_INTERVAL = (
    "no interval and no standard error: under this plan, which values stand together follows from the counts "
    "before publication, which are known by estimates only, and this method does not allow for their error"
)
"""Warning where the plan is a function of the histogram and its uncertainty is not included."""

NO_JOINT_INTERVAL = (
    "no interval and no standard error: this method counts records as independent, and where draws are all "
    "or none the records of a rare value are not: use shrunk"
)
"""Warning for several sensitive columns under all-or-none draws."""

NO_JOINT_ERROR = (
    "no standard error: over several sensitive columns that depend on each other the estimate may be biased "
    "by more than the error that its model gives"
)
"""Note on estimates over several sensitive columns whose bias is not bounded."""

ON_AVERAGE = (
    "the interval covers 95 % of the values of the domain on average, not each count: where one value holds "
    "over 40 % of the records of the predicate, such intervals covered its count in as few as 28 % of cases"
)
"""Warning for intervals of the kind ``average``."""

BATCHES = (
    "the interval is for one plan over all records, and the release has batches with a plan each: of records "
    "of one batch it covers less than 95 %. Which rows are of which batch is not known: rows were reordered, "
    "the file is counted in parts, or the manifest has no digest of each batch"
)
"""Warning on estimates of conjunctions in a release of which the rows of each batch are not known."""

EMPTY_PREDICATE = "no record meets the conditions on the columns that are not sensitive, so the count is 0"
"""Note on estimates for an empty predicate."""

_NOBODY = (
    *(("standard_error", 0.0), ("interval", (0.0, 0.0)), ("exact", True)),
    *(("note", EMPTY_PREDICATE), ("warning", None), ("model_error", None)),
)
"""What is known of a count for an empty predicate, by any method."""

NORMAL_INTERVAL = (
    "the interval is the unbiased estimate plus or minus 1.96 standard errors (a table then moves both into "
    "the possible range), which covers less than 95 % where one value holds over 40 % of the records of the "
    "predicate: use shrunk"
)
"""Warning for the normal intervals of ``inversion``."""


@dataclass(frozen=True, slots=True)
class QueryEstimate:
    """The estimated count of a conjunction in the original records of a release.

    Attributes
    ----------
    estimate
        Not rounded to whole records.
    standard_error
        A named approximation for each method: see `docs/estimating`. That of ``shrunk`` is the root mean
        square error over the values of the column: the error of a value that depends strongly on the
        conditions may be several times as large. None where none is known.
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
        A remark on this estimate, or None.
    warning
        Reason for a missing interval, why the interval is not a 95 % interval for each count, or that the
        published count says little about the true one; None if there is nothing to say.
    interval_kind
        Whether the interval is for each count by itself, or for the values of a domain on average.
    variance_estimate
        An unbiased estimate of the variance, exact, where there is one; it may be negative.
    exact
        Whether the interval holds the true count with at least its level, whatever that count is.
    model_error
        The root mean square error under the method's model, which weights the estimate in tables, where it is
        no standard error: because the bias is not bounded, or because it is larger than any error that is
        possible. None elsewhere.
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
    model_error: float | None = None

    def __post_init__(self) -> None:
        for name, value in _NOBODY if self.predicate_count == 0 else ():
            object.__setattr__(self, name, value)
        low, high = self.interval or (self.estimate, self.estimate)
        if self.note is None and not low - _ROUNDING <= self.estimate <= high + _ROUNDING:
            object.__setattr__(self, "note", IMPOSSIBLE)

    @property
    def known_error(self) -> float:
        """The error of the model, or else the standard error; NaN if neither is known."""
        errors = (self.model_error, self.standard_error)
        return next((error for error in errors if error is not None), nan)


class QueryCounts(NamedTuple):
    """Published counts of queries, independent of the method: arrays of one length."""

    predicate: FloatArray  # n, records of the predicate
    both: FloatArray  # published records of the whole query
    # n times the published share of the queried values: the count if the predicate is independent of them
    expected: FloatArray
    # largest possible count: n, or N/gamma for each value named, because a table with more than N/gamma
    # records of a value cannot be published
    most: FloatArray


class Unclipped(NamedTuple):
    """Unbiased estimates of queries, neither clipped nor shrunk: arrays of one length."""

    value: FloatArray  # NaN where the counts are not informative
    error: FloatArray  # standard errors


@dataclass(frozen=True, eq=False, slots=True)
class Estimates:
    """Estimates of several queries: arrays of one length.

    Attributes
    ----------
    value
        NaN where the counts are not informative.
    error
        Standard errors.
    lower, upper
        Ends of the 95 % intervals.
    notes
        A remark on each estimate, or None; empty if there are none.
    condition_number
        Of the transition matrix, if it was inverted.
    warning
        Reason why errors and intervals are not reported; None if they are.
    caveat
        Reason why the intervals are not 95 % intervals for each count; None if they are.
    allows_for_plan
        Whether they allow for a plan that is a function of the histogram.
    model_based
        Whether the errors are those of a model, and no standard errors: see `QueryEstimate`.
    interval_kind
        As in `QueryEstimate`.
    unclipped
        The unbiased estimates on which they rest; None if these are they.
    """

    value: FloatArray
    error: FloatArray
    lower: FloatArray
    upper: FloatArray
    notes: Sequence[str | None] = field(default=(), kw_only=True)
    condition_number: float | None = field(default=None, kw_only=True)
    warning: str | None = field(default=None, kw_only=True)
    caveat: str | None = field(default=None, kw_only=True)
    allows_for_plan: bool = field(default=False, kw_only=True)
    model_based: bool = field(default=False, kw_only=True)
    interval_kind: Interval = field(default="each", kw_only=True)
    unclipped: Unclipped | None = field(default=None, kw_only=True)

    @property
    def linear(self) -> Unclipped:
        """The unbiased estimates."""
        return self.unclipped or Unclipped(self.value, self.error)

    @classmethod
    def normal(cls, value: FloatArray, error: FloatArray, most: FloatArray) -> Estimates:
        """Return estimates and normal 95 % intervals, both clipped to 0 .. most, from unclipped estimates.

        The lower end is that of an estimate of at most ``most``, the upper end that of at least 0.
        """
        reach = NORMAL_95 * error
        ends = np.minimum(value, most) - reach, np.maximum(value, 0.0) + reach
        estimate, low, high = (np.clip(part, 0.0, most) for part in (value, *ends))
        return cls(estimate, error, low, high, unclipped=Unclipped(value, error))

    @classmethod
    def score(cls, value: FloatArray, error: FloatArray, most: FloatArray, least_rate: float) -> Estimates:
        """Return counts and 95 % score intervals with continuity correction, clipped to 0 .. most.

        The variance of a published count is proportional to the true count: its rate is taken from the
        standard error, and is ``least_rate`` where nothing was published.
        """
        rate = np.divide(error**2, value, out=np.full_like(value, least_rate), where=value > 0)
        ends = []
        for sign in (-1, 1):
            moved = np.maximum(value + sign / 2, 0.0)
            half = NORMAL_95 * np.sqrt(rate * moved + (NORMAL_95 * rate / 2) ** 2)
            ends.append(moved + NORMAL_95**2 * rate / 2 + sign * half)
        return cls(value, error, *(np.clip(end, 0.0, most) for end in ends))

    @classmethod
    def unbounded(cls, value: FloatArray, error: FloatArray, condition_number: float) -> Estimates:
        """Return estimates with normal 95 % intervals, neither clipped."""
        margin = NORMAL_95 * error
        return cls(
            value,
            error,
            value - margin,
            value + margin,
            condition_number=condition_number,
            caveat=NORMAL_INTERVAL,
        )

    @classmethod
    def from_batches(cls, size: int, parts: Iterable[tuple[IntArray, Estimates]]) -> Estimates:
        """Return the estimates of ``size`` queries from batches, each with the indices of its queries."""
        arrays = [np.empty(size) for _ in range(6)]
        for where, found in parts:
            each = found.value, found.error, found.lower, found.upper, *found.linear
            for array, part in zip(arrays, each, strict=True):
                array[where] = part
        return cls(*arrays[:4], unclipped=Unclipped(*arrays[4:]))

    def below(self, bound: FloatArray) -> Estimates:
        """Return the estimates and their intervals clipped to an upper bound of the true count."""
        value, lower, upper = (np.minimum(part, bound) for part in (self.value, self.lower, self.upper))
        return replace(self, value=value, lower=lower, upper=upper)

    def moved_below(self, bound: FloatArray) -> Estimates:
        """Return the same with a note on each estimate at an end of its range, which may have been moved."""
        found = self.below(bound)
        value = found.value.round(_DECIMALS)
        at_end = ((value <= 0) | (value >= bound)) & (found.error > 0)
        return replace(found, notes=[MOVED if each else None for each in at_end.tolist()])

    def clipped_to_interval(self) -> Estimates:
        """Return the estimates clipped to their intervals."""
        return replace(self, value=np.clip(self.value, self.lower, self.upper))

    def with_value(self, value: FloatArray) -> Estimates:
        """Return other estimates, with the intervals extended to contain them."""
        return replace(
            self, value=value, lower=np.minimum(self.lower, value), upper=np.maximum(self.upper, value)
        )

    def with_others(self, where: IntArray, others: Estimates) -> Estimates:
        """Return these with others in some places."""
        notes = list(self.notes or [None] * len(self.value))
        for place, note in zip(where.tolist(), others.notes or [None] * len(where), strict=True):
            notes[place] = note
        every = np.arange(len(self.value))
        found = Estimates.from_batches(len(self.value), [(every, self), (where, others)])
        return replace(
            self, value=found.value, error=found.error, lower=found.lower, upper=found.upper,
            unclipped=found.unclipped, notes=notes,
        )  # fmt: skip

    def query_estimates(self, method: str, counted: QueryCounts) -> list[QueryEstimate]:
        """Return the result of each query under the name of the method.

        Without an estimate the result is n f'/N with the interval 0 .. most and the standard error most/2,
        the largest standard deviation on that range. No standard error is above the largest error of an
        estimate that is clipped.
        """
        blank, most = ~np.isfinite(self.value), counted.most
        value = np.where(blank, np.minimum(counted.expected, most), self.value)
        error = np.where(blank, most / 2, self.error)
        clipped = self.condition_number is None  # what an inverse gives is not
        arrays = (
            value,
            error,
            np.minimum(error, np.maximum(value, most - value)) if clipped else error,
            np.where(blank, 0.0, self.lower),
            np.where(blank, most, self.upper),
            counted.both,
            counted.predicate,
        )
        notes = self.notes or [None] * len(self.value)
        modeled = self.model_based & (counted.predicate > 0) & (self.warning is None)
        return [
            QueryEstimate(
                estimate=value,
                standard_error=None if self.warning or of_model else possible,
                interval=None if self.warning else (lower, upper),
                method=method,
                published_count=round(both),
                predicate_count=round(predicate),
                condition_number=self.condition_number,
                interval_kind=self.interval_kind,
                note=NO_INFORMATION if nothing else NO_JOINT_ERROR if of_model else note,
                warning=self.warning or self.caveat,
                model_error=error if of_model or (possible < error and not self.warning) else None,
            )
            for value, error, possible, lower, upper, both, predicate, nothing, of_model, note in zip(
                *(array.round(_DECIMALS).tolist() for array in arrays),
                blank.tolist(),
                modeled.tolist(),
                notes,
                strict=True,
            )
        ]
