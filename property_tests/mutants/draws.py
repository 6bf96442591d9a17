"""Faults in step 3: which value a record draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from property_tests.mutants.altered_release import AlteredMechanism, AlteredSource, with_source
from property_tests.mutants.mutant import mutant
from splu_ref.channels import Channel, diagonal
from splu_ref.mechanisms import ColumnRelease, DecoyPlan, PlaceOrder, SpluGen
from splu_ref.mechanisms.plans.plan import Groups
from splu_ref.randomness import Draws, IntArray, UniformSource


class _OwnExcluded(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        return 1 + self.source.below(bound - 1, size)


class _FewerDecoys(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        return self.source.below(bound - 1, size)


class _MoreDecoys(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        return self.source.below(bound + 1, size)


class _OftenOwn(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        draws = self.source.below(bound, size)
        return np.where(self.source.below(8, size) == 0, 0, draws)


class _OneRecordFixed(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        return np.append(self.source.below(bound, size - 1), 0)


class _SharedDraw(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        return self.source.below(bound, size)[np.arange(size) // 2 * 2]


class _AlwaysOwn(AlteredSource):
    def below(self, bound: int, size: int) -> IntArray:
        return self.source.below(bound, size) * 0


@dataclass(frozen=True)
class _WiderPlan(DecoyPlan):
    """A draw of gamma takes the first value of the next group."""

    inner: DecoyPlan

    def groups(self) -> Groups:
        return self.inner.groups()

    def published(self, order: IntArray, draws: IntArray) -> IntArray:
        published = self.inner.published(order, np.minimum(draws, self.gamma - 1))
        groups = self.groups()
        group = np.empty(len(order), dtype=np.int64)
        group[order] = np.argsort(groups.reshape(-1), kind="stable") // self.gamma
        following: IntArray = groups[(group + 1) % len(groups), 0].astype(np.int64)
        return np.where(draws == self.gamma, following, published)


@dataclass(frozen=True)
class _WholeDomain(DecoyPlan):
    """A draw other than 0 takes a value of the domain, by the record's place and its draw."""

    inner: DecoyPlan

    def groups(self) -> Groups:
        return self.inner.groups()

    def published(self, order: IntArray, draws: IntArray) -> IntArray:
        published = self.inner.published(order, draws)
        spread = (np.arange(len(draws)) * (self.gamma - 1) + draws) % self.domain_size
        return np.where(draws == 0, published, spread)


def _retention_ignored(
    mechanism: SpluGen, codes: IntArray, domain_size: int, source: Draws, *, order: PlaceOrder = "random"
) -> ColumnRelease:
    plain = SpluGen(mechanism.gamma, plan=mechanism.decoys)
    return plain.publish_codes(codes, domain_size, source, order=order)


def _plan_forgotten(mechanism: SpluGen, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
    return diagonal(range(len(histogram)), mechanism.retention)


def _share_of_gamma(mechanism: SpluGen, histogram: IntArray, secret: UniformSource) -> Channel[int, int]:
    """Declare p' = 1/gamma: right only where that is the retention."""
    return SpluGen(mechanism.gamma, None, mechanism.decoys).channel(histogram, secret)


mutant(
    "channel-without-plan",
    "enumeration.channel",
    "The declared channel takes every other value of the domain as often, whatever stands in the groups.",
    channel=_plan_forgotten,
)
mutant(
    "channel-without-retention",
    "enumeration.channel",
    "The declared channel is the one for p = 1/gamma, whatever p is.",
    channel=_share_of_gamma,
)
mutant(
    "retention-ignored",
    "mechanism.replay",
    "For every requested retention, a record retains its value with probability 1/gamma.",
    publish_codes=_retention_ignored,
)
mutant(
    "own-value-excluded",
    "release.retention",
    "A record draws from the other values of its group only.",
    publish_codes=with_source(_OwnExcluded),
)
mutant(
    "gamma-minus-1-decoys",
    "enumeration.release",
    "The last value of a group is never drawn: gamma - 1 decoys.",
    also=[
        "generated.counts",
        "release.counts",
        "release.error",
        "adult.counts.gamma5",
        "adult.counts.gamma7",
        "adult.utility",
    ],
    publish_codes=with_source(_FewerDecoys),
)
mutant(
    "gamma-plus-1-decoys",
    "enumeration.release",
    "A record draws from its group and one value of the next group: gamma + 1 decoys.",
    publish_codes=AlteredMechanism(
        source=_MoreDecoys, plan=lambda plan: _WiderPlan(plan.gamma, plan.domain_size, plan)
    ),
)
mutant(
    "retention-too-high",
    "release.retention",
    "One record in eight retains its value before the draw: retention exceeds 1/gamma, and every count stays "
    "unbiased.",
    publish_codes=with_source(_OftenOwn),
)
mutant(
    "one-record-never-randomized",
    "release.retention",
    "An off-by-one leaves the last record of the table with its true value.",
    publish_codes=with_source(_OneRecordFixed),
)
mutant(
    "draw-shared-by-two-records",
    "release.law",
    "Records 2k and 2k + 1 use the same draw: every expectation is right, the spread is not.",
    publish_codes=with_source(_SharedDraw),
)
mutant(
    "nothing-randomized",
    "release.privacy",
    "Every record retains its value: all counts are exact.",
    also=["adult.privacy"],
    publish_codes=with_source(_AlwaysOwn),
)
mutant(
    "draw-from-whole-domain",
    "release.utility",
    "A record that gives up its value draws from the whole domain instead of its group.",
    publish_codes=AlteredMechanism(plan=lambda plan: _WholeDomain(plan.gamma, plan.domain_size, plan)),
)
