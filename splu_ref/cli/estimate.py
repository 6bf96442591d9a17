"""``splu-ref estimate``: counts of the original, estimated from the published table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
    show_tuples,
    unanswered_json,
)
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.options import SensitiveTable
from splu_ref.cli.output import AsJson, Explain, Force, Separator, about, note
from splu_ref.cli.progress import counted
from splu_ref.cli.queries import some_queries
from splu_ref.cli.records import published_records
from splu_ref.cli.release_parameters import ReleaseOptions, StatedRelease
from splu_ref.cli.tables import TableOptions, make_table, values_of
from splu_ref.data import Microdata, Records, read_table
from splu_ref.estimators import (
    METHODS,
    ChannelEstimator,
    ConvergenceError,
    Interval,
    Method,
    Progress,
    Query,
    QueryEstimate,
    QueryEstimator,
    ReleaseEstimator,
    TupleEstimator,
    estimator_of,
    method_named,
    read_conditions,
    recoded_query,
)
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Manifest,
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
        raise ParameterError(
            "no query: give either --where COLUMN=VALUE or --batch FILE, or a table with --by"
        )
    if by and batch is not None:
        raise ParameterError("--by estimates a table and --batch queries: leave out one of them")
    options = ReleaseOptions(sensitive=sensitive, gamma=gamma, retention=retention, plan=plan, draws=draws)
    release = StatedRelease.open(options, manifest)
    facts, mechanism = release.manifest, release.mechanism
    queries = [] if batch is None else some_queries(batch)
    second = _second(sensitive_table, facts)
    if not isinstance(mechanism, SpluGens):
        assert facts is not None, "options state SPLU-Gen alone"
        if interval != "each":
            raise ParameterError(f"--interval does not apply to {mechanism.name}: leave it out")
        return _by_channel(published, facts, second, where, queries, method, batch, wanted, as_json=as_json)
    chosen = None if method is None else _method(method)
    kind = _interval(interval)
    results: dict[int, dict[str, Any]] = {}
    conjunctions = False
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
            domains = None if facts is None else facts.domains
            estimator = QueryEstimator(table, release.columns, mechanism, domains=domains)
            known = _published(release, table)
            conditions = read_conditions(where or (), values_of(known))
            some = [queries[number] for number in numbers]
            if facts is not None and facts.recoded:
                some = [(line, _recoded(query, facts, table, batch, line)) for line, query in some]
                if conditions:
                    conditions = _recoded(Query(conditions), facts, table, batch, 0).conditions
            if by:
                ask = partial(_splu_gen, estimator, chosen, kind, progress)
                make_table(known, ask, conditions, wanted, method, as_json=as_json)
                return 0
            some = some if batch is not None else [(0, Query(conditions))]
            for line, query in some:
                _check(estimator, query, chosen, f"{batch}, line {line}: " if line else "")
            queried = [query for _, query in some]
            answer = partial(estimator.estimate, method=chosen, interval=kind, progress=progress)
            if batch is None:
                found = answer(queried)
                conjunctions |= found[0].method != "mle"
                continue
            answered = _answered(answer, queried)
            conjunctions |= any(isinstance(each, str) or each.method != "mle" for each in answered)
            results |= _results(numbers, known, queried, answered)
    if facts is not None and facts.batches and conjunctions:
        note(
            f"the release consists of {len(facts.batches)} batches with a decoy plan each; estimates and "
            "intervals of conjunctions assume one plan over all records"
        )
    if batch is None:
        summary = (chosen or METHODS[found[0].method]).summary
        show_answer(known, queried[0], found[0], summary, as_json=as_json)
    return _say_results(results)


def _answered(
    answer: Callable[[Sequence[Query]], Sequence[QueryEstimate]], queries: Sequence[Query]
) -> list[QueryEstimate | str]:
    """Answer queries together; for a query whose search does not converge, return the reason instead."""
    try:
        return list(answer(queries))
    except ConvergenceError as error:
        if len(queries) == 1:
            return [str(error)]
    half = len(queries) // 2
    return [*_answered(answer, queries[:half]), *_answered(answer, queries[half:])]


def _results(
    numbers: Sequence[int],
    known: ReleaseData,
    queried: Sequence[Query],
    found: Sequence[QueryEstimate | str],
) -> dict[int, dict[str, Any]]:
    """Return the JSON objects of answers by the numbers of their queries."""
    return {
        number: unanswered_json(answer) if isinstance(answer, str) else answer_json(known, query, answer)
        for number, query, answer in zip(numbers, queried, found, strict=True)
    }


def _say_results(results: Mapping[int, dict[str, Any]]) -> int:
    """Print the answers of a batch in order, and return the exit code: 3 if one is missing."""
    for _, result in sorted(results.items(), key=itemgetter(0)):
        say_json(result)
    return 3 if any(result["estimate"] is None for result in results.values()) else 0


def _splu_gen(
    estimator: QueryEstimator,
    chosen: Method | None,
    kind: Interval,
    progress: Progress,
    queries: Sequence[Query],
    method: str | None,
) -> list[QueryEstimate]:
    """Answer the queries of a table; values alone by their default method."""
    named = None if method is None else chosen
    fits = kind if named is None or named.name == "shrunk" else "each"
    return estimator.estimate(queries, named, interval=fits, progress=progress)


def _published(release: StatedRelease, table: Records) -> ReleaseData:
    """Return the table with its public parameters; the domain defaults to the values that occur."""
    stated = {} if release.manifest is None else release.manifest.domains
    domains = {
        column: stated.get(column) or tuple(sorted(table.values(column))) for column in release.columns
    }
    return ReleaseData(
        table=table, mechanism=release.mechanism, domains=domains, attached_manifest=release.manifest
    )


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


def _by_channel(
    published: Path,
    facts: Manifest,
    second: Microdata | None,
    where: Sequence[str] | None,
    queries: list[tuple[int, Query]],
    method: str | None,
    batch: Path | None,
    wanted: TableOptions,
    *,
    as_json: bool,
) -> int:
    """Answer queries on a release by another mechanism than SPLU-Gen, by its declared law."""
    tuples = isinstance(facts.mechanism, AlphaBeta)
    results: dict[int, dict[str, Any]] = {}
    with about(published), counted("counting") as progress:
        for table, numbers in published_records(
            published,
            facts,
            tuple(facts.domains),
            where=where or (),
            columns=wanted.named,
            queries=[query for _, query in queries],
            progress=progress,
        ):
            release, estimator = _estimating(table, facts, second)
            conditions = read_conditions(where or (), values_of(release))
            some = [queries[number] for number in numbers]
            if facts.recoded:
                some = [(line, _recoded(query, facts, table, batch, line)) for line, query in some]
                if conditions:
                    conditions = _recoded(Query(conditions), facts, table, batch, 0).conditions
            if wanted.by:
                make_table(release, estimator, conditions, wanted, method, as_json=as_json)
                return 0
            some = some if batch is not None else [(0, Query(conditions))]
            for line, query in some:
                try:
                    estimator.require(query)
                except InputError as error:
                    raise type(error)(f"{batch}, line {line}: {error}" if batch else str(error)) from None
            queried = [query for _, query in some]
            if batch is None:
                found = estimator(queried, method)
            else:
                answered = _answered(partial(estimator, method=method), queried)
                results |= _results(numbers, release, queried, answered)
    if batch is None and tuples:
        show_tuples(release, queried[0], found[0], as_json=as_json)
    elif batch is None:
        summary = OWN_ESTIMATORS.get(facts.mechanism.name, BY_CHANNEL)[found[0].method]
        show_answer(release, queried[0], found[0], summary, as_json=as_json)
    return _say_results(results)


def _estimating(
    table: Records, facts: Manifest, second: Microdata | None
) -> tuple[ReleaseData, ReleaseEstimator]:
    """Return the release and its estimator, which uses counts alone if the table is not in memory."""
    if isinstance(table, Microdata):
        whole = with_sensitive_table(table, facts, second)
        return whole, estimator_of(whole)
    if second is not None:
        raise ParameterError(
            f"a release by {facts.mechanism.name} is one table: leave out the sensitive table"
        )
    release = ReleaseData(
        table=table, mechanism=facts.mechanism, domains=facts.domains, attached_manifest=facts
    )
    return release, (
        TupleEstimator(release) if isinstance(facts.mechanism, AlphaBeta) else ChannelEstimator(release)
    )


def _recoded(query: Query, facts: Manifest, table: Records, batch: Path | None, line: int) -> Query:
    """Return the query in terms of the release's recoded columns."""
    try:
        return recoded_query(query, facts, table)
    except ParameterError as error:
        raise ParameterError(f"{batch}, line {line}: {error}" if line else str(error)) from None


def _check(estimator: QueryEstimator, query: Query, method: Method | None, place: str) -> None:
    try:
        estimator.resolve(query, method)
    except InputError as error:
        raise type(error)(f"{place}{error}") from None


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
