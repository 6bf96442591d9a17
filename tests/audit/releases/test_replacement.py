"""Releases by retention replacement: honest ones pass, and each fault is found by the check meant for it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import splu_ref as sr
from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.cell_claims import ReplacementClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.audit.releases.replay import Replay
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import RetentionReplacement
from splu_ref.randomness import Key, KeyedSource, SeededSource

LEVEL = Fraction(1, 10**9)
JOBS, SEXES = ("cook", "judge", "nurse", "smith", "weaver"), ("F", "M", "X")
DOMAINS = {"job": JOBS, "sex": SEXES}
COLUMNS = ["job", "sex"]
Codes = NDArray[np.int64]


def people(rows: int) -> Microdata:
    """Return records that differ, of whom nobody is a weaver or X; jobs depend on age."""
    number = np.arange(rows)
    jobs = np.array(JOBS)[np.minimum(number * 7 % 11 // 3, 3)]
    return Microdata.from_frame(
        pl.DataFrame(
            {
                "id": [f"r{n}" for n in number],
                "age": (number * 31 % 60 + 20).astype(str),
                "job": jobs,
                "sex": np.array(SEXES)[number * 3 % 7 % 2],
            }
        )
    )


def mechanism(*, shuffled: bool = False, p: str = "1/2") -> RetentionReplacement:
    return RetentionReplacement(p, DOMAINS, shuffled=shuffled)


def audited(
    published: Microdata, claimed: RetentionReplacement, table: Microdata | None, **rest: Any
) -> ReleaseAudit:
    claim = ReplacementClaim(claimed)
    original = None if table is None else claim.prepared(table, COLUMNS)
    return audit_release(published, COLUMNS, claim, original=original, level=LEVEL, **rest)


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("p", ["0", "1/5", "9/10"])
def test_honest_releases_pass(p: str, *, shuffled: bool) -> None:
    table, published_by = people(600), mechanism(shuffled=shuffled, p=p)
    for number in range(2):
        done = published_by.publish(table, COLUMNS, SeededSource(f"replacement {p} {number}".encode()))
        audit = audited(done.table, published_by, table, manifest=done.manifest, power=number == 0)
        assert failed(audit) == set()
        assert audit.linked == 600
        assert {check.name for check in audit.checks} <= set(MEANING)
        blind = audited(done.table, published_by, None, manifest=done.manifest, power=number == 0)
        assert (failed(blind), blind.verdict) == (set(), "inconclusive")


def test_an_honest_release_is_consistent_and_says_what_it_would_notice() -> None:
    table = people(4_000)
    done = mechanism().publish(table, COLUMNS, SeededSource(1))
    audit = audited(done.table, mechanism(), table, manifest=done.manifest)
    assert audit.verdict == "consistent"
    reported = str(audit.detectable[0])
    assert "would detect the original itself, values kept with probability 0.5" in reported
    few = people(12)
    small = mechanism().publish(few, COLUMNS, SeededSource(1))
    audit = audited(small.table, mechanism(), few)
    assert audit.verdict == "inconclusive"
    assert audit.detectable[0].open == ("values kept with probability 0.75",)


@pytest.mark.parametrize(
    ("values", "names", "p", "domain"),
    [
        ("aab", "123", "1/2", "abc"),
        ("aab", "112", "1/3", "abc"),  # two may be either
        ("aba", "111", "1/3", "ab"),  # nothing is known of anybody
        ("abab", "1234", "0", "ab"),
    ],
)
def test_the_mean_of_each_e_value_over_all_outcomes_is_at_most_one(
    values: str, names: str, p: str, domain: str
) -> None:
    table = Microdata.from_frame(pl.DataFrame({"name": list(names), "v": list(values)}))
    means: dict[str, float] = {}
    for order in ("kept", "shuffled"):
        claim = ReplacementClaim(RetentionReplacement(p, {"v": domain}, shuffled=order == "shuffled"))
        original = claim.prepared(table, ["v"])
        for code in product(range(len(domain)), repeat=len(values)):
            shown = [domain[value] for value in code]
            chances = (
                claim.laws["v"].extremes()[0][one == own] for one, own in zip(shown, values, strict=True)
            )
            published = Microdata.from_frame(table.to_frame().with_columns(v=pl.Series("v", shown)))
            weight = float(prod(chances, start=Fraction(1)))
            for given in (original, None):
                audit = audit_release(published, ["v"], claim, original=given, level=LEVEL, power=False)
                for check in audit.checks:
                    if check.e_value is not None and check.name != "shuffle":
                        name = f"{check.name} {order}"
                        means[name] = means.get(name, 0.0) + weight * 10**check.e_value.log10
    assert {"counts kept", "counts shuffled", "share kept", "retention kept"} <= set(means)
    for name, mean in means.items():
        assert mean <= 1 + 1e-6, (name, mean)
    assert means["retention kept"] == pytest.approx(1, abs=1e-6)
    assert min(means.values()) > 0.2  # a value far below 1 would have no power


Fault = Callable[[Microdata, np.random.Generator], Microdata]


def _replaced(table: Microdata, **columns: Codes) -> Microdata:
    frame = table.to_frame()
    for name, codes in columns.items():
        frame = frame.with_columns(pl.Series(name, np.array(DOMAINS[name])[codes]))
    return Microdata.from_frame(frame)


def _codes(table: Microdata, column: str) -> Codes:
    return table.with_domain(column, DOMAINS[column]).codes(column)


def _drawn(table: Microdata, draws: np.random.Generator, column: str, p: float, kept: Any = None) -> Codes:
    own, size = _codes(table, column), len(DOMAINS[column])
    coins = draws.random(len(own)) < p if kept is None else kept
    return np.where(coins, own, draws.integers(size, size=len(own)))


def own_value_excluded(table: Microdata, draws: np.random.Generator) -> Microdata:
    own = _codes(table, "job")
    other = (own + draws.integers(1, 5, size=len(own))) % 5
    job = np.where(draws.random(len(own)) < 0.5, own, other)
    return _replaced(table, job=job, sex=_drawn(table, draws, "sex", 0.5))


def from_the_observed_values(table: Microdata, draws: np.random.Generator) -> Microdata:
    own = _codes(table, "job")
    job = np.where(draws.random(len(own)) < 0.5, own, draws.integers(4, size=len(own)))
    return _replaced(table, job=job, sex=_drawn(table, draws, "sex", 0.5))


def from_the_column(table: Microdata, draws: np.random.Generator) -> Microdata:
    own = _codes(table, "job")
    job = np.where(draws.random(len(own)) < 0.5, own, draws.permutation(own))
    return _replaced(table, job=job, sex=_drawn(table, draws, "sex", 0.5))


def one_coin_for_the_record(table: Microdata, draws: np.random.Generator) -> Microdata:
    coins = draws.random(table.row_count) < 0.5
    return _replaced(
        table, job=_drawn(table, draws, "job", 0.5, coins), sex=_drawn(table, draws, "sex", 0.5, coins)
    )


def a_tenth_more(table: Microdata, draws: np.random.Generator) -> Microdata:
    return _replaced(table, job=_drawn(table, draws, "job", 0.55), sex=_drawn(table, draws, "sex", 0.55))


def a_tenth_less(table: Microdata, draws: np.random.Generator) -> Microdata:
    return _replaced(table, job=_drawn(table, draws, "job", 0.45), sex=_drawn(table, draws, "sex", 0.45))


def the_original(table: Microdata, draws: np.random.Generator) -> Microdata:
    del draws
    return table


def the_young_keep_more(table: Microdata, draws: np.random.Generator) -> Microdata:
    young = table.codes("age") < 30  # of 60 ages: half of the records
    coins = draws.random(table.row_count) < np.where(young, 0.7, 0.3)
    return _replaced(table, job=_drawn(table, draws, "job", 0.5, coins), sex=_drawn(table, draws, "sex", 0.5))


def every_second_row(table: Microdata, draws: np.random.Generator) -> Microdata:
    coins = np.arange(table.row_count) % 2 == 0
    return _replaced(table, job=_drawn(table, draws, "job", 0.5, coins), sex=_drawn(table, draws, "sex", 0.5))


def weavers_are_replaced_by_cooks(table: Microdata, draws: np.random.Generator) -> Microdata:
    job = _drawn(table, draws, "job", 0.5)
    return _replaced(table, job=np.where(job == 4, 0, job), sex=_drawn(table, draws, "sex", 0.5))


FAULTS: dict[Fault, str] = {
    own_value_excluded: "retention",
    from_the_observed_values: "replacement",
    from_the_column: "replacement",
    one_coin_for_the_record: "independence",
    a_tenth_more: "retention",
    a_tenth_less: "retention",
    the_original: "retention",
    the_young_keep_more: "independence",
    every_second_row: "independence",
    weavers_are_replaced_by_cooks: "replacement",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("shuffled", [False, True])
def test_a_fault_is_found_by_its_check(fault: Fault, *, shuffled: bool) -> None:
    table, draws = people(12_000), np.random.default_rng(7)
    published = fault(table, draws)
    if shuffled:
        published = published.take(draws.permutation(12_000))
    audit = audited(published, mechanism(shuffled=shuffled), table, power=False)
    assert audit.verdict == "inconsistent"
    assert FAULTS[fault] in failed(audit)


def test_the_histogram_states_where_no_row_can_be_linked() -> None:
    table = Microdata.from_frame(people(12_000).to_frame().select("job", "sex"))
    honest = mechanism(shuffled=True).publish(table, COLUMNS, SeededSource(3)).table
    audit = audited(honest, mechanism(shuffled=True), table)
    assert failed(audit) == set()
    assert audit.verdict == "consistent"
    assert "would detect the original itself" in str(audit.detectable[0])
    altered = audited(table, mechanism(shuffled=True), table, power=False)
    assert "counts" in failed(altered)
    assert {each.name for each in altered.not_checked} >= {"retention", "independence"}


def test_without_the_original_shares_and_the_domain_speak() -> None:
    table = people(12_000)
    audit = audited(table, mechanism(), None, power=False)
    assert failed(audit) == {"share"}  # nobody is X
    foreign = Microdata.from_frame(table.to_frame().with_columns(job=pl.lit("pilot")))
    assert "domain" in failed(audited(foreign, mechanism(), None, power=False))
    assert "share" in failed(
        audited(_replaced(table, job=np.zeros(12_000, dtype=np.int64)), mechanism(), None)
    )


def test_rows_that_are_said_to_stand_in_place_stand_there() -> None:
    table = people(600)
    done = mechanism(shuffled=True).publish(table, COLUMNS, SeededSource(5))
    assert "records" in failed(audited(done.table, mechanism(), table, power=False))
    kept = mechanism().publish(table, COLUMNS, SeededSource(5)).table
    assert "shuffle" in failed(audited(kept, mechanism(shuffled=True), table, power=False))
    edited = kept.to_frame().with_columns(age=pl.lit("33"))
    assert "records" in failed(audited(Microdata.from_frame(edited), mechanism(), table, power=False))
    short = kept.take(np.arange(599))
    assert failed(audited(short, mechanism(), table, power=False)) == {"rows", "records"}
    fewer = Microdata.from_frame(kept.to_frame().drop("age"))
    assert audited(fewer, mechanism(), table, power=False).verdict == "inconclusive"


def test_rows_that_stand_in_place_are_linked_though_their_cells_are_alike() -> None:
    table = Microdata.from_frame(people(3_000).to_frame().select("job", "sex"))
    honest = mechanism().publish(table, COLUMNS, SeededSource(3)).table
    audit = audited(honest, mechanism(), table)
    assert (audit.linked, audit.verdict) == (3_000, "consistent")


def test_a_second_release_with_draws_of_its_own_is_seen() -> None:
    table = people(3_000)
    one, two = (mechanism().publish(table, COLUMNS, SeededSource(seed)).table for seed in (1, 2))
    audit = audited(one, mechanism(), table, second=two, power=False)
    assert audit.reuse is not None
    assert audit.reuse.draws == "fresh"
    assert failed(audit) == {"second"}
    assert audited(one, mechanism(), table, second=one, power=False).verdict == "consistent"
    half = one.to_frame().with_columns(pl.Series("job", one.cells("job")[:1500] + two.cells("job")[1500:]))
    shared = audited(one, mechanism(), table, second=Microdata.from_frame(half), power=False)
    assert shared.reuse is not None
    assert shared.reuse.draws == "shared"


def test_a_keyed_release_is_made_again() -> None:
    table, key = people(400), Key(bytes(range(31)) + b"!")
    done = mechanism().publish(table, COLUMNS, KeyedSource(key))
    claim = ReplacementClaim(mechanism())
    original = claim.prepared(table, COLUMNS)
    replay = Replay.of_key(key, original.table, mechanism(), COLUMNS)
    audit = audit_release(done.table, COLUMNS, claim, original=original, replay=replay)
    assert (failed(audit), audit.verdict) == (set(), "consistent")
    cell = done.table.to_frame().with_columns(pl.Series("sex", ["X", *done.table.cells("sex")[1:]]))
    changed = audit_release(Microdata.from_frame(cell), COLUMNS, claim, original=original, replay=replay)
    assert ("recomputed" in failed(changed)) == (done.table.cells("sex")[0] != "X")
    other = ReplacementClaim(mechanism(p="1/3"))
    with pytest.raises(ParameterError, match="other parameters"):
        audit_release(done.table, COLUMNS, other, original=original, replay=replay)


def test_what_cannot_be_audited_is_refused() -> None:
    table = people(400)
    claim = ReplacementClaim(mechanism())
    with pytest.raises(ParameterError, match="prepared without the declared domains"):
        audit_release(table, COLUMNS, claim, original=Original(table, COLUMNS))
    with pytest.raises(ParameterError, match="others than the sensitive ones"):
        audit_release(table, ["job"], claim)
    outside = Microdata.from_frame(table.to_frame().with_columns(job=pl.lit("pilot")))
    with pytest.raises(DataError, match="not in the declared domain"):
        claim.prepared(outside, COLUMNS)


def test_the_library_audits_what_it_published(tmp_path: Path) -> None:
    table = people(3_000)
    done = mechanism().publish(table, COLUMNS, SeededSource(1))
    done.write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    audit = sr.audit_release(sr.read_release(tmp_path / "p.csv", tmp_path / "m.json"), table)
    assert audit.verdict == "consistent"


@pytest.mark.parametrize(
    "options", [{"replacing": "identity"}, {"compound": True}, {"replacing": {"a": {"x": "1/3", "y": "2/3"}}}]
)
def test_other_laws_are_not_judged_by_the_uniform_one(options: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="another law than the uniform one"):
        ReplacementClaim(RetentionReplacement("1/2", {"a": "xy"}, **options))
