"""The one interface through which every random choice of a release is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

IntArray: TypeAlias = NDArray[np.int64]


class UniformSource(Protocol):
    """Uniform integers, orders and subsets, drawn from one stated place.

    A mechanism takes a source as an argument and draws from nothing else. So the same code publishes
    with the system's entropy, repeats a release under a key, replays a recorded tape, and is run on
    every outcome of a small world.

    ``docs/specification/randomness.md`` says how bytes become each of these choices, and in which order
    a release makes them.
    """

    @property
    def name(self) -> str:
        """``"system"``, ``"seeded"``, ``"tape"``, ``"keyed"`` or ``"enumeration"``."""
        ...

    def integer_below(self, bound: int) -> int:
        """Return a uniform integer from 0 to ``bound - 1``; ``bound`` is at least 1."""
        ...

    def below(self, bound: int, size: int) -> IntArray:
        """Return ``size`` independent uniform integers below ``bound``, which is 1 to 2**63."""
        ...

    def permutation(self, size: int) -> IntArray:
        """Return a uniform permutation of ``0 … size - 1``: entry i is the item that stands at place i."""
        ...

    def order_within(self, codes: IntArray) -> IntArray:
        """Return the records grouped by ascending code, in a uniform order within each code.

        Parameters
        ----------
        codes
            One integer per record, shape (N,).

        Returns
        -------
        IntArray
            Record numbers, shape (N,). The orders within different codes are independent.
        """
        ...

    def subset(self, population: int, count: int) -> IntArray:
        """Return a uniform subset of ``count`` of the numbers ``0 … population - 1``, ascending."""
        ...

    def kept(self, rows: IntArray) -> UniformSource:
        """Return the source for these rows alone, once the others are deleted.

        A source that reads a stream returns itself. A keyed source holds one digest per record, and keeps
        those of ``rows``, in the order given.
        """
        ...

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> UniformSource:
        """Return the source for one sensitive column of one table.

        Parameters
        ----------
        column
            The sensitive column's name.
        identities
            Called only by a keyed source: one byte string per record, all different.

        Returns
        -------
        UniformSource
            The source itself if it reads a stream.
        """
        ...

    def plan_secret(self) -> UniformSource:
        """Return the stream from which a secret decoy plan is drawn.

        A source that reads a stream returns itself. A keyed source that is bound to a column returns a
        stream that depends on the key and the column alone.
        """
        ...
