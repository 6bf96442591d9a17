"""``python -m experiments conditions``: conjunctions with and without the estimates of single conditions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from experiments.study import RECIPES, Recipe, StudyTable, study_table
from experiments.study.conditions import TABLES, Comparison, as_csv, compare_conditions
from experiments.study.generated import GENERATED
from splu_ref.channels.parameters import Gamma, ParameterError, integer
from splu_ref.cli.output import AsJson, Force, Separator, note, show
from splu_ref.cli.progress import counted
from splu_ref.data.folders import check_folder, make_folder, write_folder
from splu_ref.randomness import SeededSource

EXAMPLE = "python -m experiments conditions --data adult.csv --sensitive occupation"

FILE = "conditions.csv"
MOST_QUERIES, MOST_RELEASES, MOST_TABLES = 10_000, 100, 100
"""Largest numbers of queries of each class, and of releases and cross-tables of each table."""


def run(
    data: Annotated[
        list[str] | None, typer.Option("--data", help="A table of yours; repeat for several.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="Sensitive column of a table of yours.")
    ] = None,
    second: Annotated[
        str | None, typer.Option("--second", help="Second sensitive column: queries on both.")
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option("--tables", help="Instead of queries, the cells of so many tables by two columns."),
    ] = None,
    gamma: Annotated[str, typer.Option("--gamma", help="Largest group size.")] = "5",
    queries: Annotated[str, typer.Option("--queries", help="Queries of each class.")] = "100",
    releases: Annotated[str, typer.Option("--releases", help="Releases of each table.")] = "6",
    seed: Annotated[int, typer.Option("--seed", help="Number that all random choices follow from.")] = 1,
    report: Annotated[
        Path | None, typer.Option("--report", help=f"Also write the errors by class here, as {FILE}.")
    ] = None,
    separator: Separator = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare the errors of the default estimate of conjunctions with and without its product form.

    Without --data: the embedded table and generated ones. Publishes each table several times, draws queries
    with several conditions by class of their true count, and divides the root mean square errors. Below 1
    the estimates of the single conditions help. A class needs five queries.
    """
    size, times = integer(queries, "--queries", 1), integer(releases, "--releases", 1)
    crossed = 0 if tables is None else integer(tables, "--tables", 1)
    for name, number, most in (
        ("--queries", size, MOST_QUERIES),
        ("--releases", times, MOST_RELEASES),
        ("--tables", crossed, MOST_TABLES),
    ):
        if number > most:
            raise ParameterError(f"{name} is too large: give at most {most:,}")
    largest = Gamma(integer(gamma, "--gamma", 2))
    if (sensitive is not None or second is not None) and not data:
        option = "--second" if sensitive is None else "--sensitive"
        raise ParameterError(f"{option} is for a table of yours: name it with --data")
    if second is not None and crossed:
        raise ParameterError("--second and --tables are two comparisons: drop one")
    if report is not None:
        check_folder(report, [FILE], force=force)
        make_folder(report)
    names = data or list(TABLES)
    found = []
    with counted("comparing") as progress:
        for name in names:
            table = _table(name, sensitive, second, largest)
            source = partial(_source, seed, Path(name).stem)  # wherever the table lies
            found.append(compare_conditions(table, size, times, source, crossed))
            progress(len(found), len(names))
    if report is not None:
        for path in write_folder(report, {FILE: as_csv(found).encode()}, force=force):
            note(f"wrote {path}")
    show({"seed": seed, "tables": [_json(each) for each in found]}, _lines(found), as_json=as_json)


def _source(seed: int, table: str, part: str) -> SeededSource:
    return SeededSource(f"{seed}/{table}/{part}".encode())


def _table(name: str, sensitive: str | None, second: str | None, gamma: Gamma) -> StudyTable:
    if name in GENERATED:
        made = GENERATED[name]()
        return replace(made, recipe=replace(made.recipe, gamma=int(gamma)), second=None)
    own = RECIPES.get(name, Recipe("")).sensitive if sensitive is None else sensitive
    return study_table(
        name, None, lambda recipe: replace(recipe, sensitive=own, gamma=int(gamma), second=second)
    )


def _json(each: Comparison) -> dict[str, object]:
    return {
        "table": each.table,
        "sensitive": each.sensitive,
        "gamma": each.gamma,
        "rows": each.rows,
        "tuned": each.tuned,
        "mean": each.mean,
        "classes": [one._asdict() for one in each.classes],
    }


def _lines(found: list[Comparison]) -> list[tuple[str, str]]:
    lines = []
    for each in found:
        name = f"{each.table}, {each.sensitive}, γ = {each.gamma}{' (tuned)' if each.tuned else ''}"
        parts = "; ".join(
            f"{one.name} {one.ratio:.2f} ± {one.ratio_error:.2f} × (coverage {one.coverage:.3f}, without "
            f"{one.coverage_without:.3f})"
            for one in each.classes
        )
        worst = f"error {each.mean:.2f} × that without, at most {each.worst.ratio:.2f} ({each.worst.name})"
        lines += [("table", f"{name}: {worst}"), ("classes", parts)]
    return [*lines, ("mean", f"{np.mean([each.mean for each in found]):.2f} over the tables")]
