"""Decoy plans: which values share a decoy group (step 2 of SPLU-Gen; Fu and others 2014, section 3.1).

A histogram says how many records have each value; values are numbered from 0. A plan is a list of groups.
Each group is a list of γ different values, and value v is in as many groups as it has records. The order
of the groups, and of the values in a group, is part of the plan. The paper requires groups whose values are
unique and for a deterministic method, and names that of Anatomy, which is the method ``anatomy`` here. The
methods ``cyclic`` and ``mixed`` are additions of this specification. ``mixed`` is the default: it is drawn
at random, and its law tends to the uniform one over the plans of each block, so that who shares a group with
whom discloses little.

A *slot* is one place of a group: slot j of group g has the number γ g + j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from splu_ref.spec.errors import Unsupported, require
from splu_ref.spec.randomness import Stream, coins, integers_below, order_within

Group = list[int]

MOST_GROUPS = 4096
"""Groups of the largest block of a mixed plan."""

METHODS = ("anatomy", "cyclic", "mixed")


def require_feasible(histogram: Sequence[int], gamma: int) -> None:
    """Refuse a histogram that has no plan (``parameter``).

    γ is at least 2, no frequency is negative, there is a record, the number of records N is a multiple of γ,
    and no value has more than N/γ records. The last condition is the paper's: such a table is called
    eligible (section 3.1). If remaining records may be deleted, the largest γ of a table is the integer part
    of N divided by its largest frequency.

    >>> require_feasible([3, 1], 2)
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: a value has more than one record in gamma
    """
    require(gamma >= 2, "gamma is below 2")
    require(all(frequency >= 0 for frequency in histogram), "a frequency is negative")
    records = sum(histogram)
    require(records > 0 and records % gamma == 0, "the number of records is not a multiple of gamma")
    require(max(histogram) <= records // gamma, "a value has more than one record in gamma")


def anatomy(histogram: Sequence[int], gamma: int) -> list[Group]:
    """Form each group of the γ values that have most records left, and take one record from each.

    Values are sorted by the number of records left, largest first, and values with the same number by code,
    smallest first. The first γ of them are the group, in this order. Nothing is drawn. There are always γ
    such values: with r groups to form, γ r records are left, of which no value has more than r. To sort all
    values for each group is slow for more than some thousands of groups; the library forms the same groups
    in runs.

    >>> anatomy([3, 2, 2, 1, 1], 3)
    [[0, 1, 2], [0, 1, 2], [0, 3, 4]]
    """
    left = list(histogram)
    groups = []
    for _ in range(sum(histogram) // gamma):
        group = sorted(range(len(left)), key=lambda value: (-left[value], value))[:gamma]
        for value in group:
            left[value] -= 1
        groups.append(group)
    return groups


def cyclic(histogram: Sequence[int], gamma: int) -> list[Group]:
    """Deal the records, sorted by value, to the G groups in turn: entry number j G + g is slot j of group g.

    Nothing is drawn. In the example the sorted records are 0, 0, 0, 1, 1, 2, 2, 3, 4.

    >>> cyclic([3, 2, 2, 1, 1], 3)
    [[0, 1, 2], [0, 1, 3], [0, 2, 4]]
    """
    values = [value for value, frequency in enumerate(histogram) for _ in range(frequency)]
    count = len(values) // gamma
    return [values[number::count] for number in range(count)]


def blocks_of(groups: Sequence[Group], most: int = MOST_GROUPS) -> list[list[Group]]:
    """Cut the G groups of the cyclic plan into B = ⌈G / ``most``⌉ blocks.

    Block b has the groups b, b + B, b + 2 B, … in this order.

    >>> blocks_of(cyclic([3, 2, 2, 1, 1], 3), most=2)
    [[[0, 1, 2], [0, 2, 4]], [[0, 1, 3]]]
    """
    count = (len(groups) + most - 1) // most
    return [list(groups[number::count]) for number in range(count)]


def exchange(first: Group, second: Group, rotation: int, tosses: Sequence[int]) -> None:
    """Exchange values between two groups; both lists change.

    A slot is free if the other group does not hold its value. Both groups have equally many free slots, d.
    The i-th free slot of the first group, from 0 and ascending, faces number (i + ``rotation``) mod d of the
    free slots of the second. The two values change places if the coin of the first group's slot,
    ``tosses[slot]``, is 1.

    In the example slot 1 (value 4) faces slot 2 (value 3), and slot 2 (value 2) faces slot 1 (value 1). Only
    the coin of slot 1 is 1.

    >>> first, second = [0, 4, 2], [0, 1, 3]
    >>> exchange(first, second, 1, [0, 1, 0])
    >>> first, second
    ([0, 3, 2], [0, 1, 4])
    """
    free = [slot for slot, value in enumerate(first) if value not in second]
    opposite = [slot for slot, value in enumerate(second) if value not in first]
    for number, slot in enumerate(free):
        if tosses[slot]:
            facing = opposite[(number + rotation) % len(opposite)]
            first[slot], second[facing] = second[facing], first[slot]


def passes_over(groups: Sequence[Group], stream: Stream, count: int | None = None) -> Iterator[list[Group]]:
    """Yield the groups of a block before its first pass and after each pass.

    A block of one group makes no pass and draws nothing. A block of m > 1 groups makes k passes, where k is
    the number of binary digits of 64 m. With w = ⌊m/2⌋ pairs, everything is drawn before the first pass, in
    this order:

    1. an order of k m items within their passes (`order_within`), the code of item i being its pass ⌊i/m⌋;
    2. k w rotations, integers below γ: first the w of pass 0, then those of pass 1, and so on;
    3. k γ w coins: first those of pass 0; of a pass, first the w of slot 0.

    They are drawn for every slot, whether it will be free or not. Then, for each pass i:

    1. Places. Entries i m to i m + m - 1 of the order are the items of the pass. If the t-th of them, from
       0, is item i m + a, then place t takes the group that stood at place a.
    2. Pairs. The groups at the places q and w + q are pair q, for q = 0, …, w - 1. If m is odd, the group at
       the last place rests.
    3. Each pair makes its `exchange`, with the rotation of the pair and the coins of its slots.

    ``count`` replaces k in examples. In this one the keys of pass 0 are 2, 3, 1 and those of pass 1 are 3,
    1, 2; the rotations are 1 and 1 (03 is rejected); the coins are 1, 0, 1 and 0, 1, 0.

    >>> drawn = "".join(f"{key:08x}" for key in (2, 3, 1, 3, 1, 2)) + "010301" + "a8"
    >>> from splu_ref.spec.randomness import Tape
    >>> for groups in passes_over(cyclic([3, 2, 2, 1, 1], 3), Tape(bytes.fromhex(drawn)), count=2):
    ...     print(groups)
    [[0, 1, 2], [0, 1, 3], [0, 2, 4]]
    [[0, 2, 1], [0, 4, 2], [0, 1, 3]]
    [[0, 3, 2], [0, 1, 4], [0, 2, 1]]
    """
    size, pairs, gamma = len(groups), len(groups) // 2, len(groups[0])
    if count is None:
        count = (64 * size).bit_length() if size > 1 else 0
    orders = order_within(stream, [item // size for item in range(count * size)])
    rotations = integers_below(stream, gamma, count * pairs)
    tosses = coins(stream, count * gamma * pairs)
    current = [list(group) for group in groups]
    yield [list(group) for group in current]
    for done in range(count):
        current = [current[item - done * size] for item in orders[done * size : (done + 1) * size]]
        for pair in range(pairs):
            of_slots = [tosses[(done * gamma + slot) * pairs + pair] for slot in range(gamma)]
            exchange(current[pair], current[pairs + pair], rotations[done * pairs + pair], of_slots)
        yield [list(group) for group in current]


def mixed(histogram: Sequence[int], gamma: int, stream_of: Callable[[int], Stream]) -> list[list[Group]]:
    """Return the blocks of a mixed plan: each block of the cyclic plan after its passes.

    Block b is drawn from ``stream_of(b)``, block after block. Without a key all blocks read the same stream.

    >>> from splu_ref.spec.randomness import Tape
    >>> mixed([1, 1], 2, lambda block: Tape(b""))
    [[[0, 1]]]
    """
    result = []
    for number, block in enumerate(blocks_of(cyclic(histogram, gamma))):
        *_, last = passes_over(block, stream_of(number))
        result.append(last)
    return result


def plan(
    method: str, histogram: Sequence[int], gamma: int, stream_of: Callable[[int], Stream]
) -> list[list[Group]]:
    """Return the blocks of a plan; ``anatomy`` and ``cyclic`` have one block, and draw nothing.

    Another method is ``unsupported``; then a histogram that has no plan is refused (`require_feasible`). A
    request is refused before anything is drawn.

    >>> from splu_ref.spec.randomness import Tape
    >>> plan("anatomy", [2, 1, 1], 2, lambda block: Tape(b""))
    [[[0, 1], [0, 2]]]
    """
    if method not in METHODS:
        raise Unsupported(f"the plan {method} is not known")
    require_feasible(histogram, gamma)
    if method == "mixed":
        return mixed(histogram, gamma, stream_of)
    return [anatomy(histogram, gamma) if method == "anatomy" else cyclic(histogram, gamma)]


def slots_of_records(
    blocks: Sequence[Sequence[Group]], codes: Sequence[int], order: Sequence[int]
) -> list[int]:
    """Return the slot of the plan that each record has.

    ``order`` lists the records by value (`order_within` of their codes). With G groups in B blocks, the
    record at entry p of ``order`` belongs to block (p mod G) mod B. Among the records of its value in its
    block, taken in the order of ``order``, the k-th belongs to the k-th group of the block that holds the
    value.

    With one block this is: the k-th record of a value belongs to the k-th group that holds the value.

    >>> slots_of_records([[[0, 1], [0, 2]]], [0, 2, 1, 0], order=[3, 0, 2, 1])
    [2, 3, 1, 0]
    """
    gamma = len(blocks[0][0])
    free: dict[tuple[int, int], list[int]] = {}
    number = 0
    for block, groups in enumerate(blocks):
        for group in groups:
            for value in group:
                free.setdefault((block, value), []).append(number)
                number += 1
    groups_in_all = number // gamma
    slots = [0] * len(codes)
    for entry, record in enumerate(order):
        block = entry % groups_in_all % len(blocks)
        slots[record] = free[block, codes[record]].pop(0)
    return slots
