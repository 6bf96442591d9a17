"""Sources of random bytes: the system's entropy, recorded bytes, and seeded streams for tests."""

from __future__ import annotations

import hashlib
import os

from splu_ref.channels import TapeExhaustedError
from splu_ref.randomness.byte_rules import ByteSource

try:
    from ssl import RAND_bytes as _random_bytes
except ImportError:  # a Python built without OpenSSL
    _random_bytes = os.urandom


class SystemSource(ByteSource):
    """Fresh bytes for every request: never stored, never repeated.

    The bytes come from OpenSSL's generator (AES-256 in counter mode, NIST SP 800-90A), which the operating
    system seeds and which draws a new seed in a forked process; where Python has no OpenSSL, from
    ``os.urandom`` itself. For the 4.8 MB that half a million records need, ``os.urandom`` takes about as long
    as both sorts together, OpenSSL a tenth of that.
    """

    name = "system"

    def read(self, count: int) -> bytes:
        """Return ``count`` fresh bytes; none is stored, so a forked process does not repeat its parent's."""
        return _random_bytes(count)


class TapeSource(ByteSource):
    """A source that replays recorded bytes, and raises an error at their end.

    Parameters
    ----------
    tape
        The bytes, in order.
    """

    name = "tape"

    def __init__(self, tape: bytes) -> None:
        self._tape = bytes(tape)
        self._consumed = 0

    @property
    def consumed(self) -> int:
        """Number of bytes read so far."""
        return self._consumed

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes.

        Raises
        ------
        TapeExhaustedError
            If fewer are left; none is consumed then.
        """
        left = len(self._tape) - self._consumed
        if count > left:
            raise TapeExhaustedError(
                f"the tape ran out: {count} bytes wanted, {left} left of {len(self._tape)}: lengthen the tape"
            )
        start = self._consumed
        self._consumed += count
        return self._tape[start : self._consumed]


class RecordingSource(ByteSource):
    """A source that records the bytes of another source, so that a tape can replay the release.

    With the recording the release can be reversed: it is as confidential as the original table.

    Parameters
    ----------
    source
        The recorded source.
    """

    def __init__(self, source: ByteSource) -> None:
        self.name = source.name
        self._source = source
        self._recorded = bytearray()

    @property
    def recorded(self) -> bytes:
        """All bytes read so far."""
        return bytes(self._recorded)

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes of the recorded source."""
        data = self._source.read(count)
        self._recorded += data
        return data


PREFIX = b"splu-ref/seeded/1"
BLOCK_BYTES = 4096


class ShakeStream(ByteSource):
    """An endless byte stream: block k, k = 0, 1, 2, …, is the first 4096 bytes of SHAKE-256(message ‖ k).

    The number k is big-endian and 8 bytes long.
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
        Bytes, or an integer, which is converted to its decimal digits in ASCII (with a ``-`` if negative).
    """

    def __init__(self, seed: int | bytes) -> None:
        text = seed if isinstance(seed, bytes) else b"%d" % seed
        super().__init__("seeded", PREFIX + len(text).to_bytes(8, "big") + text)
