"""``python -m experiments query-interface``: what gets around the defense of an interface."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from experiments.commands.query_answers import Experiment, query_of, show_answers, show_sums
from experiments.query_interfaces import READINGS, SizeControl, TrackerAttack, query_noise, run_tracker_attack
from experiments.query_interfaces.query_size import MOST_VALUES, Question
from splu_ref.channels.parameters import ParameterError, integer
from splu_ref.cli.output import AsJson, Separator, about, show
from splu_ref.cli.progress import counted
from splu_ref.data import read_table
from splu_ref.estimators.queries.counting import Columns, records_of
from splu_ref.guarantees import decimal_up

EXAMPLE = "python -m experiments query-interface size adult.csv --least 100 --where sex=Female --where age=90"
_SAYS = (
    "the least variance of a linear unbiased estimate, if the noises of different queries are independent, "
    "also of those that ask for the same records; with two further conditions in a query there would be less"
)
_KNOWN = {
    "size": ("least", "reading", "where"),
    "sums": ("queries", "value"),
    "noise": ("where",),
    "answers": ("value", "epsilon", "manifest", "victims", "halves", "runs", "seed"),
}


def run(
    defense: Annotated[str, typer.Argument(help="size, sums, noise or answers.")],
    table: Annotated[Path, typer.Argument(help="The table it answers about: .csv, .csv.gz or .parquet.")],
    least: Annotated[
        str | None, typer.Option("--least", help="size: the least number of records that is answered.")
    ] = None,
    reading: Annotated[
        str | None,
        typer.Option(
            "--reading",
            help="size: whether what is left must be as many (both), or large sets are answered (small). "
            "[both]",
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", help="size, noise: the count that is wanted, COLUMN=VALUE; several: and."),
    ] = None,
    queries: Annotated[
        Path | None, typer.Option("--queries", help="sums: what was answered, SELECT … or JSON lines.")
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(
            "--value",
            help="sums, answers: what is counted, COLUMN=VALUE. Of sums, then the counts are known.",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", help="answers: each has Laplace noise with this budget. [exact]"),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option("--manifest", help="answers: they are estimates from a table published as this says."),
    ] = None,
    victims: Annotated[
        str | None, typer.Option("--victims", help="answers: records whose bits are wanted. [64]")
    ] = None,
    halves: Annotated[
        str | None, typer.Option("--halves", help="answers: random halves of them that are counted. [256]")
    ] = None,
    runs: Annotated[
        str | None, typer.Option("--runs", help="answers: experiments, with other records each. [21]")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="answers: for tests only, repeatable.")] = None,
    separator: Separator = None,
    as_json: AsJson = False,
) -> int:
    """Carry out what gets around the defense of an interface that answers queries about a table.

    size: counts of few records are refused, and often those of nearly all. A tracker answers them. sums: any
    sums may be queried; says whose number follows from those that were answered. noise: each answer has
    noise that depends on the query alone; says what is left of it if one asks in other words. answers: each
    count is answered, exactly or with noise; reconstructs who is counted from many of them. Exit code 1:
    something refused is found, or somebody's number follows. 3: nothing refused was found, which says
    nothing of other ways. 0: nothing is refused, nobody's number follows, or it was noise or answers.
    """
    if defense not in _KNOWN:
        raise ParameterError(f"defense {defense!r} is unknown: choose one of {', '.join(_KNOWN)}")
    given = {
        "least": least, "reading": reading, "where": where, "queries": queries, "value": value,
        "epsilon": epsilon, "manifest": manifest, "victims": victims, "halves": halves, "runs": runs,
        "seed": seed,
    }  # fmt: skip
    for option, value_given in given.items():
        if value_given not in (None, []) and option not in _KNOWN[defense]:
            raise ParameterError(f"--{option} says nothing to {defense}: leave it out")
    with about(table), counted("asking") as progress:
        data = read_table(table)
        columns, names = Columns(data, {}), data.columns
        if defense == "size":
            return _size(columns, names, least, reading, where or (), as_json=as_json)
        if defense == "sums":
            return show_sums(columns, queries, value, as_json=as_json)
        if defense == "answers":
            size = Experiment.of(victims, halves, runs, seed)
            return show_answers(data, value, epsilon, manifest, size, progress, as_json=as_json)
        return _noise(columns, names, where or (), as_json=as_json)


def _size(
    columns: Columns,
    names: Sequence[str],
    least: str | None,
    reading: str | None,
    where: Sequence[str],
    *,
    as_json: bool,
) -> int:
    if least is None:
        raise ParameterError("say how many records a count needs to be answered: --least 10")
    known = next((each for each in READINGS if each == (reading or "both")), None)
    if known is None:
        raise ParameterError(f"--reading {reading!r} is unknown: choose {' or '.join(READINGS)}")
    control = SizeControl(columns.rows, integer(least, "--least", 1), known)
    wanted = None
    if where:
        query = query_of(columns, where)
        wanted = Question(str(query), records_of(columns, query.conditions))
    done = run_tracker_attack(columns, names, control, wanted)
    tracker = done.tracker
    result = {
        "defense": "size",
        "records": control.records,
        "least": control.least,
        "reading": control.reading,
        "tracker": None if tracker is None else tracker.question.text,
        "tracker_size": None if tracker is None else tracker.size,
        "largest_broken": done.largest_broken,
        "sixth": control.records // 6,
        "quarter": control.records // 4,
        "values": done.single_values,
        "refused": done.refused,
        "attacked": done.attacked,
        "found": done.found,
        "query": None if wanted is None else wanted.text,
        "count": done.count,
        "queries": [{"query": text, "answer": answer} for text, answer in done.queries],
    }
    show(result, _size_lines(done, control, wanted), as_json=as_json)
    refused = wanted is not None and done.queries[0][1] is None
    if done.found or (refused and done.count is not None):
        return 1
    return 3 if done.refused or refused else 0


def _size_lines(done: TrackerAttack, control: SizeControl, wanted: Question | None) -> list[tuple[str, str]]:
    n, k = control.records, control.least
    answered = f"counts from {k} to {n - k}" if control.reading == "both" else f"counts of {k} and more"
    lines = [("answered", f"{answered}, of {n} records")]
    if done.tracker is not None:
        lines.append(("tracker", f"{done.tracker.question.text}: {done.tracker.size} records"))
    elif control.reading == "both":
        searched = f"the {MOST_VALUES} most frequent values, alone, by two, and either of two"
        lines.append(("tracker", f"none among {searched}; other sets were not tried"))
    else:
        lines.append(("tracker", "none is needed: all, less those that are not meant"))
    attacked = "" if done.attacked == done.refused else f", of which the {done.attacked} rarest were attacked"
    lines += [
        ("refused", f"{done.refused} of the {done.single_values} counts of single values{attacked}"),
        ("found", f"{done.found} of them, each of them the true count" if done.found else "none of them"),
        (
            "breaks",
            f"every least size up to {done.largest_broken}; N/6 is {n // 6}, N/4 {n // 4}: "
            + (
                "above N/4 no such set does, and others are not tried"
                if control.reading == "both"
                else "the bound is N/2"
            ),
        ),
    ]
    if wanted is not None:
        lines.append(("wanted", f"{wanted.text}: {'not found' if done.count is None else done.count}"))
        lines += [("query", f"{text}: {'refused' if n is None else n}") for text, n in done.queries]
    return lines


def _noise(columns: Columns, names: Sequence[str], where: Sequence[str], *, as_json: bool) -> int:
    query = query_of(columns, where) if where else None
    named = set() if query is None else {column for column, _ in query.conditions}
    values = {name: len(columns[name].domain) for name in names if name not in named}
    found = query_noise(values)
    result = {
        "defense": "noise",
        "query": None if query is None else str(query),
        "columns": values,
        "again": "1",
        "by_columns": str(found.by_columns),
        "column_queries": found.column_queries,
        "by_values": str(found.by_values),
        "value_queries": found.value_queries,
    }
    lines = [
        ("repeated query", "1 of the variance of an answer, however often"),
        ("by columns", _left(found.by_columns, found.column_queries)),
        ("and complements", _left(found.by_values, found.value_queries)),
        ("says", _SAYS),
    ]
    show(result, lines, as_json=as_json)
    return 0


def _left(share: Fraction, queries: int) -> str:
    return f"{decimal_up(share, 6)} of it, by {queries} queries"
