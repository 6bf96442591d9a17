"""A study's numbers are those that the library's own front door gives for the same release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from experiments.study.methods import FloatArray, answers, compared, count_workload, predicted_variances
from experiments.study.pair import PairBench
from experiments.study.recipes import Recipe
from experiments.study.releases import drawn_values, group_values, published_values
from experiments.study.tables import StudyTable, study_table
from experiments.study.workload import Pool, Workload, workload
from splu_ref.channels.parameters import Gamma
from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimate, QueryEstimator, two_tables_sums
from splu_ref.mechanisms import Anatomy, SpluGen
from splu_ref.randomness import IntArray, SeededSource
from tests.rounding import near


@pytest.fixture(scope="module")
def table() -> StudyTable:
    return study_table("adult_demo").take(np.arange(6002))


@pytest.fixture(scope="module")
def queries(table: StudyTable) -> Workload:
    return workload(table, [Pool(1, 11, 40), Pool(30, 400, 60)], lambda _: SeededSource(1))


@pytest.mark.parametrize("plan", ["mixed", "anatomy"])
def test_answers_are_those_of_the_query_estimator(table: StudyTable, queries: Workload, plan: str) -> None:
    values = published_values(table, SpluGen(table.gamma, plan=plan), SeededSource(2))
    kept = values < table.domain_size
    assert np.sum(~kept) == table.rows % table.gamma == 2
    frame = {name: codes[kept] for name, codes in zip(table.columns, table.codes, strict=True)}
    letters = np.array(
        list("abcdefghijklmn")
    )  # ascending, as the codes: the anatomy plan orders ties by code
    published = pl.DataFrame({name: pl.Series(codes).cast(pl.String) for name, codes in frame.items()})
    published = published.with_columns(pl.Series("s", letters[values[kept]]))
    estimator = QueryEstimator(Microdata.from_frame(published), ["s"], SpluGen(table.gamma, plan=plan))
    requests = [
        Query.of(
            {"s": letters[value].item()}
            | {
                table.columns[column]: code
                for column, code in zip(queries.columns[p], queries.assignments[p], strict=True)
            }
        )
        for p, value in zip(queries.predicate, queries.value, strict=True)
    ]
    found = answers(queries, count_workload(table, queries, values, table.gamma), plan, None)
    # The study estimates by the mixed plan's co-occurrence under every plan, to compare the plans; the
    # library allows for the plan of the histogram, and so has no interval for exact and another shrunk.
    for method in ("exact", "shrunk", "inversion") if plan == "mixed" else ("exact", "inversion"):
        expected = estimator.estimate(requests, method)
        assert found.estimates[method] == pytest.approx(
            [one.estimate for one in expected], rel=1e-9, abs=1e-6
        )
        if (method, plan) == ("exact", "anatomy"):
            assert {one.interval for one in expected} == {None}
        elif method != "inversion":
            ends = found.exact_ends if method == "exact" else found.shrunk_ends
            assert np.stack(ends, axis=1) == pytest.approx(
                np.array([one.interval for one in expected]), abs=1e-6
            )
    assert found.estimates["published count"].tolist() == [one.published_count for one in expected]
    assert "printed" not in found.estimates
    assert len(found.steps) == 0


def test_em_for_one_value_is_exact(table: StudyTable, queries: Workload) -> None:
    """Which is why the study has no line for it."""
    values = published_values(table, SpluGen(table.gamma), SeededSource(2))
    kept = values < table.domain_size
    frame = pl.DataFrame({"a": table.codes[0][kept], "s": values[kept]}).cast(pl.String)
    estimator = QueryEstimator(Microdata.from_frame(frame), ["s"], SpluGen(table.gamma))
    requests = [Query.of({"a": code, "s": value}) for code in range(5) for value in range(table.domain_size)]
    exact, em = (estimator.estimate(requests, method) for method in ("exact", "em"))
    assert [one.estimate for one in em] == pytest.approx([one.estimate for one in exact], abs=0.01)


def test_anatomy_is_counted_as_its_own_estimator_counts(table: StudyTable, queries: Workload) -> None:
    source = SeededSource(4)
    found = compared(table, queries, table.gamma, source)["two tables"]
    source = SeededSource(4)
    drawn_values(table, source)
    release = Anatomy(table.gamma).publish_codes(table.values, table.domain_size, source)
    for query in range(0, len(found), 7):
        predicate = queries.predicate[query]
        pairs = zip(queries.columns[predicate], queries.assignments[predicate], strict=True)
        holds = np.all([table.codes[column][release.rows] == code for column, code in pairs], axis=0)
        sums = two_tables_sums(release, holds)
        assert found[query] == sums[queries.value[query]] / table.gamma


def test_group_values_hold_the_records_own_value(table: StudyTable) -> None:
    found = np.stack(group_values(table, table.gamma, SeededSource(4)))
    kept = found[0] < table.domain_size
    assert np.all((found[:, kept] == table.values[kept]).sum(axis=0) == 1)


def test_laplace_errors_are_those_of_the_noise(table: StudyTable, queries: Workload) -> None:
    noise = np.concatenate(
        [
            compared(table, queries, table.gamma, SeededSource(seed))["Laplace ln 2"] - queries.true
            for seed in range(8)
        ]
    )
    assert np.abs(noise).mean() == pytest.approx(4 / 3, abs=0.25)  # 2 r/(1 - r^2) at r = 1/2


def test_the_prediction_is_the_formula_of_the_claim(table: StudyTable, queries: Workload) -> None:
    truth = queries.count(table.values, table.domain_size)
    found = predicted_variances(table, queries, truth, table.gamma)
    gamma, rows = int(table.gamma), table.rows
    v = (gamma - 1) / gamma**2
    for query in (0, 17, 60, 99):
        x = int(queries.true[query])
        n = int(truth[queries.predicate[query]].sum())
        f = int(np.sum(table.values == queries.value[query]))
        kappa = f * (gamma - 1) / (rows - f)
        scatter = (n - x) * kappa * (1 - kappa) * (rows - f - n + x) / (rows - f - 1)
        exposed = (n - x) * kappa
        inside = (x + exposed) * v + scatter / gamma**2
        outside = (f - x + f * (gamma - 1) - exposed) * v + scatter / gamma**2
        spread = 1 / gamma - kappa / gamma
        g1 = (x - n) * (gamma - 1) * rows / (gamma * (rows - f) ** 2) / spread
        g3 = 1 / spread + g1
        expected = g3**2 * inside + g1**2 * outside - 2 * g1 * g3 * scatter / gamma**2
        assert found[query] == near(expected, rel=1e-9)


def test_a_plan_without_an_inverse_leaves_the_method_out() -> None:
    """Two values that share all their groups: no data distinguish their records."""
    codes = np.stack([np.arange(40) % 2, np.arange(40) % 3]).astype(np.int32)
    table = StudyTable("pairs", Recipe("s", gamma=2), ("a", "b"), codes, np.arange(40) // 20)
    queries = workload(table, [Pool(1, 40, 20)], lambda _: SeededSource(0))
    truth = queries.count(table.values, 2)
    seen = count_workload(
        table,
        queries,
        published_values(table, SpluGen(table.gamma, plan="cyclic"), SeededSource(1)),
        table.gamma,
    )
    found = answers(queries, seen, "cyclic", None)
    assert np.isnan(found.estimates["inversion"]).all()
    silent = 2 * seen.frequencies[queries.value] >= table.rows
    assert silent.any()
    assert (found.estimates["exact"][silent] == found.estimates["n f'/N"][silent]).all()
    assert (found.exact_ends[0][silent] == 0).all()
    assert (found.exact_ends[1][silent] == truth.sum(axis=1)[queries.predicate][silent]).all()


def test_two_columns_agree_with_the_query_estimator(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[QueryEstimator, list[Query]]] = []

    class Spy(QueryEstimator):
        def estimate(self, queries: Sequence[Query], *rest: Any, **named: Any) -> list[QueryEstimate]:
            made.append((self, list(queries)))
            return super().estimate(queries, *rest, **named)

    table = study_table("adult_demo").take(np.arange(0, 30_000, 4))
    bench = PairBench(table, 12, lambda name: SeededSource(name.encode()), _checked)
    monkeypatch.setattr("experiments.study.pair.QueryEstimator", Spy)
    piece = bench.release(Gamma(3), 0)
    assert table.second is not None
    joint = bench.queries.count(table.values * 10 + table.second, 140)
    assert joint[bench.queries.predicate, bench.queries.value].tolist() == bench.queries.true.tolist()
    em = made[0][0].estimate(made[0][1], "em")
    errors = np.abs(np.array([one.estimate for one in em]) - bench.queries.true) / bench.queries.true
    for row in piece["classes"]:
        assert row["queries"] == 3
        where = bench.queries.pool == row["class"]
        assert row["errors"]["em"] == pytest.approx(errors[where].mean(), abs=1e-3)
        published = np.array([one.published_count for one in em])[where] / bench.queries.true[where]
        assert row["errors"]["printed"] == near(np.abs(published - 1).mean(), rel=1e-9)


def test_two_columns_are_not_published_with_the_same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two columns that hold the same values: with the same draws they would be published alike."""
    seen: list[tuple[IntArray, IntArray]] = []
    table = study_table("adult_demo").take(np.arange(0, 30_000, 4))
    twice = replace(table, second=table.values % 10, values=table.values % 10)
    bench = PairBench(twice, 12, lambda name: SeededSource(name.encode()), _checked)
    laid_out = bench._table

    def spied(rows: IntArray, first: IntArray, second: IntArray) -> Microdata:
        seen.append((first, second))
        return laid_out(rows, first, second)

    monkeypatch.setattr(bench, "_table", spied)
    bench.release(Gamma(3), 0)
    ((first, second),) = seen
    kept = np.mean(first == second)
    assert 0.1 < kept < 0.5  # both true values, or the same decoy: far from always


def _checked(states: FloatArray, gamma: int) -> tuple[FloatArray, IntArray]:
    """Stand in for the printed iteration: check the states, and return them."""
    assert states.shape == (12, 2, 2, 2)
    assert (states >= 0).all()
    assert set(states.reshape(12, -1).sum(axis=1)) == {7500.0}
    return states, np.ones(12, dtype=np.int64)
