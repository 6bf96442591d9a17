"""Every mutant is killed by the check that was written for it; the whole matrix is a separate command."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from property_tests.checking import Outcome
from property_tests.checks import CHECKS
from property_tests.mutants import MUTANTS
from property_tests.mutants import __main__ as command
from property_tests.mutants.junit_results import code_tried, shipped_results
from property_tests.mutants.matrix import (
    SHIPPED_NAME,
    Cell,
    Matrix,
    ShippedResult,
    kill_matrix,
    one_cell,
    shipped_result,
)
from property_tests.run import Run, configured_seed
from property_tests.subject import SHIPPED, Subject

REPORT = """<testsuites><testsuite>
<testcase name="test_shipped[guarantee.bounds]" time="2"><properties>
<property name="run_seed" value="SEED"/><property name="code" value="CODE"/>
<property name="log10_e" value="None"/>
<property name="used" value="chebyshev_bound chernoff_bound"/></properties></testcase>
<testcase name="test_shipped[guarantee.sawtooth]" time="1"><properties>
<property name="run_seed" value="SEED"/><property name="code" value="CODE"/>
<property name="log10_e" value="-2.5"/>
<property name="used" value="error_probability"/></properties></testcase>
<testcase name="test_shipped[swapping.law]"><properties><property name="run_seed" value="SEED"/>
<property name="code" value="CODE"/>
<property name="used" value="publish_swapped"/></properties><failure message="no"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(scope="module")
def small() -> Run:
    return Run(configured_seed(), "matrix")


@pytest.mark.parametrize("name", MUTANTS)
def test_killed_by_the_check_meant_for_it(name: str, small: Run) -> None:
    mutant = MUTANTS[name]
    assert mutant.replaced, "the mutant is the shipped code"
    for check in mutant.meant:
        cell = one_cell(name, check, small)
        assert cell.state == "killed", f"{name}: {mutant.sentence}"
        assert cell.detail


def test_every_check_that_can_fail_on_a_mutant_is_shown_to() -> None:
    assert {check for mutant in MUTANTS.values() for check in mutant.meant} == set(CHECKS)
    assert len(MUTANTS) >= 12


def test_fields_are_noted_as_they_are_used(small: Run) -> None:
    found = shipped_result("guarantee.bounds", small)
    assert (found.cell.mutant, found.cell.state) == (SHIPPED_NAME, "alive")
    assert found.used == {"chebyshev_bound", "chernoff_bound"}


def test_matrix_runs_what_a_check_can_see_and_reports_survivors(
    monkeypatch: pytest.MonkeyPatch, small: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = {name: CHECKS[name] for name in ("guarantee.bounds", "guarantee.sawtooth")}
    printed = MUTANTS["printed-theorem-3"]
    harmless = replace(
        printed, name="harmless", subject=replace(SHIPPED, chebyshev_bound=lambda *_: Fraction(10**9))
    )
    both = {"printed-theorem-3": printed, "harmless": harmless}
    for module in ("property_tests.mutants.matrix", "property_tests.mutants.__main__"):
        monkeypatch.setattr(f"{module}.CHECKS", kept)
        monkeypatch.setattr(f"{module}.MUTANTS", both)
    seen: list[Cell] = []
    matrix = kill_matrix(small, 1, lambda cell, total: seen.append(cell), every=True)
    assert isinstance(matrix, Matrix)
    states = {key: cell.state for key, cell in matrix.cells.items()}
    assert states["printed-theorem-3", "guarantee.bounds"] == "killed"
    assert states["printed-theorem-3", "guarantee.sawtooth"] == "not run"
    assert states["harmless", "guarantee.bounds"] == "alive"
    assert matrix.faults == [
        "harmless survives",
        "guarantee.sawtooth kills no mutant, so it is not known to fail",
    ]
    assert len(seen) == 4  # two checks on the shipped code, one on each mutant
    report = tmp_path / "junit.xml"
    report.write_text(REPORT.replace("SEED", small.seed).replace("CODE", code_tried()), encoding="utf-8")
    passed = shipped_results(report, small.seed)
    assert passed.keys() == kept.keys()
    assert [each.cell.log10_e for each in passed.values()] == [None, -2.5]
    assert shipped_results(report, "another") == {}
    again: list[Cell] = []
    later = kill_matrix(small, 1, lambda cell, total: again.append(cell), passed)
    assert {key: cell.state for key, cell in later.cells.items()} == states
    # A mutant that survives shows that the check can pass; the other check is shown on the shipped code.
    assert [(cell.mutant, cell.check) for cell in again][-1] == (SHIPPED_NAME, "guarantee.sawtooth")
    assert len(again) == 3
    assert command.main(["--json", str(tmp_path / "matrix.json")]) == 1
    written = json.loads((tmp_path / "matrix.json").read_text(encoding="utf-8"))
    assert written["faults"] == matrix.faults
    assert [entry["killed"] for entry in written["mutants"]] == [True, False]
    assert written["mutants"][1]["cells"] == {"guarantee.bounds": "alive", "guarantee.sawtooth": "not run"}
    assert "1 of 2 mutants killed" in capsys.readouterr().out


def test_what_passed_elsewhere_is_run_again_where_every_mutant_is_killed(
    monkeypatch: pytest.MonkeyPatch, small: Run
) -> None:
    """A check that cannot run here kills whatever it is given."""

    def lost(subject: Subject, run: Run) -> Outcome:
        raise FileNotFoundError("lost")

    name = "swapping.law"
    fault = next(broken for broken in MUTANTS.values() if broken.meant_for == name)
    monkeypatch.setattr("property_tests.mutants.matrix.CHECKS", {name: replace(CHECKS[name], function=lost)})
    monkeypatch.setattr("property_tests.mutants.matrix.MUTANTS", {fault.name: fault})
    passed = {name: ShippedResult(Cell(SHIPPED_NAME, name, "alive"), frozenset(fault.replaced))}
    matrix = kill_matrix(small, passed=passed)
    assert matrix.killed_as_meant(fault.name)
    assert matrix.faults == [f"the shipped code fails {name}: FileNotFoundError: lost"]


def test_a_report_counts_for_the_code_and_the_checks_that_it_was_made_of(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "junit.xml"
    report.write_text(REPORT.replace("SEED", "7").replace("CODE", code_tried()), encoding="utf-8")
    assert shipped_results(report, "7")
    monkeypatch.setattr("property_tests.mutants.junit_results.code_tried", lambda: "of other code")
    assert not shipped_results(report, "7")
    for broken in (report.read_bytes()[:99], None):
        report.unlink() if broken is None else report.write_bytes(broken)
        with pytest.raises(SystemExit):
            command.main(["--passed", str(report)])
        assert "junit.xml is no JUnit report" in capsys.readouterr().err
