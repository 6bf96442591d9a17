"""Who stands with whom in a small mixed plan, exactly: every outcome of every pass is walked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from math import factorial
from typing import TypeAlias

from splu_ref.decoys.mixed import default_passes

Plan: TypeAlias = tuple[tuple[int, ...], ...]


@cache
def expected_together(
    histogram: tuple[int, ...], gamma: int, passes: int | None = None
) -> dict[tuple[int, int], Fraction]:
    """Return in how many groups two values stand together, on average over the plans of the method ``mixed``.

    Parameters
    ----------
    histogram
        Frequencies of a table with two or three groups: so a pass has one pair, and the plans are few.
    gamma
        Size of a group.
    passes
        How many passes are made; those of the specification unless given.

    Returns
    -------
    dict
        By pair of values, in both orders; pairs that never meet are absent.

    Notes
    -----
    ``docs/specification/plans.md``, the method mixed. Written from that page, with nothing of the code that
    publishes but the number of passes.
    """
    entries = [value for value, count in enumerate(histogram) for _ in range(count)]
    number = len(entries) // gamma
    assert number in (2, 3)
    plans: Counter[Plan] = Counter({tuple(tuple(entries[group::number]) for group in range(number)): 1})
    made = default_passes(number) if passes is None else passes
    for _ in range(made):
        after: Counter[Plan] = Counter()
        for plan, weight in plans.items():
            for order in permutations(plan):
                for changed, ways in _trades(order, gamma):
                    after[changed] += weight * ways
        plans = after
    whole = (factorial(number) * gamma * 2**gamma) ** made
    assert plans.total() == whole
    together: Counter[tuple[int, int]] = Counter()
    for plan, weight in plans.items():
        for group in plan:
            for one, other in combinations(group, 2):
                together[one, other] += weight
                together[other, one] += weight
    return {pair: Fraction(weight, whole) for pair, weight in together.items()}


def _trades(plan: Sequence[tuple[int, ...]], gamma: int) -> Iterator[tuple[Plan, int]]:
    """Yield what the first two groups may become, and by how many rotations and coins."""
    first, second, *resting = plan
    mine = [slot for slot in range(gamma) if first[slot] not in second]
    theirs = [slot for slot in range(gamma) if second[slot] not in first]
    unused = 2 ** (gamma - len(mine))
    for rotation in range(gamma):
        for coins in product((0, 1), repeat=len(mine)):
            a, b = list(first), list(second)
            for place, (slot, coin) in enumerate(zip(mine, coins, strict=True)):
                if coin:
                    facing = theirs[(place + rotation) % len(theirs)]
                    a[slot], b[facing] = b[facing], a[slot]
            yield (tuple(a), tuple(b), *resting), unused
