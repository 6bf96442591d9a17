"""Mechanisms on whole worlds: their channels from tables to releases, by enumeration of their code."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from splu_ref.audit.world_channels import table_law, world_channel
from splu_ref.channels import (
    LogForm,
    World,
    amplification,
    constant,
    decoy_groups,
    entropy_loss,
    mutual_information,
    posterior,
    retention,
)
from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import (
    LN_2,
    LN_3,
    PLANS,
    Anatomy,
    Budget,
    DistributionBased,
    RetentionReplacement,
    SpluGen,
    co_occurrence,
)
from splu_ref.randomness import SystemSource
from tests.laplace_channel import laplace_channel


def _world(records: int, domain: str) -> World[str]:
    """Return the tables in which no value has more than half of the records, equally likely."""
    laws = [dict.fromkeys(domain, Fraction(1, len(domain)))] * records
    return World.independent(laws).where(lambda table: max(Counter(table).values()) <= records // 2)


def test_records_that_are_published_apart_have_the_product_of_their_channels() -> None:
    world: World[str] = World.independent([{"a": "1/3", "b": "2/3"}, {"a": "1/5", "b": "4/5"}, {"b": "1"}])
    record = retention("1/3", {"a": "1/2", "b": "1/2"})
    channel = world_channel(RetentionReplacement("1/3", {"sensitive": "ab"}), world, "ab")
    declared = world.each(record)
    for table, law in declared.laws.items():
        assert channel.laws[table] == {tuple(map("ab".index, seen)): chance for seen, chance in law.items()}
    assert amplification(channel, world.neighbors()).ratio == amplification(record).ratio


def test_distribution_based_records_show_the_shares_alone() -> None:
    world = World.independent([{"a": "1/3", "b": "2/3"}] * 3)
    channel = world_channel(DistributionBased(), world, "ab")
    for table, law in channel.laws.items():
        shares = constant((0,), {code: Fraction(table.count(value), 3) for code, value in enumerate("ab")})
        for seen in product(range(2), repeat=3):
            expected = Fraction(1)
            for code in seen:
                expected *= shares.probability(0, code)
            assert law.get(seen, 0) == expected
    # among tables that all have the same shares it shows nothing
    alike = world.where(lambda table: table.count("a") == 1)
    found = entropy_loss(alike, world_channel(DistributionBased(), alike, "ab").laws.__getitem__)
    assert found.whole == LogForm({})


@pytest.mark.parametrize("plan", ["anatomy", "cyclic"])
def test_one_record_of_splu_gen_goes_through_its_declared_channel(plan: str) -> None:
    world = _world(4, "abc").where(lambda table: table.count("a") == 2)
    mechanism = SpluGen(2, "2/3", plan)
    channel = world_channel(mechanism, world, "abc")
    for table in world.prior():
        histogram = np.array([table.count(value) for value in "abc"])
        declared = mechanism.channel(histogram, SystemSource())
        groups = PLANS[plan](histogram, Gamma(2), SystemSource())
        assert declared == decoy_groups(co_occurrence(groups).counts(), mechanism.count_law)
        for place, value in enumerate(table):
            law: dict[int, Fraction] = {}
            for seen, chance in channel.laws[table].items():
                assert isinstance(seen, tuple)
                law[seen[place]] = law.get(seen[place], Fraction(0)) + chance
            assert law == declared.laws["abc".index(value)]


def test_deleted_records_are_shown_as_such() -> None:
    law = table_law(SpluGen(2, 1, "anatomy"), [0, 1, 2], 3)
    assert law == {seen: Fraction(1, 3) for seen in ((None, 1, 2), (0, None, 2), (0, 1, None))}


def test_two_tables_show_groups_and_their_values() -> None:
    law = table_law(Anatomy(2), [0, 1, 0, 1], 2)
    groups = {(0, 0, 1, 1), (0, 1, 1, 0), (1, 0, 0, 1), (1, 1, 0, 0)}
    assert law == {(group, ((0, 1), (0, 1))): Fraction(1, 4) for group in groups}


def test_two_tables_show_what_is_left_of_a_group_once_one_of_it_is_known() -> None:
    """If all but one value of a group is ruled out, the other is certain."""
    world = _world(4, "ab")
    channel = world_channel(Anatomy(2), world, "ab")
    for seen in channel.outputs:
        left = posterior(channel, world.prior(), seen)
        known = {table: chance for table, chance in left.items() if table[0] == "a"}
        assert isinstance(seen, tuple)
        groups, _ = seen
        mate = next(place for place in (1, 2, 3) if groups[place] == groups[0])
        assert {table[mate] for table in known} == {"b"}


def test_splu_gen_never_states_more_than_the_two_tables() -> None:
    """A release of SPLU-Gen is drawn from the two tables of the same plan: claim splu.ANAs."""
    world = _world(4, "abc")
    shown, tables = (
        entropy_loss(world, world_channel(mechanism, world, "abc").laws.__getitem__)
        for mechanism in (SpluGen(2, None, "anatomy"), Anatomy(2))
    )
    assert shown.whole < tables.whole
    assert max(shown.records) < min(tables.records)
    assert shown.leakage < tables.leakage


@pytest.mark.parametrize("budget", [LN_2, LN_3, Budget.logarithm("3/2")])
def test_counts_with_noise(budget: Budget) -> None:
    world = World.independent([{"a": "1/3", "b": "1/3", "c": "1/3"}] * 2)
    channel = laplace_channel(budget, world, "abc")
    ratio = 1 / budget.number
    for table in (("a", "a"), ("a", "b")):
        found = channel.laws[table]
        far = 60  # beyond that less than ratio^60 is left
        first = dict.fromkeys(range(3), Fraction(0))
        for noise in range(-far, far + 1):
            shown = min(max(table.count("a") + noise, 0), 2)
            first[shown] += (1 - ratio) / (1 + ratio) * ratio ** abs(noise)
        for shown in range(3):
            reported = sum((chance for seen, chance in found.items() if seen[0] == shown), Fraction(0))
            assert abs(reported - first[shown]) <= ratio**far
    # a record that changes lowers one count by 1 and raises another
    assert amplification(channel, world.neighbors()).ratio == budget.number**2
    with pytest.raises(ParameterError, match="not rational"):
        laplace_channel(Budget.of("1/2"), world, "abc")


def test_what_cannot_be_enumerated() -> None:
    world = World.independent([{"a": "1/2", "b": "1/2"}] * 2)
    with pytest.raises(ParameterError, match=r"the table a, a: .*largest feasible gamma"):
        world_channel(SpluGen(2), world, "ab")
    with pytest.raises(ParameterError, match="'b' is no value of the domain"):
        world_channel(DistributionBased(), world, "a")
    with pytest.raises(ParameterError, match="more than 10 outcomes"):
        table_law(DistributionBased(), [0, 1, 0], 2, most=10)
    assert len(table_law(DistributionBased(), [0, 1], 2, most=4)) == 4


def test_what_a_world_says_of_a_record_is_what_its_channel_says() -> None:
    world = _world(4, "ab")
    channel = world_channel(SpluGen(2, None, "anatomy"), world, "ab")
    prior, about = world.about(channel, lambda table: table[0])
    assert mutual_information(about, prior) == entropy_loss(world, channel.laws.__getitem__).records[0]
