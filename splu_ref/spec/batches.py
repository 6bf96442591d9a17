"""Batches: new records join an earlier release of SPLU-Gen, and no record is published twice.

1. The new records are published as a table of their own, with the parameters, the sensitive columns and the
   columns of the release, in the same order. Their table must be feasible by itself; `waiting` says which of
   its records have to wait otherwise. Where the batch has an id column that the release has too, no id may
   be in both. Otherwise the records are taken for new: published rows do not show whether they are.
2. The published rows of the release, in their order, and those of the batch, in theirs, are put into one
   random order: `order`, or `keyed_order` under a key.
3. The domain of a column is the union of both domains, ascending. The manifest lists the numbers of rows of
   all batches in the order of publishing.

Batches are an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Sequence

from splu_ref.spec.keys import KeyedRecords, Release
from splu_ref.spec.randomness import Stream, permutation


def order(earlier: int, batch: int, stream: Stream) -> list[int]:
    """Draw the order of the rows of a release and of a batch.

    Row i of the joined release is the row at place i, of the rows of the release followed by those of the
    batch. The draws follow those of the batch in the same stream.

    >>> from splu_ref.spec.randomness import Tape
    >>> order(2, 1, Tape(bytes.fromhex("00000002 00000003 00000001")))
    [2, 0, 1]
    """
    return permutation(stream, earlier + batch)


def keyed_order(
    key: bytes, columns: Sequence[str], records: Sequence[bytes], identities: Sequence[bytes]
) -> list[int]:
    """Return the order of the rows of a release and of a batch under a secret key.

    It is the shuffle of these rows as records of a sensitive column with an empty name. The release key is
    that of the mechanism ``batches`` without parameters, with the law ``independent``, without sensitive
    columns, id column and text for missing cells, and with the rows of both as the table. The identities are
    those without an id column.

    >>> from splu_ref.spec.tables import Table, identities, record_bytes
    >>> rows = Table(["a"], [["x"], ["y"], ["z"]])
    >>> keyed_order(b"k" * 31 + b"e", ["a"], [record_bytes(row) for row in rows.rows], identities(rows))
    [0, 1, 2]
    """
    release = Release("batches", [], "independent", [], None, None, columns, records)
    return KeyedRecords(release.key(key), "", identities).permutation(range(len(records)))


def waiting(histogram: Sequence[int], gamma: int) -> list[int]:
    """Return the fewest records of each value that must wait, so that the others are feasible.

    With c the largest whole number for which γ c is at most the sum of min(f, c) over all frequencies f,
    those are the records of each value beyond c.

    >>> waiting([5, 2, 1, 0], 2), waiting([4, 2, 1, 1], 2), waiting([3], 2)
    ([2, 0, 0, 0], [0, 0, 0, 0], [3])
    """
    most = max(
        count
        for count in range(max(histogram) + 1)
        if gamma * count <= sum(min(frequency, count) for frequency in histogram)
    )
    return [max(0, frequency - most) for frequency in histogram]
