"""Keyed releases: the same table with the same parameters gives the same release, bit for bit.

All bytes are made with a release key, which is made of a secret key and of everything that the release depends on.
Without the secret key they look uniform, as far as HMAC-SHA-256 is a pseudo-random function. (Not in the paper.)
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass

from splu_ref.spec.errors import require
from splu_ref.spec.randomness import ShakeStream, Stream, integer_below, u64

NONE = b"\xff" * 8
"""Stands in place of a text that is missing."""

SPECIFICATION = "2"
"""The number of this specification."""


def sized(content: bytes) -> bytes:
    """Return bytes with their length before them."""
    return u64(len(content)) + content


def told(text: str | None) -> bytes:
    """Return a text, or none, as it stands in a message.

    >>> told("é"), told(None) == NONE
    (b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02\\xc3\\xa9', True)
    """
    return NONE if text is None else sized(text.encode())


def keyed_hash(key: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA-256."""
    return hmac.digest(key, message, "sha256")


def secret_key(content: bytes) -> bytes:
    """Return a secret key of 32 bytes, or refuse one that follows a pattern.

    >>> secret_key(bytes(range(32)))
    Traceback (most recent call last):
    spec.errors.Refused: the bytes of the key follow a pattern
    """
    require(len(content) == 32, "a key has 32 bytes")
    steps = {(after - before) % 256 for before, after in zip(content, content[1:])}
    require(content[:16] != content[16:] and len(steps) > 1, "the bytes of the key follow a pattern")
    return content


def parse_key_file(content: bytes) -> bytes:
    """Return the key of a key file: one line, ``splu-ref-key-1``, a space and 64 hexadecimal digits."""
    prefix = b"splu-ref-key-1 "
    line = content.removesuffix(b"\n").removesuffix(b"\r") if content.endswith(b"\n") else content
    digits = line.removeprefix(prefix)
    written = (
        line.startswith(prefix)
        and len(digits) == 64
        and all(digit in b"0123456789abcdef" for digit in digits)
    )
    require(written, "this is no key file")
    return secret_key(bytes.fromhex(digits.decode()))


def keyed_table_digest(key: bytes, records: Sequence[bytes]) -> bytes:
    """Return the digest of a table: the sum of its records' digests, whatever their order."""
    total = sum(int.from_bytes(keyed_hash(key, b"splu-ref/record/2" + record), "big") for record in records)
    return (total % 2**256).to_bytes(32, "big")


@dataclass(frozen=True)
class Release:
    """Everything that a keyed release depends on, besides the secret key.

    Attributes
    ----------
    facts
        The parameters of the mechanism as names and texts, in the order of a manifest.
    law
        The law of the draws; ``independent`` but for SPLU-Gen with draws that hang together.
    records
        The bytes of every record's cells.
    """

    mechanism: str
    facts: Sequence[tuple[str, str]]
    law: str
    sensitive: Sequence[str]
    id_column: str | None
    missing: str | None
    columns: Sequence[str]
    records: Sequence[bytes]

    def message(self, key: bytes) -> bytes:
        """Return the message of which the release key is the HMAC."""
        parameters = b"".join(told(name) + told(value) for name, value in self.facts)
        return (
            b"splu-ref/release/2"
            + told(SPECIFICATION)
            + told(self.mechanism)
            + u64(len(self.facts))
            + parameters
            + told(self.law)
            + u64(len(self.sensitive))
            + b"".join(map(told, self.sensitive))
            + told(self.id_column)
            + told(self.missing)
            + u64(len(self.columns))
            + b"".join(map(told, self.columns))
            + u64(len(self.records))
            + keyed_table_digest(key, self.records)
        )

    def key(self, key: bytes) -> bytes:
        """Return the release key."""
        return keyed_hash(key, self.message(key))


@dataclass(frozen=True)
class KeyedRecords:
    """The choices that a release key makes for the records of one sensitive column.

    Attributes
    ----------
    release_key
        Of the release.
    column
        The name of the sensitive column.
    identities
        The bytes that identify each record; no two are equal.
    """

    release_key: bytes
    column: str
    identities: Sequence[bytes]

    def __post_init__(self) -> None:
        require(len(set(self.identities)) == len(self.identities), "two records have one identity")

    def block(self, record: int, number: int) -> bytes:
        """Return block ``number`` of a record's bytes."""
        message = b"splu-ref/keyed/2" + told(self.column) + sized(self.identities[record]) + u64(number)
        return keyed_hash(self.release_key, message)

    def order_within(self, codes: Sequence[int], records: Sequence[int]) -> list[int]:
        """Return places of the list of records: by code, then by bytes 0 to 7 of block 0 (then all of it)."""

        def place(item: int) -> tuple[int, bytes, bytes, int]:
            block = self.block(records[item], 0)
            return codes[item], block[:8], block, item

        return sorted(range(len(records)), key=place)

    def permutation(self, records: Sequence[int]) -> list[int]:
        """Return places of the list of records: by bytes 8 to 15 of block 0 (then all of it)."""

        def place(item: int) -> tuple[bytes, bytes, int]:
            block = self.block(records[item], 0)
            return block[8:16], block, item

        return sorted(range(len(records)), key=place)

    def subset(self, records: Sequence[int], count: int) -> list[int]:
        """Return the places of the remainder: those that come last in the shuffle."""
        require(count <= len(records), "a remainder has at most all records")
        return sorted(self.permutation(records)[len(records) - count :])

    def below(self, bound: int, records: Sequence[int]) -> list[int]:
        """Return each record's integer below ``bound``, of the rest of block 0, then block 1, block 2, …"""
        return [integer_below(_Blocks(self, record), bound) for record in records]

    def plan_stream(self, block: int) -> Stream:
        """Return the stream from which a block of the plan is drawn: the plan's secret."""
        return self._stream(b"splu-ref/keyed-plan/2", block)

    def group_stream(self, number: int) -> Stream:
        """Return stream 0, of the order of the groups, or b + 1, of block b's draws that hang together."""
        return self._stream(b"splu-ref/keyed-groups/2", number)

    def _stream(self, purpose: bytes, number: int) -> Stream:
        secret = keyed_hash(self.release_key, purpose + told(self.column) + u64(number))
        return ShakeStream(purpose + secret)


class _Blocks:
    """The tape of one record's draw: bytes 16 to 31 of block 0, then the next blocks."""

    def __init__(self, records: KeyedRecords, record: int) -> None:
        self.records, self.record, self.number = records, record, 1
        self.waiting = records.block(record, 0)[16:]

    def read(self, count: int) -> bytes:
        while len(self.waiting) < count:
            self.waiting += self.records.block(self.record, self.number)
            self.number += 1
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken
