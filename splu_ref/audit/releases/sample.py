"""The rows of a table larger than memory that are held: those that a salt chooses by their other cells.

The cells that are not sensitive stand in the original as in the release, so both choose the same records, all
that share their cells or none, and no draw has to do with it. Who does not know the salt cannot keep what he
alters out of the sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError
from splu_ref.randomness import IntArray, UniformSource

MOST_ROWS = 200_000
"""How many rows are held of a table, unless another number is given."""
SALTS = 1 << 63
"""How many salts there are."""
_ALIKE = 256  # so small a part of what may be held may share its cells

Digests = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How rows are chosen.

    Attributes
    ----------
    most
        How many are held of each table at most; none if it is 0.
    salt
        A number below `SALTS` that whoever published could not know.

    Raises
    ------
    ParameterError
        If one of them is out of range.
    """

    most: int
    salt: int

    def __post_init__(self) -> None:
        if self.most < 0:
            raise ParameterError(f"a sample of {self.most} rows: give at least 0")
        if not 0 <= self.salt < SALTS:
            raise ParameterError(f"the salt {self.salt} is out of range: give one from 0 to {SALTS - 1}")

    @classmethod
    def drawn(cls, most: int, source: UniformSource) -> Sampling:
        """Return a sampling with a salt from a source."""
        return cls(most, source.integer_below(SALTS))

    def digests(self, table: Microdata, columns: Sequence[str]) -> Digests:
        """Return a number for the cells of some columns of each row; a null counts as an empty text."""
        begun = blake2b(key=self.salt.to_bytes(8, "big"), digest_size=8)
        found = []
        # In the order in which they are named, which is not that of each table.
        named = table.to_frame().select(columns)
        records = Microdata.from_frame(named).content_records() if columns else [b""] * table.row_count
        for record in records:
            digest = begun.copy()
            digest.update(record)
            found.append(digest.digest())
        return np.frombuffer(b"".join(found), dtype=">u8").astype(np.uint64)


class Sample:
    """Rows of a table in the order of its file, those with small digests.

    How small is decided by the number of rows. Of a table with more rows than are held, records of which very
    many are alike are left out: they would fill the sample and tell nothing of each other. So what is in the
    sample does not depend on the order of the rows, unless it had to be cut.

    Parameters
    ----------
    most
        How many rows are held at most.
    like
        A sample of another table: only rows are taken that it would take.

    Attributes
    ----------
    below
        Rows of smaller digests alone are held.
    crowded
        Digests that are left out, ascending.
    places
        The place in the table of each row that is held, ascending.
    cut
        Whether the rows were more than may be held, because chance or the table made them so many.
    """

    def __init__(self, most: int, like: Sample | None = None) -> None:
        self._most, self._like = most, like
        self.below: int = (1 << 64) - 1 if like is None else like.below
        self.crowded: Digests = np.empty(0, dtype=np.uint64) if like is None else like.crowded
        self.places: IntArray = np.empty(0, dtype=np.int64)
        self.cut = False
        self._rows = pl.DataFrame()
        self._digests: Digests = np.empty(0, dtype=np.uint64)
        self._seen = 0

    def add(self, rows: pl.DataFrame, digests: Digests) -> None:
        """Add the next rows of the table."""
        before, self._seen = self._seen, self._seen + len(rows)
        narrower = self._like is None and self._seen > self._most
        if narrower:
            # The room that is left is five standard deviations where all are as many alike as may be.
            self.below = min(self.below, (3 * self._most << 62) // self._seen)
            self._keep()
        chosen = np.flatnonzero(self.takes(digests))
        self._rows = pl.concat([self._rows, rows[chosen]]) if self._rows.width else rows[chosen]
        self._digests = np.concatenate([self._digests, digests[chosen]])
        self.places = np.concatenate([self.places, before + chosen])
        if narrower:
            kinds, counts = np.unique(self._digests, return_counts=True)
            self.crowded = np.union1d(self.crowded, kinds[counts > max(1, self._most // _ALIKE)])
            self._keep()
        if len(self.places) > self._most:
            self.cut = True
            self.below = int(np.partition(self._digests, self._most)[self._most])
            self._keep()

    def agree(self, other: Sample) -> None:
        """Leave out what another sample leaves out."""
        self.below = min(self.below, other.below)
        self.crowded = np.union1d(self.crowded, other.crowded)
        self._keep()

    def table(self, missing: str | None = None) -> Microdata:
        """Return the rows."""
        return Microdata.from_frame(self._rows, missing, empty=True)

    def takes(self, digests: Digests) -> NDArray[np.bool_]:
        """Return which rows of these digests are held."""
        taken: NDArray[np.bool_] = digests < np.uint64(self.below)
        return taken & ~np.isin(digests, self.crowded)

    def _keep(self) -> None:
        held = self.takes(self._digests)
        if not held.all():
            self._rows = self._rows.filter(held)
            self._digests, self.places = self._digests[held], self.places[held]
