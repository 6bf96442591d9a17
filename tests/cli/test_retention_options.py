"""``--retention`` and conjunctions on the command line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.certificate_checker import main as check
from splu_ref.cli import main
from splu_ref.guarantees import (
    Conjunction,
    conjunction_error_probability,
    conjunction_threshold,
    error_probability,
    privacy_minimum,
    utility_threshold,
)

CASE = ["--gamma", "3", "--rows", "300", "--frequency", "12", "--predicate-count", "40"]


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err


def test_privacy_with_a_certificate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "t_p.json"
    options = ("--gamma", "5", "--epsilon", "0.3", "--alpha", "8", "--retention", "0.4")
    result = _json(capsys, "privacy", *options, "--certificate", str(path))
    exact = privacy_minimum(5, "0.3", 8, retention="2/5")
    assert result["retention"] == "2/5"
    assert Fraction(result["t_p"]["fraction"]) == exact.t_p.exact()
    assert Fraction(result["t_p_definition"]["fraction"]) == exact.t_p_definition.exact()
    assert check([str(path)]) == 0
    assert "retention = 2/5" in capsys.readouterr().out
    several = _json(capsys, "privacy", *options, "--releases", "3")
    averaged = privacy_minimum(5, "0.3", 8, 3, retention="2/5")
    assert several["argmin_definition"] == averaged.argmin_definition
    assert several["t_p_definition"]["decimal"] < result["t_p_definition"]["decimal"]


def test_the_words_name_the_retention(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["privacy", "--gamma", "5", "--epsilon", "0.3", "--alpha", "8", "--retention", "0.4"]) == 0
    assert "retention = 2/5" in " ".join(capsys.readouterr().out.split())
    assert main(["privacy", "--gamma", "5", "--epsilon", "0.3", "--alpha", "8"]) == 0
    assert "retention" not in capsys.readouterr().out


def test_utility_with_certificates(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ("utility", "--gamma", "4", "--epsilon", "1/2", "--retention", "1/2")
    at, least = tmp_path / "error.json", tmp_path / "t_f.json"
    result = _json(capsys, *options, "--frequency", "20", "--certificate", str(at))
    assert Fraction(result["error"]["fraction"]) == error_probability(4, "1/2", 20, retention="1/2").exact()
    assert (result["retention"], check([str(at)])) == ("1/2", 0)
    found = _json(capsys, *options, "--t-e", "1/20", "--certificate", str(least))
    assert found["threshold"] == utility_threshold(4, "1/2", "1/20", retention="1/2").threshold
    assert check([str(least)]) == 0


def test_the_error_of_a_conjunction(capsys: pytest.CaptureFixture[str]) -> None:
    result = _json(capsys, "utility", *CASE, "--epsilon", "1/2", "--concept-count", "9")
    case = Conjunction.of(3, 300, 12, 40)
    exact = conjunction_error_probability(case, "1/2", 9)
    assert (
        Fraction(result["error"]["decimal"])
        >= exact
        > Fraction(result["error"]["decimal"]) - Fraction(1, 10**9)
    )
    assert float(result["bound"]["decimal"]) >= float(exact)
    large = ("--gamma", "5", "--rows", "100000", "--frequency", "5000", "--predicate-count", "20000")
    result = _json(
        capsys, "utility", *large, "--epsilon", "1/2", "--concept-count", "1500", "--retention", "1/2"
    )
    assert result["error"] is None
    assert float(result["bound"]["decimal"]) < 1e-6
    assert main(["utility", *large, "--epsilon", "1/2", "--concept-count", "1500"]) == 0
    assert "too large to enumerate" in capsys.readouterr().out


def test_from_where_on_a_conjunction_is_accurate(capsys: pytest.CaptureFixture[str]) -> None:
    options = (*CASE, "--epsilon", "3/4", "--t-e", "1/5", "--retention", "4/5")
    result = _json(capsys, "utility", *options)
    found = conjunction_threshold(Conjunction.of(3, 300, 12, 40, retention="4/5"), "3/4", "1/5")
    assert (result["threshold"], result["largest"]) == (found.threshold, 12)
    assert found.threshold is not None
    assert main(["utility", *options]) == 0
    assert f"any {found.threshold} to 12 records" in " ".join(capsys.readouterr().out.split())
    assert main(["utility", *CASE, "--epsilon", "1/100", "--t-e", "1/100"]) == 0
    assert "nowhere, as far as is proved" in capsys.readouterr().out


def test_what_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "at most 1" in _refused(
        capsys, "privacy", "--gamma", "5", "--epsilon", "0.3", "--alpha", "8", "--retention", "2"
    )
    assert "give all three" in _refused(
        capsys, "utility", "--gamma", "3", "--epsilon", "1/2", "--rows", "300", "--t-e", "1/5"
    )
    assert "give one" in _refused(capsys, "utility", *CASE, "--epsilon", "1/2")
    assert "leave out --certificate" in _refused(
        capsys,
        "utility",
        *CASE,
        "--epsilon",
        "1/2",
        "--t-e",
        "1/5",
        "--certificate",
        str(tmp_path / "c.json"),
    )
    assert not list(tmp_path.iterdir())


def test_a_retention_hardly_above_the_share_of_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--gamma", "5", "--epsilon", "0.3", "--rows", "100", "--frequency", "10")
    nearly = "0.1" + "0" * 390 + "1"
    case = ("--predicate-count", "20", "--concept-count", "5", "--retention", nearly)
    result = _json(capsys, "utility", *options, *case)
    assert result["standard_error"] is None
    assert result["bias"] is None
    assert Fraction(result["error"]["decimal"]) <= 1
    assert main(["utility", *options, *case]) == 0
    assert "too large for a float:" in capsys.readouterr().out
