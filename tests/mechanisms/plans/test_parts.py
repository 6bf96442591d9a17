"""A plan in parts: each entry is published as the whole plan publishes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import (
    PLANS,
    ArrayPlan,
    MixedParts,
    PlanParts,
    RunLengthPlan,
    RunParts,
    SpluGen,
    mixed,
    plan_parts,
)
from splu_ref.randomness import IntArray, Key, KeyedRecords, PlanSecret


def parts_of(plan: str, histogram: IntArray, gamma: Gamma, most: int) -> PlanParts:
    parts = plan_parts(plan, histogram, gamma)
    return (
        RunParts(histogram, gamma, parts.plan, most)
        if isinstance(parts, RunParts)
        else MixedParts(histogram, gamma, most=most)
    )


@given(
    st.lists(st.integers(0, 30), min_size=3, max_size=9),
    st.integers(2, 5),
    st.integers(1, 9),
    st.sampled_from(list(PLANS)),
)
def test_parts_publish_what_the_whole_plan_does(counts: list[int], size: int, most: int, plan: str) -> None:
    gamma, groups = Gamma(size), max(*counts, -(-sum(counts) // size), 1)
    while sum(counts) < size * groups:
        counts = [*counts, min(groups, size * groups - sum(counts))]
    histogram = np.array(counts)
    secret = KeyedRecords(Key(bytes(range(1, 32)) + b"?"), "v", []).plan_secret()
    whole = PLANS[plan](histogram, gamma, secret)
    if plan == "mixed":
        whole = mixed(histogram, gamma, secret, most=most)
    entries = np.arange(size * groups)
    draws = entries * 7 // 3 % size
    parts = parts_of(plan, histogram, gamma, most)
    of = parts.part_of(entries)
    published = np.full(len(entries), -1)
    for part in reversed(range(parts.count)):  # each by itself, in any order
        mine = of == part
        assert int(mine.sum()) == size * parts.size(part) <= size * most
        published[mine] = parts.published(part, secret, draws[mine])
    assert published.tolist() == whole.published(entries, draws).tolist()
    if isinstance(whole, RunLengthPlan):
        assert whole.group_of(entries).tolist() == (whole.slots() // size).tolist()


def cyclic_reversed(histogram: IntArray, gamma: Gamma, _: PlanSecret) -> ArrayPlan:
    return ArrayPlan(gamma, len(histogram), PLANS["cyclic"](histogram, gamma, _).groups()[::-1])


def test_what_is_not_made_in_parts_is_refused() -> None:
    histogram = np.array([2, 2, 2, 2])
    with pytest.raises(ParameterError, match="draws capped:1 belong to groups"):
        SpluGen(2, draws="capped:1").parts(histogram)
    with pytest.raises(ParameterError, match="'another' is not made in parts"):
        SpluGen(2, plan=cyclic_reversed).parts(histogram)
    with pytest.raises(ParameterError, match="cannot fill groups of 5"):
        SpluGen(5, plan="mixed").parts(histogram)
