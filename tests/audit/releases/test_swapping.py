"""Releases by swapping: honest ones pass, and each fault is found by the check meant for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from math import comb, exp, factorial
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SwappingClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.audit.releases.replay import Replay
from splu_ref.audit.releases.swapping_laws import (
    _log_chance,
    hypergeometric_logs,
    swap_power,
    swapped_count_point,
)
from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Swapping
from splu_ref.randomness import Key, KeyedSource, SeededSource
from tests.rounding import near

JOBS = ("cook", "judge", "nurse", "smith", "weaver")
COLUMNS = ["job", "sex"]
CLAIM = SwappingClaim(Swapping("1/2"))
Codes = NDArray[np.int64]


def people(rows: int) -> Microdata:
    """Return records that differ; jobs have nothing to do with age."""
    number = np.arange(rows)
    frame = {
        "id": [f"r{n}" for n in number],
        "age": (number * 31 % 60 + 20).astype(str),
        "job": np.random.default_rng(rows).choice(np.array(JOBS), rows, p=[0.3, 0.25, 0.2, 0.15, 0.1]),
        "sex": np.array(["F", "M"])[number * 3 % 7 % 2],
    }
    return Microdata.from_frame(pl.DataFrame(frame))


TABLE = people(3_000)


def audited(published: Microdata, table: Microdata | None = TABLE, **rest: Any) -> ReleaseAudit:
    claim = rest.pop("claim", CLAIM)
    original = None if table is None else claim.prepared(table, COLUMNS)
    return audit_release(published, COLUMNS, claim, original=original, **rest)


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@pytest.mark.parametrize("p", ["0", "1/3", "9/10"])
def test_honest_releases_pass(p: str) -> None:
    claim = SwappingClaim(Swapping(p))
    for rows in (2, 60):
        table = people(rows + 5)
        original = claim.prepared(table, COLUMNS)
        for number in range(4):
            done = Swapping(p).publish(table, COLUMNS, SeededSource(f"{p} {rows} {number}".encode()))
            audit = audit_release(done.table, COLUMNS, claim, original=original, power=number == 0)
            assert failed(audit) == set()
            assert {check.name for check in audit.checks} <= set(MEANING)
            blind = audited(done.table, None, manifest=done.manifest, claim=claim)
            assert (failed(blind), blind.verdict) == (set(), "inconclusive")


def test_an_honest_release_is_consistent_and_says_what_it_would_notice() -> None:
    done = Swapping("1/2").publish(TABLE, COLUMNS, SeededSource(1))
    audit = audited(done.table, manifest=done.manifest)
    assert (audit.verdict, audit.linked) == ("consistent", 3_000)
    reported = str(audit.detectable[0])
    assert reported.startswith("job: would detect the original itself, cells that stay with probability 0.6")
    assert "which of several equal cells went where" in " ".join(audit.not_shown)
    few = people(40)
    small = audited(Swapping("1/2").publish(few, COLUMNS, SeededSource(1)).table, few)
    assert (small.verdict, small.detectable[0].open[0]) == (
        "inconclusive", "cells that stay with probability 0.75",
    )  # fmt: skip


def law(values: str, keep: Fraction) -> dict[tuple[str, ...], Fraction]:
    """Return the law of a swapped column, from the words of the mechanism."""
    found: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for coins in product((False, True), repeat=len(values)):
        released = [place for place in range(len(values)) if coins[place]]
        chance = keep ** (len(values) - len(released)) * (1 - keep) ** len(released)
        for order in permutations(released):
            cells = list(values)
            for place, cell in zip(released, order, strict=True):
                cells[place] = values[cell]
            found[tuple(cells)] += chance / factorial(len(released))
    return found


@pytest.mark.parametrize(("values", "keep"), [("aabc", "1/2"), ("aabbb", "1/3"), ("abcda", "2/3")])
def test_the_mean_of_each_e_value_over_all_outcomes_is_at_most_one(values: str, keep: str) -> None:
    table = Microdata.from_frame(pl.DataFrame({"name": list("12112")[: len(values)], "v": list(values)}))
    claim = SwappingClaim(Swapping(keep))
    original = claim.prepared(table, ["v"])
    means: dict[str, float] = defaultdict(float)
    for shown, chance in law(values, Fraction(keep)).items():
        published = Microdata.from_frame(table.to_frame().with_columns(v=pl.Series("v", shown)))
        audit = audit_release(published, ["v"], claim, original=original, power=False)
        assert failed(audit) == set()
        for check in audit.checks:
            if check.e_value is not None:
                means[check.name] += float(chance) * 10**check.e_value.log10
    assert set(means) >= {"retention", "independence", "locality"}
    for name, mean in means.items():
        assert mean <= 1 + 1e-6, (name, mean)
        assert mean > 0.5, (name, mean)  # a value far below 1 would have no power


def test_the_law_of_cells_that_leave_a_set_is_exact_and_log_concave() -> None:
    for size in range(2, 8):
        for members, keep in product(range(1, size), (Fraction(0), Fraction(1, 10), Fraction(3, 4))):
            chances = []
            for shown in range(min(members, size - members) + 1):
                total = Fraction(0)
                for r, s in product(range(shown, members + 1), range(shown, size - members + 1)):
                    coins = comb(members, r) * comb(size - members, s) * (1 - keep) ** (r + s)
                    moved = Fraction(comb(s, shown) * comb(r, shown), comb(r + s, r))
                    total += coins * keep ** (size - r - s) * moved
                chances.append(total)
                if total:
                    found = exp(_log_chance(size, members, shown, keep))
                    assert found == near(float(total), rel=1e-12)
            assert sum(chances) == 1
            for before, own, after in zip(chances, chances[1:], chances[2:], strict=False):
                assert own**2 >= before * after
    assert swapped_count_point(7, 3, 1, Fraction(1, 2)).log10 == pytest.approx(
        -np.log10(4 * exp(_log_chance(7, 3, 1, Fraction(1, 2)))), abs=1e-8
    )


def test_what_the_power_promises_is_found() -> None:
    level = Fraction(1, 10**6)
    reached = swap_power(1_000, 500, Fraction(1, 2), level)
    assert reached.low is not None
    assert reached.high is not None
    draws = np.random.default_rng(5)
    for keep, found in ((reached.low, True), (reached.high, True), (Fraction(1, 2), False)):
        for _ in range(40):
            own, released = np.arange(1_000) < 500, draws.random(1_000) >= float(keep)
            shown = own.copy()
            shown[released] = draws.permutation(own[released])
            count = int((own & ~shown).sum())
            assert swapped_count_point(1_000, 500, count, Fraction(1, 2)).rejects(level) == found


def test_hypergeometric_counts_have_the_mean_one() -> None:
    seen = np.arange(5)
    logs = hypergeometric_logs(seen * 0 + 9, seen * 0 + 4, seen * 0 + 5, seen)
    chances = np.array([comb(4, k) * comb(5, 5 - k) for k in range(5)]) / comb(9, 5)
    assert float((chances * np.exp(logs)).sum()) == pytest.approx(1, abs=1e-9)


Fault = Callable[[np.random.Generator], Microdata]


def swapped(**columns: Codes) -> Microdata:
    """Return the table with the cells of some columns put in another order."""
    frame = TABLE.to_frame()
    return Microdata.from_frame(
        frame.with_columns(pl.Series(name, frame[name].to_numpy()[order]) for name, order in columns.items())
    )


def orders(draws: np.random.Generator, released: NDArray[np.bool_], within: Codes | None = None) -> Codes:
    """Return an order in which the released cells are permuted, within parts if some are given."""
    order = np.arange(3_000)
    for part in [None] if within is None else np.unique(within):
        chosen = np.flatnonzero(released if part is None else released & (within == part))
        order[chosen] = draws.permutation(chosen)
    return order


def coins(draws: np.random.Generator, share: float = 0.5) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = draws.random(3_000) < share
    return found


def the_original(_: np.random.Generator) -> Microdata:
    return TABLE


def fewer_released(draws: np.random.Generator) -> Microdata:
    return swapped(**{name: orders(draws, coins(draws, 0.25)) for name in COLUMNS})


def all_released(draws: np.random.Generator) -> Microdata:
    return swapped(**{name: orders(draws, coins(draws, 1)) for name in COLUMNS})


def in_a_circle(draws: np.random.Generator) -> Microdata:
    order, released = np.arange(3_000), np.flatnonzero(coins(draws))
    order[released] = np.roll(released, 1)
    return swapped(job=order, sex=orders(draws, coins(draws)))


def near_each_other(draws: np.random.Generator) -> Microdata:
    return swapped(job=orders(draws, coins(draws), np.arange(3_000) // 3), sex=orders(draws, coins(draws)))


def the_young_stay(draws: np.random.Generator) -> Microdata:
    young = TABLE.codes("age") < 30
    job = draws.random(3_000) < np.where(young, 0.3, 0.7)
    return swapped(job=orders(draws, job), sex=orders(draws, coins(draws)))


def every_second_row(draws: np.random.Generator) -> Microdata:
    return swapped(job=orders(draws, np.arange(3_000) % 2 == 0), sex=orders(draws, coins(draws)))


def one_order_for_both(draws: np.random.Generator) -> Microdata:
    order = orders(draws, coins(draws))
    return swapped(job=order, sex=order)


def some_among_themselves(draws: np.random.Generator) -> Microdata:
    kinds = (TABLE.codes("job") < 2).astype(np.int64)
    return swapped(job=orders(draws, coins(draws), kinds), sex=orders(draws, coins(draws)))


def drawn_anew(draws: np.random.Generator) -> Microdata:
    job = TABLE.to_frame()["job"].to_numpy().copy()
    job[:600] = draws.choice(np.array(JOBS), 600)
    return Microdata.from_frame(TABLE.to_frame().with_columns(job=pl.Series(job)))


def rows_moved(draws: np.random.Generator) -> Microdata:
    return swapped(job=orders(draws, coins(draws))).take(draws.permutation(3_000))


FAULTS: dict[Fault, str] = {
    the_original: "retention",
    fewer_released: "retention",
    all_released: "retention",
    in_a_circle: "locality",
    near_each_other: "locality",
    the_young_stay: "independence",
    every_second_row: "independence",
    one_order_for_both: "independence",
    some_among_themselves: "replacement",
    drawn_anew: "histogram",
    rows_moved: "records",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_by_its_check(fault: Fault) -> None:
    audit = audited(fault(np.random.default_rng(7)), power=False)
    assert audit.verdict == "inconsistent"
    assert FAULTS[fault] in failed(audit)


def test_swaps_within_groups_that_differ_are_found() -> None:
    draws = np.random.default_rng(3)
    ages = TABLE.codes("age") // 15
    jobs = np.array(JOBS)[np.where(draws.random(3_000) < 0.6, ages, draws.integers(5, size=3_000))]
    table = Microdata.from_frame(TABLE.to_frame().with_columns(job=pl.Series(jobs)))
    order, sexes = orders(draws, coins(draws), ages), orders(draws, coins(draws))
    frame = table.to_frame()
    frame = frame.with_columns(job=pl.Series(jobs[order]), sex=frame["sex"].gather(sexes.tolist()))
    assert "locality" in failed(audited(Microdata.from_frame(frame), table, power=False))


def test_a_second_release() -> None:
    one, two = (Swapping("1/2").publish(TABLE, COLUMNS, SeededSource(seed)).table for seed in (1, 2))
    fresh = audited(one, second=two, power=False)
    assert fresh.reuse is not None
    assert (fresh.reuse.draws, failed(fresh)) == ("fresh", {"second"})
    assert audited(one, second=one, power=False).verdict == "consistent"
    half = two.to_frame().with_columns(
        job=pl.Series(np.sort(two.to_frame()["job"].to_numpy()))  # of no record: the values alone
    )
    assert "second" in failed(audited(one, second=Microdata.from_frame(half), power=False))
    draws = np.random.default_rng(4)
    released = coins(draws)
    first = orders(draws, released)
    second = first.copy()
    later = np.flatnonzero(released)[:500]
    second[later] = first[draws.permutation(later)]
    shared = audited(
        swapped(job=first, sex=orders(draws, coins(draws))),
        second=swapped(job=second, sex=orders(draws, coins(draws))),
        power=False,
    )
    assert shared.reuse is not None
    assert shared.reuse.draws == "shared"
    blind = audited(one, None, second=two)
    assert blind.reuse is not None
    assert (blind.reuse.draws, blind.reuse.against_independence) == ("fresh", None)


def test_a_keyed_release_is_made_again() -> None:
    table, key = people(200), Key(bytes(range(31)) + b"!")
    done = Swapping("1/2").publish(table, COLUMNS, KeyedSource(key))
    original = CLAIM.prepared(table, COLUMNS)
    replay = Replay.of_key(key, original.table, CLAIM.releasing, COLUMNS)
    audit = audit_release(done.table, COLUMNS, CLAIM, original=original, replay=replay)
    assert (failed(audit), audit.verdict) == (set(), "consistent")
    other = done.table.take(np.arange(200)[::-1])
    changed = audit_release(other, COLUMNS, CLAIM, original=original, replay=replay, power=False)
    assert changed.verdict == "inconsistent"


def test_one_row_cannot_be_swapped() -> None:
    with pytest.raises(DataError, match="at least two"):
        CLAIM.prepared(people(1), COLUMNS)
