"""The key of a release, derived from a secret key, the table and the public parameters.

All random choices of a keyed release use a key that is derived from the secret key and all inputs of the
release. So two releases under one secret key are either identical or as independent as under two keys.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from splu_ref import SPECIFICATION
from splu_ref.randomness.key import Key

Fact: TypeAlias = int | str | Mapping[str, int | str]
"""A public parameter of a mechanism: an exact number or a text, or one for each column."""

RECORD_PREFIX = b"splu-ref/record/2"
RELEASE_PREFIX = b"splu-ref/release/2"
LAW = "independent"
"""Default law of the draws: those of different records are independent."""
_MODULUS = 1 << 256
_NOTHING = (2**64 - 1).to_bytes(8, "big")


@dataclass(frozen=True)
class TableSum:
    """The number of records and the sum of their digests, for the key of a release; sums of parts add up."""

    count: int = 0  #: number of records
    #: Sum of the records' digests, modulo 2**256. A record's digest is HMAC-SHA-256 under the key of
    #: ``splu-ref/record/2`` and its bytes; records with the same cells count as often as they occur.
    digests: int = 0

    @classmethod
    def of(cls, key: Key, records: Iterable[bytes]) -> TableSum:
        """Return the sums of some records, given the bytes of their cells (`Microdata.records`)."""
        return cls.of_digests(record_digest(key, record) for record in records)

    @classmethod
    def of_digests(cls, digests: Iterable[bytes]) -> TableSum:
        """Return the sums of records with these digests (`record_digest`)."""
        count, total = 0, 0
        for digest in digests:
            count += 1
            total += int.from_bytes(digest, "big")
        return cls(count, total % _MODULUS)

    def __add__(self, other: TableSum) -> TableSum:
        return TableSum(self.count + other.count, (self.digests + other.digests) % _MODULUS)


@dataclass(frozen=True, kw_only=True)
class ReleaseContext:
    """The public parameters and the records that, with the secret key, determine a keyed release."""

    method: str  #: name and parameters of the mechanism as recorded in a manifest
    facts: Mapping[str, Fact]  #: see ``method``
    sensitive: Sequence[str]  #: the sensitive columns, in the order of publishing
    id_column: str | None  #: the column that identifies a record; None if its cells do
    missing: str | None  #: the text for missing sensitive cells; None if they are refused
    columns: Sequence[str]  #: the names of all columns, in table order
    #: Returns the bytes of each record's cells, in any order; called only under a key. Or their sums under
    #: the key, for tables larger than memory.
    records: Callable[[], Sequence[bytes]] | TableSum


def record_digest(key: Key, record: bytes) -> bytes:
    """Return the digest of a record, 32 bytes: see `TableSum`."""
    return hmac.digest(key.secret, RECORD_PREFIX + record, "sha256")


def table_digest(key: Key, records: Iterable[bytes]) -> bytes:
    """Return the sum of the records' digests modulo 2**256: 32 bytes, big-endian; see `TableSum`."""
    return TableSum.of(key, records).digests.to_bytes(32, "big")


def release_message(key: Key, context: ReleaseContext) -> bytes:
    """Return the message whose digest is the key of the release: see ``splu_ref/spec/keys.py``."""
    table = context.records if isinstance(context.records, TableSum) else TableSum.of(key, context.records())
    parts = [RELEASE_PREFIX, *map(_framed, (SPECIFICATION, context.method)), _number(len(context.facts))]
    for name, value in context.facts.items():
        parts += [_framed(name), _framed(fact_text(value))]
    parts += [_framed(fact_text(context.facts.get("draws", LAW)))]
    parts += [_number(len(context.sensitive)), *map(_framed, context.sensitive)]
    parts += [_framed(context.id_column), _framed(context.missing)]
    parts += [_number(len(context.columns)), *map(_framed, context.columns)]
    parts += [_number(table.count), table.digests.to_bytes(32, "big")]
    return b"".join(parts)


def release_key(key: Key, context: ReleaseContext) -> Key:
    """Return the key of all random choices of one release.

    Parameters
    ----------
    key
        The secret.
    context
        The public parameters and the records.

    Returns
    -------
    Key
        HMAC-SHA-256 under the key of the release's message.
    """
    return Key(hmac.digest(key.secret, release_message(key, context), "sha256"))


def fact_text(value: Fact) -> str:
    """Return a parameter as text; a parameter by column is a JSON list of pairs in ascending order."""
    if not isinstance(value, Mapping):
        return str(value)
    pairs = sorted((column, str(each)) for column, each in value.items())
    return json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))


def _framed(text: str | None) -> bytes:
    if text is None:
        return _NOTHING
    content = text.encode("utf-8")
    return _number(len(content)) + content


def _number(value: int) -> bytes:
    return value.to_bytes(8, "big")
