"""Columns in which one value has more than half of the records: no gamma is feasible; remedies."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Collection, Iterable
from fractions import Fraction
from math import sqrt

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
"""The retention probability for which the error of the other mechanism is reported."""


def require_groups(table: Microdata | CodedTable, sensitive: str) -> int:
    """Return the largest gamma that a column allows.

    Raises
    ------
    DataError
        If it allows none; the message names a crossing and another mechanism as remedies.
    """
    table = coded(table)
    domain, histogram = table.domain(sensitive), table.histogram(sensitive)
    feasible = largest_gamma(histogram)
    if feasible >= 2:
        return feasible
    place = int(histogram.argmax())
    value, count = text(domain[place]), int(histogram[place])
    error = _error(table, count, len(histogram))
    helps = crossing(table, sensitive) or f"No crossing with one other column {NO_CROSSING}"
    raise DataError(
        f"column {sensitive!r} allows no gamma: {value!r} occurs {count} times among {table.row_count} "
        "records, more than half, and dropping or grouping other values cannot help. "
        f"{helps}; splu-ref publish --mechanism retention --column {sensitive} "
        f"--domain FILE needs no groups: at --retention {RETENTION} "
        f"the count of {value!r} has a standard error of {error:.0f}"
    )


def crossing(
    table: Microdata | CodedTable, sensitive: str, but: Collection[str] = (), above: int = 1
) -> str | None:
    """Return the best column to cross with: the one with the largest feasible gamma and few values.

    Parameters
    ----------
    table, sensitive
        The table and the column.
    but
        Columns that must not be crossed.
    above
        The gamma that is feasible without crossing.

    Returns
    -------
    str or None
        The options of `publish` with the gamma that they allow; None if no crossing allows a larger gamma.
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
    free = next(each for number in itertools.count() if (each := f"new{number or ''}") not in table.columns)
    options, most = shlex.join(["--cross", f"{free}={best[3]},{sensitive}", "--sensitive", free]), best[2]
    return f"{options} allows gamma up to {most} and protects both columns"


def _can_be_crossed(name: str, values: Iterable[str]) -> bool:
    """Return whether a column can be crossed: it must not be a crossing already."""
    return "," not in name and not any(JOINED_BY in value for value in values)


def _error(table: CodedTable, count: int, values: int) -> float:
    """Return the standard error of a count by inversion under uniform replacement."""
    other = (1 - RETENTION) / values
    own, rows = RETENTION + other, table.row_count
    return sqrt((count * own * (1 - own) + (rows - count) * other * (1 - other)) / RETENTION**2)
