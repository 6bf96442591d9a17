"""``splu-ref conform``: hold another implementation to the test vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from splu_ref.cli.output import AsJson, Force, show
from splu_ref.cli.progress import counted
from splu_ref.conformance import (
    Conformance,
    Limits,
    check_ids,
    conform,
    junit,
    read_expected_failures,
    read_vectors,
    vector_files,
)
from splu_ref.files import refuse_existing, write_whole
from splu_ref.model import ParameterError, shown
from splu_ref.terminal import draw, visible

EXAMPLE = "splu-ref conform -- python -m splu_ref.conformance"
_SHOWN = 20
_UNLESS_TOLD = Limits()
_WEEK = 7 * 24 * 3600  # seconds
_MOST_MEMORY = 1 << 24  # MiB


def run(
    command: Annotated[list[str], typer.Argument(help="The program and its arguments, after --.")],
    xfail: Annotated[
        Path | None, typer.Option("--xfail", help="Failures that are expected: an id and a reason a line.")
    ] = None,
    smoke: Annotated[
        bool, typer.Option("--smoke", help="A few vectors of each file, and fewer releases at random.")
    ] = False,
    timeout: Annotated[
        float, typer.Option("--timeout", help="Seconds that an answer may take.")
    ] = _UNLESS_TOLD.answer,
    run_time: Annotated[
        float, typer.Option("--time", help="Seconds that the whole run may take.")
    ] = _UNLESS_TOLD.run,
    cpu: Annotated[
        int,
        typer.Option("--cpu", help="Seconds of processor time that the program may take, with its children."),
    ] = _UNLESS_TOLD.processor,
    memory: Annotated[
        int,
        typer.Option("--memory", help="MiB that the program may hold, with its children. Linux only."),
    ] = _UNLESS_TOLD.memory,
    vectors: Annotated[
        Path | None, typer.Option("--vectors", help="Take the vectors of this folder instead of our own.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--junit", help="Write the outcome as JUnit XML here.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Hold a program to the test vectors, and its releases at random to their law.

    The program reads one JSON object a line and answers one a line; the page "Conformance" of the
    specification says which. Exit 0: everything that it supports is right. 1: something is not.
    """
    for name, value, most in (
        ("--timeout", timeout, 3600),
        ("--time", run_time, _WEEK),
        ("--cpu", cpu, _WEEK),
        ("--memory", memory, _MOST_MEMORY),
    ):
        if not 0 < value <= most:
            told = shown(value) if isinstance(value, int) else f"{value:g}"
            raise ParameterError(f"{name} is {told}: give a number above 0 and up to {most}")
    if report is not None:
        refuse_existing(report, force=force)
    with counted("asking") as progress:
        files = vector_files() if vectors is None else read_vectors(vectors)
        known = {vector.id for file in files for vector in file.vectors} | set(check_ids())
        reasons = read_expected_failures(xfail, known) if xfail is not None else {}
        outcome = conform(
            command,
            files,
            expected_failures=reasons,
            smoke=smoke,
            limits=Limits(timeout, run_time, cpu, memory),
            progress=progress,
        )
    if report is not None:
        write_whole(report, junit(outcome), force=force)
    if as_json:
        show(outcome.to_json(), [], as_json=True)
    else:
        _show(outcome)
    return 0 if outcome.holds else 1


def _show(outcome: Conformance) -> None:
    title = f"{outcome.name} {outcome.version}, specification {outcome.specification}".strip()
    table = Table(title=Text(visible(title)))
    table.add_column("operation")
    columns = ("passed", "failed", "skipped", "xfailed", "xpassed")
    for name in columns:
        table.add_column(name, justify="right")
    for operation, counts in outcome.by_operation().items():
        table.add_row(Text(visible(operation)), *(str(counts[name] or "") for name in columns))
    draw(table)
    failures = outcome.failures()
    lines = [(failure.id, failure.reason) for failure in failures[:_SHOWN]]
    if len(failures) > _SHOWN:
        lines.append(("…", f"and {len(failures) - _SHOWN} more: --json lists them all"))
    if outcome.statistics:
        draw(_evidence(outcome))
    lines.append(("conforms" if outcome.holds else "does not conform", _verdict(outcome)))
    show({}, lines, as_json=False)


def _evidence(outcome: Conformance) -> Table:
    table = Table(title="releases at random: a check rejects from log10 e = 9 on")
    table.add_column("check", overflow="fold")
    table.add_column("log10 e", justify="right")
    table.add_column("finds, with probability 0.999", overflow="fold")
    for check in outcome.statistics:
        name = check.name.removeprefix("publish_random/")
        table.add_row(Text(visible(name)), f"{check.log10_e_value:.1f}", Text(visible(check.power)))
    return table


def _verdict(outcome: Conformance) -> str:
    if outcome.statistics:
        budget = f"; a program that is right fails by chance with at most {len(outcome.statistics)}e-9"
    else:
        budget = ""
    return f"{len(outcome.failures())} failures in {len(outcome.results)} vectors and checks{budget}"
