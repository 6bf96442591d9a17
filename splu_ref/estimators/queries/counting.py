"""Counting the records of many predicates by sensitive value, with bitmaps.

Records are sorted by their published sensitive code, and each code's block is filled up to whole 64-bit
words. A condition is then one bit per record; a predicate is the AND of its conditions, and the bits set in
each block are its counts by sensitive value. Conditions that queries share are computed once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splu_ref.estimators.queries.query import Condition, Predicate, selected
from splu_ref.microdata import Microdata
from splu_ref.microdata.values import texts
from splu_ref.model import DataError
from splu_ref.randomness import IntArray

Words: TypeAlias = NDArray[np.uint64]

_CHUNK_WORDS = 1 << 17
_EMPTY = ""
"""A cell without content, in the domain of a column that is not sensitive."""


class Column(NamedTuple):
    """A column as codes: shape (rows,), indices into the domain of texts."""

    domain: tuple[str, ...]
    codes: IntArray


class Columns:
    """The columns of a table, each encoded when it is first asked for.

    Parameters
    ----------
    table
        The published table.
    domains
        For some columns, all values they may hold.
    """

    def __init__(self, table: Microdata, domains: Mapping[str, Sequence[str]]) -> None:
        self._frame = nw.from_native(table.to_frame(), eager_only=True)
        self._known: dict[str, Column] = {}
        self._selected: dict[tuple[str, Condition, bool], list[int]] = {}
        self._domains = domains
        self.rows = table.row_count

    def __getitem__(self, name: str) -> Column:
        """Return a column.

        Raises
        ------
        DataError
            If there is none of that name, or it holds a value outside its stated domain.
        """
        if name not in self._known:
            self._known[name] = self._encoded(name)
        return self._known[name]

    def selected(self, name: str, condition: Condition, *, complete: bool = True) -> list[int]:
        """Return the codes of a column's values that satisfy a condition: see `query.selected`."""
        key = name, condition, complete
        if key not in self._selected:
            self._selected[key] = selected(name, condition, self[name].domain, complete=complete)
        return self._selected[key]

    def holding(self, name: str, condition: Condition) -> NDArray[np.bool_]:
        """Return whether each value of a column satisfies a condition, shape (values,)."""
        wanted = np.zeros(len(self[name].domain), dtype=np.bool_)
        wanted[self.selected(name, condition)] = True
        return wanted

    def groups(self, names: Sequence[str]) -> IntArray:
        """Return the group of each record, those that agree in all these columns: from 0, shape (rows,)."""
        numbers: IntArray = np.zeros(self.rows, dtype=np.int64)
        for name in names:
            domain, codes = self[name]
            _, numbers = np.unique(numbers * len(domain) + codes, return_inverse=True)
        return numbers

    def _encoded(self, name: str) -> Column:
        if name not in self._frame.columns:
            close = get_close_matches(name, self._frame.columns, n=1)
            meant = f"did you mean {close[0]!r}? " if close else ""
            raise DataError(
                f"there is no column {name!r}: {meant}The columns are {', '.join(self._frame.columns)}"
            )
        cells = [_EMPTY if cell is None else cell for cell in texts(self._frame[name])]
        domain = tuple(self._domains[name]) if name in self._domains else tuple(sorted(set(cells)))
        places = {value: place for place, value in enumerate(domain)}
        try:
            codes = np.fromiter(map(places.__getitem__, cells), dtype=np.int64, count=len(cells))
        except KeyError as error:
            raise DataError(
                f"column {name!r} holds {error.args[0]!r}, which its stated domain lacks: give the table and "
                "the manifest of one release"
            ) from None
        return Column(domain, codes)


class SensitiveCounts:
    """Counts by value of one sensitive column, for any predicates on other columns.

    Parameters
    ----------
    columns
        The table's columns.
    sensitive
        Name of the sensitive column.
    """

    def __init__(self, columns: Columns, sensitive: str) -> None:
        self._columns = columns
        self.domain, codes = columns[sensitive]
        self._frequencies: IntArray = np.bincount(codes, minlength=len(self.domain))
        words = -(-self._frequencies // 64)
        self._width = int(words.sum())
        self._present = np.flatnonzero(words)
        begins = np.cumsum(words) - words
        self._blocks = begins[self._present]
        self._order = np.argsort(codes, kind="stable")
        first = np.cumsum(self._frequencies) - self._frequencies
        self._bits = np.arange(len(codes)) + np.repeat(64 * begins - first, self._frequencies)
        self._sorted: dict[str, IntArray] = {}
        self._conditions: dict[tuple[str, Condition], Words] = {}

    @property
    def frequencies(self) -> IntArray:
        """Published frequencies f', shape (values,)."""
        return self._frequencies

    def by_value(self, predicates: Sequence[Predicate]) -> IntArray:
        """Return the counts y, shape (predicates, values)."""
        counts = np.zeros((len(predicates), len(self.domain)), dtype=np.int64)
        chunk = max(1, _CHUNK_WORDS // max(1, self._width))
        for begin in range(0, len(predicates), chunk):
            some = predicates[begin : begin + chunk]
            held = np.stack([self._holds(predicate) for predicate in some])
            bits = np.bitwise_count(held)
            counts[begin : begin + len(some), self._present] = np.add.reduceat(
                bits, self._blocks, axis=1, dtype=np.int64
            )
        return counts

    def _holds(self, predicate: Predicate) -> Words:
        if not predicate:
            return self._packed(np.ones(len(self._bits), dtype=np.bool_))
        words = self._condition(predicate[0])
        for term in predicate[1:]:
            words = words & self._condition(term)
        return words

    def _condition(self, term: tuple[str, Condition]) -> Words:
        if term not in self._conditions:
            name, condition = term
            if name not in self._sorted:
                self._sorted[name] = self._columns[name].codes[self._order]
            holds = self._columns.holding(name, condition)[self._sorted[name]]
            self._conditions[term] = self._packed(holds)
        return self._conditions[term]

    def _packed(self, holds: NDArray[np.bool_]) -> Words:
        bits = np.zeros(64 * self._width, dtype=np.bool_)
        bits[self._bits] = holds
        return np.packbits(bits).view(np.uint64)


def records_of(columns: Columns, predicate: Predicate) -> NDArray[np.bool_]:
    """Return which records satisfy a predicate, shape (rows,)."""
    holds = np.ones(columns.rows, dtype=np.bool_)
    for name, condition in predicate:
        holds &= columns.holding(name, condition)[columns[name].codes]
    return holds
