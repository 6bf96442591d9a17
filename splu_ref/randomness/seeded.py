"""Endless reproducible streams, and the one that a seed makes: for tests, never for publishing."""

from __future__ import annotations

import hashlib

from splu_ref.randomness.byte_rules import ByteSource

PREFIX = b"splu-ref/seeded/1"
BLOCK_BYTES = 4096


class ShakeStream(ByteSource):
    """An endless byte stream: block k, k = 0, 1, 2, …, is the first 4096 bytes of SHAKE-256(message ‖ k).

    The number k is big-endian and 8 bytes long.

    Parameters
    ----------
    name
        See `Draws.name`.
    message
        No two streams may have messages of which one starts with the other.
    """

    def __init__(self, name: str, message: bytes) -> None:
        self.name = name
        self._message = message
        self._next_block = 0
        self._pending = b""

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        blocks = [self._pending]
        missing = count - len(self._pending)
        while missing > 0:
            message = self._message + self._next_block.to_bytes(8, "big")
            blocks.append(hashlib.shake_256(message).digest(BLOCK_BYTES))
            self._next_block += 1
            missing -= BLOCK_BYTES
        data = b"".join(blocks)
        self._pending = data[count:]
        return data[:count]


class SeededSource(ShakeStream):
    """An endless byte stream made from a seed: for tests only, since a seed can be guessed.

    The message is the prefix ``splu-ref/seeded/1``, the seed's length in bytes, and the seed.

    Parameters
    ----------
    seed
        Bytes, or an integer, which stands for its decimal digits in ASCII (with a ``-`` if negative).
    """

    def __init__(self, seed: int | bytes) -> None:
        text = seed if isinstance(seed, bytes) else b"%d" % seed
        super().__init__("seeded", PREFIX + len(text).to_bytes(8, "big") + text)
