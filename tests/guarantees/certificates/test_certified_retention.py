"""Certificates for retention probabilities other than 1/gamma."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from splu_ref.certificate_checker import Unreadable, check, check_text
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    certificate_text,
    error_certificate,
    error_probability,
    privacy_certificate,
    privacy_minimum,
    threshold_certificate,
    utility_threshold,
)
from splu_ref.guarantees.certificates.form import Certificate
from tests.pace import within

SMALL = {
    "error": error_certificate(3, "1/2", 3, retention="1/2"),
    "privacy": privacy_certificate(2, "2/5", 5, retention="3/4"),
    "threshold": threshold_certificate(3, "9/10", "1/10", retention="1/5"),
    "no lower tail": threshold_certificate(4, "3/2", "1/20", retention="2/5"),
    "the whole tail": threshold_certificate(3, 2, "1/100", retention="1/2"),
    "dyadic": threshold_certificate(5, 1, "1/100", retention="1/2"),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_checker_agrees(name: str) -> None:
    certificate = SMALL[name]
    verdict = check_text(certificate_text(certificate))
    assert verdict.valid, verdict.reason
    assert verdict.reason == certificate["statement"]
    assert f"retention = {certificate['parameters']['retention']}" in verdict.reason


def test_the_retention_left_out_or_in_another_spelling() -> None:
    for name, certificate in SMALL.items():
        without = copy.deepcopy(certificate)
        del without["parameters"]["retention"]
        assert not check(without).valid, name
        for value in (
            "2/4",
            "0",
            "1",
            "3/2",
            "1/" + certificate["parameters"]["gamma"],
            "0.5",
            "-1/2",
            "9" * 401,
        ):
            changed = copy.deepcopy(certificate)
            changed["parameters"]["retention"] = value
            with pytest.raises(Unreadable):
                check(changed)


def test_one_in_gamma_is_the_certificate_without_a_retention() -> None:
    for plain, stated in (
        (privacy_certificate(4, "1/3", 6), privacy_certificate(4, "1/3", 6, retention="1/4")),
        (error_certificate(4, "1/3", 6), error_certificate(4, "1/3", 6, retention="0.25")),
        (threshold_certificate(4, "1/2", "1/5"), threshold_certificate(4, "1/2", "1/5", retention="1/4")),
    ):
        assert plain == stated
        assert "retention" not in plain["parameters"]


@pytest.mark.parametrize("retention", ["1/100", "1/3", "7/10", "99/100"])
def test_values_are_those_of_the_library(retention: str) -> None:
    least = privacy_minimum(4, "3/10", 12, retention=retention)
    words = _checked_privacy(retention)
    assert least.t_p.decimal("down") in words["statement"]
    assert least.t_p_definition.decimal("down") in words["statement"]
    assert int(words["evidence"]["theorem_4"]["argmin"], 16) == least.argmin
    found = utility_threshold(4, "1/2", "1/50", retention=retention)
    certificate = threshold_certificate(4, "1/2", "1/50", retention=retention)
    assert certificate["parameters"]["t_f"] == str(found.threshold)
    assert check(certificate).valid


def _checked_privacy(retention: str) -> Certificate:
    certificate = privacy_certificate(4, "3/10", 12, retention=retention)
    assert check(certificate).valid
    return certificate


def test_a_threshold_one_too_low_or_too_high_is_false() -> None:
    certificate = threshold_certificate(5, "1/2", "1/20", retention="1/2")
    t_f = int(certificate["parameters"]["t_f"])
    for other in (t_f - 1, t_f + 1):
        changed: dict[str, Any] = copy.deepcopy(certificate)
        changed["parameters"]["t_f"] = str(other)
        changed["statement"] = changed["statement"].replace(f">= {t_f},", f">= {other},")
        assert not check(changed).valid
    assert error_probability(5, "1/2", t_f - 1, retention="1/2").exact() > Fraction(1, 20)


@pytest.mark.parametrize(
    "parameters",
    [
        {"gamma": "5", "epsilon": "3/10", "alpha": "20000", "retention": "1/2"},
        {"gamma": "10", "epsilon": "1", "alpha": "3000", "retention": "1/2"},
        {"gamma": "5", "epsilon": "3/10", "alpha": "300", "retention": "1/" + "9" * 399},
        {"gamma": "999999", "epsilon": "3/10", "alpha": "1", "retention": "1/2"},
        {"gamma": "999999999999", "epsilon": "3/10", "alpha": "999999999999", "retention": "1/2"},
        {"gamma": "2", "epsilon": "9" * 400, "alpha": "999999999", "retention": "1/7"},
    ],
)
def test_work_without_bound_is_refused_before_it_starts(parameters: dict[str, str]) -> None:
    certificate = copy.deepcopy(SMALL["privacy"]) | {"parameters": parameters}
    with within(1), pytest.raises(Unreadable, match="too large"):
        check(certificate)


def test_results_of_another_retention_are_refused() -> None:
    found = utility_threshold(3, "1/2", "1/10", retention="1/2")
    with pytest.raises(ParameterError, match="retention"):
        threshold_certificate(3, "1/2", "1/10", found=found)
