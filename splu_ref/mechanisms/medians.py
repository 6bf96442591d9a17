"""Groups of alike records by their other columns alone: cuts at medians, and what of a group is published.

Strict multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan 2006): the column of the widest range,
as a share of its whole range, is cut first, the first of several; records that agree in it stay together. No
sensitive value is looked at, so that groups tell nothing of one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal

import numpy as np

from splu_ref.channels import DataError, ParameterError, whole
from splu_ref.data import Microdata, number
from splu_ref.randomness import IntArray

BETWEEN = ".."
"""What stands between the least and the greatest value of a group's range."""


def number_columns(table: Microdata, columns: Sequence[str]) -> tuple[str, ...]:
    """Return those of the columns of which every cell is a number, which are ordered by size."""
    return tuple(name for name in columns if all(number(cell) is not None for cell in set(table.cells(name))))


class OrderedColumns:
    """The columns that are generalized, their values in order.

    Parameters
    ----------
    table
        The table.
    quasi
        The columns, at least one.
    numbers
        Those of them whose values are ordered by size; others are ordered by code point. An empty cell is a
        text like any other.

    Attributes
    ----------
    domains
        The values of each column in their order, as texts.
    ranks
        Each record's place in it, shape (columns, N).

    Raises
    ------
    ParameterError
        If no column is named.
    DataError
        If there is no such column, or one of numbers holds something else.
    """

    def __init__(self, table: Microdata, quasi: Sequence[str], numbers: Collection[str]) -> None:
        if not quasi:
            raise ParameterError("name one or more columns to group by")
        cells = [table.cells(name) for name in quasi]
        self.domains = tuple(
            _by_size(name, set(column)) if name in numbers else tuple(sorted(set(column)))
            for name, column in zip(quasi, cells, strict=True)
        )
        self.ranks: IntArray = np.empty((len(quasi), table.row_count), dtype=np.int64)
        for row, column, domain in zip(self.ranks, cells, self.domains, strict=True):
            places = {value: place for place, value in enumerate(domain)}
            row[:] = np.fromiter(map(places.__getitem__, column), dtype=np.int64, count=len(column))

    def groups(self, least: int) -> IntArray:
        """Return the group of each record, from 0, shape (N,), cut while both halves have ``least`` records.

        Raises
        ------
        ParameterError
            If there are fewer records.
        """
        return median_groups(self.ranks, least)

    def ranges(self, groups: IntArray) -> list[list[str]]:
        """Return by column what is published of each group: its value, or its least and its greatest one."""
        count = int(groups.max()) + 1
        found = []
        for domain, ranks in zip(self.domains, self.ranks, strict=True):
            least, greatest = np.full(count, len(domain), dtype=np.int64), np.zeros(count, dtype=np.int64)
            np.minimum.at(least, groups, ranks)
            np.maximum.at(greatest, groups, ranks)
            found.append(
                [
                    domain[low] if low == high else f"{domain[low]}{BETWEEN}{domain[high]}"
                    for low, high in zip(least.tolist(), greatest.tolist(), strict=True)
                ]
            )
        return found


def median_groups(ranks: IntArray, least: int) -> IntArray:
    """Return the group of each record, from 0, shape (N,), cut while both halves have ``least`` records.

    Parameters
    ----------
    ranks
        Each record's place among the values of a column that occur, in their order, shape (columns, N).
    least
        k, at least 1.

    Raises
    ------
    ParameterError
        If there are fewer records.
    """
    size, records = whole(least, "the least group", 1), ranks.shape[1]
    if records < size:
        raise ParameterError(f"{records} records make no group of {size}: give a smaller one")
    spans = np.maximum(ranks.max(axis=1), 1)
    groups = np.zeros(records, dtype=np.int64)
    waiting, made = [np.arange(records)], 0
    while waiting:
        rows = waiting.pop()
        halves = _cut(ranks[:, rows], spans, size)
        if halves is None:
            groups[rows] = made
            made += 1
        else:
            waiting += [rows[~halves], rows[halves]]
    return groups


def _by_size(name: str, cells: Collection[str]) -> tuple[str, ...]:
    sizes: dict[str, Decimal] = {}
    for cell in sorted(cells):
        found = number(cell)
        if found is None:
            raise DataError(
                f"column {name!r} holds {cell!r}, which is no number: leave it out of the columns of numbers"
            )
        sizes[cell] = found
    return tuple(sorted(sizes, key=lambda cell: (sizes[cell], cell)))


def _cut(
    ranks: IntArray, spans: IntArray, least: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]] | None:
    """Return which records of a group are in its lower half, or None if it cannot be cut."""
    if ranks.shape[1] < 2 * least:
        return None
    widths = (ranks.max(axis=1) - ranks.min(axis=1)) / spans
    for column in np.argsort(-widths, kind="stable"):
        values = np.sort(ranks[column])
        middle = values[len(values) // 2]
        for lower in (ranks[column] < middle, ranks[column] <= middle):
            below = int(np.count_nonzero(lower))
            if least <= below <= len(values) - least:
                return np.asarray(lower, dtype=np.bool_)
    return None
