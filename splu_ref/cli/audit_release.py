"""``splu-ref audit-release``: hold a published table against what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, TypeVar, cast

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
    SpluGenByColumnClaim,
    SpluGenClaim,
    audit_release,
    claim_of,
    rejection_log10,
    repeated_privacy,
)
from splu_ref.channels import (
    Gamma,
    GroupDraws,
    ParameterError,
    PublishedCount,
    one_budget,
    positive,
    probability,
    whole,
)
from splu_ref.cli.options import splu_gen
from splu_ref.cli.output import (
    AsJson,
    Force,
    JsonFile,
    RetentionOption,
    Separator,
    about,
    refuse_existing_json,
    show,
)
from splu_ref.cli.progress import counted
from splu_ref.data import Microdata, read_table, require_columns, with_missing_as_text
from splu_ref.guarantees import exact_json
from splu_ref.mechanisms import (
    Manifest,
    Mechanism,
    PerturbedGeneralization,
    RetentionReplacement,
    SpluGen,
    SpluGenByColumn,
    Swapping,
    Transcript,
    read_manifest,
    read_transcript,
)
from splu_ref.randomness import Key

T = TypeVar("T")
EXIT = {"consistent": 0, "inconsistent": 1, "inconclusive": 3}
"""The exit code of each verdict."""

EXAMPLE = "splu-ref audit-release published.csv --manifest manifest.json --original adult.csv"

BLIND = {
    "predicates": "true values are detected only where one of them is typical of a predicate",
    "share": "true values are detected only where no release shows one so often or so rarely",
}
"""What is said without the original, by the first of these checks that was made."""
NOTHING = "nothing tells true values from drawn ones"


@one_budget()
def run(
    published: Annotated[Path, typer.Argument(help="The published table: .csv, .csv.gz or .parquet.")],
    sensitive: Annotated[
        list[str] | None, typer.Option("--sensitive", help="Sensitive column; repeat for several.")
    ] = None,
    gamma: Annotated[
        str | None,
        typer.Option("--gamma", help="Size of a decoy group that is claimed; or one a column: job=5,age=10."),
    ] = None,
    retention: RetentionOption = None,
    plan: Annotated[
        str | None, typer.Option("--plan", help="Plan that is claimed: mixed, anatomy or cyclic.")
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            "--draws",
            help="Law of the draws in a group that is claimed: independent, capped:M or all-or-none:A.",
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(
            "--manifest", help="The manifest: stands for --sensitive, --gamma, --retention, --plan, --draws."
        ),
    ] = None,
    original: Annotated[
        Path | None, typer.Option("--original", help="The original table; little can be said without it.")
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option("--second", help="Another release of the table: does it reuse the draws of this one?"),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option("--missing", help="Value that missing cells of --original were published as."),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option("--drop", help="Column of --original that was not published; repeat for several."),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(
            "--transcript",
            help="What was drawn (sanitize --transcript): makes the release again from --original.",
        ),
    ] = None,
    key_file: Annotated[
        Path | None,
        typer.Option("--key-file", help="The key of a keyed release: makes it again from --original."),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="Column that identified a record, for --key-file.")
    ] = None,
    level: Annotated[
        str, typer.Option("--level", help="Chance that an honest release is called inconsistent.")
    ] = "1e-9",
    epsilon: Annotated[
        str, typer.Option("--epsilon", help="Relative error of the promise stated with --second.")
    ] = str(EPSILON),
    alpha: Annotated[
        str, typer.Option("--alpha", help="Largest count of the promise stated with --second.")
    ] = str(ALPHA),
    separator: Separator = None,
    json_file: JsonFile = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Say whether a published table is one that its mechanism could and would have made.

    SPLU-Gen, or where the manifest says so retention replacement, a matrix, a domain for each part, swapping,
    the alpha-beta algorithm, or one perturbed record of each group.

    Exact checks find what no release can do; statistical ones find what an honest release does less often
    than --level, over all of them together. Exit code 0: consistent, and an unprotected release would have
    been detected; 1: inconsistent; 3: inconclusive, since it would not. The first line says what is
    detectable.

    With --transcript or --key-file the release is made again and compared cell by cell, so that everything
    but the choice of its randomness is decided.
    """
    refuse_existing_json(json_file, force=force)
    facts = None if manifest is None else read_manifest(manifest)
    record = None if transcript is None else read_transcript(transcript)
    key = None if key_file is None else Key.read(key_file)
    _require_together(original, missing, drop, record, key, id_column)
    named, stated = _stated_by(facts, record)
    columns = _agreed("--sensitive", sensitive or None, named)
    claimed: AnyClaim
    if isinstance(stated, SpluGenByColumn) or (stated is None and gamma is not None and "=" in gamma):
        claimed = _claimed_by_column(stated, gamma, plan, retention, draws, columns, planned=key is not None)
    elif stated is None or isinstance(stated, SpluGen):
        claimed = _claimed(stated, gamma, plan, retention, draws, planned=key is not None)
    else:
        claimed = claim_of(stated)
        _refuse_groups(gamma, plan, retention, draws, stated)
    missing = missing if record is None else record.missing
    promise = positive(epsilon, "--epsilon"), whole(alpha, "--alpha", 1)
    with counted("auditing") as progress:
        with about(published):
            table = _published(published, columns, facts)
        _require_one_release(facts, record)
        progress(1, 4)
        prepared = None
        if original is not None:
            with about(original):
                source = _original(original, missing, facts, key, drop or ())
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


def _published(path: Path, columns: Sequence[str], facts: Manifest | None) -> Microdata:
    """Return the published table, with its sensitive columns and the content that its manifest states."""
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
    """Raise unless the options that concern the original and its draws can be given together."""
    for option, given in (("--missing", missing), ("--drop", drop)):
        if given not in (None, []) and original is None:
            raise ParameterError(f"{option} speaks of the original: add --original, or leave it out")
    if original is None and (record is not None or key is not None):
        raise ParameterError("--transcript and --key-file make the release again: add --original")
    if id_column is not None and (key is None or record is not None):
        raise ParameterError("--id belongs to --key-file, and a transcript tells it: leave it out")
    if record is not None and missing not in (None, record.missing):
        raise ParameterError(
            "--missing contradicts the transcript: leave it out, or give the right transcript"
        )


def _original(
    path: Path, missing: str | None, facts: Manifest | None, key: Key | None, drop: Sequence[str]
) -> Microdata:
    """Return the original as it was published: recoded, and without the columns that were left out."""
    table = read_table(path, missing)
    if facts is not None:
        table = facts.recode(table, key)
    for column in drop:
        table.require(column)
    return table.select([name for name in table.columns if name not in drop]) if drop else table


def _claimed(
    stated: SpluGen | None,
    gamma: str | None,
    plan: str | None,
    retention: str | None,
    draws: str | None,
    *,
    planned: bool,
) -> SpluGenClaim:
    """Return the claim of the options and of the manifest or transcript, which must agree.

    Parameters
    ----------
    stated
        What the manifest or the transcript tells.
    gamma, plan, retention, draws
        The options.
    planned
        Whether a plan must be named.
    """
    size = _agreed(
        "--gamma", None if gamma is None else Gamma(gamma), None if stated is None else stated.gamma
    )
    law = PublishedCount.of(size, retention)
    together = None if draws is None else GroupDraws.parse(draws)
    if stated is not None:
        _agreed("--retention", None if retention is None else law, stated.record_law)
        law, plan = stated.record_law, _agreed("--plan", plan, stated.plan)
        together = _agreed("--draws", together, stated.draws)
    elif planned:
        plan = _agreed("--plan", plan, None)
    return SpluGenClaim(law, plan, together or GroupDraws())


def _claimed_by_column(
    stated: SpluGenByColumn | None,
    gamma: str | None,
    plan: str | None,
    retention: str | None,
    draws: str | None,
    columns: Sequence[str],
    *,
    planned: bool,
) -> AnyClaim:
    """Return the claim of the options and of the manifest, where each column has a gamma of its own."""
    if stated is None:
        made = splu_gen(
            _agreed("--gamma", gamma, None), retention, plan or "mixed", columns, str(draws or "independent")
        )
        if planned:
            _agreed("--plan", plan, None)
        if isinstance(made, SpluGenByColumn):
            return SpluGenByColumnClaim.of(made, planned=plan is not None)
        return SpluGenClaim(made.record_law, plan, made.draws)
    asked = None if gamma is None else splu_gen(gamma, None, "mixed", columns)
    for name, each in stated.columns:
        _agreed("--gamma", None if asked is None else asked.for_column(name).gamma, each.gamma)
        law = None if retention is None else PublishedCount.of(each.gamma, retention)
        _agreed("--retention", law, each.record_law)
        _agreed("--plan", plan, each.plan)
        _agreed("--draws", None if draws is None else GroupDraws.parse(draws), each.draws)
    return claim_of(stated)


def _refuse_groups(
    gamma: str | None,
    plan: str | None,
    retention: str | None,
    draws: str | None,
    stated: Mechanism[object],
) -> None:
    """Raise if an option contradicts a manifest or transcript of a mechanism without groups."""
    for option, given in (("--gamma", gamma), ("--plan", plan), ("--draws", draws)):
        if given is not None:
            raise ParameterError(f"{option}: {stated.name} has no decoy groups: leave it out")
    if retention is not None:
        if not isinstance(stated, RetentionReplacement | Swapping | PerturbedGeneralization):
            raise ParameterError(f"--retention: {stated.name} has none: leave it out")
        _agreed("--retention", probability(retention, "--retention"), stated.retention)


def _stated_by(
    facts: Manifest | None, record: Transcript | None
) -> tuple[list[str] | None, Mechanism[object] | None]:
    """Return the sensitive columns and the mechanism that the manifest, or else the transcript, tells."""
    if facts is not None:
        return list(facts.domains), facts.mechanism
    return (None, None) if record is None else (list(record.sensitive), record.mechanism)


def _require_one_release(facts: Manifest | None, record: Transcript | None) -> None:
    """Raise if manifest and transcript are there and tell of different parameters, naming the first."""
    if facts is None or record is None:
        return
    stated, other = ({"method": each.name, **each.facts()} for each in (facts.mechanism, record.mechanism))
    for name in dict.fromkeys((*stated, *other)):
        if stated.get(name) != other.get(name):
            one, two = (_in_words(each.get(name)) for each in (stated, other))
            raise ParameterError(
                f"{name} is {one} in the manifest, and {two} in the transcript: give the two of one release"
            )


def _in_words(fact: object) -> str:
    if isinstance(fact, Mapping):
        return ",".join(f"{column}={each}" for column, each in fact.items())
    return "not stated" if fact is None else str(fact)


def _agreed(option: str, given: T | None, stated: T | None) -> T:
    """Return what an option, or the manifest or transcript, says."""
    if given is not None and stated is not None and given != stated:
        raise ParameterError(
            f"{option} contradicts the manifest or the transcript: leave it out, or give the right file"
        )
    found = stated if given is None else given
    if found is None:
        raise ParameterError(f"{option} is missing: give it, or the release's --manifest")
    return found


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
    made = {check.name for check in found.checks}
    blind = next((said for name, said in BLIND.items() if name in made), NOTHING)
    excluded = ". ".join(map(str, found.detectable)) or f"without the original, {blind}"
    if found.recomputed is not None:
        excluded = f"made again from the {found.recomputed}, cell by cell; how that was chosen is not shown"
    yield "verdict", f"{found.verdict}: {f'failed: {failed}' if failed else excluded}"
    yield "false alarm", f"probability at most {float(found.level):.3g} for an honest release"
    if found.linked is not None:
        certain = "rows belong to one record of the original for certain"
        yield "linked", f"{found.linked} of {found.rows} {certain}"
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
        yield "not shown", text


def _named(name: str, column: str | None) -> str:
    return name if column is None else f"{name} ({column})"


def _judged(check: Check) -> str:
    judged = "passed" if check.passed else "FAILED"
    if check.e_value is None or check.level is None:
        return f"{judged}: {check.detail}"
    return (
        f"{judged}: {check.detail} (e-value {check.e_value}, fails at 10^{rejection_log10(check.level):.1f})"
    )
