"""The original table, prepared so that any number of publications can be held against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from splu_ref.audit.releases.cells import classes_of, holds_text_only, ranks_of, text_cells
from splu_ref.microdata import Microdata
from splu_ref.microdata.values import text
from splu_ref.model import ParameterError
from splu_ref.randomness import IntArray


@dataclass(frozen=True)
class Index:
    """The original's rows by their non-sensitive cells; a class is named by its first row.

    Attributes
    ----------
    firsts
        The first row of every class, ascending.
    cells
        The cells of those rows.
    classes
        The class of every row, shape (N,).
    sizes
        Rows of each class, shape (N,): 0 for a number that names no class.
    """

    firsts: IntArray
    cells: pl.DataFrame
    classes: IntArray
    sizes: IntArray

    def find(self, cells: pl.DataFrame, rows: int) -> IntArray:
        """Return the class of each of these rows, or -1 where the original has no such cells."""
        known = len(self.firsts)
        both = classes_of(pl.concat([self.cells, cells]) if cells.width else cells, known + rows)[known:]
        found: IntArray = np.where(both < known, self.firsts[np.minimum(both, known - 1)], -1)
        return found


class Original:
    """An original table and its sensitive columns.

    Parameters
    ----------
    table
        The original table.
    sensitive
        Its sensitive columns, at least one, each named once.

    Attributes
    ----------
    others
        The columns that are not sensitive.
    codes
        Each record's value, by sensitive column, as an index into ``domains``.
    domains
        The values as texts, by sensitive column.

    Raises
    ------
    DataError
        If a column does not exist, has missing cells, or holds one value only.
    ParameterError
        If no column is named, or one twice.
    """

    def __init__(self, table: Microdata, sensitive: Sequence[str]) -> None:
        if not sensitive or len(set(sensitive)) < len(sensitive):
            raise ParameterError("name at least one sensitive column, and each of them once")
        self.table = table
        self.sensitive = tuple(sensitive)
        self.others = tuple(column for column in table.columns if column not in sensitive)
        self.codes = {column: self._codes(column) for column in sensitive}
        self.domains = {column: self._domain(column) for column in sensitive}
        self.text_only = holds_text_only(table)
        self._indices: dict[bool, Index] = {}
        self._ranks: dict[bool, list[IntArray]] = {}
        self._certain: dict[tuple[bool, str], IntArray] = {}

    @property
    def row_count(self) -> int:
        """Number of records."""
        return self.table.row_count

    def index(self, *, blank: bool) -> Index:
        """Return the rows by their non-sensitive cells; ``blank`` as in `text_cells`."""
        if blank not in self._indices:
            rows = self.table.row_count
            cells = text_cells(self.table, self.others, blank=blank)
            classes = classes_of(cells, rows)
            firsts = np.unique(classes)
            sizes = np.bincount(classes, minlength=rows).astype(np.int64, copy=False)
            self._indices[blank] = Index(
                firsts, cells[firsts.tolist()] if cells.width else cells, classes, sizes
            )
        return self._indices[blank]

    def certain_values(self, column: str, *, blank: bool) -> IntArray:
        """Return the code that all records of a class share, shape (N,); -1 where they differ."""
        if (blank, column) not in self._certain:
            values, classes = self.codes[column], self.index(blank=blank).classes
            least = np.full(len(values), len(self.domains[column]), dtype=np.int64)
            most = np.full(len(values), -1, dtype=np.int64)
            np.minimum.at(least, classes, values)
            np.maximum.at(most, classes, values)
            self._certain[blank, column] = np.where(least == most, most, -1)
        return self._certain[blank, column]

    def ranks(self, *, blank: bool) -> list[IntArray]:
        """Return for each column that is not sensitive the rank of every row's text, shape (N,)."""
        if blank not in self._ranks:
            self._ranks[blank] = ranks_of(text_cells(self.table, self.others, blank=blank))
        return self._ranks[blank]

    def frequencies(self, column: str) -> IntArray:
        """Return how often each value of a sensitive column occurs, shape (domain,)."""
        return np.bincount(self.codes[column], minlength=len(self.domains[column])).astype(np.int64)

    def _codes(self, column: str) -> IntArray:
        return self.table.codes(column)

    def _domain(self, column: str) -> tuple[str, ...]:
        return tuple(text(value) for value in self.table.domain(column))
