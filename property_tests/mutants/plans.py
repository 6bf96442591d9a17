"""Faults in the decoy plans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.decoys import PLANS, ArrayPlan, DecoyPlan, anatomy, cyclic
from splu_ref.model import Gamma
from splu_ref.randomness import IntArray


def _duplicate(histogram: IntArray, gamma: Gamma) -> DecoyPlan:
    """Exchange a value of one group for a value that the other group holds already."""
    groups = anatomy(histogram, gamma).groups().copy()
    for other in range(1, len(groups)):
        if set(groups[0].tolist()) != set(groups[other].tolist()):
            mine = next(slot for slot in range(gamma) if groups[0, slot] not in groups[other])
            theirs = next(slot for slot in range(gamma) if groups[other, slot] in groups[0])
            groups[0, mine], groups[other, theirs] = groups[other, theirs], groups[0, mine]
            break
    return ArrayPlan(gamma, len(histogram), groups)


def _ties_to_the_larger(histogram: IntArray, gamma: Gamma) -> DecoyPlan:
    last = len(histogram) - 1
    return ArrayPlan(gamma, len(histogram), last - anatomy(histogram[::-1].copy(), gamma).groups())


def _dealt_in_rows(histogram: IntArray, gamma: Gamma) -> DecoyPlan:
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


def _slots(histogram: IntArray, gamma: Gamma) -> DecoyPlan:
    return _SlotDraws(gamma, len(histogram), anatomy(histogram, gamma).groups())


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
    plans={"anatomy": _slots, "cyclic": cyclic},
)
