"""Well-formed certificates of claims that are not so, with everything else made to fit them."""

import copy
import json
from fractions import Fraction
from typing import Any

import pytest

from splu_ref.certificate_checker import Verdict, check_text
from splu_ref.channels import PublishedCount
from splu_ref.guarantees import (
    error_offset,
    error_probability,
    plateau_starts,
    privacy_certificate,
    threshold_certificate,
)
from splu_ref.guarantees.certificates.form import ErrorRounding, bound_entry, rounded, window

EPSILON, T_E = Fraction(1, 5), Fraction(1, 9)


def verdict(certificate: dict[str, Any]) -> Verdict:
    return check_text(json.dumps(certificate))


@pytest.fixture
def threshold() -> dict[str, Any]:
    certificate = threshold_certificate(3, EPSILON, T_E)
    assert verdict(certificate).valid
    assert len(certificate["evidence"]["ends"]) > 2
    return copy.deepcopy(certificate)


def with_threshold(certificate: dict[str, Any], t_f: int) -> dict[str, Any]:
    """The certificate with another t_f, its statement, violation and list of ends as they would be."""
    old = int(certificate["parameters"]["t_f"])
    certificate["parameters"]["t_f"] = str(t_f)
    statement = certificate["statement"].replace(f"f >= {old}", f"f >= {t_f}")
    certificate["statement"] = statement.replace(f"f = {old - 1}.", f"f = {t_f - 1}.")
    numerator = f"{error_probability(3, EPSILON, t_f - 1).numerator():x}"
    certificate["evidence"]["violation"] = window(3, t_f - 1, error_offset(EPSILON, t_f - 1)) | {
        "numerator": numerator
    }
    start = int(certificate["evidence"]["tail"]["from"], 16)
    rounding = ErrorRounding(PublishedCount.of(3))
    certificate["evidence"]["ends"] = [
        window(3, f, error_offset(EPSILON, f))
        | bound_entry(rounding.at(f, error_offset(EPSILON, f), up=True))
        for f in range(t_f, start)
        if error_offset(EPSILON, f + 1) > error_offset(EPSILON, f)
    ]
    return certificate


def test_a_threshold_one_too_high(threshold: dict[str, Any]) -> None:
    t_f = int(threshold["parameters"]["t_f"])
    assert verdict(with_threshold(copy.deepcopy(threshold), t_f)).valid, "the helper builds true ones too"
    refused = verdict(with_threshold(threshold, t_f + 1))
    assert not refused.valid
    assert "is not the least" in refused.reason


def test_a_threshold_one_plateau_too_low(threshold: dict[str, Any]) -> None:
    t_f = int(threshold["parameters"]["t_f"])
    assert error_probability(3, EPSILON, t_f - 6).exact() > T_E
    refused = verdict(with_threshold(threshold, t_f - 5))
    assert not refused.valid
    assert refused.reason == f"at f = {t_f - 1} the probability is above 1/9"


def test_a_threshold_within_its_plateau(threshold: dict[str, Any]) -> None:
    t_f = int(threshold["parameters"]["t_f"])
    low = next(f for f in range(t_f - 1, 0, -1) if error_probability(3, EPSILON, f).exact() <= T_E)
    refused = verdict(with_threshold(threshold, low + 1))
    assert not refused.valid


def test_a_tail_that_starts_too_early(threshold: dict[str, Any]) -> None:
    evidence = threshold["evidence"]
    earlier = int(evidence["ends"][-1]["f"], 16) - 1
    evidence["tail"]["from"] = f"{earlier:x}"
    for side, k in (("upper", 6 * earlier // 5), ("lower", -(-4 * earlier // 5))):
        entry = evidence["tail"][side]
        tilt = Fraction(int(entry["numerator"], 16), int(entry["denominator"], 16))
        bound = (1 + (tilt - 1) / 3) ** (3 * earlier) / tilt**k
        entry.update(bound_entry(rounded(bound, up=True)))
    del evidence["ends"][-1]
    refused = verdict(threshold)
    assert not refused.valid
    assert refused.reason == f"the Chernoff bound from f = {earlier} on is above 1/9"


def test_another_true_proof_of_the_same_threshold(threshold: dict[str, Any]) -> None:
    """The witnesses are free: the checker judges them, it does not prescribe them."""
    upper = threshold["evidence"]["tail"]["upper"]
    start = int(threshold["evidence"]["tail"]["from"], 16)
    for number in range(2, 200):
        tilt = Fraction(int(upper["numerator"], 16), int(upper["denominator"], 16)) + Fraction(
            1, 1000 + number
        )
        bound = rounded((1 + (tilt - 1) / 3) ** (3 * start) / tilt ** (6 * start // 5), up=True)
        upper.update(
            numerator=f"{tilt.numerator:x}", denominator=f"{tilt.denominator:x}", **bound_entry(bound)
        )
        if verdict(threshold).valid:
            return
    pytest.fail("no other tilt was accepted")


def test_a_privacy_level_taken_at_the_wrong_count() -> None:
    certificate = copy.deepcopy(privacy_certificate(10, "3/10", 12))
    assert verdict(certificate).valid
    other = next(iter(plateau_starts("3/10", 12)))
    evidence = certificate["evidence"]["definition_2"]
    true = int(evidence["argmin"], 16)
    assert true != other
    evidence["argmin"] = f"{other:x}"
    evidence["numerator"] = f"{error_probability(10, Fraction(3, 10), other).numerator():x}"
    refused = verdict(certificate)
    assert not refused.valid
