"""The content digest of a table larger than memory, and the numbers of its identical records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.data import (
    Microdata,
    ascending_records,
    content_digest,
    content_keys,
    packed_records,
)
from splu_ref.mechanisms.streaming.files import PART_BYTES, PART_ENTRIES, FrameSpool, RecordSpool
from splu_ref.randomness import IntArray

_MOST_ROWS = 1 << 20
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
        self._bounds: list[pl.Series] = []  # by column, of the first row of each part but the first
        self._spool: FrameSpool | None = None
        self._waiting = None if shuffled else FrameSpool(folder / "waiting", 1)
        self._sample: list[tuple[int, int, tuple[str, ...]]] = []
        self._below = 1 << 64

    @property
    def written(self) -> int:
        """Bytes written so far."""
        return sum(spool.written for spool in (self._spool, self._waiting) if spool is not None)

    def add(self, table: Microdata) -> None:
        """Add rows."""
        if self._waiting is not None:
            self._choose(table, int(self._waiting.sizes[0]))
            self._waiting.add(table.to_frame(), np.zeros(table.row_count, dtype=np.int64))
            return
        if self._spool is None:
            self._divide(table)
        self._distribute(table)

    def _choose(self, table: Microdata, first: int) -> None:
        """Add evenly distributed rows to the sample, and thin it once it is too large."""
        spread = np.arange(first, first + table.row_count, dtype=np.uint64) * _SPREAD
        chosen = np.flatnonzero(spread <= np.uint64(self._below - 1))
        contents = [(texts, codes[chosen]) for texts, codes in table.contents()]
        sizes = packed_records(contents).bin.size().to_list()
        cells = zip(*(texts.gather(codes).to_list() for texts, codes in contents), strict=True)
        self._sample += zip(spread[chosen].tolist(), sizes, cells, strict=True)
        while sum(size for _, size, _ in self._sample) > _SAMPLE_BYTES and len(self._sample) > 1:
            self._below //= 2
            self._sample = [each for each in self._sample if each[0] < self._below]

    def _divide(self, sample: Microdata) -> None:
        contents = sample.contents()
        keys = content_keys(contents)
        order = np.argsort(keys)
        rows = order[np.linspace(0, len(order), self._wanted, endpoint=False).astype(np.int64)[1:]]
        rows = rows[np.unique(keys[rows], return_index=True)[1]]
        self._bounds = [texts.gather(codes[rows]) for texts, codes in contents]
        self._spool = FrameSpool(self._folder / "sorted", len(rows) + 1)

    def _distribute(self, table: Microdata) -> None:
        assert self._spool is not None
        both = [
            (pl.concat([texts, bounds]), np.r_[codes, len(texts) + np.arange(len(bounds))])
            for (texts, codes), bounds in zip(table.contents(), self._bounds, strict=True)
        ]
        keys, bounds = np.split(content_keys(both), [table.row_count])
        self._spool.add(table.to_frame(), np.searchsorted(bounds, keys, side="right"))

    def digest(self) -> str:
        """Return the digest of all rows, once: see `Microdata.content_digest`."""
        if self._waiting is not None:
            cells = [cells for _, _, cells in self._sample]
            schema = dict.fromkeys(self._columns, pl.String)
            self._divide(Microdata.from_frame(pl.DataFrame(cells, schema=schema, orient="row")))
            for piece in self._waiting.pieces(0):
                self._distribute(Microdata.from_frame(piece))
        return content_digest(self._columns, self._ordered())

    def _ordered(self) -> Iterator[pl.Series]:
        assert self._spool is not None
        for part in np.flatnonzero(self._spool.sizes).tolist():
            rows, times = pl.DataFrame(), np.zeros(0, dtype=np.int64)
            for piece in self._spool.pieces(part):
                rows = pl.concat([rows, piece]) if len(rows) else piece
                times = np.r_[times, np.ones(len(piece), dtype=np.int64)]
                if len(rows) > _MOST_ROWS:  # of many rows, a repeated one is stored once
                    rows, times = _merged(rows, times)
            yield from ascending_records(Microdata.from_frame(rows.rechunk()).contents(), times)


def _merged(rows: pl.DataFrame, times: IntArray) -> tuple[pl.DataFrame, IntArray]:
    """Return the distinct rows, and how often each occurs."""
    rows = rows.rechunk()
    keys = content_keys(Microdata.from_frame(rows).contents())
    _, first, places = np.unique(keys, return_index=True, return_inverse=True)
    totals = np.zeros(len(first), dtype=np.int64)
    np.add.at(totals, places, times)
    return rows[first], totals


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
