"""Certificates about retention replacement say what the library found, and are checked in bounded time."""

import copy
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.certificate_checker import Unreadable, check, check_text
from splu_ref.channels import Levels
from splu_ref.channels.parameters import CertificateError
from splu_ref.guarantees import breach_certificate, certificate_text, sample_size, sample_size_certificate
from splu_ref.guarantees.sample_sizes import SampleSize
from tests.pace import within

LEVELS = Levels.of("1/5", "1/2")
MANY = " ".join(str(10**11 + number) for number in range(500))


def largest(p: Fraction, values: int, counts: list[int], low: Fraction) -> Fraction:
    """Return the largest posterior of a set with a prior of at most ``low``, set by set."""
    prior, total = [*counts, *([0] * (values - len(counts)))], sum(counts)
    found = Fraction(0)
    for size in range(1, values + 1):
        for secret in combinations(range(values), size):
            if sum(prior[u] for u in secret) > low * total:
                continue
            for seen in range(values):
                column = [(p if u == seen else 0) + (1 - p) / values for u in range(values)]
                chance = sum(n * a for n, a in zip(prior, column, strict=True))
                if chance:
                    found = max(found, sum(prior[u] * column[u] for u in secret) / chance)
    return found


@settings(max_examples=60)
@given(
    keep=st.integers(0, 10),
    counts=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    more=st.integers(0, 2),
    low=st.integers(1, 6),
)
def test_one_prior_by_looking_at_every_set(keep: int, counts: list[int], more: int, low: int) -> None:
    p, values, levels = Fraction(keep, 10), max(2, len(counts) + more), Levels.of(Fraction(low, 10), "13/20")
    certificate = breach_certificate(p, values, levels, counts)
    true = largest(p, values, counts, levels.rho1)
    assert check_text(certificate_text(certificate)).valid
    assert certificate["claim"] == ("breach" if true >= levels.rho2 else "safe")
    assert f" {true}, " in certificate["statement"]
    if certificate["claim"] == "safe":
        ends = certificate["evidence"]["largest"]
        assert Fraction(int(ends["numerator"], 16), int(ends["denominator"], 16)) == true


@pytest.mark.parametrize(
    ("keep", "claim"), [("1/5", "safe"), ("4/11", "breach"), ("0.3636", "safe"), ("1", "breach")]
)
def test_every_prior_is_decided_at_the_limit(keep: str, claim: str) -> None:
    certificate = breach_certificate(keep, 14, Levels.of("1/10", "1/2"))
    assert certificate["claim"] == claim
    assert ("counts" in certificate["parameters"]) == (claim == "breach")
    verdict = check_text(certificate_text(certificate))
    assert (verdict.valid, verdict.reason) == (True, certificate["statement"])


def test_the_rows_of_a_search_are_certified() -> None:
    found = sample_size("1/2", "1/4", "1/5", "1/20")
    seen: list[tuple[int, int]] = []
    certificate = sample_size_certificate(found, progress=lambda *done: seen.append(done))
    assert certificate["parameters"]["rows"] == "94"
    assert check_text(certificate_text(certificate)).valid
    assert "from 185 rows on" in certificate["statement"]
    assert "with 93 rows, 92 of them counted, it is above 1/20" in certificate["statement"]
    assert seen == [(0, 1), (1, 1)]


def test_another_count_that_does_not_show_it_is_false() -> None:
    found = sample_size("1/2", "1/4", "1/5", "1/20")
    certificate: dict[str, Any] = copy.deepcopy(sample_size_certificate(found))
    certificate["evidence"]["violation"]["count"] = "2e"
    verdict = check(certificate)
    assert not verdict.valid
    assert "with 93 rows, 46 of them counted, the probability is not above 1/20" in verdict.reason


def test_hoeffdings_bound_is_not_accepted_a_row_too_early() -> None:
    certificate = sample_size_certificate(sample_size("1/2", "1/4", "1/5", "1/20"))
    for start, valid in ((184, False), (185, True), (10**30, True)):
        changed = copy.deepcopy(certificate)
        changed["evidence"]["bound"]["from"] = f"{start:x}"
        changed["statement"] = certificate["statement"].replace("from 185 rows", f"from {start} rows")
        assert check(changed).valid is valid


@pytest.mark.parametrize(
    ("claim", "parameters"),
    [
        ("breach", {"values": "1000", "counts": " ".join(["7"] * 501)}),
        ("safe", {"values": "1000", "counts": " ".join(["7"] * 501)}),
        (
            "safe",
            {
                "values": "500",
                "counts": " ".join(str(10**11 + i) for i in range(500)),
                "rho2": "3/4",
                "rho1": "1/2",
            },
        ),
        ("sample-size", {"rows": "999999999999", "epsilon": "1/2"}),
        ("sample-size", {"rows": "900000", "epsilon": "1/3"}),
        ("sample-size", {"rows": "200000", "epsilon": "1/2", "share": "1/" + "9" * 399}),
    ],
)
def test_work_without_bound_is_refused_before_it_starts(claim: str, parameters: dict[str, str]) -> None:
    if claim == "sample-size":
        base = sample_size_certificate(sample_size("1/2", "1/4", "1/5", "1/20"))
    else:
        counts = [2, 3, 15] if claim == "breach" else [1, 1, 1]
        base = breach_certificate("1/2", 4, Levels.of("1/4", "1/2"), counts)
    assert base["claim"] == claim
    changed = {**base, "parameters": {**base["parameters"], **parameters}}
    with within(1), pytest.raises(Unreadable, match=r"too large|at most 500"):
        check(changed)


def test_what_the_checker_would_refuse_is_not_made() -> None:
    with pytest.raises(CertificateError, match="at most 500 values"):
        breach_certificate("1/2", 1000, LEVELS, [7] * 501)
    with pytest.raises(CertificateError, match="round rho1"):
        breach_certificate(1, 10, Levels.of(Fraction(1, 10**12 + 1), "1/2"))
    with pytest.raises(CertificateError, match="retention has more than 400 digits"):
        breach_certificate(Fraction(1, 10**401), 10, LEVELS)
    half = Fraction(1, 2)
    found = SampleSize(half, half, half, half, 2_000_000, 5, 3_000_000)
    with pytest.raises(CertificateError, match="1999999 rows takes too long"):
        sample_size_certificate(found)
