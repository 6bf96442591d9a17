"""Intervals and estimates judged by classes of the true count: coverage, length, root mean square error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from experiments.study.methods import FloatArray
from experiments.study.tables import StudyTable
from experiments.study.workload import Pool, Workload, workload
from splu_ref.channels.parameters import InputError
from splu_ref.data import Microdata
from splu_ref.estimators import (
    Cell,
    Interval,
    Method,
    Query,
    QueryEstimate,
    QueryEstimator,
    count_table,
    method_named,
)
from splu_ref.mechanisms import ReleaseData, SpluGen
from splu_ref.randomness import ByteSource, IntArray

FIRST, SECOND = "first", "second"
"""Names of the sensitive columns in the published table; the others are numbered."""
_END = 1 << 62
MOST_CELLS = 5_000
"""Largest number of cells of a table that is drawn."""
POOLS = {
    "1–20": Pool(1, 21, 1),
    "21–100": Pool(21, 101, 1),
    "101–500": Pool(101, 501, 1),
    "> 500": Pool(501, _END, 1),
    "concentrated": Pool(8, _END, 1, records=20, share=Fraction(2, 5)),
    "homogeneous": Pool(5, _END, 1, records=5, share=Fraction(1)),
}
"""Queries by true count, and those whose value has 40 % or more of a predicate's records, or all of them."""
ZERO, RARE = "zero", "below 0.5 %"
CLASSES = (ZERO, *POOLS, RARE)
"""The last: all true counts from 1 up to half a percent of the records, in whichever class."""
RIVALS: tuple[str, ...] = ("exact", "inversion", "em")


class Judgement(NamedTuple):
    """What is judged: a method, by name or itself, and the kind of its intervals."""

    method: str | Method
    kind: Interval = "each"

    @property
    def name(self) -> str:
        """For people."""
        method = self.method if isinstance(self.method, str) else self.method.name
        return method if self.kind == "each" else f"{method}, {self.kind}"

    @property
    def answers_several(self) -> bool:
        """Whether the method answers for several sensitive columns."""
        method = method_named(self.method) if isinstance(self.method, str) else self.method
        return method.joint is not None


@dataclass(frozen=True, eq=False)
class JudgedQueries:
    """Queries on a table, by class.

    Attributes
    ----------
    queries
        As the estimators take them.
    true
        Their counts in the table, shape (queries,).
    classes
        By class: the places of its queries.
    values
        By sensitive column: the code of the query, shape (queries,).
    tables
        The columns of complete tables, if the queries are their cells: these are reconciled.
    """

    queries: tuple[Query, ...]
    true: FloatArray
    classes: Mapping[str, IntArray]
    values: Mapping[str, IntArray]
    tables: tuple[tuple[str, ...], ...] = ()


def draw_queries(table: StudyTable, size: int, sources: Callable[[str], ByteSource]) -> JudgedQueries:
    """Draw up to ``size`` queries of each class, as `workload` does.

    A query with the true count zero is a random predicate of the others with a random value that none of its
    records has.
    """
    joint = table if table.second is None else table.joint()
    pools = [pool._replace(size=size) for pool in POOLS.values()]
    drawn = workload(joint, pools, lambda pool: sources(f"{pool.least}/{pool.end}/{pool.share}"))
    predicate, value = _without(joint, drawn, size, sources(ZERO))
    classes = {ZERO: len(drawn.true) + np.arange(len(predicate))}
    classes |= {name: np.flatnonzero(drawn.pool == number) for number, name in enumerate(POOLS)}
    predicate = np.concatenate([drawn.predicate, predicate])
    value = np.concatenate([drawn.value, value])
    true = np.zeros(len(value))
    true[: len(drawn.true)] = drawn.true
    classes[RARE] = np.flatnonzero((true > 0) & (200 * true < table.rows))
    if table.second is None:
        values = {FIRST: value}
    else:
        values = dict(zip((FIRST, SECOND), np.divmod(value, int(table.second.max()) + 1), strict=True))
    return JudgedQueries(tuple(_queries(drawn, predicate, values)), true, classes, values)


def draw_tables(table: StudyTable, size: int, source: ByteSource) -> JudgedQueries:
    """Draw up to ``size`` pairs of columns: all cells of their tables with the first sensitive column.

    A table has at most `MOST_CELLS`; a pair for which it would have more is not drawn.
    """
    width = table.domain_size
    pairs = [
        pair
        for pair in combinations(range(len(table.columns)), 2)
        if len(np.unique(_pair(table, pair))) * width <= MOST_CELLS
    ]
    drawn = [pairs[place] for place in np.sort(source.permutation(len(pairs))[:size]).tolist()]
    queries: list[Query] = []
    counts, records = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    for first, second in drawn:
        groups, which = np.unique(_pair(table, (first, second)), return_inverse=True)
        found = np.bincount(which * width + table.values, minlength=len(groups) * width)
        counts.append(found)
        records.append(np.repeat(found.reshape(-1, width).sum(axis=1), width))
        queries += [
            Query.of({str(first): one, str(second): other, FIRST: value})
            for one, other in zip(
                *(end.tolist() for end in np.divmod(groups, table.sizes[second])), strict=True
            )
            for value in range(width)
        ]
    true, predicates = np.concatenate(counts), np.concatenate(records)
    classes = {ZERO: np.flatnonzero(true == 0)}
    classes |= {name: np.flatnonzero(pool.holds(true, predicates)) for name, pool in POOLS.items()}
    classes[RARE] = np.flatnonzero((true > 0) & (200 * true < table.rows))
    tables = tuple((str(first), str(second), FIRST) for first, second in drawn)
    values = {FIRST: np.arange(len(true)) % width}
    return JudgedQueries(tuple(queries), true.astype(np.float64), classes, values, tables)


def _pair(table: StudyTable, pair: tuple[int, int]) -> IntArray:
    """Return each record's combination of values of two columns as one number."""
    first, second = pair
    return np.asarray(table.codes[first].astype(np.int64) * table.sizes[second] + table.codes[second])


def _without(table: StudyTable, drawn: Workload, size: int, source: ByteSource) -> tuple[IntArray, IntArray]:
    """Return up to ``size`` predicates, each with a value that none of its records has."""
    covered = drawn.count(table.values, table.domain_size) > 0
    lacking = np.flatnonzero(~covered.all(axis=1))
    if not len(lacking):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    predicates = lacking[source.below(len(lacking), size)]
    places = [np.flatnonzero(~covered[predicate]) for predicate in predicates]
    values = [int(those[source.below(len(those), 1)[0]]) for those in places]
    return predicates, np.array(values, dtype=np.int64)


def _queries(drawn: Workload, predicate: IntArray, values: Mapping[str, IntArray]) -> Iterator[Query]:
    for number, place in enumerate(predicate.tolist()):
        where = {str(c): code for c, code in zip(drawn.columns[place], drawn.assignments[place], strict=True)}
        yield Query.of(where | {name: int(codes[number]) for name, codes in values.items()})


@dataclass(frozen=True, eq=False)
class Judged:
    """Estimates and intervals of the same queries from several releases.

    Attributes
    ----------
    workload
        The queries.
    covered
        By interval: whether it covered the true count, shape (releases, queries); none where it had no
        interval.
    length
        By interval: its length, likewise.
    squares
        By method: squared errors, likewise; none where it has no answer.
    predicted
        By interval: squared standard errors, likewise; none where it states none.
    """

    workload: JudgedQueries
    covered: Mapping[str, NDArray[np.bool_]]
    length: Mapping[str, FloatArray]
    squares: Mapping[str, FloatArray]
    predicted: Mapping[str, FloatArray]

    def coverage(self, interval: str, name: str) -> FloatArray:
        """Return the share of a class's queries whose interval covered the true count, by release."""
        return np.asarray(self.covered[interval][:, self.workload.classes[name]].mean(axis=1))

    def error(self, method: str, name: str) -> float:
        """Return the root mean square error over a class and all releases."""
        return float(np.sqrt(self.squares[method][:, self.workload.classes[name]].mean()))

    def ratio(self, method: str, name: str) -> float:
        """Return a method's root mean square error over the least of all methods, in a class."""
        least = min(self.error(other, name) for other in self.squares)
        return self.error(method, name) / least if least > 0 else inf


def judged(
    table: StudyTable,
    mechanism: SpluGen,
    intervals: Sequence[Judgement],
    questions: JudgedQueries,
    sources: Sequence[ByteSource],
    rivals: Sequence[str] = RIVALS,
) -> Judged:
    """Publish a table once from each source, and answer all queries from each release.

    Parameters
    ----------
    table
        The original; its rows are a multiple of gamma.
    mechanism
        What publishes it.
    intervals
        What is judged.
    questions
        The queries.
    rivals
        Other methods whose errors are compared, with the published count and n f'/N. Those that cannot
        answer are left out.
    """
    covered: dict[str, list[NDArray[np.bool_]]] = {}
    length: dict[str, list[FloatArray]] = {}
    squares: dict[str, list[FloatArray]] = {}
    predicted: dict[str, list[FloatArray]] = {}
    for source in sources:
        release = _Release(table, mechanism, source)
        found: dict[str, FloatArray] = {}
        for interval in intervals:
            answers = release.answers(questions, interval)
            ends = [one.interval for one in answers if one.interval is not None]
            if len(ends) == len(answers):  # otherwise the method offers none for such releases
                low, high = np.array(ends).T
                inside = (low <= questions.true) & (questions.true <= high)
                covered.setdefault(interval.name, []).append(inside)
                length.setdefault(interval.name, []).append(high - low)
            known = (one.standard_error if isinstance(one, Cell) else one.known_error for one in answers)
            errors = np.array(list(known), dtype=np.float64)  # NaN for None
            if np.isfinite(errors).all():
                predicted.setdefault(interval.name, []).append(errors**2)
            found[interval.name] = np.array([one.estimate for one in answers])
            found["published count"] = np.array([float(one.published_count) for one in answers])
            found["n f'/N"] = release.expected(questions, answers)
        for rival in rivals:
            try:
                answers = release.answers(questions, Judgement(rival))
            except InputError:
                continue
            found[rival] = np.array([one.estimate for one in answers])
        for method, estimates in found.items():
            squares.setdefault(method, []).append((estimates - questions.true) ** 2)
    whole = {name: np.stack(parts) for name, parts in squares.items() if len(parts) == len(sources)}
    return Judged(
        questions,
        {name: np.stack(parts) for name, parts in covered.items()},
        {name: np.stack(parts) for name, parts in length.items()},
        whole,
        {name: np.stack(parts) for name, parts in predicted.items()},
    )


class _Release:
    """One publication, with what an analyst knows of it."""

    def __init__(self, table: StudyTable, mechanism: SpluGen, source: ByteSource) -> None:
        codes = {FIRST: table.values}
        if table.second is not None:
            codes[SECOND] = table.second
        sizes = {name: int(column.max()) + 1 for name, column in codes.items()}
        done = mechanism.publish_columns(codes, sizes, lambda _: source)
        joint = table if table.second is None else table.joint()
        columns = {str(number): column[done.rows] for number, column in enumerate(joint.codes)}
        columns |= {name: done.published[name] for name in codes}
        frame = pl.DataFrame({name: pl.Series(column).cast(pl.String) for name, column in columns.items()})
        domains = {name: tuple(map(str, range(size))) for name, size in sizes.items()}
        self._release = ReleaseData(table=Microdata.from_frame(frame), mechanism=mechanism, domains=domains)
        self._estimator = QueryEstimator(self._release.table, tuple(codes), mechanism, domains=domains)
        self._shares = {
            name: np.bincount(done.published[name], minlength=sizes[name]) / len(done.rows) for name in codes
        }

    def answers(self, questions: JudgedQueries, interval: Judgement) -> Sequence[QueryEstimate | Cell]:
        """Return the answers to all queries."""

        def answered(queries: Sequence[Query], _: str | None = None) -> list[QueryEstimate]:
            return self._estimator.estimate(queries, interval.method, interval=interval.kind)

        if not questions.tables:
            return answered(questions.queries)
        tables = (count_table(self._release, answered, by) for by in questions.tables)
        return [cell for table in tables for cell in table.cells]

    def expected(self, questions: JudgedQueries, answers: Sequence[QueryEstimate | Cell]) -> FloatArray:
        """Return n f'/N for each query; for two columns n f'g'/N²."""
        found = np.array([float(one.predicate_count) for one in answers])
        for name, share in self._shares.items():
            found *= share[questions.values[name]]
        return found
