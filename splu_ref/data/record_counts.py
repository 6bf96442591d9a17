"""Records by their values: the interface of tables for counting, and tables of record counts.

A table larger than memory is represented by its distinct combinations of values and their record counts,
which `splu_ref.data.count_records` computes. Estimators use both representations through `Records`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.csv_structure import separator_remedies

IntArray: TypeAlias = NDArray[np.int64]


class Categories(NamedTuple):
    """A column as indices into its values."""

    # the distinct canonical texts in the order in which they first occur; a missing cell is the empty text
    values: tuple[str, ...]
    codes: IntArray  # indices into ``values``, shape (rows,)


class Records(Protocol):
    """A table whose records can be counted by their values."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        ...

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    @property
    def counts(self) -> IntArray | None:
        """Number of records of each row, shape (rows,); None if each row is one record."""
        ...

    def values(self, column: str) -> tuple[str, ...]:
        """Return the distinct canonical texts of a column, in the order in which they first occur."""
        ...

    def categories(self, column: str) -> Categories:
        """Return a column as indices into its values."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RecordCounts:
    """The occurring combinations of values of some columns with their record counts."""

    columns: tuple[str, ...]  #: names of all columns of the table, in order
    counts: IntArray  #: number of records of each combination, all positive, shape (combinations,)
    #: values in the combinations as indices into ``distinct``, by counted column
    codes: Mapping[str, IntArray]
    #: values of these and other columns that were read, in the order in which they first occur, by column
    distinct: Mapping[str, tuple[str, ...]]

    @property
    def row_count(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    def values(self, column: str) -> tuple[str, ...]:
        """Return the distinct canonical texts of a column, in the order in which they first occur.

        Raises
        ------
        DataError
            If there is no such column.
        KeyError
            If the column was not read.
        """
        require_columns([column], self.columns)
        return self.distinct[column]

    def categories(self, column: str) -> Categories:
        """Return a column as indices into its values.

        Raises
        ------
        DataError, KeyError
            As `values`.
        """
        return Categories(self.values(column), self.codes[column])


@dataclass(frozen=True, eq=False, slots=True)
class RowRange:
    """Consecutive rows of a table, with the values of all its rows."""

    whole: Records  #: the table, each row of which is one record
    rows: range  #: the rows, in steps of 1

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return self.whole.columns

    @property
    def row_count(self) -> int:
        """Number of records."""
        return len(self.rows)

    @property
    def counts(self) -> None:
        """None: each row is one record."""
        return None

    def values(self, column: str) -> tuple[str, ...]:
        """Return the distinct canonical texts of a column in the whole table: see `Records.values`."""
        return self.whole.values(column)

    def categories(self, column: str) -> Categories:
        """Return a column of these rows as indices into the values of the whole table."""
        values, codes = self.whole.categories(column)
        return Categories(values, codes[self.rows.start : self.rows.stop])


def require_columns(names: Sequence[str], columns: Sequence[str]) -> None:
    """Raise ``DataError`` unless a table has all named columns; the message lists the existing ones."""
    for name in names:
        if name not in columns:
            close = get_close_matches(name, columns, n=1)
            meant = f"did you mean {close[0]!r}? " if close else ""
            if any(part.strip() in columns for part in name.split(",")[1:]):
                meant = "repeat the option for each column; "
            more = ", …" if len(columns) > 20 else ""
            shown = ", ".join(repr(column) for column in columns[:20])
            message = f"there is no column {name!r}: {meant}the columns are {shown}{more}"
            other = separator_remedies(columns[0]) if len(columns) == 1 else ()
            raise DataError("; ".join((message, *other[:1])), *other[1:])


def require_in_domain(column: str, values: Sequence[str], domain: Sequence[str]) -> None:
    """Raise ``DataError`` if a value of a column is not in its declared domain."""
    known = set(domain)
    for value in values:
        if value not in known:
            raise DataError(
                f"column {column!r} holds {value!r}, which its stated domain lacks: give the table and the "
                "manifest of one release"
            )


def codes_in_domain(table: Records, column: str, domain: Sequence[str]) -> IntArray:
    """Return a column as indices into a domain, shape (rows,).

    Raises
    ------
    DataError
        If the domain lacks a value of the column.
    """
    categories = table.categories(column)
    require_in_domain(column, categories.values, domain)
    places = {value: place for place, value in enumerate(domain)}
    return np.array([places[value] for value in categories.values], dtype=np.int64)[categories.codes]


def tally(
    codes: NDArray[np.integer], size: int, counts: IntArray | None, inside: NDArray[np.bool_] | None = None
) -> IntArray:
    """Return the number of records by code, shape (size,).

    Parameters
    ----------
    codes
        Code of each row, 0 .. size - 1, shape (rows,).
    size
        Number of codes.
    counts
        Number of records of each row: see `Records.counts`.
    inside
        Mask of the rows that are counted, shape (rows,); None for all rows.
    """
    if inside is not None:
        codes, counts = codes[inside], None if counts is None else counts[inside]
    totals = np.bincount(codes, weights=counts, minlength=size)  # floats are exact for integers up to 2^53
    return totals.astype(np.int64, copy=False)
