"""The warning where a published count hardly depends on the true one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from splu_ref.data import Microdata
from splu_ref.estimators import Query, QueryEstimate, QueryEstimator
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import SeededSource

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


SHARES = (0.97, 0.95, 0.92, 0.6, 0.5, *[0.177] * 6)
"""Records of eleven values as shares of N/gamma: the first three are warned of."""


def _warnings_and_slopes() -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return which values are warned of, and how much their estimates rise with their true counts.

    In twelve groups counts are .3, .5, 1 or 2.2 times those of a group of average composition. A slope of 1
    is that of an unbiased estimate, 0 that of n f'/N. Means over six releases.
    """
    places = (np.arange(12)[:, None] + np.arange(len(SHARES))) % 4
    counts = np.rint(6_000 * np.array(SHARES) / GAMMA * np.array([0.3, 0.5, 1.0, 2.2])[places])
    counts = counts.astype(np.int64)
    counts[0, -1] -= counts.sum() % GAMMA
    group, value = (np.repeat(axis.ravel(), counts.ravel()) for axis in np.indices(counts.shape))
    frame = pl.DataFrame({"s": pl.Series(value).cast(pl.String), "a": pl.Series(group).cast(pl.String)})
    queries = [Query.of({"a": str(a), "s": str(s)}) for a, s in np.ndindex(*counts.shape)]
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    surplus, warned, slopes = counts - expected, [], []
    for seed in range(6):
        release = SpluGen(GAMMA).publish(Microdata.from_frame(frame), "s", SeededSource(seed))
        answers = QueryEstimator(release.table, ["s"], SpluGen(GAMMA)).estimate(queries)
        warned.append(np.array([_is_weak(answer) for answer in answers]).reshape(counts.shape).all(axis=0))
        found = np.array([answer.estimate for answer in answers]).reshape(counts.shape) - expected
        slopes.append((found * surplus).sum(axis=0) / (surplus**2).sum(axis=0))
    return np.mean(warned, axis=0) > 0.5, np.mean(slopes, axis=0)


def _separates(warned: NDArray[np.bool_], slopes: NDArray[np.float64]) -> bool:
    """Return whether estimates rise by less than .3 of the true counts where they are warned of, only."""
    return bool(warned.any()) and bool(np.array_equal(warned, slopes < 0.3))


def test_it_is_given_where_estimates_do_not_follow_the_true_counts() -> None:
    warned, slopes = _warnings_and_slopes()
    assert _separates(warned, slopes)
    for useless in (np.zeros_like(warned), np.ones_like(warned), ~warned, np.roll(warned, 1)):
        assert not _separates(useless, slopes)
