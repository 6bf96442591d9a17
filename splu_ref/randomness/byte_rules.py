"""The rules from a stream of bytes to uniform integers, orders and subsets."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from splu_ref.randomness.orders import draw_subset, random_order
from splu_ref.randomness.protocol import IntArray, SingleStream, require_bound, require_size, require_vector


def candidate_width(bound: int) -> tuple[int, int]:
    """Return (bits, bytes) of one candidate for an integer below ``bound``, which is at least 2."""
    bits = (bound - 1).bit_length()
    return bits, (bits + 7) // 8


def candidates(data: bytes, bits: int) -> NDArray[np.unsignedinteger]:
    """Read ``data`` as big-endian integers of ⌈bits/8⌉ bytes each, and keep their low ``bits`` bits.

    ``bits`` is at most 64; the length of ``data`` is a multiple of the width.
    """
    width = (bits + 7) // 8
    stored = 1 << (width - 1).bit_length()  # the next width that has an integer type: 1, 2, 4 or 8
    if stored == width:
        words = np.frombuffer(data, dtype=f">u{width}")
    else:
        padded = np.zeros((len(data) // width, stored), dtype=np.uint8)
        padded[:, stored - width :] = np.frombuffer(data, dtype=np.uint8).reshape(-1, width)
        words = padded.view(f">u{stored}")[:, 0]
    return words if bits == 8 * width else words & words.dtype.type((1 << bits) - 1)


class ByteSource(SingleStream, ABC):
    """A source that turns a stream of uniform bytes into choices.

    Subclasses provide the bytes. The same bytes give the same choices in every subclass, and no other bytes
    are read than the rules require.
    """

    name: str

    @abstractmethod
    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes of the stream."""

    def integer_below(self, bound: int) -> int:
        """Return a uniform integer from 0 to ``bound - 1``: mask and reject.

        One candidate is ⌈b/8⌉ bytes, big-endian, masked to its low b bits, b the bit length of
        ``bound - 1``. The first candidate below ``bound`` is the integer. A bound of 1 reads nothing.
        """
        require_bound(bound)
        if bound == 1:
            return 0
        bits, width = candidate_width(bound)
        mask = (1 << bits) - 1
        while True:
            candidate = int.from_bytes(self.read(width), "big") & mask
            if candidate < bound:
                return candidate

    def below(self, bound: int, size: int) -> IntArray:
        """Return ``size`` integers below ``bound``: the bytes and results of as many ``integer_below``."""
        require_vector(bound, size)
        if bound == 1 or size == 0:
            return np.zeros(size, dtype=np.int64)
        bits, width = candidate_width(bound)
        if bound == 1 << bits:
            return candidates(self.read(size * width), bits).astype(np.int64)
        result = np.empty(size, dtype=np.int64)
        filled = 0
        while filled < size:
            drawn = candidates(self.read((size - filled) * width), bits)
            accepted = np.compress(drawn < bound, drawn)  # five times faster than indexing by a mask
            result[filled : filled + len(accepted)] = accepted
            filled += len(accepted)
        return result

    def coins(self, size: int) -> NDArray[np.bool_]:
        """Return ``size`` fair coins: the first bits of ⌈size/8⌉ bytes, most significant first."""
        require_size(size)
        data = np.frombuffer(self.read((size + 7) // 8), dtype=np.uint8)
        return np.unpackbits(data, count=size).view(np.bool_)

    def permutation(self, size: int) -> IntArray:
        """Return a uniform permutation; see ``random_order`` for the rule."""
        require_size(size)
        return random_order(self.below, size)

    def order_within(self, codes: IntArray) -> IntArray:
        """Return the records by ascending code, in a uniform order within each; see ``random_order``."""
        codes = np.asarray(codes, dtype=np.int64)
        return random_order(self.below, len(codes), codes)

    def subset(self, population: int, count: int) -> IntArray:
        """Return a uniform subset, ascending; see ``draw_subset`` for the rule."""
        return draw_subset(self.integer_below, population, count)
