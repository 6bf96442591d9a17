"""Transcripts: what a publisher shows to an auditor so that a release can be made again.

A transcript is private. Its schema is ``splu-ref/transcript/1``, and it has two lines:

1. A JSON object of at most 1 MiB with the keys ``schema``, ``method``, ``gamma``, ``retention``, ``plan``,
   ``sensitive`` (the columns in the order of publishing), ``id``, ``missing`` (both may be null),
   ``original``, ``published``, ``randomness``, ``key`` and ``produced_by``; ``draws`` if they are not
   independent; and no other. With the method ``SPLU-Gen by column``, ``gamma``, ``retention`` and ``plan``
   are objects by column.
2. Hexadecimal digits, ``0-9a-f``: every byte that was read from the stream, in the order of reading, and no
   more; or, if ``randomness`` is ``keyed``, the 32 bytes of the release key.

``original`` and ``published`` are digests of both tables (`table_digest`). ``key`` is null, or of a keyed
release `key_commitment`. Transcripts are an addition of this specification.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from splu_ref.spec.keys import keyed_hash
from splu_ref.spec.randomness import u64


def table_digest(columns: Sequence[str], records: Sequence[bytes], domains: Sequence[Sequence[str]]) -> str:
    """Return the SHA-256 of a table with its rows in their order, in hexadecimal digits.

    The message is ``splu-ref/transcript-table/1`` ‖ the list of the columns' names ‖ the list of the bytes of
    each row's cells (`splu_ref.spec.tables.record_bytes`) ‖ for each sensitive column of the original table,
    in the order of publishing, the list of its values in the order of publishing. ``domains`` is empty for
    the published table. A list is u64(number of its items) ‖ each item after its length as u64; texts are in
    UTF-8.

    >>> table_digest(["a"], [bytes(8)], [["x", "y"]])[:16]
    'e27719fb7524b165'
    """
    names = [name.encode() for name in columns]
    lists = [names, list(records), *([value.encode() for value in domain] for domain in domains)]
    message = b"splu-ref/transcript-table/1"
    for items in lists:
        message += u64(len(items)) + b"".join(u64(len(item)) + item for item in items)
    return hashlib.sha256(message).hexdigest()


def key_commitment(key: bytes) -> str:
    """Return HMAC-SHA-256 of a fixed message under a secret key, in hexadecimal digits.

    >>> key_commitment(bytes(31) + b"k")[:16]
    'd29e200568d1a3a1'
    """
    return keyed_hash(key, b"splu-ref/key-commitment/1").hex()
