"""Batches: new records join an earlier release of SPLU-Gen, and no record is published twice.

1. The new records are published as a table of their own, with the parameters, the sensitive columns and the
   columns of the release, in the same order. Their table must be feasible by itself; `waiting` says which of
   its records have to wait otherwise. Where the batch has an id column that the release has too, no id may
   be in both. Otherwise the records are taken for new: published rows do not show whether they are.
2. The published rows of the release, in their order, are followed by those of the batch, in theirs. Each
   batch is a release with a plan of its own, so its rows must be known for estimates of conjunctions. Their
   order discloses nothing that the two releases do not: they show which rows are new.
3. The domain of a column is the union of both domains, ascending. The manifest lists the numbers of rows of
   all batches in the order of publishing, and the digests of their tables (``batch_tables``), by which a
   reader knows whether the rows are still in this order. It lists no digest if the rows of the batches of
   the earlier release are not known.

Batches are an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Sequence


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
