"""``splu-ref estimate``: counts of the original, estimated from the published table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from splu_ref.channels import InputError, ParameterError
from splu_ref.cli.estimate_answers import (
    BY_CHANNEL,
    OWN_ESTIMATORS,
    answer_json,
    show_answer,
    unanswered_json,
)
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.options import SensitiveTable
from splu_ref.cli.output import AsJson, Explain, Force, Separator, about
from splu_ref.cli.progress import counted
from splu_ref.cli.queries import some_queries
from splu_ref.cli.records import published_records
from splu_ref.cli.release_parameters import ReleaseOptions, StatedRelease
from splu_ref.cli.tables import TableOptions, make_table, values_of
from splu_ref.data import Microdata, Records, read_table
from splu_ref.estimators import (
    METHODS,
    AnswerQueries,
    ConvergenceError,
    Interval,
    Method,
    Progress,
    Query,
    QueryEstimate,
    QueryEstimator,
    estimator_of,
    method_named,
    read_conditions,
    recoded_query,
)
from splu_ref.mechanisms import (
    Anatomy,
    Manifest,
    Mechanism,
    ReleaseData,
    SpluGens,
    require_sensitive_table,
    with_sensitive_table,
)
from splu_ref.output import say_json

EXAMPLE = (
    "splu-ref estimate published.csv --manifest manifest.json --where sex=Female --where occupation=Sales"
)


def run(
    published: Annotated[Path, typer.Argument(help="The published table: .csv, .csv.gz or .parquet.")],
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            help="COLUMN=VALUE, COLUMN=A|B, COLUMN!=VALUE, COLUMN=30..39 or COLUMN>=30; repeat for a "
            "conjunction.",
        ),
    ] = None,
    batch: Annotated[
        Path | None,
        typer.Option(
            "--batch",
            help='File of queries: a line each, {"where": {"age": "39", "job": ["a", "b"]}}, or SELECT '
            "COUNT(*) WHERE age = 39 AND job IN ('a', 'b');",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="Columns of a table, such as sex,occupation, instead of one count."),
    ] = None,
    total: Annotated[
        str | None, typer.Option("--sum", help="With --by: the sum of this column of numbers.")
    ] = None,
    mean: Annotated[
        str | None, typer.Option("--mean", help="With --by: the mean of this column of numbers.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the table here: .csv, .csv.gz, .parquet or .json."),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Draw the table here, with its intervals: .svg or .png."),
    ] = None,
    force: Force = False,
    gamma: Annotated[
        str | None,
        typer.Option("--gamma", help="Size of a decoy group, as published; or one a column: job=5,age=10."),
    ] = None,
    sensitive: Annotated[list[str] | None, typer.Option("--sensitive", help="Sensitive column.")] = None,
    retention: Annotated[
        str | None,
        typer.Option("--retention", help="Probability that a record retains its true value [1/gamma]."),
    ] = None,
    plan: Annotated[
        str | None, typer.Option("--plan", help="How decoys were grouped: mixed, anatomy or cyclic [mixed].")
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option(
            "--draws",
            help="Law of the draws in a group: independent, capped:M or all-or-none:A [independent].",
        ),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="Manifest of the release, instead of the options above.")
    ] = None,
    sensitive_table: SensitiveTable = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"{', '.join(METHODS)}, or a method of the ledger, for comparison [mle for a sensitive "
            "value alone, else shrunk].",
        ),
    ] = None,
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            help="Coverage of the intervals of shrunk: for each count (each), or on average over the values "
            "of a domain (average).",
        ),
    ] = "each",
    separator: Separator = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Estimate how many records of the original satisfy a conjunction, with a 95 % interval.

    A conjunction names at least one sensitive column. Small counts are unreliable on purpose. For a value
    alone the estimate is the published count. For a release by another mechanism than SPLU-Gen, the manifest
    decides on the estimator. With --batch the answers are JSON lines in the order of the queries; if the
    search of em does not converge for a query, its estimate is null and the exit code is 3. With --by a table
    is estimated whose totals agree with the public counts.
    """
    wanted = TableOptions(by, total, mean, output, picture, force, explain)
    wanted.require()
    if not by and bool(where) == (batch is not None):
        both = "--where and --batch are both given: leave out one of them"
        none = "no query: give --where COLUMN=VALUE or --batch FILE, or a table with --by"
        raise ParameterError(both if where else none)
    if by and batch is not None:
        raise ParameterError("--by estimates a table and --batch queries: leave out one of them")
    options = ReleaseOptions(sensitive=sensitive, gamma=gamma, retention=retention, plan=plan, draws=draws)
    release = StatedRelease.open(options, manifest)
    facts, mechanism = release.manifest, release.mechanism
    queries = [] if batch is None else some_queries(batch)
    second = _second(sensitive_table, facts)
    if not isinstance(mechanism, SpluGens) and interval != "each":
        raise ParameterError(f"--interval does not apply to {mechanism.name}: leave it out")
    chosen = None if method is None or not isinstance(mechanism, SpluGens) else _method(method)
    kind = _interval(interval)
    results: dict[int, dict[str, Any]] = {}
    with about(published), counted("counting") as progress:
        for table, numbers in published_records(
            published,
            facts,
            release.columns,
            where=where or (),
            columns=wanted.named,
            queries=[query for _, query in queries],
            progress=progress,
        ):
            known, require, ask = _opened(release, table, second, chosen, kind, progress)
            chosen_queries = [queries[number] for number in numbers]
            if batch is None:
                given = read_conditions(where or (), values_of(known))
                chosen_queries = [(0, Query(given))] if given else []
            chosen_queries = [
                (line, _recoded(query, facts, table, batch, line)) for line, query in chosen_queries
            ]
            if by:
                chosen_records = chosen_queries[0][1].conditions if chosen_queries else ()
                make_table(known, ask, chosen_records, wanted, method, as_json=as_json)
                return 0
            for line, query in chosen_queries:
                try:
                    require(query)
                except InputError as error:
                    raise type(error)(f"{batch}, line {line}: {error}" if line else str(error)) from None
            queried = [query for _, query in chosen_queries]
            answered = ask(queried, method) if batch is None else _answered(ask, method, queried)
            if batch is not None:
                results |= _results(numbers, known, chosen_queries, answered)
    if batch is None:
        [answer] = (each for each in answered if not isinstance(each, str))
        show_answer(known, queried[0], answer, _summary(mechanism, chosen, answer.method), as_json=as_json)
    return _say_results(results)


def _summary(mechanism: Mechanism[object], chosen: Method | None, method: str) -> str:
    """Return the description of the method of an answer."""
    if isinstance(mechanism, SpluGens):
        return (chosen or METHODS[method]).summary
    return OWN_ESTIMATORS.get(mechanism.name, BY_CHANNEL)[method]


def _opened(
    release: StatedRelease,
    table: Records,
    second: Microdata | None,
    chosen: Method | None,
    kind: Interval,
    progress: Progress,
) -> tuple[ReleaseData, Callable[[Query], object], AnswerQueries]:
    """Return a table with its public parameters, what checks queries on it, and what answers them.

    Under SPLU-Gen the domain defaults to the values that occur.
    """
    facts, mechanism = release.manifest, release.mechanism
    stated = {} if facts is None else facts.domains
    if isinstance(mechanism, SpluGens):
        stated = {name: stated.get(name) or tuple(sorted(table.values(name))) for name in release.columns}
    known = ReleaseData(table=table, mechanism=mechanism, domains=stated, attached_manifest=facts)
    if isinstance(mechanism, SpluGens):
        estimator = QueryEstimator(
            table, release.columns, mechanism, domains=None if facts is None else facts.domains,
            batches=() if facts is None else facts.batch_rows(table),
        )  # fmt: skip

        def answer(queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
            named = None if method is None else chosen
            found = estimator.estimate(queries, named, interval=kind, progress=progress)
            if named is None or named.name in METHODS:
                return found
            return [replace(each, note=None, warning=each.note) for each in found]  # of the ledger

        return known, partial(estimator.resolve, method=chosen), answer
    assert facts is not None, "options state SPLU-Gen alone"
    if isinstance(table, Microdata):
        known = with_sensitive_table(table, facts, second)
    elif second is not None:
        raise ParameterError(f"a release by {mechanism.name} is one table: leave out the sensitive table")
    own = estimator_of(known)
    return known, own.require, own


def _answered(ask: AnswerQueries, method: str | None, queries: Sequence[Query]) -> list[QueryEstimate | str]:
    """Answer queries together; for a query whose search does not converge, return the reason instead."""
    try:
        return list(ask(queries, method))
    except ConvergenceError as error:
        if len(queries) == 1:
            return [str(error)]
    half = len(queries) // 2
    return [*_answered(ask, method, queries[:half]), *_answered(ask, method, queries[half:])]


def _results(
    numbers: Sequence[int],
    known: ReleaseData,
    queries: Sequence[tuple[int, Query]],
    found: Sequence[QueryEstimate | str],
) -> dict[int, dict[str, Any]]:
    """Return the JSON objects of answers by the numbers of their queries, with the lines of these."""
    return {
        number: {"line": line}
        | (unanswered_json(answer) if isinstance(answer, str) else answer_json(known, query, answer))
        for number, (line, query), answer in zip(numbers, queries, found, strict=True)
    }


def _say_results(results: Mapping[int, dict[str, Any]]) -> int:
    """Print the answers of a batch in order, and return the exit code: 3 if one is missing."""
    for _, result in sorted(results.items(), key=itemgetter(0)):
        say_json(result)
    return 3 if any(result["estimate"] is None for result in results.values()) else 0


def _second(path: Path | None, facts: Manifest | None) -> Microdata | None:
    """Return Anatomy's second table."""
    if path is None:
        return None
    if facts is None or isinstance(facts.mechanism, SpluGens):
        raise ParameterError("--sensitive-table is the second table of a release by Anatomy: leave it out")
    with about(path):
        table = read_table(path)
        if isinstance(facts.mechanism, Anatomy):
            require_sensitive_table(facts, table)
        return table


def _recoded(query: Query, facts: Manifest | None, table: Records, batch: Path | None, line: int) -> Query:
    """Return the query in terms of the release's columns."""
    try:
        return recoded_query(query, facts, table)
    except ParameterError as error:
        raise ParameterError(f"{batch}, line {line}: {error}" if line else str(error)) from None


def _method(name: str) -> Method:
    """Return an estimator of the library, or one of the ledger, which is for comparison only."""
    if name in METHODS:
        return METHODS[name]
    try:
        kept: Mapping[str, Method] = load_ledger().methods
    except InputError as error:
        raise ParameterError(
            f"--method {name} is unknown here, and may be one of the ledger: {error}, or choose one of "
            f"{', '.join(METHODS)}"
        ) from None
    return method_named(name, METHODS | dict(kept))


def _interval(name: str) -> Interval:
    for kind in get_args(Interval):
        if name == kind:
            return cast("Interval", kind)
    raise ParameterError(f"--interval {name} is unknown: choose one of {', '.join(get_args(Interval))}")
