"""Mutants of dependent draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unittest.mock import patch

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.channels import GroupDraws
from splu_ref.mechanisms import ColumnRelease, DecoyPlan, PlaceOrder, SpluGen
from splu_ref.mechanisms.group_draws import (
    Marks,
    Orders,
    SlotDraws,
    Stream,
    dependent_draws,
    draw_source_slots,
    marked_slots,
)
from splu_ref.mechanisms.plans.plan import Groups
from splu_ref.randomness import Draws, IntArray, PlanSecret


class _Altered:
    """A stream that changes its orders, of which the first are those of shares and the second of deals."""

    def __init__(self, source: Stream, unchanged: int) -> None:
        self._source, self._left = source, unchanged

    def below(self, bound: int, size: int) -> IntArray:
        return self._source.below(bound, size)

    def order_within(self, codes: IntArray) -> IntArray:
        order = self._source.order_within(codes)
        self._left -= 1
        return np.arange(len(codes)) if self._left == -1 else order


def _largest_counts(marked: Marks, draws: GroupDraws, stream: Stream) -> IntArray:
    """Mark as many slots, those with the largest counts of independent draws."""
    groups, gamma = marked.shape
    slots = stream.below(gamma, groups * gamma) + gamma * np.repeat(np.arange(groups), gamma)
    times = np.bincount(slots, minlength=groups * gamma).reshape(groups, gamma)
    rank = np.argsort(np.argsort(-times, axis=1, kind="stable"), axis=1)
    return draw_source_slots(rank < marked.sum(axis=1, keepdims=True), draws, stream)


def _rest_to_the_first(marked: Marks, draws: GroupDraws, stream: Stream) -> IntArray:
    return draw_source_slots(marked, draws, _Altered(stream, 0))


def _not_dealt(marked: Marks, draws: GroupDraws, stream: Stream) -> IntArray:
    return draw_source_slots(marked, draws, _Altered(stream, 1))


class _Fewer(_Altered):
    """A stream whose integers are 0 in half of the cases in which they would be the largest."""

    def below(self, bound: int, size: int) -> IntArray:
        drawn = self._source.below(2 * bound, size)
        return np.where(drawn == 2 * bound - 1, 0, drawn // 2)


def _rare_more_often(marked: Marks, draws: GroupDraws, stream: Stream) -> IntArray:
    return draw_source_slots(marked, draws, _Fewer(stream, 2))


class _Repeated(_Altered):
    """A stream of integers that are drawn for four groups at once."""

    def below(self, bound: int, size: int) -> IntArray:
        groups = size // bound
        drawn = self._source.below(bound, size).reshape(groups, -1)
        repeated: IntArray = drawn[np.arange(groups) // 4 * 4].reshape(-1)
        return repeated


def _one_more(blocks: Sequence[Groups], draws: GroupDraws, stream: Orders) -> tuple[Marks, ...]:
    assert draws.bound is not None
    return marked_slots(blocks, GroupDraws(draws.name, draws.bound + 1), stream)


def _block_by_block(blocks: Sequence[Groups], draws: GroupDraws, stream: Orders) -> tuple[Marks, ...]:
    return tuple(each for block in blocks for each in marked_slots([block], draws, stream))


def _plan_order(blocks: Sequence[Groups], draws: GroupDraws, stream: Orders) -> tuple[Marks, ...]:
    del stream
    return marked_slots(blocks, draws, _Fixed(np.arange(sum(map(len, blocks)))))


def _after_the_draws(plan: DecoyPlan, draws: GroupDraws, source: PlanSecret) -> SlotDraws:
    """Draw all groups as ever, and mark first where every slot has its place already."""
    blocks = plan.blocks()
    drawn, shown, begin, even = [], [], 0, []
    for number, groups in enumerate(blocks):
        stream = source.block(number + 1)
        drawn.append(stream.below(groups.shape[1], groups.size))
        times = np.sort(drawn[-1].reshape(groups.shape), axis=1)
        even.append((np.diff(times, axis=1) == 0).sum(axis=1))
    order = np.argsort(np.concatenate(even), kind="stable")
    marked = marked_slots(blocks, draws, _Fixed(order))
    for number, marks in enumerate(marked):
        given = _FixedSlots(source.block(number + 1), drawn[number])
        shown.append(begin + draw_source_slots(marks, draws, given))
        begin += marks.size
    return SlotDraws(marked, np.concatenate(shown))


class _Fixed:
    def __init__(self, order: IntArray) -> None:
        self._order = order

    def order_within(self, codes: IntArray) -> IntArray:
        return self._order


class _FixedSlots(_Altered):
    def __init__(self, source: Stream, drawn: IntArray) -> None:
        super().__init__(source, 2)
        self._drawn = drawn

    def below(self, bound: int, size: int) -> IntArray:
        return self._drawn


def _released(
    fault: Callable[[DecoyPlan, GroupDraws, PlanSecret], SlotDraws],
) -> Callable[..., ColumnRelease]:
    def publish(
        mechanism: SpluGen, codes: IntArray, domain_size: int, source: Draws, *, order: PlaceOrder = "random"
    ) -> ColumnRelease:
        def drawn(plan: DecoyPlan, draws: GroupDraws, secret: PlanSecret) -> SlotDraws:
            return (fault if draws.name == "capped" else dependent_draws)(plan, draws, secret)

        with patch("splu_ref.mechanisms.splu_gen.dependent_draws", drawn):
            return mechanism.publish_codes(codes, domain_size, source, order=order)

    return publish


def _four_at_once(plan: DecoyPlan, draws: GroupDraws, source: PlanSecret) -> SlotDraws:
    blocks = plan.blocks()
    marked = marked_slots(blocks, draws, source.block(0))
    shown, begin = [], 0
    for number, marks in enumerate(marked):
        repeated = _Repeated(source.block(number + 1), 2)
        shown.append(begin + draw_source_slots(marks, draws, repeated))
        begin += marks.size
    return SlotDraws(marked, np.concatenate(shown))


mutant(
    "draws-largest-marked",
    "draws.group",
    "Of each group, the slots with the largest counts of independent draws are marked.",
    draw_source_slots=_largest_counts,
)
mutant(
    "draws-rest-to-the-first",
    "draws.group",
    "The remainder of the places that are shared goes to the first slots.",
    draw_source_slots=_rest_to_the_first,
)
mutant(
    "draws-not-dealt",
    "draws.group",
    "The members take the values of their group in the order of the slots.",
    draw_source_slots=_not_dealt,
)
mutant(
    "draws-first-slot-more-often",
    "draws.group",
    "The first slot of a group is drawn more often than 1/gamma: its rare value takes the group too often.",
    draw_source_slots=_rare_more_often,
)
mutant(
    "draws-cap-off-by-one",
    "draws.marks",
    "A slot more of each value is marked than the bound says.",
    marked_slots=_one_more,
)
mutant(
    "draws-marked-block-by-block",
    "draws.marks",
    "Each block of the plan marks the first slots of each value by itself: the cap grows with the table.",
    marked_slots=_block_by_block,
)
mutant(
    "draws-groups-in-plan-order",
    "draws.marks",
    "The first groups of the plan are marked, and not those of a random order.",
    marked_slots=_plan_order,
)
mutant(
    "draws-marked-afterwards",
    "draws.release",
    "Groups are drawn first, and of each value the slots of those that came out evenly are marked.",
    publish_dependent=_released(_after_the_draws),
)
mutant(
    "draws-for-four-groups",
    "adult.draws",
    "Four groups of a block use the same draws: every expectation is right, the spread is not.",
    publish_dependent=_released(_four_at_once),
)
