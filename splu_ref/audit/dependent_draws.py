"""The laws of the published counts of one table under dependent draws.

They depend on the decoy plan and on the marked slots, which are random and secret: the laws here are for a
plan and marks that are drawn for the purpose, not for those of a release.
"""

from __future__ import annotations

from splu_ref.data import Microdata
from splu_ref.guarantees import DependentCount
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import Draws, IntArray


def retained_histogram(table: Microdata, sensitive: str, gamma: int, source: Draws) -> IntArray:
    """Return the frequencies of values after the random deletion of the remainder."""
    codes, histogram = table.codes(sensitive), table.histogram(sensitive).copy()
    for code in codes[source.subset(len(codes), len(codes) % gamma)].tolist():
        histogram[code] -= 1
    return histogram


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
