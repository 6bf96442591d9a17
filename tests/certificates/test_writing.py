"""Certificates on disk, and parameters that get none."""

import dataclasses
import json
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.certificate_checker import main
from splu_ref.certificates import (
    certificate_text,
    claim_words,
    error_certificate,
    limits,
    privacy_certificate,
    threshold_certificate,
    write_certificate,
)
from splu_ref.certificates.form import Certificate
from splu_ref.channels import PublishedCount
from splu_ref.guarantees import privacy_minimum, utility_threshold
from splu_ref.model import CertificateError, InputError, ParameterError


def test_the_file_is_canonical_json(tmp_path: Path) -> None:
    certificate = privacy_certificate(10, "0.3", 3)
    path = tmp_path / "c.json"
    write_certificate(path, certificate)
    text = path.read_text(encoding="ascii")
    assert json.loads(text) == certificate
    assert text == json.dumps(certificate, indent=1, sort_keys=True) + "\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.json"]
    assert main([str(path)]) == 0


def test_an_existing_file_stays_without_force(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("mine")
    with pytest.raises(InputError, match="force=True") as caught:
        write_certificate(path, error_certificate(10, "0.3", 5))
    assert "\n" not in str(caught.value)
    assert path.read_text() == "mine"
    write_certificate(path, error_certificate(10, "0.3", 5), force=True)
    assert main([str(path)]) == 0


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        write_certificate(tmp_path / "nowhere" / "c.json", error_certificate(10, "0.3", 5))


def test_the_same_number_written_differently_gives_the_same_certificate() -> None:
    assert certificate_text(privacy_certificate("10", "0.3", "3")) == certificate_text(
        privacy_certificate(10, "3/10", 3)
    )


def test_the_sentences() -> None:
    assert claim_words(privacy_certificate(10, "0.3", 3)) == (
        "With gamma = 10, for every count f from 1 to 3: |f' - f| > (3/10) f has a probability of at least "
        "0.612579511, least at f = 1; |f' - f| >= (3/10) f has a probability of at least 0.612579511, "
        "least at f = 1."
    )
    assert claim_words(error_certificate(10, "0.3", 5)) == (
        "With gamma = 10 and the count f = 5: |f' - f| >= (3/10) f has a probability of at most "
        "0.480067064150, which is exact or rounded up."
    )
    assert claim_words(threshold_certificate(3, "1", "5/9")) == (
        "With gamma = 3: |f' - f| >= (1) f has a probability of at most 5/9 for every count f >= 1."
    )


@pytest.mark.parametrize("epsilon", [0.3, "0", "-1", "x", True])
def test_parameters_out_of_range(epsilon: object) -> None:
    for make in (privacy_certificate, error_certificate, threshold_certificate):
        with pytest.raises(ParameterError):
            make(10, epsilon, 1)  # type: ignore[arg-type]  # what a caller without a type checker may give


@pytest.mark.parametrize(
    ("make", "arguments", "reason"),
    [
        (
            privacy_certificate,
            (10, "3/10", 50_000),
            r"^alpha = 50000 at gamma = 10 is .* gamma\*alpha = 500000 factors, at most 300000; choose alpha",
        ),
        (privacy_certificate, (10, "1/20", 40_000), "choose alpha up to 30000$"),
        (
            privacy_certificate,
            (4, 2, 14_000),
            r"the file would have up to 5\d{6} bytes, at most 4000000; choose",
        ),
        (
            privacy_certificate,
            (10, 1, 25_000),
            "checking it would take more than about a minute; choose alpha",
        ),
        (privacy_certificate, (10**6, 2, 1), "choose a smaller gamma"),
        (
            privacy_certificate,
            (10**400, 2, 10**5000),
            "alpha = about 1.000e5000 at gamma = about 1.000e400 is",
        ),
        (privacy_certificate, (10, "1e-500", 1), "epsilon = about 1.000e-500 .* round it"),
        (error_certificate, (10, "1/2", 200_000), "choose frequency up to"),
        (
            threshold_certificate,
            (10, "1/1000", "1/100"),
            "up to the count 9538000, .* choose a larger epsilon or t_e",
        ),
        (
            threshold_certificate,
            (10, "1/100", "1/100"),
            "T_f is 59801, and the exact numerator below it .* 598000",
        ),
        (threshold_certificate, (2, "1/2", "1e-500"), "t_e = about 1.000e-500 .* round it"),
    ],
)
def test_what_the_checker_would_refuse_is_refused_before_the_work(
    make: Callable[..., Certificate], arguments: tuple[Any, ...], reason: str
) -> None:
    begin = time.process_time()
    with pytest.raises(CertificateError, match=reason) as caught:
        make(*arguments)
    assert time.process_time() - begin < 5, "making or checking such a certificate takes longer"
    assert len(str(caught.value)) < 300


def test_t_e_0_has_no_certificate() -> None:
    with pytest.raises(ParameterError, match="t_e = 0 cannot be met"):
        threshold_certificate(10, "1/2", "0")


def test_the_size_foreseen_is_at_least_the_size() -> None:
    for gamma, epsilon, alpha in ((4, 2, 300), (10, "3/10", 700), (2, "1/50", 900), (300, 20, 30)):
        certificate = privacy_certificate(gamma, epsilon, alpha)
        entries = sum(len(certificate["evidence"][form]["candidates"]) for form in certificate["evidence"])
        foreseen = limits._bytes(PublishedCount.of(gamma), alpha, entries, [alpha, alpha])
        assert foreseen * 0.7 - 8000 < len(certificate_text(certificate)) <= foreseen


def test_what_is_longer_than_a_checker_reads_is_not_written(tmp_path: Path) -> None:
    certificate = error_certificate(10, "0.3", 5)
    certificate["evidence"]["numerator"] = "1" * 4_000_000
    with pytest.raises(CertificateError, match="reads at most 4000000"):
        write_certificate(tmp_path / "c.json", certificate)
    assert not list(tmp_path.iterdir())


def test_a_result_at_hand_is_used_and_must_be_of_the_same_parameters() -> None:
    minimum, found = privacy_minimum(10, "0.3", 40), utility_threshold(10, "0.3", "1/10")
    seen: list[tuple[int, int]] = []
    certificate = privacy_certificate(
        10, "3/10", 40, minimum=minimum, progress=lambda done, whole: seen.append((done, whole))
    )
    assert certificate == privacy_certificate(10, "0.3", 40)
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 20
    assert threshold_certificate(10, "3/10", "0.1", found=found) == threshold_certificate(10, "0.3", "0.1")
    with pytest.raises(ParameterError, match="minimum belongs to other parameters"):
        privacy_certificate(10, "0.3", 41, minimum=minimum)
    with pytest.raises(ParameterError, match="found belongs to other parameters"):
        threshold_certificate(10, "0.3", "1/11", found=found)


def test_a_foreign_tilt_that_cancels_is_refused() -> None:
    found = dataclasses.replace(utility_threshold(10, 1, "1/2"), upper_tilt=Fraction(9, 4))
    with pytest.raises(CertificateError, match="upper tilt 9/4 leaves the rounding"):
        threshold_certificate(10, 1, "1/2", found=found)
