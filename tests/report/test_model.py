from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from splu_ref.report.exhibits import KillMatrix, MutantRow
from splu_ref.report.model import Row, StatisticalRow, VerificationReport


def test_counts_and_verdict(report: VerificationReport) -> None:
    assert (report.passed, report.failed, report.holds) == (2, 1, False)
    sound = replace(report, rows=report.claims)
    assert (sound.passed, sound.failed, sound.holds) == (2, 0, True)


def test_a_run_without_rows_does_not_hold(report: VerificationReport) -> None:
    assert not replace(report, rows=()).holds


def test_the_decimal_of_the_budget_is_not_below_it(report: VerificationReport) -> None:
    budget = replace(report, false_alarm_budget=Fraction(1, 3)).to_json()["false_alarm_budget"]
    assert isinstance(budget, dict)
    assert budget["fraction"] == "1/3"
    assert Fraction(str(budget["decimal"])) > Fraction(1, 3)


def test_json_has_the_promised_keys_and_survives_a_round_trip(report: VerificationReport) -> None:
    found = json.loads(json.dumps(report.to_json()))
    assert {"claims", "passed", "failed", "false_alarm_budget", "seconds"} <= found.keys()
    assert [claim["id"] for claim in found["claims"]] == ["splu.B", "splu.T3"]
    assert found["claims"][0]["witness"] is None
    assert found["claims"][1]["corrected_by"] == "splu.B"
    assert "witness" not in found["checks"][0]
    assert found["kill_matrix"]["mutants"][0]["cells"]["law"] == "killed"
    assert found["publications"][0]["values"][0]["relative_error"] == 0.1
    assert found["figures"][0]["series"][1]["points"] == [[1, 0.05], [2, 0.025]]
    assert found["environment"]["packages"] == {"numpy": "2.0"}


def test_a_mutant_is_killed_by_one_check_and_by_no_other_word() -> None:
    matrix = KillMatrix(
        ("a", "b"), (MutantRow("x", "", ("alive", "killed")), MutantRow("y", "", ("alive", "not run")))
    )
    assert matrix.killed == 1


def test_a_ragged_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="mutant x has 1 of 2 cells"):
        KillMatrix(("a", "b"), (MutantRow("x", "", ("alive",)),))


@pytest.mark.parametrize(("budget", "threshold"), [(Fraction(1, 10**7), 7), (Fraction(1, 2), 0.30103)])
def test_a_check_fails_from_one_over_its_budget_on(budget: Fraction, threshold: float) -> None:
    row = StatisticalRow("law", None, budget, "", True)
    assert row.threshold == pytest.approx(threshold, abs=1e-6)


def test_a_row_of_the_ledger_has_keys_that_other_rows_have_not() -> None:
    row = Row("ledger", "a", "first", "proved", True, "exact", "summed", 0.12345, unchecked="recorded")
    common = {
        "stage": "ledger", "id": "a", "title": "first", "status": "proved", "grade": "exact",
        "evidence": "summed", "seconds": 0.123, "detail": "",
    }  # fmt: skip
    words = {"scope": None, "source": "", "statement": "", "words": ""}
    assert row.to_json() == {
        **common, **words, "passed": None, "result": "recorded", "witness": None, "corrected_by": None,
        "unchecked": "recorded",
    }  # fmt: skip
    assert replace(row, stage="figures", unchecked="").to_json() == {
        **common, "stage": "figures", "passed": True, "result": "passed",
    }  # fmt: skip
    failed = replace(row, passed=False, unchecked="").to_json()
    assert (failed["passed"], failed["result"], failed["unchecked"]) == (False, "failed", None)
