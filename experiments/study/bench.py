"""What is measured on one release: pieces of a study, small enough to be stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from typing import TypeAlias

import numpy as np

from experiments.study.level import least_counts, selectivities
from experiments.study.methods import (
    FloatArray,
    Printed,
    answers,
    compared,
    count_workload,
    predicted_variances,
)
from experiments.study.pieces import Piece
from experiments.study.releases import published_values
from experiments.study.tables import StudyTable
from experiments.study.workload import Pool, Workload, workload
from splu_ref.channels.parameters import Gamma
from splu_ref.mechanisms import PLANS, SpluGen
from splu_ref.randomness import ByteSource, IntArray

Sources: TypeAlias = Callable[[str], ByteSource]
"""A source of random integers for each name, so that no piece depends on which others were computed."""


class Bench:
    """A table with its queries, which are drawn when they are first needed.

    Parameters
    ----------
    table
        The original.
    pools
        The queries to draw.
    sources
        Where random integers come from.
    printed
        The printed iteration, if there is one.
    """

    def __init__(
        self, table: StudyTable, pools: tuple[Pool, ...], sources: Sources, printed: Printed | None
    ) -> None:
        self.table, self.pools = table, pools
        self._name = f"{table.name}/{table.rows}"
        self._sources, self._printed = sources, printed

    @cached_property
    def queries(self) -> Workload:
        """The queries."""
        return workload(self.table, self.pools, pool_sources(self._sources, self._name))

    @cached_property
    def truth(self) -> IntArray:
        """True counts by predicate and value."""
        return self.queries.count(self.table.values, self.table.domain_size)

    @cached_property
    def classes(self) -> IntArray:
        """The class of each query: 0 for small counts, then by selectivity from 1 on."""
        ends = least_counts(selectivities(self.table), self.table.rows)
        return np.searchsorted(ends, self.queries.true, side="right")

    def release(self, mechanism: SpluGen, number: int) -> Piece:
        """Publish once by SPLU-Gen and answer all queries by all methods."""
        gamma, plan = mechanism.gamma, mechanism.plan
        source = self._sources(f"{self._name}/{plan}/{gamma}/{number}")
        values = published_values(self.table, mechanism, source)
        begin = perf_counter()
        seen = count_workload(self.table, self.queries, values, gamma)
        counting = perf_counter() - begin
        found = answers(self.queries, seen, plan, self._printed)
        variances = predicted_variances(self.table, self.queries, self.truth, gamma)
        deviations = (found.estimates["exact"] - self.queries.true) ** 2
        rows = self._summary(found.estimates)
        for row, where in zip(rows, self._members(), strict=True):
            row["squared_error"] = float(deviations[where].mean())
            row["predicted_variance"] = float(variances[where].mean())
            row["covered"] = {
                "exact": self._covered(found.exact_ends, where),
                "shrunk": self._covered(found.shrunk_ends, where),
            }
            row["steps"] = _steps(found.steps[where]) if len(found.steps) else None
        return {
            "classes": rows,
            "covered": {
                "exact": self._covered(found.exact_ends, np.flatnonzero(self.classes > 0)),
                "shrunk": self._covered(found.shrunk_ends, np.flatnonzero(self.classes > 0)),
            },
            "seconds": {"counting": counting, **found.seconds},
            "queries": len(self.queries.true),
        }

    def others(self, gamma: Gamma, number: int) -> Piece:
        """Answer all queries from one release of each other mechanism."""
        source = self._sources(f"{self._name}/others/{gamma}/{number}")
        return {"classes": self._summary(compared(self.table, self.queries, gamma, source))}

    def publishing(self, gamma: Gamma) -> Piece:
        """Time one release by each plan, in seconds."""
        seconds = {}
        for plan, method in PLANS.items():
            source = self._sources(f"{self._name}/time/{plan}/{gamma}")
            begin = perf_counter()
            SpluGen(gamma, plan=method).publish_codes(self.table.values, self.table.domain_size, source)
            seconds[plan] = perf_counter() - begin
        return {"seconds": seconds}

    def _members(self) -> list[IntArray]:
        return [np.flatnonzero(self.classes == number) for number in np.unique(self.classes).tolist()]

    def _summary(self, estimates: dict[str, FloatArray]) -> list[Piece]:
        """Return the mean relative errors by class; a method without an answer to each query has none."""
        true = self.queries.true.astype(np.float64)
        errors = {name: np.abs(found - true) / true for name, found in estimates.items()}
        return [
            {
                "class": int(self.classes[where[0]]),
                "queries": len(where),
                "errors": {
                    name: float(error[where].mean())
                    for name, error in errors.items()
                    if np.isfinite(error).all()
                },
            }
            for where in self._members()
        ]

    def _covered(self, ends: tuple[FloatArray, FloatArray], where: IntArray) -> float | None:
        """Return the share of queries whose true count lies in the interval; None without queries."""
        true = self.queries.true[where]
        inside = (ends[0][where] <= true) & (true <= ends[1][where])
        return float(inside.mean()) if len(where) else None


def pool_sources(sources: Sources, name: str) -> Callable[[Pool], ByteSource]:
    """Return a source for each pool of a table, the same whatever other pools are drawn."""
    return lambda pool: sources(f"{name}/queries/{pool.least}/{pool.end}/{pool.size}")


def _steps(steps: IntArray) -> Piece:
    return {"median": float(np.median(steps)), "mean": float(steps.mean()), "most": int(steps.max())}
