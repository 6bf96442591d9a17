"""Two tables larger than memory: the counts of all their rows, and the rows of a sample, linked.

What is asked of rows one by one is asked of the sample, with the places that they have in the tables. Which
of them are there depends on cells that no draw touches, so it may be taken as fixed when draws are judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from splu_ref.audit.releases.match import Match, Unlinked
from splu_ref.audit.releases.original import Original
from splu_ref.engines.streaming.scan import Scan
from splu_ref.microdata import Microdata
from splu_ref.microdata.values import text
from splu_ref.randomness import IntArray


@dataclass(frozen=True)
class ScannedPopulation:
    """The counts of an original that was read once; see `Population`."""

    scan: Scan
    sensitive: tuple[str, ...]

    @cached_property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        """See `Population`."""
        return {column: tuple(map(text, self.scan.domain(column))) for column in self.sensitive}

    @property
    def row_count(self) -> int:
        """See `Population`."""
        return self.scan.row_count

    def frequencies(self, column: str) -> IntArray:
        """See `Population`."""
        return self.scan.histogram(column).copy()  # callers may change theirs

    def cells(self, table: Microdata) -> pl.DataFrame:
        """Return the texts of the sensitive cells of some records, in columns 0, 1, ..."""
        return pl.DataFrame(
            {
                str(number): pl.Series(domain, dtype=pl.String).gather(self.scan.codes(table, column))
                for number, (column, domain) in enumerate(self.domains.items())
            }
        )


@dataclass(frozen=True)
class FileCounts:
    """The counts of both tables; see `Tallied`. Any records may have been deleted.

    Attributes
    ----------
    original
        The original.
    rows
        Number of published rows.
    published
        How often each text is published, by sensitive column.
    """

    original: ScannedPopulation
    rows: int
    published: Mapping[str, Mapping[str, int]]

    def found(self, column: str) -> IntArray:
        """See `Tallied`."""
        counts = self.published[column]
        return np.array([counts.get(value, 0) for value in self.original.domains[column]], dtype=np.int64)

    def foreign(self, column: str) -> int:
        """See `Tallied`."""
        return self.rows - int(self.found(column).sum())

    def frequency_bounds(self, column: str) -> tuple[IntArray, IntArray]:
        """See `Tallied`."""
        whole, gone = self.original.frequencies(column), max(0, self.original.row_count - self.rows)
        others = self.original.row_count - whole
        return whole - np.minimum(whole, gone), whole - np.maximum(0, gone - others)

    def histograms(self, column: str) -> list[IntArray] | None:
        """See `Tallied`."""
        return [self.original.frequencies(column)] if self.rows == self.original.row_count else None


class SampledOriginal(Original):
    """Some records of an original, with the domains and the frequencies of all.

    Parameters
    ----------
    table
        The records.
    whole
        All of them.
    """

    def __init__(self, table: Microdata, whole: ScannedPopulation) -> None:
        self._whole = whole
        super().__init__(table, whole.sensitive)

    @property
    def row_count(self) -> int:
        """Number of all records."""
        return self._whole.row_count

    def frequencies(self, column: str) -> IntArray:
        """Return how often each value of a sensitive column occurs among all records, shape (domain,)."""
        return self._whole.frequencies(column)

    def _codes(self, column: str) -> IntArray:
        return self._whole.scan.codes(self.table, column)

    def _domain(self, column: str) -> tuple[str, ...]:
        return self._whole.domains[column]


@dataclass(frozen=True)
class SampledMatch(Match):
    """The rows and the records of a sample, in tables of which the counts are known.

    Attributes
    ----------
    counts
        The counts of all rows.
    places
        Where the rows and the records of the sample stand in their tables.
    alone
        The numbers of all rows and records that have no counterpart.
    unknown
        What all rows show that may be several records, by column.
    deletions
        For each column the values of every class of which records are missing, and how many are.
    """

    counts: FileCounts
    places: tuple[IntArray, IntArray]
    alone: tuple[int, int]
    unknown: Mapping[str, Unlinked]
    deletions: Mapping[str, Sequence[tuple[IntArray, int]]]

    @property
    def rows(self) -> int:
        """Number of all published rows."""
        return self.counts.rows

    @property
    def row_places(self) -> IntArray:
        """The place in the published table of each row of the sample."""
        return self.places[0]

    @property
    def record_places(self) -> IntArray:
        """The place in the original of each record of the sample."""
        return self.places[1]

    @property
    def strays(self) -> tuple[int, int]:
        """How many of all rows have cells that no record is left for, and how many records have no row."""
        return self.alone

    def found(self, column: str) -> IntArray:
        """Return how often each value of the original is published, shape (domain,)."""
        return self.counts.found(column)

    def foreign(self, column: str) -> int:
        """Return how many rows hold a value that the original does not have."""
        return self.counts.foreign(column)

    def unlinked(self, column: str) -> Unlinked:
        """Return what all rows of unknown value show."""
        return self.unknown[column]

    def _deletions(self, column: str) -> Iterator[tuple[IntArray, int]]:
        yield from self.deletions[column]
