"""`privacy` and `utility` under dependent draws."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.cli import main
from splu_ref.guarantees import best_estimator, error_probability, privacy_minimum, utility_threshold

PRIVACY = ["privacy", "--gamma", "3", "--epsilon", "0.3"]
UTILITY = ["utility", "--gamma", "3", "--epsilon", "0.1"]


@pytest.fixture
def table(tmp_path: Path) -> str:
    values = [
        value for value, count in zip("abcdef", (90, 80, 60, 50, 7, 3), strict=True) for _ in range(count)
    ]
    path = tmp_path / "t.csv"
    path.write_text("n,job\n" + "".join(f"{number},{value}\n" for number, value in enumerate(values)))
    return str(path)


def _json(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == code
    reported: dict[str, Any] = json.loads(capsys.readouterr().out)
    return reported


def test_the_level_of_capped_draws_is_that_of_independent_ones(capsys: pytest.CaptureFixture[str]) -> None:
    plain = _json(capsys, *PRIVACY, "--alpha", "5")
    assert plain["draws"] == "independent"
    star = best_estimator(3, "0.3", 5).worst_error
    assert Fraction(plain["t_p_star"]["at_least"]["fraction"]) == star
    assert Fraction(plain["t_p_star"]["at_most"]["fraction"]) == star
    capped = _json(capsys, *PRIVACY, "--alpha", "5", "--draws", "capped:5")
    assert {**capped, "draws": "independent"} == plain
    rare = _json(capsys, *PRIVACY, "--alpha", "5", "--draws", "all-or-none:5")
    assert Fraction(rare["t_p"]["fraction"]) > privacy_minimum(3, "0.3", 5).t_p.exact()


def test_what_every_table_leaves_open_is_neither_kept_nor_denied(capsys: pytest.CaptureFixture[str]) -> None:
    above = ["privacy", "--gamma", "5", "--epsilon", "0.3", "--alpha", "40", "--draws", "capped:10"]
    reported = _json(capsys, *above)
    low, high = (reported[key]["decimal"] for key in ("t_p_definition", "t_p_definition_at_most"))
    assert 0 < Fraction(low) < Fraction(high)
    assert reported["holds"] is None
    middle = str((Fraction(low) + Fraction(high)) / 2)
    for level, holds, code in ((low, True, 0), (middle, None, 3), ("1/2", False, 1)):
        assert _json(capsys, *above, "--at-least", level, code=code)["holds"] is holds
    assert main([*above, "--at-least", middle]) == 3
    assert "inconclusive: depends on the table" in " ".join(capsys.readouterr().out.split())


def test_a_table_states_more(capsys: pytest.CaptureFixture[str], table: str) -> None:
    own = ["--table", table, "--sensitive", "job", "--seed", "1"]
    reported = _json(capsys, *PRIVACY, "--alpha", "8", "--draws", "capped:5", *own)
    assert reported["table"]["argmin_definition"] in (3, 7)
    three = error_probability(3, "0.3", 3).exact()
    assert reported["table"]["t_p_definition"]["decimal"] <= str(float(three))
    capped = _json(capsys, *UTILITY, "--t-e", "0.05", "--draws", "capped:5", *own)
    assert capped["table"]["threshold"] <= capped["threshold"]
    assert capped["threshold"] < utility_threshold(3, "0.1", "0.05").threshold
    assert capped["table"]["values"] == 6
    assert capped == _json(capsys, *UTILITY, "--t-e", "0.05", "--draws", "capped:5", "--values", "6", *own)
    assert main([*UTILITY, "--t-e", "0.05", "--draws", "capped:5", *own]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "T_f, this table" in shown
    assert "trade-off" in shown


@pytest.mark.parametrize("draws", ["capped:5", "all-or-none:5"])
def test_certificates_pass(capsys: pytest.CaptureFixture[str], tmp_path: Path, draws: str) -> None:
    for number, words in enumerate(
        ([*PRIVACY, "--alpha", "5"], [*UTILITY, "--t-e", "0.05", "--values", "6"])
    ):
        path = str(tmp_path / f"{number}.json")
        assert main([*words, "--draws", draws, "--certificate", path]) == 0
        assert main(["check", path]) == 0
    assert draws in capsys.readouterr().out


def test_an_error_at_a_count(capsys: pytest.CaptureFixture[str]) -> None:
    known = _json(capsys, *UTILITY, "--frequency", "5", "--draws", "capped:5")
    assert known["is_exact"] is True
    assert known["error"]["decimal"] == error_probability(3, "0.1", 5).json("up")["decimal"]
    rare = _json(capsys, *UTILITY, "--frequency", "2", "--draws", "all-or-none:5")
    assert rare["error"]["decimal"].startswith("1")  # 0, 3 or 6 is never near 2
    bounded = _json(capsys, *UTILITY, "--frequency", "300", "--draws", "capped:5", "--values", "6")
    assert bounded["is_exact"] is False
    assert float(bounded["error"]["decimal"]) < 0.01


@pytest.mark.parametrize(
    "words",
    [
        [*PRIVACY, "--alpha", "5", "--draws", "capped"],
        [*PRIVACY, "--alpha", "5", "--draws", "capped:5", "--retention", "1/2"],
        [*PRIVACY, "--alpha", "6", "--draws", "capped:5", "--releases", "2"],
        [*PRIVACY, "--alpha", "5", "--table", "t.csv"],
        [*PRIVACY, "--alpha", "5", "--sensitive", "job"],
        [*PRIVACY, "--alpha", "5", "--table", "t.csv", "--sensitive", "job"],
        [*PRIVACY, "--alpha", "5", "--draws", "capped:5", "--table", "none.csv", "--sensitive", "job"],
        [*UTILITY, "--t-e", "0.05", "--values", "5"],
        [*UTILITY, "--t-e", "0.05", "--draws", "all-or-none:5"],
        [*UTILITY, "--t-e", "0.05", "--draws", "capped:5", "--values", "2"],
        [*UTILITY, "--frequency", "9", "--draws", "capped:5", "--certificate", "c.json"],
        [*UTILITY, "--t-e", "0.05", "--draws", "capped:5", "--retention", "1/2"],
        [*UTILITY, "--t-e=1/9", "--draws=capped:5", "--frequency=9", "--rows=99", "--predicate-count=9"],
    ],
)
def test_what_cannot_be_answered(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("splu-ref: ")
    assert captured.err.count("\n") == 1


def test_concepts_of_values_up_to_the_cap(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["concept", "--gamma", "3", "--epsilon", "0.3", "--alpha", "2"]
    plain, capped = _json(capsys, *words), _json(capsys, *words, "--draws", "capped:2")
    assert capped == {**plain, "draws": "capped:2", "values_up_to": 2}
    assert main([*words, "--draws", "capped:2"]) == 0
    assert "records; others are not covered" in " ".join(capsys.readouterr().out.split())
    assert main([*words, "--draws", "capped:1"]) == main([*words, "--draws", "all-or-none:2"]) == 2


def test_a_law_is_advised_with_its_price(capsys: pytest.CaptureFixture[str], table: str) -> None:
    reported = _json(capsys, "advise", table, "--sensitive", "job")
    capped, rare = reported["draws"]
    assert (capped["draws"], rare["draws"]) == ("capped:10", "all-or-none:10")
    best = next(each for each in reported["options"] if each["gamma"] == reported["recommendation"]["gamma"])
    assert capped["t_p"]["decimal"] == best["t_p"]["decimal"]
    assert capped["t_p_star_at_least"] == best["t_p_star_at_least"]
    assert capped["deviation"] < capped["deviation_independent"]
    assert main(["advise", table, "--sensitive", "job", "--explain"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for law in ("capped:10", "all-or-none:10"):
        sentence = shown.partition(f"{law}: T_P = ")[2]
        assert 0 < sentence.find("T_P*") < sentence.find("trade-off:") < 400


@pytest.mark.parametrize(("draws", "more"), [("capped:5", False), ("all-or-none:5", True)])
def test_an_estimate_says_of_what_plan_its_errors_are(
    draws: str, more: bool, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release, manifest = str(tmp_path / "p.csv"), str(tmp_path / "m.json")
    words = ["publish", table, "-o", release, "--sensitive", "job", "--gamma", "3", "--keep", "n"]
    assert main([*words, "--draws", draws, "--manifest", manifest]) == 0
    capsys.readouterr()
    assert main(["estimate", release, "--manifest", manifest, "--where", "job=a"]) == 0
    reported = " ".join(capsys.readouterr().out.split())
    assert f"{draws}: errors are for a plausible plan, since the true plan is secret" in reported
    assert ("every value that may be rare counts as rare in it," in reported) is more
