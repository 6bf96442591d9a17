"""Homogeneous groups of a table: predicates whose records all carry one sensitive value.

The size of such a group is public, and the reconstruction of a conjunction reports all of it as soon as a
share p of its records is published with the value. So it errs less often than small-sum privacy of the value
promises (claim splu.T4c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import floor

import narwhals as nw
import numpy as np

from splu_ref.binomial import lower_tail, lower_tail_bounds
from splu_ref.binomial.work import STEP, spend
from splu_ref.guarantees.progress import Progress
from splu_ref.microdata import Microdata
from splu_ref.microdata.values import text, texts
from splu_ref.model import Concept
from splu_ref.randomness import IntArray


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
    columns = [_Column.of(table, name) for name in table.columns if name != sensitive]
    choices = [(column,) for column in columns] + list(combinations(columns, 2))
    answers: dict[int, bool] = {}
    found = []
    for done, chosen in enumerate(choices, 1):
        for cells, code, count in _pure(chosen, codes, len(domain)):
            if count not in answers:
                answers[count] = wanted(count)
            alone = len(chosen) > 1 and any(
                column.counts[cell] == count for column, cell in zip(chosen, cells, strict=True)
            )
            if answers[count] and not alone:
                where = {column.name: column.values[cell] for column, cell in zip(chosen, cells, strict=True)}
                found.append(HomogeneousGroup(Concept.of(where), text(domain[code]), count))
        if progress is not None:
            progress(done, len(choices))
    return sorted(found, key=lambda group: (-group.count, group.predicate.assignments))


def groups_work(table: Microdata) -> int:
    """Return about the work of looking at all columns and pairs of columns."""
    pairs = len(table.columns) * (len(table.columns) + 1) // 2
    return pairs * STEP * (300 + 2 * table.row_count)


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as indices into its values; -1 stands for a cell without content."""

    name: str
    values: list[str]
    cells: IntArray
    counts: IntArray

    @classmethod
    def of(cls, table: Microdata, name: str) -> _Column:
        series = nw.from_native(table.to_frame(), eager_only=True)[name]
        number: dict[str, int] = {}
        cells = np.array(
            [number.setdefault(cell, len(number)) if cell else -1 for cell in texts(series)], dtype=np.int64
        )
        return cls(name, list(number), cells, np.bincount(cells[cells >= 0], minlength=len(number)))


def _pure(
    columns: tuple[_Column, ...], codes: IntArray, domain_size: int
) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield (cells, sensitive code, count) of every combination of cells with one sensitive value only."""
    filled = np.logical_and.reduce([column.cells >= 0 for column in columns])
    keys = np.zeros(np.count_nonzero(filled), dtype=np.int64)
    for column in columns:
        keys = keys * max(len(column.values), 1) + column.cells[filled]
    pairs, counts = np.unique(keys * domain_size + codes[filled], return_counts=True)
    key = pairs // domain_size
    changes = np.flatnonzero(np.diff(key)) + 1
    starts, ends = np.r_[0, changes], np.r_[changes, len(key)]
    for place in starts[ends - starts == 1].tolist() if len(key) else ():
        cells, rest = [], int(key[place])
        for column in reversed(columns):
            rest, cell = divmod(rest, len(column.values))
            cells.append(cell)
        yield tuple(reversed(cells)), int(pairs[place] % domain_size), int(counts[place])
