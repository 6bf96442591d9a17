"""Certificates of guarantees under dependent draws: true ones pass, and stronger ones fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from math import comb
from typing import Any

import pytest

from splu_ref.certificate_checker import Unreadable, check, check_text
from splu_ref.channels import GroupDraws
from splu_ref.channels.parameters import CertificateError, ParameterError
from splu_ref.guarantees import (
    Noise,
    certificate_text,
    dependent_draws_certificate,
    dependent_draws_threshold,
    error_certificate,
    privacy_certificate,
    rare_privacy_certificate,
    slot_law,
    threshold_certificate,
)

CAPPED, RARE = GroupDraws("capped", 4), GroupDraws("all-or-none", 4)


def _bound(draws: GroupDraws, epsilon: str, values: int | None) -> dict[str, Any]:
    noise = None if values is None else Noise.of(draws, 3, values)
    return dependent_draws_certificate(dependent_draws_threshold(3, epsilon, "1/10", draws, noise))


MADE = {
    "privacy": privacy_certificate(3, "2/5", 4, draws=CAPPED),
    "two releases": privacy_certificate(3, "2/5", 4, 2, draws=CAPPED),
    "rare": rare_privacy_certificate(3, "2/5", 4, RARE),
    "rare, and no error": rare_privacy_certificate(3, 1000, 400, GroupDraws("all-or-none", 400)),
    "error": error_certificate(3, "2/5", 3, draws=CAPPED),
    "least": _bound(GroupDraws("capped", 60), "9/10", None),
    "independent": _bound(CAPPED, "1/10", None),
    "slots": _bound(CAPPED, "1/10", 5),
    "rare slots": _bound(RARE, "3/2", 5),
}
CLAIMS = {
    "least": "utility-threshold",
    "error": "error-probability",
} | dict.fromkeys(("privacy", "two releases", "rare", "rare, and no error"), "small-sum-privacy")


@pytest.mark.parametrize("name", MADE)
def test_it_is_valid_and_names_the_draws(name: str) -> None:
    verdict = check_text(certificate_text(MADE[name]))
    assert verdict.valid, verdict.reason
    assert MADE[name]["claim"] == CLAIMS.get(name, "utility-bound")
    assert "draws = " in verdict.reason


def _changed(value: Any) -> Iterator[Any]:
    """Yield a document with one of its texts changed by a character, for each text."""
    if isinstance(value, str):
        for place in {0, len(value) // 2, len(value) - 1} if value else ():
            yield value[:place] + ("8" if value[place] != "8" else "7") + value[place + 1 :]
        return
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        for other in _changed(part) if part is not None else ():
            copy = dict(value) if isinstance(value, dict) else list(value)
            copy[key] = other
            yield copy


@pytest.mark.parametrize("name", MADE)
def test_no_changed_text_passes(name: str) -> None:
    covered = {key: part for key, part in MADE[name].items() if key != "produced_by"}
    tried = 0
    for other in _changed(covered):
        tried += 1
        with suppress(Unreadable):
            assert not check({**other, "produced_by": MADE[name]["produced_by"]}).valid, other
    assert tried > 20


def _said(name: str, **parameters: str) -> dict[str, Any]:
    """Return a certificate with other parameters, in its statement too."""
    made: dict[str, Any] = json.loads(json.dumps(MADE[name]))
    for key, value in parameters.items():
        old = made["parameters"].pop(key)
        made["statement"] = made["statement"].replace(old, value)
        made["parameters"][key] = value
    return made


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("privacy", {"draws": "capped:3"}),  # counts above the cap depend on the table
        ("privacy", {"draws": "all-or-none:4"}),
        ("rare", {"draws": "all-or-none:3"}),
        ("error", {"draws": "capped:2"}),
        ("error", {"draws": "all-or-none:4"}),
        ("least", {"draws": "capped:2"}),  # its tail begins above
        ("slots", {"values": "9"}),
        ("slots", {"draws": "capped:9"}),
        ("slots", {"draws": "all-or-none:4"}),
        ("rare slots", {"values": "9"}),
        ("independent", {"draws": "all-or-none:4"}),
        ("slots", {"t_f": "4"}),
        ("slots", {"draws": "independent"}),
    ],
)
def test_a_claim_that_says_more_is_refused(name: str, parameters: dict[str, str]) -> None:
    with suppress(Unreadable):
        assert not check(_said(name, **parameters)).valid


def test_the_checker_computes_the_bound_from_the_laws_of_slots() -> None:
    """The bound of the evidence is that of sums over every composition of few marked slots."""
    entry = MADE["slots"]["evidence"]["upper"]
    tilt = Fraction(int(entry["numerator"], 16), int(entry["denominator"], 16))
    k, slots = int(-(-int(MADE["slots"]["parameters"]["t_f"]) // 10)), 4 * (5 - 3)
    drawn = sum(Fraction(comb(3, x) * 2 ** (3 - x), 27) * tilt ** (x - 1) for x in range(4))
    most = max(
        slot_law(CAPPED, 3, 1).mean_of_power(tilt) ** one * slot_law(CAPPED, 3, 2).mean_of_power(tilt) ** two
        for one in range(slots // 2 + 1)
        for two in range(slots - 2 * one + 1)
    )
    shown = Fraction(int(entry["mantissa"], 16), 1 << int(entry["shift"], 16))
    assert drawn**4 * most / tilt**k <= shown < drawn**4 * most / tilt**k * Fraction(1001, 1000)


def test_what_is_not_certified_is_named() -> None:
    with pytest.raises(CertificateError, match="up to 4"):
        privacy_certificate(3, "2/5", 5, draws=CAPPED)
    with pytest.raises(CertificateError, match="up to 4"):
        rare_privacy_certificate(3, "2/5", 5, RARE)
    with pytest.raises(CertificateError, match="smaller frequency"):
        error_certificate(3, "2/5", 5, draws=CAPPED)
    with pytest.raises(CertificateError, match="dependent_draws_certificate"):
        threshold_certificate(3, "1/10", "1/10", draws=CAPPED)
    secret = dependent_draws_threshold(3, "1/10", "1/10", CAPPED, Noise.beside(CAPPED, 3, [4, 4, 4, 4]))
    with pytest.raises(CertificateError, match="give the values"):
        dependent_draws_certificate(secret)
    with pytest.raises(ParameterError, match="retention"):
        privacy_certificate(3, "2/5", 4, retention="1/2", draws=CAPPED)
