"""Random choices of a release that is made part by part: of a stream, or of each record's own bytes.

Both sort by distribution: a record comes to one of several parts by the beginning of its key, and each part
is put in order by itself. Of a stream, the beginning is a uniform integer, and the order within a part a
uniform order; so the whole order is exactly uniform. Under a key, both are those of the record's digest.
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
from splu_ref.mechanisms.group_draws import draw_rule, draws
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
    ordered_by_digest,
)

BEGINNINGS = 1 << 16
"""Values of the beginning of a key."""

Keys = NDArray[np.generic]
"""What the order of a record is made of, one for each record."""


class Choices(ABC):
    """The random choices of one release.

    Attributes
    ----------
    name
        Of the source.
    kind
        The type of a record's key.
    """

    name: str
    kind: np.dtype[np.generic]

    @abstractmethod
    def drawn(
        self, column: str, mechanism: SpluGen, size: int, identities: Sequence[bytes]
    ) -> tuple[Keys, IntArray]:
        """Return the keys and draws of some records for one sensitive column, each of shape (``size``,)."""

    @abstractmethod
    def draws_for(self, identities: Sequence[bytes]) -> Callable[[str], Draws]:
        """Return where random integers of some records come from, by sensitive column."""

    @abstractmethod
    def keys(self, draws: Draws, size: int) -> Keys:
        """Return the keys of some records, from their draws for one column, for the shuffle alone."""

    @abstractmethod
    def part_of_shuffle(self, keys: Keys, parts: int) -> IntArray:
        """Return which of the equal parts of the shuffled table each record comes to."""

    @abstractmethod
    def shuffle(self, keys: Keys, rows: pl.DataFrame) -> IntArray:
        """Return the rows of one part of the table, by their first column's keys, in their final order."""

    @abstractmethod
    def beginnings(self, keys: Keys) -> IntArray:
        """Return the beginnings of the keys that order records within their values."""

    @abstractmethod
    def order_within(self, codes: IntArray, keys: Keys) -> IntArray:
        """Return the records of a part of a column by code, and in random or keyed order within each."""

    @abstractmethod
    def plan_secret(self, column: str) -> PlanSecret:
        """Return the secret of a column's plan."""


class Stream(UniformSource, Draws, Protocol):
    """A stream of random integers, which belong to no record: that of all columns and of all records."""


class StreamChoices(Choices):
    """Choices of a stream; a key is the beginning that was drawn of it, and later ones are drawn when asked.

    Parameters
    ----------
    source
        The stream.
    """

    kind = np.dtype(np.uint16)

    def __init__(self, source: Stream) -> None:
        self.name = source.name
        self._source = source

    def drawn(
        self, column: str, mechanism: SpluGen, size: int, identities: Sequence[bytes]
    ) -> tuple[Keys, IntArray]:
        """Draw the beginnings, then the draws."""
        del column, identities
        keys = self._source.below(BEGINNINGS, size).astype(self.kind)
        rule = draw_rule(mechanism.gamma, mechanism.retention)
        return keys, rule.draw(self._source.below(rule.bound, size))

    def draws_for(self, identities: Sequence[bytes]) -> Callable[[str], Draws]:
        """Return the stream."""
        del identities
        return lambda _: self._source

    def keys(self, draws: Draws, size: int) -> Keys:
        """Return nothing that matters: parts and orders of the shuffle are drawn."""
        del draws
        return np.zeros(size, dtype=self.kind)

    def part_of_shuffle(self, keys: Keys, parts: int) -> IntArray:
        """Draw a part for each record: its key has to do with the order within its value."""
        return self._source.below(parts, len(keys))

    def shuffle(self, keys: Keys, rows: pl.DataFrame) -> IntArray:
        """Draw an order."""
        return self._source.permutation(len(keys))

    def beginnings(self, keys: Keys) -> IntArray:
        """Return the keys."""
        return keys.astype(np.int64)

    def order_within(self, codes: IntArray, keys: Keys) -> IntArray:
        """Draw an order within code and beginning."""
        return self._source.order_within(codes * BEGINNINGS + keys.astype(np.int64))

    def plan_secret(self, column: str) -> PlanSecret:
        """Return the stream."""
        return self._source


class KeyedChoices(Choices):
    """Choices under the key of a release; a key is the digest of a record.

    Parameters
    ----------
    release
        The key of the release as randomness.
    id_column
        The column that identifies a record, for messages; None if its cells do.
    """

    name = "keyed"
    kind = np.dtype(f"V{DIGEST_BYTES}")

    def __init__(self, release: KeyedRelease, id_column: str | None) -> None:
        self._release = release
        self._id_column = id_column

    def drawn(
        self, column: str, mechanism: SpluGen, size: int, identities: Sequence[bytes]
    ) -> tuple[Keys, IntArray]:
        """Return the records' digests and draws."""
        records = self.draws_for(identities)(column)
        return self.keys(records, size), draws(records, mechanism.gamma, mechanism.retention, size)

    def draws_for(self, identities: Sequence[bytes]) -> Callable[[str], Draws]:
        """Return the records' own draws, made once for each column."""
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
        """Return the records by their digests' bytes for the shuffle.

        Raises
        ------
        DataError
            If two records have the same digest: the same identity.
        """
        digests = _digests(keys)
        order = ordered_by_digest(digests, SHUFFLE_BYTES)
        same = np.flatnonzero((digests[order[1:]] == digests[order[:-1]]).all(axis=1))
        if len(same):
            assert self._id_column is not None, "numbered among identical records"
            held = str(rows[self._id_column][int(order[same[0]])])
            shown = repr(held if len(held) <= 60 else f"{held[:57]}...")
            raise DataError(
                f"column {self._id_column!r} cannot identify records: two of them hold {shown}: choose a "
                "column without repeated values"
            )
        return order

    def beginnings(self, keys: Keys) -> IntArray:
        """Return the first bits of the bytes for the order."""
        return _bits(keys, ORDER_BYTES, 16)

    def order_within(self, codes: IntArray, keys: Keys) -> IntArray:
        """Return the records by code and their digests' bytes for the order."""
        return ordered_by_digest(_digests(keys), ORDER_BYTES, codes)

    def plan_secret(self, column: str) -> PlanSecret:
        """Return the streams of the column's plan."""
        return self._release.for_records(column, list).plan_secret()


def _digests(keys: Keys) -> NDArray[np.uint8]:
    return np.ascontiguousarray(keys).view(np.uint8).reshape(-1, DIGEST_BYTES)


def _bits(keys: Keys, part: slice, bits: int) -> IntArray:
    words = np.ascontiguousarray(_digests(keys)[:, part]).view(">u8")[:, 0]
    return (words >> np.uint64(64 - bits)).astype(np.int64)
