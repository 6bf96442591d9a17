"""Every estimate of every query of a workload, from one release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from experiments.study.releases import drawn_values, group_values
from experiments.study.tables import StudyTable
from experiments.study.workload import Workload
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma, InputError
from splu_ref.estimators import Inversion, published_co_occurrence, two_state_estimates, two_state_intervals
from splu_ref.estimators.linear.transition import gain_probability
from splu_ref.estimators.shrinkage.conditions import Conditions
from splu_ref.estimators.shrinkage.shrinkage import Shrinkage
from splu_ref.mechanisms import LN_2, LN_3, Budget, LaplaceCounts, SpluGen
from splu_ref.randomness import ByteSource, IntArray

_Timed = TypeVar("_Timed")
FloatArray: TypeAlias = NDArray[np.float64]
Printed: TypeAlias = Callable[[FloatArray, int], tuple[FloatArray, IntArray]]
"""The printed iteration for many conjunctions: from the counts of the states, shape (queries, 2, 2) or
(queries, 2, 2, 2), and gamma to those before publication and the number of steps. A row that has not stopped
is not a number."""

_CELLS = 1 << 19
"""Predicates times values that are shrunk at once, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class CountedWorkload:
    """What a release shows of a workload.

    Attributes
    ----------
    published
        y by predicate and value, shape (predicates, values).
    frequencies
        f' by value.
    gamma
        Size of a decoy group.
    conditions
        The single conditions of the predicates.
    """

    published: IntArray
    frequencies: IntArray
    gamma: Gamma
    conditions: Conditions

    @property
    def rows(self) -> int:
        """Records published."""
        return int(self.frequencies.sum())

    @property
    def law(self) -> PublishedCount:
        """The law of the published counts: gamma and p = 1/gamma."""
        return PublishedCount.of(self.gamma)


def count_workload(table: StudyTable, queries: Workload, values: IntArray, gamma: Gamma) -> CountedWorkload:
    """Count a release, given by original record."""
    frequencies = np.bincount(values, minlength=table.domain_size + 1)[: table.domain_size]
    published = queries.count(values, table.domain_size)
    return CountedWorkload(published, frequencies, gamma, _conditions(table, queries, values))


def _conditions(table: StudyTable, queries: Workload, values: IntArray) -> Conditions:
    """Return the single conditions of the predicates with several."""
    predicates = [
        tuple(zip(columns, codes, strict=True)) if len(columns) > 1 else ()
        for columns, codes in zip(queries.columns, queries.assignments, strict=True)
    ]
    terms = sorted({term for predicate in predicates for term in predicate})
    places, width = {term: place for place, term in enumerate(terms)}, table.domain_size + 1
    of = np.zeros((len(predicates), len(terms)))
    for number, predicate in enumerate(predicates):
        of[number, [places[term] for term in predicate]] = 1.0
    counted = {
        column: np.bincount(
            table.codes[column].astype(np.int64) * width + values, minlength=table.sizes[column] * width
        ).reshape(-1, width)[:, :-1]
        for column in dict.fromkeys(column for column, _ in terms)
    }
    published = np.array([counted[column][code] for column, code in terms], dtype=np.float64)
    return Conditions(published.reshape(-1, table.domain_size), of)


@dataclass(frozen=True, eq=False)
class Answers:
    """Estimates of a workload's queries from one release.

    Attributes
    ----------
    estimates
        By method, shape (queries,); not a number where a method has no result.
    exact_ends, shrunk_ends
        95 % intervals of ``exact`` and ``shrunk``.
    steps
        Steps of the printed iteration by query, empty without it.
    seconds
        By method: time for all queries together.
    """

    estimates: dict[str, FloatArray]
    exact_ends: tuple[FloatArray, FloatArray]
    shrunk_ends: tuple[FloatArray, FloatArray]
    steps: IntArray
    seconds: dict[str, float]


def answers(queries: Workload, seen: CountedWorkload, plan: str, printed: Printed | None) -> Answers:
    """Estimate all queries by all methods for SPLU-Gen releases.

    Parameters
    ----------
    queries, seen
        The workload and what a release shows of it.
    plan
        Name of the plan method.
    printed
        The printed iteration, if there is one.
    """
    y3 = seen.published[queries.predicate, queries.value].astype(np.float64)
    n = seen.published.sum(axis=1)[queries.predicate].astype(np.float64)
    f = seen.frequencies[queries.value].astype(np.float64)
    seconds: dict[str, float] = {}
    expected = n * f / seen.rows

    def timed(name: str, run: Callable[[], _Timed]) -> _Timed:
        begin = perf_counter()
        result = run()
        seconds[name] = perf_counter() - begin
        return result

    exact, _ = timed("exact", lambda: two_state_estimates(y3, n, f, seen.rows, seen.law))
    blank = ~np.isfinite(exact)  # f' >= N / gamma: the counts say nothing, and the library answers n f'/N
    ends = two_state_intervals(y3, n, f, seen.rows, seen.law)
    exact_ends = np.where(blank, 0.0, ends[0]), np.where(blank, n, ends[1])
    shrunk, shrunk_ends = timed("shrunk", lambda: _shrunk(queries, seen))
    estimates = {
        "published count": y3,
        "n f'/N": expected,
        "exact": np.where(blank, expected, exact),
        "shrunk": shrunk,
        "inversion": timed("inversion", lambda: _inverted(queries, seen, plan)),
    }
    steps = np.empty(0, dtype=np.int64)
    if printed is not None:
        states = np.stack([seen.rows - n - f + y3, f - y3, n - y3, y3], axis=1).reshape(-1, 2, 2)
        found, steps = timed("printed", lambda: printed(states, int(seen.gamma)))
        estimates["printed"] = found[:, 1, 1]
    return Answers(
        estimates=estimates,
        exact_ends=exact_ends,
        shrunk_ends=shrunk_ends,
        steps=steps,
        seconds=seconds,
    )


def _shrunk(queries: Workload, seen: CountedWorkload) -> tuple[FloatArray, tuple[FloatArray, FloatArray]]:
    """Return the estimates and their intervals, as `QueryEstimator` states them."""
    shrinkage = Shrinkage(seen.frequencies.astype(np.float64), seen.rows, seen.law)
    value, lower, upper = (np.empty(len(queries.predicate)) for _ in range(3))
    order = np.argsort(queries.predicate, kind="stable")
    size = max(1, _CELLS // seen.published.shape[1])
    domain = np.eye(seen.published.shape[1])
    for begin in range(0, len(order), size):
        chunk = order[begin : begin + size]
        places, which = np.unique(queries.predicate[chunk], return_inverse=True)
        conditions = seen.conditions.of_predicates(places)
        predicates = shrinkage.learn(seen.published[places].astype(np.float64), conditions)
        found = shrinkage.estimate(predicates, which, domain[queries.value[chunk]])
        value[chunk] = found.value
        lower[chunk], upper[chunk] = found.interval("each")
    return value, (lower, upper)


def _inverted(queries: Workload, seen: CountedWorkload, plan: str) -> FloatArray:
    """Return the estimates by inversion; none if the plan's matrix has no inverse."""
    try:
        co_occurrence = published_co_occurrence(seen.frequencies, SpluGen(seen.gamma, plan=plan))
        inversion = Inversion(co_occurrence, seen.frequencies.astype(np.float64), seen.law)
    except InputError:
        return np.full(len(queries.predicate), np.nan)
    found = inversion.estimates(seen.published.astype(np.float64))
    return found[queries.predicate, queries.value]


def compared(table: StudyTable, queries: Workload, gamma: Gamma, source: ByteSource) -> dict[str, FloatArray]:
    """Estimate all queries from one release of each other mechanism of section 6.2.3.

    Anatomy's two tables have the group size gamma; DBR has no parameter; Laplace noise is drawn for each
    query with the whole budget.
    """
    published = queries.count(drawn_values(table, source), table.domain_size)
    chunk = queries.predicate, queries.value
    beside = [
        queries.count(values, table.domain_size)[chunk] for values in group_values(table, gamma, source)
    ]
    kept = queries.count(np.zeros(table.rows, dtype=np.int64), 1)[queries.predicate, 0]
    f = np.bincount(table.values, minlength=table.domain_size)[queries.value]
    estimate = np.sum(beside, axis=0) / gamma
    exposed = f * (gamma - 1) / np.maximum(table.rows - f, 1)
    known = gamma * f < table.rows  # otherwise every group holds the value
    less = (gamma * estimate - kept * exposed) / np.where(known, 1 - exposed, 1.0)
    return {
        "two tables": estimate,
        "two tables less decoys": np.where(known, np.clip(less, 0.0, kept), kept * f / table.rows),
        "DBR": published[chunk].astype(np.float64),
        "Laplace ln 3": _noisy(queries.true, LN_3, source),
        "Laplace ln 2": _noisy(queries.true, LN_2, source),
    }


def _noisy(true: IntArray, budget: Budget, source: ByteSource) -> FloatArray:
    return np.array(LaplaceCounts(budget).publish_counts(true.tolist(), source), dtype=np.float64)


def predicted_variances(table: StudyTable, queries: Workload, truth: IntArray, gamma: Gamma) -> FloatArray:
    """Return the variance of ``exact`` that claim splu.V predicts from the true counts, by query.

    Where y3 is its expectation, the estimate is the true count, and its stated error is the prediction.
    """
    x = queries.true.astype(np.float64)
    n = truth.sum(axis=1)[queries.predicate].astype(np.float64)
    f = np.bincount(table.values, minlength=table.domain_size)[queries.value].astype(np.float64)
    law = PublishedCount.of(gamma)
    y3 = x / gamma + (n - x) * gain_probability(f, table.rows, 1 / gamma)
    _, error = two_state_estimates(y3, n, f, table.rows, law)
    return np.asarray(error**2)
