"""The warning where a published count hardly depends on the true one."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimate, QueryEstimator
from splu_ref.mechanisms import SpluGen

GAMMA, ROWS = 5, 2000


def _published(frequent: int) -> Microdata:
    """Return a published table with one value of the given count, in both halves of column a."""
    others = ROWS - frequent
    values = ["0"] * frequent + [str(1 + place % 12) for place in range(others)]
    half = ["x" if place % 2 else "y" for place in range(ROWS)]
    return Microdata.from_frame(pl.DataFrame({"s": values, "a": half, "all": "1", "t": values[::-1]}))


def _answers(
    frequent: int, mechanism: SpluGen, *where: dict[str, object], columns: tuple[str, ...] = ("s",)
) -> list[QueryEstimate]:
    estimator = QueryEstimator(_published(frequent), columns, mechanism)
    return estimator.estimate([Query.of(each) for each in where])


def _is_weak(answer: QueryEstimate) -> bool:
    return answer.warning is not None and "weakly supported" in answer.warning


@pytest.mark.parametrize("frequent", [300, 349, 352, 399])
def test_it_is_given_where_the_factor_is_at_most_fifteen_hundredths_of_p(frequent: int) -> None:
    p = Fraction(1, GAMMA)
    factor = p - frequent * (1 - p) / (ROWS - frequent)  # claim splu.Cc
    [answer] = _answers(frequent, SpluGen(GAMMA), {"a": "x", "s": "0"})
    assert _is_weak(answer) == (factor <= Fraction(15, 100) * p) == (frequent >= 351)
    assert answer.interval is not None
    if _is_weak(answer):
        for part in ("probability 0.200", f"probability {float(p - factor):.3f}", f"{frequent} of {ROWS}"):
            assert part in str(answer.warning)


def test_rarer_values_and_larger_retention_and_known_counts_have_none() -> None:
    where: dict[str, object] = {"a": "x", "s": "0"}
    rare, every_value, alone, all_records, two_conditions = _answers(
        399,
        SpluGen(GAMMA),
        {"a": "x", "s": "3"},
        {"a": "x", "s": [str(value) for value in range(13)]},
        {"s": "0"},
        {"all": "1", "s": "0"},
        {"a": "x", "all": "1", "s": "12"},
    )
    assert not any(map(_is_weak, (rare, every_value, alone, all_records, two_conditions)))
    [answer] = _answers(399, SpluGen(GAMMA, "1/2"), where)
    assert answer.warning is None
    [answer] = _answers(399, SpluGen(GAMMA), where)
    assert _is_weak(answer)


def test_sets_and_their_complements_are_judged_alike() -> None:
    some, others = _answers(
        399,
        SpluGen(GAMMA),
        {"a": "x", "s": ["0"]},
        {"a": "x", "s": [str(value) for value in range(1, 13)]},
    )
    assert _is_weak(some)
    assert _is_weak(others)
    assert "probability 0.801" in str(others.warning)  # 1 - a, not 1 - p
    assert f"{ROWS - 399} of {ROWS}" in str(others.warning)
    [rare] = _answers(399, SpluGen(GAMMA), {"a": "x", "s": ["3", "4"]})
    assert rare.warning is None


def test_every_method_and_every_column_is_warned_of() -> None:
    estimator = QueryEstimator(_published(399), ("s", "t"), SpluGen(GAMMA))
    for method in ("shrunk", "exact", "em", "inversion"):
        [answer] = estimator.estimate([Query.of({"a": "x", "s": "0"})], method)
        assert _is_weak(answer), method
    one, both = estimator.estimate(
        [Query.of({"a": "x", "s": "3", "t": "0"}), Query.of({"a": "x", "s": "0", "t": "0"})]
    )
    assert str(one.warning).count("weakly supported") == 1
    assert "values of 't'" in str(one.warning)
    assert str(both.warning).count("weakly supported") == 2


def test_it_stands_beside_the_reason_of_a_missing_interval() -> None:
    estimator = QueryEstimator(_published(399), ("s",), SpluGen(GAMMA, plan="cyclic"))
    [answer] = estimator.estimate([Query.of({"a": "x", "s": "0"})], "exact")
    assert answer.interval is None
    assert "no interval" in str(answer.warning)
    assert _is_weak(answer)
