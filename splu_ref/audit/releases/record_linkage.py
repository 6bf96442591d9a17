"""Records and rows linked: a release compared with its original by the cells that are not sensitive.

Nothing here depends on the draws: rows are compared by their non-sensitive cells alone, which a release
retains. So all of it may be taken as fixed when the draws are judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import ParameterError
from splu_ref.data import Dropped, Frame, Microdata, text
from splu_ref.randomness import IntArray

Ranks: TypeAlias = NDArray[np.int32]

_MOST_HISTOGRAMS = 64
_LARGEST_KEY = 1 << 63
_ROWS_AT_ONCE = 1 << 20
_MOST_PARTS = 251


def frame_of(table: Microdata) -> Frame:
    """Return the data frame of a table."""
    return nw.from_native(table.to_frame(), eager_only=True)


def types_of(table: Microdata) -> tuple[str, ...]:
    """Return the names of the columns' types, in order."""
    return tuple(str(dtype) for dtype in frame_of(table).schema.dtypes())


def holds_text_only(table: Microdata) -> bool:
    """Return whether every column is text, as in any table read from CSV."""
    return all(dtype == nw.String for dtype in frame_of(table).schema.dtypes())


def text_cells(table: Microdata, columns: Sequence[str], *, blank: bool) -> pl.DataFrame:
    """Return the canonical texts of some columns, named 0, 1, ...; a null stays null."""
    cells = pl.DataFrame([table.texts(column).alias(str(number)) for number, column in enumerate(columns)])
    return cells.fill_null("") if blank else cells


def text_counts(table: Microdata, column: str) -> dict[str, int]:
    """Return how often each text of a column occurs; a null is the empty text."""
    values, codes = table.categories(column)
    return dict(zip(values, np.bincount(codes).tolist(), strict=True))


def text_ranks(tables: Sequence[Microdata], column: str, *, blank: bool) -> list[Ranks]:
    """Return for each table the ranks of a column's texts among those of all tables, nulls before all.

    ``blank`` as in `text_cells`.
    """
    codings = [table.coding(column) for table in tables]
    texts = pl.concat([coding.texts for coding in codings]).rename("texts")
    named = pl.col("texts").fill_null("") if blank else pl.col("texts")
    ranks = texts.to_frame().select(named.rank("dense").cast(pl.Int32).fill_null(0)).to_series().to_numpy()
    parts = np.split(ranks, np.cumsum([len(coding.texts) for coding in codings])[:-1])
    return [part[coding.codes] for part, coding in zip(parts, codings, strict=True)]


def first_alike(columns: Iterable[Ranks], rows: int) -> IntArray:
    """Return for every row the first row with the same numbers, shape (rows,): 0 if there are no columns."""
    keys, size = np.zeros(rows, dtype=np.int64), 1
    for numbers in columns:
        width = int(numbers.max(initial=0)) + 1
        if size * width >= _LARGEST_KEY:
            keys, size = _first_rows(keys), rows
        keys *= width
        keys += numbers
        size *= width
    return _first_rows(keys) if size > 1 else keys


def _first_rows(keys: IntArray) -> IntArray:
    """Return the first row with the same key, part by part: equal keys have equal remainders."""
    parts = min(1 + len(keys) // _ROWS_AT_ONCE, _MOST_PARTS)
    remainders = (keys % parts).astype(np.uint8)
    found = np.empty(len(keys), dtype=np.int64)
    for part in range(parts):
        rows = np.flatnonzero(remainders == part)
        table = pl.DataFrame({"key": keys[rows], "row": rows})
        found[rows] = table.select(pl.col("row").first().over("key")).to_series().to_numpy()
    return found


class Classes(NamedTuple):
    """The original's rows by their non-sensitive cells; a class is named by its first row."""

    classes: IntArray  # the class of every row, shape (N,)
    sizes: NDArray[np.signedinteger]  # rows of each class, shape (N,): 0 for a number that names no class


class Original:
    """An original table and its sensitive columns."""

    def __init__(self, table: Microdata, sensitive: Sequence[str]) -> None:
        if not sensitive or len(set(sensitive)) < len(sensitive):
            raise ParameterError("name at least one sensitive column, and each of them once")
        self.table = table
        self.identified = table  # with the column that named the records, even if it was not published
        self.sensitive = tuple(sensitive)
        self.others = tuple(column for column in table.columns if column not in sensitive)
        self.codes = {column: self._codes(column) for column in sensitive}
        self.domains = {column: self._domain(column) for column in sensitive}
        self.text_only = holds_text_only(table)

    @property
    def row_count(self) -> int:
        """Number of records."""
        return self.table.row_count

    def without(self, identity: Dropped) -> Original:
        """Return the original without the column that named its records; ``identified`` retains it."""
        left = Original(identity.apply(self.table), self.sensitive)
        left.identified = self.table
        return left

    def ranks(self, *, blank: bool) -> Iterator[Ranks]:
        """Yield for each column that is not sensitive the rank of every row's text, shape (N,)."""
        for name in self.others:
            yield text_ranks([self.table], name, blank=blank)[0]

    def frequencies(self, column: str) -> IntArray:
        """Return how often each value of a sensitive column occurs, shape (domain,)."""
        return np.bincount(self.codes[column], minlength=len(self.domains[column])).astype(np.int64)

    def _codes(self, column: str) -> IntArray:
        return self.table.codes(column)

    def _domain(self, column: str) -> tuple[str, ...]:
        return tuple(text(value) for value in self.table.domain(column))


class Unlinked(NamedTuple):
    """What rows show that may be several records with different values."""

    rows: int  # how many they are
    shown: int  # how many of them show the most frequent true value of the records that they may be
    share: Fraction  # how many would if they showed true values: the share of the original's records


@dataclass(frozen=True)
class Match:
    """Published rows and the classes of original records with the same non-sensitive cells."""

    original: Original
    index: Classes  # its classes
    # class of each published row, shape (rows,), or -1 where the original has no such cells
    classes: IntArray
    # published code of each row by sensitive column, or -1 for a value that the original does not have
    published: dict[str, IntArray]
    blank: bool  # whether nulls were compared as empty texts

    @classmethod
    def of(cls, original: Original, published: Microdata) -> Match:
        """Compare two tables with the same columns, in whatever order."""
        blank = original.text_only or holds_text_only(published)
        records, tables = original.row_count, (original.table, published)
        columns = (np.concatenate(text_ranks(tables, name, blank=blank)) for name in original.others)
        first = first_alike(columns, records + published.row_count)
        classes, found = first[:records], first[records:]
        sizes = np.bincount(classes, minlength=records).astype(np.min_scalar_type(-len(first) - 1))
        codes = {}
        for column, domain in original.domains.items():
            code = {value: number for number, value in enumerate(domain)}
            coding = published.coding(column)
            known = [code.get(text or "", -1) for text in coding.texts.to_list()]
            codes[column] = np.array(known, dtype=np.int64)[coding.codes]
        return cls(original, Classes(classes, sizes), np.where(found < records, found, -1), codes, blank)

    @property
    def rows(self) -> int:
        """Number of published rows."""
        return len(self.classes)

    def found(self, column: str) -> IntArray:
        """Return how often each value of the original is published, shape (domain,)."""
        codes = self.published[column]
        return np.bincount(codes[codes >= 0], minlength=len(self.original.domains[column]))

    def foreign(self, column: str) -> int:
        """Return how many rows hold a value that the original does not have."""
        return int((self.published[column] < 0).sum())

    @cached_property
    def missing(self) -> NDArray[np.signedinteger]:
        """Records of each class that are not in the published table, shape (N,); negative for too many."""
        found = np.bincount(self.classes[self.classes >= 0], minlength=self.original.table.row_count)
        return (self.index.sizes - found).astype(self.index.sizes.dtype)

    @cached_property
    def records(self) -> IntArray:
        """The original row of each published row whose cells only that record has; otherwise -1."""
        alone = (self.index.sizes == 1) & (self.missing == 0)
        known: IntArray = np.where(alone[self.classes] & (self.classes >= 0), self.classes, -1)
        return known

    @property
    def unexpected(self) -> tuple[int, int]:
        """How many rows have cells that no record is left for, and how many records have no row."""
        foreign = int((self.classes < 0).sum()) + int(-self.missing[self.missing < 0].sum())
        return foreign, int(self.missing[self.missing > 0].sum())

    @property
    def unexpected_places(self) -> tuple[list[int], list[int]]:
        """The places of these rows and records; of equal ones the last are taken."""
        left = np.append(self.index.sizes, 0)  # none for the rows of no class, whose number is -1
        found = np.append(self.index.sizes - self.missing, 0)
        return _later(self.classes, left), _later(self.index.classes, found)

    @property
    def linked(self) -> int:
        """How many rows belong to one record for certain."""
        return int((self.records >= 0).sum())

    @cached_property
    def _true(self) -> dict[str, IntArray]:
        return {column: self._certain(column) for column in self.original.sensitive}

    def true_values(self, column: str) -> IntArray:
        """Return the true code of each row, or -1 where records with the same cells have different values."""
        return self._true[column]

    def _certain(self, column: str) -> IntArray:
        values = self.original.codes[column]
        least = np.full(len(values), len(self.original.domains[column]), dtype=np.int64)
        most = np.full(len(values), -1, dtype=np.int64)
        np.minimum.at(least, self.index.classes, values)
        np.maximum.at(most, self.index.classes, values)
        certain = np.where((least == most) & (self.missing >= 0), most, -1)
        return np.where(self.classes >= 0, certain[self.classes], -1)

    def unlinked(self, column: str) -> Unlinked:
        """Return what rows of unknown value show."""
        unknown = np.flatnonzero((self.true_values(column) < 0) & (self.classes >= 0))
        used = np.zeros(len(self.index.sizes), dtype=np.bool_)
        used[self.classes[unknown]] = True
        records = np.flatnonzero(used[self.index.classes])
        codes, classes = self.original.codes[column][records], self.index.classes[records]
        size = len(self.original.domains[column])
        pairs, counts = np.unique(classes * size + codes, return_counts=True)
        order = np.lexsort((-counts, pairs // size))
        first = order[np.unique((pairs // size)[order], return_index=True)[1]]
        typical = np.full(len(used), -1, dtype=np.int64)
        typical[pairs[first] // size] = pairs[first] % size
        shown = self.published[column][unknown] == typical[self.classes[unknown]]
        share = Fraction(int(counts[first].sum()), max(1, len(records)))
        return Unlinked(len(unknown), int(shown.sum()), share)

    def frequency_bounds(self, column: str) -> tuple[IntArray, IntArray]:
        """Return the least and the largest frequency that each value can have after the deletion."""
        high = self.original.frequencies(column)
        low = high.copy()
        for values, deleted in self._deletions(column):
            counted = np.bincount(values, minlength=len(high))
            low -= np.minimum(counted, deleted)
            high -= np.maximum(0, deleted - (len(values) - counted))
        return low, high

    def histograms(self, column: str) -> list[IntArray] | None:
        """Return every histogram that the deletion can have left, or None if there are more than 64."""
        whole = self.original.frequencies(column)
        choices = []
        for values, deleted in self._deletions(column):
            if prod(range(len(values) - deleted + 1, len(values) + 1)) > 10**6:
                return None
            choices.append(sorted(set(combinations(sorted(values.tolist()), deleted))))
        if prod(map(len, choices)) > _MOST_HISTOGRAMS:
            return None
        left = {}
        for chosen in product(*choices):
            gone = [value for part in chosen for value in part]
            histogram = whole - np.bincount(np.array(gone, dtype=np.int64), minlength=len(whole))
            left[tuple(histogram.tolist())] = histogram
        return list(left.values())

    def _deletions(self, column: str) -> Iterator[tuple[IntArray, int]]:
        """Yield the values of every class of which records are missing, and how many are."""
        for number in np.flatnonzero(self.missing > 0).tolist():
            members = self.original.codes[column][self.index.classes == number]
            yield members, int(self.missing[number])


@dataclass(frozen=True)
class PlacedMatch(Match):
    """A table whose row i is record i of the original, wherever their other cells agree."""

    @cached_property
    def records(self) -> IntArray:
        """The original row of each published row, or -1 where their other cells differ."""
        places = np.arange(self.rows)
        return np.where(self.index.classes == self.classes, places, -1)

    def _certain(self, column: str) -> IntArray:
        return np.where(self.records >= 0, self.original.codes[column], -1)


def _later(classes: IntArray, kept: NDArray[np.signedinteger]) -> list[int]:
    """Return the places after the first ``kept`` of each class, in order."""
    order = np.argsort(classes, kind="stable")
    ordered = classes[order]
    number = np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return sorted(order[number >= kept[ordered]].tolist())


def matched(published: Microdata, original: Original, *, in_place: bool) -> Match | None:
    """Return which row is which record; None if the columns differ."""
    if set(published.columns) != set(original.table.columns):
        return None
    found = Match.of(original, published)
    if not in_place or found.rows != original.table.row_count:
        return found
    return PlacedMatch(found.original, found.index, found.classes, found.published, found.blank)
