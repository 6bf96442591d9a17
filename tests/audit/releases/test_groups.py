"""Releases of one record of each group: honest ones pass, and each fault is found by its check."""

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
from splu_ref.audit.releases.claims import GeneralizationClaim
from splu_ref.audit.releases.findings import Evidence, ReleaseAudit
from splu_ref.audit.releases.group_draws import PublishedGroups, evidence
from splu_ref.audit.releases.messages import MEANING
from splu_ref.channels.parameters import DataError
from splu_ref.cli import main
from splu_ref.data import Microdata
from splu_ref.mechanisms import PerturbedGeneralization
from splu_ref.randomness import SeededSource

ROWS = 6_000
VALUES = "pqrstuvwxy"
GROUPED = PerturbedGeneralization("v", VALUES, ["zip", "town"], 4, "1/2", numbers=["zip"])
Codes = NDArray[np.int64]


def people(rows: int) -> Microdata:
    """Return records whose value depends on where they live, and on their place in the file."""
    number = np.arange(rows)
    code = 100 + number * 31 % 2003
    value = np.array(list(VALUES))[(code // 250 + number // 2000) % 10]
    town = np.array(list("abcdefgh"))[number * 7 % 8]
    return Microdata.from_frame(pl.DataFrame({"zip": code, "town": town, "v": value, "id": number}))


TABLE = people(ROWS)
OF_RECORD = GROUPED.groups(TABLE)
CODES = TABLE.with_domain("v", VALUES).codes("v")
HONEST = GROUPED.publish(TABLE, "v", SeededSource(1))


def audited(
    published: Microdata, table: Microdata | None, claimed: PerturbedGeneralization = GROUPED, **rest: Any
) -> ReleaseAudit:
    claim = GeneralizationClaim(claimed)
    original = None if table is None else claim.prepared(table, ["v"])
    return audit_release(published, ["v"], claim, original=original, **rest)


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


def test_honest_releases_pass_and_say_what_they_would_notice() -> None:
    for number in range(3):
        done = GROUPED.publish(TABLE, "v", SeededSource(f"groups {number}".encode()))
        audit = audited(done.table, TABLE, manifest=done.manifest, power=not number)
        assert (failed(audit), audit.verdict) == (set(), "consistent")
        assert {check.name for check in audit.checks} <= set(MEANING)
        blind = audited(done.table, None, manifest=done.manifest, power=not number)
        assert (failed(blind), blind.verdict) == (set(), "inconclusive")
    assert str(audit.detectable[0]).startswith("v: would detect values kept with probability 0.7500 or more")
    few = people(60)
    small = audited(GROUPED.publish(few, "v", SeededSource(1)).table, few)
    assert (failed(small), small.verdict) == (set(), "inconclusive")
    assert small.detectable[0].open == (
        "values kept with probability 0.75",
        "the first record of every group",
    )


def test_a_choice_among_equal_values_is_no_other_release() -> None:
    number = np.arange(800)
    values = np.array(list(VALUES))[number * 7 % 10]
    alone = pl.DataFrame({"q": number, "v": values})
    twins, mixed = pl.concat([alone, alone]), pl.concat([alone, alone.with_columns(v=pl.lit("p"))])
    for frame, least, seen in ((alone, 1, None), (twins, 2, None), (mixed, 2, True)):
        claimed = PerturbedGeneralization("v", VALUES, ["q"], least, "1/2", numbers=["q"])
        table = Microdata.from_frame(frame)
        audit = audited(claimed.publish(table, "v", SeededSource(2)).table, table, claimed, power=False)
        [power] = audit.detectable
        assert ("the first record of every group" in power.detected) == bool(seen)
        assert (failed(audit), audit.verdict) == (set(), "consistent")
        assert ("the first record" in str(power)) == bool(seen)


def test_the_mean_of_each_e_value_over_all_outcomes_is_at_most_one() -> None:
    mechanism = PerturbedGeneralization("v", "abc", ["q"], 2, "1/3")
    claim = GeneralizationClaim(mechanism)
    table = Microdata.from_frame(pl.DataFrame({"q": list("112223"), "v": list("aababa")}))
    original, law = claim.prepared(table, ["v"]), mechanism.law
    done = mechanism.publish(table, "v", SeededSource(1)).table.to_frame()
    retained: list[dict[str, int]] = [{"a": 2}, {"a": 2, "b": 2}]
    means: dict[str, float] = {}
    for shown in product("abc", repeat=2):
        chance = prod(law.published(group, one) for group, one in zip(retained, shown, strict=True))
        published = Microdata.from_frame(done.with_columns(pl.Series("v", shown)))
        for given in (original, None):
            audit = audit_release(published, ["v"], claim, original=given, power=False)
            assert failed(audit) == set()
            for check in audit.checks:
                if check.e_value is not None:
                    means[check.name] = means.get(check.name, 0.0) + float(chance) * 10**check.e_value.log10
    assert set(means) >= {"counts", "share", "retention", "sample", "independence"}
    # some lack outcomes that check nothing, and count as 0
    assert means.pop("replacement") <= 1
    for name, mean in means.items():
        assert 0.2 < mean <= 1 + 1e-6, (name, mean)


def test_the_stated_power_is_reached() -> None:
    """Of what is said to be found with 0.999 all of 6 releases are: less than 6 in 1000 to see one missed."""
    original = GeneralizationClaim(GROUPED).prepared(TABLE, ["v"])
    level = Fraction(1, 5 * 10**9)
    low, high, _ = PublishedGroups.of(HONEST.table, GROUPED, original).detected(level)
    assert low is not None
    assert high is not None
    assert low < Fraction(1, 2) < high < 1
    for keep in (low, high):
        other = PerturbedGeneralization("v", VALUES, GROUPED.quasi, 4, keep, numbers=["zip"])
        for number in range(3):
            draws = SeededSource(f"power {number}".encode())
            shown = other.publish_groups(CODES, OF_RECORD, draws).published
            groups = PublishedGroups.of(published_with(shown), GROUPED, original)
            [found] = [each for each in evidence(groups) if each.name == "retention"]
            assert isinstance(found, Evidence)
            assert not found.judged(level, power=False).passed


Fault = Callable[[np.random.Generator], Codes]


def published_with(shown: Codes) -> Microdata:
    values = pl.Series("v", np.array(list(VALUES))[shown])
    return Microdata.from_frame(HONEST.table.to_frame().with_columns(values))


def perturbed(own: Codes, draws: np.random.Generator, keep: float = 0.5) -> Codes:
    return np.where(draws.random(len(own)) < keep, own, draws.integers(len(VALUES), size=len(own)))


def sampled(draws: np.random.Generator) -> Codes:
    order = np.lexsort((draws.random(len(CODES)), OF_RECORD))
    return CODES[order[np.flatnonzero(np.diff(OF_RECORD[order], prepend=-1))]]


def not_perturbed(draws: np.random.Generator) -> Codes:
    return sampled(draws)


def always_the_first(draws: np.random.Generator) -> Codes:
    return perturbed(CODES[np.unique(OF_RECORD, return_index=True)[1]], draws)


def always_the_most_frequent(draws: np.random.Generator) -> Codes:
    most = [int(np.bincount(CODES[group == OF_RECORD]).argmax()) for group in range(OF_RECORD.max() + 1)]
    return perturbed(np.array(most), draws)


def replaced_by_four_values(draws: np.random.Generator) -> Codes:
    own = sampled(draws)
    return np.where(draws.random(len(own)) < 0.5, own, draws.integers(4, size=len(own)))


def the_own_value_is_never_drawn(draws: np.random.Generator) -> Codes:
    own = sampled(draws)
    other = (own + draws.integers(1, len(VALUES), size=len(own))) % len(VALUES)
    return np.where(draws.random(len(own)) < 0.1, own, other)


def the_later_groups_are_not_perturbed(draws: np.random.Generator) -> Codes:
    own = sampled(draws)
    late = np.arange(len(own)) * 3 >= 2 * len(own)
    return np.where(late, own, perturbed(own, draws, 0.25))


FAULTS: dict[Fault, str] = {
    not_perturbed: "retention",
    always_the_first: "sample",
    always_the_most_frequent: "sample",
    replaced_by_four_values: "replacement",
    the_own_value_is_never_drawn: "retention",
    the_later_groups_are_not_perturbed: "independence",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_by_its_check(fault: Fault) -> None:
    audit = audited(published_with(fault(np.random.default_rng(7))), TABLE, power=False)
    assert audit.verdict == "inconsistent"
    assert FAULTS[fault] in failed(audit)


def altered(**cells: object) -> Microdata:
    """Return the honest release with other cells in its third row."""
    frame = HONEST.table.to_frame()
    changed = {
        name: pl.Series(name, [*frame[name][:2], value, *frame[name][3:]]) for name, value in cells.items()
    }
    return Microdata.from_frame(frame.with_columns(**changed))


def _seeing() -> Microdata:
    """Group by the sensitive column too, and publish the ranges of the others."""
    names = [str(each) for each in range(ROWS)]
    looking = PerturbedGeneralization("id", names, ["v", *GROUPED.quasi], 4, "1/2", numbers=["zip"])
    done = looking.publish(TABLE, "id", SeededSource(1)).table.to_frame()
    return Microdata.from_frame(done.select("zip", "town", pl.col("v").str.slice(0, 1), "group_size"))


@pytest.mark.parametrize(
    ("published", "names", "blind"),
    [
        (altered(group_size=3), {"sizes"}, True),
        (altered(group_size=9), {"groups"}, False),
        (altered(v="z"), {"domain"}, True),
        (altered(zip="900..180"), {"ranges"}, True),
        (altered(zip="young"), {"ranges"}, True),
        (altered(zip="100..2102", town="a..h"), {"ranges"}, True),
        (Microdata.from_frame(HONEST.table.to_frame().reverse()), {"groups"}, False),
        (Microdata.from_frame(HONEST.table.to_frame()[1:]), {"groups"}, False),
        (Microdata.from_frame(HONEST.table.to_frame().drop("town")), {"columns"}, True),
        (TABLE, {"columns"}, True),
        (_seeing(), {"ranges"}, True),
    ],
    ids=[
        "small",
        "size",
        "value",
        "turned",
        "no number",
        "wide",
        "order",
        "missing",
        "column",
        "table",
        "seeing",
    ],
)
def test_what_is_public_is_checked_exactly(published: Microdata, names: set[str], blind: bool) -> None:
    found = audited(published, TABLE, power=False)
    assert failed(found) == names
    assert all(check.e_value is None for check in found.checks)
    alone = audited(published, None, power=False)
    assert failed(alone) == (names if blind else set())


def test_a_second_release_with_draws_of_its_own_is_seen() -> None:
    other = GROUPED.publish(TABLE, "v", SeededSource(2)).table
    audit = audited(HONEST.table, TABLE, second=other, power=False)
    assert audit.reuse is not None
    assert (audit.reuse.draws, failed(audit)) == ("fresh", {"second"})
    same = audited(HONEST.table, TABLE, second=HONEST.table, power=False)
    assert same.reuse is not None
    assert (same.reuse.draws, same.verdict) == ("same", "consistent")
    nearly = HONEST.table.to_frame()
    mixed = pl.concat([nearly[: len(nearly) - 9], other.to_frame()[len(nearly) - 9 :]])
    shared = audited(HONEST.table, None, second=Microdata.from_frame(mixed), power=False)
    assert shared.reuse is not None
    assert shared.reuse.draws == "shared"


def test_a_second_release_is_the_same_in_any_order_and_needs_every_column() -> None:
    table = people(20)
    first = GROUPED.publish(table, "v", SeededSource(3)).table.to_frame()
    second = Microdata.from_frame(first.reverse())
    reuse = audited(Microdata.from_frame(first), None, second=second).reuse
    assert reuse is not None
    assert reuse.draws == "same"
    for name in ("zip", "group_size"):
        less = Microdata.from_frame(first.drop(name))
        with pytest.raises(DataError, match=f"no column '{name}'"):
            audited(less, None, second=less)
    less = Microdata.from_frame(first.drop("v"))
    with pytest.raises(DataError, match="no column 'v'"):
        audited(less, table, second=less)


def test_commands_and_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.to_frame().write_csv(tmp_path / "t.csv")
    key = sr.Key.generate()
    key.write(tmp_path / "key")
    GROUPED.publish(TABLE, "v", sr.KeyedSource(key)).write(tmp_path / "p.csv", tmp_path / "m.json")
    release = sr.read_release(tmp_path / "p.csv", tmp_path / "m.json")
    assert sr.audit_release(release, TABLE).verdict == "consistent"
    words = ["audit-release", str(tmp_path / "p.csv"), "--manifest", str(tmp_path / "m.json")]
    known = [*words, "--original", str(tmp_path / "t.csv")]
    assert main([*known, "--explain"]) == 0
    assert "sample (v)" in capsys.readouterr().out
    assert main([*known, "--key-file", str(tmp_path / "key")]) == 0
    assert "replayed from the key" in " ".join(capsys.readouterr().out.split())
    assert main(words) == 3
    assert main([*words, "--gamma", "3"]) == 2
    assert "perturbed generalization has no decoy groups: leave it out" in capsys.readouterr().err
