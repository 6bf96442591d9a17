"""The checks of releases by SPLU-Gen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.claimed_by_column import ClaimedByColumn
from splu_ref.audit.releases.counts import counts_evidence, share_evidence
from splu_ref.audit.releases.decoys import FIXED_PLANS, decoys_evidence, plan_evidence, possible_check
from splu_ref.audit.releases.exactness import exactness_evidence, noticed_distance, protected
from splu_ref.audit.releases.excluded import Excluded
from splu_ref.audit.releases.findings import Check, Claimed, Found, Held, NotChecked
from splu_ref.audit.releases.independence import independence_evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.places import places_evidence
from splu_ref.audit.releases.predicates import (
    predicates_evidence,
    unlinked_evidence,
    unlinked_power,
)
from splu_ref.audit.releases.retention import retention_evidence, retention_power
from splu_ref.audit.releases.second import compare_releases
from splu_ref.audit.releases.shuffle import shuffle_evidence
from splu_ref.audit.releases.structure import (
    feasible_check,
    manifest_checks,
    records_check,
    rows_check,
    schema_check,
    values_check,
)
from splu_ref.audit.releases.tallied import Population, Tallied
from splu_ref.manifest import Manifest
from splu_ref.microdata import Microdata

SpluGenClaim: TypeAlias = Claimed | ClaimedByColumn
EXACT_BY_LAW = "counts of common values may be exact by this law, those of rare ones are multiples of gamma"
NEEDS_ORIGINAL = "this needs the original"
NEED_ORIGINAL = (
    "schema",
    "records",
    "feasible",
    "values",
    "counts",
    "exactness",
    "retention",
    "independence",
    "unlinked",
    "decoys",
    "plan",
    "possible",
    "places",
)
_NEED_LINKS = NEED_ORIGINAL[6:]
_NEED_COLUMNS = (*NEED_ORIGINAL[1:], "predicates", "shuffle")


@dataclass(frozen=True)
class Tables:
    """A published table and what is known of it; of one larger than memory, not every row.

    Attributes
    ----------
    first
        Its columns and types: all rows, or some.
    rows
        Number of rows.
    counts
        By sensitive column how often each value is published, as text.
    looked
        The rows that are compared with each other and with records, or why none are.
    cut
        Whether the order of the rows decided which of them are looked at.
    """

    first: Microdata
    rows: int
    counts: Mapping[str, Mapping[str, int]]
    looked: Microdata | str
    cut: bool = False


def held(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: SpluGenClaim,
    original: Original | None,
    manifest: Manifest | None,
) -> Held:
    """Hold a table against the claim."""
    compare = partial(compare_releases, published, sensitive=sensitive, claimed=claimed)
    if original is None:
        counts = {column: _counted(published, column) for column in sensitive}
        tables = Tables(published, published.row_count, counts, published)
        return Held(list(without_original(tables, claimed, manifest)), compare)
    tables = Tables(published, published.row_count, {}, published)
    found = exact_against(tables, claimed, original, original.table, manifest)
    if set(published.columns) != set(original.table.columns):
        return Held([*found, *columns_differ()], compare)
    match = Match.of(original, published)
    found += with_original(tables, claimed, match, match)
    return Held(found, compare, match.linked, partial(noticed, claimed, match, match))


def _counted(published: Microdata, column: str) -> dict[str, int]:
    values = text_cells(published, [column], blank=True).to_series().value_counts()
    return dict(zip(values["0"], values["count"], strict=True))


def without_original(tables: Tables, claimed: SpluGenClaim, manifest: Manifest | None) -> Iterator[Found]:
    """Yield what the published table alone tells."""
    sensitive = list(tables.counts)
    rows = claimed.column(sensitive[0])
    yield rows_check(tables.rows, rows, None)
    for column, counts in tables.counts.items():
        # The manifest's values, published or not: how many are averaged must not depend on the draws.
        unpublished = 0 if manifest is None else len(set(manifest.domains[column]) - set(counts))
        found = np.array([*sorted(counts.values(), reverse=True), *([0] * unpublished)], dtype=np.int64)
        yield share_evidence(column, found, claimed.column(column))
        yield _predicates(tables, column, sensitive, claimed.column(column))
    if manifest is not None:
        yield from manifest_checks(manifest, tables.rows, tables.counts, original=False)
    yield _shuffle(tables, rows, None)
    yield from (NotChecked(name, None, NEEDS_ORIGINAL) for name in NEED_ORIGINAL)


def exact_against(
    tables: Tables,
    claimed: SpluGenClaim,
    original: Population,
    first: Microdata,
    manifest: Manifest | None,
) -> list[Found]:
    """Return the exact checks that need no row to be linked; ``first`` are records of the original."""
    checks: list[Found] = [
        replace(schema_check(tables.first, first), rows=tables.rows),
        rows_check(tables.rows, claimed.column(original.sensitive[0]), original.row_count),
    ]
    if manifest is not None:
        checks += manifest_checks(manifest, tables.rows, original.domains, original=True)
    return checks


def columns_differ() -> Iterator[NotChecked]:
    """Yield the checks that are not made where the two tables have other columns."""
    return (NotChecked(name, None, "the columns differ") for name in _NEED_COLUMNS)


def with_original(
    tables: Tables, claims: SpluGenClaim, counts: Tallied, match: Match | None
) -> Iterator[Found]:
    """Yield what counts tell, and rows that are linked to records, where some are."""
    rows = claims.column(counts.original.sensitive[0])
    records = _unlooked("records", None, tables) if match is None else records_check(match, rows)
    yield records
    for column in counts.original.sensitive:
        claimed = claims.column(column)
        yield feasible_check(counts.original, claimed, column)
        yield values_check(counts, column, claimed)
        intact = not isinstance(records, Check) or records.passed
        yield from _of_counts(counts, column, claimed, intact=intact)
        if match is None:
            yield from (_unlooked(name, column, tables) for name in _NEED_LINKS)
        else:
            yield from _of_draws(match, column, claimed, intact=intact)
        yield _predicates(tables, column, counts.original.sensitive, claimed)
    yield _shuffle(tables, rows, match)


def _unlooked(name: str, column: str | None, tables: Tables) -> NotChecked:
    return NotChecked(name, column, str(tables.looked))


def _predicates(tables: Tables, column: str, sensitive: Sequence[str], claimed: Claimed) -> Found:
    if isinstance(tables.looked, str):
        return _unlooked("predicates", column, tables)
    found = predicates_evidence(tables.looked, column, sensitive, claimed)
    return found or NotChecked("predicates", column, "no predicate holds enough rows")


def _shuffle(tables: Tables, claimed: Claimed, match: Match | None) -> Found:
    if isinstance(tables.looked, str):
        return _unlooked("shuffle", None, tables)
    if tables.cut:
        return NotChecked("shuffle", None, "more rows were chosen than are held, so that their order decided")
    if tables.looked.row_count < 2:
        return NotChecked("shuffle", None, "fewer than two rows have an order")
    return shuffle_evidence(tables.looked, claimed, match)


def _of_counts(counts: Tallied, column: str, claimed: Claimed, *, intact: bool) -> Iterator[Found]:
    """Yield the evidence of the counts of a column, or why there is none."""
    unknown = "the non-sensitive cells differ, so it is unclear who was deleted"
    yield counts_evidence(counts, column, claimed) if intact else NotChecked("counts", column, unknown)
    if claimed.draws.name == "all-or-none":
        yield NotChecked("exactness", column, EXACT_BY_LAW)
    else:
        yield (
            exactness_evidence(counts, column, claimed)
            if intact
            else NotChecked("exactness", column, unknown)
        )


def _of_draws(match: Match, column: str, claimed: Claimed, *, intact: bool) -> Iterator[Found]:
    """Yield the evidence of each check of a column's draws, or why there is none."""
    alike = "no row's true value is known: records with the same cells have different values"
    unknown = "the non-sensitive cells differ, so it is unclear who was deleted"
    yield retention_evidence(match, column, claimed) or NotChecked("retention", column, alike)
    yield independence_evidence(match, column, claimed) or NotChecked("independence", column, alike)
    linked = "every row's true value is known"
    yield unlinked_evidence(match, column, claimed) or NotChecked("unlinked", column, linked)
    yield decoys_evidence(match, column, claimed) or NotChecked("decoys", column, alike)
    if claimed.plan in FIXED_PLANS:
        undecided = "no row's true value is known, or the counts after the deletion are too unclear"
        followed = plan_evidence(match, column, claimed) if intact else None
        yield followed or NotChecked("plan", column, undecided if intact else unknown)
        exact = possible_check(match, column, claimed) if intact else None
        yield exact or NotChecked("possible", column, undecided if intact else unknown)
    else:
        drawn = "its plan is random" if claimed.plan else "no plan is named"
        for name in ("plan", "possible"):
            yield NotChecked(name, column, f"{drawn}: only what every plan satisfies is checked")
    yield places_evidence(match, column) or NotChecked(
        "places", column, "no two records of one value are linked"
    )


def noticed(
    claims: SpluGenClaim, counts: Tallied, match: Match | None, level: Fraction
) -> tuple[Excluded, ...]:
    """Return what would have been noticed, at a level of each statistical check."""
    return tuple(
        _excluded(counts, match, column, claims.column(column), level) for column in counts.original.sensitive
    )


def _excluded(
    counts: Tallied, match: Match | None, column: str, claimed: Claimed, level: Fraction
) -> Excluded:
    true = np.empty(0, dtype=np.int64) if match is None else match.true_values(column)
    known = int((true >= 0).sum())
    intact = match is None or records_check(match, claimed).passed
    unlinked, share = (0, Fraction(0)) if match is None else match.unlinked(column)[::2]
    high = unlinked_power(unlinked, claimed, level).high
    return Excluded(
        column=column,
        law=claimed.law,
        rows=counts.rows,
        known=known,
        retention=retention_power(true, claimed.law.retention, claimed, level) if known else None,
        exact_counts=noticed_distance(counts, column, claimed, level) if intact else None,
        exact=exact_counts_words(counts, column, claimed),
        unlinked=unlinked,
        unlinked_noticed=high is not None and share >= high,
    )


def exact_counts_words(match: Tallied, column: str, claimed: Claimed) -> str:
    """Return which counts would be exact that should not be, in words; empty if there are none."""
    if claimed.draws.bound is None:
        return "counts that are exact"
    few = bool(len(protected(match, column, claimed)))
    return f"exact counts of values of at most {claimed.draws.bound} records" if few else ""
