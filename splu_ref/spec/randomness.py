"""How bytes become random choices: integers, coins, orders and subsets.

A release is a function of the table, the parameters and a sequence of random choices. The paper (Fu and
others 2014, section 3.1, steps 2 to 4) says with which probabilities the choices are made and not how they
are drawn. This module fixes that, so that two implementations make the same choices from the same bytes and
read no byte more. Everything here is an addition of this specification.

The bytes come from one of three streams: the entropy of the system, to publish; a tape, to replay a release
and in vectors; a seeded stream, in tests only. No byte of the system is kept for a later request, so that two
processes never share any. A copy of a virtual machine that is publishing may repeat bytes; this specification
does not prevent that.

Bytes are written in hexadecimal. Items, records and places are numbered from 0. ``‖`` joins byte strings.
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
    r"""Recorded bytes, for replay and for test vectors.

    A tape that runs out is an error (``tape_exhausted``). It is never extended and never started again. A
    tape that is longer than needed is no error: ``consumed`` is the number of bytes that were read.

    >>> tape = Tape(bytes([1, 2, 3]))
    >>> tape.read(2), tape.consumed
    (b'\x01\x02', 2)
    >>> tape.read(2)
    Traceback (most recent call last):
    splu_ref.spec.errors.TapeExhausted: the tape has 1 of 2 bytes left
    """

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.consumed = 0

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        left = len(self.content) - self.consumed
        if count > left:
            raise TapeExhausted(f"the tape has {left} of {count} bytes left")
        self.consumed += count
        return self.content[self.consumed - count : self.consumed]


class SystemStream:
    """The entropy of the operating system, with which a table is published unless a key is given."""

    def read(self, count: int) -> bytes:
        """Return ``count`` bytes that nobody can predict."""
        return secrets.token_bytes(count)


class ShakeStream:
    """A stream of bytes that follows from a message.

    Part k, for k = 0, 1, 2, …, is the first 4096 bytes of SHAKE-256(message ‖ u64(k)). The parts are read
    one after the other.

    >>> ShakeStream(b"splu").read(4).hex()
    '6c2ace9d'
    """

    def __init__(self, message: bytes) -> None:
        self.message = message
        self.pending = b""
        self.part = 0

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        while len(self.pending) < count:
            self.pending += hashlib.shake_256(self.message + u64(self.part)).digest(4096)
            self.part += 1
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken


def u64(number: int) -> bytes:
    """Return a number as 8 bytes, most significant byte first.

    >>> u64(258).hex()
    '0000000000000102'
    """
    return number.to_bytes(8, "big")


def seeded(seed: bytes) -> ShakeStream:
    """Return the stream of a seed, for tests.

    It is the `ShakeStream` of the message ``splu-ref/seeded/1`` ‖ u64(length of the seed) ‖ seed. An integer
    seed stands for its decimal digits in ASCII. A seed can be guessed, and with it a release can be undone:
    a table is never published with a seed.

    >>> seeded(b"42").read(4).hex()
    '698affb5'
    """
    return ShakeStream(b"splu-ref/seeded/1" + u64(len(seed)) + seed)


def integer_below(stream: Stream, bound: int) -> int:
    """Draw a uniform integer from 0 to ``bound`` - 1.

    1. If ``bound`` is 1, the integer is 0 and nothing is read.
    2. Let b be the number of binary digits of ``bound`` - 1, and w the least whole number with 8 w ≥ b.
    3. Read w bytes as an integer, most significant byte first, and keep its b lowest bits. This is a
       candidate.
    4. If the candidate is below ``bound``, it is the integer. Otherwise repeat step 3.

    Each integer has exactly the same probability. A candidate is rejected with probability below 1/2. A bound
    below 1 is refused (``parameter``).

    In the example b = 3. Of the bytes 07, 0d, ff and 0c the three lowest bits are 7, 5, 7 and 4.

    >>> tape = Tape(bytes.fromhex("070dff0c00"))
    >>> integer_below(tape, 5), tape.consumed
    (4, 4)
    """
    require(bound >= 1, "no integer is below 0")
    if bound == 1:
        return 0
    bits = (bound - 1).bit_length()
    width = (bits + 7) // 8
    while True:
        candidate = int.from_bytes(stream.read(width), "big") % (1 << bits)
        if candidate < bound:
            return candidate


def integers_below(stream: Stream, bound: int, size: int) -> list[int]:
    """Draw ``size`` integers below ``bound``, one after the other by `integer_below`.

    >>> tape = Tape(bytes.fromhex("fe2c01ff0000"))
    >>> integers_below(tape, 300, 2), tape.consumed  # 9 bits of each pair of bytes: 44, 511 (rejected), 0
    ([44, 0], 6)
    """
    return [integer_below(stream, bound) for _ in range(size)]


def coins(stream: Stream, size: int) -> list[int]:
    r"""Draw fair coins, 0 or 1: the first ``size`` bits of the next bytes.

    The most significant bit of a byte is first. The bits that are left of the last byte are dropped. For no
    coins nothing is read.

    >>> coins(Tape(b"\xb0"), 3)
    [1, 0, 1]
    """
    bits = [byte >> place & 1 for byte in stream.read((size + 7) // 8) for place in range(7, -1, -1)]
    return bits[:size]


def order_within(stream: Stream, codes: Sequence[int]) -> list[int]:
    """Draw a uniform order of items within their codes: sorted by code, and at random where codes agree.

    1. If there are fewer than two items, nothing is read.
    2. Each item draws a key, an integer below 2^32, in the order of the item numbers. An item that is alone
       with its code draws one, too.
    3. Sort the items by code, then by key.
    4. Items of the same code with the same key tie. Each item that ties draws a further key. The items draw
       in their current order: ascending by code and key, and by item number among those that tie with each
       other.
    5. Sort the items that tied with each other by their further keys, in the places that they occupy
       together. Where further keys agree, these items tie again: repeat step 4 for them, until no items tie.

    Entry i of the result is the item at place i. In the example the items 0 and 2 have code 1 and the same
    key, so they draw again. Item 1 has the same key and another code, and does not tie.

    >>> keys = [5, 5, 5, 0xFFFFFFFF, 1]
    >>> order_within(Tape(b"".join(key.to_bytes(4, "big") for key in keys)), [1, 0, 1])
    [1, 2, 0]
    """
    items = range(len(codes))
    if len(codes) <= 1:
        return list(items)
    keys: list[tuple[int, ...]] = [(codes[item], integer_below(stream, 2**32)) for item in items]
    while True:
        order = sorted(items, key=keys.__getitem__)  # of equal keys the smaller item is first
        frequency = Counter(keys)
        tied = [item for item in order if frequency[keys[item]] > 1]
        if not tied:
            return order
        for item in tied:
            keys[item] = (*keys[item], integer_below(stream, 2**32))


def permutation(stream: Stream, size: int) -> list[int]:
    """Draw a uniform order of ``size`` items: `order_within` for items of one code.

    >>> permutation(Tape(bytes.fromhex("00000002 00000003 00000001")), 3)
    [2, 0, 1]
    """
    return order_within(stream, [0] * size)


def subset(stream: Stream, population: int, count: int) -> list[int]:
    """Draw a uniform subset of ``count`` of the numbers below ``population``; return it ascending.

    For i = 0, …, ``count`` - 1: draw an integer r below ``population`` - i, and take the r-th number,
    counted from 0 and ascending, of those not yet taken. A ``count`` above ``population`` is refused
    (``parameter``).

    In the example 6 takes 6; 0 takes 0; and 3 takes 4, because 1, 2, 3, 4 and 5 are left.

    >>> subset(Tape(bytes([6, 0, 3, 2])), 7, 3)
    [0, 4, 6]
    """
    require(0 <= count <= population, "a subset has at most as many members as the population")
    taken: list[int] = []
    for drawn in range(count):
        number = integer_below(stream, population - drawn)
        for smaller in sorted(taken):  # skip the numbers that are taken already
            if smaller <= number:
                number += 1
        taken.append(number)
    return sorted(taken)
