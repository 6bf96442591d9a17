"""Estimating queries from a published table, by one of the methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Protocol, Self, TypeAlias

import numpy as np

from splu_ref.channels import DataError, ParameterError
from splu_ref.data import Records, RowRange, require_columns
from splu_ref.estimators.answers import (
    BATCHES,
    NO_INTERVAL,
    NO_JOINT_INTERVAL,
    Estimates,
    Interval,
    QueryCounts,
    QueryEstimate,
)
from splu_ref.estimators.queries.batches import added, reasons_in_batches
from splu_ref.estimators.queries.conditions import AnyOf, Condition
from splu_ref.estimators.queries.counting import Columns
from splu_ref.estimators.queries.joint_shrinkage import ShrinkageMethod
from splu_ref.estimators.queries.methods import ClosedForm, InvertedMatrix, MostLikely, PublishedCountAlone
from splu_ref.estimators.queries.one_column import PublishedColumn, QueryBatch
from splu_ref.estimators.queries.query import Query, ResolvedQuery
from splu_ref.estimators.queries.several_columns import SeveralColumns
from splu_ref.estimators.queries.weak_support import weak_support
from splu_ref.mechanisms import ReleaseData, SpluGens

Progress: TypeAlias = Callable[[int, int], None]
JointEstimates: TypeAlias = Callable[[SeveralColumns, Sequence[ResolvedQuery]], tuple[QueryCounts, Estimates]]
"""Function from queries on several sensitive columns to their counts and estimates, in order."""

_AT_ONCE = 10_000
"""Largest number of queries between two reports of progress."""

_CELLS = 1 << 21
"""Largest number of queries times values per batch; an array of this size takes 16 MB."""


class Method(Protocol):
    """A method of estimating the counts of queries."""

    @property
    def name(self) -> str:
        """Name in options and results."""
        ...

    @property
    def summary(self) -> str:
        """Description in one line."""
        ...

    @property
    def answers_predicates(self) -> bool:
        """Whether it supports conditions on columns that are not sensitive."""
        ...

    @property
    def joint(self) -> JointEstimates | None:
        """Function for queries on several sensitive columns; None if they are not supported."""
        ...

    def single(self, column: PublishedColumn, batch: QueryBatch) -> Estimates:
        """Estimate queries on one sensitive column, in order.

        Raises
        ------
        InputError
            If the release lacks the information that the method needs.
        """
        ...


_ALL: tuple[Method, ...] = (
    PublishedCountAlone(),
    ClosedForm(),
    ShrinkageMethod(),
    MostLikely(),
    InvertedMatrix(),
)
METHODS: dict[str, Method] = {method.name: method for method in _ALL}
"""The methods by name; ``shrunk`` is the default."""


def method_named(name: str, methods: Mapping[str, Method] = METHODS) -> Method:
    """Return a method.

    Raises
    ------
    ParameterError
        If there is none of that name; the message names all.
    """
    if name not in methods:
        close = get_close_matches(name, methods, n=1)
        meant = f"did you mean {close[0]}? " if close else ""
        raise ParameterError(f"method {name!r} is unknown: {meant}Choose one of {', '.join(methods)}")
    return methods[name]


class QueryEstimator:
    """Estimates counts in the original of a published table.

    Parameters
    ----------
    table
        The published table, or its records counted by the columns that queries name.
    sensitive
        The sensitive columns.
    mechanism
        The mechanism that published the table. The method of its plan determines the co-occurrence of values
        for ``inversion``, ``em`` on sets and errors of sets.
    domains
        All values of the sensitive columns, as recorded in a manifest. By default the published values are
        the domain, and queries may name other values, which may have no published record.
    batches
        The rows of each batch, in a release of several: each has a plan and draws of its own, so conjunctions
        are estimated in each and added. None if the rows of a batch are not known: estimates of conjunctions
        are then for one plan, and say so.

    Raises
    ------
    DataError
        If the table cannot be a release with that gamma, or lacks a column.
    ParameterError
        If no column is named.

    Examples
    --------
    >>> from splu_ref.estimators import Query, QueryEstimator
    >>> from splu_ref.mechanisms import SpluGen
    >>> from splu_ref.data import embedded_table
    >>> from splu_ref.randomness import SeededSource
    >>> release = SpluGen(5).publish(embedded_table(), "occupation", SeededSource(1))
    >>> estimator = QueryEstimator(release.table, ["occupation"], SpluGen(5))
    >>> [sales] = estimator.estimate([Query.of({"sex": "Female", "occupation": "Sales"})])
    >>> sales.interval[0] < sales.estimate < sales.interval[1]
    True
    """

    def __init__(
        self,
        table: Records,
        sensitive: Sequence[str],
        mechanism: SpluGens,
        *,
        domains: Mapping[str, tuple[str, ...]] | None = None,
        batches: Sequence[range] | None = (),
    ) -> None:
        self.mechanism = mechanism
        self.sensitive = tuple(dict.fromkeys(sensitive))
        if not self.sensitive:
            raise ParameterError("name at least one sensitive column")
        require_columns(self.sensitive, table.columns)
        for gamma in dict.fromkeys(mechanism.for_column(name).gamma for name in self.sensitive):
            if table.row_count % gamma:
                raise DataError(
                    f"{table.row_count} rows are no multiple of gamma = {gamma}: this is no release with "
                    "that gamma"
                )
        self._domains = dict(domains or {})
        self._knows_batches = batches is not None
        self._batches = [
            QueryEstimator(RowRange(table, rows), self.sensitive, mechanism, domains=self._domains)
            for rows in batches or ()
        ]
        self._columns = Columns(table, self._domains)
        self._single: dict[str, PublishedColumn] = {}
        self._several: dict[tuple[str, ...], SeveralColumns] = {}
        self._selections: dict[tuple[str, Condition], tuple[tuple[int, ...], int]] = {}
        for name in self.sensitive:
            self._columns.domain(name)

    @classmethod
    def of(cls, release: ReleaseData) -> Self:
        """Return the estimator of a release by SPLU-Gen."""
        assert isinstance(release.mechanism, SpluGens)
        stated = release.attached_manifest
        return cls(
            release.table, release.sensitive, release.mechanism, domains=release.domains,
            batches=() if stated is None else stated.batch_rows(release.table),
        )  # fmt: skip

    def __call__(self, queries: Sequence[Query], method: str | None) -> list[QueryEstimate]:
        """Estimate the counts of queries as `estimate` does."""
        return self.estimate(queries, method)

    def require(self, query: Query) -> None:
        """Raise unless the query can be answered: see `resolve`."""
        self.resolve(query)

    def resolve(self, query: Query, method: Method | None = None) -> ResolvedQuery:
        """Check a query, for a method if one is given, and return it as codes of this table.

        Raises
        ------
        InputError
            For an unknown column or value, a range on a column without numbers, a query without a
            sensitive column, or one that the method does not answer.
        """
        return self._resolve(query, method)[1]

    def _resolve(self, query: Query, method: Method | None) -> tuple[tuple[str, ...], ResolvedQuery]:
        """Return the sensitive columns that a query names, and the query as codes.

        A condition that all records meet is left out: the query is the same without it.
        """
        predicate, selected = [], {}
        for term in query.conditions:
            if term[0] in self.sensitive:
                selected[term[0]] = self._selected(term)
            else:
                self._columns.holding(*term)
                predicate.append(term)
        if not selected:
            raise ParameterError(
                f"{query} names no sensitive column ({', '.join(self.sensitive)}): publication changes no "
                "other, so count the published rows"
            )
        if len(selected) > 1 and method is not None and method.joint is None:
            joint = ", ".join(name for name, other in METHODS.items() if other.joint is not None)
            raise ParameterError(
                f"the method {method.name} knows one sensitive column: for several use {joint}"
            )
        restricting = self._columns.restricting(predicate)
        if restricting and method is not None and not method.answers_predicates:
            raise ParameterError(
                f"the method {method.name} counts a sensitive value alone: drop the other conditions, or use "
                "shrunk"
            )
        names = tuple(name for name in self.sensitive if name in selected)
        members, named = zip(*(selected[name] for name in names), strict=True)
        return names, ResolvedQuery(restricting, members, named)

    def _selected(self, term: tuple[str, Condition]) -> tuple[tuple[int, ...], int]:
        """Return which values of a sensitive column satisfy a condition, and how many are meant."""
        if term not in self._selections:
            name, condition = term
            holds = self._columns.holding(name, condition, complete=name in self._domains)
            chosen = tuple(np.flatnonzero(holds).tolist())
            named = len(condition.values) if isinstance(condition, AnyOf) else max(len(chosen), 1)
            self._selections[term] = chosen, named
        return self._selections[term]

    def estimate(
        self,
        queries: Sequence[Query],
        method: str | Method | None = "shrunk",
        *,
        interval: Interval = "each",
        progress: Progress | None = None,
    ) -> list[QueryEstimate]:
        """Estimate the counts of queries, all at once.

        Parameters
        ----------
        queries
            Any number.
        method
            A name in `METHODS`, or a `Method`. None selects the default of each query: ``mle`` for sensitive
            values alone or under conditions that all records meet, ``shrunk`` otherwise.
        interval
            Kind of coverage of ``shrunk``; the intervals of the other methods are for each count.
        progress
            Called with the number of queries done and of all.

        Raises
        ------
        InputError
            If a query cannot be read for this table, or the method cannot answer it.
        """
        chosen = method_named(method) if isinstance(method, str) else method
        if interval == "average" and chosen is not None and chosen.name != "shrunk":
            raise ParameterError(
                f"the method {chosen.name} has no intervals that hold on average: leave --interval out, or "
                "use shrunk"
            )
        default = ShrinkageMethod(interval)
        if isinstance(chosen, ShrinkageMethod):
            chosen = replace(chosen, interval=interval)
        groups: dict[tuple[tuple[str, ...], bool], list[tuple[int, ResolvedQuery]]] = {}
        for number, query in enumerate(queries):
            names, resolved = self._resolve(query, chosen)
            # The law of a count in the whole table is the same for batches as for one release.
            together = len(names) > 1 or bool(resolved.predicate)
            groups.setdefault((names, together), []).append((number, resolved))
        answers: dict[int, QueryEstimate] = {}
        for (names, together), group in groups.items():
            answer = self._answer_function(
                names, chosen or (default if together else METHODS["mle"]), together
            )
            values = max(len(self._columns.domain(name)) for name in names)
            step = min(_AT_ONCE, max(1, _CELLS // values))
            for begin in range(0, len(group), step):
                numbers, some = zip(*group[begin : begin + step], strict=True)
                answers.update(zip(numbers, answer(some), strict=True))
                if progress is not None:
                    progress(len(answers), len(queries))
        return [answers[number] for number in range(len(queries))]

    def _column(self, name: str) -> PublishedColumn:
        if name not in self._single:
            self._single[name] = PublishedColumn(self._columns, name, self.mechanism.for_column(name))
        return self._single[name]

    def _answer_function(
        self, names: tuple[str, ...], method: Method, conjunctions: bool
    ) -> Callable[[Sequence[ResolvedQuery]], list[QueryEstimate]]:
        """Return the function that estimates queries on these sensitive columns."""
        pooled = BATCHES if conjunctions and not self._knows_batches else None

        def answer(queries: Sequence[ResolvedQuery]) -> list[QueryEstimate]:
            judge = self._in_batches if conjunctions and self._batches else self._estimates
            counted, found, reasons = judge(names, method, queries)
            answers = found.query_estimates(method.name, counted)
            texts = (
                "; ".join(filter(None, (pooled, one.warning, reason))) or None
                for one, reason in zip(answers, reasons, strict=True)
            )
            return [replace(one, warning=text) for one, text in zip(answers, texts, strict=True)]

        return answer

    def _estimates(
        self, names: tuple[str, ...], method: Method, queries: Sequence[ResolvedQuery]
    ) -> tuple[QueryCounts, Estimates, list[str | None]]:
        """Estimate queries by one plan, and return reasons why their published counts say little."""
        parts, joint = [self._column(name) for name in names], method.joint
        if len(parts) > 1 and joint is not None:
            if names not in self._several:
                self._several[names] = SeveralColumns(self._columns, names, parts)
            counted, found = joint(self._several[names], queries)
            if (
                self.mechanism.for_column(names[0]).draws.name == "all-or-none"
                and method.name != ShrinkageMethod.name
            ):
                found = replace(found, warning=NO_JOINT_INTERVAL)
        else:
            batch = parts[0].count(queries)
            counted, found = batch.facts, method.single(parts[0], batch)
            if method.answers_predicates and found.condition_number is None:
                found = _alone_in_all_records(parts[0], batch, found)
        if not method.answers_predicates:
            return counted, found, [None] * len(queries)
        known = all(self.mechanism.for_column(name).plan == "mixed" for name in names)
        if not known and not found.allows_for_plan:
            found = replace(found, warning=NO_INTERVAL)
        weak = [
            _weakly_supported(part, name, [query.members[place] for query in queries])
            for place, (name, part) in enumerate(zip(names, parts, strict=True))
        ]
        unsettled = ((counted.predicate > 0) & (counted.predicate < parts[0].rows)).tolist()  # by n or f'
        reasons = (
            filter(None, each) if applies else () for applies, *each in zip(unsettled, *weak, strict=True)
        )
        return counted, found, ["; ".join(each) or None for each in reasons]

    def _estimates_of_batch(
        self, names: tuple[str, ...], method: Method, queries: Sequence[ResolvedQuery]
    ) -> tuple[QueryCounts, Estimates, list[str | None]]:
        """Estimate queries by one plan, without the conditions that all records of this batch meet."""
        own = [query._replace(predicate=self._columns.restricting(query.predicate)) for query in queries]
        return self._estimates(names, method, own)

    def _holds(self, name: str, queries: Sequence[ResolvedQuery]) -> bool:
        """Return whether there are records of any query's predicate; queries have this column first."""
        counted = self._column(name).count([query.alone(0) for query in queries])
        return bool(counted.predicate_count.any())

    def _in_batches(
        self, names: tuple[str, ...], method: Method, queries: Sequence[ResolvedQuery]
    ) -> tuple[QueryCounts, Estimates, list[str | None]]:
        """Estimate queries in each batch, and add; a batch without records of a query adds nothing."""
        holding = [place for place, batch in enumerate(self._batches) if batch._holds(names[0], queries)]
        holding = holding or [0]
        counts, each, reasons = zip(
            *(self._batches[place]._estimates_of_batch(names, method, queries) for place in holding),
            strict=True,
        )
        counted, found = added(counts, each)
        return counted, found, reasons_in_batches(counts, reasons, [place + 1 for place in holding])


def _alone_in_all_records(column: PublishedColumn, batch: QueryBatch, found: Estimates) -> Estimates:
    """Return the estimates, those of predicates of all records by the published count alone.

    Such a count does not depend on the plan, so no method has a shorter interval that always covers it.
    """
    everywhere = np.flatnonzero(batch.predicate_count == batch.rows)
    if not len(everywhere):
        return found
    return found.with_others(everywhere, PublishedCountAlone().single(column, batch.of(everywhere)))


def _weakly_supported(part: PublishedColumn, name: str, sets: Sequence[tuple[int, ...]]) -> list[str | None]:
    """Return the warning of each set of values; each different set is judged once."""
    different = list(dict.fromkeys(sets))
    warnings = dict(zip(different, weak_support(part, name, part.members(different)), strict=True))
    return [warnings[each] for each in sets]
