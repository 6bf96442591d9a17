from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from splu_ref.channels.parameters import DataError, InputError, ParameterError
from splu_ref.data import Microdata, embedded_table, read_table
from splu_ref.estimators import (
    Query,
    QueryEstimate,
    QueryEstimator,
    estimate_count,
)
from splu_ref.estimators.answers import NORMAL_95, Estimates
from splu_ref.mechanisms import Release, SpluGen
from splu_ref.randomness import SeededSource
from tests.estimators.answer_parts import ends, error
from tests.rounding import near

GAMMA = 5
WOMEN_SELLING = Query.of({"sex": "Female", "occupation": "Sales"})


@pytest.fixture(scope="module")
def release() -> Release:
    return SpluGen(GAMMA).publish(embedded_table(), "occupation", SeededSource(11))


@pytest.fixture(scope="module")
def frame(release: Release) -> pl.DataFrame:
    frame: pl.DataFrame = release.table.to_frame()
    return frame


@pytest.fixture(scope="module")
def estimator(release: Release) -> QueryEstimator:
    return QueryEstimator(release.table, ["occupation"], SpluGen(GAMMA), domains=release.manifest.domains)


def test_counts_are_those_of_a_table_scan(estimator: QueryEstimator, frame: pl.DataFrame) -> None:
    hours = pl.col("hours_per_week").cast(pl.Int64)
    cases: list[tuple[dict[str, object], pl.Expr]] = [
        ({"sex": "Female"}, pl.col("sex") == "Female"),
        ({"hours_per_week": {"min": 20, "max": 35}}, hours.is_between(20, 35)),
        ({"race": ["White", "Black"], "sex": "Male"},
         pl.col("race").is_in(["White", "Black"]) & (pl.col("sex") == "Male")),
        ({"native_country": "?"}, pl.col("native_country") == "?"),
        ({}, pl.lit(value=True)),
    ]  # fmt: skip
    for where, expression in cases:
        for job in ("Sales", "Armed-Forces"):
            [found] = estimator.estimate([Query.of(where | {"occupation": job})], "exact")
            selected = frame.filter(expression)
            assert found.predicate_count == selected.height
            assert found.published_count == selected.filter(pl.col("occupation") == job).height


def test_a_value_alone_is_its_published_count(estimator: QueryEstimator) -> None:
    query = Query.of({"occupation": "Sales"})
    alone = estimator.estimate([query], "mle")[0]
    assert alone.estimate == alone.published_count
    assert alone.interval == tuple(estimate_count(alone.published_count, GAMMA).interval)
    for method in ("exact", "em", "inversion", "shrunk"):
        found = estimator.estimate([query], method)[0]
        assert found.estimate == near(alone.estimate, rel=1e-6)
        assert found.standard_error == near(alone.standard_error, rel=0.02), method


def test_sets_of_values_add_up(estimator: QueryEstimator, release: Release) -> None:
    jobs = ["Sales", "Adm-clerical", "Tech-support"]
    parts = [Query.of({"sex": "Female", "occupation": job}) for job in jobs]
    whole = Query.of({"sex": "Female", "occupation": jobs})
    for method in ("exact", "inversion"):
        *each, together = estimator.estimate([*parts, whole], method)
        assert together.estimate == near(sum(part.estimate for part in each), rel=1e-6)
        independent = sqrt(sum(error(part) ** 2 for part in each))
        # The published counts of different values exclude each other, and rivals take from each other.
        assert 0.5 * independent < error(together) < 1.6 * independent
    exact, shrunk = (estimator.estimate([whole], method)[0] for method in ("exact", "shrunk"))
    assert shrunk.estimate == pytest.approx(exact.estimate, abs=exact.standard_error)
    assert error(shrunk) < 1.1 * error(exact)
    everything = Query.of({"sex": "Female", "occupation": list(release.domains["occupation"])})
    for method in ("exact", "em", "inversion", "shrunk"):
        [all_of] = estimator.estimate([everything], method)
        assert all_of.estimate == near(all_of.predicate_count, rel=1e-6), method
        assert all_of.standard_error == pytest.approx(0, abs=1e-3), method
        assert list(ends(all_of)) == near([all_of.predicate_count] * 2, rel=1e-6), method
    [alone] = estimator.estimate([Query.of({"occupation": jobs})], "mle")
    assert alone.estimate == alone.published_count
    [all_alone] = estimator.estimate([Query.of({"occupation": list(release.domains["occupation"])})], "mle")
    assert all_alone.standard_error == pytest.approx(0, abs=0.05 * sqrt(all_alone.estimate))


def test_a_set_and_the_other_values_add_up_to_the_predicate(
    estimator: QueryEstimator, release: Release
) -> None:
    domain = list(release.domains["occupation"])
    some = ["Sales", "Adm-clerical", "Armed-Forces"]
    for few in (some, some[:1]):
        sets = [few, [job for job in domain if job not in few]]
        for method in ("exact", "shrunk"):
            small, large = estimator.estimate(
                [Query.of({"race": "Black", "occupation": jobs}) for jobs in sets], method
            )
            n = small.predicate_count
            assert small.estimate + large.estimate == near(n)
            assert small.standard_error == near(large.standard_error)
            assert [n - end for end in ends(large)] == near(list(ends(small))[::-1])
            assert small.published_count + large.published_count == n


def test_no_interval_goes_beyond_what_can_be_published() -> None:
    table = _rates({"a": 24, "b": 30, "c": 23, "d": 23})
    estimator = QueryEstimator(table, ["s"], SpluGen(4), domains={"s": ("a", "b", "c", "d", "e", "f")})
    for method in ("exact", "shrunk", "em"):
        for values, most in ((["a"], 25), (["e"], 25), (["a", "e"], 50)):
            for where, inside in (({}, 100), ({"p": "1"}, 50)):
                [found] = estimator.estimate([Query.of({**where, "s": values})], method)
                assert ends(found)[1] <= min(most, inside)
    # Two values are named and one is published: the other may have vanished.
    unknown = QueryEstimator(table, ["s"], SpluGen(4))
    [found] = unknown.estimate([Query.of({"s": ["a", "e"]})], "exact")
    assert 25 < ends(found)[1] <= 50


def test_sets_in_a_tiny_release_are_refused_with_a_remedy() -> None:
    estimator = QueryEstimator(_rates({"a": 2, "b": 1, "c": 1}), ["s"], SpluGen(4))
    for method in ("exact", "shrunk", "em", "mle"):
        with pytest.raises(InputError, match="3 values are published, fewer than gamma = 4"):
            estimator.estimate([Query.of({"s": ["b", "c"]}), Query.of({"s": "a"})], method)


def test_answers_come_in_the_order_of_the_queries(estimator: QueryEstimator) -> None:
    queries = [
        Query.of({"sex": sex, "occupation": job})
        for job in ("Sales", ["Sales", "Tech-support"], "Craft-repair")
        for sex in ("Female", "Male")
    ]
    reported: list[tuple[int, int]] = []
    together = estimator.estimate(
        queries, "shrunk", progress=lambda done, whole: reported.append((done, whole))
    )
    apart = [estimator.estimate([query], "shrunk")[0] for query in queries]
    assert [(a.published_count, a.predicate_count) for a in together] == [
        (a.published_count, a.predicate_count) for a in apart
    ]
    assert [a.estimate for a in together] == near([a.estimate for a in apart])
    assert reported[-1] == (6, 6)
    assert estimator.estimate([], "exact") == []


def _rates(f: dict[str, int]) -> Microdata:
    values = [value for value, count in f.items() for _ in range(count)]
    return Microdata.from_frame(pl.DataFrame({"s": values, "p": [str(i % 2) for i in range(len(values))]}))


def test_records_without_information_are_reported() -> None:
    table = _rates({"a": 40, "b": 30, "c": 30})
    estimator = QueryEstimator(table, ["s"], SpluGen(4))
    query = Query.of({"p": "1", "s": "a"})
    for method in ("exact", "em"):
        [found] = estimator.estimate([query], method)
        assert found.estimate == near(50 * 40 / 100)
        assert list(ends(found)) == [0, 25]  # of 50 records, and N/gamma with the value
        assert found.standard_error == near(12.5)
        assert "not informative" in str(found.note)
    kept = QueryEstimator(table, ["s"], SpluGen(4, "9/10")).estimate([query], "exact")
    assert [(answer.note, error(answer) < 5) for answer in kept] == [(None, True)]


def test_a_predicate_without_records_has_none(estimator: QueryEstimator) -> None:
    query = Query.of({"sex": "Female", "relationship": "Husband", "race": "Other", "occupation": "Sales"})
    several = Query.of({**{name: str(given) for name, given in query.conditions if name != "occupation"},
                        "occupation": ["Sales", "Tech-support"]})  # fmt: skip
    for method in ("exact", "shrunk", "em", "inversion"):
        for candidates in (query, several):
            [found] = estimator.estimate([candidates], method)
            assert found.predicate_count == 0
            assert (found.estimate, found.standard_error) == (0, 0), method
            assert found.interval == (0, 0)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"sex": "Male"}, "names no sensitive column"),
        ({"sx": "Male", "occupation": "Sales"}, "did you mean 'sex'"),
        ({"sex": "Mal", "occupation": "Sales"}, "did you mean 'Male'"),
        ({"occupation": "Salez"}, "did you mean 'Sales'"),
        ({"race": {"min": 3}, "occupation": "Sales"}, "holds no numbers"),
    ],
)
def test_queries_that_do_not_fit_the_table_are_refused(
    estimator: QueryEstimator, where: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        estimator.estimate([Query.of(where)])


def test_a_release_that_cannot_be_one_is_refused(release: Release) -> None:
    with pytest.raises(DataError, match="no multiple of gamma"):
        QueryEstimator(release.table, ["occupation"], SpluGen(4))
    with pytest.raises(DataError, match="there is no column"):
        QueryEstimator(release.table, ["job"], SpluGen(5))
    with pytest.raises(DataError, match="which its stated domain lacks"):
        QueryEstimator(release.table, ["occupation"], SpluGen(5), domains={"occupation": ("Sales",)})
    with pytest.raises(ParameterError, match="at least one sensitive"):
        QueryEstimator(release.table, [], SpluGen(5))
    estimator = QueryEstimator(release.table, ["occupation"], SpluGen(5))
    with pytest.raises(ParameterError, match="did you mean exact"):
        estimator.estimate([WOMEN_SELLING], "exakt")
    with pytest.raises(ParameterError, match="'printed' is unknown"):
        estimator.estimate([WOMEN_SELLING], "printed")
    with pytest.raises(ParameterError, match="a sensitive value alone"):
        estimator.estimate([WOMEN_SELLING], "mle")
    [vanished] = estimator.estimate([Query.of({"sex": "Male", "occupation": "Diver"})], "shrunk")
    assert vanished.estimate == 0
    assert vanished.interval == (0, estimate_count(0, 5).interval[1])


CLASSES = (0.0025, 0.005, 0.01, 0.02, 0.05)


def _queries(
    original: pl.DataFrame, sensitive: str, others: list[str]
) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield every conjunction of up to two columns with a value whose true count is large enough, and it."""
    for size in (1, 2):
        for chosen in combinations(others, size):
            counted = original.group_by(*chosen, sensitive, maintain_order=True).len()
            for row in counted.filter(pl.col("len") >= CLASSES[0] * original.height).iter_rows(named=True):
                count = row.pop("len")
                yield row, count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sensitive", "gamma", "left_out"),
    [
        ("census_kdd_workers", "occupation_code", 5, ["industry_code", "major_industry", "major_occupation"]),
        ("adult_demo", "occupation", 5, []),
        ("diabetes130", "diag_1", 9, ["first_encounter"]),
    ],
)
def test_on_real_tables_shrunk_is_best_or_level_and_errors_are_as_predicted(
    shared_data: Path, name: str, sensitive: str, gamma: int, left_out: list[str]
) -> None:
    original: pl.DataFrame = read_table(shared_data / f"{name}.csv.gz").to_frame()
    if name == "diabetes130":
        original = original.filter(pl.col("first_encounter") == "1")
    original = original.drop(left_out)
    release = SpluGen(gamma).publish(Microdata.from_frame(original), sensitive, SeededSource(5))
    others = [column for column in original.columns if column != sensitive]
    candidates = list(_queries(original, sensitive, others))
    chosen = np.random.default_rng(1).permutation(len(candidates))[:1500]
    queries = [Query.of(candidates[i][0]) for i in chosen.tolist()]
    true = np.array([candidates[i][1] for i in chosen.tolist()])
    estimator = QueryEstimator(release.table, [sensitive], SpluGen(gamma))

    def values(answers: list[QueryEstimate]) -> np.ndarray:
        return np.array([answer.estimate for answer in answers])

    exact = estimator.estimate(queries, "exact")
    f = np.array([a.estimate for a in estimator.estimate(
        [Query.of({sensitive: candidates[i][0][sensitive]}) for i in chosen.tolist()], "exact")])  # fmt: skip
    n = np.array([answer.predicate_count for answer in exact])
    errors = {
        "shrunk": values(estimator.estimate(queries, "shrunk")),
        "exact": values(exact),
        "published": np.array([float(answer.published_count) for answer in exact]),
        "expected": n * f / release.table.row_count,
    }
    shares = true / original.height
    for low, high in zip(CLASSES, (*CLASSES[1:], 1.0), strict=True):
        selected = (shares >= low) & (shares < high)
        if selected.sum() < 20:
            continue
        mean = {
            key: float(np.mean(np.abs(found - true)[selected] / true[selected]))
            for key, found in errors.items()
        }
        assert mean["shrunk"] <= 1.1 * min(mean["exact"], mean["published"], mean["expected"]), (low, mean)
    deviation = (errors["exact"] - true) / np.array([answer.standard_error for answer in exact])
    inside = (errors["exact"] > 0) & (errors["exact"] < n)
    assert 0.85 < np.sqrt(np.mean(deviation[inside] ** 2)) < 1.15


def test_a_normal_interval_of_an_impossible_estimate_is_that_of_the_nearest_possible_one() -> None:
    value, most = np.array([-400.0, -1.0, 0.0, 4.0, 9.0, 12.0, 500.0]), np.full(7, 9.0)
    found = Estimates.normal(value, np.full(7, 1 / NORMAL_95), most)
    assert found.lower.tolist() == near([0, 0, 0, 3, 8, 8, 8])
    assert found.upper.tolist() == near([1, 1, 1, 5, 9, 9, 9])


def test_an_interval_reaches_an_estimate_that_is_put_in_its_place() -> None:
    found = Estimates.normal(np.full(3, 5.0), np.full(3, 1 / NORMAL_95), np.full(3, 9.0))
    moved = found.with_value(np.array([3.0, 5.5, 7.0]))
    assert moved.value.tolist() == [3, 5.5, 7]
    assert moved.lower.tolist() == [3, 4, 4]
    assert moved.upper.tolist() == [6, 6, 7]
