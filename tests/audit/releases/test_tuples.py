"""Releases by the alpha-beta algorithm: honest ones pass, each fault is found by the check meant for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from scipy.special import pdtr, pdtrc

from splu_ref.audit.power import Sides, mean_power, scaled_count
from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import AlphaBetaClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.audit.releases.replay import Replay
from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata
from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import Key, KeyedSource, SeededSource

DOMAINS = {
    "a": [f"a{n}" for n in range(6)],
    "b": [f"b{n:02}" for n in range(20)],
    "c": [f"c{n:02}" for n in range(30)],
}
SIZES, SIZE, COLUMNS = (6, 20, 30), 3_600, ["a", "b", "c"]
MECHANISM = AlphaBeta("5/8", "1/6", DOMAINS)
Numbers = NDArray[np.int64]


def table_of(numbers: Numbers) -> Microdata:
    """Return the tuples with these numbers, the columns in an order of their own."""
    codes = dict(zip(COLUMNS, np.unravel_index(numbers, SIZES), strict=True))
    return Microdata.from_frame(
        pl.DataFrame({name: np.array(DOMAINS[name])[codes[name]] for name in ("b", "a", "c")})
    )


def members(count: int) -> Numbers:
    """Return numbers of distinct tuples, in which low values are frequent; in no order."""
    draws = np.random.default_rng(count)
    weights = np.outer(1 / np.arange(1, 121), np.ones(30)).reshape(-1)
    return draws.choice(SIZE, count, replace=False, p=weights / weights.sum())


ORIGINAL = members(1_500)
TABLE = table_of(ORIGINAL)


def audited(published: Microdata, table: Microdata | None = TABLE, **rest: Any) -> ReleaseAudit:
    claim = AlphaBetaClaim(rest.pop("mechanism", MECHANISM))
    original = None if table is None else claim.prepared(table, COLUMNS)
    return audit_release(published, COLUMNS, claim, original=original, **rest)


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@pytest.mark.parametrize(
    ("alpha", "beta"), [("5/8", "1/6"), ("1/2", "1/100"), ("9/10", "1/10"), ("1/2", "0")]
)
def test_honest_releases_pass(alpha: str, beta: str) -> None:
    mechanism = AlphaBeta(alpha, beta, DOMAINS)
    for count in (5, 60):
        table = table_of(members(count))
        for number in range(4):
            done = mechanism.publish(table, COLUMNS, SeededSource(f"{alpha} {count} {number}".encode()))
            if not done.table.row_count:
                continue
            audit = audited(done.table, table, mechanism=mechanism, power=number == 0)
            assert failed(audit) == set()
            assert {check.name for check in audit.checks} <= set(MEANING)
            blind = audited(done.table, None, mechanism=mechanism, manifest=done.manifest, power=number == 0)
            assert (failed(blind), blind.verdict) == (set(), "inconclusive")


def test_an_honest_release_is_consistent_and_says_what_it_would_notice() -> None:
    done = MECHANISM.publish(TABLE, COLUMNS, SeededSource(1))
    audit = audited(done.table, manifest=done.manifest)
    assert audit.verdict == "consistent"
    (reported,) = audit.detectable
    assert str(reported).startswith("a, b, c: would detect tuples of the original with probability 0.88")
    assert "fakes on average or fewer" in str(reported)
    assert reported.numbers["known"] == 1_500
    assert "rounded to its mean" in " ".join(audit.not_shown)
    few = table_of(members(40))
    small = audited(MECHANISM.publish(few, COLUMNS, SeededSource(1)).table, few)
    assert (small.verdict, small.detectable[0].open[0]) == (
        "inconclusive", "tuples of the original that are published with probability 0.8958",
    )  # fmt: skip


@pytest.mark.parametrize(("alpha", "beta"), [("1/2", "1/4"), ("1/3", "2/3")])
def test_the_mean_of_each_e_value_over_all_outcomes_is_at_most_one(alpha: str, beta: str) -> None:
    domains = {"x": ["0", "1", "2"], "y": ["0", "1"]}
    mechanism = AlphaBeta(alpha, beta, domains)
    rows = [("0", "0"), ("1", "0"), ("1", "1")]
    table = Microdata.from_frame(pl.DataFrame(rows, schema=["x", "y"], orient="row"))
    claim = AlphaBetaClaim(mechanism)
    original = claim.prepared(table, ["x", "y"])
    means: dict[str, float] = defaultdict(float)
    every = list(product(domains["x"], domains["y"]))
    for chosen in product((False, True), repeat=6):
        chances = [mechanism.beta + mechanism.alpha * (each in rows) for each in every]
        weight = Fraction(1)
        for chance, retained in zip(chances, chosen, strict=True):
            weight *= chance if retained else 1 - chance
        published = [each for each, retained in zip(every, chosen, strict=True) if retained]
        if not weight or not published:  # a table without rows cannot be read
            continue
        frame = pl.DataFrame(published, schema={"x": pl.String, "y": pl.String}, orient="row")
        for given in (original, None):
            audit = audit_release(Microdata.from_frame(frame), ["x", "y"], claim, original=given, power=False)
            assert failed(audit) == set()
            for check in audit.checks:
                if check.e_value is not None and check.name != "shuffle":
                    means[check.name] += float(weight) * 10**check.e_value.log10
    assert set(means) >= {"fakes", "spread", "size"}
    for name, mean in means.items():
        assert 0.2 < mean <= 1 + 1e-6, (name, mean)  # a value far below 1 would have no power


def test_a_count_of_very_many_trials() -> None:
    rate = Fraction(1, 10**9)
    assert scaled_count(10**11, 100, rate).log10 < 0
    assert scaled_count(10**11, 20, rate).rejects(Fraction(1, 10**9))
    assert scaled_count(10**11, 250, rate).rejects(Fraction(1, 10**9))
    assert not scaled_count(10**11, 250, rate, "fewer").rejects(Fraction(1, 100))
    chances = np.array([1.0])
    for _ in range(30):
        chances = np.convolve(chances, [0.9, 0.1])
    sides: tuple[Sides, ...] = ("both", "fewer", "more")
    for side in sides:
        values = [10 ** scaled_count(30, k, Fraction(1, 10), side).log10 for k in range(31)]
        mean = float(np.dot(chances, values))
        assert 0.5 < mean <= 1 + 1e-6
    reached = mean_power(10**11, rate, Fraction(1, 10**9))
    assert reached.low is not None
    assert reached.high is not None
    found = [count for count in range(400) if scaled_count(10**11, count, rate).rejects(Fraction(1, 10**9))]
    few, many = max(k for k in found if k < 100), min(k for k in found if k > 100)
    assert pdtr(few, float(reached.low)) >= 0.999
    assert pdtrc(many - 1, float(reached.high)) >= 0.999
    assert pdtrc(many - 1, 0.9 * float(reached.high)) < 0.999


Fault = Callable[[np.random.Generator], Numbers]
GENUINE, FAKE = 19 / 24, 1 / 6


def others() -> Numbers:
    return np.setdiff1d(np.arange(SIZE), ORIGINAL)


def kept(draws: np.random.Generator, chance: float | NDArray[np.float64] = GENUINE) -> Numbers:
    return ORIGINAL[draws.random(len(ORIGINAL)) < chance]


def fakes(draws: np.random.Generator, chance: float = FAKE) -> Numbers:
    return others()[draws.random(SIZE - len(ORIGINAL)) < chance]


def mixed(draws: np.random.Generator, *parts: Numbers) -> Numbers:
    return draws.permutation(np.concatenate(parts))


def the_original_shuffled(draws: np.random.Generator) -> Numbers:
    return draws.permutation(ORIGINAL)


def no_fakes(draws: np.random.Generator) -> Numbers:
    return mixed(draws, kept(draws))


def too_many_fakes(draws: np.random.Generator) -> Numbers:
    return mixed(draws, kept(draws), fakes(draws, 0.3))


def genuine_with_alpha_alone(draws: np.random.Generator) -> Numbers:
    return mixed(draws, kept(draws, 5 / 8), fakes(draws))


def all_genuine(draws: np.random.Generator) -> Numbers:
    return mixed(draws, ORIGINAL, fakes(draws))


def fakes_with_repeats(draws: np.random.Generator) -> Numbers:
    return mixed(draws, kept(draws), draws.choice(others(), 400))


def fakes_from_the_whole_domain(draws: np.random.Generator) -> Numbers:
    return mixed(draws, kept(draws), np.flatnonzero(draws.random(SIZE) < FAKE))


def fakes_like_the_original(draws: np.random.Generator) -> Numbers:
    codes = [draws.permutation(part) for part in np.unravel_index(ORIGINAL, SIZES)]
    drawn = np.setdiff1d(np.ravel_multi_index(codes, SIZES), ORIGINAL)
    return mixed(draws, kept(draws), drawn[:400])


def frequent_values_are_kept_more(draws: np.random.Generator) -> Numbers:
    chance = np.where(ORIGINAL % 30 < 10, 0.99, 0.69)
    return mixed(draws, kept(draws, chance), fakes(draws))


def the_first_half_is_kept_more(draws: np.random.Generator) -> Numbers:
    chance = np.where(np.arange(len(ORIGINAL)) < 750, 0.95, 0.63)
    return mixed(draws, kept(draws, chance), fakes(draws))


def genuine_first(draws: np.random.Generator) -> Numbers:
    return np.concatenate([mixed(draws, kept(draws)), mixed(draws, fakes(draws))])


def in_the_order_of_the_domain(draws: np.random.Generator) -> Numbers:
    return np.sort(mixed(draws, kept(draws), fakes(draws)))


FAULTS: dict[Fault, str] = {
    the_original_shuffled: "fakes",
    no_fakes: "fakes",
    too_many_fakes: "fakes",
    genuine_with_alpha_alone: "genuine",
    all_genuine: "genuine",
    fakes_with_repeats: "distinct",
    fakes_from_the_whole_domain: "distinct",
    fakes_like_the_original: "spread",
    frequent_values_are_kept_more: "independence",
    the_first_half_is_kept_more: "independence",
    genuine_first: "shuffle",
    in_the_order_of_the_domain: "shuffle",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_by_its_check(fault: Fault) -> None:
    audit = audited(table_of(fault(np.random.default_rng(3))), power=False)
    assert audit.verdict == "inconsistent"
    assert FAULTS[fault] in failed(audit)


def test_what_is_no_release_fails_exactly() -> None:
    done = MECHANISM.publish(TABLE, COLUMNS, SeededSource(1)).table.to_frame()
    foreign = Microdata.from_frame(done.with_columns(a=pl.lit("a99")))
    assert "domain" in failed(audited(foreign, power=False))
    assert "domain" in failed(audited(foreign, None, power=False))
    more = Microdata.from_frame(done.with_columns(d=pl.lit("d0")))
    assert {"schema", "columns"} <= failed(audited(more, power=False))
    with pytest.raises(DataError, match="there is no column 'a' in the published table"):
        audited(Microdata.from_frame(done.drop("a")), power=False)
    assert "size" in failed(audited(table_of(members(300)), None, power=False))
    full = AlphaBeta("1/2", "1/2", DOMAINS)
    short = audited(
        full.publish(TABLE, COLUMNS, SeededSource(1)).table.take(np.arange(1_000)), mechanism=full
    )
    assert "genuine" in failed(short)
    none = AlphaBeta("1/2", "0", DOMAINS)
    with_fakes = audited(MECHANISM.publish(TABLE, COLUMNS, SeededSource(1)).table, mechanism=none)
    assert "fakes" in failed(with_fakes)


def test_a_second_release() -> None:
    one, two = (MECHANISM.publish(TABLE, COLUMNS, SeededSource(seed)).table for seed in (1, 2))
    for table in (TABLE, None):
        fresh = audited(one, table, second=two, power=False)
        assert fresh.reuse is not None
        assert (fresh.reuse.draws, failed(fresh)) == ("fresh", {"second"})
        same = audited(one, table, second=one.take(np.arange(one.row_count)[::-1]), power=False)
        assert same.reuse is not None
        assert same.reuse.draws == "same"
        most = one.take(np.arange(one.row_count - 10))
        shared = audited(one, table, second=most, power=False)
        assert shared.reuse is not None
        assert shared.reuse.draws == "shared"


def test_a_keyed_release_is_made_again_though_the_original_repeats_rows() -> None:
    table, key = table_of(np.concatenate([ORIGINAL[:100], ORIGINAL[:5]])), Key(bytes(range(31)) + b"!")
    claim = AlphaBetaClaim(MECHANISM)
    done = claim.releasing.publish(table, COLUMNS, KeyedSource(key))
    original = claim.prepared(table, COLUMNS)
    replay = Replay.of_key(key, original.table, claim.releasing, COLUMNS)
    audit = audit_release(done.table, COLUMNS, claim, original=original, replay=replay)
    assert (failed(audit), audit.verdict) == (set(), "consistent")
    changed = audit_release(
        done.table.take(np.arange(10)), COLUMNS, claim, original=original, replay=replay, power=False
    )
    assert changed.verdict == "inconsistent"


def test_an_original_outside_the_domain_is_refused() -> None:
    outside = Microdata.from_frame(TABLE.to_frame().with_columns(a=pl.lit("a99")))
    with pytest.raises(DataError, match="not in the declared domain"):
        AlphaBetaClaim(MECHANISM).prepared(outside, COLUMNS)
