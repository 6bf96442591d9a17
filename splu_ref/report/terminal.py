"""The report on a terminal: a table, a last line, and a bar while the run lasts."""

from __future__ import annotations

from collections import Counter
from types import TracebackType
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table
from rich.text import Text

from splu_ref.guarantees import decimal_up
from splu_ref.output import fit_table, terminal, visible
from splu_ref.report.model import LEFT_OUT, Row, VerificationReport

LOG_WIDTH = 160
LEAST_EVIDENCE = 20
LONG = 20
"""Fewest steps of a stage whose progress is printed without a terminal."""
_STYLES = {
    "proved": "green",
    "verified": "green",
    "corrected": "cyan",
    "refuted": "yellow",
    "holds": "green",
    "fails": "bold red",
}


def report_view(report: VerificationReport, width: int = LOG_WIDTH, *, every: bool = False) -> Group:
    """Return the verdict, the claims by paper, and what failed, for a terminal of that many columns.

    With ``every``, a table of all rows follows.
    """
    verdict = Text(last_line(report), style="bold green" if report.holds else "bold red")
    papers = [fit_table(_paper_table(report), width)] if report.claims else []
    scopes = [Text(line) for line in scope_lines(report)]
    left_out = [Text(f"not run at level quick: {LEFT_OUT}")] if report.level == "quick" else []
    failures = [
        Text.assemble(("failed ", "bold red"), visible(row.id), ": ", visible(row.detail or row.title))
        for row in report.failures
    ]
    rows = [fit_table(table(report, width), width)] if every else []
    return Group(verdict, *papers, *scopes, *left_out, *failures, *rows)


def _paper_table(report: VerificationReport) -> Table:
    """Return the number of claims by paper and status, and of those that failed."""
    statuses = list(dict.fromkeys(row.status for row in report.claims))
    result = Table(box=SIMPLE_HEAD, pad_edge=False)
    result.add_column("Paper", overflow="fold")
    for name in (*statuses, "failed"):
        result.add_column(name, justify="right")
    for paper in report.papers:
        numbers = (*(paper.number(status) for status in statuses), paper.failed)
        result.add_row(visible(paper.name), *map(str, numbers))
    return result


def table(report: VerificationReport, width: int = LOG_WIDTH) -> Table:
    """Return the table of all rows: claim or check, status, grade, evidence, time."""
    cells = [(visible(row.id), _status(row), row.grade or "-", f"{row.seconds:.2f} s") for row in report.rows]
    taken = sum(max((len(str(row[i])) for row in cells), default=0) for i in range(4)) + 14
    one_line = width - taken >= LEAST_EVIDENCE
    title = f"splu-ref {report.environment.version}, level {report.level}"
    result = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    result.add_column("Claim or check", overflow="fold")
    result.add_column("Status")
    result.add_column("Grade")
    result.add_column("Evidence", overflow="fold")
    result.add_column("Time", justify="right", no_wrap=True)
    stage = ""
    for row, (name, status, grade, seconds) in zip(report.rows, cells, strict=True):
        if stage and row.stage != stage:
            result.add_section()
        stage = row.stage
        evidence = Text(visible(row.evidence if row.passed else row.detail or row.evidence))
        if one_line and evidence.cell_len > width - taken:
            evidence.truncate(width - taken - 2)
            evidence = Text(evidence.plain.rpartition(" ")[0] + " …")  # no number is cut
        result.add_row(name, status, grade, evidence, seconds)
    return result


def last_line(report: VerificationReport) -> str:
    """Return the verdict in one line."""
    words = "passed" if report.holds else "FAILED"
    counted = [
        f"{number} {name}{'' if number == 1 else 's'}"
        for name, rows in (("claim", report.claims), ("other check", report.checks))
        if (number := sum(row.result == "passed" for row in rows)) or name == "claim"
    ]
    budget = decimal_up(report.false_alarm_budget, 3)
    stated = report.number("definition")
    unchecked = [
        *([f"{stated} definition{'s' if stated > 1 else ''}"] if stated else []),
        *([f"{recorded} recorded, not checked here"] if (recorded := report.number("recorded")) else []),
    ]
    return "; ".join(
        (
            f"{words}: {', '.join(counted)} came out as stated, {report.failed} did not",
            *unchecked,
            f"false-alarm budget {budget}",
            f"{report.seconds:.1f} s",
        )
    )


def scope_lines(report: VerificationReport) -> list[str]:
    """Return how many claims are decided in general and on instances, by grade of evidence."""
    lines = []
    for scope, words in (
        ("general", "claims decided in general"),
        ("instances", "claims verified on instances"),
    ):
        grades = Counter(row.grade for row in report.rows if row.scope == scope and row.passed)
        if grades:
            counts = ", ".join(f"{number} {grade}" for grade, number in grades.most_common())
            lines.append(f"{words}: {grades.total()} ({counts})")
    return lines


def _status(row: Row) -> Text:
    if row.result == "recorded":
        return Text(row.status if row.status == "not run" else f"{row.status}, recorded", style="dim")
    if row.passed:
        return Text(row.status, style=_STYLES.get(row.status, ""))
    return Text(row.status if row.status == "fails" else f"{row.status}, fails", style="bold red")


class TerminalProgress:
    """A bar on standard error if that is a terminal, else lines; use as a context manager.

    A line is printed for each stage, and for each tenth of one with at least `LONG` steps.
    """

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or terminal.console(stderr=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[step]}", markup=False),
            console=self._console,
            transient=True,
            disable=not self._console.is_terminal,
        )
        self._task = self._bar.add_task("", total=None, step="")
        self._stage, self._steps, self._tenths = "", 0, 0

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def stage(self, title: str, steps: int | None = None) -> None:
        """Show that a stage begins."""
        if not self._console.is_terminal:
            terminal.say(f"verify: {title}", stderr=True)
        self._stage, self._steps, self._tenths = title, steps or 0, 0
        self._bar.reset(self._task, description=visible(title), total=steps, step="")

    def at(self, step: str, done: int) -> None:
        """Show that a step begins."""
        if not self._console.is_terminal and self._steps >= LONG and done * 10 // self._steps > self._tenths:
            self._tenths = done * 10 // self._steps
            terminal.say(f"verify: {self._stage}: {done} of {self._steps}", stderr=True)
        self._bar.update(self._task, completed=done, step=visible(step))
