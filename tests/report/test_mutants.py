from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from splu_ref.report.stages import mutants
from splu_ref.report.stages.mutants import mutants_stage
from splu_ref.report.stages.outcome import ChildError

ABSENT = Path("no report of the suites")


def found(**changes: Any) -> dict[str, Any]:
    """Return a matrix of two checks and two mutants, of which one is detected by the wrong check only."""

    def cell(state: str) -> dict[str, Any]:
        return {"state": state, "log10_e": None, "detail": "why", "seconds": 0.25}

    def mutant(name: str, states: tuple[str, str]) -> dict[str, Any]:
        cells = dict(zip(("law", "order"), states, strict=True))
        details = {check: cell(state) for check, state in cells.items()}
        return {
            "name": name,
            "sentence": "It is broken.",
            "meant_for": "law",
            "cells": cells,
            "details": details,
        }

    return {
        "checks": [{"name": "law", **cell("alive")}, {"name": "order", **cell("alive")}],
        "mutants": [mutant("good", ("killed", "alive")), mutant("missed", ("not run", "killed"))],
        "faults": ["missed is not detected by law"],
        **changes,
    }


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes the run of the mutants write a matrix and end with a code."""

    def write(matrix: dict[str, Any] | None, code: int) -> None:
        def run(arguments: list[str], variables: dict[str, str], heard: Any) -> tuple[int, str]:
            heard(f"{' '.join(arguments[:1])} {variables}")
            if matrix is not None:
                Path(arguments[arguments.index("--json") + 1]).write_text(json.dumps(matrix), "utf-8")
            return code, "last words"

        monkeypatch.setattr(mutants, "run_module", run)

    return write


def test_a_mutant_must_be_detected_by_the_check_written_for_it(written: Any, recorder: Any) -> None:
    written(found(), 1)
    outcome = mutants_stage(2, {"SEED": "7"}, recorder, ABSENT)
    assert [(row.id, row.passed) for row in outcome.rows] == [
        ("mutants.matrix", False),
        ("mutants.good", True),
        ("mutants.missed", False),
    ]
    assert outcome.kill_matrix is not None
    assert outcome.kill_matrix.checks == ("law", "order")
    assert [mutant.cells for mutant in outcome.kill_matrix.mutants] == [
        ("killed", "alive"),
        ("not run", "killed"),
    ]
    assert {mutant.meant_for for mutant in outcome.kill_matrix.mutants} == {"law"}
    assert recorder.steps == [("property_tests.mutants {'SEED': '7'}", 1)]


def test_what_the_shipped_code_passed_is_handed_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recorder: Any
) -> None:
    given: list[list[str]] = []

    def run(arguments: list[str], *_: object) -> tuple[int, str]:
        given.append(arguments)
        return 0, ""

    monkeypatch.setattr(mutants, "run_module", run)
    report = tmp_path / "junit.xml"
    for _ in range(2):
        with pytest.raises(ChildError):
            mutants_stage(1, {}, recorder, report)
        report.touch()
    assert "--passed" not in given[0]
    assert given[1][-2:] == ["--passed", str(report)]


def test_a_survivor_fails(written: Any, recorder: Any) -> None:
    matrix = found()
    matrix["mutants"][0]["cells"] = {"law": "alive", "order": "alive"}
    written(matrix, 1)
    row = mutants_stage(1, {}, recorder, ABSENT).rows[1]
    assert (row.passed, row.evidence) == (False, "no check detected it")


@pytest.mark.parametrize(
    ("changes", "code", "said"),
    [
        ({"faults": []}, 3, "ended with code 3"),
        ({"faults": ["order kills no mutant"]}, 1, "order kills no mutant"),
        ({"mutants": [], "faults": []}, 0, ""),
        (
            {
                "checks": [{"name": "law", "state": "killed", "detail": "too far", "seconds": 1.0}],
                "mutants": [],
            },
            1,
            "law: too far",
        ),
    ],
)
def test_the_shipped_code_must_pass_and_no_check_may_idle(
    changes: dict[str, Any], code: int, said: str, written: Any, recorder: Any
) -> None:
    written(found(**changes), code)
    row = mutants_stage(1, {}, recorder, ABSENT).rows[0]
    assert not row.passed
    assert said in row.detail


def test_a_run_without_a_matrix_says_how_it_ended(written: Any, recorder: Any) -> None:
    written(None, 2)
    with pytest.raises(ChildError, match="code 2 and no matrix: last words"):
        mutants_stage(1, {}, recorder, ABSENT)
