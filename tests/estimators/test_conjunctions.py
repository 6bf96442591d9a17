from __future__ import annotations

from fractions import Fraction
from math import log

import polars as pl
import pytest

from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import InputError, ParameterError
from splu_ref.estimators import conjunction_estimate
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource


def _clipped(y3: int, published: int, inside: int, rows: int, gamma: int) -> Fraction:
    """The closed form as it is stated, with a written out."""
    a = Fraction(published * (gamma - 1), gamma * (rows - published))
    return min(max((y3 - inside * a) / (Fraction(1, gamma) - a), Fraction(0)), Fraction(inside))


def _log_likelihood(x: float, y3: int, inside: int, a: float, gamma: int) -> float:
    """Each record of the predicate is published with the value with probability (x/gamma + (n - x) a)/n."""
    p = (x / gamma + (inside - x) * a) / inside
    return (y3 * log(p) if y3 else 0.0) + ((inside - y3) * log(1 - p) if inside > y3 else 0.0)


@pytest.mark.parametrize("gamma", [2, 3, 5])
def test_it_is_the_stated_closed_form_wherever_it_is_defined(gamma: int) -> None:
    compared, law = 0, PublishedCount.of(gamma)
    for rows in (gamma, 2 * gamma, 5 * gamma, 40):
        for published in range(min(-(-rows // gamma), 5)):
            for inside in range(rows + 1):
                for y3 in range(max(0, published - rows + inside), min(inside, published) + 1):
                    expected = _clipped(y3, published, inside, rows, gamma)
                    assert conjunction_estimate(y3, published, inside, rows, law) == expected
                    compared += 1
    assert compared > 100


@pytest.mark.parametrize(("y3", "published", "inside"), [(0, 5, 30), (1, 5, 60), (4, 5, 60), (5, 6, 8)])
def test_it_maximizes_the_likelihood_of_y3_under_the_fixed_matrix(
    y3: int, published: int, inside: int
) -> None:
    rows, gamma = 100, 5
    a = published * (gamma - 1) / (gamma * (rows - published))
    grid = [inside * k / 400 for k in range(401)]
    best = max(grid, key=lambda x: _log_likelihood(x, y3, inside, a, gamma))
    assert float(
        conjunction_estimate(y3, published, inside, rows, PublishedCount.of(gamma))
    ) == pytest.approx(best, abs=inside / 400)


@pytest.mark.parametrize("published", [20, 21, 50])
def test_from_rows_over_gamma_on_there_is_nothing_to_learn(published: int) -> None:
    with pytest.raises(InputError, match="not below rows/gamma = 20"):
        conjunction_estimate(5, published, 30, 100, PublishedCount.of(5))


@pytest.mark.parametrize(
    "counts",
    [
        (4, 3, 30, 100, 5),  # more with the value inside than in all
        (4, 9, 3, 100, 5),  # more than the predicate has
        (0, 9, 95, 100, 5),  # nine outside, where five are
        (0, 3, 101, 100, 5),
        (-1, 3, 30, 100, 5),
        (0, 3, 30, 100, 1),
        (0, 3, 30, 0, 5),
    ],
)
def test_counts_that_cannot_come_from_one_table_are_refused(counts: tuple[int, int, int, int, int]) -> None:
    with pytest.raises(ParameterError):
        conjunction_estimate(*counts[:4], PublishedCount.of(counts[4]))


@pytest.mark.parametrize("method", ["exact", "em", "shrunk"])
def test_an_estimate_is_inside_its_interval_where_a_value_has_nearly_all_it_may(method: str) -> None:
    """No value has more than N/gamma records: that bounds the estimate as well as its interval."""
    records = [(0 if n % 3 == 0 and n > 3 else 1 + n % 9, "xy"[n % 2]) for n in range(300)]
    frame = pl.DataFrame(records, schema=["v", "s"], orient="row")
    at_the_bound = 0
    for seed in (0, 1):
        release = SpluGen(gamma=3).publish(frame, ["v"], SeededSource(seed))
        queries = [{"v": value, "s": s} for value in release.domains["v"] for s in "xy"]
        for answer in release.estimate(queries, method=method).iter_rows(named=True):
            assert answer["low"] <= answer["estimate"] <= answer["high"]
            at_the_bound += answer["estimate"] == 100
    assert at_the_bound or method == "shrunk"
