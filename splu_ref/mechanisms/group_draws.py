"""Step 3 of SPLU-Gen (Fu et al. 2014, section 3.1): independent and dependent draws within decoy groups.

Draw 0 is the record's true value, draw j > 0 the j-th other value of its decoy group. An independent draw
uses one uniform integer below a bound: the integers below ``retained`` are draw 0, and each of the gamma - 1
other draws has the same number of the remaining ones.
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
    """Rule from a uniform integer r below ``bound`` to a draw.

    r < ``retained`` is draw 0; otherwise the draw is 1 + (r - ``retained``) // ``share``.
    """

    bound: int
    retained: int
    share: int

    def draw(self, integers: IntArray) -> IntArray:
        """Return the draws for uniform integers below ``bound``, of the same shape."""
        if self.retained == self.share == 1:
            return integers  # p = 1 / gamma: the integer is the draw
        return np.where(integers < self.retained, 0, 1 + (integers - self.retained) // max(self.share, 1))


def draw_rule(gamma: Gamma, retention: Fraction) -> DrawRule:
    """Return the draw rule with the smallest bound.

    Parameters
    ----------
    gamma
        Size of a decoy group.
    retention
        p = u/w in lowest terms, 0 < p <= 1. With g = gcd(u (gamma - 1), w - u), the bound is
        w (gamma - 1)/g, ``retained`` is u (gamma - 1)/g and ``share`` is (w - u)/g. For p = 1/gamma they are
        gamma, 1 and 1.

    Raises
    ------
    ParameterError
        If the bound is above 2**63.
    """
    u, w = retention.numerator, retention.denominator
    common = gcd(u * (gamma - 1), w - u)
    rule = DrawRule(w * (gamma - 1) // common, u * (gamma - 1) // common, (w - u) // common)
    if rule.bound > LARGEST_BOUND:
        raise ParameterError("retention has too many digits to draw by: write it with fewer, such as 0.3")
    return rule


def independent_draws(source: Draws, gamma: Gamma, retention: Fraction, size: int) -> IntArray:
    """Return one draw below ``gamma`` for each of ``size`` records: 0 with probability ``retention``."""
    rule = draw_rule(gamma, retention)
    return rule.draw(source.below(rule.bound, size))


Marks: TypeAlias = NDArray[np.bool_]
"""Whether a slot is marked, by group and slot, shape (groups, gamma)."""
SlotKinds: TypeAlias = Mapping[int, Mapping[tuple[bool, int], int]]
"""Number of slots by value and kind; a kind is (whether the slot is marked, marked slots of its group)."""


class Orders(Protocol):
    """Source of uniform orders: see `UniformSource`."""

    def order_within(self, codes: IntArray) -> IntArray: ...  # noqa: D102  the same as there


class Stream(Orders, Protocol):
    """Source of uniform integers and orders: see `UniformSource`."""

    def below(self, bound: int, size: int) -> IntArray: ...  # noqa: D102  the same as there


class SlotDraws(NamedTuple):
    """Dependent draws of a plan: its marked slots, and for each slot the slot whose value is published.

    A slot is numbered gamma times its group in the plan plus its place in the group; ``sources`` has shape
    (N,).
    """

    marked: tuple[Marks, ...]
    sources: IntArray


def marked_slots(blocks: Sequence[Groups], draws: GroupDraws, stream: Orders) -> tuple[Marks, ...]:
    """Mark slots of a plan for dependent draws, block by block.

    Parameters
    ----------
    blocks
        Values by group and slot, block by block.
    draws
        Capped: groups are put in a uniform order, and each value is marked in its first ``bound`` groups. All
        or none: all slots of values that occur at most ``bound`` times are marked.
    stream
        Source of the order of the groups; all or none draws nothing.
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


def draw_source_slots(marked: Marks, draws: GroupDraws, stream: Stream) -> IntArray:
    """Draw for each slot of a block the slot whose value its record is published with."""
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
    sources = np.empty(groups * gamma, dtype=np.int64)
    sources[stream.order_within(group_of)] = np.repeat(np.arange(groups * gamma), times)
    return sources


def dependent_draws(plan: DecoyPlan, draws: GroupDraws, source: PlanSecret) -> SlotDraws:
    """Draw for each slot of a plan the slot whose value its record is published with.

    Parameters
    ----------
    plan
        The groups, after the deletion.
    draws
        The joint law of the draws of a group; not independent.
    source
        Stream 0 gives the order of the groups, stream b + 1 the draws of the plan's block b.
    """
    marked = marked_slots(plan.blocks(), draws, source.block(0))
    sources, begin = [], 0
    for number, marks in enumerate(marked):
        sources.append(begin + draw_source_slots(marks, draws, source.block(number + 1)))
        begin += marks.size
    return SlotDraws(marked, np.concatenate(sources))


def slot_kinds(blocks: Sequence[Groups], marked: Sequence[Marks]) -> SlotKinds:
    """Count the slots of each value by kind: with gamma they determine the law of its published count."""
    groups, marks = np.concatenate(blocks).astype(np.int64), np.concatenate(marked)
    gamma = groups.shape[1]
    marked_of_group = np.broadcast_to(marks.sum(axis=1, keepdims=True), groups.shape)
    codes, counts = np.unique((groups * 2 + marks) * (gamma + 1) + marked_of_group, return_counts=True)
    kinds: dict[int, dict[tuple[bool, int], int]] = {}
    for code, count in zip(codes.tolist(), counts.tolist(), strict=True):
        slot, marked_count = divmod(code, gamma + 1)
        kinds.setdefault(slot // 2, {})[bool(slot % 2), marked_count] = count
    return kinds
