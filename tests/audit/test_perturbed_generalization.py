"""One perturbed record of each group: its law by all outcomes, a whole table's, and what is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

from experiments.perturbed_generalization import followed, variance
from splu_ref.channels import Channel, PerturbedGroup, Table, Value, World, amplification
from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms import PerturbedGeneralization
from splu_ref.randomness import Draws, exact_law

DOMAIN = ("x", "y", "z")


def _outcomes(values: tuple[str, ...], keep: Fraction) -> dict[str, Fraction]:
    """Perturb every record, publish one: the law by running all outcomes."""
    law: defaultdict[str, Fraction] = defaultdict(Fraction)
    for shown in product(DOMAIN, repeat=len(values)):
        chance = Fraction(1, len(values))
        for own, other in zip(values, shown, strict=True):
            chance *= keep * (own == other) + (1 - keep) / 3
        for value in shown:
            law[value] += chance
    return law


@pytest.mark.parametrize("keep", [Fraction(1, 4), Fraction(2, 3)])
def test_the_law_of_a_group_is_that_of_all_outcomes(keep: Fraction) -> None:
    group = PerturbedGroup.of(keep, 3)
    for size in (1, 2, 3):
        for values in product(DOMAIN, repeat=size):
            counts, law = Counter(values), _outcomes(values, keep)
            assert all(group.published(counts, value) == law[value] for value in DOMAIN)
            estimates = {v: size * ((v == "x") - group.absent_probability) / keep for v in DOMAIN}
            mean = sum(law[v] * estimates[v] for v in DOMAIN)
            assert mean == counts["x"]
            spread = sum(law[v] * (estimates[v] - mean) ** 2 for v in DOMAIN)
            assert variance(group, np.array([counts["x"]]), np.array([size])) == spread
            assert spread >= size * _variance_of_all(group, counts["x"], size)


def test_a_member_whose_others_are_known() -> None:
    group = PerturbedGroup.of("1/2", 3)
    for others in ({}, {"x": 1}, {"x": 2, "y": 1}, {"x": 1, "y": 1, "z": 1}):
        size = sum(others.values()) + 1
        channel = group.member(others, DOMAIN)
        found = amplification(channel).ratio
        assert found is not None
        least = min(others.get(value, 0) for value in DOMAIN)
        assert found <= group.amplification(size)
        assert (found == group.amplification(size)) == (least == 0)
        for own, shown in product(DOMAIN, repeat=2):
            count = others.get(shown, 0) + (own == shown)
            assert channel.probability(own, shown) == Fraction(count, 2 * size) + Fraction(1, 6)
    assert group.amplification(1) == 4
    for size in (1, 3, 7):
        assert PerturbedGroup.at_level(9, 14, size).amplification(size) == 9
    with pytest.raises(ParameterError, match="2 values, and 3 were declared"):
        group.member({}, DOMAIN[:2])


PAIR = {"x": Fraction(1, 3), "y": Fraction(2, 3)}


def _mechanism(keep: str) -> PerturbedGeneralization:
    return PerturbedGeneralization("s", "xy", ["q"], 1, keep)


def _enumerated_table(
    mechanism: PerturbedGeneralization,
    world: World[Value],
    groups: Sequence[int],
    domain: Sequence[Value],
) -> Channel[Table[Value], Table[Value]]:
    """Return the channel from the tables of a world to the published tables, by enumeration of the code."""
    code_of = {value: code for code, value in enumerate(domain)}
    places = np.array(groups, dtype=np.int64)

    def law(table: Table[Value]) -> dict[Table[Value], Fraction]:
        own = np.array([code_of[value] for value in table], dtype=np.int64)

        def run(draws: Draws) -> Table[Value]:
            done = mechanism.publish_groups(own, places, draws)
            return tuple(domain[code] for code in done.published.tolist())

        return exact_law(run)

    return _channel({table: law(table) for table, _ in world.weighted()})


def _declared_table(
    law: PerturbedGroup, world: World[Value], groups: Sequence[int], domain: Sequence[Value]
) -> Channel[Table[Value], Table[Value]]:
    """Return the same channel as the product of the laws of the groups, which are independent."""
    count = max(groups) + 1
    laws: dict[Table[Value], dict[Table[Value], Fraction]] = {}
    for table, _ in world.weighted():
        members = [
            Counter(value for value, group in zip(table, groups, strict=True) if group == each)
            for each in range(count)
        ]
        laws[table] = {
            seen: prod(
                (law.published(found, value) for found, value in zip(members, seen, strict=True)),
                start=Fraction(1),
            )
            for seen in product(domain, repeat=count)
        }
    return _channel(laws)


def _channel(
    laws: Mapping[Table[Value], Mapping[Table[Value], Fraction]],
) -> Channel[Table[Value], Table[Value]]:
    return Channel(laws, tuple(dict.fromkeys(seen for law in laws.values() for seen in law)))


@pytest.mark.parametrize("groups", [(0,), (0, 0), (0, 1, 0), (1, 0, 1, 1)])
def test_a_whole_table_in_a_small_world(groups: tuple[int, ...]) -> None:
    """The code's law is the product of the groups', and shows tables apart as far as the smallest group."""
    mechanism = _mechanism("2/3")
    world = World.independent([PAIR] * len(groups))
    channel = _enumerated_table(mechanism, world, groups, "xy")
    declared = _declared_table(mechanism.law, world, groups, "xy")
    assert channel.laws == declared.laws
    smallest = min(Counter(groups).values())
    assert amplification(channel, world.neighbors()).ratio == mechanism.law.amplification(smallest)


def _amplification_among(law: PerturbedGroup, size: int, least: Fraction) -> Fraction:
    """The amplification for an attacker who gives each value of another member at least this probability."""
    others = law.retention * least * (size - 1)
    return 1 + law.retention / (others + size * law.absent_probability)


def test_beliefs_about_others_decide_what_a_table_states_of_one() -> None:
    law = _mechanism("2/3").law
    groups = (0, 0, 1, 1)
    # Independent ones: less than for who knows all others, and by a formula.
    world = World.independent([PAIR] * 4)
    _, channel = world.about(_declared_table(law, world, groups, "xy"), lambda table: table[0])
    assert amplification(channel).ratio == _amplification_among(law, 2, Fraction(1, 3)) < law.amplification(2)
    assert _amplification_among(law, 2, Fraction(0)) == law.amplification(2)
    # Who thinks all alike learns from every group what an own record would show.
    alike = World.explicit({(value,) * 4: Fraction(1, 2) for value in "xy"})
    _, channel = alike.about(_declared_table(law, alike, groups, "xy"), lambda table: table[0])
    assert amplification(channel).ratio == law.amplification(1) ** 2
    # Members of one group alike, groups independent: the ratio of one record.
    halves: dict[tuple[str, ...], Fraction] = {(a, a, b, b): Fraction(1, 4) for a in "xy" for b in "xy"}
    split = World.explicit(halves)
    _, channel = split.about(_declared_table(law, split, groups, "xy"), lambda table: table[0])
    assert amplification(channel).ratio == law.amplification(1)


def test_the_share_that_is_published_twice() -> None:
    assert followed(np.array([1, 1, 1])) == 1
    assert followed(np.array([3, 2])) == (Fraction(1, 3) + Fraction(1, 2)) / 5


def test_larger_groups_admit_more_retention_at_one_level() -> None:
    kept = [PerturbedGroup.at_level(9, 14, size).retention for size in range(1, 9)]
    assert all(fewer < more for fewer, more in pairwise(kept))
    for keep in (0, 1):
        with pytest.raises(ParameterError, match="greater than 0 and less than 1"):
            PerturbedGroup.of(keep, 3)
    with pytest.raises(ParameterError, match=r"^retention is a probability"):
        PerturbedGroup.of(2, 3)
    with pytest.raises(ParameterError, match=r"^the number of values must be"):
        PerturbedGroup.of("1/2", 1)
    with pytest.raises(ParameterError, match=r"^the group's size must be"):
        PerturbedGroup.of("1/2", 3).amplification(0)


def _variance_of_all(law: PerturbedGroup, count: int, records: int) -> Fraction:
    """Return the variance if every perturbed record is published: uniform perturbation's."""
    own = law.retention + law.absent_probability
    spread = count * own * (1 - own) + (records - count) * law.absent_probability * (
        1 - law.absent_probability
    )
    return spread / law.retention**2
