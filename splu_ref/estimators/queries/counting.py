"""Counting the records of many predicates by sensitive value, with bitmaps.

Records are sorted by their published sensitive code, and each code's block is filled up to whole 64-bit
words. A condition is then one bit per record; a predicate is the AND of its conditions, and the bits set in
each block are its counts by sensitive value. Conditions that queries share are computed once.

A row that represents several records is stored once for each binary digit 1 of their number, in a block whose
bits are weighted by that digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.data import Records, codes_in_domain, require_columns, require_in_domain, tally
from splu_ref.estimators.queries.conditions import Condition, Predicate
from splu_ref.estimators.queries.query import Values
from splu_ref.randomness import IntArray

Words: TypeAlias = NDArray[np.uint64]

_CHUNK_WORDS = 1 << 17


class Column(NamedTuple):
    """A column as codes: indices into the domain of texts, shape (rows,); an empty cell is the empty text."""

    domain: tuple[str, ...]
    codes: IntArray


class Columns:
    """The columns of a table, encoded on first access.

    Parameters
    ----------
    table
        The published table.
    domains
        All possible values of some columns.
    """

    def __init__(self, table: Records, domains: Mapping[str, Sequence[str]]) -> None:
        self._table = table
        self._known: dict[str, Column] = {}
        self._values: dict[str, tuple[str, ...]] = {}
        self._looked_up: dict[str, Values] = {}
        self._holding: dict[tuple[str, Condition, bool], NDArray[np.bool_]] = {}
        self._restricting: dict[tuple[str, Condition], bool] = {}
        self._domains = domains
        self.rows, self.counts = table.row_count, table.counts

    def __getitem__(self, name: str) -> Column:
        """Return a column."""
        if name not in self._known:
            domain = self.domain(name)
            self._known[name] = Column(domain, codes_in_domain(self._table, name, domain))
        return self._known[name]

    def domain(self, name: str) -> tuple[str, ...]:
        """Return the domain of a column: as stated, or the ascending values that occur.

        Raises
        ------
        DataError
            As `__getitem__`.
        """
        if name not in self._values:
            require_columns([name], self._table.columns)
            self._values[name] = self._domain(name, self._table.values(name))
        return self._values[name]

    def _domain(self, name: str, found: tuple[str, ...]) -> tuple[str, ...]:
        if name not in self._domains:
            return tuple(sorted(found))
        require_in_domain(name, found, self._domains[name])
        return tuple(self._domains[name])

    def tally(self, codes: IntArray, size: int, inside: NDArray[np.bool_] | None = None) -> IntArray:
        """Return how many records have each code: see `splu_ref.data.tally`."""
        return tally(codes, size, self.counts, inside)

    def holding(self, name: str, condition: Condition, *, complete: bool = True) -> NDArray[np.bool_]:
        """Return whether each value of a column satisfies a condition: see `query.Values.holding`."""
        key = name, condition, complete
        if key not in self._holding:
            if name not in self._looked_up:
                self._looked_up[name] = Values(name, self.domain(name))
            self._holding[key] = self._looked_up[name].holding(condition, complete=complete)
        return self._holding[key]

    def restricting(self, predicate: Sequence[tuple[str, Condition]]) -> Predicate:
        """Return the conditions of a predicate that not all records satisfy."""
        return tuple(term for term in predicate if self._restricts(term))

    def _restricts(self, term: tuple[str, Condition]) -> bool:
        if term not in self._restricting:
            name, condition = term
            present = np.bincount(self[name].codes, minlength=len(self.domain(name))) > 0
            self._restricting[term] = bool((present & ~self.holding(name, condition)).any())
        return self._restricting[term]

    def groups(self, names: Sequence[str]) -> IntArray:
        """Return the group of each row, numbered from 0; rows that agree in these columns share a group."""
        entries = self.rows if self.counts is None else len(self.counts)
        numbers: IntArray = np.zeros(entries, dtype=np.int64)
        for name in names:
            domain, codes = self[name]
            _, numbers = np.unique(numbers * len(domain) + codes, return_inverse=True)
        return numbers


class SensitiveCounts:
    """Counts by value of one sensitive column under any predicates on other columns."""

    def __init__(self, columns: Columns, sensitive: str) -> None:
        self._columns = columns
        self.domain, codes = columns[sensitive]
        self._frequencies = columns.tally(codes, len(self.domain))
        rows, digits = _by_digit(columns.counts, len(codes))
        per_value = int(digits.max(initial=0)) + 1
        blocks = codes[rows] * per_value + digits
        self._order = rows[np.argsort(blocks, kind="stable")]
        sizes = np.bincount(blocks, minlength=len(self.domain) * per_value)
        present, words = np.flatnonzero(sizes), -(-sizes // 64)
        begins, first = np.cumsum(words) - words, np.cumsum(sizes) - sizes
        self._width, self._blocks = int(words.sum()), begins[present]
        self._digit = present % per_value
        self._present, self._values = np.unique(present // per_value, return_index=True)
        self._bits = np.arange(len(blocks)) + np.repeat(64 * begins - first, sizes)
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
            selected_bits = np.stack([self._holds(predicate) for predicate in some])
            bits = np.add.reduceat(np.bitwise_count(selected_bits), self._blocks, axis=1, dtype=np.int64)
            found = np.add.reduceat(bits << self._digit, self._values, axis=1)
            counts[begin : begin + len(some), self._present] = found
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
    """Return which rows satisfy a predicate, shape (rows,)."""
    holds = np.ones(columns.rows if columns.counts is None else len(columns.counts), dtype=np.bool_)
    for name, condition in predicate:
        holds &= columns.holding(name, condition)[columns[name].codes]
    return holds


def _by_digit(counts: IntArray | None, rows: int) -> tuple[IntArray, IntArray]:
    """Return each row once per binary digit 1 of its count, with the place of the digit."""
    if counts is None:
        return np.arange(rows), np.zeros(rows, dtype=np.int64)
    places = range(int(counts.max(initial=0)).bit_length())
    found = [np.flatnonzero(counts >> place & 1) for place in places]
    digits = [np.full(len(each), place, dtype=np.int64) for place, each in zip(places, found, strict=True)]
    empty = np.empty(0, dtype=np.int64)
    return np.concatenate([empty, *found]), np.concatenate([empty, *digits])
