"""Draws: which value of its decoy group a record is published with (step 2 of SPLU-Gen, section 3.1 of the paper).

The paper draws uniformly and independently. A record then keeps its value with probability 1/gamma. Another retention
probability, and draws of a group that hang together so that published counts of frequent values err less, are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from splu_ref.spec.errors import Refused, require
from splu_ref.spec.plans import Group
from splu_ref.spec.randomness import Stream, integer_below, integers_below, order_within


@dataclass(frozen=True)
class Rule:
    """How an integer below ``bound`` becomes a draw: the first ``keeping`` are draw 0, and ``share`` each other one.

    >>> rule = Rule.of(4, Fraction(1, 2))
    >>> rule, [rule.draw(integer) for integer in range(6)]
    (Rule(bound=6, keeping=3, share=1), [0, 0, 0, 1, 2, 3])
    """

    bound: int
    keeping: int
    share: int

    @classmethod
    def of(cls, gamma: int, retention: Fraction) -> Rule:
        """Return the rule of the smallest bound: draw 0 has ``retention``, the others share the rest equally."""
        require(gamma >= 2 and 0 < retention <= 1, "gamma is below 2, or the retention not within 0 and 1")
        u, w = retention.numerator, retention.denominator
        common = gcd(u * (gamma - 1), w - u)
        rule = cls(w * (gamma - 1) // common, u * (gamma - 1) // common, (w - u) // common)
        require(rule.bound <= 2**63, "the retention has too large a denominator")
        return rule

    def draw(self, integer: int) -> int:
        """Return the draw of an integer."""
        return 0 if integer < self.keeping else 1 + (integer - self.keeping) // self.share


def named_value(group: Group, own: int, draw: int) -> int:
    """Return the value that a draw names: 0 is the own one, j the j-th of the others in the order of the group.

    >>> [named_value([4, 7, 1], 7, draw) for draw in range(3)]
    [7, 4, 1]
    """
    others = [value for value in group if value != own]
    return own if draw == 0 else others[draw - 1]


@dataclass(frozen=True)
class Law:
    """The law of the draws: ``independent``, ``capped:M`` or ``all-or-none:A``.

    >>> Law.of("capped:3")
    Law(name='capped', bound=3)
    """

    name: str
    bound: int

    @classmethod
    def of(cls, text: str) -> Law:
        """Return the law that a text names."""
        if text == "independent":
            return cls(text, 0)
        found = re.fullmatch(r"(capped|all-or-none):([1-9][0-9]{0,14})", text, re.ASCII)
        if found is None:
            raise Refused("no such law of the draws")
        return cls(found[1], int(found[2]))

    @property
    def text(self) -> str:
        """Return the text that names the law."""
        return self.name if self.name == "independent" else f"{self.name}:{self.bound}"


@dataclass(frozen=True)
class Dependent:
    """What draws that hang together come to, by slots of the plan."""

    marked: list[int]
    shown: list[int]


def dependent(law: Law, blocks: Sequence[Sequence[Group]], stream_of: Callable[[int], Stream]) -> Dependent:
    """Draw for whole groups: the slot whose value each slot shows.

    Stream 0 gives the order of the groups, stream b + 1 what is drawn for block b.

    >>> from splu_ref.spec.randomness import Tape
    >>> def key_bytes(*keys): return b"".join(key.to_bytes(4, "big") for key in keys)
    >>> drawn = bytes([0, 0, 2, 3, 0, 1, 1]) + key_bytes(6, 5, 4, 3, 1, 2, 8, 4, 6, 5, 9, 7)
    >>> tape = Tape(key_bytes(1, 2) + drawn)
    >>> dependent(Law.of("capped:1"), [[[0, 1, 2], [0, 1, 3]]], lambda _: tape)
    Dependent(marked=[0, 1, 2, 5], shown=[2, 0, 0, 3, 4, 4])
    """
    marked = marked_slots(law, [group for block in blocks for group in block], stream_of)
    shown: list[int] = []
    for number, block in enumerate(blocks):
        stream, start = stream_of(number + 1), len(shown)
        marks = [slot - start for slot in marked if start <= slot < start + len(block) * len(block[0])]
        shown += [
            start + slot for slot in draw_source_slots(law, len(block), len(block[0]), set(marks), stream)
        ]
    return Dependent(marked, shown)


def marked_slots(law: Law, groups: Sequence[Group], stream_of: Callable[[int], Stream]) -> list[int]:
    """Return the marked slots: of each value the first M groups in a random order, or all of the rare values."""
    gamma, times = len(groups[0]), [value for group in groups for value in group]
    if law.name == "all-or-none":
        return [slot for slot, value in enumerate(times) if times.count(value) <= law.bound]
    marked, met = [], dict.fromkeys(times, 0)
    for number in order_within(stream_of(0), [0] * len(groups)):
        for slot, value in enumerate(groups[number]):
            met[value] += 1
            if met[value] <= law.bound:
                marked.append(gamma * number + slot)
    return sorted(marked)


def draw_source_slots(law: Law, groups: int, gamma: int, marked: set[int], stream: Stream) -> list[int]:
    """Return which slot of its own group each slot of a block shows.

    Each group has gamma places. Marked slots win theirs as independent draws would let them; the slots without a mark
    share the rest as evenly as whole numbers allow. Then the places are dealt to the slots at random.
    """
    slots = range(groups * gamma)
    places = [0] * (groups * gamma)
    if law.name == "capped":
        for drawn, named in enumerate(integers_below(stream, gamma, groups * gamma)):
            slot = drawn // gamma * gamma + named
            places[slot] += slot in marked
    else:
        for group in range(groups):
            slot = group * gamma + integer_below(stream, gamma)
            places[slot] = gamma if slot in marked else 0
    first_to_share = order_within(stream, [slot // gamma for slot in slots])
    first_to_show = order_within(stream, [slot // gamma for slot in slots])
    shown = [0] * (groups * gamma)
    for group in range(groups):
        own = slice(group * gamma, (group + 1) * gamma)
        left = gamma - sum(places[own])
        without = [slot for slot in first_to_share[own] if slot not in marked]
        for number, slot in enumerate(without):
            places[slot] = left // len(without) + (number < left % len(without))
        listed = [slot for slot in slots[own] for _ in range(places[slot])]
        for slot, entry in zip(first_to_show[own], listed):
            shown[slot] = entry
    return shown
