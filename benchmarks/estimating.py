"""5,000 conjunctive queries in a batch, against one SQL statement each and iterating in Python.

The table is the census table beside the repository where it is present (148,315 rows), otherwise one of the
same size made up from the embedded table. ``python -m benchmarks.estimating``.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl

from benchmarks.timing import seconds
from splu_proofs.printed.iteration import reconstruct
from splu_ref.data import Microdata, embedded_table, read_table
from splu_ref.estimators import Query, QueryEstimator
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource

GAMMA, QUERIES, TIMED = 5, 5_000, 40
METHODS = ("exact", "shrunk", "em", "inversion")
CENSUS = Path(__file__).resolve().parents[2] / "shared" / "data" / "census_kdd_workers.csv.gz"


def original() -> tuple[str, pl.DataFrame, str, list[str]]:
    """Return the table's name, the table, its sensitive column, and the columns for predicates."""
    if CENSUS.exists():
        frame: pl.DataFrame = read_table(CENSUS).to_frame()
        name, sensitive = "census", "occupation_code"
        left_out = {"industry_code", "major_industry", "major_occupation", sensitive}
    else:
        embedded: pl.DataFrame = embedded_table().to_frame()
        frame = embedded.sample(148_315, with_replacement=True, seed=1)
        name, sensitive, left_out = "embedded, resampled", "occupation", {"occupation"}
    return name, frame, sensitive, [column for column in frame.columns if column not in left_out]


def queries(frame: pl.DataFrame, sensitive: str, columns: list[str]) -> list[dict[str, str]]:
    """Return random predicates on one to three columns, each with a random sensitive value."""
    generator = np.random.default_rng(2)
    values = frame[sensitive].unique().sort().to_list()
    found = []
    for row in generator.integers(0, frame.height, QUERIES).tolist():
        chosen = generator.choice(columns, int(generator.integers(1, 4)), replace=False).tolist()
        where = {column: frame[row, column] for column in chosen}
        found.append(where | {sensitive: values[int(generator.integers(len(values)))]})
    return found


def database(frame: pl.DataFrame) -> sqlite3.Connection:
    """Return the published table in SQLite, in memory."""
    connection = sqlite3.connect(":memory:")
    names = ", ".join(f'"{column}" TEXT' for column in frame.columns)
    connection.execute(f"CREATE TABLE published ({names})")
    marks = ", ".join("?" * frame.width)
    connection.executemany(f"INSERT INTO published VALUES ({marks})", frame.rows())
    return connection


def one_by_one(connection: sqlite3.Connection, where: dict[str, str], sensitive: str) -> Any:
    """Count the four states with one statement, as the paper does, and iterate in Python."""
    predicate = " AND ".join(f'"{column}" = ?' for column in where if column != sensitive)
    given = [value for column, value in where.items() if column != sensitive]
    statement = f'SELECT ({predicate}), "{sensitive}" = ?, count(*) FROM published GROUP BY 1, 2'
    states = [0, 0, 0, 0]
    for inside, having, count in connection.execute(statement, [*given, where[sensitive]]):
        states[2 * inside + having] = count
    return reconstruct(states, GAMMA)


def main() -> None:
    name, frame, sensitive, columns = original()
    release = SpluGen(GAMMA).publish(Microdata.from_frame(frame), sensitive, SeededSource(1))
    conditions = queries(frame, sensitive, columns)
    batch = [Query.of(where) for where in conditions]
    published: pl.DataFrame = release.table.to_frame()
    connection = database(published)
    sql = median(seconds(partial(one_by_one, connection, where, sensitive)) for where in conditions[:TIMED])

    def all_methods(estimator: QueryEstimator) -> None:
        for method in METHODS:
            estimator.estimate(batch, method)

    def encoded() -> QueryEstimator:
        """Read the columns, as SQLite has read its rows, and count nothing yet."""
        estimator = QueryEstimator(release.table, [sensitive], SpluGen(GAMMA))
        for column in columns:
            estimator.resolve(Query.of({column: published[0, column], sensitive: published[0, sensitive]}))
        return estimator

    first = min(seconds(partial(all_methods, encoded())) for _ in range(3))
    ready = encoded()
    all_methods(ready)
    print(f"{name}: {published.height} rows, {len(batch)} conjunctions of up to 3 columns and a value")
    print(f"  SQL and Python iteration, one query (median of {TIMED}): {1000 * sql:9.2f} ms")
    each = first / len(batch)
    print(
        f"  {', '.join(METHODS)} in one batch: {1000 * each:.3f} ms a query for all four together, "
        f"ratio {sql / each:.0f}, at least 500"
    )
    for method in METHODS:
        once = min(seconds(partial(ready.estimate, batch, method)) for _ in range(3)) / len(batch)
        print(f"  {method:10} alone, counts kept: {1000 * once:.4f} ms a query, ratio {sql / once:.0f}")


if __name__ == "__main__":
    main()
