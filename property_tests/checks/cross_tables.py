"""Tables of estimates: lines add up to what is public, and intervals of counts, sums and means hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np
import polars as pl

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.checks.intervals import mean_at_most
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue, average
from splu_ref.data import Microdata
from splu_ref.estimators import QueryEstimator, Table
from splu_ref.mechanisms import Release, SpluGen
from splu_ref.randomness import SeededSource

ROWS, GAMMA = 900, 3
NAME = "tables.intervals"
BATCH, BATCHES, FEWEST = 5, 10, 8
"""Releases of a batch, and batches of a full run and for a mutant."""
ALLOWED = Fraction(1, 10)
"""Share of the intervals of a table that may miss, on average over releases."""


@cache
def _original() -> Microdata:
    """Return records whose sensitive value and number have much to do with what is public of them."""
    number = np.arange(ROWS)
    group = number % 3
    value = (number * 7 % 11 + group * (number % 5)) % 6
    amount = 20 + 6 * value + number * 13 % 17
    columns = {"group": group, "value": value, "pay": (value + 2 * group + number % 4) % 9, "amount": amount}
    return Microdata.from_frame(pl.DataFrame({name: each.astype(str) for name, each in columns.items()}))


def _counts(subject: Subject, release: Release) -> Table:
    mechanism = release.mechanism
    assert isinstance(mechanism, SpluGen)
    estimator = QueryEstimator(release.table, release.sensitive, mechanism, domains=release.domains)
    return subject.count_table(release, estimator.estimate, ("group", "value"))


@check(
    "tables.totals",
    "property",
    "The lines of a table add up to the public counts of its groups and to the published counts of values, "
    "and none is below 0.",
)
def totals(subject: Subject, run: Run) -> Outcome:
    for seed in range(run.pick(6, 2)):
        release = SpluGen(GAMMA).publish(_original(), "value", SeededSource(seed))
        table = _counts(subject, release)
        for place, column in enumerate(table.by):
            sums: dict[str | None, float] = defaultdict(float)
            for cell in table.cells:
                sums[cell.values[place]] += cell.estimate
            for value, count in Counter(release.table.cells(column)).items():
                if abs(sums[value] - count) > 1e-3:
                    return Outcome(False, f"{column}={value}: {sums[value]:.2f}, and {count} are public")
        if min(cell.estimate for cell in table.cells) < 0:
            return Outcome(False, "a count below 0")
    return Outcome(True)


def _missed(table: Table, true: dict[tuple[str, ...], float]) -> int:
    missed = 0
    for cell in table.cells:
        assert cell.interval is not None
        low, high = cell.interval
        missed += not low - 1e-9 <= true[tuple(map(str, cell.values))] <= high + 1e-9
    return missed


@cache
def _true() -> dict[str, dict[tuple[str, ...], float]]:
    """Return what is true of each table: counts, means of amount by value, sums of pay by group."""
    frame = _original().to_frame().with_columns(pl.col("pay", "amount").cast(pl.Float64))
    grouped = {
        "counts": frame.group_by("group", "value").agg(pl.len().cast(pl.Float64)),
        "means": frame.group_by("value").agg(pl.col("amount").mean()),
        "sums": frame.group_by("group").agg(pl.col("pay").sum()),
    }
    return {name: {tuple(row[:-1]): row[-1] for row in each.rows()} for name, each in grouped.items()}


@check(
    NAME,
    "statistical",
    "Over 50 releases of a generated table, 95 % intervals hold in at least 90 % of the lines of each of "
    "three tables: counts by a public and a sensitive column, means of a public number by a sensitive one, "
    "sums of a sensitive number by a public column.",
)
def coverage(subject: Subject, run: Run) -> Outcome:
    source = run.stream(subject, NAME)

    def evidence() -> Iterator[EValue]:
        missed: dict[str, list[int]] = {name: [] for name in _true()}
        for _ in range(run.pick(BATCHES, FEWEST)):
            for _ in range(BATCH):
                release = SpluGen(GAMMA).publish(_original(), "value", source)
                found = {
                    "counts": _counts(subject, release),
                    "means": subject.measure_table(release, "mean", "amount", ("value",)),
                }
                release = SpluGen(GAMMA).publish(_original(), "pay", source)
                found["sums"] = subject.measure_table(release, "sum", "pay", ("group",))
                for name, table in found.items():
                    missed[name].append(_missed(table, _true()[name]))
            yield average([mean_at_most(each, len(_true()[name]), ALLOWED) for name, each in missed.items()])

    def power(level: Fraction) -> str:
        for percent in range(int(100 * (1 - ALLOWED)), 0, -1):
            if mean_at_most([100 - percent] * BATCH * BATCHES, 100, ALLOWED).rejects(level / len(_true())):
                return f"a table whose coverage is {percent} % or less"
        return "none"

    return sequential_outcome(run, NAME, evidence(), power)
