"""``--stream`` of ``splu-ref sanitize`` and ``publish``: publish a table that does not fit into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from splu_ref.channels import ParameterError, PublishedCount
from splu_ref.cli.assessment import assess_columns, repetition
from splu_ref.cli.options import is_plain
from splu_ref.cli.output import about, note
from splu_ref.cli.progress import counted
from splu_ref.cli.release_report import ReleaseReport, retention_note, unpublished_values
from splu_ref.mechanisms import RecordMechanism, SpluGens, StreamedRelease, publish
from splu_ref.randomness import Key

_STEPS = ("reading", "distributing", "drawing", "writing")


def require_fit(unfit: Mapping[str, object]) -> None:
    """Raise if an option is given that needs the whole table.

    Parameters
    ----------
    unfit
        The values of these options.

    Raises
    ------
    ParameterError
        The message names the options.
    """
    given = [option for option, value in unfit.items() if value]
    if given:
        needs, them = ("needs", "it") if len(given) == 1 else ("need", "them")
        raise ParameterError(
            f"--stream excludes {', '.join(given)}, which {needs} the whole table at once: leave {them} out, "
            "or leave out --stream"
        )


def streamed(
    table: Path,
    output: Path,
    sensitive: Sequence[str],
    mechanism: RecordMechanism,
    key_file: Path | None,
    *,
    id_column: str | None,
    missing: str | None,
    manifest: Path | None,
    force: bool,
) -> StreamedRelease:
    """Publish a table in files, without reading it into memory."""
    with counted("publishing") as progress, about(table):

        def report_step(step: str, done: int, whole: int) -> None:
            progress(_STEPS.index(step) * max(whole, done) + done, len(_STEPS) * max(whole, done))

        return publish(
            table, output, sensitive, mechanism, None if key_file is None else Key.read(key_file),
            id_column=id_column, missing=missing, manifest=manifest, force=force, progress=report_step,
        )  # fmt: skip


def streaming_costs(release: StreamedRelease) -> tuple[dict[str, object], str]:
    """Return time and temporary space of a streamed release, as a JSON object and as text."""
    seconds = {step: round(seconds, 3) for step, seconds in release.seconds.items()}
    words = f"{release.disk >> 20} MiB of temporary files, deleted"
    return {"seconds": seconds, "temporary_bytes": release.disk}, words


def show(
    release: StreamedRelease,
    mechanism: SpluGens,
    output: Path,
    laws: Mapping[str, PublishedCount],
    epsilon: Fraction,
    *,
    manifest: Path | None,
    as_json: bool,
) -> None:
    """Print the report on a streamed release; ``laws`` and ``epsilon`` are those of its assessment."""
    for remark in unpublished_values(release, manifest, (), "with --domain, without --stream"):
        note(remark)
    report = ReleaseReport(mechanism, release, output, release.manifest.rows)
    report.add("streamed", *streaming_costs(release))
    unchecked = "columns that disclose a sensitive one: use splu-ref advise --stream"
    report.lines.append(("not checked", unchecked))
    report.add_assessment(assess_columns(release.original, laws, epsilon), None, recoding=False)
    closing = []
    if release.randomness != "keyed":
        closing.append(("repeated", repetition(laws.values(), epsilon, "use one key (--key-file)")))
    if not is_plain(mechanism):
        note(retention_note(mechanism.for_column(next(iter(release.domains)))))
    report.show(closing, as_json=as_json)
