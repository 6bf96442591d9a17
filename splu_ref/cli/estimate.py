"""``splu-ref estimate``: counts in the original, from the published table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, TypeVar, cast, get_args

import typer

from splu_ref.channels import GroupDraws, InputError, ParameterError, retention_probability
from splu_ref.cli.ledger import load_ledger
from splu_ref.cli.options import SensitiveTable, by_column, in_words, sizes_told, splu_gen
from splu_ref.cli.output import AsJson, Force, Separator, about, note, show
from splu_ref.cli.progress import counted
from splu_ref.cli.queries import some_queries
from splu_ref.cli.records import published_records
from splu_ref.cli.tables import TableOptions, make_table, values_of
from splu_ref.data import Microdata, Records, read_table
from splu_ref.estimators import (
    LARGEST,
    METHODS,
    AnyOf,
    ChannelEstimator,
    Interval,
    Method,
    Progress,
    Query,
    QueryEstimate,
    QueryEstimator,
    ReleaseEstimator,
    TupleEstimator,
    approximation,
    estimate_count,
    estimator_of,
    half_width,
    is_exact,
    method_named,
    read_conditions,
    recoded_query,
)
from splu_ref.mechanisms import (
    AlphaBeta,
    Anatomy,
    Manifest,
    PerturbedGeneralization,
    ReleaseData,
    SmallDomainRandomization,
    SpluGen,
    SpluGens,
    read_manifest,
    require_sensitive_table,
    splu_gen_of,
    with_sensitive_table,
)
from splu_ref.output import say_json

EXAMPLE = (
    "splu-ref estimate published.csv --manifest manifest.json --where sex=Female --where occupation=Sales"
)

_FAR = 2.5
"""Standard errors from the estimate to an end of its interval, from where the distance is explained."""
_HOLDS = {"each": "", "average": ", on average over the values of the domain"}
"""What an interval is for, where it is not each count."""


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
        str | None, typer.Option("--sum", help="With --by: add up this column of numbers, not records.")
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
        typer.Option("--retention", help="Probability of keeping the own value; 1/gamma unless published."),
    ] = None,
    plan: Annotated[
        str | None, typer.Option("--plan", help="How decoys were grouped: mixed unless published otherwise.")
    ] = None,
    draws: Annotated[
        str | None,
        typer.Option("--draws", help="How the draws of a group hang together: independent unless published."),
    ] = None,
    manifest: Annotated[
        Path | None, typer.Option("--manifest", help="Manifest of the release, instead of the options above.")
    ] = None,
    sensitive_table: SensitiveTable = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"{', '.join(METHODS)}, or what the ledger keeps for comparison; mle for a sensitive value "
            "alone and shrunk otherwise, unless given.",
        ),
    ] = None,
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            help="What the intervals of shrunk are for: each count, or the values of a domain on average.",
        ),
    ] = "each",
    separator: Separator = None,
    as_json: AsJson = False,
) -> None:
    """Estimate how many published records satisfied a conjunction before, with a 95 % interval.

    A conjunction names at least one sensitive column. Small counts are wrong on purpose. Of a value alone the
    estimate is the published count. The manifest of a release by another mechanism decides how it is
    estimated. With --batch the answers are JSON lines in the order of the queries. With --by a whole table is
    estimated, whose rows and columns add up to what is public.
    """
    if not by and bool(where) == (batch is not None):
        raise ParameterError(
            "say what to count: either --where COLUMN=VALUE or --batch FILE, or a table with --by"
        )
    if by and batch is not None:
        raise ParameterError("a table is asked for with --by or queries with --batch: drop one")
    wanted = TableOptions(by, total, mean, output, picture, force)
    wanted.require()
    facts = None if manifest is None else read_manifest(manifest)
    told = {
        "--interval": interval != "each",
        "--gamma": gamma,
        "--sensitive": sensitive,
        "--retention": retention,
        "--plan": plan,
        "--draws": draws,
    }
    by_channel = facts is not None and not isinstance(facts.mechanism, SpluGens)
    queries = [] if batch is None else some_queries(batch)
    second = _second(sensitive_table, facts)
    if by_channel:
        _by_channel(
            published, _present(facts), second, where, queries, method, told, batch, wanted, as_json=as_json
        )
        return
    release = _Release(gamma, sensitive, retention, plan, draws, facts)
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
            estimator = release.estimator(table)
            known = release.published(table)
            conditions = read_conditions(where or (), values_of(known))
            some = [queries[number] for number in numbers]
            if facts is not None and facts.recoded:
                some = [(line, _recoded(query, facts, table, batch, line)) for line, query in some]
                if conditions:
                    conditions = _recoded(Query(conditions), facts, table, batch, 0).conditions
            if by:
                ask = partial(_splu_gen, estimator, chosen, kind, progress)
                make_table(known, ask, conditions, wanted, method, as_json=as_json)
                return
            some = some if batch is not None else [(0, Query(conditions))]
            for line, query in some:
                _check(estimator, query, chosen, f"{batch}, line {line}: " if line else "")
            asked = [query for _, query in some]
            found = estimator.estimate(asked, chosen, interval=kind, progress=progress)
            conjunctions |= any(answer.method != "mle" for answer in found)
            if batch is not None:
                results |= _results(numbers, known, asked, found)
    if facts is not None and facts.batches and conjunctions:
        note(
            f"the release consists of {len(facts.batches)} batches with a decoy plan each; estimates and "
            "intervals of conjunctions assume one plan over all records"
        )
    if batch is None:
        summary = (chosen or METHODS[found[0].method]).summary
        _show(known, asked[0], found[0], summary, release, as_json=as_json)
    for _, result in sorted(results.items(), key=itemgetter(0)):
        say_json(result)


def _results(
    numbers: Sequence[int], known: ReleaseData, asked: Sequence[Query], found: Sequence[QueryEstimate]
) -> dict[int, dict[str, Any]]:
    """Return what is told of answers, by the numbers of their queries; the records counted are let go."""
    each = zip(numbers, asked, found, strict=True)
    return {number: _result(known, query, answer) for number, query, answer in each}


def _splu_gen(
    estimator: QueryEstimator,
    chosen: Method | None,
    kind: Interval,
    progress: Progress,
    queries: Sequence[Query],
    method: str | None,
) -> list[QueryEstimate]:
    """Answer the queries of a table: values alone by the method that suits them."""
    named = None if method is None else chosen
    fits = kind if named is None or named.name == "shrunk" else "each"
    return estimator.estimate(queries, named, interval=fits, progress=progress)


BY_CHANNEL = {
    "inversion": "what was published, weighted by the inverse of the channel",
    "em": "the counts, none negative, that make what was published most likely",
}
"""What is done with a release by another mechanism than SPLU-Gen."""
_OWN = {
    SmallDomainRandomization.name: {
        "inversion": "what was published, weighted by the inverse of each part's channel"
    },
    PerturbedGeneralization.name: {
        "inversion": "each group's record, less what is random, times the group's size"
    },
    Anatomy.name: {
        "inversion": "what the groups of the predicate's records show, weighted so that others add nothing",
        "shares": "of each group that holds the value, the share of its records in the predicate",
    },
}
"""The same of mechanisms that have an estimator of their own."""
_Given = TypeVar("_Given")


class _Release:
    """What is public about the release: from the options, the manifest, or both if they agree."""

    def __init__(
        self,
        gamma: str | None,
        sensitive: list[str] | None,
        retention: str | None,
        plan: str | None,
        draws: str | None,
        facts: Manifest | None,
    ) -> None:
        self.facts = facts
        if facts is None:
            if gamma is None or not sensitive:
                raise ParameterError("say --gamma and --sensitive, or give the release's --manifest")
            self.mechanism, self.columns = (
                splu_gen(gamma, retention, plan or "mixed", sensitive, draws or "independent"),
                tuple(sensitive),
            )
            return
        self.mechanism, self.columns = splu_gen_of(facts), tuple(sensitive or facts.domains)
        every = tuple(facts.domains)
        asked = None if gamma is None else splu_gen(gamma, None, "mixed", every)
        for column, told in by_column(self.mechanism, every).items():
            if asked is not None and asked.for_column(column).gamma != told.gamma:
                raise _contradiction("--gamma", gamma, in_words(sizes_told(self.mechanism)))
            if retention is not None and retention_probability(retention, told.gamma) != told.retention:
                raise _contradiction("--retention", retention, told.retention)
            if plan is not None and plan != told.plan:
                raise _contradiction("--plan", plan, told.plan)
            if draws is not None and GroupDraws.parse(draws) != told.draws:
                raise _contradiction("--draws", draws, told.draws)
        for column in sensitive or ():
            if column not in facts.domains:
                raise _contradiction("--sensitive", column, ", ".join(facts.domains))

    def published(self, table: Records) -> ReleaseData:
        """Return the table with what is public about it; without a manifest, values that occur are all."""
        told = {} if self.facts is None else self.facts.domains
        domains = {column: told.get(column) or tuple(sorted(table.values(column))) for column in self.columns}
        return ReleaseData(
            table=table, mechanism=self.mechanism, domains=domains, attached_manifest=self.facts
        )

    def estimator(self, table: Records) -> QueryEstimator:
        domains = None if self.facts is None else self.facts.domains
        return QueryEstimator(table, self.columns, self.mechanism, domains=domains)


def _contradiction(option: str, given: object, told: object) -> ParameterError:
    return ParameterError(f"{option} {given} contradicts the manifest, which says {told}: drop one")


def _present(given: _Given | None) -> _Given:
    assert given is not None
    return given


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
    told: Mapping[str, object],
    batch: Path | None,
    wanted: TableOptions,
    *,
    as_json: bool,
) -> None:
    """Answer queries on a release by another mechanism than SPLU-Gen: by the law that it declares."""
    for option, given in told.items():
        if given:
            raise ParameterError(f"{option} is not asked of {facts.mechanism.name}: drop it")
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
                return
            some = some if batch is not None else [(0, Query(conditions))]
            for line, query in some:
                try:
                    estimator.require(query)
                except InputError as error:
                    raise type(error)(f"{batch}, line {line}: {error}" if batch else str(error)) from None
            asked = [query for _, query in some]
            found = estimator(asked, method)
            if batch is not None:
                results |= _results(numbers, release, asked, found)
    if batch is None and tuples:
        _show_tuples(release, asked[0], found[0], as_json=as_json)
    elif batch is None:
        summary = _OWN.get(facts.mechanism.name, BY_CHANNEL)[found[0].method]
        _show(release, asked[0], found[0], summary, None, as_json=as_json)
    for _, result in sorted(results.items(), key=itemgetter(0)):
        say_json(result)


def _estimating(
    table: Records, facts: Manifest, second: Microdata | None
) -> tuple[ReleaseData, ReleaseEstimator]:
    """Return the release and what answers queries about it, by counts alone where the table is not held."""
    if isinstance(table, Microdata):
        held = with_sensitive_table(table, facts, second)
        return held, estimator_of(held)
    if second is not None:
        raise ParameterError(f"a release by {facts.mechanism.name} is one table: leave the second out")
    release = ReleaseData(
        table=table, mechanism=facts.mechanism, domains=facts.domains, attached_manifest=facts
    )
    return release, (
        TupleEstimator(release) if isinstance(facts.mechanism, AlphaBeta) else ChannelEstimator(release)
    )


def _recoded(query: Query, facts: Manifest, table: Records, batch: Path | None, line: int) -> Query:
    """Return the query by the columns of the release, which may be bins or crossings of the original's."""
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
    """Return a method of the library, or one that the ledger keeps for comparison only."""
    if name in METHODS:
        return METHODS[name]
    try:
        kept: Mapping[str, Method] = load_ledger().methods
    except InputError as error:
        raise ParameterError(
            f"--method {name} is kept with the proofs only, if anywhere: {error}, or choose one of "
            f"{', '.join(METHODS)}"
        ) from None
    return method_named(name, METHODS | dict(kept))


def _interval(name: str) -> Interval:
    for kind in get_args(Interval):
        if name == kind:
            return cast("Interval", kind)
    raise ParameterError(f"--interval {name} is unknown: choose one of {', '.join(get_args(Interval))}")


def _result(known: ReleaseData, query: Query, answer: QueryEstimate) -> dict[str, Any]:
    result: dict[str, Any] = {
        "estimate": _number(answer.estimate),
        "standard_error": answer.standard_error,
        "interval": None if answer.interval is None else [_number(end) for end in answer.interval],
        "half_width": half_width(answer.interval),
        "approximation": approximation(exact=is_exact(known, query, answer), interval=answer.interval),
        "interval_kind": answer.interval_kind,
        "method": answer.method,
        "published_count": answer.published_count,
        "predicate_count": answer.predicate_count,
    }
    if answer.condition_number is not None:
        result["condition_number"] = answer.condition_number
    if answer.note is not None:
        result["note"] = answer.note
    if answer.variance_estimate is not None:
        result["variance_estimate"] = str(answer.variance_estimate)
        result["exact"] = answer.exact
    if answer.warning is not None:
        result["warning"] = answer.warning
    return result


def _number(value: float) -> float | int:
    """Return a whole number as an integer: counts of a value alone are exact."""
    return int(value) if value == int(value) else value


def _shown(value: float) -> str:
    """Return a number with one decimal, and a whole one without."""
    return f"{value:.1f}".removesuffix(".0")


def _show(
    known: ReleaseData,
    query: Query,
    answer: QueryEstimate,
    summary: str,
    release: _Release | None,
    *,
    as_json: bool,
) -> None:
    result, rows = _result(known, query, answer), known.table.row_count
    lines = [("concept", str(query))]
    named = query.conditions[0][1]
    shown = "records in groups that show it" if isinstance(known.mechanism, Anatomy) else "records"
    if release is not None and answer.method == "mle" and isinstance(named, AnyOf) and len(named.values) == 1:
        lines += _alone(answer, release.mechanism.for_column(query.conditions[0][0]), rows, result)
    else:
        lines += [
            ("method", f"{answer.method}: {summary}"),
            ("estimate", _shown(answer.estimate)),
            *doubt(answer),
            ("published", f"{answer.published_count} {shown}, of {answer.predicate_count} in the predicate"),
        ]
    if isinstance(known.mechanism, PerturbedGeneralization):
        among = f"the records of the original, in {rows} groups"
    else:  # those that were deleted at publication are in no count
        among = f"the {rows} records of the release, as they were before it"
    lines.append(("among", among))
    if answer.condition_number is not None:
        lines.append(("condition", f"{answer.condition_number:.3g} (2-norm of the transition matrix)"))
    if answer.note is not None:
        lines.append(("note", answer.note))
    if answer.warning is not None:
        lines.append(("warning", answer.warning))
    if answer.published_count == 0 and release is not None and release.facts is None:
        note(f"no published row has {query}: a rare value may have vanished, or it is misspelled")
    show(result, lines, as_json=as_json)


def _show_tuples(release: ReleaseData, query: Query, answer: QueryEstimate, *, as_json: bool) -> None:
    lines = [
        ("concept", str(query)),
        ("method", "inversion: published tuples, less the fakes to be expected, over alpha"),
        ("estimate", _shown(answer.estimate)),
        *doubt(answer),
        ("published", f"{answer.published_count} tuples, of {answer.predicate_count} in the domain"),
        ("among", "the tuples of the original, which are distinct"),
    ]
    if answer.note is not None:
        lines.append(("note", answer.note))
    show(_result(release, query, answer), lines, as_json=as_json)


def doubt(answer: QueryEstimate) -> list[tuple[str, str]]:
    """Describe standard error and interval, if there are any."""
    if answer.interval is None:
        return [("standard error", "none"), ("95 % interval", "none")]
    least, greatest = answer.interval
    held = "exact" if answer.exact else f"approximate{_HOLDS[answer.interval_kind]}"
    text = f"{_shown(least)} to {_shown(greatest)}, {held}"
    reach = max(answer.estimate - least, greatest - answer.estimate)
    if answer.standard_error is None:  # of an interval that is certain
        return [("standard error", "none"), ("95 % interval", text)]
    if reach > _FAR * answer.standard_error > 0 and answer.note != LARGEST:  # which says it itself
        text += (
            f"; up to {reach / answer.standard_error:.1f} standard errors away, because at other counts that "
            "it holds the estimate errs by more"
        )
    return [("standard error", _shown(answer.standard_error)), ("95 % interval", text)]


def _alone(
    answer: QueryEstimate, mechanism: SpluGen, rows: int, result: dict[str, Any]
) -> list[tuple[str, str]]:
    """Describe the count of a value alone, of which all is known exactly, and add it to the result."""
    gamma, retention = mechanism.gamma, mechanism.retention
    if mechanism.draws.bound is not None:
        return _alone_dependent(answer, mechanism, rows, result)
    count = estimate_count(answer.published_count, gamma, rows // gamma, retention=retention)
    result |= {
        "variance": str(count.variance),
        "bound": count.bound,
        "estimate_within_bound": count.estimate_within_bound,
        "interval_within_bound": list(count.interval_within_bound),
    }
    least, greatest = count.interval
    result["interval"] = [least, greatest]
    exact = ", exact" if retention == Fraction(1, gamma) else ""
    lines = [
        ("estimate", f"{count.estimate}, unbiased"),
        ("standard error", f"{count.standard_error:.2f} = sqrt({count.variance})"),
        ("95 % interval", f"{least} to {greatest}{exact}"),
    ]
    if greatest > rows // gamma:
        least, greatest = count.interval_within_bound
        lines.append(("at most N / gamma", f"{count.estimate_within_bound}, {least} to {greatest}"))
    return lines


def _alone_dependent(
    answer: QueryEstimate, mechanism: SpluGen, rows: int, result: dict[str, Any]
) -> list[tuple[str, str]]:
    """Describe the count of a value alone where the draws of a group hang together."""
    bound = rows // mechanism.gamma
    result |= {
        "variance": None,
        "bound": bound,
        "estimate_within_bound": min(int(answer.estimate), bound),
        "interval_within_bound": [min(int(end), bound) for end in answer.interval or ()],
        "draws": str(mechanism.draws),
    }
    said = "the errors are those of a plausible plan, since the plan is secret"
    if mechanism.draws.name == "all-or-none":
        said += "; every value that may be rare is taken for rare in it, which may be more than in any plan"
    return [
        ("estimate", f"{_shown(answer.estimate)}, unbiased"),
        *doubt(answer),
        ("draws", f"{mechanism.draws}: {said}"),
    ]
