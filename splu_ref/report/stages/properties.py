"""Sixth stage, level full: the property and statistical suites of a checkout, run by pytest."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

from splu_ref.channels import exact
from splu_ref.report.model import Row, StatisticalRow
from splu_ref.report.progress import Progress
from splu_ref.report.stages.outcome import ChildError, Outcome, check_row, run_module

SUITES = "property_tests"
BUDGET_FILE = "property_tests/error_budget.json"
COUNTED_ELSEWHERE = "report.publication"
"""The entry of the budget that the stage ``publication`` spends."""
_CELLS = f"{SUITES}/test_mutants.py::test_killed_by_the_check_meant_for_it"
"""Cells of the kill matrix, which the stage ``mutants`` fills: the same seed, the same samples."""
_COUNT = re.compile(r"\[(\d+) items?\]|collected (\d+) items?")
_TEST = re.compile(r"property_tests/\S+::\S+")
_PARAMETER = re.compile(r"\[(.+)\]$")
_RESULT = re.compile(r"\b(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b")


def properties_stage(workers: int, variables: Mapping[str, str], progress: Progress, report: Path) -> Outcome:
    """Return a row for every test of the suites, and a statistical row for each that samples."""
    title = "Property and statistical suites"
    progress.stage(title)
    done: set[str] = set()

    def heard(line: str) -> None:
        if counted := _COUNT.search(line):
            progress.stage(title, int(counted[1] or counted[2]))
        elif (test := _TEST.search(line)) and _RESULT.search(line) and test[0] not in done:
            done.add(test[0])
            progress.at(test[0].rpartition("::")[2], len(done))

    arguments = ["pytest", SUITES, "--verbose", f"--junitxml={report}", "-p", "no:cacheprovider"]
    arguments += ["--deselect", _CELLS]
    if workers > 1:
        arguments += ["-n", str(workers), "--maxschedchunk", "1"]
    code, last = run_module(arguments, variables, heard)
    if not report.exists():
        raise ChildError(
            f"pytest ended with code {code} and no report (it comes with splu-ref[test]): {last}"
        )
    outcome = replace(parsed(report.read_bytes()), budget=_allotted())
    if code and all(row.passed for row in outcome.rows):
        detail = f"exit code {code}: {last}"
        failed = check_row("properties", "pytest", "pytest ends well", False, detail=detail)
        return replace(outcome, rows=(*outcome.rows, failed))
    return outcome


def _allotted() -> Fraction:
    """Return what the committed error budget allots to a whole run, the kill matrix included."""
    checks = json.loads(Path(BUDGET_FILE).read_text(encoding="utf-8"))["checks"]
    levels = (exact(entry["level"], name) for name, entry in checks.items() if name != COUNTED_ELSEWHERE)
    return sum(levels, Fraction(0))


def parsed(document: bytes) -> Outcome:
    """Return the rows of a JUnit file; the properties of a test say what it claims and what it spent."""
    rows: list[Row] = []
    statistics: list[StatisticalRow] = []
    # The file comes from a process that this one started, so it cannot be an attack on the parser.
    for case in ElementTree.fromstring(document).iter("testcase"):  # noqa: S314
        properties = {item.get("name", ""): item.get("value", "") for item in case.iter("property")}
        trouble = next((part for part in case if part.tag in {"failure", "error", "skipped"}), None)
        e_value = _number(properties.get("log10_e", ""))
        idle = "budget" in properties and e_value is None
        passed = trouble is None and not idle
        detail = "it samples, and there is no e-value: nothing was drawn" if idle else ""
        if trouble is not None:
            detail = f"{trouble.tag}: {_one_line(trouble.get('message') or '')}"
        name = _name(case, claimed="claim" in properties)
        rows.append(
            check_row(
                "properties",
                name,
                properties.get("claim") or case.get("name") or name,
                passed,
                grade=properties.get("grade") or ("statistical" if "budget" in properties else "property"),
                evidence=_evidence(properties),
                detail=detail,
                seconds=float(case.get("time") or 0),
            )
        )
        if "budget" in properties:
            statistics.append(
                StatisticalRow(
                    check=name,
                    log10_e=e_value,
                    budget=Fraction(exact(properties["budget"], "budget")),
                    power=properties.get("power", ""),
                    passed=passed,
                )
            )
    return Outcome(rows=tuple(rows), statistics=tuple(statistics))


def _name(case: ElementTree.Element, *, claimed: bool) -> str:
    """Return the parameter of a test that runs a named check, and for any other test its module and name."""
    test = case.get("name") or ""
    parameter = _PARAMETER.search(test)
    if claimed and parameter:
        return parameter[1]
    return f"{(case.get('classname') or '').rpartition('.')[2]}.{test}"


def _evidence(properties: Mapping[str, str]) -> str:
    if "budget" not in properties:
        return ""
    return f"log10 e = {properties.get('log10_e') or 'none'}, fails at 1/({properties['budget']})"


def _number(text: str) -> float | None:
    return float(text) if text not in {"", "None"} else None


def _one_line(text: str, width: int = 400) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1] + "…"
