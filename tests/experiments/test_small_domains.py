"""Sub-domains of parts: retention probabilities and posteriors."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import polars as pl
import pytest

from experiments.small_domains import SmallDomains
from splu_ref.channels import Channel, Levels, amplification, retention, worst_prior
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata, embedded_table
from splu_ref.estimators.queries.counting import Columns

LEVELS = Levels.of("1/10", "1/2")
ROWS = [("f", "a"), ("f", "a"), ("f", "b"), ("m", "b"), ("m", "c"), ("m", "d"), ("m", "d")]


def _columns() -> Columns:
    return Columns(Microdata.from_frame(pl.DataFrame(ROWS, schema=["g", "s"], orient="row")), {})


def _channel(values: list[str], keep: Fraction) -> Channel[str, str]:
    return retention(keep, dict.fromkeys(values, Fraction(1, len(values))))


def test_each_part_has_the_largest_retention_that_its_levels_allow() -> None:
    found = SmallDomains.of(_columns(), ("g",), "s", LEVELS)
    assert [(part.cells, dict(part.counts)) for part in found.parts] == [
        ({"g": "f"}, {"a": 2, "b": 1}),
        ({"g": "m"}, {"b": 1, "c": 1, "d": 2}),
    ]
    for part in (*found.parts, found.one):
        channel = _channel(list(part.counts), part.retention)
        assert channel.probability("b", "b") == part.kept
        assert amplification(channel).ratio == LEVELS.amplification == 9
        assert worst_prior(channel, "1/10").posterior == found.within == Fraction(1, 2)
    assert found.kept == (3 * Fraction(9, 10) + 4 * Fraction(9, 11)) / 7
    assert found.kept > found.one.kept == Fraction(9, 12)


def test_variances_are_those_of_all_outcomes() -> None:
    found = SmallDomains.of(_columns(), ("g",), "s", LEVELS)
    part = found.parts[1]
    channel = _channel(list(part.counts), part.retention)
    owns, law = ("b", "c", "d", "d"), dict[Fraction, Fraction]()
    for shown in product(part.counts, repeat=4):
        chance = Fraction(1)
        for own, label in zip(owns, shown, strict=True):
            chance *= channel.probability(own, label)
        estimate = (shown.count("d") - 4 * part.other_share) / part.retention
        law[estimate] = law.get(estimate, Fraction(0)) + chance
    mean = sum((chance * estimate for estimate, chance in law.items()), Fraction(0))
    assert mean == 2
    assert sum(chance * (estimate - 2) ** 2 for estimate, chance in law.items()) == part.variance(2)
    small, one = found.variances("b")
    assert small == found.parts[0].variance(1) + part.variance(1)
    assert one == found.one.variance(2)
    assert found.variances("d")[0] == part.variance(2)
    assert found.variances("d")[0] < found.variances("d")[1]


@pytest.mark.parametrize("rho1", ["1/7", "2/7", "1"])
def test_the_sub_domain_states_who_believes_in_the_whole_domain(rho1: str) -> None:
    found = SmallDomains.of(_columns(), ("g",), "s", LEVELS)
    best = Fraction(0)
    for part in found.parts:
        channel = _channel(list(part.counts), part.retention)
        for shown in part.counts:
            weights = {own: found.one.counts[own] * channel.probability(own, shown) for own in part.counts}
            for own, weight in weights.items():
                if found.one.counts[own] <= Fraction(rho1) * 7:
                    best = max(best, weight / sum(weights.values()))
    assert found.beyond(rho1)[0] == best
    assert found.beyond("0")[0] == 0


def test_the_levels_hold_within_sub_domains_and_not_beyond_them() -> None:
    columns = Columns(embedded_table(), {})
    found = SmallDomains.of(columns, ("workclass",), "occupation", LEVELS)
    posterior, part, value = found.beyond()
    assert found.within == Fraction(1, 2) < posterior
    assert part is not None
    assert (part.cells, value) == ({"workclass": "Without-pay"}, "Machine-op-inspct")


def test_declared_sub_domains_may_hold_more_than_occurs_and_never_less() -> None:
    columns = _columns()
    declared: dict[tuple[str, ...], tuple[str, ...]] = {("f",): ("a", "b", "c"), ("m",): ("b", "c", "d")}
    found = SmallDomains.of(columns, ("g",), "s", LEVELS, declared)
    assert dict(found.parts[0].counts) == {"a": 2, "b": 1, "c": 0}
    wider = SmallDomains.of(columns, ("g",), "s", LEVELS, declared | {("f",): ("a", "b", "w")})
    assert len(wider.one.counts) == 5, "the one domain holds what any part may hold"
    assert wider.beyond("1")[0] < 1
    with pytest.raises(DataError, match="holds 'b', which its sub-domain lacks"):
        SmallDomains.of(columns, ("g",), "s", LEVELS, declared | {("f",): ("a", "c")})
    with pytest.raises(ParameterError, match="the part f has no sub-domain"):
        SmallDomains.of(columns, ("g",), "s", LEVELS, {("m",): ("b", "c", "d")})
    for by in ((), ("s",)):
        with pytest.raises(ParameterError, match="columns that are not sensitive"):
            SmallDomains.of(columns, by, "s", LEVELS)
    alone = Columns(Microdata.from_frame(pl.DataFrame({"g": ["f", "m"], "s": ["a", "b"]})), {})
    with pytest.raises(DataError, match="f has a sub-domain of fewer than two values"):
        SmallDomains.of(alone, ("g",), "s", LEVELS)
    with pytest.raises(ParameterError, match="no value 'z'"):
        found.variances("z")
