"""Certificates on disk, and parameters that get none."""

import dataclasses
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.certificate_checker import main
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import CertificateError, InputError, ParameterError
from splu_ref.guarantees import (
    certificate_text,
    concept_certificate,
    error_certificate,
    privacy_certificate,
    privacy_minimum,
    refuse_uncertifiable_error,
    refuse_uncertifiable_privacy,
    refuse_uncertifiable_threshold,
    threshold_certificate,
    utility_threshold,
    write_certificate,
)
from splu_ref.guarantees.certificates import limits
from splu_ref.guarantees.certificates.form import Certificate
from tests.pace import within


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
    assert privacy_certificate(10, "0.3", 3)["statement"] == (
        "With gamma = 10, for every count f from 1 to 3: |f' - f| > (3/10) f has a probability of at least "
        "0.612579511, least at f = 1; |f' - f| >= (3/10) f has a probability of at least 0.612579511, "
        "least at f = 1."
    )
    assert error_certificate(10, "0.3", 5)["statement"] == (
        "With gamma = 10 and the count f = 5: |f' - f| >= (3/10) f has a probability of at most "
        "0.480067064150, which is exact or rounded up."
    )
    assert threshold_certificate(3, "1", "5/9")["statement"] == (
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
        (privacy_certificate, (10, "3/10", 50_000),
         r"^alpha = 50000 at gamma = 10 is .* gamma\*alpha = 500000 factors, at most 300000; choose alpha"),
        (privacy_certificate, (10, "1/20", 40_000), "choose alpha up to 30000$"),
        (privacy_certificate, (4, 2, 14_000),
         r"the file would have up to 5\d{6} bytes, at most 4000000; choose"),
        (privacy_certificate, (10, 1, 25_000),
         "checking it would take more than about a minute; choose alpha"),
        (privacy_certificate, (10**6, 2, 1), "choose a smaller gamma"),
        (privacy_certificate, (10**400, 2, 10**5000),
         "alpha = about 1.000e5000 at gamma = about 1.000e400 is"),
        (privacy_certificate, (10, "1e-500", 1), "epsilon = about 1.000e-500 .* round it"),
        (error_certificate, (10, "1/2", 200_000), "choose frequency up to"),
        (threshold_certificate, (10, "1/1000", "1/100"),
         "up to the count 9538000, .* choose a larger epsilon or t_e"),
        (threshold_certificate, (10, "1/100", "1/100"),
         "T_f is 59801, and the exact numerator below it .* 598000"),
        (threshold_certificate, (2, "1/2", "1e-500"), "t_e = about 1.000e-500 .* round it"),
    ],
)  # fmt: skip
def test_what_the_checker_would_refuse_is_refused_before_the_work(
    make: Callable[..., Certificate], arguments: tuple[Any, ...], reason: str
) -> None:
    with within(5), pytest.raises(CertificateError, match=reason) as caught:
        make(*arguments)
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


CALLS: dict[Callable[..., object], dict[str, Any]] = {
    privacy_certificate: {"gamma": 3, "epsilon": "1/2", "alpha": 3, "releases": 2, "retention": "2/5"},
    error_certificate: {"gamma": 3, "epsilon": "1/2", "frequency": 3, "retention": "2/5"},
    threshold_certificate: {"gamma": 3, "epsilon": "1/2", "t_e": "1/4", "retention": "2/5"},
    refuse_uncertifiable_privacy: {
        "gamma": 3, "epsilon": "1/2", "alpha": 3, "releases": 2, "retention": "2/5",
    },
    refuse_uncertifiable_error: {"gamma": 3, "epsilon": "1/2", "frequency": 3, "retention": "2/5"},
    refuse_uncertifiable_threshold: {"gamma": 3, "epsilon": "1/2", "t_e": "1/4", "retention": "2/5"},
    concept_certificate: {
        "gamma": 2, "epsilon": "1/2", "rows": 8, "sensitive_count": 2, "predicate_count": 3,
        "concept_count": 1, "decoys_in_predicate": 1, "error": "1",
    },
}  # fmt: skip


@pytest.mark.parametrize(("call", "name"), [(call, name) for call, keys in CALLS.items() for name in keys])
def test_an_unusable_parameter_is_called_by_its_name(call: Callable[..., object], name: str) -> None:
    call(**CALLS[call])
    for unusable in (0.5, -1, "nothing"):
        with pytest.raises(ParameterError, match=rf"^{name}\b"):
            call(**CALLS[call] | {name: unusable})


@pytest.mark.parametrize("call", [call for call in CALLS if call is not concept_certificate])
def test_a_law_without_errors_is_refused(call: Callable[..., object]) -> None:
    with pytest.raises(CertificateError, match=r"with retention = 1 .* no error to certify"):
        call(**CALLS[call] | {"retention": 1})


@pytest.mark.parametrize(
    ("refuse", "arguments", "count", "retention", "most"),
    [
        (refuse_uncertifiable_privacy, (5, "3/10"), (100_000,), None, 28_883),
        (refuse_uncertifiable_privacy, (5, "3/10"), (60_001, 3), None, 9627),
        (refuse_uncertifiable_privacy, (5, "3/10"), (50_000,), "1/2", None),
        (refuse_uncertifiable_privacy, (5, "3/10"), (50_000, 2), "1/2", None),
        (refuse_uncertifiable_error, (5, "3/10"), (60_001,), None, 60_000),
        (refuse_uncertifiable_error, (5, "3/10"), (60_000,), "999999/1999999", None),
        (refuse_uncertifiable_error, (10, 8), (30_001,), None, None),
    ],
)
def test_the_largest_count_that_is_named_would_do(
    refuse: Callable[..., None],
    arguments: tuple[int, str],
    count: tuple[int, ...],
    retention: str | None,
    most: int | None,
) -> None:
    with pytest.raises(CertificateError, match=r"choose (alpha|frequency) up to \d+$") as caught:
        refuse(*arguments, *count, retention=retention)
    named = int(str(caught.value).split()[-1])
    assert most in (None, named)
    refuse(*arguments, named, *count[1:], retention=retention)
    with pytest.raises(CertificateError, match=f"= {named + 1} at gamma = .* choose .* up to {named}$"):
        refuse(*arguments, named + 1, *count[1:], retention=retention)


def test_what_no_count_would_do_for_has_another_remedy() -> None:
    for retention, remedy in ((None, ""), ("1/2", ", or a retention with fewer digits")):
        with pytest.raises(CertificateError, match=rf"gamma\*frequency = .* a smaller gamma{remedy}$"):
            refuse_uncertifiable_error(10**6, "3/10", 9, retention=retention)
    with pytest.raises(CertificateError, match=r"gamma\*releases\*alpha = 900015 factors"):
        refuse_uncertifiable_privacy(5, "3/10", 60_001, 3)


def test_parts_of_a_fraction_have_up_to_400_digits() -> None:
    most = 10**400 - 1
    refuse_uncertifiable_error(3, Fraction(1, most), 1)
    for epsilon in (Fraction(1, most + 1), Fraction(most + 1)):
        with pytest.raises(CertificateError, match=r"epsilon = .* more than 400 digits"):
            refuse_uncertifiable_error(3, epsilon, 1)
    with pytest.raises(CertificateError, match=r"retention = .* more than 400 digits"):
        refuse_uncertifiable_error(3, "1/2", 1, retention=Fraction(1, most + 1))
    with pytest.raises(CertificateError, match=r"t_e = .* more than 400 digits"):
        refuse_uncertifiable_threshold(3, "1/2", Fraction(most, most + 2))


def test_results_must_be_of_every_parameter() -> None:
    minimum, found = privacy_minimum(3, "1/2", 3, 2), utility_threshold(3, "1/2", "1/4", retention="2/5")
    given: dict[str, Any] = {"gamma": 3, "epsilon": "1/2", "alpha": 3, "releases": 2}
    for change in ({"gamma": 4}, {"epsilon": "1/3"}, {"alpha": 4}, {"releases": 3}, {"retention": "1/2"}):
        with pytest.raises(ParameterError, match="minimum belongs to other parameters"):
            privacy_certificate(**given | change, minimum=minimum)
    for change in ({"gamma": 4}, {"epsilon": "1/3"}, {"t_e": "1/3"}, {"retention": "1/2"}):
        with pytest.raises(ParameterError, match="found belongs to other parameters"):
            threshold_certificate(**CALLS[threshold_certificate] | change, found=found)


def test_the_setting_names_what_is_not_ordinary() -> None:
    for releases, retention, words in (
        (1, None, "With gamma = 3, for every"),
        (1, "2/5", "With gamma = 3 and retention = 2/5, for every"),
        (2, None, "With gamma = 3 and f' the mean of 2 independent published counts, for"),
        (2, "2/5", "With gamma = 3, retention = 2/5 and f' the mean of 2 independent "),
    ):
        certificate = privacy_certificate(3, "1/2", 3, releases, retention=retention)
        assert certificate["statement"].startswith(words)
        assert certificate["parameters"].get("releases", "1") == str(releases)


def test_a_concept_by_hand() -> None:
    certificate = concept_certificate(**CALLS[concept_certificate])
    assert certificate["claim"] == "concept-error"
    assert certificate["evidence"] == {"numerator": "10"}
    assert certificate["parameters"] == {
        "gamma": "2", "epsilon": "1/2", "rows": "8", "sensitive_count": "2", "predicate_count": "3",
        "concept_count": "1", "decoys_in_predicate": "1",
    }  # fmt: skip
    assert certificate["statement"] == (
        "With gamma = 2: where x3 = 1 of the 3 records of a predicate carry a value, which f = 2 of 8 "
        "records carry and which 1 others of the predicate have among their decoys, the corrected estimate "
        "of x3 is off by at least (1/2) x3 with a probability of at most 1, which is exact or "
        "rounded up."
    )
    with pytest.raises(ParameterError, match=r"error = 1/32 is no multiple of 2\^-4"):
        concept_certificate(**CALLS[concept_certificate] | {"error": "1/32"})


@pytest.mark.parametrize(
    ("counts", "large"),
    [
        ({"sensitive_count": 5000, "concept_count": 1, "decoys_in_predicate": 0}, False),  # gamma f = 10,000
        ({"sensitive_count": 5001, "concept_count": 1, "decoys_in_predicate": 0}, True),
        ({"sensitive_count": 999, "concept_count": 500, "decoys_in_predicate": 499}, False),  # 1000 * 1000
        ({"sensitive_count": 999, "concept_count": 500, "decoys_in_predicate": 500}, False),  # 1001 * 999
        ({"sensitive_count": 1000, "concept_count": 500, "decoys_in_predicate": 500}, True),  # 1001 * 1001
        ({"sensitive_count": 1000, "concept_count": 500, "decoys_in_predicate": 450}, False),  # 951 * 1051
    ],
)
def test_the_largest_concepts(counts: dict[str, int], large: bool) -> None:
    given: dict[str, Any] = {
        "gamma": 2,
        "epsilon": "1/2",
        "rows": 20_000,
        "predicate_count": 3000,
        "error": "1/2",
        **counts,
    }
    if large:
        with pytest.raises(CertificateError, match="takes too long to check"):
            concept_certificate(**given)
    else:
        assert concept_certificate(**given)["claim"] == "concept-error"
