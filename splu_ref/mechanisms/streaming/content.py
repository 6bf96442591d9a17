"""The content digest of a table larger than memory, and the numbers of its identical records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.data import Microdata, content_digest
from splu_ref.mechanisms.streaming.files import PART_BYTES, PART_ENTRIES, FrameSpool, RecordSpool
from splu_ref.randomness import IntArray

_ROW, _TIMES = "row", "times"
_MOST_ROWS = 1 << 20
_AT_ONCE = 1 << 14
_SAMPLE_BYTES = 1 << 23
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio: its multiples are evenly distributed."""


class Content:
    """The rows of a published table, sorted on disk.

    Rows are distributed to about ``parts`` parts, divided at quantiles of a sample. If the rows are
    ``shuffled``, the first ones are the sample; otherwise rows wait until a systematic sample is complete.
    ``folder`` is created.
    """

    def __init__(self, folder: Path, columns: Sequence[str], parts: int, *, shuffled: bool = False) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._columns = columns
        self._wanted = parts
        self._bounds = pl.Series([], dtype=pl.Binary)
        self._spool: FrameSpool | None = None
        self._waiting = None if shuffled else FrameSpool(folder / "waiting", 1)
        self._sample: list[tuple[int, bytes]] = []
        self._below = 1 << 64

    @property
    def written(self) -> int:
        """Bytes written so far."""
        return sum(spool.written for spool in (self._spool, self._waiting) if spool is not None)

    def add(self, table: Microdata) -> None:
        """Add rows."""
        records = table.content_series()
        if self._waiting is None:
            if self._spool is None:
                self._divide(records)
            self._distribute(records)
            return
        self._choose(records, int(self._waiting.sizes[0]))
        self._waiting.add(pl.DataFrame({_ROW: records}), np.zeros(len(records), dtype=np.int64))

    def _choose(self, records: pl.Series, first: int) -> None:
        """Add evenly distributed rows to the sample, and thin it once it is too large."""
        spread = np.arange(first, first + len(records), dtype=np.uint64) * _SPREAD
        chosen = np.flatnonzero(spread <= np.uint64(self._below - 1))
        self._sample += zip(spread[chosen].tolist(), records.gather(chosen).to_list(), strict=True)
        while sum(len(record) for _, record in self._sample) > _SAMPLE_BYTES and len(self._sample) > 1:
            self._below //= 2
            self._sample = [each for each in self._sample if each[0] < self._below]

    def _divide(self, sample: pl.Series) -> None:
        ordered = sample.sort()
        places = np.linspace(0, len(ordered), self._wanted, endpoint=False).astype(np.int64)[1:]
        self._bounds = ordered.gather(places).unique().sort()
        self._spool = FrameSpool(self._folder / "sorted", len(self._bounds) + 1)

    def _distribute(self, records: pl.Series) -> None:
        assert self._spool is not None
        parts: IntArray = self._bounds.search_sorted(records, side="right").to_numpy().astype(np.int64)
        self._spool.add(pl.DataFrame({_ROW: records}), parts)

    def digest(self) -> str:
        """Return the digest of all rows, once: see `Microdata.content_digest`."""
        if self._waiting is not None:
            self._divide(pl.Series([record for _, record in self._sample], dtype=pl.Binary))
            for piece in self._waiting.pieces(0):
                self._distribute(piece[_ROW])
        return content_digest(self._columns, self._ordered())

    def _ordered(self) -> Iterator[pl.Series]:
        assert self._spool is not None
        for part in range(len(self._spool.sizes)):
            rows = pl.DataFrame(schema={_ROW: pl.Binary, _TIMES: pl.UInt32})
            for piece in self._spool.pieces(part):
                rows = pl.concat([rows, piece.with_columns(pl.lit(1, pl.UInt32).alias(_TIMES))])
                if len(rows) > _MOST_ROWS:  # of many rows, a repeated one is stored once
                    rows = _add_counts(rows)
            for some in rows.sort(_ROW).iter_slices(_AT_ONCE):
                yield some[_ROW].gather(np.repeat(np.arange(some.height), some[_TIMES].to_numpy()))


def _add_counts(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by(_ROW).agg(pl.col(_TIMES).sum())


def parts_of(size: int) -> int:
    """Return the number of parts for rows of so many bytes."""
    return 1 + size // PART_BYTES


_WORDS = 4  # of a digest
_SEEN = np.dtype([("digest", np.uint64, _WORDS), ("row", np.int64)])
_NUMBERED = np.dtype([("row", np.int64), ("number", np.int64)])
_ROWS = 1 << 16
"""Number of rows whose numbers are in one file."""


class DuplicateNumbers:
    """The numbers of identical records of a table, counted from its top in ``parts`` temporary files."""

    def __init__(self, folder: Path, parts: int) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._seen = RecordSpool(folder / "seen", parts, _SEEN)
        self._rows = 0
        self._numbered: RecordSpool | None = None

    @property
    def written(self) -> int:
        """Bytes written so far."""
        return self._seen.written + (0 if self._numbered is None else self._numbered.written)

    def add(self, digests: Sequence[bytes]) -> None:
        """Add the next rows of the table, by the digests of their records, 32 bytes each."""
        records = np.empty(len(digests), dtype=_SEEN)
        records["digest"] = np.frombuffer(b"".join(digests), dtype=np.uint64).reshape(-1, _WORDS)
        records["row"] = np.arange(self._rows, self._rows + len(digests))
        parts = records["digest"][:, 0] % np.uint64(len(self._seen.sizes))
        self._seen.add(records, parts.astype(np.int64))
        self._rows += len(digests)

    def of(self, first: int, rows: int) -> IntArray:
        """Return for ``rows`` rows from number ``first`` on how many identical records precede each of them.

        All records must have been added.
        """
        if self._numbered is None:
            self._numbered = self._number()
        numbers = np.zeros(rows, dtype=np.int64)
        for part in range(first // _ROWS, -(-(first + rows) // _ROWS)):
            records = self._numbered.part(part, keep=True)
            records = records[(records["row"] >= first) & (records["row"] < first + rows)]
            numbers[records["row"] - first] = records["number"]
        return numbers

    def _number(self) -> RecordSpool:
        """Store the numbers that are not 0."""
        numbered = RecordSpool(self._folder / "numbered", 1 + self._rows // _ROWS, _NUMBERED)
        for part in range(len(self._seen.sizes)):
            for rows, numbers in self._in_part(part):
                above = np.flatnonzero(numbers)
                records = np.empty(len(above), dtype=_NUMBERED)
                records["row"], records["number"] = rows[above], numbers[above]
                numbered.add(records, records["row"] // _ROWS)
        return numbered

    def _in_part(self, part: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield rows and their numbers; the distinct earlier digests are in memory with their counts."""
        earlier, times = np.empty((0, _WORDS), dtype=np.uint64), np.empty(0, dtype=np.int64)
        for piece in self._seen.pieces(part, PART_ENTRIES):
            digests = np.concatenate([earlier, piece["digest"]])
            weights = np.concatenate([times, np.ones(len(piece), dtype=np.int64)])
            order = _sorted(digests)
            digests, weights = digests[order], weights[order]
            begins = np.flatnonzero(np.r_[True, (digests[1:] != digests[:-1]).any(axis=1)])
            before = np.cumsum(weights) - weights
            numbers = before - np.repeat(before[begins], np.diff(begins, append=len(digests)))
            new = order >= len(earlier)
            yield piece["row"][order[new] - len(earlier)], numbers[new]
            earlier, times = digests[begins], np.add.reduceat(weights, begins)


def _sorted(digests: NDArray[np.uint64]) -> IntArray:
    """Return the stable order of digests."""
    order = np.argsort(digests[:, 0], kind="stable")
    ordered = digests[order]
    alike = ordered[1:, 0] == ordered[:-1, 0]
    if (ordered[1:][alike] == ordered[:-1][alike]).all():
        return order
    return np.lexsort(digests.T[::-1])
