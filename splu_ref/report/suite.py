"""The verification suite: every stage, one after the other, none of which can lose the report."""

from __future__ import annotations

import os
import platform
import secrets
import shlex
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from time import perf_counter

from splu_ref import SPECIFICATION, __version__
from splu_ref.channels import InputError, ParameterError
from splu_ref.mechanisms import code_digest
from splu_ref.report.model import Environment, Level, VerificationReport
from splu_ref.report.progress import NoProgress, Progress
from splu_ref.report.stages.certificates import certificates_stage
from splu_ref.report.stages.enumeration import enumeration_stage
from splu_ref.report.stages.figures import figures_stage
from splu_ref.report.stages.ledger import Ledger, ledger_stage
from splu_ref.report.stages.mutants import mutants_stage
from splu_ref.report.stages.outcome import Outcome, check_row
from splu_ref.report.stages.properties import properties_stage
from splu_ref.report.stages.publication import publication_stage
from splu_ref.report.workers import WorkerPool, usable_processors

FIXED_SEED = "2014"
"""The seed of every run that neither asks for a fresh one nor is given one."""
SEED_VARIABLE = "SPLU_REF_RUN_SEED"
"""Environment variable that gives a run its seed, so that a run with a fresh seed can be repeated."""
LEVELS: tuple[Level, ...] = ("quick", "full")
PACKAGES = (
    "numpy",
    "scipy",
    "sympy",
    "mpmath",
    "polars",
    "narwhals",
    "matplotlib",
    "z3-solver",
    "hypothesis",
)
SUITES = "property_tests"


def run_suite(
    level: Level,
    ledger: Ledger,
    *,
    workers: int | None = None,
    fresh_seed: bool = False,
    progress: Progress | None = None,
) -> VerificationReport:
    """Run the verification suite.

    Parameters
    ----------
    level
        ``"quick"`` needs only the installed package; ``"full"`` needs the current folder to be the root of
        a checkout, whose property suites and mutants it runs as well.
    ledger
        The claims.
    workers
        Processes that share the claims, enumerations, property suites and mutants, at least 1; one for each
        processor that may be used unless given. Every claim, check and mutant is run whole by one of them,
        with the draws that the seed gives it, so that what is found does not depend on their number.
    fresh_seed
        Whether sampled data come from a new seed instead of the fixed one, or the one that the environment
        variable ``SPLU_REF_RUN_SEED`` gives.
    progress
        Called for every stage and step.

    Returns
    -------
    VerificationReport
        Whatever happens in a stage: an exception there is a failed row.

    Raises
    ------
    InputError
        For an unknown level, fewer than one worker, or level full outside a checkout.
    """
    if level not in LEVELS:
        raise ParameterError(f"level {level!r} is unknown: choose quick or full")
    if workers is not None and workers < 1:
        raise ParameterError(f"workers must be at least 1, not {workers}")
    if level == "full" and not Path(SUITES).is_dir():
        raise InputError(
            f"level full needs a checkout, and the current folder has no {SUITES}/: "
            "run it in the root of a checkout, or use --level quick"
        )
    number = workers or usable_processors()
    watcher = progress or NoProgress()
    seed = secrets.token_hex(8) if fresh_seed else os.environ.get(SEED_VARIABLE) or FIXED_SEED
    environment = _environment(level, number, seed, fresh_seed=fresh_seed)
    begin = perf_counter()
    variables = {SEED_VARIABLE: seed}
    with ExitStack() as stack:
        pool = stack.enter_context(WorkerPool(number))
        stages: list[tuple[str, Callable[[], Outcome]]] = [
            ("ledger", lambda: ledger_stage(ledger, pool, watcher, coq=level == "full")),
            ("certificates", lambda: certificates_stage(watcher)),
            ("enumeration", lambda: enumeration_stage(pool, watcher)),
            ("publication", lambda: publication_stage(seed, watcher)),
            ("figures", lambda: figures_stage(ledger, watcher)),
        ]
        if level == "full":
            suites = Path(stack.enter_context(TemporaryDirectory(prefix="splu-ref-"))) / "junit.xml"
            stages += [
                ("properties", lambda: properties_stage(number, variables, watcher, suites)),
                ("mutants", lambda: mutants_stage(number, variables, watcher, suites)),
            ]
        outcomes = [guarded(name, run) for name, run in stages]
    return VerificationReport(
        level=level,
        rows=tuple(row for outcome in outcomes for row in outcome.rows),
        environment=environment,
        seconds=perf_counter() - begin,
        statistics=tuple(row for outcome in outcomes for row in outcome.statistics),
        publications=tuple(audit for outcome in outcomes for audit in outcome.publications),
        kill_matrix=next((outcome.kill_matrix for outcome in outcomes if outcome.kill_matrix), None),
        figures=tuple(figure for outcome in outcomes for figure in outcome.figures),
        false_alarm_budget=sum((outcome.budget for outcome in outcomes), Fraction(0)),
    )


def guarded(stage: str, run: Callable[[], Outcome]) -> Outcome:
    """Return what a stage found; if it breaks, or finds nothing to check, a failed row that says so."""
    begin, outcome = perf_counter(), Outcome()
    try:
        outcome = run()
    except Exception as error:  # a broken stage is a finding, and must not take the others with it
        detail = f"{type(error).__name__}: {' '.join(str(error).split())}"
        evidence = "the stage broke off"
    else:
        unsaid = _failed_exhibits(outcome)
        if outcome.rows and not unsaid:
            return outcome
        detail, evidence = "nothing was checked", "the stage came back without a row"
        if outcome.rows:
            detail, evidence = f"failed without a row: {', '.join(unsaid)}", "rows and exhibits compared"
    seconds = perf_counter() - begin
    title = f"The stage {stage} runs to its end"
    failed = check_row(stage, "stage", title, False, evidence=evidence, detail=detail, seconds=seconds)
    return replace(outcome, rows=(*outcome.rows, failed))


def _failed_exhibits(outcome: Outcome) -> list[str]:
    """Return what failed in the exhibits of a stage all of whose rows passed."""
    if not all(row.passed for row in outcome.rows):
        return []
    failed = [row.check for row in outcome.statistics if not row.passed]
    failed += [value.value for audit in outcome.publications for value in audit.values if not value.kept]
    if outcome.kill_matrix is not None:
        failed += [mutant.name for mutant in outcome.kill_matrix.mutants if not mutant.killed]
    return failed


def _environment(level: Level, workers: int, seed: str, *, fresh_seed: bool) -> Environment:
    given = "" if seed == FIXED_SEED else f"{SEED_VARIABLE}={shlex.quote(seed)} "
    return Environment(
        version=__version__,
        specification=SPECIFICATION,
        commit=_commit(),
        code=code_digest(),
        python=f"{platform.python_implementation()} {platform.python_version()}",
        platform=platform.platform(),
        processors=os.cpu_count() or 1,
        workers=workers,
        seed=seed,
        fresh_seed=fresh_seed,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        packages=tuple((name, found) for name in PACKAGES if (found := _version(name))),
        command=f"{given}splu-ref verify --level {level} --report report",
    )


def _commit() -> str:
    """Return the commit of the checkout that this code stands in, or an empty text."""
    root, git = Path(__file__).parents[2], which("git")
    if git is None or not (root / ".git").exists():
        return ""

    def said(*arguments: str) -> str:
        command = [git, "-C", str(root), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        return done.stdout.strip() if done.returncode == 0 else ""

    commit = said("rev-parse", "HEAD")
    return (
        f"{commit}, changed" if commit and said("status", "--porcelain", "--untracked-files=no") else commit
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
