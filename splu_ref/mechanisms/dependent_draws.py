"""Step 3 of SPLU-Gen where the draws of a group hang together (claims splu.EX, splu.CAP and splu.AONc).

Some slots of a plan are marked before anything is drawn. A group publishes each of its values a number of
times, gamma times in all and once on average: the marked slots by chance, the others what is left, as evenly
as can be. Its members then take these values in a uniform order, so that each keeps its own with probability
1 / gamma.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import GroupDraws
from splu_ref.decoys import DecoyPlan
from splu_ref.decoys.plan import Groups
from splu_ref.randomness import IntArray, PlanSecret

Marks: TypeAlias = NDArray[np.bool_]
"""Whether a slot is marked, by group and slot, shape (groups, gamma)."""
SlotKinds: TypeAlias = Mapping[int, Mapping[tuple[bool, int], int]]
"""By value and kind, the number of its slots: whether they are marked, and how many of their group are."""


class Orders(Protocol):
    """What gives uniform orders: see `UniformSource`."""

    def order_within(self, codes: IntArray) -> IntArray: ...  # noqa: D102  the same as there


class Stream(Orders, Protocol):
    """What a block draws from: see `UniformSource`."""

    def below(self, bound: int, size: int) -> IntArray: ...  # noqa: D102  the same as there


class DrawnSlots(NamedTuple):
    """What the draws of a plan come to.

    Attributes
    ----------
    marked
        The marked slots, block by block.
    shown
        Which slot's value the member at each slot is published with, shape (N,): a slot is gamma times its
        group in the plan plus its place in the group.
    """

    marked: tuple[Marks, ...]
    shown: IntArray


def marked_slots(blocks: Sequence[Groups], draws: GroupDraws, stream: Orders) -> tuple[Marks, ...]:
    """Return which slots of a plan are marked, block by block.

    Parameters
    ----------
    blocks
        Values by group and slot, block by block.
    draws
        Capped: the slots of each value in its first groups are marked, as many as the bound says, the groups
        being put in a uniform order. All or none: the slots of values that occur at most as often as the
        bound says are marked.
    stream
        Gives the order of the groups; with all or none, nothing is drawn.
    """
    assert draws.bound is not None, "independent draws mark no slots"
    if draws.name == "all-or-none":
        rare = np.bincount(np.concatenate(blocks).reshape(-1)) <= draws.bound
        return tuple(rare[block] for block in blocks)
    groups = np.concatenate(blocks)
    order = stream.order_within(np.zeros(len(groups), dtype=np.int64))
    values = groups[order].reshape(-1)
    frequencies = np.bincount(values)
    number = np.arange(len(values)) - np.repeat(np.cumsum(frequencies) - frequencies, frequencies)
    early = np.empty(len(values), dtype=np.bool_)
    early[np.argsort(values, kind="stable")] = number < draws.bound
    marked = np.empty(groups.shape, dtype=np.bool_)
    marked[order] = early.reshape(groups.shape)
    return tuple(np.split(marked, np.cumsum([len(block) for block in blocks])[:-1]))


def shown_slots(marked: Marks, draws: GroupDraws, stream: Stream) -> IntArray:
    """Return which slot's value the member at each slot of a block is published with.

    Parameters
    ----------
    marked
        The marked slots of the block.
    draws
        Capped: gamma places of each group are drawn among its slots, and a marked slot keeps those that
        fall on it. All or none: one slot is drawn, which gets all places if it is marked; otherwise no
        marked slot gets any.
    stream
        Of the block. First come the places, or the slots drawn; then the order in which the slots of each
        group that are not marked share what is left; then the order in which its members take the values.

    Returns
    -------
    IntArray
        By slot of the block, gamma times the group plus the slot: such a number, of the same group.
    """
    groups, gamma = marked.shape
    group_of = np.repeat(np.arange(groups), gamma)
    if draws.name == "capped":
        places = stream.below(gamma, groups * gamma) + gamma * group_of
        times = np.bincount(places, minlength=groups * gamma).reshape(groups, gamma) * marked
    else:
        chosen = stream.below(gamma, groups)
        times = gamma * (marked & (np.arange(gamma) == chosen[:, np.newaxis]))
    order = stream.order_within(group_of)
    sharing = ~marked.reshape(-1)[order].reshape(groups, gamma)
    left = gamma - times.sum(axis=1, keepdims=True)
    share, rest = np.divmod(left, np.maximum(sharing.sum(axis=1, keepdims=True), 1))
    times = times.reshape(-1)
    times[order] += (sharing * (share + (np.cumsum(sharing, axis=1) <= rest))).reshape(-1)
    shown = np.empty(groups * gamma, dtype=np.int64)
    shown[stream.order_within(group_of)] = np.repeat(np.arange(groups * gamma), times)
    return shown


def dependent_draws(plan: DecoyPlan, draws: GroupDraws, source: PlanSecret) -> DrawnSlots:
    """Draw which slot's value the member at each slot of a plan is published with.

    Parameters
    ----------
    plan
        The groups, after the deletion.
    draws
        How the draws of a group hang together; not independent.
    source
        Its stream 0 gives the order of the groups, stream b + 1 the draws of the plan's block b.
    """
    marked = marked_slots(plan.blocks(), draws, source.block(0))
    shown, begin = [], 0
    for number, marks in enumerate(marked):
        shown.append(begin + shown_slots(marks, draws, source.block(number + 1)))
        begin += marks.size
    return DrawnSlots(marked, np.concatenate(shown))


def slot_kinds(blocks: Sequence[Groups], marked: Sequence[Marks]) -> SlotKinds:
    """Return what the law of each value's published count depends on, beside gamma.

    Parameters
    ----------
    blocks
        Values by group and slot, block by block.
    marked
        The marked slots, in the same blocks.
    """
    groups, marks = np.concatenate(blocks).astype(np.int64), np.concatenate(marked)
    gamma = groups.shape[1]
    beside = np.broadcast_to(marks.sum(axis=1, keepdims=True), groups.shape)
    kinds, counts = np.unique((groups * 2 + marks) * (gamma + 1) + beside, return_counts=True)
    found: dict[int, dict[tuple[bool, int], int]] = {}
    for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True):
        slot, many = divmod(kind, gamma + 1)
        found.setdefault(slot // 2, {})[bool(slot % 2), many] = count
    return found
