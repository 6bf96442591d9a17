"""``splu-ref publish --stream``: publish a table that does not fit into memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from splu_ref.audit import ALPHA, JointView, Leaks, Roles, TableInFiles, refuse_disclosure, scan
from splu_ref.channels import ParameterError, PublishedCount
from splu_ref.cli.assessment import (
    KEY,
    assess_columns,
    joint_json,
    joint_lines,
    joint_privacy,
    leak_warnings,
    leaks_json,
    refuse_warnings,
    repetition,
    spelling_notes,
)
from splu_ref.cli.output import about, note
from splu_ref.cli.progress import counted
from splu_ref.cli.release_report import ReleaseReport, record_laws, retention_notes
from splu_ref.mechanisms import RecordMechanism, SpluGens, StreamedRelease, private_folder, publish
from splu_ref.randomness import Key

_STEPS = ("reading", "distributing", "drawing", "writing")


def require_fit(unfit: Mapping[str, object]) -> None:
    """Raise if an option is given that needs the whole table."""
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
    declares: bool,
) -> StreamedRelease:
    """Publish a table in files, without reading it into memory; ``declares``: with declared domains."""
    with counted("publishing") as progress, about(table):

        def report_step(step: str, done: int, whole: int) -> None:
            progress(_STEPS.index(step) * max(whole, done) + done, len(_STEPS) * max(whole, done))

        return publish(
            table, output, sensitive, mechanism, None if key_file is None else Key.read(key_file),
            id_column=id_column, missing=missing, manifest=manifest, force=force, progress=report_step,
            observed_domain=False if declares else None,
        )  # fmt: skip


@dataclass(frozen=True)
class StreamedRisks:
    """Disclosure risks of a table in files, and what its sensitive columns disclose together."""

    leaks: Sequence[Leaks] = ()
    views: Sequence[JointView] = ()

    @classmethod
    def of(
        cls,
        table: Path,
        missing: str | None,
        laws: Mapping[str, PublishedCount],
        epsilon: Fraction,
        roles: Roles,
        *,
        strict: bool,
    ) -> Self:
        """Return the risks of a table by its sensitive columns alone, with ``strict`` by all columns."""
        columns = tuple(laws)
        with counted("searching for disclosure") as progress, about(table), private_folder(table) as folder:
            prepared = TableInFiles(
                table, columns, missing, folder, progress, only=None if strict else columns
            )
            leaks = scan(prepared, columns, ALPHA, roles, progress=progress)
            if strict:
                refuse_disclosure(leaks, "table")
                refuse_warnings(leaks, "table")
            return cls(leaks, joint_privacy(prepared, leaks, laws, epsilon, ALPHA))


def show_streamed(
    release: StreamedRelease,
    mechanism: RecordMechanism,
    output: Path,
    epsilon: Fraction,
    risks: StreamedRisks = StreamedRisks(),
    *,
    strict: bool = False,
    manifest: Path | None = None,
    as_json: bool,
) -> None:
    """Print the report on a streamed release; ``epsilon`` is that of its assessment."""
    report = ReleaseReport(mechanism, release, output, release.manifest.rows)
    seconds = {step: round(seconds, 3) for step, seconds in release.seconds.items()}
    costs = {"seconds": seconds, "temporary_bytes": release.disk}
    report.add("streamed", costs, f"{release.disk >> 20} MiB of temporary files, deleted")
    repeated = None
    if not strict:
        how = "use --strict, or advise --stream" if isinstance(mechanism, SpluGens) else "use advise --stream"
        unchecked = f"whether other columns identify records or disclose a sensitive one: {how}"
        report.lines.append(("not checked", unchecked))
    if isinstance(mechanism, SpluGens):
        laws = record_laws(mechanism, tuple(release.domains))
        report.add_together(joint_json(risks.views), joint_lines(risks.views))
        report.add_assessment(
            assess_columns(release.original, laws, mechanism.draws, epsilon),
            "table",
        )
        report.result["leaks"] = [leaks_json(each) for each in risks.leaks] or None
        repeated = repetition(laws.values(), mechanism.draws, epsilon, KEY)
    if release.randomness != "keyed":
        report.add_repetition(repeated)
    spelled = spelling_notes(release.domains, release.manifest.missing)
    for remark in (*leak_warnings(risks.leaks, "table"), *spelled, *retention_notes(mechanism, manifest)):
        note(remark)
    report.show(as_json=as_json)
