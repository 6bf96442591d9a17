"""Columns in which one value has more than half of the records: no gamma is feasible; remedies."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splu_ref.audit.advice.coded_table import CodedTable, coded
from splu_ref.channels import DataError
from splu_ref.data import JOINED_BY, Microdata, text
from splu_ref.mechanisms import largest_gamma

MOST_VALUES = 50
"""Values of a column that another one is crossed with."""
NO_CROSSING = f"of at most {MOST_VALUES} values does (--bins and --group-rare leave fewer)"
"""Explanation if `crossing` returns None."""
ENOUGH = 5
"""A gamma beyond which a crossing with fewer values is preferred to a larger gamma."""
RETENTION = Fraction(1, 2)
"""The retention probability of the other mechanism where no gamma is feasible."""


@dataclass(frozen=True, slots=True)
class Skew:
    """A column in which one value has more than half of the records, so that no gamma is feasible."""

    column: str  #: name of the column
    rows: int  #: number of records
    values: tuple[tuple[str, int], ...]  #: sensitive values and their true counts, the most frequent first

    @property
    def sentence(self) -> str:
        """The reason why no gamma is feasible."""
        value, count = self.values[0]
        return (
            f"column {self.column!r} allows no gamma: {value!r} occurs {count} times among {self.rows} "
            "records, more than half"
        )


def skew(table: CodedTable, sensitive: str) -> Skew | None:
    """Return the skew of a column, None if a gamma is feasible."""
    domain, histogram = table.domain(sensitive), table.histogram(sensitive)
    if largest_gamma(histogram) >= 2:
        return None
    counted = ((text(value), int(count)) for value, count in zip(domain, histogram, strict=True))
    return Skew(sensitive, table.row_count, tuple(sorted(counted, key=lambda item: (-item[1], item[0]))))


def require_groups(table: Microdata | CodedTable, sensitive: str, columns: Sequence[str] = ()) -> int:
    """Return the largest gamma that a column allows; ``columns`` are all that are sensitive.

    Raises
    ------
    DataError
        If it allows none; the message names a crossing and another mechanism as remedies.
    """
    table = coded(table)
    found = skew(table, sensitive)
    if found is None:
        return largest_gamma(table.histogram(sensitive))
    others = [column for column in columns if column != sensitive]
    crossed = crossing(table, sensitive, others)
    helps = f"No crossing with one other column {NO_CROSSING}" if crossed is None else str(crossed)
    raise DataError(
        f"{found.sentence}, and dropping or grouping other values cannot help. {helps}; splu-ref publish "
        f"--mechanism retention {_named((sensitive, *others))} --retention {RETENTION} --domain FILE "
        "--shuffle needs no groups"
    )


@dataclass(frozen=True, slots=True)
class Crossing:
    """A crossing of a sensitive column with another one, as a remedy."""

    # name, by: the column that it makes, and the other column
    name: str
    by: str
    gamma: int  # the largest gamma that it allows
    sensitive: str  # the sensitive column
    others: tuple[str, ...]  # the other sensitive columns

    def __str__(self) -> str:
        columns = _named((self.name, *self.others))
        return (
            f"--cross {shlex.quote(self.option)} {columns} allows gamma up to {self.gamma}, with T_P for "
            "pairs of values, not for values of one column"
        )

    @property
    def option(self) -> str:
        """The crossing as ``--cross`` takes it."""
        return f"{self.name}={self.sensitive},{self.by}"


def crossing(
    table: Microdata | CodedTable, sensitive: str, but: Sequence[str] = (), above: int = 1
) -> Crossing | None:
    """Return the best column to cross with: the one with the largest feasible gamma and few values.

    Parameters
    ----------
    table, sensitive
        The table and the column.
    but
        The other sensitive columns, which must not be crossed.
    above
        The gamma that is feasible without crossing.

    Returns
    -------
    Crossing or None
        None if no crossing allows a larger gamma.
    """
    table = coded(table)
    if not _can_be_crossed(sensitive, map(text, table.domain(sensitive))):
        return None
    best: tuple[int, int, int, str] | None = None
    for name in table.columns:
        if name == sensitive or name in but:
            continue
        column = table.counted(name)
        if not 2 <= column.size <= MOST_VALUES or column.filled < table.row_count:
            continue
        if not _can_be_crossed(name, column.texts(np.arange(column.size))):
            continue
        pieces = [counts for _, counts in table.counts([name], sensitive)]
        allowed = largest_gamma(np.concatenate(pieces))
        option = (min(allowed, ENOUGH), -column.size, allowed, name)
        if allowed > above and (best is None or option > best):
            best = option
    if best is None:
        return None
    numbers = itertools.chain([""], itertools.count(2))
    names = (re.sub(r"\W+", "_", f"{sensitive}_{best[3]}{number}") for number in numbers)
    free = next(name for name in names if name not in table.columns)
    # The other sensitive columns are published with the same gamma, where they allow any.
    limits = [found for column in but if (found := largest_gamma(table.histogram(column))) > 1]
    gamma = min(best[2], *limits) if limits else best[2]
    return Crossing(name=free, by=best[3], gamma=gamma, sensitive=sensitive, others=tuple(but))


def _named(columns: Iterable[str]) -> str:
    """Return options that name sensitive columns."""
    return " ".join(f"--sensitive {shlex.quote(column)}" for column in columns)


def _can_be_crossed(name: str, values: Iterable[str]) -> bool:
    """Return whether a column can be crossed: it must not be a crossing already."""
    return "," not in name and not any(JOINED_BY in value for value in values)
