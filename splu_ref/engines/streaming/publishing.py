"""Publishing a table that does not fit into memory: SPLU-Gen on files, in a few passes.

The steps are those of `splu_ref.mechanisms.SpluGen`, and under a key the release is the same, bit for bit.
What needs the whole table is a histogram, a sum, and three orders, which are made by distribution to files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import lcm
from pathlib import Path
from time import perf_counter

import numpy as np
import polars as pl

from splu_ref.decoys import require_feasible
from splu_ref.engines.streaming.choices import Choices, KeyedChoices, StreamChoices
from splu_ref.engines.streaming.columns import Deleted, StreamedColumn
from splu_ref.engines.streaming.content import Content, parts_of
from splu_ref.engines.streaming.scan import Scan
from splu_ref.engines.streaming.sink import Sink
from splu_ref.engines.streaming.source import Source
from splu_ref.engines.streaming.spool import FrameSpool, RecordSpool, private_folder
from splu_ref.files import refuse_existing, write_all
from splu_ref.manifest import Manifest, Origin
from splu_ref.mechanisms import SpluGen, SpluGens
from splu_ref.microdata import Microdata, require_suffix
from splu_ref.microdata.recoding import Recoding
from splu_ref.microdata.values import text
from splu_ref.model import ParameterError
from splu_ref.randomness import (
    IntArray,
    Key,
    KeyedRelease,
    ReleaseContext,
    SystemSource,
    UniformSource,
    release_key,
)

Progress = Callable[[str, int, int], None]
"""Told what is done, how many rows of it, and of how many; the last is 0 while it is not known."""


@dataclass(frozen=True, kw_only=True)
class StreamedRelease:
    """What is known of a table that was published on files.

    Attributes
    ----------
    manifest
        The public facts.
    rows_in, suppressed, max_gamma, randomness
        As of `splu_ref.mechanisms.Release`.
    original
        The frequencies of the original: for the publisher, not for the public.
    seconds
        Wall time of each step.
    disk
        Bytes that were written to temporary files altogether.
    """

    manifest: Manifest
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
    mechanism: SpluGens,
    key: Key | None = None,
    *,
    id_column: str | None = None,
    missing: str | None = None,
    manifest: str | os.PathLike[str] | None = None,
    force: bool = False,
    progress: Progress = lambda *_: None,
    source: UniformSource | None = None,
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
        SPLU-Gen with independent draws.
    key
        A secret key, under which the release is that of `SpluGen.publish`. Without it, random integers come
        from the system's entropy.
    id_column, missing
        As for `SpluGen.publish`.
    force
        Whether existing files may be replaced.
    progress
        Told how far the work is.
    source
        A stream of random integers in place of the system's entropy, for tests.

    Raises
    ------
    DataError, ParameterError, InputError
        As `SpluGen.publish` and `Release.write`, and if the table changes while it is read, a column holds
        categories, or the disk is full. Nothing is left behind.
    """
    columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if not columns or len(set(columns)) < len(columns):
        raise ParameterError("name at least one sensitive column, and each of them once")
    if id_column in columns:
        raise ParameterError(f"column {id_column!r} is sensitive: it cannot identify the records as well")
    if id_column is not None and key is None:
        raise ParameterError("an id column names records for keyed draws: give a key, or leave it out")
    for column in columns:
        mechanism.for_column(column).require_parts()
    place = Path(output)
    require_suffix(place)
    for path in (output, manifest):
        if path is not None:
            refuse_existing(path, force=force)
    with private_folder(place) as folder:
        work = _Work(mechanism, columns, folder, progress)
        found = work.scan(Source(Path(table), missing), key, id_column)
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

    def __init__(self, mechanism: SpluGens, columns: Sequence[str], folder: Path, progress: Progress) -> None:
        self._mechanism = mechanism
        self._columns = columns
        self._folder = folder
        self._progress = progress
        self._seconds: dict[str, float] = {}
        self._disk = 0

    def scan(self, source: Source, key: Key | None, id_column: str | None) -> Scan:
        """Read the table for the first time."""
        with self._step("reading"):
            return Scan(
                source, self._columns, key, id_column, self._folder,
                lambda rows: self._progress("reading", rows, 0),
            )  # fmt: skip

    def publish(self, scan: Scan, choices: Choices, output: Path) -> tuple[StreamedRelease, Path]:
        """Return the release, and the complete file in the private folder."""
        mechanism, population = self._mechanism, scan.row_count
        max_gamma = mechanism.largest_gamma(scan, self._columns)
        own = {column: mechanism.for_column(column) for column in self._columns}
        remainder = population % lcm(*(each.gamma for each in own.values()))
        for column, each in own.items():
            require_feasible(scan.histogram(column), each.gamma, population - remainder)
        streamed = {
            column: StreamedColumn(
                column, each, scan.histogram(column), choices, self._folder / f"column-{number}"
            )
            for number, (column, each) in enumerate(own.items())
        }
        with self._step("distributing"):
            table = self._distributed(scan, choices, own, streamed)
        with self._step("drawing"):
            deleted, gone = table.deleted(scan, choices, remainder, self._columns)
            shown = {}
            for column, streamer in streamed.items():
                shown[column] = streamer.publish(deleted, gone[column], len(table.frames.sizes))
                self._disk += streamer.written
        with self._step("writing"):
            sink = Sink(output, self._folder)
            content = Content(self._folder / "content", scan.columns, parts_of(2 * scan.bytes))
            with sink.opened():
                done = 0
                for part in table.published(scan, choices, deleted, shown):
                    sink.add(part)
                    content.add(part)
                    done += part.row_count
                    self._progress("writing", done, population)
        with self._step("digesting"):
            origin = Origin.of_content(content.digest())
        self._disk += table.frames.written + table.keys.written + content.written + scan.disk
        domains = {column: tuple(map(text, scan.domain(column))) for column in self._columns}
        return StreamedRelease(
            manifest=Manifest(mechanism, population - remainder, domains, origin),
            rows_in=population,
            suppressed=remainder,
            max_gamma=max_gamma,
            randomness=choices.name,
            original=scan,
            seconds=self._seconds,
            disk=self._disk,
        ), sink.path

    def _distributed(
        self,
        scan: Scan,
        choices: Choices,
        own: Mapping[str, SpluGen],
        streamed: Mapping[str, StreamedColumn],
    ) -> _Table:
        parts = parts_of(scan.bytes)
        table = _Table(
            FrameSpool(self._folder / "rows", parts), RecordSpool(self._folder / "keys", parts, choices.kind)
        )
        done = 0
        for rows, identities in scan.rows():
            drawn = {
                column: choices.drawn(column, each, rows.row_count, identities)
                for column, each in own.items()
            }
            keys = drawn[self._columns[0]][0]
            to = choices.part_of_shuffle(keys, parts)
            places = table.frames.add(rows.to_frame(), to)
            table.keys.add(keys, to)
            for column, streamer in streamed.items():
                streamer.add(scan.codes(rows, column), *drawn[column], to, places)
            done += rows.row_count
            self._progress("distributing", done, scan.row_count)
        return table

    def _step(self, name: str) -> _Timed:
        return _Timed(name, self._seconds)


class _Timed:
    """Notes how long a step took."""

    def __init__(self, name: str, seconds: dict[str, float]) -> None:
        self._name = name
        self._seconds = seconds

    def __enter__(self) -> None:
        self._begin = perf_counter()

    def __exit__(self, *_: object) -> None:
        self._seconds[self._name] = perf_counter() - self._begin


@dataclass(frozen=True)
class _Table:
    """The original's rows by part of the shuffled table, and the keys of its first sensitive column."""

    frames: FrameSpool
    keys: RecordSpool

    def deleted(
        self, scan: Scan, choices: Choices, remainder: int, columns: Sequence[str]
    ) -> tuple[Deleted, dict[str, IntArray]]:
        """Return the rows that come last in the shuffle, by part, and how often they hold each code."""
        deleted: dict[int, IntArray] = {}
        gone = {column: np.zeros_like(scan.histogram(column)) for column in columns}
        part = len(self.frames.sizes)
        while remainder:
            part -= 1
            order = choices.shuffle(self.keys.part(part, keep=True))
            last = np.sort(order[max(0, len(order) - remainder) :])
            remainder -= len(last)
            if len(last):
                deleted[part] = last
                rows = Microdata.from_frame(self.frames.part(part, keep=True)[last], scan.missing)
                for column in columns:
                    np.add.at(gone[column], scan.codes(rows, column), 1)
        return deleted, gone

    def published(
        self, scan: Scan, choices: Choices, deleted: Deleted, shown: Mapping[str, RecordSpool]
    ) -> Iterator[Microdata]:
        """Yield the published table, part by part."""
        for part, size in enumerate(self.frames.sizes.tolist()):
            kept = np.setdiff1d(np.arange(size), deleted.get(part, []))
            if not len(kept):
                continue
            order = kept[choices.shuffle(self.keys.part(part)[kept])]
            frame: pl.DataFrame = self.frames.part(part)[order]
            table = Microdata.from_frame(frame, scan.missing)
            for column, spool in shown.items():
                records = spool.part(part)
                codes = np.empty(size, dtype=np.int64)
                codes[records["row"]] = records["code"]
                table = table.with_codes(column, codes[order], domain_of=scan.held(column))
            yield table.bare()
