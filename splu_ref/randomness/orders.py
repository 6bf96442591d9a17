"""Uniform orders from random sort keys with redrawn ties, and uniform subsets."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.randomness.protocol import IntArray, require_subset

KEY_BITS = 32
"""Width of one key. The tests enumerate the rule with narrower keys, where ties are common."""

_PART = 1 << 15

DrawIntegers: TypeAlias = Callable[[int, int], IntArray]
"""``below(bound, size)`` of a source; the array it returns must be a fresh one."""


def random_order(
    draw: DrawIntegers, size: int, codes: IntArray | None = None, key_bits: int = KEY_BITS
) -> IntArray:
    """Return ``size`` items in a uniform order, grouped by ascending code if codes are given.

    A key is drawn for every item in order, and the items are sorted by (code, key). For items that agree in
    both, another key is drawn in their current order (by item number), and they are sorted by it within their
    places; this repeats until there are no ties. For at most one item nothing is drawn.

    Whether two items tie does not depend on how the items are named, so every order of the items of one
    code has the same probability at every round, however short the keys.
    """
    if size <= 1:
        return np.arange(size, dtype=np.int64)
    keys = draw(1 << key_bits, size)
    index_bits = (size - 1).bit_length()
    if codes is None:
        code_bits = 0
    elif codes.min() < 0:
        code_bits = 64  # a sign does not fit into a word: sort by columns
    else:
        code_bits = int(codes.max()).bit_length()
    if code_bits + key_bits + index_bits <= 64:
        order, same = _sort_packed(keys, codes, key_bits, index_bits)
    elif codes is not None and (codes[1:] >= codes[:-1]).all():
        order, same = _sort_blocks(keys, codes, key_bits, code_bits)
    else:
        order, same = _sort_columns(keys, codes, key_bits, code_bits)
    _break_ties(order, same, draw, key_bits)
    return order


def _sort_packed(
    keys: IntArray, codes: IntArray | None, key_bits: int, index_bits: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Sort (code, key, item) as one 64-bit word; overwrites ``keys``.

    Returns the order, and for each place but the last whether the next one has the same code and key.
    """
    words = keys.view(np.uint64)
    for begin in range(0, len(words), _PART):  # arrays of full length would be fresh memory, which costs more
        part = words[begin : begin + _PART]
        if codes is not None:
            part |= codes[begin : begin + _PART].view(np.uint64) << np.uint64(key_bits)
        part <<= np.uint64(index_bits)
        part |= np.arange(begin, begin + len(part), dtype=np.uint64)
    # One thread: as fast for arrays of this size, and safe in a process forked after the thread pool started.
    ordered = pl.Series(words).sort(multithreaded=False).to_numpy()
    # The unsorted words are not needed again. Fresh memory would cost more than the arithmetic does.
    item_mask = np.uint64((1 << index_bits) - 1)
    same = np.bitwise_xor(ordered[1:], ordered[:-1], out=words[1:]) <= item_mask
    order = np.bitwise_and(ordered, item_mask, out=words)
    return order.view(np.int64), same


def _sort_blocks(
    keys: IntArray, codes: IntArray, key_bits: int, code_bits: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the same as ``_sort_packed``, for codes that ascend; may overwrite ``keys``.

    Each item stays in the block of its code, so it is represented by its place in the block, in few bits.
    """
    starts = np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])
    lengths = np.diff(starts, append=len(codes))
    place_bits = int(lengths.max() - 1).bit_length()
    if code_bits + key_bits + place_bits > 64:
        return _sort_columns(keys, codes, key_bits, code_bits)
    start = np.repeat(starts, lengths)
    words = keys.view(np.uint64)
    words |= codes.view(np.uint64) << np.uint64(key_bits)
    words <<= np.uint64(place_bits)
    words |= (np.arange(len(codes)) - start).view(np.uint64)
    words.sort(kind="stable")  # the blocks ascend already, which this sort makes use of
    place_mask = np.uint64((1 << place_bits) - 1)
    same = (words[1:] ^ words[:-1]) <= place_mask
    start += np.bitwise_and(words, place_mask, out=words).view(np.int64)
    return start, same


def _sort_columns(
    keys: IntArray, codes: IntArray | None, key_bits: int, code_bits: int
) -> tuple[IntArray, NDArray[np.bool_]]:
    """Return the same as ``_sort_packed``, for codes that leave no room for key and item."""
    columns = (keys,) if codes is None else (keys, codes)
    if codes is not None and key_bits + code_bits < 64:  # one column sorts faster than two
        columns = (codes << key_bits | keys,)
    order = np.lexsort(columns).astype(np.int64, copy=False)
    same = np.ones(len(order) - 1, dtype=np.bool_)
    for column in columns:
        sorted_column = column[order]
        same &= sorted_column[1:] == sorted_column[:-1]
    return order, same


def _break_ties(order: IntArray, same: NDArray[np.bool_], draw: DrawIntegers, key_bits: int) -> None:
    """Redraw keys, in place, until there are no ties.

    ``same`` is true for a place that ties with the next one. Ties are adjacent, and their items are in
    ascending order.
    """
    places: IntArray | None = None
    while same.any():
        with_previous = np.append(False, same)
        tied = np.flatnonzero(with_previous | np.append(same, False))
        group = np.cumsum(~with_previous[tied])
        places = tied if places is None else places[tied]
        keys = draw(1 << key_bits, len(places))
        by_key = np.lexsort((keys, group))  # stable, so items that tie again stay in ascending order
        order[places] = order[places][by_key]
        keys = keys[by_key]
        same = (keys[1:] == keys[:-1]) & (group[1:] == group[:-1])


def draw_subset(integer_below: Callable[[int], int], population: int, count: int) -> IntArray:
    """Return a uniform subset of ``count`` numbers below ``population``, ascending.

    Draw i is an integer r below ``population - i``, which selects the r-th remaining number, counted from 0
    in ascending order. Time is quadratic in ``count``, which is a remainder below gamma.
    """
    require_subset(population, count)
    selected: list[int] = []
    for drawn in range(count):
        number = integer_below(population - drawn)
        for earlier in selected:
            if earlier > number:
                break
            number += 1
        insort(selected, number)
    return np.array(selected, dtype=np.int64)
