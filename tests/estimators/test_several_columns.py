"""Age and occupation, both sensitive: the joint estimate of the embedded table's conjunctions."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from splu_proofs.printed.method import METHOD as PRINTED
from splu_ref.channels.parameters import InputError, ParameterError
from splu_ref.data import Microdata, embedded_table
from splu_ref.estimators import (
    METHODS,
    Method,
    Query,
    QueryEstimator,
    apply_by_mode,
    published_co_occurrence,
    set_matrix,
    value_matrix,
)
from splu_ref.estimators.queries import several_columns
from splu_ref.mechanisms import Release, SpluGen
from splu_ref.randomness import SeededSource
from tests.estimators.answer_parts import ends
from tests.rounding import near

GAMMA = 5
SENSITIVE = ("age", "occupation")
BANDS = [(17, 24), (25, 34), (35, 44), (45, 54), (55, 90)]


@pytest.fixture(scope="module")
def original() -> pl.DataFrame:
    frame: pl.DataFrame = embedded_table().to_frame()
    return frame


@pytest.fixture(scope="module", params=[2])
def release(request: pytest.FixtureRequest) -> Release:
    return SpluGen(GAMMA).publish(embedded_table(), SENSITIVE, SeededSource(request.param))


@pytest.fixture(scope="module")
def estimator(release: Release) -> QueryEstimator:
    return QueryEstimator(release.table, SENSITIVE, SpluGen(GAMMA), domains=release.manifest.domains)


def _large_queries(original: pl.DataFrame) -> tuple[list[Query], np.ndarray]:
    queries, true = [], []
    age = pl.col("age").cast(pl.Int64)
    for low, high in BANDS:
        for job in original["occupation"].unique().sort():
            for sex in ("Female", "Male"):
                selected = original.filter(age.is_between(low, high), occupation=job, sex=sex)
                if selected.height >= 100:
                    where = {"age": {"min": low, "max": high}, "occupation": job, "sex": sex}
                    queries.append(Query.of(where))
                    true.append(selected.height)
    return queries, np.array(true)


def test_joint_estimates_are_right_within_their_errors(
    estimator: QueryEstimator, original: pl.DataFrame
) -> None:
    queries, true = _large_queries(original)
    assert len(queries) > 50
    for method in ("inversion", "em", "shrunk"):
        found = estimator.estimate(queries, method)
        value = np.array([answer.estimate for answer in found])
        error = np.array([answer.known_error for answer in found])
        assert {answer.standard_error is None for answer in found} == {method != "inversion"}, method
        covered = np.mean([ends(a)[0] <= x <= ends(a)[1] for a, x in zip(found, true, strict=True)])
        assert np.sqrt(np.mean(((value - true) / error) ** 2)) < 1.25, method
        assert covered > 0.88, method
        if method == "inversion":
            assert np.sqrt(np.mean(((value - true) / error) ** 2)) > 0.75
            assert np.mean(value - true) == pytest.approx(0, abs=4 * np.sqrt(np.sum(error**2)) / len(true))


def test_shrunk_is_best_of_the_three_on_small_conjunctions(
    estimator: QueryEstimator, original: pl.DataFrame
) -> None:
    queries, true = _large_queries(original)
    rms = {}
    for method in ("inversion", "em", "shrunk"):
        found = np.array([answer.estimate for answer in estimator.estimate(queries, method)])
        rms[method] = float(np.sqrt(np.mean((found - true) ** 2)))
    assert rms["shrunk"] < 0.5 * min(rms["inversion"], rms["em"])


def test_the_inversion_solves_the_whole_kronecker_system(release: Release) -> None:
    """Publish with few ages, form the product matrix, and solve it."""
    frame: pl.DataFrame = release.table.to_frame()
    banded = frame.with_columns(age=(pl.col("age").cast(pl.Int64) // 20).cast(pl.String))
    mechanism = SpluGen(GAMMA, "1/2")
    estimator = QueryEstimator(Microdata.from_frame(banded), SENSITIVE, mechanism)
    ages, jobs = (sorted(banded[column].unique()) for column in SENSITIVE)
    f = [
        np.array([banded.filter(pl.col(column) == value).height for value in domain])
        for column, domain in zip(SENSITIVE, (ages, jobs), strict=True)
    ]
    factors = [value_matrix(published_co_occurrence(part, mechanism), mechanism.count_law) for part in f]
    women = banded.filter(pl.col("sex") == "Female")
    cells = np.array([[women.filter(age=a, occupation=j).height for j in jobs] for a in ages], dtype=float)
    whole = np.linalg.solve(np.kron(*factors).T, cells.reshape(-1)).reshape(cells.shape)
    [found] = estimator.estimate(
        [Query.of({"age": ages[1], "occupation": "Sales", "sex": "Female"})], "inversion"
    )
    assert found.estimate == near(whole[1, jobs.index("Sales")])
    assert found.predicate_count == women.height
    assert found.published_count == cells[1, jobs.index("Sales")]
    assert found.condition_number == near(float(np.linalg.cond(np.kron(*factors))), rel=1e-6)


def test_em_keeps_the_states_of_the_conjunction(estimator: QueryEstimator, release: Release) -> None:
    """Where the closed form lies inside, EM ends there: the Kronecker product of two-state inverses."""
    frame: pl.DataFrame = release.table.to_frame()
    ages = [str(age) for age in range(25, 45)]
    together = [
        published_co_occurrence(
            np.array([frame.filter(pl.col(column) == value).height for value in domain]), SpluGen(GAMMA)
        )
        for column, domain in zip(SENSITIVE, release.domains.values(), strict=True)
    ]
    inside = 0
    for job in release.domains[SENSITIVE[1]]:
        where = {"age": ages, "occupation": job, "sex": "Male"}
        [found] = estimator.estimate([Query.of(where)], "em")
        men = frame.filter(sex="Male").with_columns(
            a=pl.col("age").is_in(ages), j=pl.col("occupation") == job
        )
        sides = (False, True)
        states = np.array([[men.filter(a=a, j=j).height for j in sides] for a in sides], dtype=float)
        inverse = []
        for column, domain, counted in zip(SENSITIVE, release.domains.values(), together, strict=True):
            members = np.isin(domain, where[column]).astype(float)
            pair = set_matrix(counted, members, SpluGen(GAMMA).count_law)
            inverse.append(np.asarray(np.linalg.inv(pair), dtype=np.float64))
        solved = apply_by_mode(states[None], inverse)[0]
        if solved.min() > 0:
            inside += 1
            assert found.estimate == pytest.approx(solved[1, 1], abs=0.5)
        assert 0 <= found.estimate <= men.height
    assert inside > 3


def test_one_of_two_sensitive_columns_is_estimated_as_if_alone(
    estimator: QueryEstimator, release: Release
) -> None:
    query = Query.of({"sex": "Female", "occupation": "Sales"})
    alone = QueryEstimator(release.table, ["occupation"], SpluGen(GAMMA), domains=release.manifest.domains)
    assert estimator.estimate([query]) == alone.estimate([query])


@pytest.mark.parametrize("method", [METHODS["mle"], METHODS["exact"], PRINTED])
def test_methods_for_one_column_say_so(estimator: QueryEstimator, method: Method) -> None:
    with pytest.raises(ParameterError, match="knows one sensitive column: for several use shrunk, em, inv"):
        estimator.estimate([Query.of({"age": "39", "occupation": "Sales"})], method)


def _two_columns(pairs: dict[tuple[str, str], int]) -> Microdata:
    first, second = zip(*(pair for pair, count in pairs.items() for _ in range(count)), strict=True)
    return Microdata.from_frame(pl.DataFrame({"a": first, "b": second, "k": ["x"] * len(first)}))


def test_a_column_whose_matrix_is_singular_names_a_method_that_answers() -> None:
    estimator = QueryEstimator(
        _two_columns({("p", "q"): 3, ("r", "s"): 3, ("p", "s"): 4}), ["a", "b"], SpluGen(2)
    )
    query = Query.of({"a": "p", "b": "q"})
    with pytest.raises(InputError, match="em for several sensitive columns"):
        estimator.estimate([query], "inversion")
    [found] = estimator.estimate([query])  # shrunk needs no inverse
    assert ends(found)[0] <= found.estimate <= ends(found)[1] <= 5
    [found] = estimator.estimate([query], "em")
    assert "not informative" in str(found.note)
    assert found.interval == (0, 5)  # N/gamma


def test_the_interval_of_em_holds_its_estimate_at_the_boundary() -> None:
    counts = {("p", "q"): 1, ("p", "s"): 9, ("r", "q"): 11, ("r", "s"): 8, ("t", "q"): 9, ("t", "u"): 10}
    table = _two_columns(counts)
    estimator = QueryEstimator(table, ["a", "b"], SpluGen(2, "2/3"))
    outside = 0
    for a in "prt":
        for b in "qsu":
            [found] = estimator.estimate([Query.of({"a": a, "b": b})], "em")
            assert ends(found)[0] <= found.estimate <= max(ends(found)[1], 24)
            [linear] = estimator.estimate([Query.of({"a": a, "b": b})], "inversion")
            outside += linear.estimate < 0
    assert outside > 0


def test_an_empty_predicate_leaves_nothing_to_doubt(estimator: QueryEstimator) -> None:
    where = {"relationship": "Husband", "sex": "Female", "race": "Other", "age": "39", "occupation": "Sales"}
    [found] = estimator.estimate([Query.of(where)])
    assert found.predicate_count == 0
    assert (found.estimate, found.standard_error, found.interval) == (0, 0, (0, 0))


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch, release: Release) -> None:
    monkeypatch.setattr(several_columns, "MOST_CELLS", 1000)
    estimator = QueryEstimator(release.table, SENSITIVE, SpluGen(GAMMA))
    with pytest.raises(InputError, match="combinations of values, above 1000"):
        estimator.estimate([Query.of({"age": "39", "occupation": "Sales"})])
