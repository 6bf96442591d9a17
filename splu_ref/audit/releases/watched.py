"""Randomness that hands on what another draws, and keeps it in a form that can be looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_ref.randomness import (
    Draws,
    IntArray,
    KeyedRelease,
    PlanSecret,
    Randomness,
    ReleaseContext,
    ReleaseRandomness,
    UniformSource,
)


class Drawn:
    """What was drawn for one sensitive column.

    Attributes
    ----------
    kept
        The records that were not deleted, ascending; their order is that of the other attributes.
    integers
        The uniform integer of each kept record, shape (kept,); where the draws of groups hang together, those
        below gamma that the groups drew, in this order.
    places
        The kept records by value, in the order of their places in the plan, shape (kept,).
    shuffle
        The kept record at each published row, shape (kept,); of the first column alone.
    """

    kept: IntArray
    integers: IntArray
    places: IntArray
    shuffle: IntArray


class WatchedDraws:
    """The draws of a table's records for one column, each noted: see `Draws`."""

    def __init__(self, draws: Draws, noted: Drawn) -> None:
        self.name = draws.name
        self._draws = draws
        self._noted = noted

    def below(self, bound: int, size: int) -> IntArray:
        """Note and return one integer for each record."""
        self._noted.integers = self._draws.below(bound, size)
        return self._noted.integers

    def permutation(self, size: int) -> IntArray:
        """Note and return the order of the rows."""
        self._noted.shuffle = self._draws.permutation(size)
        return self._noted.shuffle

    def order_within(self, codes: IntArray) -> IntArray:
        """Note and return the records by code."""
        self._noted.places = self._draws.order_within(codes)
        return self._noted.places

    def subset(self, population: int, count: int) -> IntArray:
        """Return the records to delete."""
        return self._draws.subset(population, count)

    def kept(self, rows: IntArray) -> WatchedDraws:
        """Note the records that are left, and return their draws."""
        self._noted.kept = rows
        return WatchedDraws(self._draws.kept(rows), self._noted)

    def plan_secret(self) -> PlanSecret:
        """Return what the plan is drawn from."""
        return self._draws.plan_secret()

    def group_draws(self) -> PlanSecret:
        """Return what the draws of groups are drawn from, watched."""
        self._noted.integers = np.empty(0, dtype=np.int64)
        return _WatchedGroups(self._draws.group_draws(), self._noted)


class _WatchedGroups:
    """What the draws of groups are drawn from, their integers noted."""

    def __init__(self, source: PlanSecret, noted: Drawn) -> None:
        self._source = source
        self._noted = noted

    def block(self, number: int) -> _WatchedStream:
        return _WatchedStream(self._source.block(number), self._noted)


class _WatchedStream:
    """A stream whose arrays of integers are noted, one after the other."""

    def __init__(self, stream: UniformSource, noted: Drawn) -> None:
        self.name = stream.name
        self._stream = stream
        self._noted = noted

    def integer_below(self, bound: int) -> int:
        return self._stream.integer_below(bound)

    def below(self, bound: int, size: int) -> IntArray:
        drawn = self._stream.below(bound, size)
        self._noted.integers = np.append(self._noted.integers, drawn)
        return drawn

    def coins(self, size: int) -> NDArray[np.bool_]:
        return self._stream.coins(size)

    def permutation(self, size: int) -> IntArray:
        return self._stream.permutation(size)

    def order_within(self, codes: IntArray) -> IntArray:
        return self._stream.order_within(codes)

    def subset(self, population: int, count: int) -> IntArray:
        return self._stream.subset(population, count)

    def block(self, number: int) -> UniformSource:
        return self


class WatchedRandomness:
    """The randomness of one table, and what was drawn of it.

    Attributes
    ----------
    columns
        What was drawn for each sensitive column.
    release_key
        The key of a keyed release, None for a stream.
    """

    def __init__(self, source: Randomness) -> None:
        self.name = source.name
        self.columns: dict[str, Drawn] = {}
        self.release_key: bytes | None = None
        self._source = source

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        """Return the randomness of the release, watched."""
        release = self._source.for_release(context)
        self.release_key = release.key.secret if isinstance(release, KeyedRelease) else None
        return _WatchedRelease(release, self.columns)


class _WatchedRelease:
    def __init__(self, release: ReleaseRandomness, columns: dict[str, Drawn]) -> None:
        self.name = release.name
        self._release = release
        self._columns = columns

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> Draws:
        self._columns[column] = Drawn()
        return WatchedDraws(self._release.for_records(column, identities), self._columns[column])
