"""How bytes become random choices: integers, coins, orders, subsets.

A release is a function of the table, its parameters and a sequence of random choices. The paper asks for "a random
decoy" (section 3) and leaves open how it is drawn; this module fixes it, so that two implementations make the same
choices of the same bytes, and read no byte more.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from splu_ref.spec.errors import TapeExhausted, require


class Stream(Protocol):
    """A sequence of bytes that is read from the front."""

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        ...


class Tape:
    """Recorded bytes. A tape that runs out is an error; it is never extended or restarted.

    >>> tape = Tape(bytes([1, 2, 3]))
    >>> tape.read(2), tape.consumed
    (b'\\x01\\x02', 2)
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.consumed = 0

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        if self.consumed + count > len(self.content):
            raise TapeExhausted("the tape ends here")
        self.consumed += count
        return self.content[self.consumed - count : self.consumed]


class SystemStream:
    """The system's entropy: the only stream to publish with."""

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes that nobody can predict."""
        return secrets.token_bytes(count)


class ShakeStream:
    """A stream that follows from a message: part k is 4096 bytes of SHAKE-256(message ‖ u64(k)), k = 0, 1, 2, …"""

    def __init__(self, message: bytes) -> None:
        self.message = message
        self.waiting = b""
        self.part = 0

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        while len(self.waiting) < count:
            self.waiting += hashlib.shake_256(self.message + u64(self.part)).digest(4096)
            self.part += 1
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken


def u64(number: int) -> bytes:
    """Return a number as 8 bytes, most significant first.

    >>> u64(258).hex()
    '0000000000000102'
    """
    return number.to_bytes(8, "big")


def seeded(seed: bytes) -> ShakeStream:
    """Return the stream of a seed, for tests: who guesses the seed can undo the release.

    An integer seed stands for its decimal digits.

    >>> seeded(b"42").read(4).hex()
    '698affb5'
    """
    return ShakeStream(b"splu-ref/seeded/1" + u64(len(seed)) + seed)


def integer_below(stream: Stream, bound: int) -> int:
    """Draw a uniform integer below ``bound`` by rejection sampling.

    As many bytes as the digits of ``bound`` - 1 need are read as an integer, of which the lowest bits are kept. A
    candidate that is not below the bound is rejected, and the next bytes are read. So every integer is exactly equally
    likely. If there is only one, nothing is read.

    >>> tape = Tape(bytes.fromhex("070dff0c00"))  # 7, 5 (of 13) and 7 (of 255) are rejected
    >>> integer_below(tape, 5), tape.consumed
    (4, 4)
    """
    require(bound >= 1, "there is no integer below 0")
    if bound == 1:
        return 0
    bits = (bound - 1).bit_length()
    width = (bits + 7) // 8
    while True:
        candidate = int.from_bytes(stream.read(width), "big") % (1 << bits)
        if candidate < bound:
            return candidate


def integers_below(stream: Stream, bound: int, size: int) -> list[int]:
    """Draw several integers, one after the other."""
    return [integer_below(stream, bound) for _ in range(size)]


def coins(stream: Stream, size: int) -> list[int]:
    """Draw fair coins: the bits of the next bytes, most significant first. Left-over bits are dropped.

    >>> coins(Tape(b"\\xb0"), 3)
    [1, 0, 1]
    """
    tossed = [byte >> place & 1 for byte in stream.read((size + 7) // 8) for place in range(7, -1, -1)]
    return tossed[:size]


def order_within(stream: Stream, codes: Sequence[int]) -> list[int]:
    """Draw a uniform order of items within their codes: sorted by code, and at random where codes are equal.

    Every item draws a key of 32 bits, and items are sorted by code, then key. Items of one code with equal keys tie: they
    draw again, in the order in which they stand (by item number among those that tie with each other), and so on until
    none tie. Entry i of the result is the item at place i.

    >>> keys = [5, 5, 5, 0xFFFFFFFF, 1]  # records 0 and 2 tie; record 1 has another code
    >>> order_within(Tape(b"".join(key.to_bytes(4, "big") for key in keys)), [1, 0, 1])
    [1, 2, 0]
    """
    items = range(len(codes))
    if len(codes) <= 1:
        return list(items)
    keys = [(codes[item], integer_below(stream, 2**32)) for item in items]
    while True:
        standing = sorted(items, key=lambda item: (keys[item], item))
        holders = Counter(keys)
        tied = [item for item in standing if holders[keys[item]] > 1]
        if not tied:
            return standing
        for item in tied:
            keys[item] += (integer_below(stream, 2**32),)  # type: ignore[assignment]


def permutation(stream: Stream, size: int) -> list[int]:
    """Draw a uniform order of ``size`` items: the shuffle.

    >>> permutation(Tape(bytes.fromhex("00000002 00000003 00000001")), 3)
    [2, 0, 1]
    """
    return order_within(stream, [0] * size)


def subset(stream: Stream, population: int, count: int) -> list[int]:
    """Draw a uniform subset of ``count`` of the numbers below ``population``, ascending.

    The i-th draw is an integer below those not yet taken, and takes the one at that place.

    >>> subset(Tape(bytes([6, 0, 3, 2])), 7, 3)  # 6 takes 6, 0 takes 0, 3 takes 4 of 1, 2, 3, 4, 5
    [0, 4, 6]
    """
    require(0 <= count <= population, "a subset has at most all members")
    taken: list[int] = []
    for drawn in range(count):
        number = integer_below(stream, population - drawn)
        for smaller in sorted(taken):  # pass over what is taken already
            if smaller <= number:
                number += 1
        taken.append(number)
    return sorted(taken)
