"""Step 3 of SPLU-Gen (Fu et al. 2014, section 3.1): independent draws within a group, and dependent draws.

Step 3 of SPLU-Gen (Fu et al. 2014, section 3.1): whether a record keeps its value, or whose it takes.

Draw 0 is the record's own value, draw j > 0 the j-th of the other values of its decoy group. With the
retention probability p = u/w, one uniform integer decides: k of every m keep the value, and each of the
gamma - 1 other draws has the same share of the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Gamma, GroupDraws, ParameterError
from splu_ref.mechanisms.plans.plan import DecoyPlan, Groups
from splu_ref.randomness import Draws, IntArray, PlanSecret

LARGEST_BOUND = 2**63


class DrawRule(NamedTuple):
    """How a uniform integer r below ``bound`` becomes a draw.

    r < ``keeping`` is draw 0; otherwise the draw is 1 + (r - ``keeping``) // ``share``.
    """

    bound: int
    keeping: int
    share: int

    def draw(self, integers: IntArray) -> IntArray:
        """Return the draws that uniform integers below ``bound`` become, shape as given."""
        if self.keeping == self.share == 1:
            return integers  # p = 1 / gamma: the integer is the draw
        return np.where(integers < self.keeping, 0, 1 + (integers - self.keeping) // max(self.share, 1))


def draw_rule(gamma: Gamma, retention: Fraction) -> DrawRule:
    """Return the rule with the least bound.

    Parameters
    ----------
    gamma
        Size of a decoy group.
    retention
        p = u/w in lowest terms, 0 < p <= 1. With g = gcd(u (gamma - 1), w - u), the bound is
        w (gamma - 1)/g, of which u (gamma - 1)/g keep the value and (w - u)/g go to each other draw.
        For p = 1/gamma that is gamma, 1 and 1.

    Raises
    ------
    ParameterError
        If the bound is above 2**63.
    """
    kept, whole = retention.numerator, retention.denominator
    common = gcd(kept * (gamma - 1), whole - kept)
    rule = DrawRule(whole * (gamma - 1) // common, kept * (gamma - 1) // common, (whole - kept) // common)
    if rule.bound > LARGEST_BOUND:
        raise ParameterError("retention has too many digits to draw by: write it with fewer, such as 0.3")
    return rule


def draws(source: Draws, gamma: Gamma, retention: Fraction, size: int) -> IntArray:
    """Return one draw below ``gamma`` for each of ``size`` records: 0 with probability ``retention``."""
    rule = draw_rule(gamma, retention)
    return rule.draw(source.below(rule.bound, size))


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
