"""Homogeneous groups of a table: predicates whose records all carry one sensitive value.

The size of such a group is public, and the reconstruction of a conjunction reports all of it as soon as a
share p of its records is published with the value. So it errs less often than small-sum privacy of the value
promises (claim splu.T4c).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor

import numpy as np

from splu_ref.audit.advice.coded import Coded, Groups
from splu_ref.binomial import lower_tail, lower_tail_bounds
from splu_ref.binomial.work import STEP, spend
from splu_ref.guarantees.progress import Progress
from splu_ref.microdata import Microdata
from splu_ref.microdata.values import text
from splu_ref.model import Concept


@dataclass(frozen=True, slots=True)
class HomogeneousGroup:
    """A predicate all of whose records carry the same sensitive value.

    Attributes
    ----------
    predicate
        One or two assignments to columns that are not sensitive.
    value
        The sensitive value, as text.
    count
        Records of the predicate, n = x3.
    """

    predicate: Concept
    value: str
    count: int


def error_below(count: int, epsilon: Fraction, retention: Fraction, level: Fraction) -> bool:
    """Return whether the reconstruction errs on a homogeneous group with a probability below ``level``.

    Parameters
    ----------
    count
        Records of the group, n.
    epsilon
        Relative error, greater than 0.
    retention
        p, between 0 and 1, both excluded.
    level
        The probability that is asked for, T_P.

    Notes
    -----
    The closed form of section 5.1 reports n if y3 >= p n, and at most y3/p otherwise: in large tables y3/p.
    So it errs if y3 <= (1 - epsilon) p n, y3 ~ Bin(n, p), and in small tables at least then.
    """
    most = floor((1 - epsilon) * retention * count)
    bounds = lower_tail_bounds(count, most, retention)
    if bounds.lower < level <= bounds.upper:
        return lower_tail(count, most, retention) < level
    return bounds.upper < level


def homogeneous_groups(
    table: Microdata, sensitive: str, wanted: Callable[[int], bool], progress: Progress | None = None
) -> list[HomogeneousGroup]:
    """Return the homogeneous groups of one or two assignments whose size is ``wanted``, largest first.

    Parameters
    ----------
    table
        The original table.
    sensitive
        The sensitive column; predicates speak of all others, and of cells that have content.
    wanted
        Whether groups of a size are to be listed; asked once for each size that occurs.
    progress
        Called with (columns and pairs of columns done, how many in all).

    Notes
    -----
    Two assignments that select the same records as one of them are not listed again.
    """
    spend(groups_work(table))
    codes, domain = table.codes(sensitive), table.domain(sensitive)
    columns = [Coded.of(table, name) for name in table.columns if name != sensitive]
    choices = [(column,) for column in columns] + list(combinations(columns, 2))
    answers: dict[int, bool] = {}
    found = []
    for done, chosen in enumerate(choices, 1):
        groups = Groups.of(chosen, codes, len(domain))
        for place in np.flatnonzero(groups.most == groups.size).tolist():
            count = int(groups.size[place])
            if count not in answers:
                answers[count] = wanted(count)
            if answers[count] and not groups.selected_by_one(place):
                value = text(domain[groups.code[place]])
                found.append(HomogeneousGroup(Concept.of(groups.where(place)), value, count))
        if progress is not None:
            progress(done, len(choices))
    return sorted(found, key=lambda group: (-group.count, group.predicate.assignments))


def groups_work(table: Microdata) -> int:
    """Return about the work of looking at all columns and pairs of columns."""
    pairs = len(table.columns) * (len(table.columns) + 1) // 2
    return pairs * STEP * (300 + 2 * table.row_count)
