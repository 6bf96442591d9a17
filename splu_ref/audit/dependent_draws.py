"""The laws of the published counts of one table under dependent draws.

They depend on the decoy plan and on the marked slots, which are random and secret: the laws here are for a
plan and marks that are drawn for the purpose, not for those of a release.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_ref.channels import GroupDraws, ParameterError
from splu_ref.data import Microdata
from splu_ref.guarantees import DependentCount
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import Draws, IntArray, SeededSource

MOST_ROWS = 2_000_000
"""Records up to which a plan is drawn by a fixed seed."""


def retained_histogram(table: Microdata, sensitive: str, gamma: int, source: Draws) -> IntArray:
    """Return the frequencies of values after the random deletion of the remainder."""
    codes, histogram = table.codes(sensitive), table.histogram(sensitive).copy()
    for code in codes[source.subset(len(codes), len(codes) % gamma)].tolist():
        histogram[code] -= 1
    return histogram


def counts_by_fixed_seed(frequencies: Sequence[int], gamma: int, draws: GroupDraws) -> list[DependentCount]:
    """Return the law of each value's published count for a deletion, plan and marks drawn by a fixed seed.

    ``frequencies`` are those of the values, the largest first.

    Raises
    ------
    ParameterError
        If there are too many records.
    """
    if sum(frequencies) > MOST_ROWS:
        raise ParameterError(f"laws of counts are computed of at most {MOST_ROWS} rows: give a smaller table")
    source = SeededSource(b"advice on draws")
    counts = np.array(frequencies, dtype=np.int64)
    ends = np.cumsum(counts)
    for record in source.subset(int(ends[-1]), int(ends[-1]) % gamma).tolist():
        counts[np.searchsorted(ends, record, side="right")] -= 1
    return list(drawn_counts(SpluGen(gamma, draws=draws), counts, source).values())


def drawn_counts(mechanism: SpluGen, histogram: IntArray, source: Draws) -> dict[int, DependentCount]:
    """Return the law of each value's published count, by its code, given a plan and marks.

    Parameters
    ----------
    mechanism
        With draws that are not independent.
    histogram
        Frequencies of the values after the deletion, shape (values,); the sum is a multiple of gamma.
    source
        Gives the plan and the marks; see `SpluGen.slot_kinds`.
    """
    gamma, found = mechanism.gamma, {}
    for value, kinds in mechanism.slot_kinds(histogram, source).items():
        by_sharing: dict[int, int] = {}
        for (marked, marked_in_group), slots in kinds.items():
            sharing = 0 if marked else gamma - marked_in_group
            by_sharing[sharing] = by_sharing.get(sharing, 0) + slots
        found[value] = DependentCount.of(mechanism.draws, gamma, by_sharing)
    return found
