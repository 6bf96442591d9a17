"""Faults in the decoy plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.decoys import PLANS, ArrayPlan, DecoyPlan, anatomy, cyclic
from splu_ref.decoys.mixed import default_passes, trade
from splu_ref.decoys.plan import Groups
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray, UniformSource


def _duplicate(histogram: IntArray, gamma: Gamma, _: UniformSource) -> DecoyPlan:
    """Exchange a value of one group for a value that the other group holds already."""
    groups = anatomy(histogram, gamma).groups().copy()
    for other in range(1, len(groups)):
        if set(groups[0].tolist()) != set(groups[other].tolist()):
            mine = next(slot for slot in range(gamma) if groups[0, slot] not in groups[other])
            theirs = next(slot for slot in range(gamma) if groups[other, slot] in groups[0])
            groups[0, mine], groups[other, theirs] = groups[other, theirs], groups[0, mine]
            break
    return ArrayPlan(gamma, len(histogram), groups)


def _ties_to_the_larger(histogram: IntArray, gamma: Gamma, _: UniformSource) -> DecoyPlan:
    last = len(histogram) - 1
    return ArrayPlan(gamma, len(histogram), last - anatomy(histogram[::-1].copy(), gamma).groups())


def _dealt_in_rows(histogram: IntArray, gamma: Gamma, _: UniformSource) -> DecoyPlan:
    values = np.repeat(np.arange(len(histogram)), histogram)
    return ArrayPlan(gamma, len(histogram), values.reshape(-1, gamma))


@dataclass(frozen=True)
class _SlotDraws(ArrayPlan):
    """Draw j takes slot j of the group, whoever owns it."""

    def published(self, order: IntArray, draws: IntArray) -> IntArray:
        slots = np.argsort(self.array.reshape(-1), kind="stable")
        published = np.empty(len(order), dtype=np.int64)
        published[order] = self.array[slots // self.gamma, draws[order]]
        return published


def _slots(histogram: IntArray, gamma: Gamma, _: UniformSource) -> DecoyPlan:
    return _SlotDraws(gamma, len(histogram), anatomy(histogram, gamma).groups())


def _mixed_by(one_pass: Callable[[Groups, UniformSource], None]) -> dict[str, object]:
    """Return the fields of a subject whose mixed plan makes another kind of pass."""

    def altered(
        histogram: IntArray, gamma: Gamma, source: UniformSource, passes: int | None = None
    ) -> DecoyPlan:
        groups = cyclic(histogram, gamma).groups()
        for _ in range(default_passes(len(groups)) if passes is None else passes):
            one_pass(groups, source)
        return ArrayPlan(gamma, len(histogram), groups)

    return {"mixed": altered, "plans": {**PLANS, "mixed": altered}}


def _trade_everything(groups: Groups, source: UniformSource) -> None:
    count, gamma = groups.shape
    pairs = source.permutation(count)[: count - count % 2]
    codes = np.repeat(np.arange(len(pairs) // 2), 2 * gamma)
    groups[pairs] = groups[pairs].reshape(-1)[source.order_within(codes)].reshape(-1, gamma)


class _GroupsInOrder:
    """Orders the groups by number, and the values of a pool at random; a trade asks for nothing else."""

    def __init__(self, source: UniformSource) -> None:
        self.source = source

    def order_within(self, codes: IntArray) -> IntArray:
        return self.source.order_within(codes) if codes.any() else np.arange(len(codes))


def _neighbors_trade(groups: Groups, source: UniformSource) -> None:
    trade(groups, cast("UniformSource", _GroupsInOrder(source)))


mutant(
    "common-values-traded",
    "plan.valid",
    "A trade deals all values of both groups, so that a group can hold one value twice.",
    **_mixed_by(_trade_everything),
)
mutant(
    "neighbors-trade",
    "plan.mixed",
    "The same groups trade in every pass: every plan is valid, but most are never reached.",
    **_mixed_by(_neighbors_trade),
)
mutant(
    "duplicate-in-a-group",
    "plan.valid",
    "A decoy group holds one value twice.",
    plans={**PLANS, "anatomy": _duplicate},
)
mutant(
    "ties-to-the-larger-value",
    "plan.greedy",
    "The greedy plan breaks ties by the larger value: valid, but another plan than specified.",
    plans={**PLANS, "anatomy": _ties_to_the_larger},
)
mutant(
    "dealt-in-rows",
    "plan.cyclic",
    "Records sorted by value fill one group after the other, so that a group holds equal values.",
    plans={**PLANS, "cyclic": _dealt_in_rows},
)
mutant(
    "draw-0-is-slot-0",
    "plan.valid",
    "Draw 0 means the first value of the group instead of the record's own: the same law, but a keyed record "
    "no longer keeps its value.",
    plans={**PLANS, "anatomy": _slots},
)
