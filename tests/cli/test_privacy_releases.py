from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.guarantees import privacy_minimum

EXAMPLE_2 = ["privacy", "--gamma", "10", "--epsilon", "0.3", "--alpha", "3"]


def _json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*EXAMPLE_2, *arguments, "--json"]) == code
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_releases_are_averaged(capsys: pytest.CaptureFixture[str]) -> None:
    for releases in (2, 5, 10):
        result = _json(capsys, "--releases", str(releases))
        exact = privacy_minimum(10, "0.3", 3, releases)
        assert result["releases"] == releases
        assert Fraction(result["t_p"]["fraction"]) == exact.t_p.exact()
        assert Fraction(result["t_p_definition"]["fraction"]) == exact.t_p_definition.exact()
        assert (result["argmin"], result["argmin_definition"]) == (exact.argmin, exact.argmin_definition)
    assert _json(capsys)["releases"] == 1


def test_one_release_holds_what_ten_do_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "--at-least", "0.1")["holds"] is True
    assert _json(capsys, "--at-least", "0.1", "--releases", "10")["holds"] is True
    assert _json(capsys, "--at-least", "0.11", "--releases", "10", code=1)["holds"] is False


def test_the_words_name_the_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*EXAMPLE_2, "--releases", "5"]) == 0
    assert "mean of 5 independent published counts" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("releases", ["0", "1.5", "100000000"])
def test_unusable_numbers_of_releases(capsys: pytest.CaptureFixture[str], releases: str) -> None:
    assert main([*EXAMPLE_2, "--releases", releases]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("splu-ref: ")
    assert captured.err.count("\n") == 1


def test_a_certificate_of_several_releases(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    certificate = tmp_path / "t_p.json"
    assert main([*EXAMPLE_2, "--releases", "2", "--certificate", str(certificate)]) == 0
    capsys.readouterr()
    assert main(["check", str(certificate), "--json"]) == 0
    statement = json.loads(capsys.readouterr().out)["reason"]
    assert statement.startswith("With gamma = 10 and f' the mean of 2 independent published counts, ")
    level = privacy_minimum(10, "0.3", 3, 2)
    assert level.t_p_definition.decimal("down") in statement
    text = certificate.read_text()
    for old, new in (('"releases": "2"', '"releases": "3"'), (', "releases": "2"', "")):
        forged = tmp_path / "forged.json"
        forged.write_text(json.dumps(json.loads(text)).replace(old, new))
        assert main(["check", str(forged)]) == 1
