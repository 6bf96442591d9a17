"""Certificates on disk, and parameters that get none."""

import json
from pathlib import Path

import pytest

from splu_ref.certificate_checker import main
from splu_ref.certificates import (
    certificate_text,
    claim_words,
    error_certificate,
    privacy_certificate,
    threshold_certificate,
    write_certificate,
)
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
    with pytest.raises(InputError, match="--force") as caught:
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


def test_what_the_checker_would_refuse_is_not_made() -> None:
    with pytest.raises(CertificateError, match="choose a smaller alpha"):
        privacy_certificate(10, "1/2", 60_000)
    with pytest.raises(CertificateError, match="choose a smaller frequency"):
        error_certificate(10, "1/2", 200_000)
    with pytest.raises(ParameterError):
        threshold_certificate(10, "1/2", "0")
