"""Records that share their cells, and the rows that may be theirs, for tables larger than memory.

Rows of both tables are distributed by the digests of their cells to parts on disk, where those that are alike
meet. So how many rows are no record's, and which of them may be several records, is known of all rows. Rows
that are alike and not in the sample count as such, even if their records have the same values: nothing else
looks at them, and few salts take any of many rows that are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.audit.releases.match import Unlinked
from splu_ref.audit.releases.sample import Digests
from splu_ref.engines.streaming.content import parts_of
from splu_ref.engines.streaming.spool import FrameSpool
from splu_ref.randomness import IntArray

_DIGEST, _ROWS, _MISSING, _LINKED = "digest", "rows", "missing", "linked"
_MOST_ROWS = 1 << 20


class ClassesInFiles:
    """Both tables by the digests of their other cells.

    Parameters
    ----------
    folder
        A folder of its own, which is made.
    columns
        The number of sensitive columns.
    size
        Bytes of the published table.

    Attributes
    ----------
    foreign, gone
        Rows that no record is left for, and records without a row.
    deletions
        For each sensitive column the values of every class of which records are missing, and how many are.
    """

    def __init__(self, folder: Path, columns: int, size: int) -> None:
        folder.mkdir(mode=0o700)
        self._values = [str(number) for number in range(columns)]
        self._parts = 8 * parts_of(size)  # a file of numbers unpacks to much more
        self._published = FrameSpool(folder / "published", self._parts)
        self._original = FrameSpool(folder / "original", self._parts)
        self.foreign = self.gone = 0
        self.deletions: list[list[tuple[IntArray, int]]] = [[] for _ in self._values]

    def add_published(self, digests: Digests, values: pl.DataFrame) -> None:
        """Add rows with the texts of their sensitive cells, in columns 0, 1, ..."""
        self._add(self._published, digests, values)

    def add_original(self, digests: Digests, values: pl.DataFrame) -> None:
        """Add records in the same way."""
        self._add(self._original, digests, values)

    def unlinked(
        self, domains: Sequence[Sequence[str]], most: int, linked: Callable[[Digests], NDArray[np.bool_]]
    ) -> list[Unlinked]:
        """Return for each column what rows show that may be several records; this can be done once.

        The rows of a digest are linked by themselves if ``linked`` says so. The attributes are known then;
        the deletions unless more records have no row than ``most``.
        """
        codes = [dict(zip(domain, range(len(domain)), strict=True)) for domain in domains]
        found = np.zeros((len(self._values), 4), dtype=np.int64)
        for part in range(self._parts):
            records = self._part(self._original, part, codes)
            rows = self._part(self._published, part, codes)
            classes = _sum(records, [_DIGEST]).join(
                _sum(rows, [_DIGEST]), on=_DIGEST, how="full", suffix="_shown", coalesce=True
            )
            missing = classes.select(
                _DIGEST,
                (pl.col(_ROWS).fill_null(0) - pl.col(f"{_ROWS}_shown").fill_null(0)).alias(_MISSING),
            )
            missing = missing.with_columns(pl.Series(_LINKED, linked(missing[_DIGEST].to_numpy())))
            self.gone += int(missing[_MISSING].clip(0).sum())
            self.foreign -= int(missing[_MISSING].clip(None, 0).sum())
            lacking = missing.filter(pl.col(_MISSING) > 0)
            for number, column in enumerate(self._values):
                if self.gone <= most:
                    self.deletions[number] += _deletions(records, lacking, column)
                found[number] += _unlinked(records, rows, missing, column)
        return [
            Unlinked(rows, shown, Fraction(held, max(1, whole)))
            for rows, shown, held, whole in found.tolist()
        ]

    def _add(self, spool: FrameSpool, digests: Digests, values: pl.DataFrame) -> None:
        frame = values.with_columns(pl.Series(_DIGEST, digests))
        # The least bits: the sample looks at the greatest.
        spool.add(frame, (digests % np.uint64(self._parts)).astype(np.int64))

    def _part(self, spool: FrameSpool, part: int, codes: Sequence[Mapping[str, int]]) -> pl.DataFrame:
        """Return how many rows of a part there are of each digest and values, as codes, -1 for others."""
        of_records = [pl.Series(name, [], dtype=pl.Int64) for name in (*self._values, _ROWS)]
        whole = pl.DataFrame([*of_records[:-1], pl.Series(_DIGEST, [], dtype=pl.UInt64), of_records[-1]])
        held = [*self._values, _DIGEST]
        for piece in spool.pieces(part):
            coded = piece.with_columns(
                pl.col(name).replace_strict(code, default=-1, return_dtype=pl.Int64)
                for name, code in zip(self._values, codes, strict=True)
            )
            counted = coded.group_by(held).agg(pl.len().cast(pl.Int64).alias(_ROWS))
            whole = pl.concat([whole, counted])
            if len(whole) > _MOST_ROWS:
                whole = _sum(whole, held)
        return _sum(whole, held)


def _sum(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    return frame.group_by(by).agg(pl.col(_ROWS).sum())


def _deletions(records: pl.DataFrame, lacking: pl.DataFrame, column: str) -> Iterator[tuple[IntArray, int]]:
    """Yield the values of each class that lacks records, and how many it lacks."""
    held = _sum(records.join(lacking.select(_DIGEST), on=_DIGEST), [_DIGEST, column])
    for digest, deleted in lacking.select(_DIGEST, _MISSING).iter_rows():
        values = held.filter(pl.col(_DIGEST) == digest)
        yield np.repeat(values[column].to_numpy(), values[_ROWS].to_numpy()), deleted


def _unlinked(
    records: pl.DataFrame, rows: pl.DataFrame, missing: pl.DataFrame, column: str
) -> tuple[int, int, int, int]:
    """Return the rows of unknown value, those that show the typical one, its records, and all of theirs."""
    by_value = _sum(records, [_DIGEST, column]).sort(_DIGEST, _ROWS, column, descending=[False, True, False])
    classes = by_value.group_by(_DIGEST, maintain_order=True).agg(
        pl.col(column).first().alias("typical"),
        pl.col(_ROWS).first().alias("held"),
        pl.col(_ROWS).sum().alias("whole"),
        pl.len().alias("values"),
    )
    unknown = classes.join(missing, on=_DIGEST).filter(
        (pl.col("values") > 1) | (pl.col(_MISSING) < 0) | ((pl.col("whole") > 1) & ~pl.col(_LINKED))
    )
    shown = _sum(rows, [_DIGEST, column]).join(unknown, on=_DIGEST)
    typical = shown.filter(pl.col(column) == pl.col("typical"))
    used = unknown.join(shown.select(_DIGEST).unique(), on=_DIGEST)
    return (
        int(shown[_ROWS].sum()),
        int(typical[_ROWS].sum()),
        int(used["held"].sum()),
        int(used["whole"].sum()),
    )
