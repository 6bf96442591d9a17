"""``splu-ref sanitize``: publish a table by SPLU-Gen."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.audit import EPSILON, Assessment, Leaks, read_log, warnings, write_logged
from splu_ref.channels import ParameterError, positive
from splu_ref.cli.assessment import (
    assess_columns,
    bargain,
    leak_warnings,
    leaks_json,
    repetition,
    unique_records,
)
from splu_ref.cli.options import (
    BinsOption,
    CrossOption,
    DropColumn,
    GroupRare,
    IdColumn,
    KeepColumn,
    KeyFile,
    ManifestFile,
    Missing,
    QuasiColumn,
    Seed,
    Stream,
    by_column,
    is_plain,
    sanitize_options,
    splu_gen,
)
from splu_ref.cli.output import AsJson, Force, Separator, about, note
from splu_ref.cli.preparation import Preparation
from splu_ref.cli.progress import counted
from splu_ref.cli.release_report import ReleaseReport, retention_note, unpublished_values
from splu_ref.cli.streaming import require_fit, streamed
from splu_ref.cli.streaming import show as show_streamed
from splu_ref.data import Microdata, refuse_existing, require_suffix, same_file, write_all
from splu_ref.mechanisms import (
    JoinedRelease,
    PublishedTable,
    Release,
    SpluGen,
    SpluGens,
    append,
    read_manifest,
    read_release,
    splu_gen_of,
    transcribed,
)
from splu_ref.randomness import Key, KeyedSource, Randomness, SeededSource, SystemSource

EXAMPLE = (
    "splu-ref sanitize adult.csv -o published.csv --sensitive occupation --gamma 5 --manifest manifest.json"
)


SEEDED = "--seed is for tests: whoever knows the seed can undo this release"


def run(
    table: Annotated[Path, typer.Argument(help="The original table: .csv, .csv.gz or .parquet.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The published table, by its suffix.")],
    sensitive: Annotated[
        list[str], typer.Option("--sensitive", help="Sensitive column; repeat for several.")
    ],
    gamma: Annotated[
        str,
        typer.Option("--gamma", help="Size of a decoy group, at least 2; or one a column: job=5,age=10."),
    ],
    plan: Annotated[
        str,
        typer.Option("--plan", help="How decoys are grouped: mixed (at random), anatomy or cyclic."),
    ] = "mixed",
    retention: Annotated[
        str | None,
        typer.Option(
            "--retention", help="Probability that a record retains its true value, 0.3 or 3/10 [1/gamma]."
        ),
    ] = None,
    draws: Annotated[
        str,
        typer.Option(
            "--draws",
            help="Law of the draws in a group: independent, or dependent: capped:M (bounded noise for counts "
            "above M, less privacy against attackers who know all other records) or all-or-none:A.",
        ),
    ] = "independent",
    key_file: KeyFile = None,
    id_column: IdColumn = None,
    seed: Seed = None,
    missing: Missing = None,
    manifest: ManifestFile = None,
    bins: BinsOption = None,
    cross: CrossOption = None,
    group_rare: GroupRare = None,
    hashed: Annotated[
        list[str] | None,
        typer.Option("--hash", help="Column whose values are replaced by hashes under --key-file."),
    ] = None,
    domain: Annotated[
        Path | None,
        typer.Option(
            "--domain",
            help='JSON, by sensitive column the values that may occur, {"job": ["nurse", "clerk"]}: the '
            "manifest lists these instead of those that do.",
        ),
    ] = None,
    drop: DropColumn = None,
    quasi: QuasiColumn = None,
    keep: KeepColumn = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Publish nothing if another column discloses a sensitive one.")
    ] = False,
    epsilon: Annotated[
        str,
        typer.Option("--epsilon", help="Relative error that counts as wrong, in the report on accuracy."),
    ] = EPSILON,
    separator: Separator = None,
    append_to: Annotated[
        Path | None,
        typer.Option(
            "--append",
            help="An earlier release: the table holds new records alone, which are published as a batch and "
            "join its rows.",
        ),
    ] = None,
    append_manifest: Annotated[
        Path | None, typer.Option("--append-manifest", help="The manifest of the release of --append.")
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(
            "--transcript",
            help="Record all random draws here, for an audit; as secret as the original, readable by you "
            "alone.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            help="Secret log of releases: warns if the table is published again with other draws.",
        ),
    ] = None,
    stream: Stream = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Publish a table by SPLU-Gen: each record's sensitive value is drawn from its decoy group.

    Random integers come from the system's entropy unless a key or a test seed is given. Columns are recoded
    first: bins, crossings, rare values, hashes, in this order. Then fewer than gamma records are deleted, so
    that groups are complete. Nothing is published if another column identifies records or discloses a
    sensitive one, unless --keep accepts it.
    """
    wanted = Preparation.of(
        bins=bins, cross=cross, rare=group_rare, hashed=hashed, key_file=key_file, domain=domain, drop=drop,
        quasi=quasi, keep=keep, sensitive=sensitive, id_column=id_column,
    )  # fmt: skip
    distance = positive(epsilon, "--epsilon")
    source = source_of(key_file, seed, id_column)
    mechanism = splu_gen(gamma, retention, plan, sensitive, draws)
    refuse_identity(mechanism)
    dependent = mechanism.draws.bound is not None
    laws = {column: each.record_law for column, each in by_column(mechanism, sensitive).items()}
    written = [path for path in (output, manifest, transcript) if path is not None]
    require_suffix(output)
    inputs = [path for path in (table, key_file, domain, append_to, append_manifest) if path is not None]
    refuse_overlap(written if log is None else [*written, log], inputs)
    earlier = _earlier(append_to, append_manifest, mechanism, sensitive)
    _require_replay(wanted, earlier, transcript)
    if log is not None:
        read_log(log)  # a damaged log is refused before the work
    for path in written:
        refuse_existing(path, force=force)
    if stream:
        unfit = {
            "--bins": bins, "--cross": cross, "--group-rare": group_rare, "--hash": hashed,
            "--domain": domain, "--drop": drop, "--quasi": quasi, "--keep": keep, "--strict": strict,
            "--append": append_to, "--transcript": transcript, "--log": log, "--draws": dependent,
            "--seed": seed is not None,
        }  # fmt: skip
        require_fit(unfit)
        made = streamed(
            table, output, sensitive, mechanism, key_file,
            id_column=id_column, missing=missing, manifest=manifest, force=force,
        )  # fmt: skip
        show_streamed(made, mechanism, output, laws, distance, manifest=manifest, as_json=as_json)
        return
    with counted("publishing") as progress:
        with about(table):
            prepared = wanted.joining(earlier, key_file).read(table, missing)
            original = prepared.table
            leaks = prepared.disclosure_risks(eligible=earlier is None, strict=strict)
            progress(1, 3)
            if transcript is not None:
                release, record = transcribed(mechanism, original, sensitive, source, id_column=id_column)
                private = [(transcript, record.to_bytes())]
            else:
                release, private = _published(mechanism, original, sensitive, source, id_column, earlier), []
            release = prepared.without_identity(release)
            assessments = {} if dependent else assess_columns(original, laws, distance)
        progress(2, 3)
        outputs = release.outputs(output, manifest) + private
    if log is None:
        write_all(outputs, force=force, private=transcript)
    else:
        key = None if key_file is None else Key.read(key_file)
        entered = write_logged(
            log, original, release, key, datetime.now(UTC), outputs, force=force, private=transcript
        )
        for warning in warnings(*entered):
            note(warning)
    secrecy = [] if transcript is None else [_secrecy(transcript, [path for path, _ in outputs])]
    retained = [] if is_plain(mechanism) else [retention_note(mechanism.for_column(sensitive[0]))]
    for remark in (
        *leak_warnings(leaks),
        *unpublished_values(release, manifest, wanted.domains if earlier is None else release.domains),
        *secrecy,
        *([] if seed is None else [SEEDED]),
        *retained,
    ):
        note(remark)
    repeatable = log is not None or key_file is not None or dependent
    risk = None if repeatable else repetition(laws.values(), distance)
    _show(mechanism, release, output, assessments, leaks, risk, as_json=as_json)


def source_of(key_file: Path | None, seed: int | None, id_column: str | None) -> Randomness:
    """Return the source of randomness that the options choose."""
    if key_file is not None and seed is not None:
        raise ParameterError(
            "--key-file and --seed exclude each other: use the key to publish, a seed to test"
        )
    if id_column is not None and key_file is None:
        raise ParameterError("--id identifies records for keyed draws: add --key-file, or leave --id out")
    if key_file is not None:
        return KeyedSource(Key.read(key_file))
    return SystemSource() if seed is None else SeededSource(seed)


def _published(
    mechanism: SpluGens,
    table: Microdata,
    sensitive: list[str],
    source: Randomness,
    id_column: str | None,
    earlier: PublishedTable | None,
) -> Release:
    if earlier is None:
        return mechanism.publish(table, sensitive, source, id_column=id_column)
    return append(earlier, table, source, id_column=id_column)


def _require_replay(wanted: Preparation, earlier: PublishedTable | None, transcript: Path | None) -> None:
    """Raise if a transcript is requested for a release that it cannot record."""
    if transcript is None:
        return
    if earlier is not None:
        raise ParameterError("--transcript records one table that is published at once: leave out --append")
    if wanted.id_column in wanted.drop:
        raise ParameterError("--transcript records all published cells: leave out --drop of the --id column")


def _secrecy(transcript: Path, written: list[Path]) -> str:
    """Return a warning about a transcript, in particular one beside public files."""
    warning = f"{transcript} is as secret as the original: with it anyone can undo the release"
    public = [path for path in written if path != transcript and same_file(path.parent, transcript.parent)]
    if public:
        warning += f"; it is in the folder of {public[0]}, which is public: move it before sharing the folder"
    return warning


def _earlier(
    path: Path | None, manifest: Path | None, mechanism: SpluGens, sensitive: list[str]
) -> PublishedTable | None:
    """Return the release that a batch joins, None without one."""
    if path is None and manifest is None:
        return None
    if path is None or manifest is None:
        raise ParameterError(
            "a batch needs the release that it joins and its manifest: give --append and --append-manifest"
        )
    record = read_manifest(manifest)
    with about(path):
        release = read_release(path, record)
    if release.mechanism != mechanism or list(release.sensitive) != sensitive:
        facts = sanitize_options(splu_gen_of(release.manifest))
        columns = " ".join(f"--sensitive {shlex.quote(column)}" for column in release.sensitive)
        raise ParameterError(f"a batch is published like the release that it joins: give {facts} {columns}")
    return release


def refuse_identity(mechanism: SpluGens) -> None:
    """Raise if SPLU-Gen would publish the original."""
    every = [mechanism] if isinstance(mechanism, SpluGen) else [each for _, each in mechanism.columns]
    if any(each.retention == 1 for each in every):
        raise ParameterError("--retention 1 publishes every true value: choose less than 1")


def refuse_overlap(written: list[Path], read: list[Path]) -> None:
    """Raise if an output would replace an input or another output, even with --force."""
    for number, path in enumerate(written):
        for other in (*read, *written[:number]):
            if same_file(path, other):
                raise ParameterError(
                    f"{path} and {other} are the same file: give each output a different name"
                )


def _bargain(mechanism: SpluGens) -> str:
    """Return benefit and cost of dependent draws, by column if gammas differ."""
    if isinstance(mechanism, SpluGen):
        return bargain(mechanism.draws, mechanism.gamma)
    by_gamma = {column: bargain(mechanism.draws, each.gamma) for column, each in mechanism.columns}
    if len(set(by_gamma.values())) == 1:
        return next(iter(by_gamma.values()))
    return "; ".join(f"{column}: {sentence}" for column, sentence in by_gamma.items())


def _show(
    mechanism: SpluGens,
    release: Release,
    output: Path,
    assessments: dict[str, Assessment],
    leaks: Sequence[Leaks],
    warning: str | None,
    *,
    as_json: bool,
) -> None:
    batch = release.batch.row_count if isinstance(release, JoinedRelease) else None
    report = ReleaseReport(mechanism, release, output, release.table.row_count, batch)
    if mechanism.draws.bound is not None:
        law = str(mechanism.draws)
        report.add("draws", law, f"{law}: {_bargain(mechanism)}")
    report.add_assessment(assessments, [leaks_json(each) for each in leaks])
    closing = [("unique", unique_records(leaks[0], release.rows_in))]
    report.show(closing if warning is None else [*closing, ("repeated", warning)], as_json=as_json)
