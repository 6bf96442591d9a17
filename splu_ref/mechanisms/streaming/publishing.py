"""Publishing a table that does not fit into memory, on files and in a few passes.

The steps are those of a mechanism's `publish`, and under a key the release is the same, bit for bit. What
needs the whole table is a histogram, a sum, and orders, which are made by distribution to files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from splu_ref.channels import ParameterError
from splu_ref.data import Recoding, refuse_existing, require_suffix, text, write_all
from splu_ref.mechanisms.manifest import Manifest, Origin
from splu_ref.mechanisms.release import RecordMechanism, RowMechanism
from splu_ref.mechanisms.splu_gen_by_column import SpluGens
from splu_ref.mechanisms.streaming.choices import Choices, KeyedChoices, Stream, StreamChoices
from splu_ref.mechanisms.streaming.content import Content, parts_of
from splu_ref.mechanisms.streaming.files import Sink, private_folder
from splu_ref.mechanisms.streaming.groups import published_in_groups
from splu_ref.mechanisms.streaming.rows import published_by_row
from splu_ref.mechanisms.streaming.scan import Scan
from splu_ref.mechanisms.streaming.steps import Progress, Steps
from splu_ref.randomness import Key, KeyedRelease, ReleaseContext, SystemSource, release_key


@dataclass(frozen=True, kw_only=True)
class StreamedRelease:
    """What is known of a table that was published on files.

    Attributes
    ----------
    manifest
        The public facts.
    values_without_rows, rows_in, suppressed, max_gamma, randomness
        As of `splu_ref.mechanisms.Release`.
    original
        The frequencies of the original: for the publisher, not for the public.
    seconds
        Wall time of each step.
    disk
        Bytes that were written to temporary files altogether.
    """

    manifest: Manifest
    values_without_rows: Mapping[str, int]
    rows_in: int
    suppressed: int
    max_gamma: int | Mapping[str, int] | None
    randomness: str
    original: Scan
    seconds: Mapping[str, float]
    disk: int

    @property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each sensitive column, as texts."""
        return self.manifest.domains

    @property
    def recoded(self) -> tuple[Recoding, ...]:
        """What was done to columns of the original before: nothing."""
        return self.manifest.recoded


def publish(
    table: str | os.PathLike[str],
    output: str | os.PathLike[str],
    sensitive: str | Sequence[str],
    mechanism: RecordMechanism,
    key: Key | None = None,
    *,
    id_column: str | None = None,
    missing: str | None = None,
    manifest: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress = lambda *_: None,
    source: Stream | None = None,
) -> StreamedRelease:
    """Publish a file as another, in memory that does not grow with the table.

    Parameters
    ----------
    table
        The original: a name that ends in ``.csv``, ``.csv.gz`` or ``.parquet``. It is read twice.
    output, manifest
        Where the published table goes, and its manifest: both are written, or none.
    sensitive
        Name of the sensitive column, or of several.
    mechanism
        SPLU-Gen with independent draws, or a mechanism that publishes each record by itself (a
        `RowMechanism`).
    key
        A secret key, under which the release is that of ``mechanism.publish``. Without it, random integers
        come from the system's entropy.
    id_column, missing
        As for ``mechanism.publish``.
    force
        Whether existing files may be replaced.
    progress
        Told how far the work is.
    source
        A stream of random integers in place of the system's entropy, for tests.

    Raises
    ------
    DataError, ParameterError, InputError
        As ``mechanism.publish`` and `Release.write`, and if the table changes while it is read, a column
        holds categories, the mechanism needs the whole table, or the disk is full. Nothing is left behind.
    """
    columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError("name at least one sensitive column, and each of them once")
    if id_column in columns:
        raise ParameterError(f"column {id_column!r} is sensitive: it cannot identify the records as well")
    if id_column is not None and key is None:
        raise ParameterError("an id column names records for keyed draws: give a key, or leave it out")
    _require_possible(mechanism, columns)
    place = Path(output)
    require_suffix(place)
    for path in (output, manifest):
        if path is not None:
            refuse_existing(path, force=force)
    with private_folder(place) as folder:
        work = _Work(mechanism, columns, folder, progress)
        found = work.scan(Path(table), missing, key, id_column)
        choices: Choices = StreamChoices(SystemSource() if source is None else source)
        if key is not None:
            context = ReleaseContext(
                method=mechanism.name, facts=mechanism.facts(), sensitive=columns, id_column=id_column,
                missing=missing, columns=found.columns, records=found.table_sum,
            )  # fmt: skip
            choices = KeyedChoices(KeyedRelease(release_key(key, context)), id_column)
        release, written = work.publish(found, choices, place)
        outputs: list[tuple[Path, bytes | Path]] = [(place, written)]
        if manifest is not None:
            outputs.append((Path(manifest), release.manifest.to_json()))
        write_all(outputs, force=force)
    return release


class _Work:
    """One release on its way."""

    def __init__(
        self, mechanism: RecordMechanism, columns: Sequence[str], folder: Path, progress: Progress
    ) -> None:
        self._mechanism = mechanism
        self._columns = columns
        self._folder = folder
        self._steps = Steps(progress)

    def scan(self, table: Path, missing: str | None, key: Key | None, id_column: str | None) -> Scan:
        """Read the table for the first time."""
        with self._steps.timed("reading"):
            return Scan(
                table, self._columns, missing, key, id_column, self._folder,
                lambda rows: self._steps.tell("reading", rows, 0), self._mechanism,
            )  # fmt: skip

    def publish(self, scan: Scan, choices: Choices, output: Path) -> tuple[StreamedRelease, Path]:
        """Return the release, and the complete file in the private folder."""
        mechanism, columns, steps = self._mechanism, self._columns, self._steps
        max_gamma = mechanism.largest_gamma(scan, columns)
        if isinstance(mechanism, RowMechanism):
            made = published_by_row(scan, choices, mechanism, columns, self._folder, steps)
        else:
            assert isinstance(mechanism, SpluGens)  # see _require_possible
            made = published_in_groups(scan, choices, mechanism, columns, self._folder, steps)
        domains = {column: tuple(map(text, scan.domain(column))) for column in columns}
        unpublished = {column: set(domain) for column, domain in domains.items()}
        with steps.timed("writing"):
            sink = Sink(output, self._folder)
            content = Content(
                self._folder / "content", scan.columns, parts_of(2 * scan.bytes), shuffled=made.shuffled
            )
            with sink.opened():
                done = 0
                for part in made.parts:
                    sink.add(part)
                    content.add(part)
                    for column, values in unpublished.items():
                        if values:
                            values.difference_update(part.values(column))
                    done += part.row_count
                    steps.tell("writing", done, scan.row_count)
        with steps.timed("digesting"):
            origin = Origin.of_content(content.digest())
        return StreamedRelease(
            manifest=Manifest(mechanism, scan.row_count - made.suppressed, domains, origin),
            values_without_rows={column: len(values) for column, values in unpublished.items()},
            rows_in=scan.row_count,
            suppressed=made.suppressed,
            max_gamma=max_gamma,
            randomness=choices.name,
            original=scan,
            seconds=steps.seconds,
            disk=made.written() + content.written + scan.disk,
        ), sink.path


def _require_possible(mechanism: RecordMechanism, columns: Sequence[str]) -> None:
    """Raise unless records can be published by parts of the table."""
    if isinstance(mechanism, RowMechanism):
        return
    if not isinstance(mechanism, SpluGens):
        raise ParameterError(f"{mechanism.name} needs the whole table in memory: publish it without --stream")
    for column in columns:
        mechanism.for_column(column).require_parts()
