"""What a table of estimates consists of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from splu_ref.estimators import AnyOf, Condition, Query, QueryEstimate
from splu_ref.mechanisms import CountedRelease, SpluGen, SpluGenByColumn

COUNT = "count"
PUBLIC = "public"
"""The method of a count that publication did not change."""


class Cell(NamedTuple):
    """A line of a table.

    Attributes
    ----------
    values
        The value of each column of the table, as text, in its order; None where it stands for all.
    estimate
        Records of the original with these values, among those of the table.
    standard_error
        Of the estimate; None where none is known, 0 of a public count.
    interval
        95 %; None where none is known to hold.
    method
        How it was estimated; `PUBLIC` for a count that publication did not change.
    published_count, predicate_count
        Published records with all values, and with those that are not sensitive.
    exact
        Whether the interval holds at least at its level, whatever the count is.
    """

    values: tuple[str | None, ...]
    estimate: float
    standard_error: float | None
    interval: tuple[float, float] | None
    method: str
    published_count: int
    predicate_count: int
    exact: bool = False

    @property
    def approximation(self) -> str:
        """How the interval holds: ``exact``, ``approximate``, or ``none`` if there is none."""
        return approximation(exact=self.exact, interval=self.interval)


@dataclass(frozen=True, kw_only=True)
class Table:
    """Estimates for all combinations of values of some columns.

    Attributes
    ----------
    quantity
        What is estimated, in a word or a few: ``count``, ``sum of age``, ``mean of age``.
    by
        The columns.
    where
        The conditions that all its records meet; empty for all records of the release.
    cells
        A line for each combination. Combinations of values of columns that are not sensitive are those that
        occur.
    totals
        What lines add up to: the public counts of the columns that are not sensitive, together; the counts of
        each sensitive column's values; and all records.
    rows
        Records that meet the conditions on columns that are not sensitive.
    warning
        Why there are no intervals, if there are none.
    """

    quantity: str
    by: tuple[str, ...]
    where: tuple[tuple[str, Condition], ...]
    cells: tuple[Cell, ...]
    totals: tuple[Cell, ...]
    rows: int
    warning: str | None = None


def approximation(*, exact: bool, interval: object) -> str:
    """Return in a word how an interval holds."""
    return "none" if interval is None else "exact" if exact else "approximate"


def is_exact(release: CountedRelease, query: Query, answer: QueryEstimate) -> bool:
    """Return whether the interval of an answer holds at least at its level, whatever the count is.

    That of a value alone does, by the law of its published count, unless own values are kept more often, or
    the draws of a group hang together.
    """
    mechanism, conditions = release.mechanism, [condition for _, condition in query.conditions]
    if isinstance(mechanism, SpluGenByColumn) and query.conditions[0][0] in release.domains:
        mechanism = mechanism.for_column(query.conditions[0][0])
    alone = len(conditions) == 1 and isinstance(conditions[0], AnyOf) and len(conditions[0].values) == 1
    return answer.exact or (
        alone
        and answer.method == "mle"
        and isinstance(mechanism, SpluGen)
        and mechanism.retention == Fraction(1, mechanism.gamma)
        and mechanism.draws.bound is None
    )


def known(values: tuple[str | None, ...], count: int) -> Cell:
    """Return the line of a count that publication did not change."""
    return Cell(
        values=values,
        estimate=count,
        standard_error=0.0,
        interval=(count, count),
        method=PUBLIC,
        published_count=count,
        predicate_count=count,
        exact=True,
    )
