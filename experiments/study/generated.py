"""Tables made for judging estimators: what real tables seldom have, but a table of anybody's may."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from experiments.study.recipes import Recipe
from experiments.study.tables import StudyTable, numbered
from splu_ref.randomness import IntArray, SeededSource

_GRAIN = 2**40


class _Rows:
    """Independent draws for N records, which follow from the table's name."""

    def __init__(self, name: str, rows: int) -> None:
        self.name, self.rows = name, rows
        self._source = SeededSource(f"table {name}".encode())

    def drawn(self, weights: IntArray) -> IntArray:
        """Return a value for each record, each value with probability in proportion to its weight."""
        ends = np.cumsum(weights, dtype=np.int64)
        return np.searchsorted(ends, self._source.below(int(ends[-1]), self.rows), side="right")

    def mixed(self, own: IntArray, other: IntArray, percent: int) -> IntArray:
        """Return the first column in so many percent of the records, and the second elsewhere."""
        return np.where(self._source.below(100, self.rows) < percent, own, other)

    def table(self, values: IntArray, columns: Mapping[str, IntArray], second: IntArray | None) -> StudyTable:
        """Return the records as a table."""
        return StudyTable(
            name=self.name,
            recipe=Recipe("s", second=None if second is None else "t"),
            columns=tuple(columns),
            codes=np.stack([numbered(column) for column in columns.values()]).astype(np.int32),
            values=numbered(values),
            second=None if second is None else numbered(second),
        )


def zipf(values: int, power: float) -> IntArray:
    """Return weights in proportion to 1/rank**power, in billionths of the largest."""
    ranks = np.arange(1, values + 1, dtype=np.float64)
    return np.asarray(np.rint(1e9 / ranks**power), dtype=np.int64)


def _given_away() -> StudyTable:
    """Occupations of 20,000 records: a column names the value outright, one its class, one nothing."""
    rows = _Rows("given away", 20_000)
    values = rows.drawn(zipf(24, 0.25))
    columns = {
        "name": values,
        "class": rows.mixed(values // 6, rows.drawn(np.ones(4, dtype=np.int64)), 80),
        "place": rows.drawn(zipf(900, 0.75)),
        "sex": rows.drawn(np.ones(2, dtype=np.int64)),
    }
    return rows.table(values, columns, None)


def _zipf() -> StudyTable:
    """800 values, with columns that have much and little to do with them."""
    rows = _Rows("Zipf", 40_000)
    values = rows.drawn(zipf(800, 0.75))
    columns = {
        "near": rows.mixed(values % 60, rows.drawn(zipf(60, 1.0)), 50),
        "far": rows.mixed(values % 9, rows.drawn(zipf(9, 0.5)), 10),
        "nothing": rows.drawn(zipf(30, 1.0)),
    }
    return rows.table(values, columns, None)


def _steep_zipf() -> StudyTable:
    """300 values: one in nearly a third of the records, and a long tail."""
    rows = _Rows("steep Zipf", 30_000)
    weights = zipf(300, 1.25)
    weights[0] = int(weights[1:].sum() * 45 // 100)
    values = rows.drawn(weights)
    columns = {
        "near": rows.mixed(values // 3, rows.drawn(zipf(100, 1.0)), 60),
        "first": rows.mixed((values == 0).astype(np.int64), rows.drawn(np.ones(2, dtype=np.int64)), 70),
        "nothing": rows.drawn(zipf(200, 1.0)),
    }
    return rows.table(values, columns, None)


def _function() -> StudyTable:
    """Two sensitive columns, one nearly a function of the other, and columns that determine both."""
    rows = _Rows("function", 25_000)
    values = rows.drawn(zipf(40, 0.25))
    second = rows.mixed(values % 5, rows.drawn(np.ones(5, dtype=np.int64)), 90)
    columns = {
        "group": values // 2,
        "t": second,
        "part": rows.mixed(second, rows.drawn(np.ones(5, dtype=np.int64)), 75),
        "place": rows.drawn(zipf(500, 1.0)),
    }
    return rows.table(values, columns, second)


def _one_hundred() -> StudyTable:
    """As few records as a table may have: 100."""
    rows = _Rows("one hundred", 100)
    values = rows.drawn(zipf(9, 0.25))
    columns = {
        "near": rows.mixed(values // 2, rows.drawn(np.ones(4, dtype=np.int64)), 70),
        "sex": rows.drawn(np.ones(2, dtype=np.int64)),
        "place": rows.drawn(zipf(6, 1.0)),
    }
    return rows.table(values, columns, None)


def _many_values() -> StudyTable:
    """20,000 values, most in five records or fewer."""
    rows = _Rows("20,000 values", 100_000)
    values = np.concatenate([np.arange(20_000), rows.drawn(zipf(20_000, 0.5))[:80_000]])
    columns = {
        "near": rows.mixed(values // 50, rows.drawn(np.ones(400, dtype=np.int64)), 60),
        "far": rows.mixed(values % 4, rows.drawn(np.ones(4, dtype=np.int64)), 20),
        "nothing": rows.drawn(zipf(50, 1.0)),
    }
    return rows.table(values, columns, None)


GENERATED: dict[str, Callable[[], StudyTable]] = {
    "given away": _given_away,
    "Zipf": _zipf,
    "steep Zipf": _steep_zipf,
    "function": _function,
    "one hundred": _one_hundred,
    "20,000 values": _many_values,
}
"""By name; each is the same whenever it is made."""
