"""Every command with JSON has a schema; the other tests of this folder hold what is printed to them.

Here outputs are hollowed: whatever is left out, misspelt, or of another kind, the schema refuses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import ValidationError

from splu_ref.cli import main
from splu_ref.conformance import Conformance, Kind, Result, Verdict
from splu_ref.output import terminal
from tests.cli import conftest
from tests.programs import COMMANDS, command

ROOT = Path(__file__).parents[2]
TABLE = "age,job\n" + "\n".join(f"{20 + n % 5},{'abcdefg'[n * n % 7]}" for n in range(70)) + "\n"
RELEASE = ["p.csv", "--manifest", "m.json"]
PRINTED = {
    "advise": ["t.csv", "--sensitive", "job"],
    "audit": [str(ROOT / "docs" / "examples" / "paper.toml")],
    "audit-release": [*RELEASE, "--original", "t.csv"],
    "breach": ["--retention", "1/5", "--values", "14", "--rho1", "1/10", "--rho2", "1/2"],
    "claims": ["splu.T3"],
    "concept": ["--gamma", "5", "--epsilon", "0.3", "--alpha", "2"],
    "estimate": [*RELEASE, "--where", "job=a"],
    "privacy": ["--gamma", "5", "--epsilon", "0.3", "--alpha", "3", "--at-least", "0.5"],
    "sample-size": ["--retention", "1/5", "--share", "1/4", "--epsilon", "1/4", "--delta", "1/10"],
    "publish": ["t.csv", "-o", "q.csv", "--sensitive", "job", "--gamma", "2", "--seed", "1"],
    "utility": ["--gamma", "5", "--epsilon", "0.3", "--frequency", "40"],
}
FREE = {"below", "by_operation", "coverage", "meaning", "numbers", "parameters", "plan", "values", "where"}
"""Objects whose keys are data."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("schemas")
    (path / "t.csv").write_text(TABLE)
    words = ["--sensitive", "job", "--gamma", "2", "--seed", "1", "--manifest", str(path / "m.json")]
    assert main(["publish", str(path / "t.csv"), "-o", str(path / "p.csv"), *words]) == 0
    return path


def hollowed(document: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield what is made of a document by one mistake, with a name for it."""
    parts = document.items() if isinstance(document, dict) else enumerate(document[:1])
    for key, value in parts:
        if isinstance(document, dict) and name not in FREE:
            without = {other: each for other, each in document.items() if other != key}
            yield f"{key} is left out", without
            yield f"{key} is misspelt", {**without, f"{key}x": value}
        if isinstance(value, int | float):
            yield f"{key} is a text", _with(document, key, str(value))
        elif isinstance(value, str) and key in ("verdict", "status", "plan", "grade", "approximation"):
            yield f"{key} is another word", _with(document, key, f"{value} x")
        elif (
            name not in FREE
            and key in ("decimal", "fraction", "retention", "epsilon", "level")
            and value is not None
        ):
            yield f"{key} is no number", _with(document, key, f"about {value}")
        elif isinstance(value, dict | list):
            for reported, part in hollowed(value, str(key)):
                yield f"{key}: {reported}", _with(document, key, part)


def _with(document: Any, key: Any, value: Any) -> Any:
    changed = deepcopy(document)
    changed[key] = value
    return changed


def refused(name: str, document: Any) -> None:
    holder = conftest.validator(name)
    holder.validate(document)
    admitted = [reported for reported, wrong in hollowed(document) if holder.is_valid(wrong)]
    assert not admitted


def test_every_command_has_a_schema_and_no_other_has() -> None:
    with_json = {name for name in COMMANDS if any("--json" in each.opts for each in command(name).params)}
    assert {path.stem for path in conftest.SCHEMAS.rglob("*.json")} == with_json


def test_another_output_is_detected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["page", "-o", "none/p.html", "--json"]) == 2
    capsys.readouterr()
    terminal.say_json({"page": "p.html", "bytes": 3})
    for wrong in ({"page": "p.html"}, {"page": "p.html", "bytes": "3"}):
        with pytest.raises(ValidationError):
            terminal.say_json(wrong)


@pytest.mark.parametrize("name", PRINTED)
def test_a_hollowed_output_is_refused(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    capsys.readouterr()
    assert main([name, *PRINTED[name], "--json"]) in (0, 1, 3)
    refused(name, json.loads(capsys.readouterr().out))


def test_a_hollowed_outcome_is_refused() -> None:
    right = [Result(f"below/{kind}", "below", Verdict.PASSED, kind=kind) for kind in Kind]
    wrong = [Result("plan/1", "plan", Verdict.FAILED, "it is wrong", Kind.ANSWER)]
    holder = conftest.validator("conform")
    for results in (right, right + wrong, right[1:2]):
        outcome = Conformance("x", "1", "2", frozenset({"below", "plan"}), results=results)
        refused("conform", outcome.to_json())
        for verdict in {"conforms", "conforms in part", "does not conform", "inconclusive"} - {
            outcome.verdict
        }:
            assert not holder.is_valid(outcome.to_json() | {"verdict": verdict})
        assert not holder.is_valid(outcome.to_json() | {"holds": not outcome.holds})


def test_verdicts_go_with_what_was_found() -> None:
    row: dict[str, Any] = {
        "name": "x",
        "column": None,
        "e_value": None,
        "log10_e": None,
        "level": None,
        "rows": None,
    }
    row |= {"detail": "d", "power": "", "places": {"rows": [2], "records": []}, "meaning": "m"}
    reported: dict[str, Any] = {
        "mechanism": "m",
        "gamma": 5,
        "retention": "1/5",
        "plan": "mixed",
        "level": "1/9",
    }
    reported |= {"rows": 5, "linked": None, "not_checked": [], "detectable": [], "not_shown": ["x"]}
    reported |= {"decisive_level": None, "recomputed_from": None, "second": None}
    holder = conftest.validator("audit-release")
    for verdict, passed in (("consistent", True), ("inconclusive", True), ("inconsistent", False)):
        document = reported | {"verdict": verdict, "checks": [row | {"passed": passed}]}
        assert holder.is_valid(document)
        assert not holder.is_valid(document | {"checks": [row | {"passed": not passed}]})
        assert not holder.is_valid(document | {"checks": []})
