"""The records of a table by their values: what counting asks of a table, whether its rows are held or not.

A count needs no record: only how many records have which values. So a table too large to be held is counted
while it is read (`splu_ref.data.counting`), and what is left of it, each combination of values that
occurs and how many records have it, answers as the table itself does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple, Protocol, Self, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.data.csv_structure import separator_remedies

Whole: TypeAlias = NDArray[np.int64]


class Categories(NamedTuple):
    """A column as indices into its values.

    Attributes
    ----------
    values
        The distinct canonical texts in the order in which they first occur; the empty text stands for a cell
        without content.
    codes
        Shape (rows,): index into ``values``.
    """

    values: tuple[str, ...]
    codes: Whole

    @classmethod
    def of_texts(cls, cells: pl.Series) -> Self:
        """Return a column of texts, without a step for each cell."""
        filled = cells.fill_null("")
        values = filled.unique(maintain_order=True)
        return cls(tuple(values), filled.cast(pl.Enum(values)).to_physical().to_numpy().astype(np.int64))


class Records(Protocol):
    """What counting asks of a table."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        ...

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    @property
    def counts(self) -> Whole | None:
        """How many records each index of `categories` stands for, shape (rows,); None for one each."""
        ...

    def values(self, column: str) -> tuple[str, ...]:
        """Return the distinct canonical texts of a column, in the order in which they first occur."""
        ...

    def categories(self, column: str) -> Categories:
        """Return a column as indices into its values."""
        ...


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RecordCounts:
    """The combinations of values of some columns that occur in a table, each with its number of records.

    Attributes
    ----------
    columns
        Names of all columns of the table, in order.
    counts
        Records of each combination, all positive, shape (combinations,).
    codes
        Of each column that was counted, its values in the combinations: indices into ``distinct``.
    distinct
        The values of these columns and of others that were looked at, in the order in which they first occur.
    """

    columns: tuple[str, ...]
    counts: Whole
    codes: Mapping[str, Whole]
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
            If it was not looked at.
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


def require_columns(names: Sequence[str], columns: Sequence[str]) -> None:
    """Raise unless a table has all columns that are named.

    Raises
    ------
    DataError
        The message names the columns that there are.
    """
    for name in names:
        if name not in columns:
            close = get_close_matches(name, columns, n=1)
            meant = f"did you mean {close[0]!r}? " if close else ""
            more = ", …" if len(columns) > 20 else ""
            shown = ", ".join(repr(column) for column in columns[:20])
            message = f"there is no column {name!r}: {meant}the columns are {shown}{more}"
            other = separator_remedies(columns[0]) if len(columns) == 1 else ()
            raise DataError("; ".join((message, *other[:1])), *other[1:])


def require_in_domain(column: str, values: Sequence[str], domain: Sequence[str]) -> None:
    """Raise unless the values of a column belong to the domain that was stated for it.

    Raises
    ------
    DataError
        The message names the first value that does not.
    """
    known = set(domain)
    for value in values:
        if value not in known:
            raise DataError(
                f"column {column!r} holds {value!r}, which its stated domain lacks: give the table and the "
                "manifest of one release"
            )


def codes_in_domain(table: Records, column: str, domain: Sequence[str]) -> Whole:
    """Return a column as indices into a domain, shape (rows,).

    Raises
    ------
    DataError
        If the domain lacks a value of the column.
    """
    found = table.categories(column)
    require_in_domain(column, found.values, domain)
    places = {value: place for place, value in enumerate(domain)}
    return np.array([places[value] for value in found.values], dtype=np.int64)[found.codes]


def tally(
    codes: NDArray[np.integer], size: int, counts: Whole | None, inside: NDArray[np.bool_] | None = None
) -> Whole:
    """Return how many records have each code, shape (size,).

    Parameters
    ----------
    codes
        Shape (rows,), from 0 to size - 1.
    size
        How many codes there are.
    counts
        Records of each row: see `Records.counts`.
    inside
        Which rows count; None for all.
    """
    if inside is not None:
        codes, counts = codes[inside], None if counts is None else counts[inside]
    found = np.bincount(codes, weights=counts, minlength=size)  # floats hold whole numbers up to 2^53
    return found.astype(np.int64, copy=False)
