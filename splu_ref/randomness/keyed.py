"""Keyed randomness: repeatable draws of records from HMAC-SHA-256 under a secret key."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import DataError, InputError
from splu_ref.randomness.byte_rules import ByteSource, candidate_width, candidates
from splu_ref.randomness.key import Key
from splu_ref.randomness.protocol import IntArray, require_subset, require_vector
from splu_ref.randomness.release_context import ReleaseContext, release_key
from splu_ref.randomness.sources import ShakeStream

PREFIX = b"splu-ref/keyed/2"
PLAN_PREFIX = b"splu-ref/keyed-plan/2"
GROUPS_PREFIX = b"splu-ref/keyed-groups/2"
DIGEST_BYTES = 32
ORDER_BYTES = slice(0, 8)
SHUFFLE_BYTES = slice(8, 16)
DRAW_BYTES = slice(16, 32)
_CHUNK = 1 << 16


def _column_message(column: str, prefix: bytes = PREFIX) -> bytes:
    name = column.encode("utf-8")
    return prefix + len(name).to_bytes(8, "big") + name


def record_digests(key: Key, column: str, identities: Sequence[bytes]) -> NDArray[np.uint8]:
    """Return block 0 of every record, shape (N, 32)."""
    start, block_zero = _column_message(column), bytes(8)
    secret, digest = key.secret, hmac.digest
    result = np.empty((len(identities), DIGEST_BYTES), dtype=np.uint8)
    for first in range(0, len(identities), _CHUNK):
        blocks = [
            digest(secret, start + len(identity).to_bytes(8, "big") + identity + block_zero, "sha256")
            for identity in identities[first : first + _CHUNK]
        ]
        result[first : first + _CHUNK] = np.frombuffer(b"".join(blocks), np.uint8).reshape(-1, DIGEST_BYTES)
    return result


class RecordTape(ByteSource):
    """The bytes of one record's draw: 16 to 31 of its digest, then the whole of the next blocks."""

    name = "keyed"

    def __init__(self, key: Key, column: str, identity: bytes) -> None:
        self._secret = key.secret
        self._message = _column_message(column) + len(identity).to_bytes(8, "big") + identity
        self._pending = self._block(0)[DRAW_BYTES]
        self._next_block = 1

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        while len(self._pending) < count:
            self._pending += self._block(self._next_block)
            self._next_block += 1
        data, self._pending = self._pending[:count], self._pending[count:]
        return data

    def _block(self, number: int) -> bytes:
        return hmac.digest(self._secret, self._message + number.to_bytes(8, "big"), "sha256")


class BlockStreams:
    """The random bytes of a column's plan or groups: a separate stream for each block."""

    def __init__(self, key: Key, column: str, prefix: bytes) -> None:
        self._secret = key.secret
        self._prefix = prefix
        self._message = _column_message(column, prefix)

    def block(self, number: int) -> ShakeStream:
        """Return the stream of one block; it starts again with each call."""
        secret = hmac.digest(self._secret, self._message + number.to_bytes(8, "big"), "sha256")
        return ShakeStream("keyed", self._prefix + secret)


def order_by_digest(digests: NDArray[np.uint8], part: slice, codes: IntArray | None = None) -> IntArray:
    """Return the records by (code, this part of the digest, the whole digest, record number)."""
    keys = np.ascontiguousarray(digests[:, part]).view(">u8")[:, 0].astype(np.uint64)
    order = np.lexsort((keys,) if codes is None else (keys, codes)).astype(np.int64, copy=False)
    same = keys[order[1:]] == keys[order[:-1]]
    if codes is not None:
        same &= codes[order[1:]] == codes[order[:-1]]
    # Two parts of 8 bytes agree about once in 2**64 pairs; such a run is put in order one by one.
    for first in np.flatnonzero(same & ~np.append(False, same)[:-1]).tolist():
        last = first + 1
        while last < len(same) and same[last]:
            last += 1
        run = slice(first, last + 1)
        order[run] = sorted(order[run].tolist(), key=lambda record: (digests[record].tobytes(), record))
    return order


class KeyedSource:
    """Randomness under a secret key; the draws depend on the table and the parameters of the release.

    Parameters
    ----------
    key
        The secret.
    """

    name = "keyed"

    def __init__(self, key: Key) -> None:
        self.key = key

    def for_release(self, context: ReleaseContext) -> KeyedRelease:
        """Return the randomness of one release; this calls ``context.records`` once."""
        return KeyedRelease(release_key(self.key, context))


class KeyedRelease:
    """Randomness under the key of one release: every draw is derived from a record.

    Parameters
    ----------
    key
        What `release_key` returns.
    """

    name = "keyed"

    def __init__(self, key: Key) -> None:
        self.key = key

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> KeyedRecords:
        """Return the draws for one sensitive column; this calls ``identities`` once."""
        return KeyedRecords(self.key, column, identities())


class KeyedRecords:
    """The draws of a table's records for one sensitive column of one release.

    Each record has one digest, HMAC-SHA-256 under the release's key of the column's name and the record's
    identity. Its first 8 bytes order the record among those of its value, the next 8 order the shuffle, and
    the last 16 are the tape of its draw. So every method is a function of the records, independent of their
    order in the file.

    Parameters
    ----------
    key
        The key of the release.
    column
        The sensitive column's name.
    identities
        One byte string per record.

    Raises
    ------
    DataError
        If two records have the same identity: they would always get the same draw.
    """

    name = "keyed"

    def __init__(self, key: Key, column: str, identities: Sequence[bytes]) -> None:
        _require_distinct(column, identities)
        self._key = key
        self._column = column
        self._identities = identities
        self._digests = record_digests(key, column, identities)
        self._bound: int | None = None

    @property
    def digests(self) -> NDArray[np.uint8]:
        """Block 0 of every record, shape (N, 32), for orders and shuffles."""
        return self._digests

    def below(self, bound: int, size: int) -> IntArray:
        """Return each record's integer below ``bound``; ``size`` must be the number of records.

        A record has one tape: calls with the same bound give the same integers, and another bound would read
        the same bytes again.

        Raises
        ------
        RuntimeError
            If integers below another bound were drawn before: draw once, below the product, and take both
            from the integer.
        """
        require_vector(bound, size)
        self._require_size(size)
        if self._bound not in (None, bound):
            raise RuntimeError(f"the records' tapes were read below {self._bound} already, not below {bound}")
        self._bound = bound
        draws = np.zeros(size, dtype=np.int64)
        if bound == 1:
            return draws
        bits, width = candidate_width(bound)
        tape = self._digests[:, DRAW_BYTES]
        pending = np.arange(size, dtype=np.int64)
        for start in range(0, tape.shape[1] - width + 1, width):
            drawn = candidates(tape[pending, start : start + width].tobytes(), bits)
            accepted = drawn < bound
            draws[pending[accepted]] = drawn[accepted].astype(np.int64)
            pending = pending[~accepted]
            if not len(pending):
                return draws
        for record in pending.tolist():  # every candidate in the first digest was rejected
            draws[record] = RecordTape(self._key, self._column, self._identities[record]).integer_below(bound)
        return draws

    def permutation(self, size: int) -> IntArray:
        """Return the records by bytes 8 to 15 of their digests; ``size`` must be the number of records."""
        self._require_size(size)
        return order_by_digest(self._digests, SHUFFLE_BYTES)

    def order_within(self, codes: IntArray) -> IntArray:
        """Return the records by code, and within a code by bytes 0 to 7 of their digests."""
        self._require_size(len(codes))
        return order_by_digest(self._digests, ORDER_BYTES, codes)

    def subset(self, population: int, count: int) -> IntArray:
        """Return the ``count`` records that come last in ``permutation``, ascending."""
        require_subset(population, count)
        return np.sort(self.permutation(population)[population - count :])

    def select_records(self, rows: IntArray) -> KeyedRecords:
        """Return the same draws for these records, in the given order."""
        restricted = object.__new__(KeyedRecords)
        restricted._key = self._key
        restricted._column = self._column
        restricted._identities = [self._identities[row] for row in rows.tolist()]
        restricted._digests = self._digests[rows]
        restricted._bound = self._bound
        return restricted

    def plan_secret(self) -> BlockStreams:
        """Return the streams of the column's decoy plan."""
        return BlockStreams(self._key, self._column, PLAN_PREFIX)

    def group_draws(self) -> BlockStreams:
        """Return the streams of the draws of the column's groups."""
        return BlockStreams(self._key, self._column, GROUPS_PREFIX)

    def _require_size(self, size: int) -> None:
        if size != len(self._digests):
            raise InputError(
                f"the keyed source is bound to {len(self._digests)} records, not {size}: "
                "use select_records(rows) after deleting records"
            )


def _require_distinct(column: str, identities: Sequence[bytes]) -> None:
    if len(set(identities)) == len(identities):
        return
    first_seen: dict[bytes, int] = {}
    for row, identity in enumerate(identities):
        earlier = first_seen.setdefault(identity, row)
        if earlier != row:
            shown = repr(identity if len(identity) <= 60 else identity[:57] + b"...")
            raise DataError(
                f"rows {earlier + 1} and {row + 1} have the same identity {shown}, so they would share their "
                f"draws for column {column!r}: choose an --id column without repeated values"
            )
