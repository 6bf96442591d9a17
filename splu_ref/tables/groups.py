"""The records of a release by the values of columns that are not sensitive: what is public of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Self

import numpy as np

from splu_ref.decoys import FloatArray
from splu_ref.estimators import AnyOf, Condition, number
from splu_ref.estimators.queries.query import selected
from splu_ref.mechanisms import PublishedTable
from splu_ref.model import DataError, ParameterError
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
    of_record
        For each published record the number of its combination, or -1 if it does not meet the conditions,
        shape (published records,).
    where
        The conditions on columns that are not sensitive.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    counts: FloatArray
    of_record: IntArray
    where: tuple[tuple[str, Condition], ...]

    @classmethod
    def of(cls, release: PublishedTable, by: Sequence[str], where: Sequence[tuple[str, Condition]]) -> Self:
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
        inside = np.ones(release.table.row_count, dtype=np.bool_)
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
        of_record = np.full(len(inside), -1, dtype=np.int64)
        of_record[inside] = which
        places = np.flatnonzero(inside)[first]
        return cls(
            columns=public,
            values=tuple(tuple(domain[codes[place]] for domain, codes in coded) for place in places),
            counts=np.bincount(which, minlength=len(found)).astype(np.float64),
            of_record=of_record,
            where=kept,
        )

    def conditions(self, place: int) -> tuple[tuple[str, Condition], ...]:
        """Return the conditions that the records of a combination meet."""
        named = tuple(
            (column, AnyOf((value,))) for column, value in zip(self.columns, self.values[place], strict=True)
        )
        return (*(pair for pair in self.where if pair[0] not in self.columns), *named)


def require_columns(release: PublishedTable, columns: Sequence[str]) -> None:
    """Raise unless all columns are there, at least one, and each once.

    Raises
    ------
    DataError, ParameterError
    """
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError("--by names the columns of the table, such as sex,occupation: each of them once")
    for column in columns:
        if column not in release.table.columns:
            close = get_close_matches(column, release.table.columns, n=1)
            meant = f"did you mean {close[0]!r}? " if close else ""
            raise DataError(
                f"there is no column {column!r}: {meant}The columns are {', '.join(release.table.columns)}"
            )


def ordered(values: Iterable[str]) -> list[str]:
    """Return values in the order of a table: numbers by size and before texts, texts by code point."""

    def place(value: str) -> tuple[int, Decimal, str]:
        found = number(value)
        return (1, Decimal(0), value) if found is None else (0, found, value)

    return sorted(values, key=place)


def _coded(release: PublishedTable, column: str) -> tuple[list[str], IntArray]:
    """Return the values of a column in the order of a table, and each published record's place among them."""
    cells = release.table.cells(column)
    domain = ordered(set(cells))
    places = {value: place for place, value in enumerate(domain)}
    return domain, np.fromiter(map(places.__getitem__, cells), dtype=np.int64, count=len(cells))
