"""The checks of releases by SPLU-Gen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

import numpy as np

from splu_ref.audit.releases.claims import SpluGenByColumnClaim, SpluGenClaim
from splu_ref.audit.releases.counts import counts_evidence, share_evidence
from splu_ref.audit.releases.decoys import (
    FIXED_PLANS,
    decoys_evidence,
    plan_evidence,
    possible_check,
    predicates_evidence,
    unlinked_evidence,
    unlinked_power,
)
from splu_ref.audit.releases.detection_power import (
    DEPENDENT_DRAWS,
    EXACT_COUNTS,
    OTHER_DECOYS,
    DetectionPower,
    of_decoy_groups,
)
from splu_ref.audit.releases.exact_checks import (
    feasible_check,
    manifest_checks,
    records_check,
    rows_check,
    schema_check,
    values_check,
)
from splu_ref.audit.releases.exactness import detectable_distance, exactness_evidence, protected
from splu_ref.audit.releases.findings import Finding, NotChecked, TableFindings
from splu_ref.audit.releases.re_release import compare_releases
from splu_ref.audit.releases.record_linkage import Match, Original, text_counts
from splu_ref.audit.releases.retention import independence_evidence, retention_evidence, retention_power
from splu_ref.audit.releases.row_order import places_evidence, shuffle_evidence
from splu_ref.data import Microdata
from splu_ref.mechanisms import Manifest

AnySpluGenClaim: TypeAlias = SpluGenClaim | SpluGenByColumnClaim
EXACT_BY_LAW = "counts of common values may be exact by this law, those of rare ones are multiples of gamma"
NONE_RARE = "no value has {} records or fewer, and by this law counts of others are nearly exact"
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
_NEED_COLUMNS = (*NEED_ORIGINAL[1:], "predicates", "shuffle")


def check_release(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: AnySpluGenClaim,
    original: Original | None,
    manifest: Manifest | None,
) -> TableFindings:
    """Return the findings of the checks of the claim."""
    compare = partial(compare_releases, published, sensitive=sensitive, claimed=claimed)
    if original is None:
        return TableFindings(list(_without_original(published, sensitive, claimed, manifest)), compare)
    found: list[Finding] = [
        schema_check(published, original.table),
        rows_check(published.row_count, claimed.column(sensitive[0]), original.table.row_count),
    ]
    if manifest is not None:
        found += manifest_checks(manifest, published.row_count, original.domains, original=True)
    if set(published.columns) != set(original.table.columns):
        found += (NotChecked(name, None, "the columns differ") for name in _NEED_COLUMNS)
        return TableFindings(found, compare)
    match = Match.of(original, published)
    found += _with_original(published, claimed, match)

    def power(level: Fraction) -> tuple[DetectionPower, ...]:
        return tuple(_power(match, column, claimed.column(column), level) for column in sensitive)

    return TableFindings(found, compare, match.linked, power)


def _without_original(
    published: Microdata, sensitive: Sequence[str], claimed: AnySpluGenClaim, manifest: Manifest | None
) -> Iterator[Finding]:
    """Yield the checks of the published table alone."""
    rows = claimed.column(sensitive[0])
    yield rows_check(published.row_count, rows, None)
    counts = {column: text_counts(published, column) for column in sensitive}
    for column in sensitive:
        # The manifest's values, published or not: how many are averaged must not depend on the draws.
        unpublished = 0 if manifest is None else len(set(manifest.domains[column]) - set(counts[column]))
        found = np.array(
            [*sorted(counts[column].values(), reverse=True), *([0] * unpublished)], dtype=np.int64
        )
        yield share_evidence(column, found, claimed.column(column))
        yield _predicates(published, column, sensitive, claimed.column(column))
    if manifest is not None:
        yield from manifest_checks(manifest, published.row_count, counts, original=False)
    yield _shuffle(published, rows, None)
    yield from (NotChecked(name, None, NEEDS_ORIGINAL) for name in NEED_ORIGINAL)


def _with_original(published: Microdata, claims: AnySpluGenClaim, match: Match) -> Iterator[Finding]:
    """Yield the checks of counts, and of rows that are linked to records."""
    sensitive = match.original.sensitive
    rows = claims.column(sensitive[0])
    records = records_check(match, rows)
    yield records
    for column in sensitive:
        claimed = claims.column(column)
        yield feasible_check(match.original, claimed, column)
        yield values_check(match, column, claimed)
        yield from _of_counts(match, column, claimed, intact=records.passed)
        yield from _of_draws(match, column, claimed, intact=records.passed)
        yield _predicates(published, column, sensitive, claimed)
    yield _shuffle(published, rows, match)


def _predicates(
    published: Microdata, column: str, sensitive: Sequence[str], claimed: SpluGenClaim
) -> Finding:
    found = predicates_evidence(published, column, sensitive, claimed)
    return found or NotChecked("predicates", column, "no predicate holds enough rows")


def _shuffle(published: Microdata, claimed: SpluGenClaim, match: Match | None) -> Finding:
    if published.row_count < 2:
        return NotChecked("shuffle", None, "fewer than two rows have an order")
    return shuffle_evidence(published, claimed, match)


def _of_counts(match: Match, column: str, claimed: SpluGenClaim, *, intact: bool) -> Iterator[Finding]:
    """Yield the evidence of the counts of a column, or why there is none."""
    unknown = "the non-sensitive cells differ, so it is unclear who was deleted"
    yield counts_evidence(match, column, claimed) if intact else NotChecked("counts", column, unknown)
    if claimed.draws.name == "all-or-none":
        yield NotChecked("exactness", column, EXACT_BY_LAW)
    elif not intact:
        yield NotChecked("exactness", column, unknown)
    elif len(protected(match, column, claimed)):
        yield exactness_evidence(match, column, claimed)
    else:
        yield NotChecked("exactness", column, NONE_RARE.format(claimed.draws.bound))


def _of_draws(match: Match, column: str, claimed: SpluGenClaim, *, intact: bool) -> Iterator[Finding]:
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


def _power(match: Match, column: str, claimed: SpluGenClaim, level: Fraction) -> DetectionPower:
    """Return what would have been detected in a column, at a level of each statistical check."""
    true = match.true_values(column)
    known = int((true >= 0).sum())
    unlinked, share = match.unlinked(column)[::2]
    high = unlinked_power(unlinked, claimed, level).high
    intact = records_check(match, claimed).passed
    return of_decoy_groups(
        column,
        claimed.law,
        match.rows,
        known,
        retention_power(true, claimed.law.retention, claimed, level) if known else None,
        exact_counts=detectable_distance(match, column, claimed, level) if intact else None,
        exact=_exact_counts_words(match, column, claimed),
        unlinked=unlinked,
        unlinked_detected=high is not None and share >= high,
        never=(
            *([DEPENDENT_DRAWS] if claimed.is_independent else []),
            *([] if claimed.plan in ("anatomy", "cyclic") else [OTHER_DECOYS]),
        ),
    )


def _exact_counts_words(match: Match, column: str, claimed: SpluGenClaim) -> str:
    """Return which counts would be exact that should not be, in words; empty if there are none."""
    if claimed.draws.bound is None:
        return EXACT_COUNTS
    if len(protected(match, column, claimed)):
        return f"exact counts of values of at most {claimed.draws.bound} records"
    # By the law capped these counts still vary, a little; by all-or-none they may be exact.
    capped = claimed.draws.name == "capped"
    return f"exact counts of values of more than {claimed.draws.bound} records" if capped else ""
