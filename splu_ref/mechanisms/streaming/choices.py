"""Random choices of a release in parts: from a stream of random integers, or keyed by record.

Both kinds sort by distribution: a record is assigned to a part by a prefix of its sort key, and each part is
sorted separately. With a stream the prefix is a uniform integer and the order within a part is uniform, so
the whole order is exactly uniform. With a secret key both are given by the digest of the record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.channels import DataError
from splu_ref.mechanisms.group_draws import draw_rule, independent_draws
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.randomness import (
    DIGEST_BYTES,
    ORDER_BYTES,
    SHUFFLE_BYTES,
    Draws,
    IntArray,
    KeyedRecords,
    KeyedRelease,
    PlanSecret,
    UniformSource,
    order_by_digest,
)

PREFIXES = 1 << 16
"""Number of prefixes of a sort key."""

Keys = NDArray[np.generic]
"""Sort keys, one for each record."""


class Choices(ABC):
    """The random choices of one release."""

    name: str  # name of the source
    kind: np.dtype[np.generic]  # type of a record's sort key

    @abstractmethod
    def draw(
        self, column: str, mechanism: SpluGen, size: int, identities: Sequence[bytes]
    ) -> tuple[Keys, IntArray]:
        """Return the sort keys and draws of some records for one sensitive column, each of shape (size,)."""

    @abstractmethod
    def draws_for(self, identities: Sequence[bytes]) -> Callable[[str], Draws]:
        """Return the function from a sensitive column to the draws of some records."""

    @abstractmethod
    def keys(self, draws: Draws, size: int) -> Keys:
        """Return the sort keys of some records for the shuffle alone, from their draws for one column."""

    @abstractmethod
    def part_of_shuffle(self, keys: Keys, parts: int) -> IntArray:
        """Return the part of the shuffled table of each record; parts are of equal size on average."""

    @abstractmethod
    def shuffle(self, keys: Keys, rows: pl.DataFrame) -> IntArray:
        """Return the final order of the rows of one part, by the sort keys of the first column."""

    @abstractmethod
    def prefixes(self, keys: Keys) -> IntArray:
        """Return the prefixes of the sort keys that order records within their values."""

    @abstractmethod
    def order_within(self, codes: IntArray, keys: Keys) -> IntArray:
        """Return the records of a part sorted by code, in random or keyed order within each code."""

    @abstractmethod
    def plan_secret(self, column: str) -> PlanSecret:
        """Return the secret of a column's plan."""


class Stream(UniformSource, Draws, Protocol):
    """A stream of random integers, shared by all columns and records."""


class StreamChoices(Choices):
    """Choices from a stream: a sort key is a random prefix; orders within a prefix are drawn on demand."""

    kind = np.dtype(np.uint16)

    def __init__(self, source: Stream) -> None:
        self.name = source.name
        self._source = source

    def draw(
        self, column: str, mechanism: SpluGen, size: int, identities: Sequence[bytes]
    ) -> tuple[Keys, IntArray]:
        """Draw the sort keys, then the draws."""
        del column, identities
        keys = self._source.below(PREFIXES, size).astype(self.kind)
        rule = draw_rule(mechanism.gamma, mechanism.retention)
        return keys, rule.draw(self._source.below(rule.bound, size))

    def draws_for(self, identities: Sequence[bytes]) -> Callable[[str], Draws]:
        """Return the stream."""
        del identities
        return lambda _: self._source

    def keys(self, draws: Draws, size: int) -> Keys:
        """Return zeros: parts and orders of the shuffle are drawn."""
        del draws
        return np.zeros(size, dtype=self.kind)

    def part_of_shuffle(self, keys: Keys, parts: int) -> IntArray:
        """Draw a part for each record; its sort key is used for the order within its value."""
        return self._source.below(parts, len(keys))

    def shuffle(self, keys: Keys, rows: pl.DataFrame) -> IntArray:
        """Draw an order."""
        return self._source.permutation(len(keys))

    def prefixes(self, keys: Keys) -> IntArray:
        """Return the sort keys."""
        return keys.astype(np.int64)

    def order_within(self, codes: IntArray, keys: Keys) -> IntArray:
        """Draw an order within code and prefix."""
        return self._source.order_within(codes * PREFIXES + keys.astype(np.int64))

    def plan_secret(self, column: str) -> PlanSecret:
        """Return the stream."""
        return self._source


class KeyedChoices(Choices):
    """Choices under the key of a release; the sort key of a record is its digest.

    ``id_column`` identifies the records, for messages; it is None if their cells do.
    """

    name = "keyed"
    kind = np.dtype(f"V{DIGEST_BYTES}")

    def __init__(self, release: KeyedRelease, id_column: str | None) -> None:
        self._release = release
        self._id_column = id_column

    def draw(
        self, column: str, mechanism: SpluGen, size: int, identities: Sequence[bytes]
    ) -> tuple[Keys, IntArray]:
        """Return the records' digests and draws."""
        records = self.draws_for(identities)(column)
        return self.keys(records, size), independent_draws(
            records, mechanism.gamma, mechanism.retention, size
        )

    def draws_for(self, identities: Sequence[bytes]) -> Callable[[str], Draws]:
        """Return the keyed draws of the records, computed once for each column."""
        return cache(lambda column: self._release.for_records(column, lambda: identities))

    def keys(self, draws: Draws, size: int) -> Keys:
        """Return the records' digests."""
        assert isinstance(draws, KeyedRecords)
        assert len(draws.digests) == size
        return np.ascontiguousarray(draws.digests).view(self.kind)[:, 0]

    def part_of_shuffle(self, keys: Keys, parts: int) -> IntArray:
        """Divide the range of the digests' bytes for the shuffle."""
        return _bits(keys, SHUFFLE_BYTES, 32) * parts >> 32

    def shuffle(self, keys: Keys, rows: pl.DataFrame) -> IntArray:
        """Return the records by their digests' bytes for the shuffle."""
        digests = _digests(keys)
        order = order_by_digest(digests, SHUFFLE_BYTES)
        same = np.flatnonzero((digests[order[1:]] == digests[order[:-1]]).all(axis=1))
        if len(same):
            assert self._id_column is not None, "numbered among identical records"
            cell = str(rows[self._id_column][int(order[same[0]])])
            quoted = repr(cell if len(cell) <= 60 else f"{cell[:57]}...")
            raise DataError(
                f"column {self._id_column!r} cannot identify records: two of them hold {quoted}: choose a "
                "column without repeated values"
            )
        return order

    def prefixes(self, keys: Keys) -> IntArray:
        """Return the first bits of the digests' bytes for the order."""
        return _bits(keys, ORDER_BYTES, 16)

    def order_within(self, codes: IntArray, keys: Keys) -> IntArray:
        """Return the records by code and their digests' bytes for the order."""
        return order_by_digest(_digests(keys), ORDER_BYTES, codes)

    def plan_secret(self, column: str) -> PlanSecret:
        """Return the streams of the column's plan."""
        return self._release.for_records(column, list).plan_secret()


def _digests(keys: Keys) -> NDArray[np.uint8]:
    return np.ascontiguousarray(keys).view(np.uint8).reshape(-1, DIGEST_BYTES)


def _bits(keys: Keys, part: slice, bits: int) -> IntArray:
    words = np.ascontiguousarray(_digests(keys)[:, part]).view(">u8")[:, 0]
    return (words >> np.uint64(64 - bits)).astype(np.int64)
