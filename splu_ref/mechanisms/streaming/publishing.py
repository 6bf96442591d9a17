"""Publishing of tables larger than memory from file to file, in a few passes.

The steps are those of a mechanism's ``publish``, and under a key the release is identical. The whole table
enters only by histograms, a sum of digests, and orders, which are computed by distribution to files.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from splu_ref.channels import ParameterError
from splu_ref.data import Recoding, refuse_existing, require_suffix, text, write_all
from splu_ref.mechanisms.manifest import Manifest, Origin
from splu_ref.mechanisms.record_mechanism import RecordMechanism, RowMechanism
from splu_ref.mechanisms.splu_gen_by_column import SpluGens
from splu_ref.mechanisms.streaming.choices import Choices, KeyedChoices, Stream, StreamChoices
from splu_ref.mechanisms.streaming.content import Content, parts_of
from splu_ref.mechanisms.streaming.files import Sink, private_folder
from splu_ref.mechanisms.streaming.groups import publish_in_groups
from splu_ref.mechanisms.streaming.rows import publish_by_row
from splu_ref.mechanisms.streaming.scan import Scan
from splu_ref.mechanisms.streaming.steps import Progress, Steps
from splu_ref.randomness import Key, KeyedRelease, ReleaseContext, SystemSource, release_key


@dataclass(frozen=True, kw_only=True)
class StreamedRelease:
    """A release that was published from file to file."""

    manifest: Manifest  #: the manifest
    values_without_rows: Mapping[str, int]
    rows_in: int
    suppressed: int
    max_gamma: int | Mapping[str, int] | None
    randomness: str
    original: Scan  #: the frequencies of the original, for the publisher alone
    seconds: Mapping[str, float]  #: wall time of each step
    disk: int  #: number of bytes written to temporary files

    @property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        """The values of each sensitive column as texts."""
        return self.manifest.domains

    @property
    def recoded(self) -> tuple[Recoding, ...]:
        """The recodings of the original, always none."""
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
    observed_domain: bool | None = None,
) -> StreamedRelease:
    """Publish a file in memory that does not grow with the table.

    Parameters
    ----------
    table
        Path of the original, which ends in ``.csv``, ``.csv.gz`` or ``.parquet``. It is read twice.
    output, manifest
        Paths of the published table and its manifest; either both are written or none.
    sensitive
        Name of the sensitive column, or of several.
    mechanism
        SPLU-Gen with independent draws, or a `RowMechanism`.
    key
        A secret key, under which the release is that of ``mechanism.publish``; by default random integers
        come from the system's entropy.
    id_column, missing
        As for ``mechanism.publish``.
    force
        Whether existing files may be replaced.
    progress
        Called with the step, the rows done, and the total number of rows.
    source
        A stream of random integers instead of the system's entropy, for tests.
    observed_domain
        What the manifest says of the mechanism's domains: see `Manifest`.

    Raises
    ------
    DataError, ParameterError, InputError
        As ``mechanism.publish`` and `Release.write`, and if the table changes during reading, a column has a
        categorical type, the mechanism needs the whole table, or the disk is full. Temporary files are
        removed.
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
        publication = _Publication(mechanism, columns, folder, progress)
        scan = publication.scan(Path(table), missing, key, id_column)
        choices: Choices = StreamChoices(SystemSource() if source is None else source)
        if key is not None:
            context = ReleaseContext(
                method=mechanism.name, facts=mechanism.facts(), sensitive=columns, id_column=id_column,
                missing=missing, columns=scan.columns, records=scan.table_sum,
            )  # fmt: skip
            choices = KeyedChoices(KeyedRelease(release_key(key, context)), id_column)
        release, written = publication.publish(scan, choices, place)
        stated = replace(release.manifest, observed_domain=observed_domain, id_column=id_column)
        release = replace(release, manifest=stated)
        outputs: list[tuple[Path, bytes | Path]] = [(place, written)]
        if manifest is not None:
            outputs.append((Path(manifest), release.manifest.to_json()))
        write_all(outputs, force=force)
    return release


class _Publication:
    """One publication of a file."""

    def __init__(
        self, mechanism: RecordMechanism, columns: Sequence[str], folder: Path, progress: Progress
    ) -> None:
        self._mechanism = mechanism
        self._columns = columns
        self._folder = folder
        self._steps = Steps(progress)

    def scan(self, table: Path, missing: str | None, key: Key | None, id_column: str | None) -> Scan:
        """Read the table for the first time, for its histograms and digests."""
        with self._steps.timed("reading"):
            return Scan(
                table, self._columns, missing, key, id_column, self._folder,
                lambda rows: self._steps.report("reading", rows, 0), self._mechanism,
            )  # fmt: skip

    def publish(self, scan: Scan, choices: Choices, output: Path) -> tuple[StreamedRelease, Path]:
        """Return the release, and the complete file in the private folder."""
        mechanism, columns, steps = self._mechanism, self._columns, self._steps
        max_gamma = mechanism.largest_gamma(scan, columns)
        if isinstance(mechanism, RowMechanism):
            published = publish_by_row(scan, choices, mechanism, columns, self._folder, steps)
        else:
            assert isinstance(mechanism, SpluGens)  # see _require_possible
            published = publish_in_groups(scan, choices, mechanism, columns, self._folder, steps)
        domains = {column: tuple(map(text, scan.domain(column))) for column in columns}
        unpublished = {column: set(domain) for column, domain in domains.items()}
        with steps.timed("writing"):
            sink = Sink(output, self._folder)
            content = Content(
                self._folder / "content", scan.columns, parts_of(2 * scan.bytes), shuffled=published.shuffled
            )
            with sink.writing():
                done = 0
                for part in published.parts:
                    sink.add(part)
                    content.add(part)
                    for column, values in unpublished.items():
                        if values:
                            values.difference_update(part.values(column))
                    done += part.row_count
                    steps.report("writing", done, scan.row_count)
                    del part  # before the next one is made
        with steps.timed("digesting"):
            origin = Origin.of_content(content.digest())
        return StreamedRelease(
            manifest=Manifest(
                mechanism, scan.row_count - published.suppressed, domains, origin, missing=scan.missing
            ),
            values_without_rows={column: len(values) for column, values in unpublished.items()},
            rows_in=scan.row_count,
            suppressed=published.suppressed,
            max_gamma=max_gamma,
            randomness=choices.name,
            original=scan,
            seconds=steps.seconds,
            disk=published.written() + content.written + scan.disk,
        ), sink.path


def _require_possible(mechanism: RecordMechanism, columns: Sequence[str]) -> None:
    """Raise unless the mechanism can publish a table in parts."""
    if isinstance(mechanism, RowMechanism):
        return
    if not isinstance(mechanism, SpluGens):
        raise ParameterError(f"{mechanism.name} needs the whole table in memory: publish it without --stream")
    for column in columns:
        mechanism.for_column(column).require_parts()
