"""The committed error budget: its sum, its completeness, and that nothing samples outside it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from property_tests.budget import BUDGET_FILE, LARGEST_TOTAL, BudgetError, budget
from property_tests.checking import Check, Outcome, sequential_outcome
from property_tests.checks import CHECKS
from property_tests.checks.chosen_releases import EXAMPLES, MATRIX_EXAMPLES
from property_tests.run import Run
from property_tests.subject import SHIPPED, Subject
from splu_ref.audit import EValue
from splu_ref.report.stages import publication

ELSEWHERE = {"report.publication"}


def test_the_sum_is_at_most_one_in_a_million() -> None:
    entries = json.loads(BUDGET_FILE.read_text(encoding="utf-8"))["checks"]
    assert sum(Fraction(entry["level"]) for entry in entries.values()) <= LARGEST_TOTAL == Fraction("1e-6")


def test_each_sampled_check_has_an_entry_and_each_entry_a_check() -> None:
    sampled = {name for name, check in CHECKS.items() if check.grade == "statistical"}
    assert sampled | ELSEWHERE == set(budget())


def test_the_audit_of_the_report_stays_within_its_entry() -> None:
    entry = budget()["report.publication"]
    assert len(publication.GAMMAS) <= entry.executions
    assert publication.BUDGET * len(publication.GAMMAS) <= entry.level


def test_an_overdrawn_budget_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "budget.json"
    entry = {"level": "6e-7", "executions": 1}
    file.write_text(json.dumps({"checks": {"a": entry, "b": entry}}), encoding="utf-8")
    with pytest.raises(BudgetError, match="more than 1e-6"):
        budget(file)


def test_a_check_without_an_entry_cannot_run() -> None:
    started = []

    def function(subject: Subject, run: Run) -> Outcome:
        started.append(run)
        return Outcome(True)

    check = Check("not.in.the.budget", "", "statistical", function)
    with pytest.raises(BudgetError, match="no entry"):
        check(SHIPPED, Run("seed"))
    assert not started


def test_examples_share_the_level_and_end_with_it() -> None:
    run = Run("seed")
    entry = budget()["generated.counts"]
    assert entry.executions == EXAMPLES + MATRIX_EXAMPLES
    assert run.level("generated.counts", 0) == entry.level / entry.executions
    with pytest.raises(BudgetError, match="22 times"):
        run.level("generated.counts", entry.executions)


def test_streams_depend_on_seed_check_and_example_alone() -> None:
    def drawn(run: Run, check: str, example: int) -> bytes:
        return run.stream(SHIPPED, check, example).read(16)

    first = drawn(Run("a"), "x", 0)
    assert (
        drawn(Run("a", "matrix"), "x", 0) == first
    )  # so the smaller sample is the beginning of the full one
    assert len({first, drawn(Run("b"), "x", 0), drawn(Run("a"), "y", 0), drawn(Run("a"), "x", 1)}) == 4


def test_a_sample_stops_at_the_first_rejection_and_records_the_value_there() -> None:
    levels = []

    def evidence() -> Iterator[EValue]:
        for log10 in (1.0, 9.0, 2.0):
            levels.append(log10)
            yield EValue(log10)

    outcome = sequential_outcome(Run("seed"), "release.counts", evidence(), lambda level: "none")
    assert (outcome.passed, outcome.log10_e, outcome.budget) == (False, 9.0, Fraction(1, 2 * 10**7))
    assert levels == [1.0, 9.0]


def test_a_sample_that_ends_states_its_last_value_and_the_power() -> None:
    outcome = sequential_outcome(
        Run("seed"), "release.counts", iter([EValue(3.0), EValue(-1.0)]), lambda level: f"at {level}"
    )
    assert (outcome.passed, outcome.log10_e, outcome.power) == (True, -1.0, "at 1/20000000")


def test_a_sampled_check_that_draws_nothing_does_not_pass() -> None:
    outcome = sequential_outcome(Run("seed"), "release.counts", iter(()), lambda level: "none")
    assert (outcome.passed, outcome.log10_e, outcome.detail) == (False, None, "nothing was drawn")
