"""``splu-ref audit-release``: test whether a published table was made by the claimed mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import (
    ALPHA,
    EPSILON,
    MEANING,
    Check,
    DetectionPower,
    ReleaseAudit,
    RepeatedPrivacy,
    SpluGenByColumnClaim,
    SpluGenClaim,
    audit_release,
    claim_of,
    comparable,
    rejection_log10,
    repeated_privacy,
    replay_of,
    require_replayable,
)
from splu_ref.channels import (
    DataError,
    ParameterError,
    integer,
    one_budget,
    positive,
)
from splu_ref.cli.output import (
    AsJson,
    Explain,
    Force,
    JsonFile,
    RetentionOption,
    Separator,
    about,
    note,
    refuse_existing_json,
    show,
)
from splu_ref.cli.progress import counted
from splu_ref.cli.release_parameters import Agreement, ReleaseOptions, StatedRelease, domain_text
from splu_ref.data import Microdata, MissingCellError, read_table, require_columns
from splu_ref.guarantees import decimal_up, exact_json
from splu_ref.mechanisms import Manifest
from splu_ref.randomness import Key

EXIT = {"consistent": 0, "inconsistent": 1, "inconclusive": 3}
"""The exit code of each verdict."""

EXAMPLE = "splu-ref audit-release published.csv --manifest manifest.json --original adult.csv"

BLIND = {
    "predicates": "true values are detected only where one of them is typical of a predicate",
    "share": "true values are detected only where no release shows one so often or so rarely",
}
"""Limits of an audit without the original, by the first of these checks that was made."""
TO_DECIDE = "for every cell, {} {}--key-file{}"
IF_KEYED = " if it was made under a key"
AT_CLAIMED_RATE = "independence is tested at the claimed rate, so a wrong rate alone fails it too"
NOT_THE_TABLE = (
    "the published table is the one of the manifest, whose digest does not cover its parameters: a claimed "
    "parameter may be false, or --original may be another file, or edited"
)
OTHER_MANIFEST = "the manifest may be of another release of this table, or cells were changed"
SWAPPED = (
    "this is the published table of the manifest, and the other file is not: the two are swapped; give the "
    "published table first, and the original as --original"
)
NEITHER = "dependent draws claimed as independent and decoys from the whole column are not detected"
NOTHING = "true values cannot be distinguished from drawn ones"


@one_budget()
def run(
    published: Annotated[Path, typer.Argument(help="The published table: .csv, .csv.gz or .parquet.")],
    sensitive: Annotated[
        list[str] | None, typer.Option("--sensitive", help="Sensitive column; repeat for several.")
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option("--gamma", help="Claimed size of a decoy group; or one a column: job=5,age=10."),
    ] = None,
    retention: RetentionOption = None,
    plan: Annotated[
        str | None, typer.Option("--plan", help="Claimed plan: mixed, anatomy or cyclic.")
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            "--draws",
            help="Claimed law of the draws in a group: independent, capped:M or all-or-none:A.",
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            "--manifest", help="The manifest, instead of --sensitive, --gamma, --retention, --plan, --draws."
        ),
    ] = None,
    original: Annotated[
        Path | None,
        typer.Option("--original", help="The original table; without it few checks are possible."),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option("--second", help="Another release of the table, to test whether it reuses the draws."),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option("--missing", help="Published value of missing cells of --original."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", help="Column of --original that was not published; repeat for several."),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(
            "--transcript",
            help="The recorded draws (publish --transcript), to replay the release from --original.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option("--key-file", help="The key of a keyed release, to replay it from --original."),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="Column that identified a record, for --key-file [that of the manifest]."),
    ] = None,
    level: Annotated[
        str, typer.Option("--level", help="Probability of a false alarm for an honest release.")
    ] = "1e-9",
    epsilon: Annotated[
        str, typer.Option("--epsilon", help="Relative error of the T_P that is reported with --second.")
    ] = str(EPSILON),
    alpha: Annotated[
        str, typer.Option("--alpha", help="Largest count of the T_P that is reported with --second.")
    ] = str(ALPHA),
    sensitive_table: Annotated[str | None, typer.Option("--sensitive-table", hidden=True)] = None,
    separator: Separator = None,
    json_file: JsonFile = None,
    force: Force = False,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Test whether a published table was made by the mechanism that its publisher claims.

    The mechanism is SPLU-Gen, or the one of the manifest: retention replacement, a matrix, a domain for each
    part, swapping, the alpha-beta algorithm, or perturbed generalization.

    Exact checks reject what the mechanism cannot publish; statistical checks reject an honest release with
    probability at most --level, over all of them. Exit code 0: consistent, and an unprotected release would
    have been detected; 1: inconsistent; 3: inconclusive, since it would not. The first line states what is
    detectable; --explain adds the numbers of every check, and what it would have detected.

    With --transcript or --key-file the release is replayed and compared cell by cell, which decides
    everything but the choice of its randomness.
    """
    refuse_existing_json(json_file, force=force)
    options = ReleaseOptions(sensitive=sensitive, gamma=gamma, retention=retention, plan=plan, draws=draws)
    release = StatedRelease.open(options, manifest, transcript)
    facts, record, columns = release.manifest, release.transcript, release.columns
    if set(columns) != set(release.stated):
        raise ParameterError("a release is audited with all its sensitive columns: leave out --sensitive")
    key = None if key_file is None else Key.read(key_file)
    for option, given in (("--missing", missing), ("--drop", drop)):
        if given not in (None, []) and original is None:
            raise ParameterError(f"{option} is about the original: add --original, or leave it out")
    id_column = require_replayable(record, key, id_column, missing, facts, original=original is not None)
    claimed = claim_of(release.mechanism)
    if sensitive_table is not None:  # a release that has one is not audited
        raise ParameterError(
            f"--sensitive-table: a release by {release.mechanism.name} is one table: leave it out"
        )
    if isinstance(claimed, SpluGenClaim | SpluGenByColumnClaim) and not release.planned:
        claimed = claimed.without_plan()
    missing = record.missing if record is not None else missing
    if record is None and facts is not None and facts.missing is not None:
        Agreement("manifest")("missing", missing, facts.missing)
        missing = facts.missing
    promise = positive(epsilon, "--epsilon"), integer(alpha, "--alpha", 1)
    with counted("auditing") as progress:
        with about(published):
            table = read_table(published)
            _require_columns(facts, columns, table.columns, drop or ())
            digest = None if facts is None else table.content_digest()
        hidden = () if facts is None or key is not None or record is not None else facts.hashed
        if hidden:
            note(f"not compared without --key-file, since hashed: {', '.join(hidden)}")
        prepared = None
        if original is not None:
            with about(original), _missing_from(facts):
                source = read_table(original, missing)
                _require_original(source, facts, digest, columns, drop or ())
                table, prepared = comparable(
                    table, source, columns, claimed, manifest=facts, key=key, hidden=hidden, drop=drop or (),
                    id_column=id_column,
                )  # fmt: skip
        progress(2, 4)
        other = None if second is None else _read(second)
        progress(3, 4)
        replay = None
        if prepared is not None:
            with about(transcript or original or published):
                replay = replay_of(claimed, prepared, record, key, id_column)
        found = audit_release(
            table,
            columns,
            claimed,
            original=prepared,
            manifest=facts,
            second=other,
            replay=replay,
            level=level,
            digest=digest,
        )
        repeated = None
        fresh = found.reuse is not None and found.reuse.draws == "fresh"
        if fresh and isinstance(claimed, SpluGenClaim) and claimed.is_independent:
            repeated = repeated_privacy(claimed.law, 2, *promise)
    _require_columns_stated(found, published)
    lines = [*_verdict(found, repeated, original, facts), *_lines(found, every=explain), *_domain(facts)]
    show(_document(found, repeated, facts), lines, as_json=as_json, file=json_file, force=force)
    return EXIT[found.verdict]


def _require_original(
    original: Microdata,
    manifest: Manifest | None,
    digest: str | None,
    sensitive: Sequence[str],
    dropped: Sequence[str],
) -> None:
    """Raise if the original lacks columns, or is the manifest's table, of another digest than the other."""
    stated = None if manifest is None or manifest.origin is None else manifest.origin.table
    if stated is not None and digest != stated and original.content_digest() == stated:
        raise DataError(SWAPPED)
    for column in sensitive if manifest is None else ():
        if column not in original.columns:
            raise DataError(
                f"there is no column {column!r}: if the publisher made it of others, add --manifest, which "
                "says how"
            )
    for column in dropped:
        original.require(column)


def _require_columns(
    manifest: Manifest | None, named: Sequence[str], columns: Sequence[str], dropped: Sequence[str]
) -> None:
    """Raise unless the table has the sensitive columns that are named, and none that was left out."""
    for column in dropped:
        if column in columns:
            raise ParameterError(f"--drop {column}: the release has this column: leave out --drop {column}")
    if manifest is not None:
        manifest.require_columns(columns)
    require_columns(named, columns)


@contextmanager
def _missing_from(manifest: Manifest | None) -> Iterator[None]:
    """Say what an auditor can do about missing cells of the original, which is the publisher's."""
    try:
        yield
    except MissingCellError as error:
        place = str(error.args[0]).rpartition(": ")[0]
        remedy = (
            "give --missing with the text that the publisher used, or ask for the table as it was published"
            if manifest is None
            else "the manifest is of a table without missing cells: ask the publisher for that table"
        )
        raise DataError(f"{place}: {remedy}") from None


def _read(path: Path) -> Microdata:
    """Read a table; errors name its file."""
    with about(path):
        return read_table(path)


def _document(
    found: ReleaseAudit, repeated: RepeatedPrivacy | None, manifest: Manifest | None
) -> dict[str, object]:
    observed = None if manifest is None else manifest.observed_domain
    second = None
    if found.reuse is not None:
        against = found.reuse.against_independence
        second = {
            "draws": found.reuse.draws,
            "linked": found.reuse.linked,
            "agreeing": found.reuse.agreeing,
            "log10_against_independence": None if against is None else against.finite_log10,
            "t_p": None if repeated is None else _promise(repeated),
        }
    return {
        "verdict": found.verdict,
        **found.claimed.parameters,
        "level": str(found.level),
        "rows": found.rows,
        "linked": found.linked,
        "checks": [
            {
                "name": check.name,
                "column": check.column,
                "passed": check.passed,
                "e_value": None if check.e_value is None else check.e_value.decimal,
                "log10_e": None if check.e_value is None else check.e_value.finite_log10,
                "level": None if check.level is None else str(check.level),
                "rows": check.rows,
                "detail": check.detail,
                "power": check.power,
                "places": dict(zip(("rows", "records"), map(list, check.places), strict=True)),
                "meaning": MEANING[check.name],
            }
            for check in found.checks
        ],
        "not_checked": [
            {"name": check.name, "column": check.column, "reason": check.reason}
            for check in found.not_checked
        ],
        "detectable": [each.numbers for each in found.detectable],
        "decisive_level": None if found.decisive is None else _power_of_ten(found.decisive),
        "not_shown": list(found.not_shown),
        **({} if observed is None else {"observed_domain": observed}),
        "recomputed_from": found.recomputed,
        "second": second,
    }


def _domain(manifest: Manifest | None) -> list[tuple[str, str]]:
    """Return whether a bound for a record holds, if the manifest says it."""
    observed = None if manifest is None else manifest.observed_domain
    return [] if observed is None else [("domain", domain_text(observed))]


def _promise(repeated: RepeatedPrivacy) -> dict[str, object]:
    return {
        "releases": repeated.releases,
        "epsilon": str(repeated.epsilon),
        "alpha": repeated.alpha,
        "once": exact_json(repeated.once, "down"),
        "averaged": exact_json(repeated.averaged, "down"),
    }


def _require_columns_stated(found: ReleaseAudit, published: Path) -> None:
    """Raise if the verdict depends on whether columns were left out on purpose."""
    for each in found.not_checked:
        if each.name == "schema" and each.remedy and found.verdict == "inconclusive":
            raise DataError(f"{published}: {each.remedy}")


def _verdict(
    found: ReleaseAudit, repeated: RepeatedPrivacy | None, original: Path | None, manifest: Manifest | None
) -> Iterator[tuple[str, str]]:
    """Yield the verdict, what would decide, what two releases have in common, and what can be detected."""
    yield "verdict", f"{found.verdict}: {_reason(found)}"
    undecided = found.verdict == "inconclusive"
    if undecided:
        yield "to decide", _to_decide(found, original, manifest)
    yield from (("second", _judged(check)) for check in found.checks if check.name == "second")
    if repeated is not None:
        yield "T_P", str(repeated)
    if not found.detectable or found.recomputed is not None or found.verdict == "inconsistent":
        return
    if undecided:
        yield "would detect", _by_columns(found, lambda each: each.detected or ("nothing of the draws",))
    yield "would not detect", _by_columns(found, lambda each: each.smaller)


def _to_decide(found: ReleaseAudit, original: Path | None, manifest: Manifest | None) -> str:
    """Return what would make an audit conclusive."""
    ways = [each.remedy for each in found.not_checked if each.remedy]
    if ways:
        return "; ".join(ways)
    if found.decisive is not None:
        often = f"a false alarm then happens once in {found.decisive.denominator:,} honest releases"
        ways.append(f"--level {_power_of_ten(found.decisive)} ({often})")
    if original is None:
        ways.append("add --original")
    transcripts = isinstance(found.claimed, SpluGenClaim | SpluGenByColumnClaim)
    keyed = "" if manifest is not None and manifest.id_column is not None else IF_KEYED
    recorded = "--transcript, or " if transcripts else ""
    return "; ".join([*ways, TO_DECIDE.format("add" if original else "also", recorded, keyed)])


def _power_of_ten(level: Fraction) -> str:
    return f"1e-{len(str(level.denominator)) - 1}"


def _lines(found: ReleaseAudit, *, every: bool) -> Iterator[tuple[str, str]]:
    """Yield labels and texts; without ``every``, numbers of the failed checks alone."""
    given = "" if found.recomputed is None else ", if it is replayed from what it was made from"
    yield "false alarm", f"probability at most {decimal_up(found.level, 3)} for an honest release{given}"
    if found.linked is not None:
        yield "linked", f"{found.linked} of {found.rows} rows certainly belong to one record of the original"
    for check in found.checks:
        if check.name != "second" and (every or not check.passed):
            yield _named(check.name, check.column), _judged(check)
            if check.power:
                yield "  would detect", check.power
    passed = [check.name for check in found.checks if check.passed]
    if passed and not every:
        yield "passed", f"{len(passed)} of {len(found.checks)} checks: {', '.join(dict.fromkeys(passed))}"
    if not every:
        left = dict.fromkeys(skipped.name for skipped in found.not_checked)
        yield from [("not checked", f"{', '.join(left)} (for the reasons add --explain)")] if left else []
        yield "details", "numbers and detection power of every check: add --explain"
        return
    reasons: dict[str, list[str]] = {}
    for skipped in found.not_checked:
        reasons.setdefault(skipped.reason, []).append(_named(skipped.name, skipped.column))
    for reason, names in reasons.items():
        yield "not checked", f"{', '.join(names)}: {reason}"
    for text in found.not_shown:
        yield "not tested", text


def _reason(found: ReleaseAudit) -> str:
    """Return the reason of the verdict, and if a check failed what to look at first."""
    failed = dict.fromkeys(check.name for check in found.checks if not check.passed)
    if failed:
        own = [check.hint for check in found.checks if check.hint and not check.passed]
        if failed.keys() >= {"retention", "independence"}:
            own.append(AT_CLAIMED_RATE)
        if failed.keys() == {"content digest"}:
            own.append(OTHER_MANIFEST)
        matched = any(check.name == "content digest" and check.passed for check in found.checks)
        if matched and failed.keys() & {"records", "retention"}:
            own.append(NOT_THE_TABLE)
        return "; ".join([f"failed: {', '.join(failed)}", *own])
    undecided = [each.reason for each in found.not_checked if each.remedy]
    if undecided:
        return "; ".join(undecided)
    if found.recomputed is not None:
        return f"replayed from the {found.recomputed}, cell by cell; how that was chosen is not tested"
    if found.verdict == "consistent":
        return _by_columns(found, lambda each: each.detected, "would detect ")
    if found.detectable:
        return _by_columns(found, lambda each: each.open, "would not detect ")
    performed = {check.name for check in found.checks}
    limits = next((text for name, text in BLIND.items() if name in performed), NOTHING)
    if isinstance(found.claimed, SpluGenClaim | SpluGenByColumnClaim) and found.claimed.dependent == 1:
        limits += f"; {NEITHER}"
    return f"without the original, {limits}"


def _by_columns(
    found: ReleaseAudit, part: Callable[[DetectionPower], tuple[str, ...]], lead: str = ""
) -> str:
    """Return a part of the detection power, once for all columns that have it in common."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for each in found.detectable:
        if part(each):
            columns.setdefault(part(each), []).append(each.column)
    return "; ".join(f"{', '.join(named)}: {lead}{', '.join(texts)}" for texts, named in columns.items())


def _named(name: str, column: str | None) -> str:
    return name if column is None else f"{name} ({column})"


def _judged(check: Check) -> str:
    judged = "passed" if check.passed else "FAILED"
    if check.e_value is None or check.level is None:
        return f"{judged}: {check.detail}"
    return (
        f"{judged}: {check.detail} (e-value {check.e_value}, fails at 10^{rejection_log10(check.level):.1f})"
    )
