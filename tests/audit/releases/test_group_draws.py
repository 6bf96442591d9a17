"""Releases whose draws are dependent: honest ones pass, and faults are found by the check meant for each."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import polars as pl
import pytest

from splu_ref.audit.releases.audit import audit_release
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import ReleaseAudit
from splu_ref.audit.releases.record_linkage import Original
from splu_ref.channels import GroupDraws, PublishedCount
from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import SpluGen, mixed
from splu_ref.randomness import IntArray, SeededSource

GAMMA = 3
INDEPENDENT, TIGHT, LOOSE, RARE = "independent", "capped:2", "capped:200", "all-or-none:40"


@cache
def _original() -> Original:
    """Return 9,000 records of which all are linked: six frequent values and twenty of 40 records."""
    number = np.arange(9000)
    frequent = np.repeat(np.arange(6), [2600, 2200, 1500, 900, 600, 400])
    value = np.concatenate([6 + number[:800] // 40, frequent])
    order = np.argsort(number * 1237 % 9001)
    frame = {"id": number * 7 % 9001, "town": (number % 5).astype(str), "value": value[order].astype(str)}
    return Original(Microdata.from_frame(pl.DataFrame(frame)), ["value"])


def _published(law: str, fault: str, number: int) -> Microdata:
    """Publish by a plain rewriting of the laws, with a fault."""
    table = _original().table
    generator = np.random.default_rng(number)
    codes, size, draws = table.codes("value"), len(table.domain("value")), GroupDraws.parse(law)
    plan = mixed(np.bincount(codes, minlength=size), Gamma(GAMMA), SeededSource(number))
    groups = plan.groups().astype(np.int64)
    times = _times(groups, draws, fault, generator)
    shown = np.repeat(groups.reshape(-1), times.reshape(-1)).reshape(groups.shape)
    if fault != "assignment not permuted":
        shown = generator.permuted(shown, axis=1)
    records = generator.permutation(len(codes))
    records = records[np.argsort(codes[records], kind="stable")]
    published = np.empty_like(codes)
    published[records] = shown.reshape(-1)[np.argsort(groups.reshape(-1), kind="stable")]
    rows = generator.permutation(len(codes))
    return table.take(rows).with_codes("value", published[rows], domain_of=table)


def _times(groups: np.ndarray, draws: GroupDraws, fault: str, generator: np.random.Generator) -> np.ndarray:
    """Return how often each slot's value is published."""
    shape, slots = groups.shape, np.arange(GAMMA)
    times: IntArray = (generator.integers(0, GAMMA, shape)[:, :, None] == slots).sum(axis=1)
    if draws.bound is None:
        return times
    if draws.name == "capped":
        first = generator.permutation(shape[0])[:, None] + np.zeros(shape)
        if fault == "flags from the largest counts":
            first = -times - generator.random(shape)
        order = np.lexsort((first.reshape(-1), groups.reshape(-1)))
        values = groups.reshape(-1)[order]
        number = np.arange(groups.size) - np.searchsorted(values, values)
        marked = np.empty(shape, dtype=np.bool_)
        marked.reshape(-1)[order] = number < draws.bound + (fault == "cap off by one")
        times = times * marked
    else:
        marked = np.asarray((np.bincount(groups.reshape(-1)) <= draws.bound)[groups])
        chosen: IntArray = np.asarray(generator.integers(0, GAMMA, shape[0]))
        if fault == "a rare value is published by too many groups":
            again = (generator.random(shape[0]) < 0.5) & marked.any(axis=1)
            chosen = np.where(again, marked.argmax(axis=1), chosen)
        times = np.asarray(GAMMA * marked * (slots == chosen[:, None]))
    sharing, left = (~marked).sum(axis=1), GAMMA - times.sum(axis=1)
    whole, rest = np.divmod(left, np.maximum(sharing, 1))
    last = generator.random(shape)
    if fault == "remainder to the most frequent value":
        last = -np.bincount(groups.reshape(-1))[groups].astype(np.float64)
    rank = np.where(marked, np.inf, last).argsort(axis=1).argsort(axis=1)
    return np.asarray(times + ~marked * (whole[:, None] + (rank < rest[:, None])))


def _audit(published: Microdata, law: str, level: str = "1e-9") -> ReleaseAudit:
    claimed = SpluGenClaim(PublishedCount.of(GAMMA), "mixed", GroupDraws.parse(law))
    return audit_release(published, ["value"], claimed, original=_original(), level=level, power=False)


def _failed(audit: ReleaseAudit) -> set[str]:
    return {check.name for check in audit.checks if not check.passed}


@pytest.mark.slow
@pytest.mark.parametrize("law", [TIGHT, "capped:40", RARE, "all-or-none:3"])
def test_honest_releases_pass(law: str) -> None:
    largest = -1.0
    for number in range(3):
        published = SpluGen(GAMMA, draws=law).publish(_original().table, "value", SeededSource(number)).table
        audit = _audit(published, law, "1e-3")
        assert not _failed(audit)
        largest = max([largest, *(check.e_value.log10 for check in audit.checks if check.e_value)])
    assert largest < 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "fault", "check"),
    [
        (TIGHT, "assignment not permuted", "retention"),
        (RARE, "assignment not permuted", "retention"),
        (LOOSE, "flags from the largest counts", "counts"),
        (LOOSE, "remainder to the most frequent value", "counts"),
        (RARE, "a rare value is published by too many groups", "counts"),
    ],
)
def test_a_fault_is_found_by_its_check(law: str, fault: str, check: str) -> None:
    assert check in _failed(_audit(_published(law, fault, 1), law, "1e-3"))
    assert not _failed(_audit(_published(law, "none", 1), law, "1e-3"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "claimed"), [(INDEPENDENT, TIGHT), (INDEPENDENT, RARE), (TIGHT, RARE), (RARE, TIGHT)]
)
def test_another_law_than_claimed_is_found_by_the_counts(law: str, claimed: str) -> None:
    assert "counts" in _failed(_audit(_published(law, "none", 2), claimed))


@pytest.mark.slow
def test_what_cannot_be_detected_passes() -> None:
    # One more group of a value is drawn as ever; and counts that hardly scatter are likely under no plan of
    # independent draws, but not so unlikely that every plan is refuted.
    assert not _failed(_audit(_published(TIGHT, "cap off by one", 3), TIGHT))
    assert not _failed(_audit(_published(TIGHT, "none", 3), INDEPENDENT))


@pytest.mark.slow
def test_repaired_small_counts_are_found_where_many_values_are_rare() -> None:
    # A permutation within groups: every count is the true one.
    exact = SpluGen(GAMMA, draws="all-or-none:3")
    published = exact.publish(_original().table, "value", SeededSource(5)).table
    audit = _audit(published, "capped:40")
    assert _failed(audit) == {"exactness"}
    reported = "exact counts of values of at most 40 records"
    assert reported in str(audit.detectable[0]).split(";")[0]
    assert reported in str(_audit(published, RARE).detectable[0]).split(";")[0]  # 40 is no multiple of 3


def test_exact_counts_are_not_consistent_where_no_count_is_tested() -> None:
    """No value has two records: nothing is compared, and exact counts are what is not detected."""
    exact = SpluGen(GAMMA, draws="all-or-none:3")
    audit = _audit(exact.publish(_original().table, "value", SeededSource(5)).table, TIGHT)
    assert not _failed(audit)
    assert audit.verdict == "inconclusive"
    assert audit.detectable[0].open == ("exact counts of values of more than 2 records",)
    reasons = {each.name: each.reason for each in audit.not_checked}
    assert reasons["exactness"].startswith("no value has 2 records or fewer")


def test_the_claim_names_its_law() -> None:
    claimed = SpluGenClaim(PublishedCount.of(GAMMA), "mixed", GroupDraws.parse(TIGHT))
    assert claimed.parameters["draws"] == TIGHT
    assert "draws" not in SpluGenClaim(PublishedCount.of(GAMMA)).parameters
    assert claimed.made_by(SpluGen(GAMMA, draws=TIGHT))
    assert not claimed.made_by(SpluGen(GAMMA))
    assert claimed.releasing == SpluGen(GAMMA, draws=TIGHT)
    with pytest.raises(ParameterError, match="retention 1/gamma"):
        SpluGenClaim(PublishedCount.of(GAMMA, Fraction(1, 2)), None, GroupDraws.parse(TIGHT))
