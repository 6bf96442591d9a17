"""Ends of intervals, tested against the inequalities that they solve and numbers computed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.tables.reconciliation import GroupSums, Measure, Quadratic, Rates, intervals
from tests.rounding import near

Z2 = NORMAL_95**2


@dataclass
class Group:
    """What is found of one group, and what is to be said of it."""

    total: float
    records: float
    variance: tuple[float, float, float]
    rates: tuple[float, float] = (0.0, 0.0)
    least: float = 0.0
    greatest: float = 100.0


def _said(measure: Measure, *groups: Group, lowest: float = -inf, highest: float = inf) -> np.ndarray:
    """Return estimate, error and ends of each group; a sum and a mean have rates of their own."""

    def line(*numbers: float) -> np.ndarray:
        return np.array(numbers, dtype=np.float64)

    rates = Rates(*(line(*(group.rates[side] for group in groups)) for side in (0, 1)))
    other = Rates(*(each * 3 + 1 for each in rates))
    found = GroupSums(
        total=line(*(group.total for group in groups)),
        records=line(*(group.records for group in groups)),
        variance=Quadratic(*(line(*(group.variance[power] for group in groups)) for power in range(3))),
        sum_rates=rates if measure == "sum" else other,
        mean_rates=rates if measure == "mean" else other,
        published=line(*(9 for _ in groups)),
        least=line(*(group.least for group in groups)),
        greatest=line(*(group.greatest for group in groups)),
        lowest=line(*(lowest for _ in groups)),
        highest=line(*(highest for _ in groups)),
    )
    return np.array(intervals(found, measure)).T


def test_the_ends_of_a_mean_are_where_its_inequality_ends() -> None:
    group = Group(120.0, 6.0, (30.0, -2.0, 0.25), (2.0, 3.0))
    ((value, error, low, high),) = _said("mean", group)
    assert (value, error) == (20.0, sqrt(30 - 40 + 100) / 6)
    assert 0 < low < value < high < 100
    for m, rate in ((low, 3.0), (high, 2.0)):  # a smaller mean is one of a sum that is smaller
        off = abs(120 - 6 * m)
        assert off**2 == near(Z2 * (30 - 2 * m + 0.25 * m**2 + rate * off))


def test_the_ends_of_a_sum_are_where_its_inequality_ends() -> None:
    group = Group(120.0, 6.0, (30.0, -2.0, 0.25), (2.0, 3.0))
    ((value, error, low, high),) = _said("sum", group)
    assert (value, error) == (120.0, sqrt(30))
    for off, rate in ((120 - low, 3.0), (high - 120, 2.0)):
        assert off > 0
        assert off**2 == near(Z2 * (30 + rate * off))
    ((_, _, low, high),) = _said("sum", group, lowest=119.0, highest=121.5)
    assert (low, high) == (119.0, 121.5)
    ((_, error, low, high),) = _said("sum", Group(5.0, 1.0, (-4.0, 0.0, 0.0), (2.0, 0.0)))
    assert (error, low, high) == (0.0, 5.0, near(5 + 2 * Z2))


def test_a_mean_of_which_nothing_is_known_lies_anywhere_in_its_range() -> None:
    found = _said(
        "mean",
        Group(30.0, 0.0, (1.0, 0.0, 0.0), least=10, greatest=50),  # no record
        Group(30.0, 0.0, (1.0, 0.0, -1.0), least=10, greatest=50),
        Group(30.0, -2.0, (1.0, 0.0, 0.0), least=10, greatest=50),  # fewer than none
        Group(60.0, 2.0, (400.0, 0.0, 2.0), least=10, greatest=50),  # as few as none
        Group(60.0, 2.0, (-9.0, 0.0, 0.0), least=10, greatest=50),  # an estimate of a variance below 0
        Group(60.0, 2.0, (0.0, 0.0, 0.0), least=10, greatest=50),
        Group(60.0, 0.5, (0.25, 0.0, 0.0), least=10, greatest=50),  # a quotient out of the range
        Group(-60.0, 0.5, (0.25, 0.0, 0.0), least=10, greatest=50),
    )
    middle, point = [30, 20, 10, 50], [30, 0, 30, 30]
    assert found.tolist() == [
        middle, middle, middle, middle, [30, 0, 10, 50], point, [50, 1, 50, 50], [10, 1, 10, 10],
    ]  # fmt: skip


def test_rates_are_variances_by_the_size_of_numbers_on_their_side() -> None:
    numbers = np.array([[2.0, -3.0, 0.0, 4.0, -1.0], [5.0, 0.0, 0.0, 0.0, 1.0], [-5.0, 0.0, 0.0, 0.0, -1.0]])
    found = Rates.of(numbers, np.array([7.0, 6.0, 9.0, -1.0, 5.0]), np.array([1.0, 2.0, 3.0, 4.0, 10.0]))
    assert found.up.tolist() == [7 / 18, (7 + 50) / 15, 0]
    assert found.down.tolist() == [(12 + 50) / 16, 0, (7 + 50) / 15]
