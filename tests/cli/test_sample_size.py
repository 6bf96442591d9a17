from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splu_ref import certificate_checker
from splu_ref.cli import main

WORDS = ["sample-size", "--retention", "1/2", "--epsilon", "1/5", "--delta", "1/20"]


def _json(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    assert main([*WORDS, *more, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def test_one_column(capsys: pytest.CaptureFixture[str]) -> None:
    assert _json(capsys, "--share", "1/4") == {
        "retention": "1/2",
        "shares": ["1/4"],
        "epsilon": "1/5",
        "delta": "1/20",
        "rows": 94,
        "count": 92,
        "rows_printed": 1476,
        "rows_bound": 185,
    }
    assert _json(capsys, "--domain-values", "2")["rows"] == 81


def test_several_columns_have_a_bound_and_no_least_number(capsys: pytest.CaptureFixture[str]) -> None:
    found = _json(capsys, "--share", "1/2", "--domain-values", "2")
    assert (found["rows"], found["rows_printed"], found["rows_bound"]) == (None, None, 415)
    assert main([*WORDS, "--share", "1/2", "--share", "1/2"]) == 0
    assert "415 suffice, by Hoeffding" in capsys.readouterr().out


def test_a_certificate_is_written_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.json"
    assert main([*WORDS, "--share", "1/4", "--certificate", str(path)]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "94: the least number" in printed
    assert "with 93 rows, 92 of them counted" in printed
    assert certificate_checker.main([str(path)]) == 0
    assert main(["check", str(path)]) == 0
    before = path.read_bytes()
    assert main([*WORDS, "--share", "1/4", "--certificate", str(path)]) == 2
    assert path.read_bytes() == before
    assert main([*WORDS, "--share", "1/2", "--certificate", str(path), "--force"]) == 0
    assert path.read_bytes() != before


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ([], "no predicate: give its share among the replacements,"),
        (
            ["--share", "1/4", "--share", "1/2", "--certificate", "c.json"],
            "no certificate for several columns",
        ),
        (["--domain-values", "1"], "--domain-values must be a whole number of at least 2"),
        (["--share", "0"], "share must be above 0 and below 1"),
        (["--share", "1/4", "--epsilon", "1/500"], "Hoeffding's bound holds from 1844440 rows on"),
    ],
)
def test_refusals(more: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, *more]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert (said.out, said.err.count("\n")) == ("", 1)
