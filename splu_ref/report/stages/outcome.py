"""The outcome of one stage of a run, and stages that run in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.report.exhibits import Figure, KillMatrix, PublicationAudit
from splu_ref.report.model import Row, StatisticalRow


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rows of a stage, and the exhibits that it adds to the report.

    ``budget`` bounds the chance that bad luck alone fails the stage.
    """

    rows: tuple[Row, ...] = ()
    statistics: tuple[StatisticalRow, ...] = ()
    publications: tuple[PublicationAudit, ...] = ()
    kill_matrix: KillMatrix | None = None
    figures: tuple[Figure, ...] = ()
    budget: Fraction = Fraction(0)


def check_row(
    stage: str,
    name: str,
    title: str,
    passed: bool,
    *,
    grade: str = "",
    evidence: str = "",
    detail: str = "",
    seconds: float = 0.0,
) -> Row:
    """Return the row of a check that is not a claim of the ledger."""
    status = "holds" if passed else "fails"
    return Row(
        stage=stage,
        id=f"{stage}.{name}",
        title=title,
        status=status,
        passed=passed,
        grade=grade,
        evidence=evidence,
        seconds=seconds,
        detail=detail,
    )


LAST_LINES = 15


class ChildError(Exception):
    """The process ended without the result that it was started for; the text has its last lines."""


def run_module(
    arguments: Sequence[str], variables: Mapping[str, str], heard: Callable[[str], None]
) -> tuple[int, str]:
    """Run ``python -m`` with ``arguments`` in the current folder."""
    last: deque[str] = deque(maxlen=LAST_LINES)
    with subprocess.Popen(  # noqa: S603 - this Python, with arguments that this package writes
        [sys.executable, "-m", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **variables, "PYTHONUNBUFFERED": "1"},
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                last.append(line.rstrip())
                heard(line.rstrip())
        except BaseException:
            process.terminate()  # an interrupt must not leave the process running
            raise
    return process.returncode, "\n".join(last)
