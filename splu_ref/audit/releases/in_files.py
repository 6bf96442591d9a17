"""The audit of a release larger than memory: what counts tell, in one pass over each table.

Which record a row is, and in which order rows stand, is not looked at. So an honest release passes as it does
in memory, and a verdict says what was not checked; that an unprotected release would have been noticed is
shown by records whose true value is known, and so it is not shown here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from splu_ref.audit.releases.audit import allowed_level, concluded, require_one_batch
from splu_ref.audit.releases.cells import text_cells
from splu_ref.audit.releases.counts import counts_evidence, share_evidence
from splu_ref.audit.releases.exactness import exactness_evidence, noticed_distance
from splu_ref.audit.releases.excluded import Excluded
from splu_ref.audit.releases.findings import Claimed, Found, Held, NotChecked, ReleaseAudit, Reuse
from splu_ref.audit.releases.splu_gen import (
    EXACT_BY_LAW,
    NEED_ORIGINAL,
    NEEDS_ORIGINAL,
    SpluGenClaim,
    exact_counts_words,
)
from splu_ref.audit.releases.structure import (
    feasible_check,
    manifest_checks,
    rows_check,
    schema_check,
    values_check,
)
from splu_ref.engines.streaming.content import Content, parts_of
from splu_ref.engines.streaming.scan import BATCH_BYTES, BATCH_ROWS, Scan
from splu_ref.guarantees.progress import Progress
from splu_ref.manifest import Manifest
from splu_ref.microdata import Microdata
from splu_ref.microdata.counting import MOST_COMBINATIONS
from splu_ref.microdata.parts import TableParts
from splu_ref.microdata.values import text
from splu_ref.model import DataError, Exact, ParameterError
from splu_ref.randomness import IntArray

_LEFT_OUT = ("retention", "independence", "unlinked", "decoys", "plan", "possible", "places")
_UNLINKED = "which record a row is was not looked for (--stream)"
_UNORDERED = "rows were counted, and not compared with each other (--stream)"


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
        progress: Progress = lambda _done, _whole: None,
    ) -> None:
        require_one_batch(manifest)
        parts = TableParts(path, BATCH_BYTES, BATCH_ROWS)
        for column in sensitive:
            if column not in parts.columns:
                raise DataError(f"there is no column {column!r} in the published table: check --sensitive")
        digested = manifest is not None and manifest.origin is not None
        content = Content(folder / "content", parts.columns, 4 * parts_of(parts.size)) if digested else None
        self.row_count = 0
        self.counts: dict[str, Counter[str]] = {column: Counter() for column in sensitive}
        for frame in parts.frames(parts.columns, progress):
            table = Microdata.from_frame(frame)
            if not self.row_count:
                self.first = table
            self.row_count += table.row_count
            if content is not None:
                content.add(table)
            for column, found in self.counts.items():
                values = text_cells(table, [column], blank=True).to_series().value_counts()
                found.update(dict(zip(values["0"], values["count"], strict=True)))
                if len(found) > MOST_COMBINATIONS:
                    raise DataError(f"column {column!r} has too many values: audit without --stream")
        if content is not None and manifest is not None:
            manifest.require_digest(content.digest())


@dataclass(frozen=True)
class _Population:
    """An original that was read once; see `Population`."""

    scan: Scan
    sensitive: tuple[str, ...]

    @property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        return {column: tuple(map(text, self.scan.domain(column))) for column in self.sensitive}

    @property
    def row_count(self) -> int:
        return self.scan.row_count

    def frequencies(self, column: str) -> IntArray:
        return self.scan.histogram(column)


@dataclass(frozen=True)
class _Counts:
    """The counts of both tables; see `Tallied`. Any records may have been deleted."""

    original: _Population
    published: Published

    @property
    def rows(self) -> int:
        return self.published.row_count

    def found(self, column: str) -> IntArray:
        counts = self.published.counts[column]
        return np.array([counts[value] for value in self.original.domains[column]], dtype=np.int64)

    def foreign(self, column: str) -> int:
        return self.rows - int(self.found(column).sum())

    def frequency_bounds(self, column: str) -> tuple[IntArray, IntArray]:
        whole, gone = self.original.frequencies(column), max(0, self.original.row_count - self.rows)
        others = self.original.row_count - whole
        return whole - np.minimum(whole, gone), whole - np.maximum(0, gone - others)

    def histograms(self, column: str) -> list[IntArray] | None:
        return [self.original.frequencies(column)] if self.rows == self.original.row_count else None


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
    """Say whether a file is one that SPLU-Gen could and would have published, as far as counts tell.

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

    Returns
    -------
    ReleaseAudit
        Its verdict is never ``consistent``: without known true values that is not shown.

    Raises
    ------
    DataError
        If the original cannot be read, or lacks a column.
    ParameterError
        If the level is out of range, or the original was recoded.
    """
    allowed = allowed_level(level)
    if original is None:
        held = Held(list(_without_original(published, sensitive, claimed, manifest)), _no_second)
        return concluded(claimed, held, published.row_count, allowed, power=power)
    if manifest is not None and manifest.recoded:
        raise ParameterError("the original was recoded, which needs the whole table: audit without --stream")
    scan = Scan(original, sensitive, missing, None, None, folder, lambda rows: progress(rows, 2 * rows))
    counts = _Counts(_Population(scan, tuple(sensitive)), published)
    first = next(scan.tables())
    for column in drop:
        first.require(column)
    first = first.select([name for name in first.columns if name not in drop])
    for column in sensitive:
        first.require(column)
    found = list(_with_original(counts, first, claimed, manifest))

    def excluded(share: Fraction) -> tuple[Excluded, ...]:
        return tuple(_excluded(counts, column, claimed.column(column), share) for column in sensitive)

    held = Held(found, _no_second, None, excluded)
    return concluded(claimed, held, published.row_count, allowed, power=power)


def _no_second(*_: object, **__: object) -> Reuse:
    raise ParameterError("a second release is compared row by row: audit without --stream")


def _without_original(
    published: Published, sensitive: Sequence[str], claimed: SpluGenClaim, manifest: Manifest | None
) -> Iterator[Found]:
    yield rows_check(published.row_count, claimed.column(sensitive[0]), None)
    domains = {}
    for column in sensitive:
        counts = published.counts[column]
        domains[column] = tuple(counts)
        unpublished = 0 if manifest is None else len(set(manifest.domains[column]) - set(counts))
        found = np.array([*sorted(counts.values(), reverse=True), *([0] * unpublished)], dtype=np.int64)
        yield share_evidence(column, found, claimed.column(column))
        yield NotChecked("predicates", column, _UNORDERED)
    if manifest is not None:
        yield from manifest_checks(manifest, published.row_count, domains, original=False)
    yield NotChecked("shuffle", None, _UNORDERED)
    yield from (NotChecked(name, None, NEEDS_ORIGINAL) for name in NEED_ORIGINAL)


def _with_original(
    counts: _Counts, first: Microdata, claims: SpluGenClaim, manifest: Manifest | None
) -> Iterator[Found]:
    original, rows = counts.original, counts.rows
    yield replace(schema_check(counts.published.first, first), rows=rows)
    yield rows_check(rows, claims.column(original.sensitive[0]), original.row_count)
    if manifest is not None:
        yield from manifest_checks(manifest, rows, original.domains, original=True)
    for column in original.sensitive:
        claimed = claims.column(column)
        yield feasible_check(original, claimed, column)
        yield values_check(counts, column, claimed)
        yield counts_evidence(counts, column, claimed)
        if claimed.draws.name == "all-or-none":
            yield NotChecked("exactness", column, EXACT_BY_LAW)
        else:
            yield exactness_evidence(counts, column, claimed)
        yield from (NotChecked(name, column, _UNLINKED) for name in _LEFT_OUT)
        yield NotChecked("predicates", column, _UNORDERED)
    yield NotChecked("records", None, _UNLINKED)
    yield NotChecked("shuffle", None, _UNORDERED)


def _excluded(counts: _Counts, column: str, claimed: Claimed, level: Fraction) -> Excluded:
    return Excluded(
        column=column,
        law=claimed.law,
        rows=counts.rows,
        known=0,
        retention=None,
        exact_counts=noticed_distance(counts, column, claimed, level),
        exact=exact_counts_words(counts, column, claimed),
        unlinked=0,
        unlinked_noticed=False,
    )
