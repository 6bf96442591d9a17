"""The audit of a release: all checks that the given tables allow, with one false-alarm probability."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

from splu_ref.audit.releases import alpha_beta, cell_checks, generalization, splu_gen, swapping
from splu_ref.audit.releases.cell_claims import OperatorClaim, ReplacementClaim, SmallDomainsClaim
from splu_ref.audit.releases.claims import (
    AlphaBetaClaim,
    GeneralizationClaim,
    SpluGenByColumnClaim,
    SpluGenClaim,
    SwappingClaim,
)
from splu_ref.audit.releases.findings import (
    Check,
    Evidence,
    Finding,
    NotChecked,
    ReleaseAudit,
    Reuse,
    TableFindings,
)
from splu_ref.audit.releases.messages import ADD_ID, COMPARABLE, UNLINKED
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.audit.releases.recorded_draws import recorded_evidence
from splu_ref.audit.releases.replay import Replay
from splu_ref.channels import DataError, Exact, ParameterError, positive
from splu_ref.data import Dropped, Microdata, with_missing_as_text
from splu_ref.mechanisms import (
    AlphaBeta,
    Manifest,
    Mechanism,
    Operator,
    PerturbedGeneralization,
    RetentionReplacement,
    SmallDomainRandomization,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    Transcript,
)
from splu_ref.randomness import Key

LEVEL = Fraction(1, 10**9)
"""Default false-alarm probability."""
_OTHER_DRAWS = "the draws do not give the published table"

AnyClaim: TypeAlias = (
    SpluGenClaim
    | SpluGenByColumnClaim
    | ReplacementClaim
    | GeneralizationClaim
    | OperatorClaim
    | SmallDomainsClaim
    | SwappingClaim
    | AlphaBetaClaim
)
"""What may be claimed of a release; a mechanism with checks of its own is a claim of its own."""


CLAIMS: tuple[tuple[type[Any], Callable[[Any], AnyClaim]], ...] = (
    (SpluGen, SpluGenClaim.of),
    (SpluGenByColumn, SpluGenByColumnClaim.of),
    (RetentionReplacement, ReplacementClaim),
    (Operator, OperatorClaim),
    (SmallDomainRandomization, SmallDomainsClaim),
    (PerturbedGeneralization, GeneralizationClaim),
    (Swapping, SwappingClaim),
    (AlphaBeta, AlphaBetaClaim),
)
"""What is claimed by each mechanism."""


def claim_of(mechanism: Mechanism[object]) -> AnyClaim:
    """Return what is claimed of a release by a mechanism.

    Raises
    ------
    DataError
        If there are no checks for releases by it.
    ParameterError
        If there are none for these parameters.
    """
    for kind, claim in CLAIMS:
        if isinstance(mechanism, kind):
            return claim(mechanism)
    raise DataError(
        f"releases by {mechanism.name} are not audited: if this one was made under a key, publish the "
        "original again under it and compare the tables"
    )


def require_replayable(
    transcript: Transcript | None,
    key: Key | None,
    id_column: str | None,
    missing: str | None,
    manifest: Manifest | None,
    *,
    original: bool,
) -> str | None:
    """Return the column that identified a record under the key: the one given, or that of the manifest.

    Raise ``ParameterError`` unless what a release is replayed from goes together.

    Parameters
    ----------
    transcript, key, id_column, missing
        The recorded draws, the key, the column that identified a record under it, and the published value of
        missing cells; None where they are not given.
    manifest
        The release's manifest, if there is one.
    original
        Whether the original is given.
    """
    if not original and (transcript is not None or key is not None):
        raise ParameterError("a transcript or a key replays the release: give the original as well")
    if id_column is not None and (key is None or transcript is not None):
        raise ParameterError(
            "the column that identified a record belongs to a key, and a transcript records it: leave it out"
        )
    if transcript is not None and missing not in (None, transcript.missing):
        raise ParameterError("the value of missing cells contradicts the transcript: leave it out")
    recorded = None if key is None or transcript is not None or manifest is None else manifest.id_column
    return recorded if id_column is None else id_column


def comparable(
    published: Microdata,
    original: Microdata,
    sensitive: Sequence[str],
    claimed: AnyClaim,
    *,
    manifest: Manifest | None,
    key: Key | None,
    hidden: Sequence[str],
    drop: Sequence[str] = (),
    id_column: str | None = None,
) -> tuple[Microdata, Original]:
    """Return a published table and its original with the same columns, recoded alike.

    Parameters
    ----------
    published, sensitive, claimed, manifest
        As for `audit_release`.
    original
        The original, as it was read or already recoded.
    key
        The key of hashed columns.
    hidden
        Hashed columns, which cannot be compared without the key.
    drop
        Columns of the original that were not published.
    id_column
        The column that named the records; if it was not published, only a replay uses it.

    Raises
    ------
    DataError
        If the original lacks a column or cannot be recoded.
    """
    identity = None if id_column is None else Dropped(id_column)  # dropped after it named the records
    steps = () if manifest is None else manifest.recoded
    source = original
    if not original.recoded:
        published = published.select([name for name in published.columns if name not in hidden])
        if manifest is not None:
            before = replace(manifest, recoded=tuple(step for step in steps if step != identity))
            original = before.recode(original, key, hidden)
        left = [name for name in original.columns if name not in drop or name == id_column]
        original = with_missing_as_text(original.select(left), sensitive)
    if id_column is not None and id_column not in original.columns:
        source.require(id_column)  # which lists columns that were dropped as well
    prepared = claimed.prepared(original, sensitive)
    if identity is not None and (identity in steps or id_column in drop):
        prepared = prepared.without(identity)
    return published, prepared


def replay_of(
    claimed: AnyClaim,
    original: Original,
    transcript: Transcript | None,
    key: Key | None,
    id_column: str | None,
) -> Replay | None:
    """Return the release made again from its transcript, or else under its key; None without either.

    Errors are those of `Replay.of_transcript` and `Replay.of_key`.
    """
    if transcript is not None:
        return Replay.of_transcript(transcript, original.table, key)
    if key is None:
        return None
    replay = Replay.of_key(key, original.identified, claimed.releasing, original.sensitive, id_column)
    if id_column is None or original.identified is original.table:
        return replay
    published = Dropped(id_column).apply(replay.release.table)
    return replace(replay, original=original.table, release=replace(replay.release, table=published))


def audit_release(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: AnyClaim,
    *,
    original: Original | None = None,
    manifest: Manifest | None = None,
    second: Microdata | None = None,
    replay: Replay | None = None,
    level: Exact = LEVEL,
    power: bool = True,
    digest: str | None = None,
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
        The original table, with the same sensitive columns, as the claim's ``prepared`` returns it; without
        it little can be checked.
    manifest
        The release's manifest, if its figures shall be checked as well.
    second
        Another release of the same table: a release with draws of its own is an inconsistency.
    replay
        The release made again, from a transcript or a key: it is compared with the published table, and what
        was drawn is tested against uniform draws.
    level
        Chance that an honest release is called inconsistent, over all checks together, strictly between 0
        and 1. Each statistical check is given an equal part.
    power
        Whether the power of each statistical check is computed.
    digest
        Digest of the content of the whole published table, to be compared with the manifest's.

    Returns
    -------
    ReleaseAudit
        The checks, what was not checked, and the verdict.

    Raises
    ------
    DataError
        If a sensitive column is missing, the second release has other columns, the manifest lists
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
    _require_one_batch(manifest)
    allowed = _allowed_level(level)
    for column in sensitive:
        if column not in published.columns:
            raise DataError(f"there is no column {column!r} in the published table: check --sensitive")
    table = _checked(published, sensitive, claimed, original, manifest)
    found: list[Finding] = [*_digest_check(digest, manifest, published.row_count), *table.findings]
    drawn: list[Evidence] = []
    if replay is not None:
        replay.require(sensitive, claimed, original)
        drawn = list(recorded_evidence(replay))
    # Every statistical check is given an equal part of the level, as is the comparison in `_replayed`.
    unnamed = replay is not None and replay.is_unnamed
    share = allowed / max(1, sum(isinstance(each, Evidence) for each in found) + len(drawn) + unnamed)
    if replay is not None:
        compared = _replayed(replay, published, table, share)
        same = isinstance(compared, Check) and compared.passed
        found += drawn if same else [NotChecked(each.name, each.column, _OTHER_DRAWS) for each in drawn]
        found.append(compared)
    checks = [each for each in found if isinstance(each, Check)]
    checks += [each.judged(share, power=power) for each in found if isinstance(each, Evidence)]
    reuse = None
    if second is not None:
        if second.columns != published.columns:
            raise DataError("the second release has other columns than the first: give one of the same table")
        reuse = table.compare(second, level=allowed)
        if reuse.draws == "unlinked":
            found.append(NotChecked("second", None, UNLINKED, COMPARABLE))
        else:
            checks.append(_second_check(reuse))
    detectable = () if table.power is None else table.power(share)
    return ReleaseAudit(
        claimed=claimed,
        level=allowed,
        rows=published.row_count,
        linked=table.linked,
        checks=tuple(checks),
        not_checked=tuple(each for each in found if isinstance(each, NotChecked)),
        detectable=detectable,
        decisive=_decisive(table, share, allowed)
        if power and any(each.open for each in detectable)
        else None,
        reuse=reuse,
        recomputed=None if replay is None else replay.source,
    )


def _decisive(table: TableFindings, share: Fraction, level: Fraction) -> Fraction | None:
    """Return the least power of ten above a level, up to 1/100, at which the power leaves nothing open."""

    def decides(higher: Fraction) -> bool:
        return table.power is not None and not any(each.open for each in table.power(share / level * higher))

    levels = [each for exponent in range(12, 1, -1) if (each := Fraction(1, 10**exponent)) > level]
    place = bisect_left(levels, True, key=decides)
    return levels[place] if place < len(levels) else None


def _replayed(
    replay: Replay, published: Microdata, table: TableFindings, share: Fraction
) -> Check | NotChecked:
    """Return the comparison with a replay, unless an option that was not given may be why they differ.

    That is not so if the two share draws, which is tested as for two releases.
    """
    made = replay.release.table
    if set(published.columns) < set(made.columns):
        return NotChecked("recomputed", None, "the columns differ")
    check = replay.check(published)
    if check.passed or not replay.is_unnamed or published.columns != made.columns:
        return check
    against = table.compare(made, level=share).against_independence
    if against is not None and against.rejects(share):
        return check
    return NotChecked(check.name, None, f"without --id the key does not give it: {check.detail}", ADD_ID)


def _digest_check(digest: str | None, manifest: Manifest | None, rows: int) -> Iterator[Check]:
    """Check that the manifest was written for a table with this digest, if it states one."""
    if digest is not None and manifest is not None and manifest.origin is not None:
        stated = manifest.origin.table
        detail = f"the table's content has the digest {digest[:12]}…, the manifest says {stated[:12]}…"
        yield Check("content digest", None, digest == stated, detail, rows)


def _require_one_batch(manifest: Manifest | None) -> None:
    """Raise ``DataError`` if a manifest lists batches, each of which is a release of its own."""
    if manifest is not None and manifest.batches:
        raise DataError(
            f"the release joins {len(manifest.batches)} batches, each a release of its own: "
            "audit the files of the first release, and publish later records as separate releases if "
            "they are to be audited"
        )


def _allowed_level(level: Exact) -> Fraction:
    """Return the chance of a false alarm, which must be between 0 and 1."""
    allowed = positive(level, "level")
    if allowed >= 1:
        raise ParameterError("the level is the chance of a false alarm: give one below 1, such as 1e-9")
    return allowed


def _checked(
    published: Microdata,
    sensitive: Sequence[str],
    claimed: AnyClaim,
    original: Original | None,
    manifest: Manifest | None,
) -> TableFindings:
    """Return the findings of the checks of the claimed mechanism."""
    if original is not None and original.sensitive != tuple(sensitive):
        raise ParameterError("the original was prepared for other sensitive columns: prepare it for these")
    if isinstance(claimed, SwappingClaim):
        return swapping.check_release(published, sensitive, claimed, original, manifest)
    if isinstance(claimed, SpluGenClaim | SpluGenByColumnClaim):
        return splu_gen.check_release(published, sensitive, claimed, original, manifest)
    if set(sensitive) != set(claimed.columns):
        raise ParameterError("the columns with a domain are others than the sensitive ones: name those")
    if isinstance(claimed, AlphaBetaClaim):
        return alpha_beta.check_release(published, claimed, original, manifest)
    if isinstance(claimed, GeneralizationClaim):
        return generalization.check_release(published, claimed, original, manifest)
    return cell_checks.check_release(published, claimed, original, manifest)


def _second_check(reuse: Reuse) -> Check:
    meaning = {
        "same": "the two releases hold the same rows: the second reveals nothing more",
        "shared": "the releases differ, but too many rows agree for independent draws: some were reused",
        "opposed": "too few rows agree for independent draws: the second release avoids what the first shows",
        "fresh": "the second release has draws of its own: whoever averages the two sees small counts better",
    }
    counted = f"{reuse.agreeing} of {reuse.linked} linked rows agree"
    detail = f"{meaning[reuse.draws]} ({counted if reuse.linked else 'they differ, and no row is linked'})"
    return Check("second", None, reuse.draws == "same", detail, reuse.linked)
