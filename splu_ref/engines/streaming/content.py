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


class Content:
    """The rows of a published table, sorted on disk.

    Parameters
    ----------
    folder
        A folder of its own, which is made.
    columns
        The names of the columns.
    parts
        About how many parts the rows are distributed to. The first rows decide where they are divided: rows
        come in random order, so those are a sample of all.
    """

    def __init__(self, folder: Path, columns: Sequence[str], parts: int) -> None:
        self._folder = folder
        self._columns = columns
        self._wanted = parts
        self._borders = pl.Series([], dtype=pl.Binary)
        self._spool: FrameSpool | None = None

    @property
    def written(self) -> int:
        """Bytes that were written."""
        return 0 if self._spool is None else self._spool.written

    def add(self, table: Microdata) -> None:
        """Add rows."""
        records = pl.Series(table.content_records(), dtype=pl.Binary)
        if self._spool is None:
            ordered = records.sort()
            places = np.linspace(0, len(ordered), self._wanted, endpoint=False).astype(np.int64)[1:]
            self._borders = ordered.gather(places).unique().sort()
            self._spool = FrameSpool(self._folder, len(self._borders) + 1)
        parts: IntArray = self._borders.search_sorted(records, side="right").to_numpy().astype(np.int64)
        self._spool.add(pl.DataFrame({_ROW: records}), parts)

    def digest(self) -> str:
        """Return the digest of all rows: see `Microdata.content_digest`. This can be done once."""
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
