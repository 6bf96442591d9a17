"""The mixed plan: equal to its definition on tapes, valid at every corner, and mixed."""

from __future__ import annotations

import sys
import tracemalloc
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import (
    MOST_GROUPS,
    Blocks,
    cyclic,
    expected_co_occurrence,
    mixed,
    mixed_block,
)
from splu_ref.mechanisms.plans.cyclic import BlockPlan
from splu_ref.mechanisms.plans.mixed import default_passes, trade
from splu_ref.mechanisms.plans.plan import groups_dtype
from splu_ref.randomness import (
    IntArray,
    Key,
    KeyedRelease,
    PlanSecret,
    SeededSource,
    SystemSource,
    TapeSource,
    outcomes,
)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[IntArray, Gamma]:
    """Draw an eligible histogram; values in every group, absent values and single groups are common."""
    gamma, groups = draw(st.integers(2, 6)), draw(st.integers(1, 20))
    histogram: list[int] = []
    left = gamma * groups
    while left:
        count = draw(st.one_of(st.just(groups), st.integers(0, groups)))
        histogram.append(min(count, left))
        left -= histogram[-1]
    return np.array(draw(st.permutations(histogram)), dtype=np.int64), Gamma(gamma)


def _by_definition(
    histogram: IntArray,
    gamma: Gamma,
    source: PlanSecret,
    passes: int | None = None,
    most: int = MOST_GROUPS,
) -> BlockPlan:
    """Return the mixed plan by its definition, without vectorization."""
    entries = [value for value, count in enumerate(histogram.tolist()) for _ in range(count)]
    groups = len(entries) // gamma
    blocks = -(-groups // most)
    arrays = []
    for block in range(blocks):
        stream = source.block(block)
        mine = [value for entry, value in enumerate(entries) if entry % groups % blocks == block]
        count = len(mine) // gamma
        plan = [mine[group::count] for group in range(count)]
        rounds, half = (default_passes(count) if passes is None else passes) if count > 1 else 0, count // 2
        ordered = stream.order_within(
            np.array([done for done in range(rounds) for _ in plan], dtype=np.int64)
        )
        rotations = iter(stream.below(gamma, rounds * half).tolist())
        coins = stream.coins(rounds * gamma * half).tolist()
        for number in range(rounds):
            plan = [plan[item % count] for item in ordered[number * count : (number + 1) * count].tolist()]
            for q, a, b in zip(range(half), plan[:half], plan[half:], strict=False):
                mine_free = [slot for slot in range(gamma) if a[slot] not in b]
                other_free = [slot for slot in range(gamma) if b[slot] not in a]
                rotation = next(rotations)
                for i, slot in enumerate(mine_free):
                    if coins[(number * gamma + slot) * half + q]:
                        facing = other_free[(i + rotation) % len(other_free)]
                        a[slot], b[facing] = b[facing], a[slot]
        arrays.append(np.array(plan, dtype=groups_dtype(len(histogram))))
    return BlockPlan(gamma, len(histogram), tuple(arrays))


@pytest.mark.slow
@settings(max_examples=250)
@given(worlds(), st.integers(0, 4), st.integers(1, 12), st.binary(min_size=4, max_size=4))
def test_the_fast_plan_is_the_reference_byte_for_byte(
    world: tuple[IntArray, Gamma], passes: int, most: int, seed: bytes
) -> None:
    fast, slow = SeededSource(seed), SeededSource(seed)
    plan, expected = mixed(*world, fast, passes, most), _by_definition(*world, slow, passes, most)
    assert [block.tolist() for block in plan.blocks()] == [block.tolist() for block in expected.blocks()]
    assert fast.read(8) == slow.read(8)  # both have consumed the same bytes


@pytest.mark.parametrize("groups", [1, 2, 3, 7])
def test_passes_and_blocks_are_those_of_the_specification_unless_given(groups: int) -> None:
    histogram, gamma = np.array([groups, groups, *[1] * groups]), Gamma(3)
    fast, slow = SeededSource(groups), SeededSource(groups)
    plan, expected = mixed(histogram, gamma, fast), _by_definition(histogram, gamma, slow)
    assert plan.groups().tolist() == expected.groups().tolist()
    assert fast.read(8) == slow.read(8)


@pytest.mark.slow
def test_the_first_histogram_with_two_blocks() -> None:
    """One group more than a block holds, in both forms of the plan."""
    for groups, blocks in ((MOST_GROUPS, 1), (MOST_GROUPS + 1, 2)):
        histogram, gamma = np.array([groups, groups]), Gamma(2)
        for plan in (mixed, _by_definition):
            assert len(plan(histogram, gamma, SystemSource(), 0).blocks()) == blocks


@pytest.mark.slow
@settings(max_examples=300)
@given(worlds())
def test_every_mixed_plan_is_valid(world: tuple[IntArray, Gamma]) -> None:
    histogram, gamma = world
    groups = mixed(histogram, gamma, SystemSource()).groups()
    assert groups.shape == (histogram.sum() // gamma, gamma)
    assert all(len(set(group)) == gamma for group in groups.tolist())
    np.testing.assert_array_equal(np.bincount(groups.reshape(-1), minlength=len(histogram)), histogram)


def test_a_trade_by_hand() -> None:
    # Pairs: (0, 1, 2, 3) with (4, 0, 5, 6), which share 0, and (0, 1, 2, 3) with (3, 7, 8, 9), which share 3.
    # The last group rests. Free in pair 0: 1, 2, 3 and 4, 5, 6; in pair 1: 0, 1, 2 and 7, 8, 9.
    groups = np.array([[0, 1, 2, 3], [0, 1, 2, 3], [4, 0, 5, 6], [3, 7, 8, 9], [7, 7, 7, 7]], dtype=np.uint8)
    slots = groups.T.copy()
    # Pair 0, rotation 1: 1 faces 5, 2 faces 6, 3 faces 4. Pair 1, rotation 3 of three: 0, 1, 2 face 7, 8, 9.
    coins = np.array([[1, 1], [0, 0], [1, 1], [1, 1]], dtype=bool)  # those of 0 and 3 are for nothing
    trade(slots, np.array([1, 3]), coins)
    traded = [[0, 1, 6, 4], [7, 1, 9, 3], [3, 0, 5, 2], [3, 0, 8, 2], [7, 7, 7, 7]]
    assert slots.T.tolist() == traded
    trade(slots, np.array([1, 3]), coins)
    assert slots.T.tolist() == groups.tolist()


def test_large_groups_trade_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    histogram, gamma = np.full(30, 20), Gamma(6)
    whole = mixed(histogram, gamma, SeededSource(3)).groups()
    for most in (7 * gamma**2, 1):
        monkeypatch.setattr(sys.modules["splu_ref.mechanisms.plans.mixed"], "_MOST_COMPARED", most)
        np.testing.assert_array_equal(mixed(histogram, gamma, SeededSource(3)).groups(), whole)


@pytest.mark.parametrize(
    ("histogram", "gamma"),
    [((7, 7), 2), ((1, 1, 1), 3), ((4, 4, 4, 0), 3)],
    ids=["two values", "one group", "as many values as places"],
)
def test_a_histogram_with_one_plan_keeps_it(histogram: tuple[int, ...], gamma: int) -> None:
    groups = mixed(np.array(histogram), Gamma(gamma), SeededSource(1)).groups()
    np.testing.assert_array_equal(groups, cyclic(np.array(histogram), Gamma(gamma)).groups())


@pytest.mark.parametrize(("groups", "consumed"), [(1, 0), (2, 8 * 4 * 2 + 8 + 2), (5, 9 * 4 * 5 + 18 + 5)])
def test_how_much_is_read_does_not_depend_on_the_plan(groups: int, consumed: int) -> None:
    # 8 or 9 passes: a key of 4 bytes a group, a byte a pair, two coins a pair, eight to a byte.
    for histogram in ([groups, groups], [1] * (2 * groups)):
        tape = TapeSource(np.random.default_rng(1).bytes(500))
        mixed(np.array(histogram), Gamma(2), tape)
        assert tape.consumed == consumed


def test_a_value_in_every_group_keeps_its_slots() -> None:
    histogram, gamma = np.array([3, 9, 9, 2, 2, 2]), Gamma(3)
    groups = mixed(histogram, gamma, SeededSource(5)).groups()
    for value in (1, 2):
        slots = np.argwhere(cyclic(histogram, gamma).groups() == value)[:, 1]
        assert sorted(np.argwhere(groups == value)[:, 1].tolist()) == sorted(slots.tolist())


def test_the_number_of_passes() -> None:
    assert [default_passes(groups) for groups in (1, 2, 3, 4, 1023, 1024, 4096)] == [7, 8, 8, 9, 16, 17, 19]
    histogram, gamma = np.array([3, 3, 2, 2]), Gamma(2)
    np.testing.assert_array_equal(
        mixed(histogram, gamma, TapeSource(b""), 0).groups(), cyclic(histogram, gamma).groups()
    )
    with pytest.raises(ParameterError, match="passes is -1"):
        mixed(histogram, gamma, SystemSource(), -1)


def test_one_pass_of_two_groups_leads_to_every_plan() -> None:
    # Two groups of two values out of four: six plans. One pass exchanges none, one or both of the values.
    law: dict[tuple[tuple[int, ...], ...], Fraction] = defaultdict(Fraction)
    for groups, chance in outcomes(lambda s: mixed(np.ones(4, dtype=np.int64), Gamma(2), s, 1).groups()):
        law[tuple(tuple(sorted(group)) for group in groups.tolist())] += chance
    assert sum(law.values()) == 1
    assert {group for plan in law for group in plan} == set(combinations(range(4), 2))
    # The start (0, 2), (1, 3), in both orders of the groups: no coin or both. Any other by one coin of two.
    assert sorted(law.values()) == [Fraction(1, 8)] * 4 + [Fraction(1, 4)] * 2


def test_the_default_passes_reach_the_noise_floor() -> None:
    """The mean of (c - E c)^2 / E c over pairs: about 1,000 at the start, below 1.2 for a mixed plan."""
    weights = 1 / (np.arange(50) + 5.0)
    histogram = np.floor(60_000 * weights / weights.sum()).astype(np.int64)
    histogram[-1] += 60_000 - histogram.sum()
    expected = expected_co_occurrence(histogram, Gamma(5))
    upper = np.triu_indices(50, 1)

    def discrepancy(groups: IntArray) -> float:
        indicator = np.zeros((len(groups), 50))
        indicator[np.arange(len(groups))[:, np.newaxis], groups] = 1
        together = indicator.T @ indicator
        return float(((together - expected) ** 2 / expected)[upper].mean())

    assert discrepancy(cyclic(histogram, Gamma(5)).groups().astype(np.int64)) > 100
    assert discrepancy(mixed(histogram, Gamma(5), SeededSource(1)).groups().astype(np.int64)) < 1.2


def test_memory_grows_with_the_records_alone() -> None:
    peaks = []
    for records in (20_000, 40_000):
        histogram = np.full(20, records // 20)
        tracemalloc.start()
        mixed(histogram, Gamma(10), SeededSource(2), 3)
        peaks.append(tracemalloc.get_traced_memory()[1] / records)
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]
    assert peaks[1] < 80  # bytes a record


def test_a_key_repeats_the_plan_and_columns_have_plans_of_their_own() -> None:
    key = Key(bytes(range(31)) + b"!")
    histogram, gamma = np.full(6, 10), Gamma(3)

    def plan(column: str, key: Key = key) -> list[list[int]]:
        source = KeyedRelease(key).for_records(column, lambda: [b"%d" % i for i in range(60)])
        groups: list[list[int]] = mixed(histogram, gamma, source.plan_secret()).groups().tolist()
        return groups

    assert plan("a") == plan("a")
    assert plan("a") != plan("b")
    assert plan("a") != plan("a", Key(bytes(31) + b"!"))


def test_a_worker_makes_its_block_alone() -> None:
    names = [b"%d" % record for record in range(300)]
    key = KeyedRelease(Key(bytes(range(31)) + b"!")).for_records("v", lambda: names)
    histogram, gamma = np.array([60, 50, 50, 50, 40, 30, 20]), Gamma(5)
    plan = mixed(histogram, gamma, key.plan_secret(), most=16)
    blocks = Blocks.of(60, 16)
    assert [blocks.size(block) for block in range(4)] == [15, 15, 15, 15]
    for number in (3, 1):
        part = mixed_block(blocks.histogram(number, histogram), gamma, key.plan_secret().block(number))
        np.testing.assert_array_equal(part, plan.blocks()[number])
