"""Estimates from a release: one query, a batch, a table, and what iterates."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import polars as pl

from benchmarks.curves.tables import GAMMA, VALUES, frame
from benchmarks.growth import Curve, GrowthLimit, Pair
from splu_ref.estimators import ChannelEstimator, Query, QueryEstimator, count_table, most_likely
from splu_ref.estimators.linear.em import TOLERANCE
from splu_ref.mechanisms import RetentionReplacement, SpluGen
from splu_ref.mechanisms.release import Release
from splu_ref.randomness import SeededSource

_BATCH_ROWS = 100_000
_FEW_ROWS = 1_000


@cache
def _release(records: int, values: int = VALUES) -> Release:
    return SpluGen(GAMMA).publish(frame(records, values), "value", SeededSource(1))


@cache
def _randomized(records: int) -> Release:
    domains = {"zone": [str(each) for each in range(100)], "value": [str(each) for each in range(VALUES)]}
    return RetentionReplacement("1/2", domains).publish(frame(records), list(domains), SeededSource(1))


def _estimator(release: Release) -> QueryEstimator:
    return QueryEstimator(release.table, ["value"], SpluGen(GAMMA), domains=release.domains)


def _one(records: int) -> Pair:
    """Read the columns of a release and estimate one conjunction."""
    release = _release(records)
    table: pl.DataFrame = release.table.to_frame()
    query = Query.of({"zone": "7", "value": "3"})
    return Pair(
        lambda: _estimator(release).estimate([query]),
        lambda: table.group_by(pl.col("zone") == "7", pl.col("value") == "3").len(),
    )


def _random_queries(number: int, names: tuple[str, ...]) -> list[Query]:
    sizes = {"zone": 100, "age": 40, "value": VALUES}
    drawn = np.random.default_rng(3).integers(0, [sizes[name] for name in names], (number, len(names)))
    return [Query.of(dict(zip(names, map(str, row), strict=True))) for row in drawn.tolist()]


def _batch(method: str, number: int, rows: int = _BATCH_ROWS) -> Pair:
    """Estimate random conjunctions of two predicates and a value."""
    release = _release(rows)
    table: pl.DataFrame = release.table.to_frame()
    queries = _random_queries(number, ("zone", "age", "value"))
    return Pair(
        lambda: _estimator(release).estimate(queries, method),
        lambda: table.group_by("zone", "age", "value").len(),
    )


def _table(cells: int, rows: int = _BATCH_ROWS, method: str | None = None) -> Pair:
    """Estimate a table of eight parts by as many values as make this number of cells."""
    release = _release(rows, cells // 8)
    table: pl.DataFrame = release.table.to_frame()
    return Pair(
        lambda: count_table(release, _estimator(release).estimate, ["part", "value"], method=method),
        lambda: table.group_by("part", "value").len(),
    )


def _randomized_batch(number: int, rows: int = _BATCH_ROWS) -> Pair:
    release = _randomized(rows)
    table: pl.DataFrame = release.table.to_frame()
    queries = _random_queries(number, ("zone", "value"))
    return Pair(
        lambda: ChannelEstimator(release)(queries, "em"),
        lambda: table.group_by("zone", "value").len(),
    )


def _em(states: int, steps: int | None = None) -> Pair:
    """Find the most likely counts behind published ones, among which every third true one is 0.

    With ``steps``, evaluate the matrix so often, wherever that leads: how many are needed depends on counts.
    """
    matrix = np.full((states, states), 0.5 / states) + 0.5 * np.eye(states)
    generator = np.random.default_rng(4)
    true = np.where(np.arange(states) % 3, generator.integers(100, 2000, states), 0).astype(np.float64)
    published = generator.poisson(true @ matrix).astype(np.float64)[np.newaxis]
    tolerance = TOLERANCE if steps is None else -1.0
    return Pair(
        lambda: most_likely(published, [matrix], tolerance, steps),
        lambda: np.linalg.solve(matrix.T, published[0]),
    )


_CELLS = "the counts of the published cells alone, by Polars"

QUERIES = (
    Curve(
        name="one conjunction, shrunk, with reading",
        unit="rows",
        baseline="the four published counts behind it, by Polars",
        sizes=(10**4, 10**5, 10**6),
        largest=(10**7,),
        at=_one,
        counted=GrowthLimit((500, 2_000, 8_000)),
    ),
    Curve(
        name="a batch of conjunctions, shrunk, 100,000 rows",
        unit="queries",
        baseline=_CELLS,
        sizes=(10**2, 10**3, 10**4, 10**5),
        at=partial(_batch, "shrunk"),
        counted=GrowthLimit((50, 100, 200), at=partial(_batch, "shrunk", rows=_FEW_ROWS)),
    ),
    Curve(
        name="a batch of conjunctions, EM, 100,000 rows",
        unit="queries",
        baseline=_CELLS,
        sizes=(10**2, 10**3, 10**4, 10**5),
        at=partial(_batch, "em"),
        counted=GrowthLimit((50, 100, 200), at=partial(_batch, "em", rows=_FEW_ROWS)),
    ),
    Curve(
        name="EM after retention replacement, two columns",
        unit="queries",
        baseline=_CELLS,
        sizes=(10**2, 10**3, 10**4),
        at=_randomized_batch,
        counted=GrowthLimit((10, 20, 40), at=partial(_randomized_batch, rows=_FEW_ROWS)),
    ),
    Curve(
        name="EM by the number of states",
        unit="states",
        baseline="one dense system of equations with that matrix, by NumPy",
        sizes=(10, 10**2, 10**3),
        at=_em,
        counted=GrowthLimit((125, 250, 500), most=2.2, at=partial(_em, steps=30)),
    ),
    Curve(
        name="a table that adds up, 100,000 rows",
        unit="cells",
        baseline=_CELLS,
        sizes=(500, 2_000, 8_000),
        largest=(40_000,),
        at=_table,
        counted=GrowthLimit((80, 160, 320), at=partial(_table, rows=_FEW_ROWS, method="exact")),
    ),
)
