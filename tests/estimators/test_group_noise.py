"""Variances under dependent draws, against every outcome of small groups."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import polars as pl
import pytest

from splu_proofs.worlds.group_laws import Law, all_or_none, capped, flags, independent, shown
from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimator
from splu_ref.estimators.linear.group_noise import GroupNoise, may_be_rare
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near

PLANS = {
    3: ((0, 1, 2), (0, 2, 3), (0, 1, 3)),
    4: ((0, 1, 2, 3), (0, 1, 4, 5)),
}


def _marks(plan: tuple[tuple[int, ...], ...], name: str) -> list[tuple[bool, ...]]:
    if name == "capped":
        return flags(plan, 1)
    counts = Counter(value for group in plan for value in group)
    rare = max(counts.values()) - 1
    return [tuple(counts[value] <= rare for value in group) for group in plan]


def _noise(plan: tuple[tuple[int, ...], ...], name: str) -> GroupNoise:
    groups = np.array(plan)
    frequencies = np.bincount(groups.reshape(-1)).astype(np.float64)
    return GroupNoise(groups, np.array(_marks(plan, name)), GroupDraws.parse(f"{name}:1"), frequencies)


def _variance(law: Law, weight: list[list[Fraction]]) -> Fraction:
    """Return the variance of what the members of one group add, by member and shown slot."""
    mean = square = Fraction(0)
    for order, chance in shown(law).items():
        total = sum((weight[member][slot] for member, slot in enumerate(order)), Fraction(0))
        mean += chance * total
        square += chance * total**2
    return square - mean**2


@pytest.mark.parametrize("name", ["capped", "all-or-none"])
@pytest.mark.parametrize("gamma", PLANS)
def test_the_variance_of_any_weighted_sum_of_counts(gamma: int, name: str) -> None:
    plan, noise = PLANS[gamma], _noise(PLANS[gamma], name)
    size = 1 + max(map(max, plan))
    weights = [Fraction(3 * value * value - 5 * value + 1, 2) for value in range(size)]
    reduction = Fraction(0)
    for group, marks in zip(plan, _marks(plan, name), strict=True):
        each = [[weights[value] for value in group]] * gamma
        law = capped(marks) if name == "capped" else all_or_none(marks)
        reduction += _variance(independent(gamma), each) - _variance(law, each)
    found = noise.reduction_of(np.array([weights], dtype=np.float64).T)
    assert found[0] == pytest.approx(float(reduction), abs=1e-9)
    assert reduction
    single = noise.of_values().total
    assert single == pytest.approx(noise.reduction_of(np.eye(size)), abs=1e-9)


@pytest.mark.parametrize("name", ["capped", "all-or-none"])
@pytest.mark.parametrize("members", [(0,), (1,), (0, 1), (1, 2, 3)])
def test_the_variance_of_a_conjunction_over_every_place_of_its_records(
    name: str, members: tuple[int, ...]
) -> None:
    # A group's members satisfy the predicate each by itself, those with a value of the set by another chance.
    plan, gamma, own, other = PLANS[3], 3, Fraction(1, 3), Fraction(3, 4)
    inside, outside = Fraction(7, 2), Fraction(-2, 3)
    reduction = Fraction(0)
    for group, marks in zip(plan, _marks(plan, name), strict=True):
        law = capped(marks) if name == "capped" else all_or_none(marks)
        for kept_slots in product((False, True), repeat=gamma):
            chance = Fraction(1)
            for value, one in zip(group, kept_slots, strict=True):
                share = own if value in members else other
                chance *= share if one else 1 - share
            each = [
                [(inside if one else outside) * (value in members) for value in group] for one in kept_slots
            ]
            reduction += chance * (_variance(independent(gamma), each) - _variance(law, each))
    sets = np.array([[float(value in members) for value in range(4)]])
    found = (
        _noise(plan, name)
        .of_sets(sets)
        .of_difference(*(np.array([float(part)]) for part in (inside, outside, own, other)))
    )
    assert found[0] == pytest.approx(float(reduction), abs=1e-9)
    assert reduction


@pytest.mark.parametrize("cap", [1, 3])
def test_a_count_up_to_the_cap_scatters_as_ever_and_a_larger_one_less(cap: int) -> None:
    frequencies = np.array([30.0, 30, 30, 20, 5, 5])
    noise = GroupNoise.plausible(frequencies, SpluGen(3, draws=f"capped:{cap}"))
    reduction = noise.of_values().total
    assert (reduction[:4] > 0.5 * 2 / 3 * frequencies[:4]).all()
    assert noise.count_error(0, 30.0) ** 2 == near(2 / 3 * 30 - reduction[0])
    assert noise.count_error(0, cap * 1.0) ** 2 == near(2 / 3 * cap)
    low, high = noise.count_interval(0, 30)
    assert low < 30 < high < 45


def test_a_count_that_is_all_or_none() -> None:
    frequencies = np.array([40.0, 40, 31, 6, 3, 0])
    assert may_be_rare(frequencies, 3, 4).tolist() == [False, False, False, True, True, True]
    noise = GroupNoise.plausible(frequencies, SpluGen(3, draws="all-or-none:4"))
    assert noise.count_interval(4, 3)[0] == 1  # one group won
    assert noise.count_interval(4, 3)[1] >= 4
    assert noise.count_interval(5, 0)[0] == 0
    assert noise.count_interval(5, 0)[1] >= 4
    assert noise.count_error(4, 3.0) == near(6**0.5)
    low, high = noise.count_interval(2, 31)  # no multiple of 3: more than 4 records
    assert 4 < low < 31 < high


def test_without_enough_values_nothing_is_known_of_a_plan() -> None:
    for law in ("capped:2", "all-or-none:2"):
        noise = GroupNoise.plausible(np.array([4.0, 0, 0, 0]), SpluGen(4, draws=law))
        assert noise.count_interval(0, 4)[1] >= 4


def _released(law: str, plan: str = "mixed") -> tuple[Microdata, Microdata]:
    number = np.arange(1200)
    values = np.array(list("aaaabbbbccccdddeef"))[number * 7 % 18]
    values[:9] = list("ghijklggg")
    frame = {"town": (number % 3).astype(str), "age": (number % 7).astype(str), "value": values}
    table = Microdata.from_frame(pl.DataFrame(frame))
    release = SpluGen(3, plan=plan, draws=law).publish(table, "value", SeededSource(law.encode()))
    return table, release.table


@pytest.mark.parametrize("law", ["capped:5", "all-or-none:8"])
@pytest.mark.parametrize("plan", ["mixed", "anatomy"])
def test_every_method_answers_with_an_interval(law: str, plan: str) -> None:
    table, published = _released(law, plan)
    domains = {"value": tuple(map(str, table.domain("value")))}
    estimator = QueryEstimator(published, ["value"], SpluGen(3, plan=plan, draws=law), domains=domains)
    queries = [
        Query.of({"value": "a"}),
        Query.of({"value": ["a", "b", "g"]}),
        Query.of({"value": "g"}),
    ]
    counts = Counter(table.cells("value"))
    true = [counts[value] for value in "abg"]
    wanted = [true[0], sum(true), true[2]]
    methods = ("mle", "exact", "em", "shrunk", "inversion")
    for method in methods if plan == "mixed" else methods[:-1]:  # that of a fixed plan may have no inverse
        for answer, count in zip(estimator.estimate(queries, method), wanted, strict=True):
            if answer.interval is None:
                assert plan == "anatomy"
                assert method in ("exact", "em")
                continue
            assert answer.interval[0] - 1e-6 <= answer.estimate <= answer.interval[1] + 1e-6
            assert answer.interval[0] - 25 <= count <= answer.interval[1] + 25
    narrow, _, _ = estimator.estimate(queries, "mle")
    independent = QueryEstimator(published, ["value"], SpluGen(3, plan=plan), domains=domains)
    wide = independent.estimate(queries[:1], "mle")[0]
    assert narrow.interval is not None
    assert wide.interval is not None
    assert narrow.interval[1] - narrow.interval[0] < wide.interval[1] - wide.interval[0]


def test_several_columns_where_draws_are_all_or_none_have_intervals_by_shrunk_alone() -> None:
    table, _ = _released("capped:5")
    mechanism = SpluGen(3, draws="all-or-none:8")
    release = mechanism.publish(table, ["value", "age"], SeededSource(2))
    estimator = QueryEstimator(release.table, ["value", "age"], mechanism)
    queries = [Query.of({"value": "a", "age": "1"})]
    for method in ("em", "inversion"):
        [answer] = estimator.estimate(queries, method)
        assert answer.interval is None
        assert answer.warning is not None
        assert "use shrunk" in answer.warning
    [answer] = estimator.estimate(queries)
    assert answer.interval is not None
    capped = QueryEstimator(release.table, ["value", "age"], SpluGen(3, draws="capped:5"))
    assert capped.estimate(queries, "inversion")[0].interval is not None


def test_sums_are_refused_where_draws_are_all_or_none() -> None:
    table, _ = _released("capped:5")
    for law in ("capped:5", "all-or-none:8"):
        release = SpluGen(3, draws=law).publish(table, "value", SeededSource(2))
        if law == "capped:5":
            assert release.tabulate(["value"], sum_of="age") is not None
        else:
            with pytest.raises(DataError, match="no error that is known"):
                release.tabulate(["value"], sum_of="age")
