"""Rows that stand where their records stood, and what declared domains and a manifest tell of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.findings import Check
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.original import Original
from splu_ref.manifest import Manifest
from splu_ref.microdata import Microdata
from splu_ref.randomness import IntArray


@dataclass(frozen=True)
class PlacedMatch(Match):
    """A table whose row i is record i of the original, wherever their other cells agree."""

    @cached_property
    def records(self) -> IntArray:
        """The original row of each published row, or -1 where their other cells differ."""
        places = np.arange(self.rows)
        return np.where(self.index.classes == self.classes, places, -1)

    def true_values(self, column: str) -> IntArray:
        """Return the true code of each row, or -1 where it is unknown which record it is."""
        return np.where(self.records >= 0, self.original.codes[column], -1)


def matched(published: Microdata, original: Original, *, in_place: bool) -> Match | None:
    """Return which row is which record; None if the columns differ.

    Parameters
    ----------
    published, original
        The tables.
    in_place
        Whether the rows are said to stand where their records stood: they are linked by that then, if there
        are as many.
    """
    if set(published.columns) != set(original.table.columns):
        return None
    found = Match.of(original, published)
    if not in_place or found.rows != original.table.row_count:
        return found
    return PlacedMatch(found.original, found.index, found.classes, found.published, found.blank)


def manifest_rows_check(published: Microdata, manifest: Manifest | None) -> Iterator[Check]:
    """Check the manifest's number of rows, if there is a manifest."""
    if manifest is not None:
        rows = published.row_count
        detail = f"the manifest says {manifest.rows} rows, the table has {rows}"
        yield Check("manifest.rows", None, manifest.rows == rows, detail, rows)


def domain_checks(published: Microdata, domains: Mapping[str, Sequence[str]]) -> Iterator[Check]:
    """Check that each column holds values of its domain alone; a column that is not there is passed over."""
    for column, domain in domains.items():
        if column not in published.columns:
            continue
        cells = text_cells(published, [column], blank=True).to_series()
        outside = int((~cells.is_in(list(domain))).sum())
        detail = f"{outside} rows hold a value outside the declared domain of {len(domain)}"
        yield Check("domain", column, not outside, detail, published.row_count)


def all_rows_check(published: Microdata, original: Original) -> Check:
    """Check that every record is published."""
    given, rows = original.table.row_count, published.row_count
    return Check("rows", None, rows == given, f"{given} records, {rows} rows: all are published", rows)


def all_records_check(match: Match, *, in_place: bool) -> Check:
    """Check that the other cells are those of the original's records, each once, and in their places."""
    foreign, gone = match.strays
    detail = f"{foreign} rows with cells that no record is left for, {gone} records without a row"
    passed = foreign == gone == 0
    if in_place and match.rows == match.original.table.row_count:
        moved = int((match.classes != match.index.classes).sum())
        detail, passed = f"{detail}, {moved} rows with other cells than the record at their place", not moved
    return Check("records", None, passed, detail, match.rows)
