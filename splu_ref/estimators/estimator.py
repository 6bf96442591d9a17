"""Estimating queries from a published table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import TypeAlias

from splu_ref.decoys import PLANS
from splu_ref.estimators.answers import METHODS, Ask, QueryEstimate, Reconstruction
from splu_ref.estimators.counting import Columns
from splu_ref.estimators.one_column import estimated
from splu_ref.estimators.published_column import PublishedColumn
from splu_ref.estimators.query import AnyOf, Query
from splu_ref.estimators.several_columns import JOINT_METHODS, SeveralColumns
from splu_ref.microdata import Microdata
from splu_ref.model import DataError, Exact, Gamma, ParameterError, retention_probability

Progress: TypeAlias = Callable[[int, int], None]

_AT_ONCE = 10_000
"""Queries answered between two reports of progress, at most."""

_CELLS = 1 << 21
"""Queries times values of a column that are held at once, at most: each array of them takes 16 MB."""


class QueryEstimator:
    """Estimates counts in the original of a published table.

    Parameters
    ----------
    table
        The published table.
    sensitive
        The sensitive columns.
    gamma
        Size of a decoy group.
    retention
        Probability of keeping the own value; 1/gamma unless given.
    plan
        Name of the plan method, which decides the co-occurrence of values for ``inversion``, ``em`` on sets
        and errors of sets.
    domains
        All values of sensitive columns, as a manifest tells them. Without it the published values are the
        domain, and a query may name others: they may have vanished.

    Raises
    ------
    DataError
        If the table cannot be a release with that gamma, or lacks a column.
    ParameterError
        If gamma, retention or the plan is no such thing.

    Examples
    --------
    >>> from splu_ref.estimators import Query, QueryEstimator
    >>> from splu_ref.mechanisms import SpluGen
    >>> from splu_ref.microdata import embedded_table
    >>> from splu_ref.randomness import SeededSource
    >>> release = SpluGen(5).publish(embedded_table(), "occupation", SeededSource(1))
    >>> estimator = QueryEstimator(release.table, ["occupation"], 5)
    >>> [sales] = estimator.estimate([Query.of({"sex": "Female", "occupation": "Sales"})])
    >>> sales.interval[0] < sales.estimate < sales.interval[1]
    True
    """

    def __init__(
        self,
        table: Microdata,
        sensitive: Sequence[str],
        gamma: Exact,
        *,
        retention: Exact | None = None,
        plan: str = "mixed",
        domains: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self.gamma = Gamma(gamma)
        self.retention = retention_probability(retention, self.gamma)
        self.sensitive = tuple(dict.fromkeys(sensitive))
        if not self.sensitive:
            raise ParameterError("name at least one sensitive column")
        if plan not in PLANS:
            raise ParameterError(f"plan {plan!r} is unknown: choose one of {', '.join(PLANS)}")
        if table.row_count % self.gamma:
            raise DataError(
                f"{table.row_count} rows are no multiple of gamma = {self.gamma}: "
                "this is no release with that gamma"
            )
        self._plan, self._domains = plan, dict(domains or {})
        self._columns = Columns(table, self._domains)
        self._single: dict[str, PublishedColumn] = {}
        for name in self.sensitive:
            self._columns[name]

    def resolve(self, query: Query, method: str | None = None) -> Ask:
        """Return the query as codes of this table, which checks it, for the method if one is given.

        Raises
        ------
        InputError
            For an unknown column or value, a range on a column without numbers, a query without a
            sensitive column, or one that the method does not answer.
        """
        predicate, members, named = [], {}, {}
        for name, condition in query.conditions:
            complete = name not in self.sensitive or name in self._domains
            chosen = self._columns.selected(name, condition, complete=complete)
            if name in self.sensitive:
                members[name] = tuple(chosen)
                named[name] = len(condition.values) if isinstance(condition, AnyOf) else max(len(chosen), 1)
            else:
                predicate.append((name, condition))
        if not members:
            raise ParameterError(
                f"{query} names no sensitive column ({', '.join(self.sensitive)}): publication changes no "
                "other, so count the published rows"
            )
        if len(members) > 1 and method is not None and method not in JOINT_METHODS:
            raise ParameterError(
                f"the method {method} knows one sensitive column: for several use {', '.join(JOINT_METHODS)}"
            )
        if predicate and method == "mle":
            raise ParameterError(
                "the method mle counts a sensitive value alone: drop the other conditions, or use shrunk"
            )
        order = self._named(query)
        return Ask(
            tuple(predicate), tuple(members[name] for name in order), tuple(named[name] for name in order)
        )

    def is_alone(self, query: Query) -> bool:
        """Return whether the query has conditions on one sensitive column and no other."""
        return len(query.conditions) == 1

    def estimate(
        self,
        queries: Sequence[Query],
        method: str = "shrunk",
        *,
        printed: Reconstruction | None = None,
        progress: Progress | None = None,
    ) -> list[QueryEstimate]:
        """Estimate the counts of queries, all at once.

        Parameters
        ----------
        queries
            Any number.
        method
            A name in `METHODS`.
        printed
            The paper's iteration, for the method ``printed``.
        progress
            Called with the number of queries done and of all.

        Raises
        ------
        InputError
            If a query cannot be read for this table, or the method cannot answer it.
        """
        if method not in METHODS:
            close = get_close_matches(method, METHODS, n=1)
            meant = f"did you mean {close[0]}? " if close else ""
            raise ParameterError(f"method {method!r} is unknown: {meant}Choose one of {', '.join(METHODS)}")
        groups: dict[tuple[str, ...], list[tuple[int, Ask]]] = {}
        for number, query in enumerate(queries):
            groups.setdefault(self._named(query), []).append((number, self.resolve(query, method)))
        answers: dict[int, QueryEstimate] = {}
        for names, asked in groups.items():
            run = self._answering(names, method, printed)
            values = max(len(self._columns[name].domain) for name in names)
            step = min(_AT_ONCE, max(1, _CELLS // values))
            for begin in range(0, len(asked), step):
                some = asked[begin : begin + step]
                found = run([ask for _, ask in some])
                answers.update(zip((number for number, _ in some), found, strict=True))
                if progress is not None:
                    progress(len(answers), len(queries))
        return [answers[number] for number in range(len(queries))]

    def _named(self, query: Query) -> tuple[str, ...]:
        named = {name for name, _ in query.conditions}
        return tuple(name for name in self.sensitive if name in named)

    def _column(self, name: str) -> PublishedColumn:
        if name not in self._single:
            self._single[name] = PublishedColumn(self._columns, name, self.gamma, self.retention, self._plan)
        return self._single[name]

    def _answering(
        self, names: tuple[str, ...], method: str, printed: Reconstruction | None
    ) -> Callable[[Sequence[Ask]], list[QueryEstimate]]:
        parts = [self._column(name) for name in names]
        if len(parts) == 1:
            return lambda asks: estimated(parts[0], asks, method, printed)
        joint = SeveralColumns(self._columns, names, parts, self.gamma)
        return lambda asks: joint.estimate(asks, method)
