"""Predicted widths of intervals against those of releases, on tables that no constant was chosen by."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean, median
from typing import TypeAlias

import numpy as np
import polars as pl
import pytest

from splu_ref.audit import default_tables, expected_widths
from splu_ref.audit.advice.expected_widths import CELLS, CrossTable
from splu_ref.channels import DataError, GroupDraws, ParameterError
from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimate, QueryEstimator, estimator_of
from splu_ref.mechanisms import PublishedTable, RetentionReplacement, SpluGen
from splu_ref.randomness import SeededSource
from tests.rounding import near

Counts: TypeAlias = dict[tuple[str, str], tuple[int, ...]]
HAIR: Counts = {  # Snee 1974: hair by sex and eyes
    ("m", "brown"): (32, 53, 10, 3), ("m", "blue"): (11, 50, 10, 30), ("m", "hazel"): (10, 25, 7, 5),
    ("m", "green"): (3, 15, 7, 8), ("f", "brown"): (36, 66, 16, 4), ("f", "blue"): (9, 34, 7, 64),
    ("f", "hazel"): (5, 29, 7, 5), ("f", "green"): (2, 14, 7, 8),
}  # fmt: skip
ADMISSIONS: Counts = {  # Bickel, Hammel and O'Connell 1975: department by sex and decision
    ("m", "in"): (512, 353, 120, 138, 53, 22), ("f", "in"): (89, 17, 202, 131, 94, 24),
    ("m", "out"): (313, 207, 205, 279, 138, 351), ("f", "out"): (19, 8, 391, 244, 299, 317),
}  # fmt: skip
TITANIC: Counts = {  # Dawson 1995: class by sex and survival, among adults and children together
    ("m", "no"): (118, 154, 422, 670), ("f", "no"): (4, 13, 106, 3),
    ("m", "yes"): (62, 25, 88, 192), ("f", "yes"): (141, 93, 90, 20),
}  # fmt: skip
TABLES: dict[str, tuple[Counts, int]] = {
    "hair": (HAIR, 2),
    "admissions": (ADMISSIONS, 3),
    "titanic": (TITANIC, 2),
}
OBSERVED = 12
"""Releases that are observed; their seeds are not those of the prediction."""
LARGEST = 0.1


def _table(counts: Counts) -> Microdata:
    rows = [
        (*key, f"value {place}")
        for key, each in counts.items()
        for place, n in enumerate(each)
        for _ in range(n)
    ]
    return Microdata.from_frame(pl.DataFrame(rows, schema=["sex", "other", "s"], orient="row"))


def _observed(table: Microdata, mechanism: SpluGen | RetentionReplacement) -> list[QueryEstimate]:
    cells = [
        Query.of({"other": other, "s": value})
        for other in sorted(table.values("other"))
        for value in sorted(table.values("s"))
    ]
    found: list[QueryEstimate] = []
    for seed in range(1000, 1000 + OBSERVED):
        release = mechanism.publish(table, ["s"], SeededSource(seed))
        assert isinstance(release, PublishedTable)
        if isinstance(mechanism, SpluGen):
            found += QueryEstimator(release.table, ["s"], mechanism, domains=release.domains).estimate(
                cells, None
            )
        else:
            found += estimator_of(release)(cells, None)
    return found


def _width(found: list[QueryEstimate]) -> float:
    return fmean(each.interval[1] - each.interval[0] for each in found if each.interval is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_predicted_widths_are_those_of_releases(name: str) -> None:
    counts, gamma = TABLES[name]
    table = _table(counts)
    mechanisms = [SpluGen(gamma, draws=draws) for draws in ("independent", "capped:10")]
    [predicted] = expected_widths(table, "s", [("other",)], mechanisms)
    *by_groups, retained = predicted.widths
    assert [each.mechanism for each in by_groups] == mechanisms
    for each, mechanism in zip(by_groups, mechanisms, strict=True):
        found = _observed(table, mechanism)
        assert abs(each.width / _width(found) - 1) < LARGEST
        assert each.width_error < LARGEST / 2 * each.width
        starting = sum(one.interval is not None and one.interval[0] <= 0 for one in found) / OBSERVED
        assert abs(each.from_zero - starting) < 1.5
    values = tuple(sorted(table.values("s")))
    assert retained.retention + (1 - retained.retention) / len(values) == Fraction(1, gamma)
    found = _observed(table, RetentionReplacement(retained.retention, {"s": values}))
    assert abs(retained.width / _width(found) - 1) < LARGEST
    error = median(each.standard_error for each in found if each.standard_error is not None)
    assert abs(retained.standard_error / error - 1) < LARGEST


def test_frequent_values_leave_nothing_to_learn_about_a_predicate() -> None:
    """Five answers in 2,700 records, gamma 3 (claim splu.Cc): intervals start at 0, and some span all."""
    votes = [f"vote {place}" for place, n in enumerate((33, 32, 20, 10, 5)) for _ in range(n)]
    rows = [("NSEWM"[n % 5], votes[n * 37 % 100]) for n in range(2700)]
    table = Microdata.from_frame(pl.DataFrame(rows, schema=["region", "vote"], orient="row"))
    [found] = expected_widths(table, "vote", [("region",)], [SpluGen(3), SpluGen(2)], releases=3)
    three, two, *_ = found.widths
    assert found.table.cells == 25
    assert three.from_zero > 20
    assert three.to_all > 5
    assert two.from_zero < 3
    assert three.width > 2 * two.width


def test_cells_and_default_tables() -> None:
    frame = pl.DataFrame(
        {
            "a": ["x", "y", "", "x"] * 30,
            "b": ["u"] * 120,
            "c": [f"{n}" for n in range(120)],
            "s": list("pqrp") * 30,
        }
    )
    table = Microdata.from_frame(frame)
    crossed = CrossTable.of(table, "s", ["a"])
    assert crossed.predicates == (("x",), ("y",))
    assert crossed.counts.tolist() == [[60, 0, 0], [0, 30, 0]]
    assert default_tables(table, "s") == [("a",)]  # one value, and a record for each value, are of no use
    with pytest.raises(ParameterError, match="at least 2 releases"):
        expected_widths(table, "s", [("a",)], [SpluGen(2)], releases=1)
    with pytest.raises(DataError, match="no column 'd'"):
        expected_widths(table, "s", [("d",)], [SpluGen(2)])
    wide = pl.DataFrame({"k": [f"{n}" for n in range(3000)], "s": list("pq") * 1500})
    with pytest.raises(DataError, match="6000 cells, more than 5000"):
        CrossTable.of(Microdata.from_frame(wide), "s", ["k"])
    assert SpluGen(2).draws == GroupDraws()


@pytest.mark.slow
def test_samples_of_cells_weigh_all_cells() -> None:
    rows = [(f"{n % 40}", f"{n * n % 97 % (n % 29 + 1)}") for n in range(4000)]
    table = Microdata.from_frame(pl.DataFrame(rows, schema=["k", "s"], orient="row"))
    crossed = CrossTable.of(table, "s", ["k"])
    assert crossed.cells > 5 * CELLS
    counts = {
        Query.of({"k": key, "s": value}): count
        for (key,), row in zip(crossed.predicates, crossed.counts.tolist(), strict=True)
        for value, count in zip(crossed.values, row, strict=True)
    }
    means, queried = [], set()
    for trial in range(40):
        queries, weights = crossed.sample(table, trial)
        assert len(queries) == len(weights) == CELLS
        means.append((sum(weights), sum(weights * np.array([counts[query] for query in queries]))))
        queried |= set(queries)
    assert len(queried) == crossed.cells
    assert abs(fmean(ones for ones, _ in means) - 1) < 0.02
    assert abs(fmean(each for _, each in means) / crossed.counts.mean() - 1) < 0.02
    small = CrossTable.of(_table(HAIR), "s", ["other"])
    queries, weights = small.sample(_table(HAIR), 1)
    assert len(set(queries)) == small.cells == 16
    assert weights.tolist() == near([1 / 16] * 16)


def test_predictions_use_the_estimator_that_answers_analysts() -> None:
    """The same releases, queried as an analyst does, have the same mean width."""
    table, mechanism = _table(HAIR), SpluGen(2)
    [found] = expected_widths(table, "s", [["other"]], [mechanism], releases=2)
    widths = []
    for trial in range(2):
        source = SeededSource(f"expected widths {trial}".encode())
        release = mechanism.publish(table.select(["other", "s"]), ["s"], source)
        queries = [
            {"other": other, "s": value}
            for (other,) in found.table.predicates
            for value in found.table.values
        ]
        widths.append(
            fmean(row["high"] - row["low"] for row in release.estimate(queries).iter_rows(named=True))
        )
    assert found.widths[0].width == near(fmean(widths))
