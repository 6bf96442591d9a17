"""5,000 queries on up to ten columns of a release by retention replacement, by inversion and by EM.

Times of the processor. The ten columns are those of the embedded table, each kept with p = 1/2 or replaced
from its values.
``python -m benchmarks.reconstructing``.
"""

from __future__ import annotations

from functools import partial
from time import process_time

import numpy as np
import polars as pl

from benchmarks.timing import seconds
from splu_ref.data import embedded_table
from splu_ref.estimators import ChannelEstimator, Query
from splu_ref.estimators.queries.record_states import RecordStates
from splu_ref.mechanisms import RetentionReplacement
from splu_ref.randomness import SeededSource

QUERIES, KEEP, LIKELY = 5_000, "1/2", 3
"""How many queries; p; columns up to which the most likely counts are timed for all of them."""


def queries(frame: pl.DataFrame, columns: int) -> list[Query]:
    """Return random sets of values, one for each of some columns."""
    generator = np.random.default_rng(3)
    domains = {name: sorted(frame[name].unique().to_list()) for name in frame.columns}
    found = []
    for _ in range(QUERIES):
        chosen = generator.choice(frame.columns, columns, replace=False).tolist()
        where: dict[str, object] = {}
        for name in chosen:
            domain = domains[name]
            size = int(generator.integers(1, len(domain)))
            start = int(generator.integers(0, len(domain) - size + 1))
            where[name] = domain[start : start + size]
        found.append(Query.of(where))
    return found


def _inverted(counted: list[RecordStates]) -> None:
    for states in counted:
        states.inversion()


def main() -> None:
    frame: pl.DataFrame = embedded_table().to_frame().cast(pl.String)
    domains = {name: sorted(frame[name].unique().to_list()) for name in frame.columns}
    mechanism = RetentionReplacement(KEEP, domains)
    release = mechanism.publish(frame, list(domains), SeededSource(1), missing="?")
    print(f"{frame.height} rows, {len(domains)} columns randomized, {QUERIES} queries, p = {KEEP}")
    for columns in (2, 3, 5, 8, 10):
        batch = queries(frame, columns)
        estimator = ChannelEstimator(release)
        whole = seconds(partial(estimator, batch, "inversion"), process_time)
        counted = [estimator.states(query) for query in batch]
        solved = min(seconds(partial(_inverted, counted), process_time) for _ in range(3))
        summary = (
            f"  {columns:2} columns: inversion {solved:6.2f} s from the counts, {whole:6.2f} s with counting"
        )
        some = batch if columns <= LIKELY else batch[: 200 if columns < 8 else 2]
        likely = seconds(partial(ChannelEstimator(release), some, "em"), process_time)
        print(f"{summary}; em {1000 * likely / len(some):9.2f} ms a query ({len(some)} of them)")


if __name__ == "__main__":
    main()
