from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from splu_ref.channels.parameters import InputError
from splu_ref.report import suite
from splu_ref.report.progress import NoProgress
from splu_ref.report.stages.outcome import Outcome, check_row
from splu_ref.report.suite import FIXED_SEED, SEED_VARIABLE, guarded, run_suite


def fine(name: str) -> Callable[..., Outcome]:
    return lambda *_, **__: Outcome(rows=(check_row(name, "x", "x", True),))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Replace every stage by one row that passes; return the arguments of the property stage."""
    seen: list[tuple[Any, ...]] = []

    def remembered(*arguments: Any) -> Outcome:
        seen.append(arguments)
        return fine("properties")()

    for name in ("ledger", "certificates", "enumeration", "publication", "figures", "mutants"):
        monkeypatch.setattr(suite, f"{name}_stage", fine(name))
    monkeypatch.setattr(suite, "properties_stage", remembered)
    monkeypatch.delenv(SEED_VARIABLE, raising=False)
    return seen


def stages(report: Any) -> list[str]:
    return [row.stage for row in report.rows]


QUICK = ["ledger", "certificates", "enumeration", "publication", "figures"]


@pytest.mark.usefixtures("short")
def test_quick_needs_no_checkout_and_no_folder_for_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    report = run_suite("quick", object())  # type: ignore[arg-type]  # the stages are replaced
    assert stages(report) == QUICK
    assert report.holds
    assert report.environment.command == "splu-ref verify --level quick --report report"
    assert dict(report.environment.packages).keys() >= {"numpy", "polars"}


@pytest.mark.usefixtures("short")
def test_full_outside_a_checkout_says_where_to_run_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="in the root of a checkout, or use --level quick"):
        run_suite("full", object())  # type: ignore[arg-type]  # as above


def test_full_runs_the_suites_with_the_seed_of_the_run(
    short: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "property_tests").mkdir()
    report = run_suite("full", object(), workers=3)  # type: ignore[arg-type]  # as above
    assert stages(report) == [*QUICK, "properties", "mutants"]
    assert short[0][:2] == (3, {SEED_VARIABLE: FIXED_SEED})


@pytest.mark.usefixtures("short")
def test_a_fresh_seed_is_new_and_can_be_given_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (run_suite("quick", object(), fresh_seed=True).environment for _ in range(2))  # type: ignore[arg-type]  # as above
    assert one.seed != two.seed
    assert one.command.startswith(f"{SEED_VARIABLE}={one.seed} splu-ref verify")
    monkeypatch.setenv(SEED_VARIABLE, one.seed)
    again = run_suite("quick", object()).environment  # type: ignore[arg-type]  # as above
    assert (again.seed, again.command) == (one.seed, one.command)


@pytest.mark.usefixtures("short")
def test_a_stage_that_breaks_fails_and_the_others_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Outcome:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(suite, "enumeration_stage", broken)
    report = run_suite("quick", object())  # type: ignore[arg-type]  # as above
    assert stages(report) == QUICK
    (failure,) = report.failures
    assert (failure.id, failure.detail) == ("enumeration.stage", "RuntimeError: two lines")


@pytest.mark.usefixtures("short")
def test_the_budget_of_a_run_is_that_of_its_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, level in (("enumeration", 2), ("publication", 3)):
        outcome = replace(fine(name)(), budget=Fraction(level, 10**8))
        monkeypatch.setattr(suite, f"{name}_stage", lambda *_, outcome=outcome: outcome)
    assert run_suite("quick", object()).false_alarm_budget == Fraction(5, 10**8)  # type: ignore[arg-type]  # as above


def test_a_stage_that_checks_nothing_fails() -> None:
    (row,) = guarded("mutants", Outcome).rows
    assert (row.id, row.passed, row.detail) == ("mutants.stage", False, "nothing was checked")


def test_how_long_a_stage_took_that_broke_off(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((1.0, 3.5))
    monkeypatch.setattr(suite, "perf_counter", lambda: next(clock))
    (row,) = guarded("mutants", Outcome).rows
    assert row.seconds == 2.5


def test_every_stage_states_where_it_is(
    short: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "property_tests").mkdir()
    heard: list[object] = []
    for name in ("ledger", "certificates", "enumeration", "publication", "figures", "mutants"):

        def hearing(*arguments: object, name: str = name, **_: object) -> Outcome:
            heard.extend(each for each in arguments if isinstance(each, NoProgress))
            return fine(name)()

        monkeypatch.setattr(suite, f"{name}_stage", hearing)
    recorder = NoProgress()
    run_suite("full", object(), progress=recorder)  # type: ignore[arg-type]  # as above
    assert heard == [recorder] * 6
    assert short[-1][2] is recorder
    run_suite("quick", object())  # type: ignore[arg-type]  # as above
    assert len(heard) == 11


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("level", "workers", "said"), [("medium", 1, "quick or full"), ("quick", 0, "at least 1")]
)
def test_unusable_options(level: Any, workers: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        run_suite(level, object(), workers=workers)  # type: ignore[arg-type]  # as above


def test_the_commit_is_reported_and_whether_files_differ_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[list[str]] = []
    answers = {"rev-parse": "abc\n", "status": ""}

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        requested.append(command)
        answer = answers.get(command[3])
        return subprocess.CompletedProcess(
            command, int(answer is None), "unheard of" if answer is None else answer
        )

    monkeypatch.setattr(suite, "__file__", str(tmp_path / "splu_ref" / "report" / "suite.py"))
    monkeypatch.setattr(suite, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr("splu_ref.report.suite.subprocess.run", run)
    assert suite._commit() == ""
    assert not requested
    (tmp_path / ".git").mkdir()
    assert suite._commit() == "abc"
    assert [command[:4] for command in requested] == [
        ["/bin/git", "-C", str(tmp_path), word] for word in ("rev-parse", "status")
    ]
    answers["status"] = " M a.py\n"
    assert suite._commit() == "abc, changed"
    del answers["rev-parse"]
    assert suite._commit() == ""
    monkeypatch.setattr(suite, "which", lambda _: None)
    assert suite._commit() == ""
