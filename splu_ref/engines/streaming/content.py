"""The digest of a table's content, for rows that come part by part and do not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path

import numpy as np
import polars as pl

from splu_ref.engines.streaming.spool import PART_BYTES, FrameSpool
from splu_ref.microdata import Microdata
from splu_ref.microdata.identities import content_digest
from splu_ref.randomness import IntArray

_ROW, _TIMES = "row", "times"
_MOST_ROWS = 1 << 20
_SAMPLE_BYTES = 1 << 23
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 over the golden ratio: its multiples are spread evenly, whatever repeats itself in a table."""


class Content:
    """The rows of a published table, sorted on disk.

    Parameters
    ----------
    folder
        A folder of its own, which is made.
    columns
        The names of the columns.
    parts
        About how many parts the rows are distributed to; a sample decides where they are divided.
    shuffled
        Whether rows come in random order. Then the first ones are a sample of all, and otherwise rows wait
        until a sample of all is there.
    """

    def __init__(self, folder: Path, columns: Sequence[str], parts: int, *, shuffled: bool = False) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._columns = columns
        self._wanted = parts
        self._borders = pl.Series([], dtype=pl.Binary)
        self._spool: FrameSpool | None = None
        self._waiting = None if shuffled else FrameSpool(folder / "waiting", 1)
        self._sample: list[tuple[int, bytes]] = []
        self._below = 1 << 64

    @property
    def written(self) -> int:
        """Bytes that were written."""
        return sum(spool.written for spool in (self._spool, self._waiting) if spool is not None)

    def add(self, table: Microdata) -> None:
        """Add rows."""
        records = pl.Series(table.content_records(), dtype=pl.Binary)
        if self._waiting is None:
            if self._spool is None:
                self._divide(records)
            self._distribute(records)
            return
        self._choose(records, int(self._waiting.sizes[0]))
        self._waiting.add(pl.DataFrame({_ROW: records}), np.zeros(len(records), dtype=np.int64))

    def _choose(self, records: pl.Series, first: int) -> None:
        """Take rows into the sample that are spread evenly, and fewer of all once they are too many."""
        spread = np.arange(first, first + len(records), dtype=np.uint64) * _SPREAD
        chosen = np.flatnonzero(spread <= np.uint64(self._below - 1))
        self._sample += zip(spread[chosen].tolist(), records.gather(chosen).to_list(), strict=True)
        while sum(len(record) for _, record in self._sample) > _SAMPLE_BYTES and len(self._sample) > 1:
            self._below //= 2
            self._sample = [each for each in self._sample if each[0] < self._below]

    def _divide(self, sample: pl.Series) -> None:
        ordered = sample.sort()
        places = np.linspace(0, len(ordered), self._wanted, endpoint=False).astype(np.int64)[1:]
        self._borders = ordered.gather(places).unique().sort()
        self._spool = FrameSpool(self._folder / "sorted", len(self._borders) + 1)

    def _distribute(self, records: pl.Series) -> None:
        assert self._spool is not None
        parts: IntArray = self._borders.search_sorted(records, side="right").to_numpy().astype(np.int64)
        self._spool.add(pl.DataFrame({_ROW: records}), parts)

    def digest(self) -> str:
        """Return the digest of all rows: see `Microdata.content_digest`. This can be done once."""
        if self._waiting is not None:
            self._divide(pl.Series([record for _, record in self._sample], dtype=pl.Binary))
            for piece in self._waiting.pieces(0):
                self._distribute(piece[_ROW])
        return content_digest(self._columns, self._ordered())

    def _ordered(self) -> Iterator[bytes]:
        assert self._spool is not None
        for part in range(len(self._spool.sizes)):
            rows = pl.DataFrame(schema={_ROW: pl.Binary, _TIMES: pl.UInt32})
            for piece in self._spool.pieces(part):  # however often a row is repeated, it is held once
                found = piece.group_by(_ROW).agg(pl.len().alias(_TIMES).cast(pl.UInt32))
                rows = pl.concat([rows, found])
                if len(rows) > _MOST_ROWS:
                    rows = _united(rows)
            for record, times in _united(rows).sort(_ROW).iter_rows():
                yield from repeat(record, times)


def _united(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by(_ROW).agg(pl.col(_TIMES).sum())


def parts_of(size: int) -> int:
    """Return the number of parts for rows of so many bytes."""
    return 1 + size // PART_BYTES
