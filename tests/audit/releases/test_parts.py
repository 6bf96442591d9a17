"""Releases with a domain for each part: honest ones pass, and each fault is found by its check."""

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
from splu_ref.audit.releases.cell_claims import OperatorClaim, SmallDomainsClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.channels.parameters import DataError
from splu_ref.cli import main
from splu_ref.data import Microdata
from splu_ref.mechanisms import Operator, SmallDomainRandomization
from splu_ref.randomness import SeededSource

DOMAINS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("F",): ("cook", "judge", "nurse", "smith"),
    ("M",): ("cook", "judge", "weaver"),
}
PARTS = SmallDomainRandomization("job", ["sex"], DOMAINS, 5)
Codes = NDArray[np.int64]


def people(rows: int) -> Microdata:
    """Return records that differ, whose jobs depend on age and sex; no woman is a smith."""
    number = np.arange(rows)
    sex = np.where(number % 5 < 3, "F", "M")
    place = number * 7 % 11 // 4
    jobs = [DOMAINS[part,][int(at)] for part, at in zip(sex, place, strict=True)]
    age = (number * 31 % 60 + 20).astype(str)
    return Microdata.from_frame(
        pl.DataFrame({"id": [f"r{n}" for n in number], "sex": sex, "age": age, "job": jobs})
    )


TABLE = people(4_000)


def audited(
    published: Microdata, table: Microdata | None, claimed: SmallDomainRandomization = PARTS, **rest: Any
) -> ReleaseAudit:
    claim = SmallDomainsClaim(claimed)
    original = None if table is None else claim.prepared(table, ["job"])
    return audit_release(published, ["job"], claim, original=original, **rest)


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@pytest.mark.parametrize("shuffled", [False, True])
def test_honest_releases_pass_and_say_what_they_would_notice(shuffled: bool) -> None:
    claimed = SmallDomainRandomization("job", ["sex"], DOMAINS, 5, shuffled=shuffled)
    for number in range(3):
        done = claimed.publish(TABLE, "job", SeededSource(f"parts {number}".encode()))
        audit = audited(done.table, TABLE, claimed, manifest=done.manifest, power=not number)
        assert (failed(audit), audit.verdict) == (set(), "consistent")
        assert {check.name for check in audit.checks} <= set(MEANING)
        blind = audited(done.table, None, claimed, manifest=done.manifest, power=not number)
        assert (failed(blind), blind.verdict) == (set(), "inconclusive")
    # of four values G = 5 keeps 1/2, of three 4/7: the own one is shown with 5/8 and 5/7
    [retention] = [check for check in audit.checks if check.name == "retention"]
    assert f"claimed {0.6 * 5 / 8 + 0.4 * 5 / 7:.4f}" in retention.detail
    few = people(20)
    small = audited(claimed.publish(few, "job", SeededSource(1)).table, few, claimed)
    assert (failed(small), small.verdict) == (set(), "inconclusive")


def test_one_part_is_judged_as_the_matrix_that_it_is() -> None:
    values = DOMAINS["F",]
    one = SmallDomainRandomization("job", ["sex"], {("F",): values}, 5)
    table = Microdata.from_frame(TABLE.to_frame().filter(pl.col("sex") == "F"))
    rows = [["5/8" if own == each else "1/8" for each in values] for own in values]
    done = one.publish(table, "job", SeededSource(2)).table
    claim = OperatorClaim(Operator("job", values, rows))
    other = audit_release(done, ["job"], claim, original=claim.prepared(table, ["job"]), power=False)
    reported = [
        [(check.name, None if check.e_value is None else check.e_value.log10) for check in each.checks]
        for each in (audited(done, table, one, power=False), other)
    ]
    assert reported[0] == reported[1]


def test_the_mean_of_each_e_value_over_all_outcomes_is_at_most_one() -> None:
    mechanism = SmallDomainRandomization("v", ["q"], {("1",): "ab", ("2",): "abc"}, 3)
    claim = SmallDomainsClaim(mechanism)
    table = Microdata.from_frame(pl.DataFrame({"q": list("1122"), "n": list("1234"), "v": list("abbc")}))
    original = claim.prepared(table, ["v"])
    means: dict[str, float] = {}
    for shown in product("ab", "ab", "abc", "abc"):
        sizes = (2, 2, 3, 3)
        chance = prod(
            Fraction(3 if one == own else 1, 2 + size)
            for one, own, size in zip(shown, "abbc", sizes, strict=True)
        )
        published = Microdata.from_frame(table.to_frame().with_columns(pl.Series("v", shown)))
        for given in (original, None):
            audit = audit_release(published, ["v"], claim, original=given, power=False)
            for check in audit.checks:
                if check.e_value is not None:
                    means[check.name] = means.get(check.name, 0.0) + float(chance) * 10**check.e_value.log10
    assert {"counts", "share", "retention", "replacement", "independence"} <= set(means)
    for name, mean in means.items():
        assert 0.2 < mean <= 1 + 1e-6, (name, mean)


Fault = Callable[[np.random.Generator], list[str]]


def drawn(draws: np.random.Generator, keep: dict[str, float], among: dict[str, tuple[str, ...]]) -> list[str]:
    """Keep each job with the chance of its part, and replace it otherwise by one of its part's."""
    return [
        job if draws.random() < keep[sex] else among[sex][int(draws.integers(len(among[sex])))]
        for sex, job in zip(TABLE.cells("sex"), TABLE.cells("job"), strict=True)
    ]


KEEP = {"F": 1 / 2, "M": 4 / 7}
AMONG = {part: values for (part,), values in DOMAINS.items()}


def the_original(_: np.random.Generator) -> list[str]:
    return TABLE.cells("job")


def one_domain_for_all(draws: np.random.Generator) -> list[str]:
    whole = tuple(sorted({*AMONG["F"], *AMONG["M"]}))
    return drawn(draws, dict.fromkeys("FM", 4 / 9), dict.fromkeys("FM", whole))


def the_retention_of_a_larger_domain(draws: np.random.Generator) -> list[str]:
    return drawn(draws, dict.fromkeys("FM", 4 / 14), AMONG)


def the_men_keep_more(draws: np.random.Generator) -> list[str]:
    return drawn(draws, {"F": 1 / 2, "M": 3 / 4}, AMONG)


def values_of_the_observed_only(draws: np.random.Generator) -> list[str]:
    return drawn(draws, KEEP, {**AMONG, "F": AMONG["F"][:3]})


def the_young_keep_more(draws: np.random.Generator) -> list[str]:
    shown = drawn(draws, KEEP, AMONG)
    young = [int(age) < 40 for age in TABLE.cells("age")]
    return [own if one and draws.random() < 0.5 else each
            for own, each, one in zip(TABLE.cells("job"), shown, young, strict=True)]  # fmt: skip


FAULTS: dict[Fault, str] = {
    the_original: "retention",
    one_domain_for_all: "domain",
    the_retention_of_a_larger_domain: "retention",
    the_men_keep_more: "independence",
    values_of_the_observed_only: "counts",
    the_young_keep_more: "independence",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_by_its_check(fault: Fault) -> None:
    shown = fault(np.random.default_rng(7))
    published = Microdata.from_frame(TABLE.to_frame().with_columns(pl.Series("job", shown)))
    audit = audited(published, TABLE, power=False)
    assert audit.verdict == "inconsistent"
    assert FAULTS[fault] in failed(audit)


def test_a_missing_value_is_the_one_that_stands_for_it() -> None:
    frame = TABLE.to_frame().with_columns(pl.col("job").replace("judge", None))
    table = Microdata.from_frame(frame, missing="judge")
    done = PARTS.publish(table, "job", SeededSource(5))
    audit = audited(done.table, table, manifest=done.manifest)
    assert (failed(audit), audit.verdict) == (set(), "consistent")


def test_another_type_of_the_sensitive_column_is_seen() -> None:
    claimed = SmallDomainRandomization("job", ["sex"], {("F",): "123", ("M",): "45"}, 5)
    numbers = TABLE.to_frame().with_columns(job=pl.col("id").str.slice(1).cast(pl.Int64) % 2)
    numbers = numbers.with_columns(job=pl.col("job") + pl.when(pl.col("sex") == "F").then(1).otherwise(4))
    table = Microdata.from_frame(numbers)
    published = claimed.publish(table, "job", SeededSource(6)).table.to_frame()
    for kind, seen in ((pl.Int64, set()), (pl.Int32, {"schema"})):
        shown = Microdata.from_frame(published.with_columns(pl.col("job").cast(kind)))
        audit = audited(shown, table, claimed)
        assert failed(audit) == seen
        [schema] = [check for check in audit.checks if check.name == "schema"]
        assert ("Int64 became Int32" in schema.detail) == bool(seen)


def test_a_second_release_needs_the_sensitive_column() -> None:
    few = people(20)
    less = Microdata.from_frame(few.to_frame().drop("job"))
    with pytest.raises(DataError, match="no column 'job'"):
        audited(less, few, second=less)


def test_without_the_original_shares_are_those_of_the_part() -> None:
    """Men who are all weavers are more than any table of men gives, and no more than one of all gives."""
    jobs = ["weaver" if sex == "M" else job
            for sex, job in zip(TABLE.cells("sex"), TABLE.cells("job"), strict=True)]  # fmt: skip
    woven = Microdata.from_frame(TABLE.to_frame().with_columns(pl.Series("job", jobs)))
    assert failed(audited(woven, None)) == {"share"}
    foreign = Microdata.from_frame(TABLE.to_frame().with_columns(sex=pl.lit("X")))
    assert "domain" in failed(audited(foreign, None, power=False))
    dropped = Microdata.from_frame(TABLE.to_frame().drop("sex"))
    assert "domain" in failed(audited(dropped, TABLE, power=False))


def test_commands_and_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.to_frame().write_csv(tmp_path / "t.csv")
    PARTS.publish(TABLE, "job", SeededSource(1)).write(tmp_path / "p.csv", tmp_path / "m.json")
    release = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert sr.audit_release(release, TABLE).verdict == "consistent"
    words = ["audit-release", str(tmp_path / "p.csv"), "--manifest", str(tmp_path / "m.json")]
    assert main([*words, "--original", str(tmp_path / "t.csv")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "would detect the original itself, true values shown with probability 0." in printed
    assert main(words) == 3
    assert main([*words, "--retention", "1/2"]) == 2
    assert "small-domain randomization has no retention probability: leave it out" in capsys.readouterr().err
    strange = Microdata.from_frame(TABLE.to_frame().with_columns(job=pl.lit("smith")))
    with pytest.raises(DataError, match="the sub-domain of its part M lacks"):
        SmallDomainsClaim(PARTS).prepared(strange, ["job"])
    many: dict[tuple[str, ...], list[str]] = {
        (str(part),): [str(value) for value in range(70)] for part in range(60)
    }
    with pytest.raises(DataError, match="4200 values together"):
        SmallDomainsClaim(SmallDomainRandomization("job", ["sex"], many, 5))
