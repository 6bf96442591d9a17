"""Faults in swapping."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from property_tests.mutants.mutant import mutant
from splu_ref.mechanisms import ColumnsRelease, Swapping
from splu_ref.randomness import Draws, IntArray


def _released(mechanism: Swapping, own: IntArray, draws: Draws) -> IntArray:
    return np.flatnonzero(
        draws.below(mechanism.retention.denominator, len(own)) >= mechanism.retention.numerator
    )


def _put(codes: Mapping[str, IntArray], place: Callable[[str, IntArray], IntArray]) -> ColumnsRelease:
    rows = np.arange(len(next(iter(codes.values()))), dtype=np.int64)
    return ColumnsRelease(rows, {column: place(column, own) for column, own in codes.items()}, rows[:0])


def _in_a_circle(
    mechanism: Swapping,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    def place(column: str, own: IntArray) -> IntArray:
        released, cells = _released(mechanism, own, draws_for(column)), own.copy()
        cells[released] = np.roll(own[released], 1)
        return cells

    return _put(codes, place)


def _no_fixed_cells(
    mechanism: Swapping,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    def place(column: str, own: IntArray) -> IntArray:
        draws = draws_for(column)
        order, cells = draws.order_within(np.zeros(len(own), dtype=np.int64)), own.copy()
        released = order[np.isin(order, _released(mechanism, own, draws))]
        cells[released] = np.roll(own[released], 1)  # one circle in a random order: no cell comes back
        return cells

    return _put(codes, place)


def _all_released(
    mechanism: Swapping,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    return Swapping(0).publish_columns(codes, domain_sizes, draws_for)


def _one_order(
    mechanism: Swapping,
    codes: Mapping[str, IntArray],
    domain_sizes: Mapping[str, int],
    draws_for: Callable[[str], Draws],
) -> ColumnsRelease:
    first = next(iter(codes))
    own = codes[first]
    places = np.arange(len(own), dtype=np.int64)
    moved = mechanism.publish_columns({first: places}, {first: len(own)}, draws_for).published[first]
    return _put(codes, lambda _, cells: cells[moved])


mutant(
    "swapping-in-a-circle",
    "swapping.law",
    "The released cells move on by one place in a circle.",
    also=["swapping.intervals"],
    publish_swapped=_in_a_circle,
)
mutant(
    "swapping-without-fixed-cells",
    "swapping.law",
    "No released cell comes back to its own place.",
    publish_swapped=_no_fixed_cells,
)
mutant(
    "swapping-keeps-nothing",
    "swapping.law",
    "All cells are released, whatever the retention.",
    publish_swapped=_all_released,
)
mutant(
    "one-permutation-for-two-columns",
    "swapping.law",
    "All columns move by one permutation: whole groups of cells stay together.",
    publish_swapped=_one_order,
)
