"""Keyed fingerprints of tables in a release log, which disclose nothing without the key.

All are HMAC-SHA-256 in hexadecimal digits. Texts are in UTF-8 prefixed by their length in bytes, numbers and
lengths in 8 bytes, big-endian. The message begins with its purpose.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

from splu_ref.data import Microdata, text
from splu_ref.randomness import Key


def table_fingerprint(key: Key, table: Microdata) -> str:
    """Return the fingerprint of a table's columns and its rows, independent of the order of rows.

    The message is the number of columns, their names, and the rows' identities (as for keyed publishing,
    from all cells), each with its length before it, in ascending order.
    """
    parts = [_number(len(table.columns)), *(_framed(column.encode()) for column in table.columns)]
    return _fingerprint(key, b"splu-ref/log/table/1", [*parts, *map(_framed, sorted(table.identities()))])


def counts_fingerprint(key: Key, table: Microdata, column: str) -> str:
    """Return the fingerprint of the frequencies of a column's values, independent of the column's name.

    The message is, for each value that occurs in the order of the domain, its text and its number of records:
    so it does not depend on a declared domain.
    """
    counted = zip(table.domain(column), table.histogram(column).tolist(), strict=True)
    parts = [_framed(text(value).encode()) + _number(count) for value, count in counted if count]
    return _fingerprint(key, b"splu-ref/log/counts/1", parts)


def secret_fingerprint(key: Key, secret: Key) -> str:
    """Return the fingerprint of a publishing key."""
    return _fingerprint(key, b"splu-ref/log/key/1", [secret.secret])


def _fingerprint(key: Key, purpose: bytes, parts: Iterable[bytes]) -> str:
    code = hmac.new(key.secret, purpose, hashlib.sha256)
    for part in parts:
        code.update(part)
    return code.hexdigest()


def _framed(content: bytes) -> bytes:
    return _number(len(content)) + content


def _number(value: int) -> bytes:
    return value.to_bytes(8, "big")
