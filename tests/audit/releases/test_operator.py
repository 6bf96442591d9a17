"""Releases by a matrix: honest ones pass, and each fault is found by the check meant for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import splu_ref as sr
from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.cell_claims import OperatorClaim, ReplacementClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.messages import MEANING
from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Operator, RetentionReplacement
from splu_ref.randomness import SeededSource

LEVEL = Fraction(1, 10**9)
JOBS = ("cook", "judge", "nurse", "smith", "weaver")
LAWS = (
    ("1/2", "1/4", "1/8", "1/8", "0"),
    ("1/10", "7/10", "0", "1/10", "1/10"),
    ("1/3", "0", "1/3", "1/6", "1/6"),
    ("1/5", "1/5", "1/5", "2/5", "0"),
    ("0", "1/4", "1/4", "0", "1/2"),
)
OPERATOR = Operator("job", JOBS, LAWS)
MATRIX = np.array([[float(Fraction(entry)) for entry in law] for law in LAWS])
ROWS = 6_000
Codes = NDArray[np.int64]


def people(rows: int = ROWS) -> Microdata:
    """Return records that differ, whose jobs depend on age, and none of whom is a weaver."""
    number = np.arange(rows)
    jobs = np.array(JOBS)[np.minimum(number * 7 % 11 // 3, 3)]
    age = (number * 31 % 60 + 20).astype(str)
    return Microdata.from_frame(pl.DataFrame({"id": [f"r{n}" for n in number], "age": age, "job": jobs}))


TABLE = people()


def audited(
    published: Microdata, table: Microdata | None, claimed: Operator = OPERATOR, **rest: Any
) -> ReleaseAudit:
    claim = OperatorClaim(claimed)
    original = None if table is None else claim.prepared(table, ["job"])
    return audit_release(published, ["job"], claim, original=original, level=LEVEL, **rest)


def failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


def matrix(rows: Sequence[Sequence[str]], *, shuffled: bool = False) -> Operator:
    return Operator("job", JOBS, rows, shuffled=shuffled)


UNIT = [["1" if own == each else "0" for each in range(5)] for own in range(5)]


@pytest.mark.parametrize(
    "claimed",
    [
        OPERATOR,
        matrix(LAWS, shuffled=True),
        matrix([UNIT[1], UNIT[2], *LAWS[2:]]),  # for some values nothing is left to chance
        matrix([LAWS[0]] * 5),  # what is published says nothing
    ],
    ids=["kept", "shuffled", "some certain", "one row"],
)
def test_honest_releases_pass(claimed: Operator) -> None:
    table = people(1_000)
    for number in range(2):
        done = claimed.publish(table, ["job"], SeededSource(f"operator {number}".encode()))
        audit = audited(done.table, table, claimed, manifest=done.manifest, power=not number)
        assert failed(audit) == set()
        assert {check.name for check in audit.checks} <= set(MEANING)
        blind = audited(done.table, None, claimed, manifest=done.manifest, power=not number)
        assert (failed(blind), blind.verdict) == (set(), "inconclusive")


def test_an_honest_release_is_consistent_and_says_what_it_would_notice() -> None:
    done = OPERATOR.publish(TABLE, ["job"], SeededSource(1))
    audit = audited(done.table, TABLE, manifest=done.manifest)
    assert audit.verdict == "consistent"
    # Of 11 records 3 are cooks, judges, nurses each and 2 smiths: 3 (1/2 + 7/10 + 1/3) + 2 (2/5) of 11.
    assert "claimed 0.4909" in next(check.detail for check in audit.checks if check.name == "retention")
    assert "would detect the original itself, true values shown with probability 0.5" in str(
        audit.detectable[0]
    )
    assert audit.detectable[0].detected[1].endswith(" or less (claimed 0.4909)")
    few = people(12)
    small = audited(OPERATOR.publish(few, ["job"], SeededSource(1)).table, few)
    assert small.verdict == "inconclusive"
    assert "true values shown with probability 0.7" in small.detectable[0].open[0]


def test_all_rates_are_of_the_rows_that_may_show_their_true_value_or_another() -> None:
    """Of 11 records 6 show theirs by a draw: 3 of 1/3 and 2 of 2/5 among 5, all others never."""
    claimed = matrix([UNIT[1], UNIT[2], *LAWS[2:]])
    table = people(1_100)
    audit = audited(claimed.publish(table, ["job"], SeededSource(1)).table, table, claimed)
    [check] = [each for each in audit.checks if each.name == "retention"]
    assert "claimed 0.3600; 600 others as their rate of 0 or 1 requires" in check.detail
    assert " of 500 rows whose true value is known show it" in check.detail
    assert "instead of 0.36 in 500 trials" in check.power
    assert audit.detectable[0].detected[-1].endswith("(claimed 0.36)")


def test_a_claim_that_alters_nothing_shows_nothing() -> None:
    audit = audited(TABLE, TABLE, matrix(UNIT))
    assert (failed(audit), audit.verdict) == (set(), "inconclusive")
    assert audit.detectable[0].open == ("the original itself: the claim leaves its values as they are",)
    altered = TABLE.to_frame().with_columns(pl.Series("job", ["smith", *TABLE.cells("job")[1:]]))
    found = failed(audited(Microdata.from_frame(altered), TABLE, matrix(UNIT)))
    assert found >= {"retention", "replacement"}
    moved = matrix([*UNIT[1:], UNIT[0]])
    done = moved.publish(TABLE, ["job"], SeededSource(1))
    sure = audited(done.table, TABLE, moved)
    assert sure.verdict == "consistent"
    assert (
        str(sure.detectable[0])
        == "job: would detect the original itself; would not detect smaller deviations"
    )
    for each in (audit, sure):  # all true values are known
        [why] = [left.reason for left in each.not_checked if left.name == "independence"]
        assert why.startswith("no coin decides")
    assert failed(audited(TABLE, TABLE, moved)) >= {"retention", "counts"}


def test_uniform_replacement_is_judged_alike_under_both_names() -> None:
    """The rates of all values are equal: every e-value is the same."""
    uniform = RetentionReplacement("1/3", {"job": JOBS})
    rows = [["7/15" if own == each else "2/15" for each in range(5)] for own in range(5)]
    table = people(800)
    done = uniform.publish(table, ["job"], SeededSource(4)).table
    second = uniform.publish(table, ["job"], SeededSource(5)).table
    claim = ReplacementClaim(uniform)
    known = audit_release(
        done, ["job"], claim, original=claim.prepared(table, ["job"]), second=second, level=LEVEL, power=False
    )
    other = audited(done, table, matrix(rows), second=second, power=False)
    reported = [
        [(check.name, None if check.e_value is None else check.e_value.log10) for check in each.checks]
        for each in (known, other)
    ]
    assert reported[0] == reported[1]
    assert other.reuse is not None
    assert other.reuse.draws == "fresh"


@pytest.mark.parametrize(
    ("values", "names", "rows"),  # of matrices with chances of 0 and 1 as well
    [
        ("aab", "123", (("1/2", "1/2", 0), ("1/4", "1/4", "1/2"), (0, 0, 1))),
        ("aab", "112", (("1/2", "1/4", "1/4"), ("1/8", "5/8", "1/4"), (1, 0, 0))),  # two may be either
        ("aba", "111", (("2/3", "1/3"), ("1/5", "4/5"))),  # nothing is known of anybody
    ],
)
def test_the_mean_of_each_e_value_over_all_outcomes_is_at_most_one(
    values: str, names: str, rows: Sequence[Sequence[Any]]
) -> None:
    domain = "abc"[: len(rows)]
    table = Microdata.from_frame(pl.DataFrame({"name": list(names), "v": list(values)}))
    means: dict[str, float] = {}
    for shuffled in (False, True):
        mechanism = Operator("v", domain, rows, shuffled=shuffled)
        claim = OperatorClaim(mechanism)
        original = claim.prepared(table, ["v"])
        for code in product(range(len(domain)), repeat=len(values)):
            chance = prod(
                mechanism.rows[domain.index(own)][one] for own, one in zip(values, code, strict=True)
            )
            if not chance:
                continue
            shown = pl.Series("v", [domain[value] for value in code])
            published = Microdata.from_frame(table.to_frame().with_columns(shown))
            for given in (original, None):
                audit = audit_release(published, ["v"], claim, original=given, level=LEVEL, power=False)
                for check in audit.checks:
                    if check.e_value is not None and check.name != "shuffle":
                        name = f"{check.name} {shuffled}"
                        means[name] = means.get(name, 0.0) + float(chance) * 10**check.e_value.log10
    assert {"counts False", "counts True", "share False", "retention False"} <= set(means)
    for name, mean in means.items():
        assert 0.2 < mean <= 1 + 1e-6, (name, mean)  # far below 1 it would have no power


Fault = Callable[[Codes, np.random.Generator], Codes]


def drawn(own: Codes, draws: np.random.Generator, law: NDArray[np.float64] = MATRIX) -> Codes:
    """Return values drawn by the rows of a matrix, one number for each record."""
    return by_numbers(own, draws.random(len(own)), law)


def by_numbers(own: Codes, numbers: NDArray[np.float64], law: NDArray[np.float64] = MATRIX) -> Codes:
    ends = law.cumsum(axis=1)
    ends[:, -1] = 1
    return np.asarray((numbers[:, None] >= ends[own]).sum(axis=1))


def transposed(own: Codes, draws: np.random.Generator) -> Codes:
    back = MATRIX.T / MATRIX.T.sum(axis=1, keepdims=True)
    return drawn(own, draws, back)


def transposed_but_for_the_diagonal(own: Codes, draws: np.random.Generator) -> Codes:
    """Draw what replaces a value by its column, and keep it as often as claimed."""
    kept, back = np.diag(np.diag(MATRIX)), MATRIX.T - np.diag(np.diag(MATRIX))
    return drawn(own, draws, kept + back * ((1 - np.diag(MATRIX)) / back.sum(axis=1))[:, None])


def another_row(own: Codes, draws: np.random.Generator) -> Codes:
    return drawn(np.where(own == 2, 3, own), draws)


def a_fifth_of_the_altered_kept(own: Codes, draws: np.random.Generator) -> Codes:
    return np.where(draws.random(len(own)) < 0.2, own, drawn(own, draws))


def two_records_share_a_draw(own: Codes, draws: np.random.Generator) -> Codes:
    return by_numbers(own, np.repeat(draws.random(len(own) // 2), 2))


def the_young_keep_more(own: Codes, draws: np.random.Generator) -> Codes:
    young = np.arange(len(own)) * 31 % 60 < 30
    other = drawn(own, draws)
    often = np.where(young & (draws.random(len(own)) < 0.3), own, other)
    # As many of the old ones show another value, by the law of what replaces theirs.
    law = MATRIX - np.diag(np.diag(MATRIX))
    instead = drawn(own, draws, law / law.sum(axis=1, keepdims=True))
    return np.where(~young & (often == own) & (draws.random(len(own)) < 0.3), instead, often)


def one_value_replaced_by_another(own: Codes, draws: np.random.Generator) -> Codes:
    shown = drawn(own, draws)
    return np.where((own == 3) & (shown == 0), 1, shown)


def a_weaver_that_cannot_be(own: Codes, draws: np.random.Generator) -> Codes:
    shown = drawn(own, draws)
    shown[np.flatnonzero(own == 3)[7]] = 4
    return shown


def the_original(own: Codes, draws: np.random.Generator) -> Codes:
    del draws
    return own


FAULTS: dict[Fault, str] = {
    transposed: "counts",
    transposed_but_for_the_diagonal: "replacement",
    another_row: "retention",
    a_fifth_of_the_altered_kept: "retention",
    two_records_share_a_draw: "independence",
    the_young_keep_more: "independence",
    one_value_replaced_by_another: "replacement",
    a_weaver_that_cannot_be: "replacement",
    the_original: "retention",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_found_by_its_check(fault: Fault) -> None:
    shown = fault(TABLE.with_domain("job", JOBS).codes("job"), np.random.default_rng(7))
    published = Microdata.from_frame(TABLE.to_frame().with_columns(pl.Series("job", np.array(JOBS)[shown])))
    audit = audited(published, TABLE, power=False)
    assert audit.verdict == "inconsistent"
    assert FAULTS[fault] in failed(audit)


def test_without_links_the_histogram_states_and_without_the_original_shares() -> None:
    table = Microdata.from_frame(TABLE.to_frame().select("job"))
    claimed = matrix(LAWS, shuffled=True)
    honest = audited(claimed.publish(table, ["job"], SeededSource(3)).table, table, claimed)
    assert (failed(honest), honest.verdict) == (set(), "consistent")
    assert "counts" in failed(audited(table, table, claimed, power=False))
    cooks = Microdata.from_frame(TABLE.to_frame().with_columns(job=pl.lit("cook")))
    assert failed(audited(cooks, None)) == {"share"}
    foreign = Microdata.from_frame(TABLE.to_frame().with_columns(job=pl.lit("pilot")))
    assert "domain" in failed(audited(foreign, None, power=False))
    # Nobody is published as a weaver by this matrix, whatever the original is.
    never = matrix([[*law[:4], "0"] if law[4] == "0" else LAWS[0] for law in LAWS])
    weaver = TABLE.to_frame().with_columns(pl.Series("job", ["weaver", *TABLE.cells("job")[1:]]))
    assert failed(audited(Microdata.from_frame(weaver), None, never)) == {"share"}


def test_a_second_release_with_draws_of_its_own_is_seen() -> None:
    one, two = (OPERATOR.publish(TABLE, ["job"], SeededSource(seed)).table for seed in (1, 2))
    audit = audited(one, TABLE, second=two, power=False)
    assert audit.reuse is not None
    assert (audit.reuse.draws, failed(audit)) == ("fresh", {"second"})
    mixed = [*one.cells("job")[:5000], *two.cells("job")[5000:]]
    half = Microdata.from_frame(one.to_frame().with_columns(pl.Series("job", mixed)))
    shared = audited(one, TABLE, second=half, power=False)
    assert shared.reuse is not None
    assert shared.reuse.draws == "shared"


def test_what_cannot_be_audited_is_refused(tmp_path: Any) -> None:
    outside = Microdata.from_frame(TABLE.to_frame().with_columns(job=pl.lit("pilot")))
    with pytest.raises(DataError, match="not in the declared domain"):
        OperatorClaim(OPERATOR).prepared(outside, ["job"])
    OPERATOR.publish(TABLE, ["job"], SeededSource(1)).write(tmp_path / "p.csv", manifest=tmp_path / "m.json")
    audit = sr.audit_release(sr.read_release(tmp_path / "p.csv", tmp_path / "m.json"), TABLE)
    assert audit.verdict == "consistent"
