"""``claims`` lists papers and claims, and shows one claim."""

from __future__ import annotations

import json

import pytest

from splu_ref.cli import main


def _lines(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> list[str]:
    capsys.readouterr()
    assert main(["claims", *words]) == code
    printed = capsys.readouterr()
    return (printed.err if code else printed.out).splitlines()


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")


def test_without_a_word_the_papers_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _lines(capsys)
    assert [line.split()[0] for line in lines[1:-1]] == ["splu", "rastogi", "entropy", "chaytor", "olap"]
    assert len(lines) <= 20


@pytest.mark.parametrize("words", [("olap",), ("OLAP",), ("--paper", "olap")])
def test_a_list_has_twenty_lines_and_names_the_filter(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    lines = _lines(capsys, *words)
    assert len(lines) == 20
    assert "(choose by --paper, --status)" in lines[0]
    assert lines[-1].endswith("more entries: add --explain")
    every = _lines(capsys, *words, "--explain")
    assert every[:19] == lines[:19]
    assert len(every) - 19 == int(lines[-1].split()[0])


def test_claims_of_one_status_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _lines(capsys, "rastogi", "--status", "refuted")
    assert all("refuted" in line for line in lines if line.split()[0].startswith("rastogi."))
    rows = json.loads("".join(_lines(capsys, "rastogi", "--status", "refuted", "--json")))["claims"]
    assert rows
    assert {(row["id"].partition(".")[0], row["status"]) for row in rows} == {("rastogi", "refuted")}


def test_a_claim_is_shown_without_markup(capsys: pytest.CaptureFixture[str]) -> None:
    lines = _lines(capsys, "splu.T3")
    assert "formula        Pr(|f'-f| ≥ εf) ≤ 1/(γε^2f^2)" in [line.rstrip() for line in lines]
    assert lines[-1].split() == ["details", "5", "more:", "add", "--explain"]
    assert not any(line.startswith("theorems") for line in lines)
    assert any(line.startswith("theorems") for line in _lines(capsys, "splu.T3", "--explain"))


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (("nosuch",), "its papers are splu, rastogi, entropy, chaytor, olap"),
        (("splu.T33",), "did you mean splu.T3"),
        (("--paper", "x"), "choose one of splu, rastogi"),
        (("--status", "x"), "choose one of corrected, definition"),
        (("splu.T3", "--status", "refuted"), "leave out the id"),
    ],
)
def test_what_is_unknown_is_refused_with_a_remedy(
    words: tuple[str, ...], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    [line] = _lines(capsys, *words, code=2)
    assert remedy in line
    assert len(line) < 200
