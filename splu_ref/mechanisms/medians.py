"""Generalization by strict multidimensional partitioning (LeFevre, DeWitt and Ramakrishnan 2006), Mondrian.

Records are partitioned at medians of the quasi-identifiers: a group is cut in the column with the widest
relative range, the first of several, and records with the same value stay together. Sensitive values are not
used, so the groups disclose nothing about them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal

import numpy as np

from splu_ref.channels import DataError, ParameterError, integer
from splu_ref.data import Microdata, number
from splu_ref.randomness import IntArray

BETWEEN = ".."
"""Separator of the least and the greatest value of a group's range."""


def number_columns(table: Microdata, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns whose cells are all numbers; they are ordered by size."""
    return tuple(name for name in columns if all(number(cell) is not None for cell in set(table.cells(name))))


class OrderedColumns:
    """The quasi-identifiers that are generalized, with their values in order.

    Parameters
    ----------
    table
        The table.
    quasi
        The columns, at least one.
    numbers
        The columns whose values are ordered by size; the others are ordered by code point. An empty cell is a
        text.

    Attributes
    ----------
    domains
        The ordered values of each column as texts.
    ranks
        Index of each record's value in its domain, shape (columns, N).

    Raises
    ------
    ParameterError
        If no column is named.
    DataError
        If a column is missing, or a column of numbers has another value.
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
        """Return the group of each record, from 0, shape (N,); every group has ``least`` or more records.

        Raises
        ------
        ParameterError
            If there are fewer records.
        """
        return median_groups(self.ranks, least)

    def ranges(self, groups: IntArray) -> list[list[str]]:
        """Return the published cell of each group by column: its single value, or a range of values."""
        count = int(groups.max()) + 1
        cells = []
        for domain, ranks in zip(self.domains, self.ranks, strict=True):
            least, greatest = np.full(count, len(domain), dtype=np.int64), np.zeros(count, dtype=np.int64)
            np.minimum.at(least, groups, ranks)
            np.maximum.at(greatest, groups, ranks)
            cells.append(
                [
                    domain[low] if low == high else f"{domain[low]}{BETWEEN}{domain[high]}"
                    for low, high in zip(least.tolist(), greatest.tolist(), strict=True)
                ]
            )
        return cells


def median_groups(ranks: IntArray, least: int) -> IntArray:
    """Partition records at medians while both halves have at least ``least`` records.

    Parameters
    ----------
    ranks
        Rank of each record's value among the occurring values of a column, shape (columns, N).
    least
        Smallest group size k, at least 1.

    Returns
    -------
    NDArray
        Group of each record, from 0, shape (N,).

    Raises
    ------
    ParameterError
        If there are fewer records.
    """
    size, records = integer(least, "the least group", 1), ranks.shape[1]
    if records < size:
        raise ParameterError(f"{records} records make no group of {size}: give a smaller one")
    spans = np.maximum(ranks.max(axis=1), 1)
    groups = np.zeros(records, dtype=np.int64)
    waiting, count = [np.arange(records)], 0
    while waiting:
        rows = waiting.pop()
        halves = _cut(ranks[:, rows], spans, size)
        if halves is None:
            groups[rows] = count
            count += 1
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
