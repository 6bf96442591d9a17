"""The rule from uniform integers to a uniform subset."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

import numpy as np

from splu_ref.randomness.preconditions import require_subset
from splu_ref.randomness.protocol import IntArray


def drawn_subset(integer_below: Callable[[int], int], population: int, count: int) -> IntArray:
    """Return a uniform subset of ``count`` numbers below ``population``, ascending.

    Draw i is an integer r below ``population - i``; it takes the r-th, counted from 0 in ascending order,
    of the numbers not yet taken. Time grows with the square of ``count``, which is a remainder below gamma.
    """
    require_subset(population, count)
    taken: list[int] = []
    for drawn in range(count):
        number = integer_below(population - drawn)
        for earlier in taken:
            if earlier > number:
                break
            number += 1
        insort(taken, number)
    return np.array(taken, dtype=np.int64)
