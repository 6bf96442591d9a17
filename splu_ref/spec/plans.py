"""Decoy plans: which gamma values stand together in each decoy group (step 1 of SPLU-Gen, section 3.1 of the paper).

A histogram says how many records each value has; values are numbered from 0. A plan is a list of groups of gamma
different values each, in which value v stands as often as it has records. The order of the groups, and of the values
in a group, is part of the plan. ``anatomy`` is the paper's. ``mixed`` is the default: its law tends to the uniform one
over all plans, so that who stands with whom says little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from splu_ref.spec.errors import Unsupported, require
from splu_ref.spec.randomness import Stream, coins, integers_below, order_within

Group = list[int]

MOST_GROUPS = 4096
"""Groups of a block of a mixed plan."""

METHODS = ("anatomy", "cyclic", "mixed")


def require_feasible(histogram: Sequence[int], gamma: int) -> None:
    """Refuse a histogram without a plan: no value may have more than one record in gamma (the paper's condition)."""
    require(gamma >= 2, "gamma is below 2")
    require(all(frequency >= 0 for frequency in histogram), "a frequency is negative")
    records = sum(histogram)
    require(records > 0 and records % gamma == 0, "the number of records is not a multiple of gamma")
    require(max(histogram) <= records // gamma, "a value is too frequent for gamma")


def anatomy(histogram: Sequence[int], gamma: int) -> list[Group]:
    """Take one record from each of the gamma values with the most records left, again and again.

    Among values with the same number left, the smaller one goes first.

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
    """Deal the records, sorted by value, to the groups in turn.

    >>> cyclic([3, 2, 2, 1, 1], 3)
    [[0, 1, 2], [0, 1, 3], [0, 2, 4]]
    """
    values = [value for value, frequency in enumerate(histogram) for _ in range(frequency)]
    count = len(values) // gamma
    return [values[number::count] for number in range(count)]


def blocks_of(groups: Sequence[Group], most: int = MOST_GROUPS) -> list[list[Group]]:
    """Cut groups into blocks of at most ``most``: block b has every B-th group from the b-th on, B blocks in all.

    >>> blocks_of(cyclic([3, 2, 2, 1, 1], 3), most=2)
    [[[0, 1, 2], [0, 2, 4]], [[0, 1, 3]]]
    """
    count = (len(groups) + most - 1) // most
    return [list(groups[number::count]) for number in range(count)]


def exchange(first: Group, second: Group, rotation: int, tossed: Sequence[int]) -> None:
    """Exchange values that only one of two groups holds.

    Slots whose value the other group does not hold are free. The i-th free slot of the first group faces number
    i + rotation of the second's; their values change places if the coin of the first group's slot is 1.

    >>> first, second = [0, 4, 2], [0, 1, 3]
    >>> exchange(first, second, 1, [0, 1, 0])  # slot 1 (4) faces 3, slot 2 (2) faces 1
    >>> first, second
    ([0, 3, 2], [0, 1, 4])
    """
    mine = [slot for slot, value in enumerate(first) if value not in second]
    theirs = [slot for slot, value in enumerate(second) if value not in first]
    for number, slot in enumerate(mine):
        if tossed[slot]:
            facing = theirs[(number + rotation) % len(theirs)]
            first[slot], second[facing] = second[facing], first[slot]


def passes_over(groups: Sequence[Group], stream: Stream, count: int | None = None) -> Iterator[list[Group]]:
    """Yield the groups of a block before its passes, and after each of them.

    A pass puts the groups in a random order, pairs the first half with the second, and lets each pair exchange. All that
    is drawn is drawn first, for all passes: their orders, then their rotations, then their coins.

    >>> bits = "".join(f"{key:08x}" for key in (2, 3, 1, 3, 1, 2)) + "010301" + "a8"
    >>> from splu_ref.spec.randomness import Tape
    >>> for groups in passes_over(cyclic([3, 2, 2, 1, 1], 3), Tape(bytes.fromhex(bits)), count=2):
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
    tossed = coins(stream, count * gamma * pairs)
    standing = [list(group) for group in groups]
    yield [list(group) for group in standing]
    for done in range(count):
        standing = [standing[item - done * size] for item in orders[done * size : (done + 1) * size]]
        for pair in range(pairs):
            own = [tossed[(done * gamma + slot) * pairs + pair] for slot in range(gamma)]
            exchange(standing[pair], standing[pairs + pair], rotations[done * pairs + pair], own)
        yield [list(group) for group in standing]


def mixed(histogram: Sequence[int], gamma: int, stream_of: Callable[[int], Stream]) -> list[list[Group]]:
    """Return the blocks of a mixed plan, each drawn from the stream of its number: the plan's secret."""
    made = []
    for number, block in enumerate(blocks_of(cyclic(histogram, gamma))):
        *_, last = passes_over(block, stream_of(number))
        made.append(last)
    return made


def plan(
    method: str, histogram: Sequence[int], gamma: int, stream_of: Callable[[int], Stream]
) -> list[list[Group]]:
    """Return the blocks of a plan; with ``anatomy`` and ``cyclic`` there is one block, and nothing is drawn."""
    if method not in METHODS:
        raise Unsupported(f"the plan {method} is not known")
    require_feasible(histogram, gamma)
    if method == "mixed":
        return mixed(histogram, gamma, stream_of)
    return [anatomy(histogram, gamma) if method == "anatomy" else cyclic(histogram, gamma)]


def slots_of_records(
    blocks: Sequence[Sequence[Group]], codes: Sequence[int], order: Sequence[int]
) -> list[int]:
    """Return the slot of the plan at which each record stands; slot j of group g has the number gamma g + j.

    ``order`` has the records by value. Entry p of it belongs to the block (p mod G) mod B; among the records of its
    value in its block, the k-th stands in the k-th group of the block that holds the value.

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
