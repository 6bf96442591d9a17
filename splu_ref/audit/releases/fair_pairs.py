"""Order among exchangeable items, as tosses of fair coins.

If the order of some items is uniformly random, then for any disjoint pairs of places, chosen beforehand, and
given which two items stand in each pair, each of the two ways round has probability 1/2, independently:
swapping the items of any set of pairs leaves the order as likely as before. So of the pairs whose items
differ in some respect, the number that stand one way round is Bin(pairs, 1/2). The same holds for triples of
places, two of which are swapped.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from splu_ref.randomness import IntArray

HALF = Fraction(1, 2)


def far_pairs(size: int) -> tuple[IntArray, IntArray]:
    """Return disjoint pairs of places, half the size apart."""
    first = np.arange(size // 2)
    return first, first + size // 2


def near_pairs(size: int) -> tuple[IntArray, IntArray]:
    """Return disjoint pairs of neighboring places."""
    first = np.arange(0, size - 1, 2)
    return first, first + 1


def rising(items: IntArray, pairs: tuple[IntArray, IntArray]) -> tuple[int, int]:
    """Return how many pairs hold different numbers, and in how many of these the first is the smaller."""
    first, second = items[pairs[0]], items[pairs[1]]
    return int((first != second).sum()), int((first < second).sum())


def alike(items: IntArray, gamma: int) -> tuple[int, int]:
    """Return how many triples (two neighbors of a block, another) tell, and how many have equal neighbors.

    Blocks are gamma consecutive places, cut into pairs of neighbors; the third place is the second of the
    same pair in a block half the size away. A triple tells if exactly one of the second and the third item
    equals the first, and none is -1 (unknown). With fair coins the neighbor is the equal one in half of
    these; in a table that stands in the order of its decoy groups never.
    """
    blocks = len(items) // gamma // 2
    start = (gamma * np.arange(blocks)[:, None] + np.arange(0, gamma - 1, 2)).reshape(-1)
    first, second, third = items[start], items[start + 1], items[start + 1 + gamma * blocks]
    known = (first >= 0) & (second >= 0) & (third >= 0)
    near, far = known & (first == second), known & (first == third)
    return int((near != far).sum()), int((near & ~far).sum())


def nearer(items: IntArray, lag: int) -> tuple[int, int]:
    """Return how many triples (two items ``lag`` apart, a third) tell, and in how many the two are nearer.

    The third place is half the size after the second. A triple tells if the second and the third number are
    not equally far from the first, and none is -1 (unknown). With fair coins the second is the nearer one in
    half of these; in a table that keeps together what belongs together, in more.
    """
    half = len(items) // 2
    lag = min(lag, half + 1)  # no pair is so far apart
    start = (2 * lag * np.arange(half // (2 * lag))[:, None] + np.arange(lag)).reshape(-1)
    first, second, third = items[start], items[start + lag], items[start + lag + half]
    known = (first >= 0) & (second >= 0) & (third >= 0)
    near, far = np.abs(second - first)[known], np.abs(third - first)[known]
    return int((near != far).sum()), int((near < far).sum())
