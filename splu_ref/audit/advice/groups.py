"""Homogeneous groups of a table: predicates whose records all have one sensitive value.

The size of such a group is public, and the reconstruction of a conjunction reports the whole group as soon as
a share p of its records is published with the value. So its error probability can be below T_P (claim
splu.T4c).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor

import numpy as np

from splu_ref.audit.advice.coded_table import CodedTable, coded, groups_of
from splu_ref.channels import STEP, Concept, lower_tail, lower_tail_bounds, spend
from splu_ref.data import Microdata, text
from splu_ref.guarantees import Progress

MOST_LISTED = 100_000
"""Predicates of one kind that are listed for a table in files, the largest; others are only counted."""


@dataclass(frozen=True, slots=True)
class HomogeneousGroup:
    """A predicate whose records all have the same sensitive value."""

    predicate: Concept  #: one or two assignments to columns that are not sensitive
    value: str  #: the sensitive value, as text
    count: int  #: records of the predicate, n = x3


def error_below(count: int, epsilon: Fraction, retention: Fraction, level: Fraction) -> bool:
    """Return whether the reconstruction errs on a homogeneous group with a probability below ``level``.

    The closed form of section 5.1 reports n if y3 >= p n, and at most y3/p otherwise (y3/p in large tables).
    So it errs if y3 <= (1 - epsilon) p n, where y3 ~ Bin(n, p); in small tables also for other y3.
    """
    most = floor((1 - epsilon) * retention * count)
    bounds = lower_tail_bounds(count, most, retention)
    if bounds.lower < level <= bounds.upper:
        return lower_tail(count, most, retention) < level
    return bounds.upper < level


def homogeneous_groups(
    table: Microdata | CodedTable,
    sensitive: str,
    wanted: Callable[[int], bool],
    progress: Progress | None = None,
) -> list[HomogeneousGroup]:
    """Return the homogeneous groups of one or two assignments whose size is ``wanted``, largest first.

    Parameters
    ----------
    table
        The original table; if it is in files, at most `MOST_LISTED` groups are returned.
    sensitive
        The sensitive column; predicates are about all others, and about nonempty cells.
    wanted
        Whether groups of a size are listed; called once for each size.
    progress
        Called with (columns and pairs of columns done, all of them).

    Notes
    -----
    Two assignments that select the same records as one of them are not listed.
    """
    return listed_groups(coded(table), sensitive, wanted, progress)[0]


def listed_groups(
    table: CodedTable, sensitive: str, wanted: Callable[[int], bool], progress: Progress | None = None
) -> tuple[list[HomogeneousGroup], Mapping[int, int]]:
    """Return the groups of `homogeneous_groups`, and the numbers of unlisted groups by size."""
    spend(groups_work(table))
    domain = table.domain(sensitive)
    columns = [table.counted(name) for name in table.columns if name != sensitive]
    choices = [(column,) for column in columns] + list(combinations(columns, 2))
    most = None if table.in_memory else MOST_LISTED
    answers: dict[int, bool] = {}
    unlisted: Counter[int] = Counter()
    found: list[HomogeneousGroup] = []
    for done, chosen in enumerate(choices, 1):
        for groups in groups_of(table, chosen, sensitive):
            pure = np.flatnonzero(groups.most == groups.size)
            sizes = np.unique(groups.size[pure])
            for size in sizes.tolist():
                if size not in answers:
                    answers[size] = wanted(size)
            places = pure[np.isin(groups.size[pure], [size for size in sizes.tolist() if answers[size]])]
            places = places[~groups.selected_by_one(places)]
            for place, where in zip(places.tolist(), groups.where(places), strict=True):
                value = text(domain[groups.code[place]])
                found.append(HomogeneousGroup(Concept.of(where), value, int(groups.size[place])))
            if most is not None and len(found) > 2 * most:
                found = _largest(found, most, unlisted)
        if progress is not None:
            progress(done, len(choices))
    return _largest(found, most, unlisted), unlisted


def _largest(
    found: list[HomogeneousGroup], most: int | None, unlisted: Counter[int]
) -> list[HomogeneousGroup]:
    """Return the largest groups, and add the others to the counts by size."""
    ordered = sorted(found, key=lambda group: (-group.count, group.predicate.assignments))
    if most is None:
        return ordered
    unlisted.update(group.count for group in ordered[most:])
    return ordered[:most]


def groups_work(table: CodedTable) -> int:
    """Return the approximate work of the search; 0 for a table in files, whose search is not limited."""
    pairs = len(table.columns) * (len(table.columns) + 1) // 2
    return pairs * STEP * (300 + 2 * table.row_count) if table.in_memory else 0
