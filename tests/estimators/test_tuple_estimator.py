"""Estimates from sets of tuples: unbiased, with an unbiased variance and intervals that hold, exactly."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

from splu_ref.channels import TupleCount
from splu_ref.channels.parameters import DataError, ParameterError
from splu_ref.estimators import Query, TupleEstimate, TupleEstimator, estimate_tuples
from splu_ref.mechanisms import AlphaBeta
from splu_ref.randomness import SeededSource
from tests.rounding import near

DOMAIN = {"x": [str(i) for i in range(30)], "y": ["a", "b", "c"]}
CHANCES = [("1/2", "1/10"), ("1/2", "1/2"), ("3/10", "0"), ("1", "0"), ("1/5", "2/5")]


def law(mechanism: AlphaBeta, size: int, count: int) -> list[Fraction]:
    masses = [Fraction(1)]
    for number in range(size):
        chance = mechanism.beta + (mechanism.alpha if number < count else 0)
        masses = [
            (masses[k] * (1 - chance) if k < len(masses) else Fraction(0))
            + (masses[k - 1] * chance if k else 0)
            for k in range(len(masses) + 1)
        ]
    return masses


@pytest.mark.parametrize(("alpha", "beta"), CHANCES)
def test_moments_and_intervals_over_every_published_count(alpha: str, beta: str) -> None:
    mechanism, size = AlphaBeta(alpha, beta, DOMAIN), 9
    answers = [estimate_tuples(mechanism, size, seen) for seen in range(size + 1)]
    coverages = []
    for count in range(size + 1):
        masses = law(mechanism, size, count)
        mean = sum(mass * each.estimate for mass, each in zip(masses, answers, strict=True))
        spread = sum(mass * (each.estimate - count) ** 2 for mass, each in zip(masses, answers, strict=True))
        mean_variance = sum(mass * each.variance_estimate for mass, each in zip(masses, answers, strict=True))
        assert mean == count
        assert mean_variance == spread
        kept = sum(
            mass
            for mass, each in zip(masses, answers, strict=True)
            if mass and each.interval()[0] <= count <= each.interval()[1]
        )
        coverages.append(kept)
        assert sum(masses[: count // 2 + 1]) == TupleCount(
            size, mechanism.alpha + mechanism.beta, mechanism.beta
        ).lower_tail(count, count // 2)
    assert min(coverages) >= Fraction(95, 100)
    if (alpha, beta) == ("1/2", "1/10"):  # neither is the whole range
        assert estimate_tuples(mechanism, size, 0).interval()[1] < size
        assert estimate_tuples(mechanism, size, size).interval()[0] > 0


def test_the_variance_is_never_negative() -> None:
    for alpha, beta in CHANCES:
        mechanism = AlphaBeta(alpha, beta, DOMAIN)
        first, last = (estimate_tuples(mechanism, 90, seen).variance_estimate for seen in (0, 90))
        own, square = mechanism.alpha + mechanism.beta, mechanism.alpha**2
        assert first == 90 * mechanism.beta * own / square
        assert last == 90 * (1 - mechanism.beta) * (1 - own) / square
    with pytest.raises(ParameterError, match="3 published tuples of 2"):
        estimate_tuples(mechanism, 2, 3)
    for size, seen, words in ((-1, 0, "query_size"), (2, -1, "published")):
        with pytest.raises(ParameterError, match=rf"^{words} must be a whole number of at least 0, not -1$"):
            estimate_tuples(mechanism, size, seen)


def test_a_query_in_a_domain_that_nobody_could_count() -> None:
    found = TupleEstimate(TupleCount(93_599_815_680, Fraction(1, 2), Fraction(1, 2_000_000)), 51_000)
    assert found.estimate == (51_000 - Fraction(93_599_815_680, 2_000_000)) / Fraction(999_999, 2_000_000)
    least, greatest = found.interval()
    assert least < found.estimate < greatest
    assert 3.7 < (greatest - least) / found.standard_error < 4.1


def test_a_release_answers_queries() -> None:
    frame = pl.DataFrame({"x": [str(i) for i in range(30)] * 2, "y": ["a"] * 30 + ["b"] * 30})
    release = AlphaBeta("9/10", "1/20", DOMAIN).publish(frame, ["x", "y"], SeededSource(4))
    seen = pl.DataFrame(release.frame)
    answer = release.estimate(y="a", x={"max": 9})
    published = seen.filter((pl.col("y") == "a") & (pl.col("x").cast(pl.Int64) <= 9)).height
    assert (answer.published_count, answer.predicate_count) == (published, 10)
    assert answer.estimate == near((published - 0.5) / 0.9)
    assert answer.exact
    assert answer.variance_estimate is not None
    # A query may name any published columns: values that nobody has, several values, one column alone.
    answers = release.estimate([{"y": "c"}, {"y": ["a", "b"]}, {"x": "7"}])
    assert answers["predicate_count"].to_list() == [30, 60, 3]
    assert all(low <= true <= high for low, true, high in zip(
        answers["low"], (0, 60, 2), answers["high"], strict=True
    ))  # fmt: skip
    table = release.crosstab("x", "y")
    assert table.shape == (30, 4)
    with pytest.raises(ParameterError, match="method 'inversion' only"):
        release.estimate(y="a", method="mle")

    with pytest.raises(ParameterError, match="is not a value of 'y'"):
        TupleEstimator(release)([Query.of({"y": "q"})], None)
    with pytest.raises(DataError, match="there is no column 'town'"):
        release.estimate(town="a")
