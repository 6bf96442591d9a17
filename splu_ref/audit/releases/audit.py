"""The audit of a release: every check that the given tables allow, under one chance of a false alarm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from splu_ref.audit.releases import replacement
from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.counts import counts_evidence, share_evidence
from splu_ref.audit.releases.decoys import FIXED_PLANS, decoys_evidence, plan_evidence, possible_check
from splu_ref.audit.releases.drawn import drawn_evidence
from splu_ref.audit.releases.exactness import exactness_evidence, noticed_distance
from splu_ref.audit.releases.excluded import Excluded
from splu_ref.audit.releases.findings import Check, Claimed, Evidence, NotChecked, ReleaseAudit, Reuse
from splu_ref.audit.releases.independence import independence_evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.original import Original
from splu_ref.audit.releases.places import places_evidence
from splu_ref.audit.releases.predicates import (
    predicates_evidence,
    unlinked,
    unlinked_evidence,
    unlinked_power,
)
from splu_ref.audit.releases.replacement import ClaimedReplacement, ExcludedReplacement
from splu_ref.audit.releases.replay import Replay
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
from splu_ref.manifest import Manifest
from splu_ref.mechanisms import RetentionReplacement, SpluGen
from splu_ref.microdata import Microdata
from splu_ref.model import DataError, Exact, ParameterError, positive

LEVEL = Fraction(1, 10**9)
"""Chance that an honest release is called inconsistent, unless another is given."""

_NEED_ORIGINAL = (
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
_NEED_COLUMNS = (*_NEED_ORIGINAL[1:], "predicates", "shuffle")

_Found: TypeAlias = Check | Evidence | NotChecked


def audited(manifest: Manifest) -> SpluGen | RetentionReplacement:
    """Return the mechanism of a release that can be audited.

    Raises
    ------
    DataError
        If there are no checks for releases by it.
    """
    mechanism = manifest.mechanism
    if isinstance(mechanism, SpluGen | RetentionReplacement):
        return mechanism
    raise DataError(
        f"this is a release by {mechanism.name}, for which there are no checks: give one by {SpluGen.name} "
        f"or {RetentionReplacement.name}"
    )


def audit_release(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: Claimed | ClaimedReplacement,
    *,
    original: Original | None = None,
    manifest: Manifest | None = None,
    second: Microdata | None = None,
    replay: Replay | None = None,
    level: Exact = LEVEL,
    power: bool = True,
) -> ReleaseAudit:
    """Say whether a table is one that its mechanism could and would have published.

    Parameters
    ----------
    published
        The published table.
    sensitive
        Its sensitive columns.
    claimed
        How it is said to have been published.
    original
        The original table, with the same sensitive columns; without it little can be checked. For a
        claim about retention replacement it is `ClaimedReplacement.prepared`.
    manifest
        The release's manifest, if its figures shall be checked as well.
    second
        Another release of the same table: a release with draws of its own is an inconsistency.
    replay
        The release made again, from a transcript or a key: it is compared with the published table, and what
        was drawn is held against uniform draws.
    level
        Chance that an honest release is called inconsistent, over all checks together, strictly between 0
        and 1. Each statistical check is given an equal part.
    power
        Whether the power of each statistical check is computed.

    Returns
    -------
    ReleaseAudit
        The checks, what was not checked, and the verdict.

    Raises
    ------
    DataError
        If a sensitive column is missing, the second release has other columns, the manifest tells of
        batches, or the transcript is damaged.
    ParameterError
        If the level is out of range, the original was prepared for other columns, or the release was made
        again by another mechanism than is claimed, of other columns or without the original.

    Notes
    -----
    Each statistical check is an e-value: its expectation is at most 1 for every honest release, so it
    reaches 1/a with probability at most a (Markov). How many checks are made does not depend on the draws.
    Within a check dependent e-values are averaged, never multiplied.
    """
    if manifest is not None and manifest.batches:
        raise DataError(
            f"the release consists of {len(manifest.batches)} batches, which are tables of their own: audit "
            "a table that was published at once"
        )
    allowed = positive(level, "level")
    if allowed >= 1:
        raise ParameterError("the level is the chance of a false alarm: give one below 1, such as 1e-9")
    for column in sensitive:
        if column not in published.columns and original is None:
            raise DataError(f"there is no column {column!r} in the published table: check --sensitive")
    match, found = _found(published, sensitive, claimed, original, manifest)
    if replay is not None:
        replay.require(sensitive, claimed, original)
        found += [replay.check(published), *drawn_evidence(replay)]
    # Every statistical check is given an equal part of the level.
    share = allowed / max(1, sum(isinstance(each, Evidence) for each in found))
    checks = [each for each in found if isinstance(each, Check)]
    checks += [each.judged(share, power=power) for each in found if isinstance(each, Evidence)]
    # A second release is held against the first.
    reuse = None
    if second is not None:
        if second.columns != published.columns:
            raise DataError("the second release has other columns than the first: give one of the same table")
        reuse = compare_releases(published, second, sensitive, claimed, allowed)
        checks.append(_second_check(reuse))
    return ReleaseAudit(
        claimed=claimed,
        level=allowed,
        rows=published.row_count,
        linked=None if match is None else int((match.records >= 0).sum()),
        checks=tuple(checks),
        not_checked=tuple(each for each in found if isinstance(each, NotChecked)),
        excludes=() if match is None else tuple(_excluded(match, c, claimed, share) for c in sensitive),
        reuse=reuse,
        recomputed=None if replay is None else replay.told,
    )


def _found(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: Claimed | ClaimedReplacement,
    original: Original | None,
    manifest: Manifest | None,
) -> tuple[Match | None, list[_Found]]:
    """Return which row is which record, as far as there is an original, and what the checks found.

    A mechanism with checks of its own is a claim of its own, and a branch here.
    """
    if original is not None and original.sensitive != tuple(sensitive):
        raise ParameterError("the original was prepared for other sensitive columns: prepare it for these")
    if isinstance(claimed, ClaimedReplacement):
        if set(sensitive) != set(claimed.columns):
            raise ParameterError("the columns with a domain are others than the sensitive ones: name those")
        if original is None:
            return None, list(replacement.without_original(published, claimed, manifest))
        match = replacement.match_of(published, claimed, original)
        return match, list(replacement.with_original(published, claimed, original, match, manifest))
    if original is None:
        return None, list(_without_original(published, sensitive, claimed, manifest))
    found = _exact_against(published, claimed, original, manifest)
    if set(published.columns) != set(original.table.columns):
        return None, found + [NotChecked(name, None, "the columns differ") for name in _NEED_COLUMNS]
    match = Match.of(original, published)
    return match, found + list(_with_original(published, claimed, match))


def _excluded(
    match: Match, column: str, claimed: Claimed | ClaimedReplacement, level: Fraction
) -> Excluded | ExcludedReplacement:
    """Return what the checks of a column would have noticed at the level of each."""
    if isinstance(claimed, ClaimedReplacement):
        return replacement.excluded(match, column, claimed, level)
    return _excluded_of_splu_gen(match, column, claimed, level)


def _without_original(
    published: Microdata, sensitive: Sequence[str], claimed: Claimed, manifest: Manifest | None
) -> Iterator[_Found]:
    yield rows_check(published, claimed, None)
    domains = {}
    for column in sensitive:
        values = text_cells(published, [column], blank=True).to_series().value_counts(sort=True)
        domains[column] = tuple(values["0"])
        # The manifest's values, published or not: how many are averaged must not depend on the draws.
        unpublished = 0 if manifest is None else len(set(manifest.domains[column]) - set(domains[column]))
        found = np.append(values["count"].to_numpy().astype(np.int64), np.zeros(unpublished, dtype=np.int64))
        yield share_evidence(column, found, claimed)
        yield _predicates(published, column, sensitive, claimed)
    if manifest is not None:
        yield from manifest_checks(manifest, published, domains, original=False)
    yield shuffle_evidence(published, claimed, None)
    yield from (NotChecked(name, None, "this needs the original") for name in _NEED_ORIGINAL)


def _exact_against(
    published: Microdata, claimed: Claimed, original: Original, manifest: Manifest | None
) -> list[_Found]:
    """Return the exact checks that need no row to be linked."""
    checks: list[_Found] = [
        schema_check(published, original.table),
        rows_check(published, claimed, original.table),
    ]
    if manifest is not None:
        checks += manifest_checks(manifest, published, original.domains, original=True)
    return checks


def _with_original(published: Microdata, claimed: Claimed, match: Match) -> Iterator[_Found]:
    records = records_check(match, claimed)
    yield records
    for column in match.original.sensitive:
        yield feasible_check(match.original, claimed, column)
        yield values_check(match, column, claimed)
        yield from _of_draws(match, column, claimed, intact=records.passed)
        yield _predicates(published, column, match.original.sensitive, claimed)
    yield shuffle_evidence(published, claimed, match)


def _predicates(published: Microdata, column: str, sensitive: Sequence[str], claimed: Claimed) -> _Found:
    few = "no predicate holds enough rows"
    found = predicates_evidence(published, column, sensitive, claimed)
    return found or NotChecked("predicates", column, few)


def _of_draws(match: Match, column: str, claimed: Claimed, *, intact: bool) -> Iterator[_Found]:
    """Yield the evidence of each check of a column, or why there is none."""
    alike = "no row's true value is known: records with the same cells have different values"
    unknown = "the non-sensitive cells differ, so it is unclear who was deleted"
    for name, held in (("counts", counts_evidence), ("exactness", exactness_evidence)):
        yield held(match, column, claimed) if intact else NotChecked(name, column, unknown)
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


def _excluded_of_splu_gen(match: Match, column: str, claimed: Claimed, level: Fraction) -> Excluded:
    known = int((match.true_values(column) >= 0).sum())
    intact = records_check(match, claimed).passed
    typical, share = unlinked(match, column)
    high = unlinked_power(int((typical >= 0).sum()), claimed, level).high
    unlinked_noticed = high is not None and share >= high
    return Excluded(
        column=column,
        law=claimed.law,
        rows=match.rows,
        known=known,
        retention=retention_power(known, claimed.law.retention, level) if known else None,
        exact_counts=noticed_distance(match, column, claimed, level) if intact else None,
        unlinked=int((typical >= 0).sum()),
        unlinked_noticed=unlinked_noticed,
    )


def _second_check(reuse: Reuse) -> Check:
    told = {
        "same": "the two releases hold the same rows: the second reveals nothing more",
        "shared": "the releases differ, but too many rows agree for independent draws: some were reused",
        "opposed": "too few rows agree for independent draws: the second release avoids what the first shows",
        "fresh": "the second release has draws of its own: whoever averages the two sees small counts better",
    }
    detail = f"{told[reuse.draws]} ({reuse.agreeing} of {reuse.linked} linked rows agree)"
    return Check("second", None, reuse.draws == "same", detail, reuse.linked)
