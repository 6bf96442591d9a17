"""Faults in tables of estimates."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from property_tests.mutants.mutant import mutant
from splu_ref.estimators import AnswerQueries, Condition, Measure, Table, count_table, measure_table
from splu_ref.mechanisms import PublishedTable


def _rows_alone(
    release: PublishedTable,
    answer_queries: AnswerQueries,
    by: Sequence[str],
    where: Sequence[tuple[str, Condition]] = (),
    method: str | None = None,
) -> Table:
    table = count_table(release, answer_queries, by, where, method)
    sums: dict[str | None, float] = defaultdict(float)
    raw = {cell.values: max(cell.estimate + (number % 5 - 2), 0.0) for number, cell in enumerate(table.cells)}
    for values, estimate in raw.items():
        sums[values[0]] += estimate
    public = {cell.values[0]: cell.predicate_count for cell in table.cells}
    cells = (
        cell._replace(estimate=raw[cell.values] * public[cell.values[0]] / max(sums[cell.values[0]], 1e-9))
        for cell in table.cells
    )
    return replace(table, cells=tuple(cells))


def _noise_of_draws_forgotten(
    release: PublishedTable,
    measure: Measure,
    column: str,
    by: Sequence[str],
    where: Sequence[tuple[str, Condition]] = (),
) -> Table:
    table = measure_table(release, measure, column, by, where)
    cells = []
    for cell in table.cells:
        low, high = cell.interval or (0.0, 0.0)
        middle, half = cell.estimate, (high - low) / 2 * float(release.mechanism.retention)  # type: ignore[attr-defined]  # of SPLU-Gen
        cells.append(cell._replace(interval=(middle - half, middle + half)))
    return replace(table, cells=tuple(cells))


mutant(
    "rows-alone-add-up",
    "tables.totals",
    "Only the rows of a table are made to add up, each by a factor.",
    count_table=_rows_alone,
)
mutant(
    "noise-of-draws-forgotten",
    "tables.intervals",
    "Intervals of sums and means are as long as if published values were the true ones.",
    measure_table=_noise_of_draws_forgotten,
)
