"""Certificates of operators: what is found is certified, and checked in bounded time."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest

from splu_ref.certificate_checker import MAX_SETS, Unreadable, check, check_text
from splu_ref.channels import Levels
from splu_ref.channels.parameters import CertificateError
from splu_ref.guarantees import (
    AGAINST,
    KEEP,
    Requirement,
    best_operator,
    certificate_text,
    operator_certificate,
)
from tests.pace import within

LEVELS = Levels.of("1/5", "1/2")


def certified(counts: tuple[int, ...], keep: str, against: str) -> dict[str, Any]:
    return operator_certificate(best_operator(Requirement.of(counts, LEVELS, keep, against)))


@pytest.mark.parametrize("against", AGAINST)
@pytest.mark.parametrize("keep", KEEP)
def test_what_is_found_is_certified(keep: str, against: str) -> None:
    for counts in ((5, 3, 2), (7, 5, 4, 2, 1)):
        found = best_operator(Requirement.of(counts, LEVELS, keep, against))
        made = operator_certificate(found)
        verdict = check_text(certificate_text(made))
        assert (verdict.valid, verdict.reason) == (True, made["statement"])
        assert f", {found.objective}; the digest" in made["statement"]
        unit = int(made["evidence"]["denominator"], 16)
        entries = [[Fraction(int(each, 16), unit) for each in row] for row in made["evidence"]["matrix"]]
        assert entries == [list(row) for row in found.matrix]


def test_another_proof_of_the_same_is_another_digest() -> None:
    made = certified((5, 3, 2), "mean", "any")
    doubled = copy.deepcopy(made)
    for name in ("weights", "rows"):
        doubled["evidence"][name] = [f"{2 * int(each, 16):x}" for each in made["evidence"][name]]
    doubled["evidence"]["scale"] = f"{2 * int(made['evidence']['scale'], 16):x}"
    verdict = check(doubled)
    assert (verdict.valid, verdict.reason) == (False, "statement is not what the arithmetic gives")


def test_a_check_takes_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest matrix, and counts with very many different sums: a fiftieth of what is admitted."""
    monkeypatch.setattr("splu_ref.certificate_checker.MAX_SETS", MAX_SETS // 50)
    size = 500
    top = {
        "schema": "splu-ref/certificate/1",
        "claim": "optimal-operator",
        "parameters": {
            "counts": " ".join(str(10**11 + 7**place % 10**9) for place in range(size)),
            "rho1": "1/2", "rho2": "3/5", "keep": "mean", "against": "sets",
        },
        "statement": "",
        "evidence": {
            "denominator": "1", "scale": f"{size:x}", "weights": ["1"] * size, "rows": ["1"] * size,
            "matrix": [["1", *["0"] * (size - 1)]] * size, "prices": [],
        },
        "produced_by": {"version": "1", "spec": "2"},
    }  # fmt: skip
    with within(60 / 50), pytest.raises(Unreadable, match="too large for a check in bounded time"):
        check(top)


def test_what_a_checker_would_refuse_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    found = best_operator(Requirement.of((5, 3, 2), LEVELS, "share", "sets"))
    monkeypatch.setattr("splu_ref.certificate_checker.MAX_SETS", 0)
    with pytest.raises(CertificateError, match="too large for a certificate"):
        operator_certificate(found)
