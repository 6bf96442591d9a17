"""``python -m experiments compare``: mechanisms side by side, attacked and with what they guarantee."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from experiments.attacks import LEARNING
from experiments.comparison import (
    ATTACKS,
    GUARANTEES,
    LEARNED,
    RUNS,
    Comparison,
    check_comparison_folder,
    compare,
    write_comparison,
)
from experiments.comparison.cells import GAMMA, Cell, Row
from splu_ref.audit.attacks.outcome import FEWEST
from splu_ref.channels import Bounds
from splu_ref.channels.parameters import ParameterError, integer
from splu_ref.cli.output import AsJson, Force, Separator, about
from splu_ref.cli.progress import counted
from splu_ref.data import read_table
from splu_ref.data.reading import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.output.terminal import draw, say, say_json, visible
from splu_ref.randomness import SeededSource, SystemSource

EXAMPLE = "python -m experiments compare --report comparison"
DIGITS, LEAST = 4, Fraction(1, 10_000)
"""Significant digits that are shown, and the least number that is."""


def run(
    table: Annotated[
        Path | None, typer.Argument(help="A table: .csv, .csv.gz or .parquet [the embedded Adult data].")
    ] = None,
    column: Annotated[str | None, typer.Option("--column", help="The sensitive column of the table.")] = None,
    gamma: Annotated[
        str,
        typer.Option("--gamma", help="Size of a group; no value may have more than 1/gamma of the records."),
    ] = str(GAMMA),
    missing: Annotated[
        str | None,
        typer.Option("--missing", help="Take missing cells of the sensitive column as this value."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write index.html and comparison.json into this folder.")
    ] = None,
    learning: Annotated[
        str, typer.Option("--learning", help=f"The attack that learns: {', '.join(LEARNING)}.")
    ] = "foreground",
    attack_runs: Annotated[
        str,
        typer.Option(
            "--attack-runs",
            help="Publications to measure on, one by one, what no law predicts; an interval needs 6.",
        ),
    ] = str(RUNS),
    seed: Annotated[int | None, typer.Option("--seed", help="For tests only: repeatable.")] = None,
    separator: Separator = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare mechanisms that keep a value equally often: what attacks achieve, and what is guaranteed.

    Each mechanism publishes the same table with groups of gamma, and with a chance of 1/gamma and 2/gamma
    (3/4 if that is less) of keeping a record's true value where it can be chosen. The attacker knows all true
    counts and every decoy plan. Numbers follow from the mechanisms' laws, exactly; those marked ~ were
    measured in this run. What attacks that learn achieve, and a few others, is measured on several
    publications, beside an interval and what is right without a release.
    """
    learner = next((each for each in LEARNING if each == learning), None)
    if learner is None:
        raise ParameterError(f"--learning {learning}: choose one of {', '.join(LEARNING)}")
    runs = integer(attack_runs, "--attack-runs", 1)
    if table is None and missing is not None:
        raise ParameterError("the embedded table has no missing cells: leave out --missing")
    if (table is None) != (column is None):
        raise ParameterError("a table needs its sensitive --column, and the embedded table has its own")
    if report is not None:
        check_comparison_folder(report, force=force)
    draws = SystemSource() if seed is None else SeededSource(seed)
    with counted("comparing mechanisms") as progress:
        carry_out = partial(compare, draws=draws, progress=progress, learner=learner, runs=runs, gamma=gamma)
        if table is None or column is None:
            done = carry_out(embedded_table(), EMBEDDED_SENSITIVE)
        else:
            with about(table):
                done = carry_out(read_table(table, missing=missing), column)
    if report is not None:
        write_comparison(done, report, force=force)
    if as_json:
        say_json(done.to_json(), indent=2)
        return
    say(f"{done.rows} records, column {visible(done.column)}, γ = {done.gamma}")
    say("~ was measured, see below; the rest follows from laws, rounded to be cautious.")
    say("The attacker knows all true counts and every decoy plan: more than the public.")
    # What is learned stands with what was measured: here it would make the table too wide for a terminal.
    known = {name: meaning for name, meaning in ATTACKS.items() if name != LEARNED}
    for title, columns, rows in (
        ("What attacks achieve", known, tuple(Row(row.mechanism, row.cells[:-1]) for row in done.attacks)),
        ("What is guaranteed", GUARANTEES, done.guarantees),
    ):
        _show(title, list(columns), rows)
        for name, meaning in columns.items():
            say(f"  {name}: {meaning}")
    _measured(done)
    _reasons(done)


def _measured(done: Comparison) -> None:
    """Show what was measured, with its interval, and what needs no release."""
    table = _table("What was measured", ["attack", "median", "from", "to", "without"])
    for name, mechanism, cell in done.measured:
        least, greatest = cell.interval or (None, None)
        ends = (Cell(least, "measured", rounding="down"), Cell(greatest, "measured"))
        without = Cell(cell.baseline, "exact", rounding="down")
        table.add_row(Text(mechanism), name, *(Text(_short(each)) for each in (cell, *ends, without)))
    draw(table)
    many = "1 publication" if done.runs == 1 else f"{done.runs} publications"
    say(f"  median: of {many} of the table, each attacked by itself")
    if done.runs < FEWEST:
        say(f"  from, to: none, since {many} cannot have an interval: give --attack-runs {FEWEST} or more")
    else:
        say("  from, to: an interval that misses the median of all publications once in twenty times at most")
    say("  without: what the same attacker expects without a release")
    if (learning := done.learning) is None:
        return
    majority, population = learning.formatted(DIGITS)
    say(f"  {LEARNED} ({learning.attack}): {ATTACKS[LEARNED]}")
    say(f"  without a release: {majority} by the most frequent value")
    say(f"  from other people: {population}, by a classifier of their true values")


def _table(title: str, columns: list[str]) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0))
    table.add_column("mechanism", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="left" if name == "attack" else "right", overflow="fold")
    return table


def _show(title: str, columns: list[str], rows: tuple[Row, ...]) -> None:
    table = _table(title, columns)
    for row in rows:
        table.add_row(Text(row.mechanism), *(Text(_short(cell)) for cell in row.cells))
    draw(table)


def _short(cell: Cell) -> str:
    if cell.value is None:
        return "–"
    mark = "~" if cell.kind == "measured" else ""
    upper = cell.value.upper if isinstance(cell.value, Bounds) else cell.value
    return f"{mark}<0.0001" if 0 < upper < LEAST else mark + cell.decimal(DIGITS)


def _reasons(done: Comparison) -> None:
    for row in dict.fromkeys((*done.attacks, *done.guarantees)):
        for reason in row.reasons:
            say(f"  – of {row.mechanism}: {reason}")
        for note in row.notes:
            say(f"  {row.mechanism}: {note}")
