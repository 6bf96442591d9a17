"""The audit of a release larger than memory: counts of all rows, and a sample of them that is linked.

The tables are read some rows at a time. Counts, records without a row and rows that may be several records
are those of the whole tables; what is asked of linked rows is asked of those that a salt chooses (`sample`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from splu_ref.audit.releases.audit import allowed_level, concluded, require_one_batch
from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.classes_in_files import ClassesInFiles
from splu_ref.audit.releases.findings import Held, ReleaseAudit, Reuse, Sampled
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.sample import Sample, Sampling
from splu_ref.audit.releases.sampled import FileCounts, SampledMatch, SampledOriginal, ScannedPopulation
from splu_ref.audit.releases.splu_gen import (
    SpluGenClaim,
    Tables,
    columns_differ,
    exact_against,
    noticed,
    with_original,
    without_original,
)
from splu_ref.engines.streaming.content import Content, parts_of
from splu_ref.engines.streaming.scan import BATCH_BYTES, BATCH_ROWS, Scan
from splu_ref.guarantees.progress import Progress
from splu_ref.manifest import Manifest
from splu_ref.microdata import Microdata
from splu_ref.microdata.counting import MOST_COMBINATIONS
from splu_ref.microdata.parts import TableParts
from splu_ref.model import DataError, Exact, ParameterError

_UNLOOKED = "rows were counted, and neither linked nor compared with each other (a sample of 0 rows)"


class Published:
    """A published table in a file, read once.

    Parameters
    ----------
    path
        The file.
    sensitive
        The sensitive columns.
    manifest
        If it tells the digest of the content, that is computed.
    folder
        A private folder for it.
    sampling
        Which rows are held.
    progress
        Called with (amount read, how much there is).

    Attributes
    ----------
    first
        The first rows, which tell of columns and types.
    row_count
        Number of rows.
    counts
        By sensitive column how often each value occurs, as text.
    sample
        The rows that are held.
    classes
        All of them by their other cells.

    Raises
    ------
    DataError
        If the table cannot be read, lacks a sensitive column, or is not the manifest's, or that tells of
        batches.
    """

    first: Microdata

    def __init__(
        self,
        path: Path,
        sensitive: Sequence[str],
        manifest: Manifest | None,
        folder: Path,
        sampling: Sampling,
        progress: Progress = lambda _done, _whole: None,
    ) -> None:
        require_one_batch(manifest)
        parts = TableParts(path, BATCH_BYTES, BATCH_ROWS)
        for column in sensitive:
            if column not in parts.columns:
                raise DataError(f"there is no column {column!r} in the published table: check --sensitive")
        digested = manifest is not None and manifest.origin is not None
        content = Content(folder / "content", parts.columns, 4 * parts_of(parts.size)) if digested else None
        self.sampling = sampling
        self.others = [column for column in parts.columns if column not in sensitive]
        self.sample = Sample(sampling.most)
        self.classes = ClassesInFiles(folder / "classes", len(sensitive), parts.size)
        self.row_count = 0
        self.counts: dict[str, Counter[str]] = {column: Counter() for column in sensitive}
        for frame in parts.frames(parts.columns, progress):
            table = Microdata.from_frame(frame)
            if not self.row_count:
                self.first = table
            self.row_count += table.row_count
            if content is not None:
                content.add(table)
            cells = text_cells(table, sensitive, blank=True)
            for number, (column, found) in enumerate(self.counts.items()):
                values = cells[str(number)].value_counts(name="count")
                found.update(dict(zip(values[str(number)], values["count"], strict=True)))
                if len(found) > MOST_COMBINATIONS:
                    raise DataError(f"column {column!r} has too many values: audit without --stream")
            if sampling.most:
                digests = sampling.digests(table, self.others)
                self.sample.add(frame, digests)
                self.classes.add_published(digests, cells)
        if content is not None and manifest is not None:
            manifest.require_digest(content.digest())

    def tables(self) -> Tables:
        """Return what is known of the table."""
        looked = self.sample.table() if self.sampling.most else _UNLOOKED
        return Tables(self.first, self.row_count, self.counts, looked, cut=self.sample.cut)


def audit_in_files(
    published: Published,
    sensitive: Sequence[str],
    claimed: SpluGenClaim,
    folder: Path,
    *,
    original: Path | None = None,
    missing: str | None = None,
    drop: Sequence[str] = (),
    manifest: Manifest | None = None,
    level: Exact,
    power: bool = True,
    progress: Progress = lambda _done, _whole: None,
) -> ReleaseAudit:
    """Say whether a file is one that SPLU-Gen could and would have published.

    Parameters
    ----------
    published
        The published table, read with the same sensitive columns and manifest.
    sensitive, claimed, manifest, level, power
        As for `audit_release`.
    original
        The original table: ``.csv``, ``.csv.gz`` or ``.parquet``.
    folder
        A private folder for what is sorted.
    missing
        The text that stands for missing sensitive cells of the original.
    drop
        Columns of the original that were not published.
    progress
        Called with (amount of the original that was read, about how much there is).

    Raises
    ------
    DataError
        If the original cannot be read, or lacks a column.
    ParameterError
        If the level is out of range, or the original was recoded.

    Notes
    -----
    Which rows are in the sample, and where they stand, depends on the salt, on cells that are not sensitive
    and on the order of the rows; under the claim the draws are independent of all of these, and of who was
    deleted. What holds of the draws of all records holds of the sample's as well:

    - Each of its records keeps its value with probability p, independently (`retention`, `independence`). The
      places of rows and records are those in the tables.
    - The records of a value that are in the sample take places of that value in a uniform order (`places`,
      `decoys`, `plan`). How many records another value has, and the plan, is that of the whole tables.
    - All records with the same cells are in it, or none: a row of the sample is linked if it is so in the
      tables. Rows that may be several records (`unlinked`) and records without a row are those of the tables;
      to the former belong all rows that are alike and not in the sample.
    - Which rows are in the sample does not depend on their order, and their order is uniform (`shuffle`). A
      sample that had to be cut as rows were read is not looked at in this respect.
    """
    allowed = allowed_level(level)
    if original is None:
        held = Held(list(without_original(published.tables(), claimed, manifest)), _no_second)
        return concluded(
            claimed, held, published.row_count, allowed, power=power, sampled=_sampled(published)
        )
    if manifest is not None and manifest.recoded:
        raise ParameterError("the original was recoded, which needs the whole table: audit without --stream")
    scan = Scan(original, sensitive, missing, None, None, folder, lambda rows: progress(rows, 3 * rows))
    population = ScannedPopulation(scan, tuple(sensitive))
    first = next(scan.tables())
    for column in drop:
        first.require(column)
    first = first.select([name for name in first.columns if name not in drop])
    for column in sensitive:
        first.require(column)
    found = exact_against(published.tables(), claimed, population, first, manifest)
    counts = FileCounts(population, published.row_count, published.counts)
    excluded, linked = None, None
    if set(first.columns) != set(published.first.columns):
        found += columns_differ()
    else:
        divisor = claimed.column(sensitive[0]).divisor
        match = sampled_match(published, counts, divisor, progress) if published.sampling.most else None
        tallied = counts if match is None else match
        found += with_original(published.tables(), claimed, tallied, match)
        excluded = partial(noticed, claimed, tallied, match)
        linked = None if match is None else match.linked
    held = Held(found, _no_second, linked, excluded)
    return concluded(claimed, held, published.row_count, allowed, power=power, sampled=_sampled(published))


def sampled_match(
    published: Published, counts: FileCounts, divisor: int, progress: Progress = lambda _done, _whole: None
) -> SampledMatch:
    """Read the original once more, and link the records of the sample; this can be done once.

    The number of published rows is said to be a multiple of ``divisor``.
    """
    population, sampling = counts.original, published.sampling
    scan, records = population.scan, Sample(sampling.most, published.sample)
    seen = 0
    for table in scan.tables():
        digests = sampling.digests(table, published.others)
        records.add(table.select(published.first.columns).to_frame(), digests)
        published.classes.add_original(digests, population.cells(table))
        seen += table.row_count
        progress(scan.row_count + 2 * seen, 3 * scan.row_count)
    published.sample.agree(records)
    found = published.classes.unlinked(list(population.domains.values()), divisor, published.sample.takes)
    match = Match.of(SampledOriginal(records.table(scan.missing), population), published.sample.table())
    return SampledMatch(
        match.original,
        match.index,
        match.classes,
        match.published,
        match.blank,
        counts,
        (published.sample.places, records.places),
        (published.classes.foreign, published.classes.gone),
        dict(zip(population.sensitive, found, strict=True)),
        dict(zip(population.sensitive, published.classes.deletions, strict=True)),
    )


def _sampled(published: Published) -> Sampled:
    return Sampled(len(published.sample.places), published.sampling.most, published.sampling.salt)


def _no_second(*_: object, **__: object) -> Reuse:
    raise ParameterError("a second release is compared row by row: audit without --stream")
