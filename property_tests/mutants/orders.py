"""Faults in the deletion, in the order within values, and in the shuffle."""

from __future__ import annotations

import numpy as np

from property_tests.mutants.altered_release import AlteredMechanism, AlteredSource, with_source
from property_tests.mutants.mutant import mutant
from splu_ref.mechanisms import ColumnRelease, PlaceOrder, SpluGen
from splu_ref.mechanisms.group_draws import independent_draws
from splu_ref.randomness import Draws, IntArray


class _FileOrderWithin(AlteredSource):
    def order_within(self, codes: IntArray) -> IntArray:
        return np.argsort(codes, kind="stable")


class _NoShuffle(AlteredSource):
    def permutation(self, size: int) -> IntArray:
        return np.arange(size)


class _RotationShuffle(AlteredSource):
    def permutation(self, size: int) -> IntArray:
        return np.roll(np.arange(size), self.source.below(size, 1)[0])


class _FirstDeleted(AlteredSource):
    def subset(self, population: int, count: int) -> IntArray:
        return np.arange(count)


def _grouped(
    mechanism: SpluGen, codes: IntArray, domain_size: int, source: Draws, *, order: PlaceOrder = "random"
) -> ColumnRelease:
    """Publish group after group, the groups in a random order: only adjacency is informative."""
    gamma = mechanism.gamma
    suppressed = source.subset(len(codes), len(codes) % gamma)
    kept = np.delete(np.arange(len(codes)), suppressed)
    own = codes[kept]
    decoys = mechanism.decoys(np.bincount(own, minlength=domain_size), gamma, source.plan_secret())
    places = source.order_within(own)
    drawn = independent_draws(source, gamma, mechanism.retention, len(own))
    published = decoys.published(places, drawn)
    groups = np.empty(len(own), dtype=np.int64)
    groups[places] = decoys.slots() // gamma
    shuffle = source.permutation(len(own))
    _, first, group = np.unique(groups[shuffle], return_index=True, return_inverse=True)
    # Groups as they first come up in the shuffle.
    by_group: IntArray = shuffle[np.argsort(first[group], kind="stable")]
    return ColumnRelease(kept[by_group], published.astype(np.int64)[by_group], suppressed)


def _detached(done: ColumnRelease, source: Draws) -> ColumnRelease:
    return ColumnRelease(done.rows, np.roll(done.published, 1), done.suppressed)


mutant(
    "file-order-within-values",
    "release.order",
    "The first record of a value in the file takes its first place.",
    publish_codes=with_source(_FileOrderWithin),
)
mutant(
    "no-shuffle",
    "release.shuffle",
    "Records are published in the order of the file.",
    publish_codes=with_source(_NoShuffle),
)
mutant(
    "rotation-for-shuffle",
    "release.shuffle",
    "The shuffle starts the file at a random record: every single place is uniform, the order is not.",
    publish_codes=with_source(_RotationShuffle),
)
mutant(
    "groups-stand-together",
    "release.shuffle",
    "Records are published group by group, which leaks who stood with whom.",
    publish_codes=_grouped,
)
mutant(
    "first-records-deleted",
    "enumeration.release",
    "The remainder is always taken from the beginning of the file.",
    publish_codes=with_source(_FirstDeleted),
)
mutant(
    "values-detached-from-records",
    "mechanism.structure",
    "Published values stand one row below the record that drew them: all counts are right.",
    publish_codes=AlteredMechanism(result=_detached),
)
