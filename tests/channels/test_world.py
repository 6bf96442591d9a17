"""Worlds: their tables and prior, releases as channels, and the entropy that a release costs."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations, product
from operator import itemgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels import (
    Channel,
    LogForm,
    World,
    amplification,
    entropy,
    entropy_loss,
    min_entropy_leakage,
    mutual_information,
    posterior,
    retention,
)
from splu_ref.channels.parameters import ParameterError

THIRD = Fraction(1, 3)
SALARIES = World.independent([dict.fromkeys((100, 200, 300), THIRD)] * 3)
LAWS = st.lists(
    st.lists(st.integers(0, 4), min_size=2, max_size=3).filter(any).map(
        lambda weights: {value: Fraction(weight, sum(weights)) for value, weight in enumerate(weights)}
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip


@given(LAWS)
def test_independent_records(laws: list[dict[int, Fraction]]) -> None:
    world = World.independent(laws)
    prior = world.prior()
    for table in product(*(range(len(law)) for law in laws)):
        chance = Fraction(1)
        for law, value in zip(laws, table, strict=True):
            chance *= law[value]
        assert prior.get(table, 0) == chance
    assert sum(prior.values()) == 1
    assert (world.size, world.places) == (len(prior), len(laws))
    for place, weights in enumerate(world.laws()):
        size = sum(weights.values())
        assert {value: Fraction(w, size) for value, w in weights.items()} == {
            value: chance for value, chance in laws[place].items() if chance
        }


def test_listed_tables_and_parts() -> None:
    world = World.explicit({("a", "b"): "1/4", ("b", "a"): "3/4", ("a", "a"): 0})
    assert world.prior() == {("a", "b"): Fraction(1, 4), ("b", "a"): Fraction(3, 4)}
    assert world.laws() == [{"a": 1, "b": 3}, {"b": 1, "a": 3}]
    joined: World[str] = World((*world.parts, {("x",): 1, ("y",): 2}))
    assert joined.prior()["b", "a", "y"] == Fraction(1, 2)
    assert (joined.size, joined.places, len(joined.laws())) == (4, 3, 3)
    assert SALARIES.where(lambda table: sum(table) == 600).size == 7


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: World.independent([]), "at least one record"),
        (lambda: World.independent([{}]), "adds up to 0"),
        (lambda: World.independent([{"a": "1/2", "b": "1/3"}]), "law of record 1 adds up to 5/6"),
        (lambda: World.independent([{"a": "3/2", "b": "-1/2"}]), "at least 0"),
        (lambda: World.explicit({}), "one length"),
        (lambda: World[str].explicit({(): 1}), "one length"),
        (lambda: World.explicit({("a",): "1/2", ("a", "b"): "1/2"}), "one length"),
        (lambda: World.independent([{0: "1/2", 1: "1/2"}] * 20), "has 1048576 tables, and at most 1000000"),
        (lambda: SALARIES.where(lambda _: False), "no table of the world is left"),
    ],
)
def test_what_is_no_world(make: object, words: str) -> None:
    assert callable(make)
    with pytest.raises(ParameterError, match=words):
        make()


def test_neighbors_differ_in_one_place() -> None:
    pairs = {frozenset(pair) for pair in SALARIES.neighbors()}
    every = [frozenset(pair) for pair in product(SALARIES.prior(), repeat=2)]
    assert pairs == {
        pair for pair in every
        if len(pair) == 2 and sum(a != b for a, b in zip(*pair, strict=True)) == 1
    }  # fmt: skip
    tuples = World.independent([{True: "1/3", False: "2/3"}] * 2)  # a set of at most two tuples
    assert len(list(tuples.neighbors())) == 4
    assert not list(World.explicit({("a", "b"): "1/2", ("b", "a"): "1/2"}).neighbors())


@given(st.integers(2, 3), st.integers(1, 3), st.fractions(0, Fraction(9, 10), max_denominator=10))
def test_records_apart_are_amplified_as_one(size: int, places: int, keep: Fraction) -> None:
    record = retention(keep, dict.fromkeys(range(size), Fraction(1, size)))
    world = World.independent([dict.fromkeys(range(size), Fraction(1, size))] * places)
    channel = world.each(record)
    assert amplification(channel, world.neighbors()).ratio == amplification(record).ratio
    whole = amplification(channel).ratio
    single = amplification(record).ratio
    assert single is not None
    assert whole == single**places


@given(LAWS, st.integers(0, 5))
def test_what_is_lost_is_what_a_direct_count_says(laws: list[dict[int, Fraction]], modulus: int) -> None:
    world = World.independent(laws)

    def read(table: tuple[int, ...]) -> int:
        return sum((place + 1) * value for place, value in enumerate(table)) % (modulus + 1)

    found = entropy_loss(world, lambda table: {read(table): 1})
    channel = world.release(read)
    again = entropy_loss(world, channel.laws.__getitem__)
    prior = world.prior()
    assert [each.released for each in found.values] == [each.released for each in again.values]
    for each, same in zip(found.values, again.values, strict=True):
        left = posterior(channel, prior, each.released)
        assert each.probability == same.probability
        assert each.probability == sum(prior[table] for table in left)
        for place, lost in enumerate(each.records):
            after: dict[int, Fraction] = {}
            for table, belief in left.items():
                after[table[place]] = after.get(table[place], Fraction(0)) + belief
            assert lost == same.records[place] == entropy(laws[place]) - entropy(after)
        assert each.loss == max(each.records)
        assert each.cost >= LogForm({})
        assert each.cost == (each.loss if each.loss.sign() > 0 else LogForm({}))
    assert found.whole == mutual_information(channel, prior)
    assert found.leakage == min_entropy_leakage(channel, prior)
    for place, expected in enumerate(found.records):
        requested, about = world.about(channel, itemgetter(place))
        assert expected == mutual_information(about, requested)
        assert LogForm({}) <= expected <= found.entropies[place] == entropy(laws[place])
        share = found.relative[place]
        if share is None:
            assert found.entropies[place] == LogForm({})
        else:
            assert 0 <= share.lower <= share.upper <= 1
            assert share.upper - share.lower < Fraction(1, 10**12)
    assert found.expected >= max(found.records)
    assert found.worst >= max(each.loss for each in found.values)


def test_a_release_by_chance_costs_as_its_channel_says() -> None:
    world = World.independent([{"a": "1/3", "b": "2/3"}] * 2)
    channel = world.each(retention("1/2", {"a": "1/2", "b": "1/2"}))
    found = entropy_loss(world, channel.laws.__getitem__)
    one = mutual_information(retention("1/2", {"a": "1/2", "b": "1/2"}), {"a": "1/3", "b": "2/3"})
    assert found.records == (one, one)
    assert found.whole == one + one == mutual_information(channel, world.prior())
    assert found.leakage == min_entropy_leakage(channel, world.prior())


def test_the_three_salaries() -> None:
    """The example of Chirayath et al. 2006, section 3.3, with the entropies that it ought to have."""
    found = {
        each.released: each
        for each in entropy_loss(SALARIES, lambda table: {Fraction(sum(table), 3): 1}).values
    }
    assert found[Fraction(100)].loss == LogForm.of({3: 1})
    middle = found[Fraction(200)]
    assert middle.probability == Fraction(7, 27)
    after = entropy({100: "2/7", 200: "3/7", 300: "2/7"})
    assert middle.loss == LogForm.of({3: 1}) - after
    assert str(middle.loss) == "4/7 + 10/7 lg 3 - lg 7"


def test_a_release_may_make_a_record_more_uncertain() -> None:
    world = World.independent([{0: "7/9", 1: "1/9", 2: "1/9"}])
    found = entropy_loss(world, lambda table: {table[0] == 0: 1})
    reported = {each.released: each for each in found.values}
    assert reported[True].loss == found.entropies[0]
    assert reported[False].loss.sign() < 0
    assert reported[False].cost == LogForm({})
    assert found.expected.sign() > 0


def test_records_that_are_all_different() -> None:
    world = World.explicit(dict.fromkeys(permutations("abc"), Fraction(1, 6)))
    first = world.release(lambda table: table[0])
    found = entropy_loss(world, first.laws.__getitem__)
    assert str(found.records[0]) == "lg 3"
    assert str(found.records[1]) == "-1 + lg 3"  # one of two others is left
    assert isinstance(world.about(first, lambda table: table[2])[1], Channel)
