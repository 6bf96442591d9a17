"""One part of every kind fails, alone: every output of the run says so, and its exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from splu_ref.cli import main, verify
from splu_ref.mechanisms.manifest import code_digest
from splu_ref.report import suite
from splu_ref.report.exhibits import KillMatrix, MutantRow, PublicationAudit, ValueAudit
from splu_ref.report.model import StatisticalRow
from splu_ref.report.stages.ledger import ledger_stage
from splu_ref.report.stages.outcome import Outcome, check_row
from splu_ref.report.workers import WorkerPool

STAGES = ("ledger", "certificates", "enumeration", "publication", "figures", "properties", "mutants")
BUDGET = Fraction(1, 10**8)
VALUE = ValueAudit("Sales", 100, 90, (80, 101), "accurate", "0.01", False, -1.5)


def row(stage: str, *, passed: bool = True) -> Outcome:
    return Outcome(
        rows=(check_row(stage, "x", "x holds", passed, detail="" if passed else "it is otherwise"),)
    )


def breaks() -> Outcome:
    raise RuntimeError("no memory")


FAULTS: dict[str, tuple[str, str, Callable[[], Outcome]]] = {
    **{f"a row of {stage}": (stage, f"{stage}.x", partial(row, stage, passed=False)) for stage in STAGES},
    **{f"{stage} breaks off": (stage, f"{stage}.stage", breaks) for stage in STAGES},
    **{f"{stage} checks nothing": (stage, f"{stage}.stage", Outcome) for stage in STAGES},
    "a statistic without a row": (
        "properties",
        "properties.stage",
        lambda: replace(row("properties"), statistics=(StatisticalRow("law", 9.0, BUDGET, "", False),)),
    ),
    "a promise without a row": (
        "publication",
        "publication.stage",
        lambda: replace(
            row("publication"), publications=(PublicationAudit("job", 5, 101, 100, 1, "", "", (VALUE,)),)
        ),
    ),
    "a mutant without a row": (
        "mutants",
        "mutants.stage",
        lambda: replace(row("mutants"), kill_matrix=KillMatrix(("law",), (MutantRow("m", "", ("alive",)),))),
    ),
}


def run_with(
    faulty: str, outcome: Callable[[], Outcome], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> int:
    monkeypatch.chdir(folder)
    (folder / "property_tests").mkdir()
    for stage in STAGES:
        made = outcome if stage == faulty else partial(row, stage)
        monkeypatch.setattr(suite, f"{stage}_stage", lambda *_, made=made, **__: made())
    monkeypatch.setattr(verify, "load_ledger", object)
    return main(["verify", "--level", "full", "--report", "report"])


def test_nothing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_with("", Outcome, tmp_path, monkeypatch) == 0
    assert (
        f"passed: 1 claim, {len(STAGES) - 1} other checks came out as stated, 0 did not"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_one_failing_part_through_every_output(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage, name, outcome = FAULTS[fault]
    assert run_with(stage, outcome, tmp_path, monkeypatch) == 1
    printed = capsys.readouterr().out
    assert f"failed {name}: " in printed
    assert "FAILED: " in printed
    assert "came out as stated, 1 did not" in printed

    found: dict[str, Any] = json.loads((tmp_path / "report" / "report.json").read_text())
    assert (found["holds"], found["failed"]) == (False, 1)
    rows = {each["id"]: each for each in (*found["claims"], *found["checks"])}
    assert [each["id"] for each in rows.values() if each["result"] == "failed"] == [name]
    assert rows[name]["passed"] is False
    assert found["passed"] == len(rows) - 1

    root = ElementTree.fromstring((tmp_path / "report" / "junit.xml").read_bytes())
    failed = [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None]
    assert (failed, root.get("failures")) == ([name], "1")

    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Everything that was checked came out as stated" not in page
    assert f"1 of {len(rows)} checks failed" in page
    assert f"<strong>{name}</strong>" in page


def test_a_claim_that_comes_back_without_a_result_has_failed(
    made_up_ledger: Callable[..., Any], recorder: Any
) -> None:
    ledger = made_up_ledger(lambda *_: 0)
    every = ledger.run
    ledger.run = lambda *arguments, **options: every(*arguments, **options)[:1]
    first, second = ledger_stage(ledger, WorkerPool(1), recorder).rows
    assert (first.result, second.id, second.result, second.detail) == (
        "passed", "a.2", "failed", "it was not checked",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("status", "recorded", "result"),
    [
        ("proved", "", "passed"),
        ("proved", "recorded on 2026-01-02, not checked here", "recorded"),
        ("definition", "", "definition"),
    ],
)
def test_a_claim_that_was_not_checked_here_is_not_a_pass(
    status: str,
    recorded: str,
    result: str,
    made_up_ledger: Callable[..., Any],
    recorder: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = made_up_ledger(lambda *_: 0)
    every = ledger.run
    ledger.run = lambda *arguments, **options: (
        [replace(each, status=status, recorded=recorded) for each in every(*arguments, **options)[:1]]
        + list(every(*arguments, **options)[1:])
    )
    (first, second) = ledger_stage(ledger, WorkerPool(1), recorder).rows
    assert (first.result, second.result) == (result, "passed")
    run_with("ledger", lambda: Outcome(rows=(first, second)), tmp_path, monkeypatch)
    found = json.loads((tmp_path / "report" / "report.json").read_text())
    counted = {"passed": found["passed"], "definition": found["definitions"], "recorded": found["recorded"]}
    expected = {"passed": len(STAGES), "definition": 0, "recorded": 0}
    expected[result] += 1
    assert counted == expected
    assert found["claims"][0]["passed"] is (True if result == "passed" else None)
    root = ElementTree.fromstring((tmp_path / "report" / "junit.xml").read_bytes())
    skipped = [case.get("name") for case in root.iter("testcase") if case.find("skipped") is not None]
    assert skipped == ([] if result == "passed" else ["a.1"])
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "Each row was computed again" not in page
    assert ("1 row rests on a record" in page) == (result == "recorded")
    assert (recorded in page) or not recorded
    assert f"{1 + (result == 'passed')} were checked in this run" in page


def test_the_report_names_the_code_that_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_with("", Outcome, tmp_path, monkeypatch)
    environment = json.loads((tmp_path / "report" / "report.json").read_text())["environment"]
    assert environment["code"] == code_digest()
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert environment["code"] in page
    assert environment["commit"] in page
    monkeypatch.setattr(suite, "which", lambda _: None)
    assert suite._commit() == ""
