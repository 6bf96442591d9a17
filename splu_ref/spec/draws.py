"""Draws: with which value of its decoy group a record is published (step 3 of SPLU-Gen).

In the paper (Fu and others 2014, section 3.1) a record retains its value with probability p and takes each
other value of its group with probability (1 - p)/(γ - 1), independently of all others; the paper sets p to
1/γ. The whole numbers of `Rule`, and dependent draws, are additions of this specification. With dependent
draws the records of a group are drawn together, so that published counts of frequent values have smaller
errors; each record still retains its value with probability 1/γ.
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
    """How an integer below ``bound`` becomes a draw from 0 to γ - 1.

    The first ``retained`` integers are draw 0, the next ``share`` integers draw 1, the ``share`` after them
    draw 2, and so on.

    >>> rule = Rule.of(4, Fraction(1, 2))
    >>> rule, [rule.draw(integer) for integer in range(6)]
    (Rule(bound=6, retained=3, share=1), [0, 0, 0, 1, 2, 3])
    """

    bound: int
    retained: int
    share: int

    @classmethod
    def of(cls, gamma: int, retention: Fraction) -> Rule:
        """Return the rule for γ and the retention probability p = u/w in lowest terms.

        With g the greatest common divisor of u (γ - 1) and w - u, the bound is w (γ - 1)/g, of which u (γ -
        1)/g integers retain the value and (w - u)/g go to each other draw. For p = 1/γ the bound is γ and
        the integer is the draw. For p = 1 the bound is 1, so nothing is read.

        Refused (``parameter``): γ below 2, p not above 0 or above 1, a bound above 2^63.
        """
        require(
            gamma >= 2 and 0 < retention <= 1,
            "gamma is below 2, or the retention is not above 0 and at most 1",
        )
        u, w = retention.numerator, retention.denominator
        common = gcd(u * (gamma - 1), w - u)
        rule = cls(w * (gamma - 1) // common, u * (gamma - 1) // common, (w - u) // common)
        require(rule.bound <= 2**63, "the retention has too large a denominator")
        return rule

    def draw(self, integer: int) -> int:
        """Return the draw of an integer below the bound."""
        return 0 if integer < self.retained else 1 + (integer - self.retained) // self.share


def drawn_value(group: Group, true_value: int, draw: int) -> int:
    """Return the value of a draw: 0 is the true value, j the j-th of the others in the order of the group.

    >>> [drawn_value([4, 7, 1], 7, draw) for draw in range(3)]
    [7, 4, 1]
    """
    others = [value for value in group if value != true_value]
    return true_value if draw == 0 else others[draw - 1]


@dataclass(frozen=True)
class Law:
    """The law of the draws of SPLU-Gen: ``independent``, ``capped:M`` or ``all-or-none:A``.

    >>> Law.of("capped:3"), Law.of("capped:3").text
    (Law(name='capped', bound=3), 'capped:3')
    """

    name: str
    bound: int

    @classmethod
    def of(cls, text: str) -> Law:
        """Return the law of a text.

        M and A are 1 to 15 digits 0-9, the first of which is not 0. Another text is refused (``parameter``).
        """
        if text == "independent":
            return INDEPENDENT
        match = re.fullmatch(r"(capped|all-or-none):([1-9][0-9]{0,14})", text, re.ASCII)
        if match is None:
            raise Refused("there is no such law of the draws")
        return cls(match[1], int(match[2]))

    @property
    def text(self) -> str:
        """The text of the law, as in a manifest."""
        return self.name if self.name == "independent" else f"{self.name}:{self.bound}"


INDEPENDENT = Law("independent", 0)
"""The law of the paper."""


@dataclass(frozen=True)
class DependentDraws:
    """Dependent draws: the marked slots, ascending, and for each slot the slot whose value it shows."""

    marked: list[int]
    shown: list[int]


def dependent(
    law: Law, blocks: Sequence[Sequence[Group]], stream_of: Callable[[int], Stream]
) -> DependentDraws:
    """Draw for all groups of a plan; a record is published with the value of the slot that its slot shows.

    First the marks are made (`marked_slots`), from stream 0. Then, block after block, each slot is given the
    slot that it shows (`shown_slots`), for block b from stream b + 1. Without a key all of these are the
    same stream.

    In the example the keys of the two groups are 1 and 2, so slots 0, 1 and 2 are marked; of group 1 only
    slot 5 is, because values 0 and 1 are marked in the first group already.

    >>> from splu_ref.spec.randomness import Tape
    >>> def key_bytes(*keys): return b"".join(key.to_bytes(4, "big") for key in keys)
    >>> drawn = bytes([0, 0, 2, 3, 0, 1, 1]) + key_bytes(6, 5, 4, 3, 1, 2, 8, 4, 6, 5, 9, 7)
    >>> tape = Tape(key_bytes(1, 2) + drawn)
    >>> dependent(Law.of("capped:1"), [[[0, 1, 2], [0, 1, 3]]], lambda number: tape)
    DependentDraws(marked=[0, 1, 2, 5], shown=[2, 0, 0, 3, 4, 4])
    """
    marked = marked_slots(law, [group for block in blocks for group in block], stream_of)
    shown: list[int] = []
    for number, block in enumerate(blocks):
        stream, start = stream_of(number + 1), len(shown)
        of_block = {slot - start for slot in marked if start <= slot < start + len(block) * len(block[0])}
        shown += [start + slot for slot in shown_slots(law, len(block), len(block[0]), of_block, stream)]
    return DependentDraws(marked, shown)


def marked_slots(law: Law, groups: Sequence[Group], stream_of: Callable[[int], Stream]) -> list[int]:
    """Return the marked slots of a plan, ascending.

    ``capped:M``: draw an order of the groups (`order_within` of items of one code; nothing is read for one
    group). Take the groups in this order: of each value, the slots of the first M groups that hold it are
    marked. ``all-or-none:A``: draw nothing; the slots of the values that are
    in at most A groups are marked.

    >>> from splu_ref.spec.randomness import Tape
    >>> marked_slots(Law.of("all-or-none:1"), [[0, 1, 2], [0, 1, 3]], lambda number: Tape(b""))
    [2, 5]
    """
    gamma, values = len(groups[0]), [value for group in groups for value in group]
    if law.name == "all-or-none":
        return [slot for slot, value in enumerate(values) if values.count(value) <= law.bound]
    marked, seen = [], dict.fromkeys(values, 0)
    for number in order_within(stream_of(0), [0] * len(groups)):
        for slot, value in enumerate(groups[number]):
            seen[value] += 1
            if seen[value] <= law.bound:
                marked.append(gamma * number + slot)
    return sorted(marked)


def shown_slots(law: Law, groups: int, gamma: int, marked: set[int], stream: Stream) -> list[int]:
    r"""Return for each slot of a block the slot of the same group that it shows.

    Slots are numbered within the block, and each group has γ places to give to its slots.

    1. ``capped``: draw γ integers below γ for each group, group after group. A marked slot j of a group gets
       one place for each j among the integers of the group; integers of slots without a mark are ignored.
       ``all-or-none``: draw one integer below γ for each group; the slot that it names gets all γ places if
       it is marked, and other marked slots get none.
    2. Draw an order of all slots within their groups. Let l be the places that a group has left, and u the
       number of its slots without a mark. Each of these gets ⌊l/u⌋ places, and the first l mod u of them in
       the order drawn get one more.
    3. Draw another such order. List the slots of a group, ascending, each as often as it has places: γ
       entries. The i-th slot of the group in the order drawn shows the i-th entry.

    Integers and keys are drawn for every slot, whether it is marked or not.

    >>> from splu_ref.spec.randomness import Tape
    >>> keys = b"".join(key.to_bytes(4, "big") for key in (1, 2, 2, 1))
    >>> shown_slots(Law.of("all-or-none:1"), 1, 2, {0}, Tape(b"\x00" + keys))
    [0, 0]
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
    order_of_shares = order_within(stream, [slot // gamma for slot in slots])
    order_of_shown = order_within(stream, [slot // gamma for slot in slots])
    shown = [0] * (groups * gamma)
    for group in range(groups):
        of_group = slice(group * gamma, (group + 1) * gamma)
        left = gamma - sum(places[of_group])
        unmarked = [slot for slot in order_of_shares[of_group] if slot not in marked]
        for number, slot in enumerate(unmarked):
            places[slot] = left // len(unmarked) + (number < left % len(unmarked))
        entries = [slot for slot in slots[of_group] for _ in range(places[slot])]
        for slot, entry in zip(order_of_shown[of_group], entries, strict=True):
            shown[slot] = entry
    return shown
