from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from splu_ref.audit import DeclaredRow, EnumerationRow
from splu_ref.certificate_checker import Verdict, check_text
from splu_ref.channels import PublishedCount
from splu_ref.guarantees import KernelVerdict, KernelWord, privacy_certificate
from splu_ref.mechanisms import Release, SpluGen
from splu_ref.report.stages import certificates, enumeration, publication
from splu_ref.report.stages.certificates import FALSIFIED, certificates_stage, falsifications
from splu_ref.report.stages.ledger import ledger_stage
from splu_ref.report.stages.publication import publication_stage
from splu_ref.report.workers import WorkerPool
from tests.report.documents import publication_outcome
from tests.rounding import near

BUDGET = Path(__file__).parents[2] / "property_tests" / "error_budget.json"


def test_a_ledger_row_states_the_whole_claim(made_up_ledger: Callable[..., Any], recorder: Any) -> None:
    first, second = ledger_stage(made_up_ledger(lambda *_: 0), WorkerPool(1), recorder).rows
    assert (first.id, first.status, first.grade, first.passed) == ("a.1", "proved", "exact", True)
    assert (first.witness, first.corrected_by, first.words) == ("", "", "True.")
    assert second.witness == "f = 2: printed 1, true 2. 2 > 1. Smallest by f."
    assert (second.corrected_by, second.statement, second.source) == ("a.1", r"f\le 1", "§2")
    assert recorder.steps == [("a.1", 0)]


def test_a_claim_that_failed_is_a_row_that_failed(made_up_ledger: Callable[..., Any], recorder: Any) -> None:
    first, second = ledger_stage(made_up_ledger(lambda *_: 0, passed=False), WorkerPool(1), recorder).rows
    assert (first.passed, first.detail, second.passed) == (False, "the proof is outdated", True)


def test_certificates_check_and_falsified_ones_do_not(recorder: Any) -> None:
    rows = certificates_stage(recorder).rows
    assert [row.id for row in rows if not row.passed] == []
    assert "2401" in next(row.detail for row in rows if row.id == "certificates.threshold-2401")
    assert int(rows[-1].evidence.split()[0]) >= 24


def test_a_checker_that_believes_everything_is_detected(
    monkeypatch: pytest.MonkeyPatch, recorder: Any
) -> None:
    monkeypatch.setattr(certificates, "check_text", lambda _: Verdict(True, "anything", "fine"))
    assert [row.id for row in certificates_stage(recorder).rows if not row.passed] == [
        "certificates.falsified"
    ]


def test_a_checker_that_believes_nothing_is_detected(monkeypatch: pytest.MonkeyPatch, recorder: Any) -> None:
    monkeypatch.setattr(certificates, "check_text", lambda _: Verdict(False, "anything", "never"))
    failed = [row.id for row in certificates_stage(recorder).rows if not row.passed]
    assert len(failed) == 4
    assert "certificates.falsified" not in failed


@pytest.mark.parametrize(
    ("word", "passed"), [(KernelWord.VALID, True), (KernelWord.FALSE, False), (KernelWord.NOT_COVERED, False)]
)
def test_the_proved_checker_must_accept_every_certificate(
    word: KernelWord, passed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificates, "kernel_program", lambda: Path("built"))
    monkeypatch.setattr(certificates, "kernel_check", lambda _: KernelVerdict(word, ""))
    row = certificates._kernel_row()
    assert (row.passed, row.result) == (passed, "passed" if passed else "failed")
    assert row.evidence.startswith("4 certificates and ")


def test_where_the_proved_checker_is_not_built_the_row_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "kernel_program", lambda: None)
    row = certificates._kernel_row()
    assert (row.status, row.result) == ("not run", "recorded")
    assert "make coq" in row.evidence


@pytest.mark.parametrize("section", FALSIFIED)
def test_a_falsification_changes_one_character(section: str) -> None:
    certificate = privacy_certificate(10, "3/10", 3)
    text = json.dumps(certificate)
    found = list(falsifications(certificate, section))
    assert found
    for _, changed in found:
        other = json.dumps(changed)
        assert len(other) == len(text)
        assert sum(a != b for a, b in zip(text, other, strict=True)) == 1
        assert changed[section] != certificate[section]
    assert check_text(text).valid


def test_enumeration_rows_are_gathered_by_plan_and_group_size(
    monkeypatch: pytest.MonkeyPatch, recorder: Any
) -> None:
    made_up = [
        EnumerationRow("anatomy", PublishedCount.of(2), (1, 1), 4, True, ""),
        EnumerationRow("anatomy", PublishedCount.of(2, 1), (2, 2), 64, False, "the law differs"),
        EnumerationRow("cyclic", PublishedCount.of(3), (1, 1, 1), 27, True, ""),
    ]

    def rows(plans: Iterable[str], gammas: Iterable[int]) -> Any:
        return [row for row in made_up if row.plan in plans and row.law.gamma in gammas]

    made_up += [EnumerationRow("cyclic", PublishedCount.of(2), (1, 1), 4, True, "")]
    declared = {
        "once": DeclaredRow("DBR", (1,), 1, True, ""),
        "twice": DeclaredRow("DBR", (2, 1), 27, False, "another law"),
    }
    mechanisms = [(SimpleNamespace(name="DBR", key=key), 1) for key in declared]
    monkeypatch.setattr(enumeration, "ENUMERATED", {"anatomy": None, "cyclic": None})
    monkeypatch.setattr(enumeration, "DECLARED", mechanisms)
    monkeypatch.setattr(enumeration, "enumeration_rows", rows)
    monkeypatch.setattr(
        enumeration, "declared_rows", lambda given: [declared[mechanism.key] for mechanism, _ in given]
    )
    first, empty, other, second, third = enumeration.enumeration_stage(WorkerPool(1), recorder).rows
    assert (empty.id, empty.passed) == ("enumeration.anatomy.gamma3", False)  # nothing was enumerated
    assert (other.id, other.passed) == ("enumeration.cyclic.gamma2", True)
    assert (first.id, first.passed, first.detail) == ("enumeration.anatomy.gamma2", False, "the law differs")
    assert "68 outcomes in 2 tables, p = 1/2, 1;" in first.evidence
    assert (second.id, second.passed) == ("enumeration.cyclic.gamma3", True)
    assert (third.id, third.passed, third.detail) == ("enumeration.channel.dbr", False, "another law")
    assert "28 outcomes of 2 mechanisms and tables" in third.evidence
    assert [step for step, _ in recorder.steps[:2]] == ["cyclic, gamma 2", "cyclic, gamma 3"]
    assert [done for _, done in recorder.steps] == list(range(6))
    declared["twice"] = DeclaredRow("DBR", (2, 1), 27, True, "")
    assert enumeration.enumeration_stage(WorkerPool(1), recorder).rows[-1].passed
    # One of the two mechanisms of a row is not enumerated.
    monkeypatch.setattr(
        enumeration,
        "declared_rows",
        lambda given: [declared["once"] for mechanism, _ in given if mechanism.key == "once"],
    )
    assert not enumeration.enumeration_stage(WorkerPool(1), recorder).rows[-1].passed


def test_the_embedded_table_is_published_as_promised() -> None:
    outcome, _ = publication_outcome()
    assert [row.id for row in outcome.rows if not row.passed] == []
    assert [audit.gamma for audit in outcome.publications] == [5, 9]
    for audit in outcome.publications:
        assert audit.rows_out + audit.suppressed == audit.rows_in
        assert sum(value.frequency for value in audit.values) == audit.rows_out
        assert sum(value.published for value in audit.values) == audit.rows_out
        rare = [value.promise for value in audit.values if value.frequency <= 10]
        assert set(rare) == {"protected"}
        assert len(rare) >= 14
        assert {value.promise for value in audit.values} == {"protected", "accurate", ""}


def test_its_budget_is_the_committed_one(recorder: Any) -> None:
    entry = json.loads(BUDGET.read_text("utf-8"))["checks"]["report.publication"]
    assert len(publication.GAMMAS) == entry["executions"]
    assert float(publication.BUDGET) * entry["executions"] == near(float(entry["level"]))


def broken_publish(damage: Callable[[Release], Release]) -> Callable[..., Release]:
    shipped = SpluGen.publish
    return lambda *arguments, **options: damage(shipped(*arguments, **options))


def doubled_first_row(release: Release) -> Release:
    rows = np.arange(release.table.row_count, dtype=np.int64)
    rows[0] = rows[1]
    return replace(release, table=release.table.take(rows))


def one_row_less(release: Release) -> Release:
    rows = np.arange(1, release.table.row_count, dtype=np.int64)
    return replace(release, table=release.table.take(rows))


def most_frequent_value_favored(release: Release) -> Release:
    codes = release.table.codes(publication.COLUMN).copy()
    codes[:1500] = np.bincount(codes).argmax()
    return replace(release, table=release.table.with_codes(publication.COLUMN, codes))


@pytest.mark.parametrize(
    ("damage", "detected"),
    [
        (doubled_first_row, {"non-sensitive"}),
        (one_row_less, {"rows", "non-sensitive"}),
        (most_frequent_value_favored, {"law"}),
    ],
)
def test_a_damaged_release_is_detected(
    damage: Callable[[Release], Release],
    detected: set[str],
    monkeypatch: pytest.MonkeyPatch,
    recorder: Any,
) -> None:
    monkeypatch.setattr(SpluGen, "publish", broken_publish(damage))
    monkeypatch.setattr(publication, "GAMMAS", (9,))
    outcome = publication_stage("2014", recorder)
    assert {row.id.rpartition(".")[2] for row in outcome.rows if not row.passed} == detected
