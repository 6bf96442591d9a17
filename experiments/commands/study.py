"""``python -m experiments study``: the paper's experiments on real tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from experiments.commands.study_coverage import judge_coverage
from experiments.commands.study_figures import show_figures
from experiments.commands.study_olap import repeat_olap
from experiments.study import (
    EMBEDDED,
    LEVELS,
    MISSING,
    RECIPES,
    Printed,
    Recipe,
    Summary,
    prepare,
    study_table,
    summary,
    write_study,
)
from experiments.study import run as run_study
from splu_ref.channels.parameters import Gamma, InputError, ParameterError
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.output import AsJson, Force, Separator, note, show
from splu_ref.cli.progress import counted
from splu_ref.randomness import SeededSource

EXAMPLE = "python -m experiments study --data adult_demo --report study"
PRINTED = "splu.K"
"""The claim under which the ledger keeps the printed iteration for many conjunctions."""
NEGLIGIBLE = 1e-6
"""Records; the printed rule would wait for an entry that sinks to 0 until double precision ends."""


class LevelName(StrEnum):
    """How much is done."""

    QUICK = "quick"
    FULL = "full"


def run(
    data: Annotated[
        list[str] | None,
        typer.Option("--data", help=f"{', '.join(RECIPES)}, or a table of yours; repeat for several."),
    ] = None,
    data_folder: Annotated[
        Path | None, typer.Option("--data-folder", help="Where the tables are that the package lacks.")
    ] = None,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", help="Sensitive column of a table of yours.")
    ] = None,
    second: Annotated[
        str | None, typer.Option("--second", help="Second sensitive column, for figure 12.")
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option("--leave-out", help="Column that predicates do not use; repeat for several."),
    ] = None,
    gamma: Annotated[
        str | None, typer.Option("--gamma", help="Group size where it is not varied; 5 unless given.")
    ] = None,
    level: Annotated[
        LevelName, typer.Option("--level", help="quick: a glance. full: the numbers of the documentation.")
    ] = LevelName.QUICK,
    report: Annotated[
        Path | None,
        typer.Option("--report", help="Write figures and numbers here; finished work found here is reused."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Number that all random choices follow from.")] = 1,
    coverage: Annotated[
        bool,
        typer.Option(
            "--coverage",
            help="Judge intervals and errors by class of the true count instead, on tables of its own.",
        ),
    ] = False,
    olap: Annotated[
        bool,
        typer.Option("--olap", help="Figures 4 to 14 of Agrawal, Srikant and Thomas 2005 instead."),
    ] = False,
    separator: Separator = None,
    force: Force = False,
    as_json: AsJson = False,
) -> int:
    """Repeat the paper's experiments: figures 7 to 12, iterations, times, and what the estimators promise.

    Without --data: adult_demo, and with --data-folder the tables census_kdd_workers and diabetes130 as well.
    Exit 1 if a promise does not hold on these tables. A finished study is replaced with --force only. With
    --coverage: how often intervals hold the true count, by its class, on tables that estimators were tuned on
    and on others. With --olap: retention replacement, on adult_numeric if the folder has it and else on three
    columns of adult_demo.
    """
    apart = [name for name, chosen in (("--coverage", coverage), ("--olap", olap)) if chosen]
    if len(apart) > 1:
        raise ParameterError("--coverage and --olap are two studies: drop one")
    if apart and (data or sensitive or second or leave_out or gamma):
        raise ParameterError(f"{apart[0]} has tables of its own: drop --data and what belongs to it")
    if apart:
        one = judge_coverage if coverage else repeat_olap
        return one(level.value, data_folder, report, seed, force=force, as_json=as_json)
    begin = perf_counter()
    names = data or ([EMBEDDED] if data_folder is None else list(RECIPES))
    if len(set(names)) < len(names):
        raise ParameterError("--data names a table twice: name each once")
    adapt = _adapt(sensitive, second, tuple(leave_out or ()), gamma)
    tables = [study_table(name, data_folder, adapt) for name in names]
    if len({table.name for table in tables}) < len(tables):
        raise ParameterError("two tables have the same name: rename one of the files")
    printed = _printed()
    if report is not None:
        prepare(report, force=force)
    with counted("studying") as progress:
        pieces = run_study(
            tables,
            LEVELS[level.value],
            lambda name: SeededSource(f"{seed}/{name}".encode()),
            printed=printed,
            folder=report,
            common={"seed": seed},
            progress=progress,
        )
    found = summary(pieces)
    facts = {
        "level": level.value,
        "seed": seed,
        "printed": printed is not None,
        "pictures": report is not None and find_spec("matplotlib") is not None,
        "seconds": perf_counter() - begin,
    }
    if report is not None:
        for path in write_study(found, facts, report, force=force):
            note(f"wrote {path}")
        if not facts["pictures"]:
            note(MISSING)
    if printed is None:
        note("no printed iteration: it is kept with the proofs, which are not installed")
    if as_json:
        show(facts | found.as_json(), (), as_json=True)
    else:
        show_figures(found.figures)
        show({}, _lines(found), as_json=False)
    return 0 if found.holds else 1


def _adapt(
    sensitive: str | None, second: str | None, leave_out: tuple[str, ...], gamma: str | None
) -> Callable[[Recipe], Recipe]:
    """Return how options change what is known of a table."""
    changes: dict[str, Any] = {}
    if sensitive is not None:
        changes |= {"sensitive": sensitive, "left_out": leave_out, "only": None, "second": second}
    if leave_out:
        changes["left_out"] = leave_out
    if second is not None:
        changes["second"] = second
    if gamma is not None:
        changes["gamma"] = int(Gamma(gamma))
    return lambda recipe: replace(recipe, **changes)


def _printed() -> Printed | None:
    try:
        return partial(load_ledger().printed[PRINTED], negligible=NEGLIGIBLE)
    except (InputError, KeyError):
        return None


def _lines(found: Summary) -> list[tuple[str, str]]:
    verdicts = {True: "met", False: "NOT MET", None: "not judged"}
    lines = []
    for table in found.tables:
        steps = ", ".join(
            f"{name}: median {value['median']:.0f}, mean {value['mean']:.0f}, most {value['most']}"
            for name, value in table["printed_steps"].items()
            if value
        )
        times = ", ".join(f"{name} {1e6 * value:.0f}" for name, value in table["seconds_per_query"].items())
        lines.append(
            (table["name"], f"{table['rows']} records, γ = {table['gamma']}, {table['queries']} queries")
        )
        if steps:
            lines.append(("steps", f"of the printed iteration: {steps}"))
        lines.append(("µs a query", times))
    return lines + [(verdicts[one.holds], f"{one.name}. {one.detail}") for one in found.criteria]
