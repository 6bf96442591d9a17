from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import (
    PLANS,
    Run,
    anatomy,
    anatomy_reference,
    cyclic,
    largest_gamma,
    resolve_plan,
    surplus,
)
from splu_ref.mechanisms.plans.plan import DecoyPlan, IntArray
from splu_ref.randomness import PlanSecret, SystemSource


@st.composite
def eligible(draw: st.DrawFn) -> tuple[IntArray, Gamma]:
    """Draw any histogram and group size that fit together, with ties and extremes well represented."""
    gamma = draw(st.integers(2, 6))
    groups = draw(st.integers(1, 25))
    missing = st.one_of(st.integers(0, groups), st.sampled_from([0, 1, groups - 1, groups]))
    histogram: list[int] = []
    left = gamma * groups
    while left:
        histogram.append(min(groups - draw(missing), left))
        left -= histogram[-1]
    order = draw(st.permutations(range(len(histogram))))
    return np.array([histogram[i] for i in order], dtype=np.int64), Gamma(gamma)


@pytest.mark.slow
@settings(max_examples=400)
@given(eligible())
def test_the_fast_greedy_plan_is_the_reference(case: tuple[IntArray, Gamma]) -> None:
    histogram, gamma = case
    np.testing.assert_array_equal(
        anatomy(histogram, gamma).groups(), anatomy_reference(histogram, gamma).groups()
    )


@pytest.mark.parametrize("size", [2, 3, 4])
def test_the_fast_greedy_plan_of_every_small_histogram(size: int) -> None:
    gamma, tried = Gamma(size), 0
    for histogram in map(np.array, product(range(4), repeat=5)):
        if histogram.any() and histogram.sum() % size == 0 and size * histogram.max() <= histogram.sum():
            tried += 1
            expected = anatomy_reference(histogram, gamma).groups().tolist()
            assert anatomy(histogram, gamma).groups().tolist() == expected
    assert tried > 40


@settings(max_examples=200)
@given(eligible(), st.sampled_from(sorted(PLANS)))
def test_every_plan_is_valid(case: tuple[IntArray, Gamma], method: str) -> None:
    histogram, gamma = case
    groups = PLANS[method](histogram, gamma, SystemSource()).groups()
    assert groups.shape == (histogram.sum() // gamma, gamma)
    assert all(len(set(group)) == gamma for group in groups.tolist())
    np.testing.assert_array_equal(np.bincount(groups.reshape(-1), minlength=len(histogram)), histogram)


def test_small_plans_by_hand() -> None:
    # 4, 3, 3 left: the two largest are 0 and, of the tied, 1; then 3, 2, 3: 0 and 2; and so on.
    histogram = np.array([4, 3, 3])
    assert anatomy(histogram, Gamma(2)).groups().tolist() == [[0, 1], [0, 2], [0, 1], [2, 0], [1, 2]]
    # Sorted records 0 0 0 0 1 | 1 1 2 2 2 in two columns.
    assert cyclic(histogram, Gamma(2)).groups().tolist() == [[0, 1], [0, 1], [0, 2], [0, 2], [1, 2]]


def test_runs_do_not_grow_with_the_records() -> None:
    small, large = (
        anatomy(scale * np.array([60, 50, 40, 30, 30, 30, 20, 20, 10, 10]), Gamma(4)) for scale in (1, 1000)
    )
    assert len(large.runs) <= len(small.runs) + 2
    assert sum(run.length for run in large.runs) == 75_000


def test_a_ring_is_one_run() -> None:
    assert anatomy(np.full(7, 20), Gamma(4)).runs == (Run((), (0, 1, 2, 3, 4, 5, 6), 0, 35),)


@pytest.mark.parametrize("method", sorted(PLANS))
@pytest.mark.parametrize(
    ("histogram", "gamma", "message"),
    [
        ([4, 3, 3], 3, "10 records cannot fill groups of 3: delete 1 of them first"),
        ([5, 2, 1], 2, "value 0 occurs 5 times among 8 records; the largest feasible gamma is 1"),
        ([1, 5, 2, 1], 3, "value 1 occurs 5 times among 9 records; the largest feasible gamma is 1"),
        ([3, -1, 2], 2, "below 0"),
        ([0, 0], 2, "counts no record"),
    ],
)
def test_what_is_not_eligible_is_refused(method: str, histogram: list[int], gamma: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        PLANS[method](np.array(histogram), Gamma(gamma), SystemSource())


def test_a_histogram_is_an_integer_vector() -> None:
    with pytest.raises(ParameterError, match="one-dimensional array of whole numbers"):
        anatomy(np.array([[1, 1]]), Gamma(2))


def test_the_largest_gamma_is_the_floor_of_n_over_f() -> None:
    assert largest_gamma(np.array([3, 3, 2])) == 2
    assert largest_gamma(np.array([1, 1, 1, 1])) == 4
    assert largest_gamma(np.array([9, 1])) == 1


@pytest.mark.slow
@settings(max_examples=100)
@given(eligible(), st.sampled_from(sorted(PLANS)), st.data())
def test_draws_pick_from_the_group_in_plan_order(
    case: tuple[IntArray, Gamma], method: str, data: st.DataObject
) -> None:
    histogram, gamma = case
    plan = PLANS[method](histogram, gamma, SystemSource())
    codes = np.repeat(np.arange(len(histogram)), histogram)
    order = np.array(data.draw(st.permutations(range(len(codes)))))
    order = order[np.argsort(codes[order], kind="stable")]
    draws = np.array(data.draw(st.lists(st.integers(0, gamma - 1), min_size=len(codes), max_size=len(codes))))
    published = plan.published(order, draws)
    # The same, record by record, from the definition.
    groups = plan.groups().tolist()
    holding = {value: [group for group in groups if value in group] for value in range(len(histogram))}
    rank = dict.fromkeys(range(len(histogram)), 0)
    for record in order.tolist():
        value = int(codes[record])
        group = holding[value][rank[value]]
        rank[value] += 1
        others = [other for other in group if other != value]
        expected = value if draws[record] == 0 else others[draws[record] - 1]
        assert published[record] == expected


@pytest.mark.parametrize(
    ("values", "kind"), [(256, np.uint8), (257, np.uint16), (65_536, np.uint16), (65_537, np.int64)]
)
def test_groups_and_what_is_published_are_stored_in_the_least_bytes(
    values: int, kind: type[np.integer]
) -> None:
    histogram, gamma = np.zeros(values, dtype=np.int64), Gamma(2)
    histogram[[0, -1]] = 2
    for plan in (
        *(method(histogram, gamma, SystemSource()) for method in PLANS.values()),
        anatomy_reference(histogram, gamma),
    ):
        assert plan.groups().dtype == kind
        published = plan.published(np.arange(4), np.array([0, 1, 0, 1]))
        assert published.dtype == kind
        assert published.tolist() == [0, values - 1, values - 1, 0]


def test_plans_by_their_names() -> None:
    with pytest.raises(ParameterError, match="plan 'none' is unknown: choose one of anatomy, cyclic, mixed"):
        resolve_plan("none")
    for name, method in PLANS.items():
        assert resolve_plan(name) == resolve_plan(method) == (method, name)

    def own(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> DecoyPlan:
        return cyclic(histogram, gamma)

    assert resolve_plan(own) == (own, "another")


def test_the_least_surplus_against_every_choice() -> None:
    """What is left out is as little as can be, and the rest can stand in groups once N is a multiple."""
    for histogram in product(range(4), repeat=4):
        for gamma in (2, 3, 4, 5):
            left_out = surplus(np.array(histogram), Gamma(gamma))
            kept = [count - less for count, less in zip(histogram, left_out.tolist(), strict=True)]
            assert min(left_out) >= 0 <= min(kept)
            assert gamma * max(kept) <= sum(kept)
            most = max(
                sum(rest)
                for rest in product(*(range(count + 1) for count in histogram))
                if gamma * max(rest) <= sum(rest)
            )
            assert sum(kept) == most
    assert surplus(np.array([], dtype=np.int64), Gamma(2)).tolist() == []
