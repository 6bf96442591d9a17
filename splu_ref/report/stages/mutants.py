"""Seventh stage, level full: every mutant of a checkout against the checks written for it."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from splu_ref.report.exhibits import CellState, KillMatrix, MutantRow
from splu_ref.report.model import Row
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import ChildError, Outcome, check_row, run_module

MODULE = "property_tests.mutants"


class _Cell(TypedDict):
    state: CellState
    seconds: float


class _Check(TypedDict):
    name: str
    state: CellState
    detail: str
    seconds: float


class _Mutant(TypedDict):
    name: str
    sentence: str
    meant_for: str
    cells: Mapping[str, CellState]
    details: Mapping[str, _Cell]


class _Matrix(TypedDict):
    """What the run writes."""

    checks: Sequence[_Check]
    mutants: Sequence[_Mutant]
    faults: Sequence[str]


def mutants_stage(workers: int, variables: Mapping[str, str], progress: Progress, passed: Path) -> Outcome:
    """Return the kill matrix, and a row for each mutant and for the shipped code."""
    progress.stage("Mutants")
    heard = 0

    def hear(line: str) -> None:
        nonlocal heard
        heard += 1
        progress.at(line.strip(), heard)

    with tempfile.TemporaryDirectory(prefix="splu-ref-") as folder:
        file = Path(folder) / "matrix.json"
        arguments = [MODULE, "--json", str(file), "--workers", str(workers)]
        if passed.exists():
            arguments += ["--passed", str(passed)]
        code, last = run_module(arguments, variables, hear)
        if not file.exists():
            raise ChildError(f"{MODULE} ended with code {code} and no matrix: {last}")
        found: _Matrix = json.loads(file.read_text(encoding="utf-8"))
    rows = (_matrix_row(found, code), *(_mutant_row(mutant) for mutant in found["mutants"]))
    return Outcome(rows=rows, kill_matrix=_matrix(found))


def _matrix_row(found: _Matrix, code: int) -> Row:
    """Return the row of the matrix as a whole: the shipped code passes, and no check is idle."""
    checks = found["checks"]
    reasons = [f"{check['name']}: {check['detail']}" for check in checks if check["state"] != "alive"]
    reasons += map(str, found["faults"])
    if code and not reasons:
        reasons.append(f"the run ended with code {code}")
    return check_row(
        "mutants",
        "matrix",
        "The shipped code passes every check, and every check detects some mutant",
        not reasons and bool(found["mutants"]),
        evidence=f"{len(checks)} checks, {len(found['mutants'])} mutants",
        detail="; ".join(reasons),
        seconds=sum(check["seconds"] for check in checks),
    )


def _mutant_row(mutant: _Mutant) -> Row:
    detected = [check for check, state in mutant["cells"].items() if state == "killed"]
    meant = mutant["meant_for"]
    missed = "" if meant in detected else f"not detected by {meant}, which was written for it"
    return check_row(
        "mutants",
        mutant["name"],
        f"Killed: {mutant['sentence']}",
        bool(detected) and not missed,
        evidence=f"detected by {', '.join(detected)}" if detected else "no check detected it",
        detail=missed,
        seconds=sum(cell["seconds"] for cell in mutant["details"].values()),
    )


def _matrix(found: _Matrix) -> KillMatrix:
    checks = tuple(str(check["name"]) for check in found["checks"])
    return KillMatrix(
        checks,
        tuple(
            MutantRow(
                str(mutant["name"]),
                str(mutant["sentence"]),
                tuple(mutant["cells"][check] for check in checks),
                str(mutant["meant_for"]),
            )
            for mutant in found["mutants"]
        ),
    )
