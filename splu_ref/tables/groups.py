"""The records of a release by the values of columns that are not sensitive: what is public of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Self

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators import AnyOf, Condition, number
from splu_ref.estimators.queries.query import selected
from splu_ref.mechanisms import CountedRelease
from splu_ref.microdata import counted
from splu_ref.model import ParameterError
from splu_ref.randomness import IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Groups:
    """The records of a table, by the values of its columns that are not sensitive.

    Attributes
    ----------
    columns
        These columns, in the table's order; none if all are sensitive.
    values
        The combinations of their values that occur, ascending column by column.
    counts
        How many records have each, shape (combinations,).
    of_row
        For each row of the published records the number of its combination, or -1 if it does not meet the
        conditions, shape (rows,).
    times
        How many records each row stands for, shape (rows,).
    where
        The conditions on columns that are not sensitive.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    counts: FloatArray
    of_row: IntArray
    times: FloatArray
    where: tuple[tuple[str, Condition], ...]

    @classmethod
    def of(cls, release: CountedRelease, by: Sequence[str], where: Sequence[tuple[str, Condition]]) -> Self:
        """Group the records that meet the conditions.

        Raises
        ------
        DataError
            If there is no such column.
        ParameterError
            For no column, one named twice, or if no record meets the conditions.
        """
        require_columns(release, by)
        public = tuple(column for column in by if column not in release.domains)
        kept = tuple(pair for pair in where if pair[0] not in release.domains)
        counts = release.table.counts
        times = np.ones(release.table.row_count) if counts is None else counts.astype(np.float64)
        inside = np.ones(len(times), dtype=np.bool_)
        for column, condition in kept:
            domain, codes = _coded(release, column)
            inside &= np.isin(codes, selected(column, condition, domain))
        if not inside.any():
            raise ParameterError(
                f"no record meets {' and '.join(column + '=' + str(one) for column, one in kept)}: change it"
            )
        coded = [_coded(release, column) for column in public]
        cells = np.zeros(len(inside), dtype=np.int64)
        for domain, codes in coded:
            cells = np.unique(cells * len(domain) + codes, return_inverse=True)[1]
        found, first, which = np.unique(cells[inside], return_index=True, return_inverse=True)
        of_row = np.full(len(inside), -1, dtype=np.int64)
        of_row[inside] = which
        places = np.flatnonzero(inside)[first]
        return cls(
            columns=public,
            values=tuple(tuple(domain[codes[place]] for domain, codes in coded) for place in places),
            counts=np.asarray(
                np.bincount(which, weights=times[inside], minlength=len(found)), dtype=np.float64
            ),
            of_row=of_row,
            times=times,
            where=kept,
        )

    def conditions(self, place: int) -> tuple[tuple[str, Condition], ...]:
        """Return the conditions that the records of a combination meet."""
        named = tuple(
            (column, AnyOf((value,))) for column, value in zip(self.columns, self.values[place], strict=True)
        )
        return (*(pair for pair in self.where if pair[0] not in self.columns), *named)


def require_columns(release: CountedRelease, columns: Sequence[str]) -> None:
    """Raise unless all columns are there, at least one, and each once.

    Raises
    ------
    DataError, ParameterError
    """
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError("--by names the columns of the table, such as sex,occupation: each of them once")
    there = release.table.columns  # the sensitive column of two tables is in the other one
    counted.require_columns(columns, (*there, *(name for name in release.domains if name not in there)))


def ordered(values: Iterable[str]) -> list[str]:
    """Return values in the order of a table: numbers by size and before texts, texts by code point."""

    def place(value: str) -> tuple[int, Decimal, str]:
        found = number(value)
        return (1, Decimal(0), value) if found is None else (0, found, value)

    return sorted(values, key=place)


def _coded(release: CountedRelease, column: str) -> tuple[list[str], IntArray]:
    """Return the values of a column in the order of a table, and each published record's place among them."""
    domain = ordered(release.table.values(column))
    return domain, counted.placed(release.table, column, domain)
