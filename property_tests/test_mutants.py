"""Every mutant is noticed by the check that was written for it; the whole matrix is a command of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from property_tests.checks import CHECKS
from property_tests.mutants import MUTANTS
from property_tests.mutants import __main__ as command
from property_tests.mutants.matrix import SHIPPED_NAME, Cell, Matrix, fields_used, kill_matrix, one_cell
from property_tests.run import Run, configured_seed
from property_tests.subject import SHIPPED


@pytest.fixture(scope="module")
def small() -> Run:
    return Run(configured_seed(), "matrix")


@pytest.mark.parametrize("name", MUTANTS)
def test_killed_by_the_check_meant_for_it(name: str, small: Run) -> None:
    mutant = MUTANTS[name]
    assert mutant.replaced, "the mutant is the shipped code"
    cell = one_cell(name, mutant.meant_for, small)
    assert cell.state == "killed", f"{name}: {mutant.sentence}"
    assert cell.detail


def test_every_check_that_can_fail_on_a_mutant_is_shown_to() -> None:
    meant = {mutant.meant_for for mutant in MUTANTS.values()}
    assert meant <= set(CHECKS)
    assert len(MUTANTS) >= 12


def test_fields_are_noted_as_they_are_used(small: Run) -> None:
    cell, used = fields_used("guarantee.bounds", small)
    assert (cell.mutant, cell.state) == (SHIPPED_NAME, "alive")
    assert used == {"chebyshev_bound", "chernoff_bound"}


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
    matrix = kill_matrix(small, 1, lambda cell, total: seen.append(cell))
    assert isinstance(matrix, Matrix)
    states = {key: cell.state for key, cell in matrix.cells.items()}
    assert states["printed-theorem-3", "guarantee.bounds"] == "killed"
    assert states["printed-theorem-3", "guarantee.sawtooth"] == "not run"
    assert states["harmless", "guarantee.bounds"] == "alive"
    assert matrix.faults == [
        "harmless survives",
        "guarantee.sawtooth notices no mutant, so nothing shows that it can fail",
    ]
    assert len(seen) == 4  # two checks on the shipped code, one on each mutant
    assert command.main(["--json", str(tmp_path / "matrix.json")]) == 1
    written = json.loads((tmp_path / "matrix.json").read_text(encoding="utf-8"))
    assert written["faults"] == matrix.faults
    assert [entry["killed"] for entry in written["mutants"]] == [True, False]
    assert written["mutants"][1]["cells"] == {"guarantee.bounds": "alive", "guarantee.sawtooth": "not run"}
    assert "1 of 2 mutants killed" in capsys.readouterr().out
