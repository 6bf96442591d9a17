"""The bytes of a record of one release: HMAC-SHA-256 of a column's name and the record's identity."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from splu_ref.randomness.byte_rules import ByteSource
from splu_ref.randomness.key import Key
from splu_ref.randomness.protocol import IntArray
from splu_ref.randomness.seeded import ShakeStream

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
    """The bytes of one column that belong to no record: a stream of its own for each block of its plan.

    Parameters
    ----------
    key
        The key of the release.
    column
        The sensitive column's name.
    prefix
        What the bytes are for: `PLAN_PREFIX` or `GROUPS_PREFIX`.
    """

    def __init__(self, key: Key, column: str, prefix: bytes) -> None:
        self._secret = key.secret
        self._prefix = prefix
        self._message = _column_message(column, prefix)

    def block(self, number: int) -> ShakeStream:
        """Return the stream of one block; it begins anew with each call."""
        secret = hmac.digest(self._secret, self._message + number.to_bytes(8, "big"), "sha256")
        return ShakeStream("keyed", self._prefix + secret)


def ordered_by_digest(digests: NDArray[np.uint8], part: slice, codes: IntArray | None = None) -> IntArray:
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
