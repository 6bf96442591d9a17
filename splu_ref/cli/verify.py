"""``splu-ref verify``: run the verification suite."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.output import AsJson, Explain, Force, note, show
from splu_ref.output import console, draw
from splu_ref.report import (
    LOG_WIDTH,
    TerminalProgress,
    check_report_folder,
    report_view,
    run_suite,
    write_report,
)

EXAMPLE = "splu-ref verify --level quick --report report"


class Level(StrEnum):
    """Extent of the verification."""

    QUICK = "quick"
    FULL = "full"


def run(
    level: Annotated[
        Level,
        typer.Option(
            "--level", help="quick: two minutes on idle processors, also from a wheel. full: in a checkout."
        ),
    ] = Level.QUICK,
    fresh_seed: Annotated[
        bool, typer.Option("--fresh-seed", help="Draw a new seed for the statistical checks.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, help="Number of processes [one per processor]."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write index.html, report.json and junit.xml here.")
    ] = None,
    explain: Explain = False,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Run the verification suite: ledger, certificates, enumeration, embedded data; full adds the rest.

    Prints the verdict, the claims by paper, and what failed. Exit 0 only if everything passed.
    """
    ledger = load_ledger()
    if report is not None:
        check_report_folder(report, force=force)
    with TerminalProgress() as progress:
        outcome = run_suite(level.value, ledger, workers=workers, fresh_seed=fresh_seed, progress=progress)
    if report is not None:
        for path in write_report(outcome, report, force=force):
            note(f"wrote {path}")
    if as_json:
        show(outcome.to_json(), [], as_json=True)
    else:
        terminal = console()
        known = terminal.is_terminal or "COLUMNS" in os.environ
        width = terminal.width if known else LOG_WIDTH
        draw(report_view(outcome, width, every=explain), width=width)
    return 0 if outcome.holds else 1
