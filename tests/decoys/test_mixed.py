"""The mixed plan: equal to its ten-line form on tapes, valid at every corner, and mixed."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.decoys import cyclic, expected_co_occurrence, mixed, mixed_reference
from splu_ref.decoys.mixed import default_passes, trade
from splu_ref.model import Gamma, ParameterError
from splu_ref.randomness import IntArray, Key, KeyedSource, SeededSource, SystemSource, TapeSource, outcomes


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


@pytest.mark.slow
@settings(max_examples=250)
@given(worlds(), st.integers(0, 4), st.binary(min_size=4, max_size=4))
def test_the_fast_plan_is_the_reference_byte_for_byte(
    world: tuple[IntArray, Gamma], passes: int, seed: bytes
) -> None:
    fast, slow = SeededSource(seed), SeededSource(seed)
    np.testing.assert_array_equal(
        mixed(*world, fast, passes).groups(), mixed_reference(*world, slow, passes).groups()
    )
    assert fast.read(8) == slow.read(8)  # both have consumed the same bytes


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
    # The order of the three groups is 2, 0, 1: groups 2 and 0 trade, group 1 rests. They share the value 0.
    groups = np.array([[0, 1, 2], [0, 3, 4], [5, 0, 3]], dtype=np.uint16)
    keys = [2, 3, 1]  # sorted: group 2, group 0, group 1
    keys += [40, 30, 20, 10]  # the pool 5, 3 (of group 2), 1, 2 (of group 0) is dealt as 2, 1, 3, 5
    tape = TapeSource(b"".join(key.to_bytes(4, "big") for key in keys))
    trade(groups, tape)
    assert groups.tolist() == [[0, 3, 5], [0, 3, 4], [2, 0, 1]]
    assert tape.consumed == 28


@pytest.mark.parametrize(
    ("histogram", "gamma", "keys"),
    [((7, 7), 2, 7 * 7), ((1, 1, 1), 3, 0), ((4, 4, 4, 0), 3, 7 * 4)],
    ids=["two values", "one group", "as many values as places"],
)
def test_a_histogram_with_one_plan_keeps_it(histogram: tuple[int, ...], gamma: int, keys: int) -> None:
    tape = TapeSource(np.arange(keys, dtype=">u4").tobytes())
    groups = mixed(np.array(histogram), Gamma(gamma), tape).groups()
    np.testing.assert_array_equal(groups, cyclic(np.array(histogram), Gamma(gamma)).groups())
    assert tape.consumed == 4 * keys  # no value is pooled


def test_the_number_of_passes() -> None:
    assert [default_passes(groups) for groups in (1, 2, 3, 4, 1023, 1024)] == [5, 6, 6, 7, 14, 15]
    histogram, gamma = np.array([3, 3, 2, 2]), Gamma(2)
    np.testing.assert_array_equal(
        mixed(histogram, gamma, TapeSource(b""), 0).groups(), cyclic(histogram, gamma).groups()
    )
    with pytest.raises(ParameterError, match="passes is -1"):
        mixed(histogram, gamma, SystemSource(), -1)


def test_every_plan_of_a_small_world_comes_up_equally_often_after_one_pass_of_two_groups() -> None:
    # Two groups of two values out of four: six plans. One pass pools all four values.
    law: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for groups, chance in outcomes(lambda s: mixed(np.ones(4, dtype=np.int64), Gamma(2), s, 1).groups()):
        law[tuple(tuple(sorted(group)) for group in groups.tolist())] += chance  # type: ignore[assignment]  # a fraction
    assert len(law) == 6
    assert set(law.values()) == {next(iter(law.values()))}
    assert sum(law.values()) == 1
    assert {group for plan in law for group in plan} == set(combinations(range(4), 2))


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
    key = Key(bytes(range(32)))
    histogram, gamma = np.full(6, 10), Gamma(3)

    def plan(column: str, key: Key = key) -> list[list[int]]:
        source = KeyedSource(key).for_records(column, lambda: [b"%d" % i for i in range(60)])
        groups: list[list[int]] = mixed(histogram, gamma, source.plan_secret()).groups().tolist()
        return groups

    assert plan("a") == plan("a")
    assert plan("a") != plan("b")
    assert plan("a") != plan("a", Key(bytes(32)))
