"""Blocks: which entries they hold, counted by division, and where a record stands."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import BlockPlan, Blocks, cyclic, mixed
from splu_ref.randomness import SeededSource


@given(st.integers(1, 200), st.integers(1, 40))
def test_a_block_holds_every_b_th_group(groups: int, most: int) -> None:
    blocks = Blocks.of(groups, most)
    members = [list(range(block, groups, blocks.count)) for block in range(blocks.count)]
    assert [blocks.size(block) for block in range(blocks.count)] == list(map(len, members))
    assert max(map(len, members)) <= most
    assert blocks.count == 1 or 2 * min(map(len, members)) >= most - (most > 1)
    below = np.arange(3 * groups + 1)
    for block in range(blocks.count):
        stored = [entry for entry in range(3 * groups) if entry % groups in members[block]]
        assert blocks.before(block, below).tolist() == np.searchsorted(stored, below).tolist()


def test_the_blocks_of_the_specification() -> None:
    assert [Blocks.of(groups).count for groups in (1, 4096, 4097, 8192, 8193)] == [1, 1, 2, 2, 3]
    assert [Blocks.of(4097).size(block) for block in (0, 1)] == [2049, 2048]


@given(st.lists(st.integers(0, 30), min_size=2, max_size=9), st.integers(2, 5), st.integers(1, 8))
def test_the_histogram_of_a_block_is_that_of_its_groups(counts: list[int], size: int, most: int) -> None:
    gamma, groups = Gamma(size), max(*counts, 1)
    while sum(counts) < size * groups or len(counts) < size:
        counts = [*counts, min(groups, max(size * groups - sum(counts), 0))]
    groups = -(-sum(counts) // size)
    counts = [*counts, size * groups - sum(counts)]
    histogram, blocks = np.array(counts), Blocks.of(groups, most)
    whole = cyclic(histogram, gamma).groups()
    for block in range(blocks.count):
        part = whole[block :: blocks.count]
        stored = blocks.histogram(block, histogram)
        assert stored.tolist() == np.bincount(part.reshape(-1), minlength=len(counts)).tolist()
        np.testing.assert_array_equal(cyclic(stored, gamma).groups(), part)
        # Every value has its share up to two records.
        assert (np.abs(stored * blocks.count - histogram) < 2 * blocks.count).all()


@pytest.mark.parametrize("most", [4096, 7, 2, 1])
def test_a_record_stands_and_is_published_where_arithmetic_says(most: int) -> None:
    histogram, gamma = np.array([9, 4, 12, 0, 12, 11]), Gamma(4)
    plan = mixed(histogram, gamma, SeededSource(2), most=most)
    assert isinstance(plan, BlockPlan)
    groups, blocks = 12, Blocks.of(12, most)
    starts = np.cumsum(histogram) - histogram
    order = np.random.default_rng(0).permutation(48)
    draws = np.arange(48) % 4
    published = plan.published(order, draws)
    stands = plan.slots() // gamma
    first = np.cumsum([0] + [blocks.size(block) for block in range(blocks.count)])
    for value, frequency in enumerate(histogram.tolist()):
        for k in range(frequency):
            entry = int(starts[value]) + k
            block = entry % groups % blocks.count
            rank = int(np.diff(blocks.before(block, np.array([starts[value], entry])))[0])
            part = plan.blocks()[block].tolist()
            place = [number for number, group in enumerate(part) if value in group][rank]
            assert stands[entry] == first[block] + place
            others = [other for other in part[place] if other != value]
            assert published[order[entry]] == [value, *others][draws[order[entry]]]
