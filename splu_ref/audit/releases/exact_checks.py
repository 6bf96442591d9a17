"""Exact checks, which every honest release passes with certainty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from shlex import quote

import numpy as np

from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import MOST_PLACES, Check, NotChecked
from splu_ref.audit.releases.record_linkage import Match, Original, holds_text_only, text_counts, types_of
from splu_ref.data import Microdata
from splu_ref.mechanisms import Manifest, largest_gamma


def schema_check(published: Microdata, original: Microdata) -> Check | NotChecked:
    """Check that the published table has the original's columns, in their order and of their types.

    There is no verdict if it only lacks columns: they may have been left out on purpose, which its publisher
    says. Types are compared only if both tables have types: a table read from CSV is text throughout.
    """
    there, here = original.columns, published.columns
    gone = [name for name in there if name not in here]
    if set(here) < set(there):
        lacks = f"the release has no column {', '.join(gone)}"
        options = " ".join(f"--drop {quote(name)}" for name in gone)
        return NotChecked("schema", None, lacks, f"{lacks}: add {options} if left out on purpose")
    if set(here) != set(there):
        new = ", ".join(sorted(set(here) - set(there)))
        detail = f"columns missing: {', '.join(sorted(gone)) or 'none'}; added: {new}"
        return _exact("schema", published, detail, passed=False)
    if here != there:
        return _exact("schema", published, "the columns stand in another order", passed=False)
    same = f"the {len(here)} columns of the original, in their order"
    if holds_text_only(published) or holds_text_only(original):
        alike = holds_text_only(published) and holds_text_only(original)
        return _exact("schema", published, same if alike else f"{same}; one file is text only", passed=True)
    for column, one, other in zip(here, types_of(original), types_of(published), strict=True):
        if one != other:
            return _exact("schema", published, f"column {column!r}: {one} became {other}", passed=False)
    return _exact("schema", published, f"{same}, with their types", passed=True)


def rows_check(rows: int, claimed: SpluGenClaim, records: int | None) -> Check:
    """Check that N - N mod gamma rows are published, or at least a multiple of gamma.

    Where columns have other gammas, their least common multiple stands in its place.
    """
    gamma = claimed.divisor
    if records is None:
        detail = f"{rows} rows, {rows % gamma} beyond a multiple of {gamma}"
        return Check("rows", None, rows % gamma == 0, detail, rows)
    detail = f"{records} records, {rows} rows; SPLU-Gen publishes {records - records % gamma}"
    return Check("rows", None, rows == records - records % gamma, detail, rows)


def records_check(match: Match, claimed: SpluGenClaim) -> Check:
    """Check that the non-sensitive cells are those of the original's records, fewer than gamma deleted."""
    foreign, gone = match.unexpected
    lawful = min(gone, match.original.table.row_count % claimed.divisor)
    more = f", {lawful} of which may be left out" if lawful else ""
    return _of_records(match, more, passed=foreign == 0 and gone < claimed.divisor)


def feasible_check(original: Original, claimed: SpluGenClaim, column: str) -> Check:
    """Check that no value holds more than N / gamma of the original's records."""
    largest = largest_gamma(original.frequencies(column))
    detail = f"the most frequent value allows groups of up to {largest}"
    return Check("feasible", column, claimed.law.gamma <= largest, detail, rows=original.row_count)


def values_check(match: Match, column: str, claimed: SpluGenClaim) -> Check:
    """Check that only values of the original are published, none by more records than can have it as decoy.

    A value with f records stands in f groups of gamma records each, so at most gamma f rows hold it.
    """
    foreign = match.foreign(column)
    if foreign:
        rows = np.flatnonzero(match.published[column] < 0).tolist()
        detail = f"{_rows(foreign)} a value that the original does not have{_first(rows)}"
        places = tuple(place + 1 for place in rows[:MOST_PLACES])
        return Check("values", column, False, detail, rows=match.rows, places=(places, ()))
    domain = match.original.domains[column]
    found = match.found(column)
    frequencies = match.original.frequencies(column)
    excess = found - int(claimed.law.gamma) * frequencies
    worst = int(excess.argmax())
    if excess[worst] > 0:
        detail = (
            f"{domain[worst]!r} is published {found[worst]} times; with {frequencies[worst]} records it can "
            f"be so at most {int(claimed.law.gamma) * frequencies[worst]} times"
        )
        return Check("values", column, False, detail, rows=match.rows)
    return Check(
        "values", column, True, f"{int((found > 0).sum())} of the original's {len(domain)} values", match.rows
    )


def manifest_checks(
    manifest: Manifest, rows: int, domains: Mapping[str, Collection[str]], original: bool
) -> Iterator[Check]:
    """Check the manifest's number of rows, and its domains against the published or the original values."""
    detail = f"the manifest says {manifest.rows} rows, the table has {rows}"
    yield Check("manifest.rows", None, manifest.rows == rows, detail, rows)
    for column, values in domains.items():
        listed = set(manifest.domains[column])
        unlisted = set(values) - listed
        unused = listed - set(values) if original else set()
        origin = "original" if original else "published"
        detail = f"{len(unlisted)} {origin} values are not listed{_some(unlisted)}"
        if original:
            detail += f", {len(unused)} listed values do not occur in the original{_some(unused)}"
        yield Check("manifest.domain", column, not unlisted and not unused, detail, rows)


def _some(values: Collection[str]) -> str:
    """Return the first three of the values."""
    first = ", ".join(map(repr, sorted(values)[:3]))
    return f" ({first}{', …' if len(values) > 3 else ''})" if values else ""


def _exact(name: str, published: Microdata, detail: str, *, passed: bool) -> Check:
    return Check(name, None, passed, detail, rows=published.row_count)


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
        known = set(domain)
        counts = text_counts(published, column)
        outside = {value: count for value, count in counts.items() if value not in known}
        detail = f"{_rows(sum(outside.values()))} a value outside the declared domain of {len(domain)}"
        yield Check("domain", column, not outside, detail + _some(outside), published.row_count)


def all_rows_check(published: Microdata, original: Original) -> Check:
    """Check that every record is published."""
    given, rows = original.table.row_count, published.row_count
    return Check("rows", None, rows == given, f"{given} records, {rows} rows: all are published", rows)


def all_records_check(match: Match, *, in_place: bool) -> Check:
    """Check that the other cells are those of the original's records, each once, and in their places."""
    if in_place and match.rows == match.original.table.row_count:
        moved = np.flatnonzero(match.classes != match.index.classes).tolist()
        more = f", {len(moved)} rows with other cells than the record at their place"
        return _of_records(match, more, passed=not moved, moved=moved)
    return _of_records(match, passed=match.unexpected == (0, 0))


def _rows(number: int) -> str:
    """Return how many rows hold what follows."""
    return "1 row holds" if number == 1 else f"{number} rows hold"


def _first(places: Sequence[int]) -> str:
    """Return the first five places of a table, numbered from 1."""
    first = ", ".join(str(place + 1) for place in places[:5])
    return f" (number {first}{', …' if len(places) > 5 else ''})" if len(places) else ""


def _of_records(match: Match, more: str = "", *, passed: bool, moved: Sequence[int] = ()) -> Check:
    """Return the check of the records; if no more than one row in ten has one, the original may be wrong.

    ``moved`` are rows that do not stand in the place of their record, as indices.
    """
    foreign, gone = match.unexpected
    failed = ((), ()) if passed else match.unexpected_places
    rows, records = map(_first, failed)
    detail = (
        f"{foreign} {'row' if foreign == 1 else 'rows'} with cells that no record is left for{rows}, "
        f"{gone} {'record' if gone == 1 else 'records'} without a row{records}{more}"
    )
    matched = (
        "no row matches" if foreign == match.rows else f"{match.rows - foreign} of {match.rows} rows match"
    )
    hint = (
        f"{matched}: is --original the right file, and --manifest that of this release (columns may have "
        "been recoded)?"
        if 10 * foreign >= 9 * match.rows
        else ""
    )
    at, of = (tuple(place + 1 for place in each[:MOST_PLACES]) for each in (moved or failed[0], failed[1]))
    return Check("records", None, passed, detail, match.rows, hint=hint, places=(at, of))
