"""A publication by the command line: inputs are checked, the table is published, outputs written together."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import cache
from pathlib import Path

from splu_ref.audit import ALPHA, Remedy, read_log, warnings, write_logged
from splu_ref.channels import ParameterError
from splu_ref.cli.assessment import (
    assess_columns,
    joint_json,
    joint_lines,
    joint_privacy,
    leak_warnings,
    repetition,
    spelling_notes,
)
from splu_ref.cli.mechanism_options import (
    NAMED,
    MechanismOptions,
    Named,
    NamedMechanism,
    sensitive_columns,
)
from splu_ref.cli.options import (
    publish_options,
    refuse_overlap,
)
from splu_ref.cli.output import about, note
from splu_ref.cli.preparation import Preparation
from splu_ref.cli.progress import counted
from splu_ref.cli.release_report import (
    ReleaseReport,
    draws_of,
    record_laws,
    retention_notes,
    unpublished_values,
)
from splu_ref.cli.streaming import StreamedRisks, show_streamed, streamed
from splu_ref.data import Microdata, Rare, read_table, refuse_existing, require_suffix, same_file, write_all
from splu_ref.mechanisms import (
    JoinedRelease,
    PublishedTable,
    RecordMechanism,
    Release,
    SpluGens,
    TwoTablesRelease,
    append,
    read_manifest,
    read_release,
    splu_gen_of,
    transcribed,
)
from splu_ref.randomness import Key, Randomness, SeededSource

SEEDED = "--seed is for tests: whoever knows the seed can undo this release"
OBSERVED = (
    "--observed-domain: the domain depends on the data, and the release discloses it: declare it with "
    "--domain to protect values that a single record has"
)
JOINED = (
    "audit-release cannot audit joined batches: publish new records as a release of their own, without "
    "--append, if they are to be audited"
)
UNJOINED = "no batch can be appended to this release (--append): --group-rare groups values by its own counts"
UNCOMPARED = (
    "without an --id column in the release, records of the batch that it holds already are not detected; "
    "--log refuses a whole batch that it holds: compare the ids in the originals first"
)
ORDERED = (
    "rows keep their order, by which whoever knows the order of the original finds each record: --shuffle "
    "changes it"
)
EMPTY = (
    "no tuple was published, which can happen by chance: the estimate of a count is -beta/alpha times the "
    "tuples of the domain that are counted"
)


@dataclass(frozen=True, kw_only=True)
class Publication:
    """The validated options of a publication."""

    table: Path
    output: Path
    mechanism: str
    options: MechanismOptions
    preparation: Preparation
    epsilon: Fraction
    source: Randomness
    key_file: Path | None
    id_column: str | None
    missing: str | None
    manifest: Path | None
    transcript: Path | None
    log: Path | None
    strict: bool
    earlier: tuple[Path | None, Path | None]
    force: bool
    as_json: bool

    @property
    def _named(self) -> Named:
        return NAMED[self.mechanism]

    @property
    def _grouped(self) -> set[str]:
        """The columns with grouped rare values."""
        return {step.column for step in self.preparation.steps if isinstance(step, Rare)}

    def require_files(self) -> None:
        """Raise if an output cannot be written or would replace an input."""
        tables = [path for path in (self.output, self.options.sensitive_table) if path is not None]
        for path in tables:
            require_suffix(path)
        outputs = [*tables, *(path for path in (self.manifest, self.transcript) if path is not None)]
        inputs = (self.table, self.key_file, self.options.domain, self.options.matrix, *self.earlier)
        written = outputs if self.log is None else [*outputs, self.log]
        refuse_overlap(written, [path for path in inputs if path is not None])
        if self.log is not None:
            read_log(self.log)  # a damaged log is refused before the work
        for path in outputs:
            refuse_existing(path, force=self.force)

    def publish_in_parts(self) -> None:
        """Publish a table that does not fit into memory."""
        if not self._named.streamed:
            others = ", ".join(name for name, each in NAMED.items() if each.streamed)
            raise ParameterError(
                f"--mechanism {self.mechanism} needs the whole table at once: publish without --stream, or "
                f"by one of {others}"
            )
        made = self._named.build(self.options, lambda: read_table(self.table, self.missing))
        assert isinstance(made, RecordMechanism)
        columns = sensitive_columns(self.options, made)
        laws = record_laws(made, columns)
        risks = StreamedRisks()
        if self.strict or len(laws) > 1:
            risks = StreamedRisks.of(
                self.table, self.missing, laws, self.epsilon, self.preparation.roles, strict=self.strict
            )
        release = streamed(
            self.table, self.output, columns, made, self.key_file,
            id_column=self.id_column, missing=self.missing, manifest=self.manifest, force=self.force,
            declares=self._named.declares,
        )  # fmt: skip
        fixed = tuple(release.domains) if self._named.declares else ()
        values = unpublished_values(release, self.manifest, fixed, "with --domain, without --stream")
        for remark in (*values, *self._ordered()):
            note(remark)
        show_streamed(
            release,
            made,
            self.output,
            self.epsilon,
            risks,
            strict=self.strict,
            manifest=self.manifest,
            as_json=self.as_json,
        )

    def publish(self) -> None:
        """Publish a table in memory, write its files and report."""
        earlier = _earlier(*self.earlier)
        named = self.id_column
        if earlier is not None and self.key_file is not None and named is None:
            named = earlier.manifest.id_column
        preparation = replace(self.preparation, id_column=named)
        replace(self, id_column=named, preparation=preparation)._publish(earlier)

    def _publish(self, earlier: PublishedTable | None) -> None:
        """Publish a table, or a batch that joins an earlier release."""
        if earlier is not None and (self.options.gamma is None or not self.options.columns):
            raise _unlike(earlier)
        _require_replay(self.preparation, earlier, self.transcript)
        missing = self.missing
        if missing is None and earlier is not None:
            missing = earlier.manifest.missing
        grouped = self._named.grouped
        with counted("publishing") as progress:
            with about(self.table):
                reading = cache(
                    lambda: self.preparation.joining(earlier, self.key_file).read(self.table, missing)
                )
                made = self._named.build(self.options, lambda: reading().table)
                columns = sensitive_columns(self.options, made)
                _require_like(earlier, made, columns)
                prepared = reading()
                risks = (
                    prepared.disclosure_risks(
                        columns, eligible=earlier is None, strict=self.strict, grouped=grouped
                    )
                    if "keep" in self._named.options
                    else ()
                )
                progress(1, 3)
                release, private = self._released(made, prepared.table, columns, earlier)
                release = prepared.without_identity(release)
                observed = self.options.observed_domain or not self._grouped.isdisjoint(columns)
                if self._named.declares and isinstance(release, PublishedTable):
                    release = replace(release, observed_domain=observed)
                laws, law = record_laws(made, columns), draws_of(made)
                assessments = assess_columns(prepared.table, laws, law, self.epsilon)
                views = joint_privacy(prepared.table, risks, laws, self.epsilon, ALPHA, law) if laws else ()
            progress(2, 3)
            outputs = (
                release.outputs(self.output, self.manifest, self.options.sensitive_table)
                if isinstance(release, TwoTablesRelease)
                else release.outputs(self.output, self.manifest)
            ) + private
        self._write(prepared.table, release, outputs)
        spelled = spelling_notes(release.domains, prepared.table.missing, prepared.table.recoded)
        remedy: Remedy = "options" if earlier is None else "batch"
        for remark in (*leak_warnings(risks, remedy), *spelled, *self._remarks(release, made, outputs)):
            note(remark)
        report = ReleaseReport(
            made, release, self.output, release.table.row_count,
            second=self.options.sensitive_table, observed=observed,
        )  # fmt: skip
        if risks:
            report.add_risks(risks, release.rows_in)
        if grouped:
            report.add_together(joint_json(views), joint_lines(views))
            report.add_assessment(assessments, remedy)
        if self.log is None and self.key_file is None:
            report.add_repetition(repetition(laws.values(), law, self.epsilon) if laws else None)
        report.show(as_json=self.as_json)

    def _released(
        self, made: NamedMechanism, table: Microdata, columns: Sequence[str], earlier: PublishedTable | None
    ) -> tuple[Release, list[tuple[Path, bytes]]]:
        """Return the release, and the file of its transcript if there is one."""
        if self.transcript is not None:
            assert isinstance(made, SpluGens)
            release, record = transcribed(made, table, columns, self.source, id_column=self.id_column)
            return release, [(self.transcript, record.to_bytes())]
        if earlier is not None:
            return append(earlier, table, self.source, id_column=self.id_column), []
        return made.publish(table, columns, self.source, id_column=self.id_column), []

    def _write(self, table: Microdata, release: Release, outputs: list[tuple[Path, bytes]]) -> None:
        """Write the files of the release, and its entry in the log."""
        if self.log is None:
            write_all(outputs, force=self.force, private=self.transcript)
            return
        key = None if self.key_file is None else Key.read(self.key_file)
        entered = write_logged(
            self.log, table, release, key, datetime.now(UTC), outputs,
            force=self.force, private=self.transcript,
        )  # fmt: skip
        for warning in warnings(*entered):
            note(warning)

    def _ordered(self) -> Iterator[str]:
        """Yield a note if the published rows keep the order of the original."""
        if "shuffle" in self._named.options and not self.options.shuffle:
            yield ORDERED

    def _remarks(
        self, release: Release, made: NamedMechanism, outputs: list[tuple[Path, bytes]]
    ) -> Iterator[str]:
        """Yield the notes on a release."""
        if isinstance(release, JoinedRelease):
            yield JOINED
            if self.id_column not in release.table.columns:
                yield UNCOMPARED
        observed = self.options.observed_domain
        fixed = tuple(self.preparation.domains)
        if self._named.declares or isinstance(release, JoinedRelease):
            fixed = () if observed else tuple(release.domains)
        yield from unpublished_values(release, self.manifest, fixed)
        if self.transcript is not None:
            yield _secrecy(self.transcript, [path for path, _ in outputs])
        yield from self._ordered()
        if self._grouped and self.manifest is not None and isinstance(made, SpluGens):
            yield UNJOINED
        if isinstance(self.source, SeededSource):
            yield SEEDED
        if not release.table.row_count:
            yield EMPTY
        if observed:
            yield OBSERVED
        yield from retention_notes(made, self.manifest)


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


def _earlier(path: Path | None, manifest: Path | None) -> PublishedTable | None:
    """Return the release that a batch joins, None without one."""
    if path is None and manifest is None:
        return None
    if path is None or manifest is None:
        raise ParameterError(
            "a batch needs the release that it joins and its manifest: give --append and --append-manifest"
        )
    record = read_manifest(manifest)
    with about(path):
        return read_release(path, record)


def _require_like(earlier: PublishedTable | None, made: NamedMechanism, sensitive: Sequence[str]) -> None:
    """Raise unless a batch is published like the release that it joins."""
    if earlier is not None and (earlier.mechanism != made or earlier.sensitive != tuple(sensitive)):
        raise _unlike(earlier)


def _unlike(earlier: PublishedTable) -> ParameterError:
    """Return the error of a batch with other options than the release that it joins, which names them all."""
    facts = publish_options(splu_gen_of(earlier.manifest))
    columns = " ".join(f"--sensitive {shlex.quote(column)}" for column in earlier.sensitive)
    return ParameterError(
        f"a batch is published like the release that it joins: give {facts} {columns}, and its --key-file "
        "and --id if it had them"
    )
