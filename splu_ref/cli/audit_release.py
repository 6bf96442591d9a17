"""``splu-ref audit-release``: test whether a published table was made by the claimed mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, cast

import typer

from splu_ref.audit import (
    ALPHA,
    EPSILON,
    MEANING,
    AnyClaim,
    Check,
    ReleaseAudit,
    RepeatedPrivacy,
    Replay,
    SpluGenClaim,
    audit_release,
    claim_of,
    rejection_log10,
    repeated_privacy,
)
from splu_ref.channels import (
    ParameterError,
    one_budget,
    positive,
    whole,
)
from splu_ref.cli.output import (
    AsJson,
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
from splu_ref.cli.release_claim import (
    agreed,
    refuse_group_options,
    require_one_release,
    splu_gen_by_column_claim,
    splu_gen_claim,
    stated_parameters,
)
from splu_ref.data import Microdata, read_table, require_columns, with_missing_as_text
from splu_ref.guarantees import exact_json
from splu_ref.mechanisms import (
    Manifest,
    SpluGen,
    SpluGenByColumn,
    Transcript,
    read_manifest,
    read_transcript,
)
from splu_ref.randomness import Key

EXIT = {"consistent": 0, "inconsistent": 1, "inconclusive": 3}
"""The exit code of each verdict."""

EXAMPLE = "splu-ref audit-release published.csv --manifest manifest.json --original adult.csv"

BLIND = {
    "predicates": "true values are detected only where one of them is typical of a predicate",
    "share": "true values are detected only where no release shows one so often or so rarely",
}
"""Limits of an audit without the original, by the first of these checks that was made."""
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
        str | None, typer.Option("--id", help="Column that identified a record, for --key-file.")
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
    separator: Separator = None,
    json_file: JsonFile = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Test whether a published table was made by the mechanism that its publisher claims.

    The mechanism is SPLU-Gen, or the one of the manifest: retention replacement, a matrix, a domain for each
    part, swapping, the alpha-beta algorithm, or perturbed generalization.

    Exact checks reject what the mechanism cannot publish; statistical checks reject an honest release with
    probability at most --level, over all of them. Exit code 0: consistent, and an unprotected release would
    have been detected; 1: inconsistent; 3: inconclusive, since it would not. The first line states what is
    detectable.

    With --transcript or --key-file the release is replayed and compared cell by cell, which decides
    everything but the choice of its randomness.
    """
    refuse_existing_json(json_file, force=force)
    facts = None if manifest is None else read_manifest(manifest)
    record = None if transcript is None else read_transcript(transcript)
    key = None if key_file is None else Key.read(key_file)
    _require_together(original, missing, drop, record, key, id_column)
    named, stated = stated_parameters(facts, record)
    columns = agreed("--sensitive", sensitive or None, named)
    claimed: AnyClaim
    if isinstance(stated, SpluGenByColumn) or (stated is None and gamma is not None and "=" in gamma):
        claimed = splu_gen_by_column_claim(
            stated, gamma, plan, retention, draws, columns, planned=key is not None
        )
    elif stated is None or isinstance(stated, SpluGen):
        claimed = splu_gen_claim(stated, gamma, plan, retention, draws, planned=key is not None)
    else:
        claimed = claim_of(stated)
        refuse_group_options(gamma, plan, retention, draws, stated)
    missing = _missing(missing, facts, record)
    promise = positive(epsilon, "--epsilon"), whole(alpha, "--alpha", 1)
    with counted("auditing") as progress:
        with about(published):
            table = _published(published, columns, facts)
        require_one_release(facts, record)
        progress(1, 4)
        hidden = _hidden(facts, replayed=key is not None or record is not None)
        if original is not None and hidden:
            table = table.select([name for name in table.columns if name not in hidden])
        prepared = None
        if original is not None:
            with about(original):
                source = _original(original, missing, facts, key, drop or (), hidden)
                prepared = claimed.prepared(with_missing_as_text(source, columns), columns)
        progress(2, 4)
        other = None
        if second is not None:
            with about(second):
                other = read_table(second)
        progress(3, 4)
        replay = None
        if prepared is not None and record is not None:
            with about(cast("Path", transcript)):
                replay = Replay.of_transcript(record, prepared.table, key)
        elif prepared is not None and key is not None:
            replay = Replay.of_key(key, prepared.table, claimed.releasing, columns, id_column)
        found = audit_release(
            table,
            columns,
            claimed,
            original=prepared,
            manifest=facts,
            second=other,
            replay=replay,
            level=level,
        )
        repeated = None
        fresh = found.reuse is not None and found.reuse.draws != "same"
        if fresh and isinstance(claimed, SpluGenClaim) and claimed.is_independent:
            repeated = repeated_privacy(claimed.law, 2, *promise)
    show(_document(found, repeated), _lines(found, repeated), as_json=as_json, file=json_file, force=force)
    return EXIT[found.verdict]


def _missing(given: str | None, facts: Manifest | None, record: Transcript | None) -> str | None:
    """Return the published text of missing cells, as transcript, manifest or option state it."""
    if record is not None:
        return record.missing
    if facts is None or facts.missing is None:
        return given
    return agreed("--missing", given, facts.missing)


def _hidden(facts: Manifest | None, *, replayed: bool) -> tuple[str, ...]:
    """Return the hashed columns, which cannot be compared without the key, and note them."""
    if facts is None or replayed or not facts.hashed:
        return ()
    note(f"not compared without --key-file, since hashed: {', '.join(facts.hashed)}")
    return facts.hashed


def _published(path: Path, columns: Sequence[str], facts: Manifest | None) -> Microdata:
    """Read the published table, and check its columns and its content against the manifest."""
    table = read_table(path)
    require_columns(columns, table.columns)
    if facts is not None:
        facts.require_content(table)
    return table


def _require_together(
    original: Path | None,
    missing: str | None,
    drop: Sequence[str] | None,
    record: Transcript | None,
    key: Key | None,
    id_column: str | None,
) -> None:
    """Raise unless the options on the original and its draws are compatible."""
    for option, given in (("--missing", missing), ("--drop", drop)):
        if given not in (None, []) and original is None:
            raise ParameterError(f"{option} is about the original: add --original, or leave it out")
    if original is None and (record is not None or key is not None):
        raise ParameterError("--transcript and --key-file replay the release: add --original")
    if id_column is not None and (key is None or record is not None):
        raise ParameterError("--id belongs to --key-file, and a transcript records it: leave it out")
    if record is not None and missing not in (None, record.missing):
        raise ParameterError(
            "--missing contradicts the transcript: leave it out, or give the right transcript"
        )


def _original(
    path: Path,
    missing: str | None,
    facts: Manifest | None,
    key: Key | None,
    drop: Sequence[str],
    hidden: Sequence[str],
) -> Microdata:
    """Return the original, recoded and without the dropped columns."""
    table = read_table(path, missing)
    for column in drop:
        table.require(column)
    if facts is not None:
        table = facts.recode(table, key, hidden)
    return table.select([name for name in table.columns if name not in drop]) if drop else table


def _document(found: ReleaseAudit, repeated: RepeatedPrivacy | None) -> dict[str, object]:
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
                "meaning": MEANING[check.name],
            }
            for check in found.checks
        ],
        "not_checked": [
            {"name": check.name, "column": check.column, "reason": check.reason}
            for check in found.not_checked
        ],
        "detectable": [each.numbers for each in found.detectable],
        "not_shown": list(found.not_shown),
        "recomputed_from": found.recomputed,
        "second": second,
    }


def _promise(repeated: RepeatedPrivacy) -> dict[str, object]:
    return {
        "releases": repeated.releases,
        "epsilon": str(repeated.epsilon),
        "alpha": repeated.alpha,
        "once": exact_json(repeated.once, "down"),
        "averaged": exact_json(repeated.averaged, "down"),
    }


def _lines(found: ReleaseAudit, repeated: RepeatedPrivacy | None) -> Iterator[tuple[str, str]]:
    failed = ", ".join(dict.fromkeys(check.name for check in found.checks if not check.passed))
    performed = {check.name for check in found.checks}
    limits = next((text for name, text in BLIND.items() if name in performed), NOTHING)
    reason = ". ".join(map(str, found.detectable)) or f"without the original, {limits}"
    if found.recomputed is not None:
        reason = f"replayed from the {found.recomputed}, cell by cell; how that was chosen is not tested"
    yield "verdict", f"{found.verdict}: {f'failed: {failed}' if failed else reason}"
    yield "false alarm", f"probability at most {float(found.level):.3g} for an honest release"
    if found.linked is not None:
        yield "linked", f"{found.linked} of {found.rows} rows certainly belong to one record of the original"
    for check in found.checks:
        yield _named(check.name, check.column), _judged(check)
        if check.power:
            yield "  would detect", check.power
    if repeated is not None:
        yield "T_P", str(repeated)
    reasons: dict[str, list[str]] = {}
    for skipped in found.not_checked:
        reasons.setdefault(skipped.reason, []).append(_named(skipped.name, skipped.column))
    for reason, names in reasons.items():
        yield "not checked", f"{', '.join(names)}: {reason}"
    for text in found.not_shown:
        yield "not tested", text


def _named(name: str, column: str | None) -> str:
    return name if column is None else f"{name} ({column})"


def _judged(check: Check) -> str:
    judged = "passed" if check.passed else "FAILED"
    if check.e_value is None or check.level is None:
        return f"{judged}: {check.detail}"
    return (
        f"{judged}: {check.detail} (e-value {check.e_value}, fails at 10^{rejection_log10(check.level):.1f})"
    )
