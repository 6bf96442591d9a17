"""For every row that a stage of the verification can report, a fault by which it must fail.

Each table is compared with the rows of a sound run, so that a new row without a rejected input fails here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from splu_ref.audit import DeclaredRow, EnumerationRow
from splu_ref.certificate_checker import Unreadable, Verdict, check_text
from splu_ref.channels import PublishedCount
from splu_ref.data import Microdata
from splu_ref.mechanisms import Release, SpluGen
from splu_ref.randomness import SeededSource
from splu_ref.report.model import Row
from splu_ref.report.stages import certificates, enumeration, figures, mutants, properties, publication
from splu_ref.report.stages.certificates import PRODUCED, certificates_stage
from splu_ref.report.stages.figures import figures_stage
from splu_ref.report.stages.ledger import ledger_stage
from splu_ref.report.stages.mutants import mutants_stage
from splu_ref.report.stages.outcome import Outcome
from splu_ref.report.stages.properties import parsed, properties_stage
from splu_ref.report.stages.publication import crossed_table, publication_stage
from splu_ref.report.workers import WorkerPool
from tests.report.documents import publication_outcome
from tests.report.made_up import MadeUpLedger, RecordedProgress, made_up_report
from tests.report.test_figures import printed_sum


def failed(outcome: Outcome) -> set[str]:
    return {row.id for row in outcome.rows if not row.passed}


# ---- publication ----------------------------------------------------------------------------------


@cache
def released() -> Release:
    """Return the release of the stage, which every fault changes."""
    seed = b"report/publication/9/2014"
    return SpluGen(9).publish(crossed_table(), publication.COLUMN, SeededSource(seed))


def changed_table(change: Callable[[Any], Any]) -> Release:
    return replace(released(), table=Microdata.from_frame(change(released().table.to_frame())))


def first_row_twice() -> Release:
    rows = np.arange(released().table.row_count)
    rows[0] = 1
    return replace(released(), table=released().table.take(rows))


def one_row_less() -> Release:
    return replace(released(), table=released().table.take(np.arange(1, released().table.row_count)))


def one_deleted_row_too_many() -> Release:
    return replace(released(), suppressed=released().suppressed + 1)


def most_frequent_value_favored() -> Release:
    table = released().table
    codes = table.codes(publication.COLUMN).copy()
    codes[:1500] = np.bincount(codes).argmax()
    return replace(released(), table=table.with_codes(publication.COLUMN, codes))


def columns_in_another_order() -> Release:
    return changed_table(lambda frame: frame.select(list(reversed(frame.columns))))


def a_column_more() -> Release:
    return changed_table(lambda frame: frame.with_row_index("added"))


def one_foreign_value() -> Release:
    column = publication.COLUMN

    def change(frame: Any) -> Any:
        cells = frame[column].cast(str).to_list()
        return frame.with_columns(frame[column].__class__(column, ["none", *cells[1:]]))

    return changed_table(change)


RELEASES: dict[Callable[[], Release], set[str]] = {
    first_row_twice: {"non-sensitive"},
    one_row_less: {"rows", "non-sensitive"},
    one_deleted_row_too_many: {"rows"},
    most_frequent_value_favored: {"law"},
    columns_in_another_order: {"schema", "non-sensitive"},
    a_column_more: {"schema", "non-sensitive"},
    one_foreign_value: {"domain"},
}
"""By fault of a release, the rows that fail."""
PROMISES: dict[str, tuple[str, Any]] = {
    "a count from which on errors are rare is too small": ("utility_threshold", 11),
    "the least error of small counts is too large": ("privacy_minimum", Fraction(99, 100)),
    "no value is promised anything": ("about", ("", "1", True)),
}


def of_publication(release: Release, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    monkeypatch.setattr(SpluGen, "publish", lambda *_, **__: release)
    monkeypatch.setattr(publication, "GAMMAS", (9,))
    return {name.rpartition(".")[2] for name in failed(publication_stage("2014", RecordedProgress()))}


@pytest.mark.parametrize("fault", RELEASES)
def test_faults_of_a_release(fault: Callable[[], Release], monkeypatch: pytest.MonkeyPatch) -> None:
    assert of_publication(fault(), monkeypatch) == RELEASES[fault]


@pytest.mark.parametrize("fault", PROMISES)
def test_promises_that_are_not_kept(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    release, (name, value) = released(), PROMISES[fault]
    if name == "about":
        monkeypatch.setattr(publication._Promises, name, lambda *_: value)
    elif name == "utility_threshold":
        monkeypatch.setattr(publication, name, lambda *_: SimpleNamespace(threshold=value))
    else:
        given = SimpleNamespace(t_p_definition=SimpleNamespace(exact=lambda: value))
        monkeypatch.setattr(publication, name, lambda *_: given)
    assert of_publication(release, monkeypatch) == {"promises"}


def test_every_row_of_the_publication_has_a_fault() -> None:
    rows = {row.id.rpartition(".")[2] for row in publication_outcome()[0].rows}
    assert rows == set().union(*RELEASES.values()) | {"promises"}


# ---- certificates ---------------------------------------------------------------------------------


def test_every_row_of_the_certificates_has_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checker that errs once is enough, in either direction."""
    names = [name for name, *_ in PRODUCED]
    texts = [json.dumps(produce()) for *_, produce in PRODUCED]
    sound = certificates_stage(RecordedProgress())
    assert failed(sound) == set()
    assert {row.id.partition(".")[2] for row in sound.rows} == {*names, "kernel", "falsified"}
    monkeypatch.setattr(certificates, "_kernel_row", lambda: sound.rows[-2])
    monkeypatch.setattr(certificates, "_falsified_row", lambda: sound.rows[-1])
    for name, refused in zip(names, texts, strict=True):

        def refuse(text: str, refused: str = refused) -> Verdict:
            return Verdict(text != refused, "any", "no")

        monkeypatch.setattr(certificates, "check_text", refuse)
        assert failed(certificates_stage(RecordedProgress())) == {f"certificates.{name}"}


def test_one_falsified_certificate_that_is_accepted_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0

    def accept_the_twentieth(text: str) -> Verdict:
        nonlocal seen
        seen += 1
        return Verdict(True, "any", "yes") if seen == 20 else check_text(text)

    monkeypatch.setattr(certificates, "check_text", accept_the_twentieth)
    assert not certificates._falsified_row().passed
    assert seen > 20


def test_certificates_that_nobody_falsified_are_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "falsifications", lambda *_: iter(()))
    assert not certificates._falsified_row().passed


def test_a_checker_that_reads_nothing_breaks_the_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> Verdict:
        raise Unreadable("no")

    monkeypatch.setattr(certificates, "check_text", refuse)
    with pytest.raises(Unreadable):
        certificates_stage(RecordedProgress())


# ---- enumeration, ledger, figures ---------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["holds", "nothing", "another"])
def test_faults_of_an_enumeration(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One table of several does not hold; none was enumerated; or none of one mechanism of a row."""
    laws = [EnumerationRow("cyclic", PublishedCount.of(2), (1, 1), 4, True, "") for _ in range(3)]
    channels = [DeclaredRow("Any", (1,), 1, True, "") for _ in range(3)]
    kinds = [(SimpleNamespace(name="Any", place=place), 1) for place in range(2)]
    found = {0: channels, 1: channels}
    monkeypatch.setattr(enumeration, "ENUMERATED", {"cyclic": None})
    monkeypatch.setattr(enumeration, "GAMMAS", (2,))
    monkeypatch.setattr(enumeration, "DECLARED", kinds)
    monkeypatch.setattr(enumeration, "enumeration_rows", lambda **_: laws)
    monkeypatch.setattr(enumeration, "declared_rows", lambda given: found[given[0][0].place])
    assert failed(enumeration.enumeration_stage(WorkerPool(1), RecordedProgress())) == set()
    if fault == "holds":
        laws[1] = replace(laws[1], holds=False, detail="another law")
        found[1] = [*channels[:2], replace(channels[2], holds=False, detail="another law")]
    else:
        found[1] = []
        laws.clear()
    if fault == "nothing":
        found[0] = []
    wanted = {"enumeration.cyclic.gamma2", "enumeration.channel.any"}
    assert failed(enumeration.enumeration_stage(WorkerPool(1), RecordedProgress())) == wanted


def test_faults_of_the_ledger() -> None:
    """A claim fails alone, or comes back without a result; neither touches the other claim."""
    assert failed(ledger_stage(MadeUpLedger(printed_sum), WorkerPool(1), RecordedProgress())) == set()
    assert failed(
        ledger_stage(MadeUpLedger(printed_sum, passed=False), WorkerPool(1), RecordedProgress())
    ) == {"a.1"}
    for kept, lost in ((slice(0, 1), {"a.2"}), (slice(1, 2), {"a.1"}), (slice(0, 0), {"a.1", "a.2"})):
        ledger: Any = MadeUpLedger(printed_sum)
        run = ledger.run
        ledger.run = lambda *given, run=run, kept=kept, **more: run(*given, **more)[kept]
        assert failed(ledger_stage(ledger, WorkerPool(1), RecordedProgress())) == lost


def test_one_wrong_point_fails_a_figure() -> None:
    def off(gamma: int, frequency: int) -> Fraction:
        return printed_sum(gamma, frequency) + Fraction((gamma, frequency) == (10, 7), 1000)

    ledger: Any = MadeUpLedger(off)
    bound = ledger.printed["splu.T3"]
    rows = figures_stage(MadeUpLedger(printed_sum), RecordedProgress()).rows
    assert [row.id for row in rows] == ["figures.figure-4", "figures.figure-5"]
    assert all(row.passed for row in rows)
    assert failed(figures_stage(ledger, RecordedProgress())) == {"figures.figure-5"}
    sound: Any = MadeUpLedger(printed_sum)
    sound.printed = {"splu.T3": lambda *point: Fraction(1) if point[2] == 500 else bound(*point)}
    assert failed(figures_stage(sound, RecordedProgress())) == {"figures.figure-4"}


def test_a_figure_without_points_is_no_pass() -> None:
    empty = replace(made_up_report().figures[0], series=())
    assert not figures._refuted_everywhere(empty).passed
    with pytest.raises(ValueError, match="empty"):  # which the suite reports as a stage that broke off
        figures._agrees(empty)


# ---- property suites and mutants --------------------------------------------------------------------

SAMPLED = '<properties><property name="budget" value="5e-8"/>{}</properties>'
CASES = {
    "failure": '<failure message="no"/>',
    "error": '<error message="no"/>',
    "skipped": '<skipped message="no"/>',
    "a failure among other parts": '<properties/><system-out>fine</system-out><failure message="no"/>',
    "a sample without an e-value": SAMPLED.format(""),
    "a sample whose e-value is none": SAMPLED.format('<property name="log10_e" value="None"/>'),
    "a sample whose e-value is empty": SAMPLED.format('<property name="log10_e" value=""/>'),
}


@pytest.mark.parametrize("fault", CASES)
def test_faults_of_a_property_suite(fault: str) -> None:
    drawn = SAMPLED.format('<property name="log10_e" value="-1"/>')
    sound = f'<testcase classname="a" name="sound">{drawn}</testcase>'
    faulty = f'<testcase classname="a" name="faulty">{CASES[fault]}</testcase>'
    outcome = parsed(f"<testsuites>{sound}{faulty}</testsuites>".encode())
    assert failed(outcome) == {"properties.a.faulty"}
    assert outcome.rows[-1].detail
    assert [row.passed for row in outcome.statistics] == [True, *([False] if "sample" in fault else [])]


@pytest.mark.parametrize("code", [-9, 1, 2, 3, 5])
def test_an_exit_code_fails_a_suite_in_which_every_test_passed(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = tmp_path / "junit.xml"
    report.write_text('<testsuites><testcase classname="a" name="b"/></testsuites>', "utf-8")
    monkeypatch.setattr(properties, "_allotted", lambda: Fraction(0))
    for ended, wanted in ((code, {"properties.pytest"}), (0, set())):
        monkeypatch.setattr(properties, "run_module", lambda *_, ended=ended: (ended, "last"))
        assert failed(properties_stage(1, {}, RecordedProgress(), report)) == wanted


def matrix(**changes: Any) -> dict[str, Any]:
    cells = {"law": "killed", "order": "alive"}
    details = {name: {"state": state, "seconds": 0.5} for name, state in cells.items()}
    mutant = {
        "name": "m",
        "sentence": "It is broken.",
        "meant_for": "law",
        "cells": cells,
        "details": details,
    }
    checks = [{"name": name, "state": "alive", "detail": "why", "seconds": 0.5} for name in cells]
    return {"checks": checks, "mutants": [{**mutant, **changes}], "faults": []}


def with_state(state: str) -> dict[str, Any]:
    found = matrix()
    found["checks"][1]["state"] = state
    return found


MATRICES: dict[str, tuple[dict[str, Any], int, set[str]]] = {
    "the run ends badly": (matrix(), 3, {"matrix"}),
    "the run is killed": (matrix(), -9, {"matrix"}),
    "a fault is reported": ({**matrix(), "faults": ["order detects no mutant"]}, 0, {"matrix"}),
    "there is no mutant": ({**matrix(), "mutants": []}, 0, {"matrix"}),
    "the shipped code fails a check": (with_state("killed"), 0, {"matrix"}),
    "a check was not run on the shipped code": (with_state("not run"), 0, {"matrix"}),
    "a mutant survives": (matrix(cells={"law": "alive", "order": "alive"}), 0, {"m"}),
    "a mutant was not tried": (matrix(cells={"law": "not run", "order": "not run"}), 0, {"m"}),
    "another check detects it": (matrix(cells={"law": "alive", "order": "killed"}), 0, {"m"}),
    "no check is meant for it": (matrix(meant_for=""), 0, {"m"}),
    "an unknown check is meant for it": (matrix(meant_for="another"), 0, {"m"}),
}


@pytest.mark.parametrize("fault", MATRICES)
def test_faults_of_a_kill_matrix(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(found: dict[str, Any], code: int) -> set[str]:
        def write(arguments: list[str], *_: object) -> tuple[int, str]:
            Path(arguments[arguments.index("--json") + 1]).write_text(json.dumps(found), "utf-8")
            return code, "last"

        monkeypatch.setattr(mutants, "run_module", write)
        return {
            name.partition(".")[2] for name in failed(mutants_stage(1, {}, RecordedProgress(), Path("none")))
        }

    assert run(matrix(), 0) == set()
    found, code, rows = MATRICES[fault]
    assert run(found, code) == rows


# ---- the report -----------------------------------------------------------------------------------

PASSED = Row("ledger", "a", "a", "proved", True)


@pytest.mark.parametrize(
    "rows",
    [
        (),
        (Row("ledger", "a", "a", "definition", True, unchecked="a definition"),),
        (Row("ledger", "a", "a", "proved", True, unchecked="recorded"),),
        (Row("ledger", "a", "a", "proved", False),),
        (Row("ledger", "a", "a", "proved", True), Row("figures", "b", "b", "fails", False)),
        (
            Row("ledger", "a", "a", "proved", True),
            Row("ledger", "b", "b", "proved", False, unchecked="recorded"),
        ),
    ],
)
def test_reports_that_do_not_hold(rows: tuple[Row, ...]) -> None:
    sound = replace(made_up_report(), rows=(PASSED,))
    assert sound.holds
    assert sound.to_json()["holds"] is True
    report = replace(sound, rows=rows)
    assert not report.holds
    assert report.to_json()["holds"] is False
