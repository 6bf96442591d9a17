"""Releases that nobody drew as claimed: none is called consistent, and where the data suffice it is found."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.data import EMBEDDED_SENSITIVE, Microdata, embedded_table
from splu_ref.mechanisms import PLANS, SpluGen
from splu_ref.randomness import IntArray, SeededSource

GAMMA = Gamma(5)
COLUMN = EMBEDDED_SENSITIVE
CLAIMED = SpluGenClaim(PublishedCount.of(GAMMA), "mixed")


@cache
def adult() -> Microdata:
    return embedded_table()


@cache
def original() -> Original:
    return Original(adult(), [COLUMN])


def audit(published: Microdata, *, claimed: SpluGenClaim = CLAIMED) -> ReleaseAudit:
    return audit_release(published, [COLUMN], claimed, original=original(), power=False)


def failed(found: ReleaseAudit) -> set[str]:
    return {check.name for check in found.checks if not check.passed}


def drawn(
    draw: Callable[[np.random.Generator, IntArray], IntArray], table: Microdata | None = None, seed: int = 1
) -> tuple[Microdata, IntArray]:
    """Return a release of which the draws are chosen, by number in the file, and the number of each row."""
    table = adult() if table is None else table
    generator = np.random.default_rng(seed)
    codes = table.codes(COLUMN)
    kept = np.arange(len(codes) - len(codes) % GAMMA)
    own = codes[kept]
    histogram = np.bincount(own, minlength=len(table.domain(COLUMN)))
    secret = SeededSource(seed)
    plan = PLANS["mixed"](histogram, GAMMA, secret.plan_secret())
    published = plan.published(secret.order_within(own), draw(generator, kept)).astype(np.int64)
    rows = generator.permutation(kept)
    return table.take(rows).with_codes(COLUMN, published[rows], domain_of=table), rows


def uniform(generator: np.random.Generator, records: IntArray) -> IntArray:
    return generator.integers(0, GAMMA, len(records))


def shuffled_original(table: Microdata) -> Microdata:
    rows = np.random.default_rng(2).permutation(table.row_count)
    return table.take(rows[: table.row_count - table.row_count % GAMMA])


def in_groups(table: Microdata, seed: int = 3) -> Microdata:
    """Return a release in which the members of each group exchange their values: every count is exact."""
    generator = np.random.default_rng(seed)
    codes = table.codes(COLUMN)[: table.row_count - table.row_count % GAMMA]
    secret = SeededSource(seed)
    histogram = np.bincount(codes, minlength=len(table.domain(COLUMN)))
    groups = PLANS["mixed"](histogram, GAMMA, secret.plan_secret()).groups().astype(np.int64)
    records = np.empty(len(codes), dtype=np.int64)
    records[np.argsort(groups.reshape(-1), kind="stable")] = secret.order_within(codes)
    published = np.empty(len(codes), dtype=np.int64)
    published[records] = generator.permuted(groups, axis=1).reshape(-1)
    rows = generator.permutation(len(codes))
    return table.take(rows).with_codes(COLUMN, published[rows], domain_of=table)


def reordered(published: Microdata, rows: IntArray, key: Callable[[IntArray], IntArray]) -> Microdata:
    """Return the rows in the order of a key that is computed from whether each retained its value."""
    kept = published.codes(COLUMN) == adult().codes(COLUMN)[rows]
    return published.take(np.argsort(key(kept.astype(np.int64)), kind="stable"))


def test_honest_releases_are_consistent() -> None:
    found = audit(drawn(uniform)[0])
    assert found.verdict == "consistent"
    (power,) = found.detectable
    numbers = power.numbers
    assert numbers["exact_counts"] == 0
    assert numbers["unlinked_detected"] is True
    assert not power.open


def test_the_original_itself() -> None:
    cut = shuffled_original(adult())
    alone = audit_release(cut, [COLUMN], CLAIMED, power=False)
    assert alone.verdict == "inconsistent"
    assert failed(alone) == {"predicates"}  # occupations belong to education
    assert {"retention", "exactness", "unlinked", "independence"} <= failed(audit(cut))


def test_the_original_where_rows_cannot_be_linked() -> None:
    frame = adult().to_frame().select(pl.int_range(pl.len()) % 2, COLUMN)
    table = Microdata.from_frame(frame[: len(frame) - len(frame) % GAMMA])
    cut, prepared = shuffled_original(table), Original(table, [COLUMN])
    found = audit_release(cut, [COLUMN], CLAIMED, original=prepared, power=False)
    assert found.verdict == "inconsistent"
    assert "exactness" in failed(found)
    alone = audit_release(cut, [COLUMN], CLAIMED, power=False)
    assert alone.verdict == "inconclusive"
    small = Microdata.from_frame(frame[:200])
    claimed = SpluGenClaim(PublishedCount.of(2))
    found = audit_release(small, [COLUMN], claimed, original=Original(small, [COLUMN]), power=False)
    assert found.verdict != "consistent"
    release = SpluGen(GAMMA).publish(table, COLUMN, SeededSource(1)).table
    honest = audit_release(release, [COLUMN], CLAIMED, original=prepared, power=False)
    assert honest.verdict == "inconclusive"  # nobody could know it from one that keeps every value


def _every_gamma_th(kept: IntArray) -> IntArray:
    """Put kept rows at each gamma-th place, as far as they last."""
    order = np.empty(len(kept))
    own, others = np.flatnonzero(kept == 1), np.flatnonzero(kept == 0)
    order[own] = int(GAMMA) * np.arange(len(own))
    order[others] = np.delete(np.arange(len(kept) + len(own)), int(GAMMA) * np.arange(len(own)))[
        : len(others)
    ]
    return order.astype(np.int64)


@pytest.mark.parametrize("key", [lambda kept: -kept, _every_gamma_th], ids=["first", "every gamma-th"])
def test_rows_in_an_order_that_states_who_kept_their_value(key: Callable[[IntArray], IntArray]) -> None:
    found = audit(reordered(*drawn(uniform), key))
    assert failed(found) == {"independence"}


def test_rows_sorted_by_draw() -> None:
    draws = np.random.default_rng(8).integers(0, GAMMA, adult().row_count)
    published, rows = drawn(lambda _, records: draws[records])
    assert failed(audit(published.take(np.argsort(draws[rows], kind="stable")))) == {"independence"}


@pytest.mark.parametrize("period", [1, 2, 5])
def test_draws_from_a_counter(period: int) -> None:
    published, _ = drawn(lambda _, records: records // period % GAMMA)
    assert "independence" in failed(audit(published))


def test_one_draw_for_two_columns() -> None:
    table = adult().take(np.arange(30_715))
    columns = [COLUMN, "education"]
    claimed = SpluGenClaim(PublishedCount.of(3), "mixed")
    draws = np.random.default_rng(4).integers(0, 3, 30_714)
    shuffle = np.random.default_rng(5).permutation(30_714)
    published, codes = table.take(shuffle), {}
    for number, column in enumerate(columns):
        own, secret = table.codes(column)[:30_714], SeededSource(number)
        histogram = np.bincount(own, minlength=len(table.domain(column)))
        plan = PLANS["mixed"](histogram, Gamma(3), secret.plan_secret())
        codes[column] = plan.published(secret.order_within(own), draws)
        published = published.with_codes(column, codes[column][shuffle].astype(np.int64), domain_of=table)
    found = audit_release(published, columns, claimed, original=Original(table, columns), power=False)
    assert failed(found) == {"independence"}


def test_retention_that_depends_on_age() -> None:
    age = np.array(adult().to_frame()["age"]).astype(int)

    def draw(generator: np.random.Generator, records: IntArray) -> IntArray:
        keeping = np.where(age[records] < 37, 0.13, 0.27)
        keeping += 0.2 - keeping.mean()
        other = generator.integers(1, GAMMA, len(records))
        return np.where(generator.random(len(records)) < keeping, 0, other)

    assert "independence" in failed(audit(drawn(draw)[0]))


def test_values_permuted_within_groups() -> None:
    assert failed(audit(in_groups(adult()))) == {"exactness"}


def test_cells_overwritten_side_by_side() -> None:
    published, rows = drawn(uniform)
    codes = published.codes(COLUMN).copy()
    codes[7_000:7_200] = adult().codes(COLUMN)[rows[7_000:7_200]]
    assert failed(audit(published.with_codes(COLUMN, codes, domain_of=adult()))) == {"independence"}


def test_cells_overwritten_here_and_there_are_fewer_than_the_audit_says_it_notices() -> None:
    published, rows = drawn(uniform)
    altered = audit(published).detectable[0].numbers["altered_to_own"]
    assert isinstance(altered, int)
    codes = published.codes(COLUMN).copy()
    chosen = np.random.default_rng(6).permutation(len(rows))
    own = adult().codes(COLUMN)[rows]
    assert 200 < altered < 2_000
    codes[chosen[:altered]] = own[chosen[:altered]]
    assert "retention" in failed(audit(published.with_codes(COLUMN, codes, domain_of=adult())))


def test_a_release_of_170_rows_for_which_nothing_can_be_reported() -> None:
    values = np.array(list("abcdefghijklmnopqrst"))[np.arange(170) * 7 % 20]
    table = Microdata.from_frame(pl.DataFrame({"name": np.arange(170), COLUMN: values}))
    published = SpluGen(GAMMA).publish(table, COLUMN, SeededSource(1)).table
    claimed = SpluGenClaim(PublishedCount.of(10))
    found = audit_release(published, [COLUMN], claimed, original=Original(table, [COLUMN]), power=False)
    assert found.verdict == "inconclusive"
    assert any("kept with probability 0.2" in reason for reason in found.detectable[0].open)


@pytest.mark.parametrize("apart", [1, int(GAMMA)])
def test_rows_that_stay_near_their_neighbors_in_the_file(apart: int) -> None:
    """Two neighbors of the file stand 1 or gamma places apart, in any order; all else is random."""
    published, rows = drawn(uniform)
    generator = np.random.default_rng(7)
    by_record = np.argsort(rows)[: len(rows) - len(rows) % (2 * apart)].reshape(-1, 2)
    turned = generator.permuted(generator.permutation(by_record), axis=1)
    order = turned.reshape(-1, apart, 2).transpose(0, 2, 1).reshape(-1)
    rest = np.setdiff1d(np.arange(len(rows)), order)
    assert failed(audit(published.take(np.concatenate([order, rest])))) == {"shuffle"}
