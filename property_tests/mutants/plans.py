"""Faults in the decoy plans."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from property_tests.mutants.mutant import mutant
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import MOST_GROUPS, PLANS, ArrayPlan, BlockPlan, Blocks, DecoyPlan, anatomy, cyclic
from splu_ref.mechanisms.plans.mixed import default_passes, draw_block_secret, trade
from splu_ref.mechanisms.plans.plan import Groups
from splu_ref.randomness import IntArray, PlanSecret


def _duplicate(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> DecoyPlan:
    """Exchange a value of one group for a value that the other group holds already."""
    groups = anatomy(histogram, gamma).groups().copy()
    for other in range(1, len(groups)):
        if set(groups[0].tolist()) != set(groups[other].tolist()):
            mine = next(slot for slot in range(gamma) if groups[0, slot] not in groups[other])
            theirs = next(slot for slot in range(gamma) if groups[other, slot] in groups[0])
            groups[0, mine], groups[other, theirs] = groups[other, theirs], groups[0, mine]
            break
    return ArrayPlan(gamma, len(histogram), groups)


def _ties_to_the_larger(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> DecoyPlan:
    last = len(histogram) - 1
    return ArrayPlan(gamma, len(histogram), last - anatomy(histogram[::-1].copy(), gamma).groups())


def _dealt_in_rows(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> DecoyPlan:
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


def _slots(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> DecoyPlan:
    return _SlotDraws(gamma, len(histogram), anatomy(histogram, gamma).groups())


@dataclass(frozen=True)
class _Mixed:
    """The mixed plan with a part of it replaced.

    Attributes
    ----------
    trade
        How the groups of a block trade.
    passes
        Number of passes by the requested number.
    block
        Which block's stream is read for a block.
    untraded
        How many of several blocks, counted from the last, stay as they start.
    """

    trade: Callable[[Groups, IntArray, NDArray[np.bool_]], None] = trade
    passes: Callable[[int], int] = int
    block: Callable[[int], int] = int
    untraded: int = 0

    def __call__(
        self,
        histogram: IntArray,
        gamma: Gamma,
        source: PlanSecret,
        passes: int | None = None,
        most: int = MOST_GROUPS,
    ) -> BlockPlan:
        blocks = Blocks.of(int(histogram.sum()) // gamma, most)
        arrays = []
        for number in range(blocks.count):
            groups = cyclic(blocks.histogram(number, histogram), gamma).groups()
            passes = self.passes(default_passes(len(groups)) if passes is None else passes)
            if 0 < number >= blocks.count - self.untraded:
                passes = 0
            secret = draw_block_secret(len(groups), gamma, source.block(self.block(number)), passes)
            slots = groups.T.copy()
            for order, rotations, coins in zip(*secret, strict=True):
                slots = slots.take(order, axis=1)
                self.trade(slots, rotations, coins)
            arrays.append(np.ascontiguousarray(slots.T))
        return BlockPlan(gamma, len(histogram), tuple(arrays))

    def fields(self) -> dict[str, Any]:
        """Return the fields of a subject that this replaces."""
        return {"mixed": self, "plans": {**PLANS, "mixed": self}}


def _common_too(slots: Groups, rotations: IntArray, coins: NDArray[np.bool_]) -> None:
    """Exchange slot with slot by the coins, whatever stands in them."""
    pairs = len(rotations)
    first, second = slots[:, :pairs], slots[:, pairs : 2 * pairs]
    first[coins], second[coins] = second[coins], first[coins]


def _shared_coin(slots: Groups, rotations: IntArray, coins: NDArray[np.bool_]) -> None:
    trade(slots, rotations, np.concatenate([coins[:1], coins[:1], coins[2:]]))


def _no_rotation(slots: Groups, rotations: IntArray, coins: NDArray[np.bool_]) -> None:
    trade(slots, np.zeros_like(rotations), coins)


mutant(
    "common-values-traded",
    "plan.valid",
    "A trade exchanges values that both groups hold, so that a group can hold one value twice.",
    **_Mixed(trade=_common_too).fields(),
)
mutant(
    "coin-shared-by-two-slots",
    "plan.mixed",
    "The first two slots of a group share a coin: two values never part that way.",
    **_Mixed(trade=_shared_coin).fields(),
)
mutant(
    "no-rotation",
    "plan.mixed",
    "The free values of two groups face each other in the order of their slots, in every pass.",
    **_Mixed(trade=_no_rotation).fields(),
)
mutant(
    "one-pass-too-few",
    "plan.mixed",
    "Every block makes a pass less than specified.",
    **_Mixed(passes=lambda passes: passes - 1).fields(),
)
mutant(
    "last-block-untraded",
    "plan.mixed",
    "The last of several blocks keeps the groups that it starts with, which are no secret.",
    **_Mixed(untraded=1).fields(),
)
mutant(
    "block-stream-reused",
    "plan.blocks",
    "With a key, every block is drawn from the stream of block 0, so that whoever knows one knows all.",
    **_Mixed(block=lambda _: 0).fields(),
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
    "Draw 0 means the first value of the group instead of the record's own: the same law, but another "
    "release of the same bytes.",
    plans={**PLANS, "anatomy": _slots},
)
