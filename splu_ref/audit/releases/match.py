"""A published table held against its original: which row is which record, and who was deleted.

Nothing here depends on the draws: rows are compared by their non-sensitive cells alone, which a release
leaves as they are. So whatever is found here may be taken as fixed when the draws are judged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import prod
from typing import NamedTuple

import numpy as np
import polars as pl

from splu_ref.audit.releases.cells import holds_text_only, text_cells
from splu_ref.audit.releases.original import Index, Original
from splu_ref.microdata import Microdata
from splu_ref.randomness import IntArray

_MOST_HISTOGRAMS = 64


class Unlinked(NamedTuple):
    """What rows show that may be several records with different values.

    Attributes
    ----------
    rows
        How many they are.
    shown
        How many of them show the most frequent true value of the records that they may be.
    share
        How many would if they showed true values: the share of the original's records.
    """

    rows: int
    shown: int
    share: Fraction


@dataclass(frozen=True)
class Match:
    """Published rows and the classes of original records with the same non-sensitive cells.

    Attributes
    ----------
    original
        The original.
    index
        Its classes.
    classes
        Class of each published row, shape (rows,), or -1 where the original has no such cells.
    published
        Published code of each row by sensitive column, or -1 for a value that the original does not have.
    blank
        Whether nulls were compared as empty texts.
    """

    original: Original
    index: Index
    classes: IntArray
    published: dict[str, IntArray]
    blank: bool

    @classmethod
    def of(cls, original: Original, published: Microdata) -> Match:
        """Compare two tables with the same columns, in whatever order."""
        blank = original.text_only or holds_text_only(published)
        index = original.index(blank=blank)
        rows = published.row_count
        classes = index.find(text_cells(published, original.others, blank=blank), rows)
        codes = {}
        for column, domain in original.domains.items():
            cells = text_cells(published, [column], blank=True).to_series()
            code = {value: number for number, value in enumerate(domain)}
            found = cells.replace_strict(code, default=-1, return_dtype=pl.Int64)
            codes[column] = found.to_numpy()
        return cls(original, index, classes, codes, blank)

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
    def missing(self) -> IntArray:
        """Records of each class that are not in the published table, shape (N,); negative for too many."""
        found = np.bincount(self.classes[self.classes >= 0], minlength=self.original.table.row_count)
        return self.index.sizes - found

    @cached_property
    def records(self) -> IntArray:
        """The original row of each published row whose cells only that record has; otherwise -1."""
        alone = (self.index.sizes == 1) & (self.missing == 0)
        known: IntArray = np.where(alone[self.classes] & (self.classes >= 0), self.classes, -1)
        return known

    @property
    def strays(self) -> tuple[int, int]:
        """How many rows have cells that no record is left for, and how many records have no row."""
        foreign = int((self.classes < 0).sum()) + int(-self.missing[self.missing < 0].sum())
        return foreign, int(self.missing[self.missing > 0].sum())

    @property
    def linked(self) -> int:
        """How many rows belong to one record for certain."""
        return int((self.records >= 0).sum())

    def true_values(self, column: str) -> IntArray:
        """Return the true code of each row, or -1 where records with the same cells have different values."""
        shared = self.original.certain_values(column, blank=self.blank)
        certain = np.where(self.missing >= 0, shared, -1)
        known: IntArray = np.where(self.classes >= 0, certain[self.classes], -1)
        return known

    def unlinked(self, column: str) -> Unlinked:
        """Return what rows of unknown value show."""
        codes, classes = self.original.codes[column], self.index.classes
        size = len(self.original.domains[column])
        pairs, counts = np.unique(classes * size + codes, return_counts=True)
        order = np.lexsort((-counts, pairs // size))
        first = order[np.unique((pairs // size)[order], return_index=True)[1]]
        typical = np.full(len(codes), -1, dtype=np.int64)
        held = np.zeros(len(codes), dtype=np.int64)
        typical[pairs[first] // size], held[pairs[first] // size] = pairs[first] % size, counts[first]
        unknown = (self.true_values(column) < 0) & (self.classes >= 0)
        shown = self.published[column][unknown] == typical[self.classes[unknown]]
        used = np.unique(self.classes[unknown])
        share = Fraction(int(held[used].sum()), max(1, int(self.index.sizes[used].sum())))
        return Unlinked(int(unknown.sum()), int(shown.sum()), share)

    def frequency_bounds(self, column: str) -> tuple[IntArray, IntArray]:
        """Return the least and the largest frequency that each value can have after the deletion."""
        high = self.original.frequencies(column)
        low = high.copy()
        for values, deleted in self._deletions(column):
            held = np.bincount(values, minlength=len(high))
            low -= np.minimum(held, deleted)
            high -= np.maximum(0, deleted - (len(values) - held))
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
