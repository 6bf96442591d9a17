"""All valid plans of a histogram, listed or counted: lists of groups of gamma distinct values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from typing import TypeAlias

Plan: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups in their order, the values ascending in each."""


def plans(histogram: tuple[int, ...], gamma: int) -> Iterator[Plan]:
    """Yield every list of N/gamma groups in which each value stands as often as it has records."""
    if not any(histogram):
        yield ()
        return
    groups = sum(histogram) // gamma
    for group in combinations([value for value, left in enumerate(histogram) if left], gamma):
        rest = tuple(left - (value in group) for value, left in enumerate(histogram))
        if max(rest) <= groups - 1:
            yield from ((group, *others) for others in plans(rest, gamma))


@cache
def number_of_plans(counts: tuple[int, ...], gamma: int) -> int:
    """Return how many plans a histogram has, by its counts in descending order.

    The first group takes some of the values with each count; which ones does not matter to the rest.
    """
    groups = sum(counts) // gamma
    if groups == 0:
        return 1
    if counts[0] > groups:
        return 0
    levels = sorted({count for count in counts if count}, reverse=True)
    total = 0
    for taken in _spread(gamma, [counts.count(level) for level in levels]):
        left: list[int] = []
        ways = 1
        for level, some in zip(levels, taken, strict=True):
            ways *= comb(counts.count(level), some)
            left += [level] * (counts.count(level) - some) + [level - 1] * some
        total += ways * number_of_plans(tuple(sorted((c for c in left if c), reverse=True)), gamma)
    return total


def _spread(total: int, room: list[int]) -> Iterator[tuple[int, ...]]:
    if not room:
        if total == 0:
            yield ()
        return
    for some in range(max(0, total - sum(room[1:])), min(total, room[0]) + 1):
        for others in _spread(total - some, room[1:]):
            yield (some, *others)


def mean_together(histogram: tuple[int, ...], gamma: int) -> dict[tuple[int, int], Fraction]:
    """Return the mean of c(u, v) over all plans, u < v: all groups have the law of the first one."""
    groups = sum(histogram) // gamma
    ways: dict[tuple[int, int], int] = dict.fromkeys(combinations(range(len(histogram)), 2), 0)
    every = 0
    for group in combinations(range(len(histogram)), gamma):
        left = sorted((left - (value in group) for value, left in enumerate(histogram)), reverse=True)
        if left[-1] < 0:
            continue
        rest = number_of_plans(tuple(count for count in left if count), gamma)
        every += rest
        for pair in combinations(group, 2):
            ways[pair] += rest
    return {pair: Fraction(groups * way, every) for pair, way in ways.items()}
