from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.report.model import StatisticalRow
from splu_ref.report.stages import properties
from splu_ref.report.stages.outcome import ChildError, check_row, run_module
from splu_ref.report.stages.properties import _one_line, parsed, properties_stage

SUITE = """
import os
import pytest

def test_sound(record_property):
    record_property("log10_e", -1.25)
    record_property("budget", "1/10000000")
    record_property("power", "rate 0.3 instead of 0.2")
    assert os.environ["SEED"] == "7"

def test_broken():
    assert 1 == 2, "one is not two"

def test_absent():
    pytest.skip("no such system")
"""


BUDGET = '{"checks": {"a": {"level": "5e-8"}, "report.publication": {"level": "2e-8"}}}'


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a checkout without tests the current folder, and return its folder of tests."""
    folder = tmp_path / "property_tests"
    folder.mkdir()
    (folder / "error_budget.json").write_text(BUDGET, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def test_pytest_runs_in_a_process_of_its_own(checkout: Path, recorder: Any) -> None:
    (checkout / "test_made_up.py").write_text(SUITE, "utf-8")
    # Cells of the kill matrix are the next stage's.
    (checkout / "test_mutants.py").write_text(
        "def test_killed_by_the_check_meant_for_it(): raise OSError", "utf-8"
    )
    outcome = properties_stage(1, {"SEED": "7"}, recorder, checkout / "junit.xml")
    found = {row.id.rpartition(".")[2]: row for row in outcome.rows}
    assert {name: row.passed for name, row in found.items()} == {
        "test_sound": True,
        "test_broken": False,
        "test_absent": False,
    }
    assert "one is not two" in found["test_broken"].detail
    assert "no such system" in found["test_absent"].detail
    (statistic,) = outcome.statistics
    assert (statistic.log10_e, statistic.budget) == (-1.25, Fraction(1, 10**7))
    assert statistic.power == "rate 0.3 instead of 0.2"
    assert outcome.budget == Fraction(5, 10**8)  # what another stage spends is not counted here
    assert {step for step, _ in recorder.steps} == {"test_sound", "test_broken", "test_absent"}


def test_a_run_without_a_report_says_what_pytest_said(checkout: Path, recorder: Any) -> None:
    (checkout / "conftest.py").write_text("raise RuntimeError('unlucky')", "utf-8")
    with pytest.raises(ChildError, match="unlucky"):
        properties_stage(1, {}, recorder, checkout / "junit.xml")


def test_a_run_that_ends_badly_fails_even_if_every_test_passed(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, recorder: Any
) -> None:
    def run(arguments: list[str], *_: object) -> tuple[int, str]:
        file = next(word for word in arguments if word.startswith("--junitxml=")).partition("=")[2]
        Path(file).write_text('<testsuites><testcase classname="a" name="b" time="1"/></testsuites>', "utf-8")
        return 3, "internal error"

    monkeypatch.setattr(properties, "run_module", run)
    rows = properties_stage(1, {}, recorder, checkout / "junit.xml").rows
    assert [(row.id, row.passed) for row in rows] == [("properties.a.b", True), ("properties.pytest", False)]


def test_the_properties_of_a_test_name_it() -> None:
    document = b"""<testsuites><testsuite>
        <testcase classname="x" name="test_y[release.law]" time="0.5"><properties>
        <property name="claim" value="The law holds."/><property name="grade" value="statistical"/>
        <property name="budget" value="5e-8"/><property name="log10_e" value="None"/>
        </properties></testcase></testsuite></testsuites>"""
    outcome = parsed(document)
    (row,) = outcome.rows
    assert (row.id, row.title, row.grade) == ("properties.release.law", "The law holds.", "statistical")
    (statistic,) = outcome.statistics
    assert (statistic.check, statistic.log10_e, statistic.power) == ("release.law", None, "")


def test_a_module_is_heard_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "speaker.py").write_text("print('one')\nprint('two')\nraise SystemExit(5)", "utf-8")
    monkeypatch.chdir(tmp_path)
    heard: list[str] = []
    assert run_module(["speaker"], {}, heard.append) == (5, "one\ntwo")
    assert heard == ["one", "two"]


def test_a_row_states_all_that_a_test_says_of_itself() -> None:
    document = b"""<testsuites><testsuite>
        <testcase classname="a.x" name="test_sampled" time="1.5"><properties>
        <property name="budget" value="5e-8"/><property name="log10_e" value="-2.5"/>
        <property name="power" value="more"/></properties></testcase>
        <testcase classname="a.x" name="test_plain" time="0.25"/>
        <testcase classname="a.x" name="test_y[some]"><properties><property name="grade" value="exact"/>
        <property name="claim" value="It holds."/></properties><failure message="one&#10;  two"/></testcase>
        <testcase classname="b" name="test_z[5]" time="0"><skipped/></testcase>
        </testsuite></testsuites>"""
    outcome = parsed(document)
    assert outcome.rows == (
        check_row(
            "properties", "x.test_sampled", "test_sampled", True, grade="statistical",
            evidence="log10 e = -2.5, fails at 1/(5e-8)", seconds=1.5,
        ),
        check_row("properties", "x.test_plain", "test_plain", True, grade="property", seconds=0.25),
        check_row("properties", "some", "It holds.", False, grade="exact", detail="failure: one two"),
        check_row("properties", "b.test_z[5]", "test_z[5]", False, grade="property", detail="skipped: "),
    )  # fmt: skip
    assert outcome.statistics == (
        StatisticalRow(
            check="x.test_sampled", log10_e=-2.5, budget=Fraction(5, 10**8), power="more", passed=True
        ),
    )
    assert _one_line(" a\n b " * 200) == ("a b " * 200)[:399] + "…"


def test_how_many_tests_there_are_is_heard(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, recorder: Any
) -> None:
    counts: list[int] = []

    def run(arguments: list[str], variables: object, heard: Any) -> tuple[int, str]:
        file = next(word for word in arguments if word.startswith("--junitxml=")).partition("=")[2]
        Path(file).write_text('<testsuites><testcase classname="a" name="b"/></testsuites>', "utf-8")
        assert arguments[arguments.index("-n") + 1] == "2"
        for line in ("2 workers [7 items]", "collected 9 items", "property_tests/a.py::b PASSED"):
            heard(line)
        return 0, ""

    monkeypatch.setattr(properties, "run_module", run)
    monkeypatch.setattr(recorder, "stage", lambda _, count=0: counts.append(count), raising=False)
    assert len(properties_stage(2, {}, recorder, checkout / "junit.xml").rows) == 1
    assert counts == [0, 7, 9]
    assert recorder.steps == [("b", 1)]
