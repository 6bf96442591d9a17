"""Keyed releases: the same table, parameters and key give the same release, bit for bit.

All bytes are made with a release key, and the release key is made of the secret key and of everything that
the release depends on. So any other table, and any other parameter, gives an independent release, as far as
HMAC-SHA-256 is a pseudo-random function. None of this is in the paper.

Below, a *text* in a message is u64(its length in bytes in UTF-8) ‖ the bytes, and *none* is 8 bytes ``ff``.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from splu_ref.spec.errors import require
from splu_ref.spec.randomness import ShakeStream, Stream, integer_below, u64

NONE = b"\xff" * 8
"""Replaces a text that is absent in a message."""

SPECIFICATION = "2"
"""The number of this specification."""


def with_length(content: bytes) -> bytes:
    """Return u64(the number of bytes) ‖ the bytes.

    >>> with_length(b"ab").hex()
    '00000000000000026162'
    """
    return u64(len(content)) + content


def message_text(text: str | None) -> bytes:
    """Return a text, or none, as it is written in a message.

    >>> message_text("é").hex(), message_text(None) == NONE
    ('0000000000000002c3a9', True)
    """
    return NONE if text is None else with_length(text.encode())


def keyed_hash(key: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA-256 of a message under a key: 32 bytes.

    >>> keyed_hash(b"key", b"message").hex()[:16]
    '6e9ef29b75fffc5b'
    """
    return hmac.digest(key, message, "sha256")


def secret_key(content: bytes) -> bytes:
    """Return the bytes of a key, or refuse them (``parameter``).

    A key has 32 bytes. A key is refused if its second half repeats the first, or if all bytes differ from
    the byte before them by the same number modulo 256. So zeros are refused, and bytes that count. Random
    bytes are refused with probability below 2^-127. A release key that is given in a request is a key in
    this sense, too; a release key that `Release.key` computes is not checked.

    >>> secret_key(bytes(range(32)))
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: the bytes of the key follow a pattern
    """
    require(len(content) == 32, "a key has 32 bytes")
    steps = {(after - before) % 256 for before, after in pairwise(content)}
    require(content[:16] != content[16:] and len(steps) > 1, "the bytes of the key follow a pattern")
    return content


def parse_key_file(content: bytes) -> bytes:
    r"""Return the key that a key file holds.

    The file is one line: ``splu-ref-key-1``, a blank and 64 digits 0-9, a-f, two for each byte. The line may
    end with LF, with CRLF or with nothing; there is no other byte before or after it. Another file, and a key
    that `secret_key` refuses, are refused (``parameter``).

    >>> parse_key_file(b"splu-ref-key-1 " + b"00" * 31 + b"01\r\n")[-2:]
    b'\x00\x01'
    """
    prefix = b"splu-ref-key-1 "
    line = content.removesuffix(b"\n").removesuffix(b"\r") if content.endswith(b"\n") else content
    digits = line.removeprefix(prefix)
    well_formed = line.startswith(prefix) and len(digits) == 64 and set(digits) <= set(b"0123456789abcdef")
    require(well_formed, "this is no key file")
    return secret_key(bytes.fromhex(digits.decode()))


def keyed_table_digest(key: bytes, records: Sequence[bytes]) -> bytes:
    """Return the keyed digest of a table: 32 bytes that do not depend on the order of the records.

    The digest of a record is HMAC-SHA-256(key, ``splu-ref/record/2`` ‖ record), where the record is the
    bytes of its cells (`splu_ref.spec.tables.record_bytes`). The digest of the table is the sum of the
    records' digests, each read as an integer with the most significant byte first, modulo 2^256. A record
    that occurs twice is added twice.

    >>> key = bytes(31) + b"1"
    >>> keyed_table_digest(key, [b"a", b"b"]) == keyed_table_digest(key, [b"b", b"a"])
    True
    >>> keyed_table_digest(key, []) == bytes(32)
    True
    """
    total = sum(int.from_bytes(keyed_hash(key, b"splu-ref/record/2" + record), "big") for record in records)
    return (total % 2**256).to_bytes(32, "big")


@dataclass(frozen=True)
class Release:
    """Everything that a keyed release depends on beside the secret key.

    Attributes
    ----------
    mechanism
        The name of the mechanism, such as ``SPLU-Gen``.
    facts
        The parameters of the mechanism as pairs of name and text, in the order of a manifest; no name twice.
    law
        The law of the draws; ``independent`` but for SPLU-Gen with dependent draws.
    sensitive
        The names of the sensitive columns, in the order of publishing.
    id_column
        The name of the column that identifies records, if there is one.
    missing
        The text that is published for empty cells, if one was given; it may be the empty text.
    columns
        The names of all columns, in the order of the table.
    records
        The bytes of the cells of each record.

    Examples
    --------
    >>> names = ["anna", "ben", "carla", "dora", "emil", "finn"]
    >>> rows = zip(names, ["cook", "smith"] * 3)
    >>> records = [message_text(name) + message_text(job) for name, job in rows]
    >>> facts = [("gamma", "2"), ("retention", "1/2"), ("plan", "mixed")]
    >>> columns = ["id", "occupation"]
    >>> release = Release("SPLU-Gen", facts, "independent", ["occupation"], "id", None, columns, records)
    >>> key = bytes.fromhex("e8a3db1312e6389aed91369fef2c03939273a2599edfef8342e79e315631a886")
    >>> keyed_table_digest(key, records).hex()[:16]
    '4b045b373d4de0b5'
    >>> release.key(key).hex()[:16]
    'b60ec4cd64779227'
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
        """Return the message of which the release key is the HMAC: these parts, joined in this order.

        1. ``splu-ref/release/2``;
        2. the number of the specification, a text;
        3. the name of the mechanism, a text;
        4. u64(the number of parameters), then the name and the value of each, texts;
        5. the law of the draws, a text;
        6. u64(the number of sensitive columns), then their names, texts;
        7. the name of the identifying column, a text, or none;
        8. the text for missing cells, a text, or none;
        9. u64(the number of columns), then their names, texts;
        10. u64(the number of records);
        11. the keyed digest of the table.
        """
        parameters = b"".join(message_text(name) + message_text(value) for name, value in self.facts)
        return (
            b"splu-ref/release/2"
            + message_text(SPECIFICATION)
            + message_text(self.mechanism)
            + u64(len(self.facts))
            + parameters
            + message_text(self.law)
            + u64(len(self.sensitive))
            + b"".join(map(message_text, self.sensitive))
            + message_text(self.id_column)
            + message_text(self.missing)
            + u64(len(self.columns))
            + b"".join(map(message_text, self.columns))
            + u64(len(self.records))
            + keyed_table_digest(key, self.records)
        )

    def key(self, key: bytes) -> bytes:
        """Return the release key: HMAC-SHA-256(secret key, message)."""
        return keyed_hash(key, self.message(key))


@dataclass(frozen=True)
class KeyedRecords:
    """The choices that a release key makes for the records of one sensitive column.

    A keyed source draws for records and not from one stream, so the order in which choices are made does not
    matter. It offers the same choices as `splu_ref.spec.splu_gen.OneStream`; ``records`` are always numbers
    of records of the original table, and results are places in that list.

    Block k of a record, for k = 0, 1, 2, …, is 32 bytes:

    HMAC-SHA-256(release key, ``splu-ref/keyed/2`` ‖ the column's name, a text ‖ u64(length of the identity) ‖
    identity ‖ u64(k))

    - bytes 0 to 7 of block 0 decide the order within values;
    - bytes 8 to 15 of block 0 decide the shuffle;
    - bytes 16 to 31 of block 0, then block 1, block 2, … are the tape of the record's integer.

    Bytes are compared as integers, most significant byte first.

    Attributes
    ----------
    release_key
        The key of the release.
    column
        The name of the sensitive column.
    identities
        The bytes that identify each record (`splu_ref.spec.tables.identities`). Two equal ones are refused
        (``parameter``), because the two records would share their choices.

    Examples
    --------
    >>> key = bytes.fromhex("b60ec4cd647792275f0eed03a98fb8c12dd7fed9d469d9fe4b84519fa79af68a")
    >>> names = ["anna", "ben", "carla", "dora", "emil", "finn"]
    >>> source = KeyedRecords(key, "occupation", [name.encode() for name in names])
    >>> source.block(0, 0).hex()[:16]
    '48de4314ca1fd236'
    >>> source.order_within([0, 1, 0, 1, 0, 1], range(6)), source.permutation(range(6))
    ([0, 4, 2, 3, 1, 5], [4, 3, 0, 1, 5, 2])
    >>> source.subset(range(6), 2), source.below(5, range(6))
    ([2, 5], [0, 1, 4, 4, 4, 1])
    >>> source.plan_stream(0).read(4).hex()
    '616c5e46'
    """

    release_key: bytes
    column: str
    identities: Sequence[bytes]

    def __post_init__(self) -> None:
        require(len(set(self.identities)) == len(self.identities), "two records have the same identity")

    def block(self, record: int, number: int) -> bytes:
        """Return block ``number`` of a record's bytes."""
        message = b"splu-ref/keyed/2" + message_text(self.column) + with_length(self.identities[record])
        return keyed_hash(self.release_key, message + u64(number))

    def order_within(self, codes: Sequence[int], records: Sequence[int]) -> list[int]:
        """Sort records by code, then by bytes 0 to 7 of block 0, then by all of block 0, then by number."""

        def sort_key(place: int) -> tuple[int, bytes, bytes, int]:
            block = self.block(records[place], 0)
            return codes[place], block[:8], block, place

        return sorted(range(len(records)), key=sort_key)

    def permutation(self, records: Sequence[int]) -> list[int]:
        """Sort records by bytes 8 to 15 of block 0, then by all of block 0, then by number."""

        def sort_key(place: int) -> tuple[bytes, bytes, int]:
            block = self.block(records[place], 0)
            return block[8:16], block, place

        return sorted(range(len(records)), key=sort_key)

    def subset(self, records: Sequence[int], count: int) -> list[int]:
        """Take the ``count`` records that come last in the shuffle; return their places ascending."""
        require(count <= len(records), "a subset has at most as many members as there are records")
        return sorted(self.permutation(records)[len(records) - count :])

    def below(self, bound: int, records: Sequence[int]) -> list[int]:
        """Draw an integer below ``bound`` for each record, from the tape of the record."""
        return [integer_below(_RecordTape(self, record), bound) for record in records]

    def plan_stream(self, block: int) -> Stream:
        """Return the stream from which a block of the plan is drawn; it begins anew with each call.

        The block's secret is HMAC-SHA-256(release key, purpose ‖ the column's name, a text ‖ u64(block))
        with the purpose ``splu-ref/keyed-plan/2``, and the stream is the `ShakeStream` of purpose ‖ secret.
        """
        return self._stream(b"splu-ref/keyed-plan/2", block)

    def group_stream(self, number: int) -> Stream:
        """Return a stream of dependent draws, by the rule of `plan_stream` with ``splu-ref/keyed-groups/2``.

        Stream 0 is that of the order of the groups, and stream b + 1 that of block b of the plan.
        """
        return self._stream(b"splu-ref/keyed-groups/2", number)

    def _stream(self, purpose: bytes, number: int) -> Stream:
        secret = keyed_hash(self.release_key, purpose + message_text(self.column) + u64(number))
        return ShakeStream(purpose + secret)


class _RecordTape:
    """The tape of one record: bytes 16 to 31 of block 0, then the whole of the next blocks."""

    def __init__(self, records: KeyedRecords, record: int) -> None:
        self.records, self.record, self.next_block = records, record, 1
        self.pending = records.block(record, 0)[16:]

    def read(self, count: int) -> bytes:
        """Return the next ``count`` bytes."""
        while len(self.pending) < count:
            self.pending += self.records.block(self.record, self.next_block)
            self.next_block += 1
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken
