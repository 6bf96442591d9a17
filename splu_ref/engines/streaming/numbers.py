"""The number of each record among those with the same cells, for tables that do not fit into memory.

Records are distributed by their digests to files, where identical ones meet, and their numbers are kept by
the place of the record in the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from splu_ref.engines.streaming.spool import PART_ENTRIES, RecordSpool
from splu_ref.randomness import IntArray

_WORDS = 4  # of a digest
_SEEN = np.dtype([("digest", np.uint64, _WORDS), ("row", np.int64)])
_NUMBERED = np.dtype([("row", np.int64), ("number", np.int64)])
_ROWS = 1 << 16
"""Rows whose numbers stand in a file."""


class Numbers:
    """Counts identical records from the top of a table.

    Parameters
    ----------
    folder
        A folder of its own, which is made.
    parts
        To how many files records are distributed.
    """

    def __init__(self, folder: Path, parts: int) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self._seen = RecordSpool(folder / "seen", parts, _SEEN)
        self._rows = 0
        self._numbered: RecordSpool | None = None

    @property
    def written(self) -> int:
        """Bytes that were written."""
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
        """Return how many identical records stand above each of some rows, once all were added.

        Parameters
        ----------
        first, rows
            The first of them, counted from 0, and how many.
        """
        if self._numbered is None:
            self._numbered = self._number()
        numbers = np.zeros(rows, dtype=np.int64)
        for part in range(first // _ROWS, -(-(first + rows) // _ROWS)):
            found = self._numbered.part(part, keep=True)
            found = found[(found["row"] >= first) & (found["row"] < first + rows)]
            numbers[found["row"] - first] = found["number"]
        return numbers

    def _number(self) -> RecordSpool:
        """Keep the numbers that are not 0."""
        numbered = RecordSpool(self._folder / "numbered", 1 + self._rows // _ROWS, _NUMBERED)
        for part in range(len(self._seen.sizes)):
            for rows, numbers in self._in_part(part):
                above = np.flatnonzero(numbers)
                records = np.empty(len(above), dtype=_NUMBERED)
                records["row"], records["number"] = rows[above], numbers[above]
                numbered.add(records, records["row"] // _ROWS)
        return numbered

    def _in_part(self, part: int) -> Iterator[tuple[IntArray, IntArray]]:
        """Yield rows and their numbers: what stood above them is held once, with how often it did."""
        held, times = np.empty((0, _WORDS), dtype=np.uint64), np.empty(0, dtype=np.int64)
        for piece in self._seen.pieces(part, PART_ENTRIES):
            digests = np.concatenate([held, piece["digest"]])
            weights = np.concatenate([times, np.ones(len(piece), dtype=np.int64)])
            order = _sorted(digests)
            digests, weights = digests[order], weights[order]
            begins = np.flatnonzero(np.r_[True, (digests[1:] != digests[:-1]).any(axis=1)])
            before = np.cumsum(weights) - weights
            numbers = before - np.repeat(before[begins], np.diff(begins, append=len(digests)))
            new = order >= len(held)
            yield piece["row"][order[new] - len(held)], numbers[new]
            held, times = digests[begins], np.add.reduceat(weights, begins)


def _sorted(digests: NDArray[np.uint64]) -> IntArray:
    """Return the order of digests, in which equal ones stand as they stood."""
    order = np.argsort(digests[:, 0], kind="stable")
    ordered = digests[order]
    alike = ordered[1:, 0] == ordered[:-1, 0]
    if (ordered[1:][alike] == ordered[:-1][alike]).all():
        return order
    return np.lexsort(digests.T[::-1])
