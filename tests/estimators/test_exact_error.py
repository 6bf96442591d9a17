"""The error of the closed form in fractions, tested against the arrays in floating point and to sums by
hand."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, sqrt

import pytest

from splu_ref.channels import PublishedCount
from splu_ref.estimators.linear.transition import ConjunctionEstimate
from splu_ref.estimators.linear.two_state import two_state_estimates, two_state_intervals

CASES = [
    (9, 30, 60, 600),
    (0, 30, 60, 600),
    (1, 4, 9, 200),
    (30, 30, 600, 600),
    (4, 7, 23, 101),
    (7, 8, 90, 700),
    (700, 4_000, 10_003, 90_001),
]
LAWS = [PublishedCount.of(2), PublishedCount.of(5), PublishedCount.of(3, "3/5"), PublishedCount.of(4, "1/10")]


@pytest.mark.parametrize("law", LAWS, ids=str)
@pytest.mark.parametrize(("y3", "published", "predicate", "rows"), CASES)
def test_both_agree(y3: int, published: int, predicate: int, rows: int, law: PublishedCount) -> None:
    error = ConjunctionEstimate(y3, published, predicate, rows, law)
    estimate, deviation = two_state_estimates(y3, predicate, published, rows, law)
    clipped = min(max(error.unclipped, Fraction(0)), Fraction(predicate))
    assert float(clipped) == pytest.approx(float(estimate), rel=1e-9, abs=1e-9)
    assert sqrt(error.variance(clipped)) == pytest.approx(float(deviation), rel=1e-9, abs=1e-9)
    low, high = (float(end) for end in two_state_intervals(y3, predicate, published, rows, law))
    slack = 1e-6 * predicate
    assert error.integer_interval() in {
        (least, most)
        for least in (ceil(low - slack), ceil(low + slack))
        for most in (floor(high - slack), floor(high + slack))
    }


def test_by_hand() -> None:
    """gamma = 2, N = 9, f' = 1, n = 2, y3 = 1: a = 1/16 and D = 7/16."""
    error = ConjunctionEstimate(1, 1, 2, 9, PublishedCount.of(2))
    assert error.unclipped == Fraction(7, 8) / Fraction(7, 16) == 2
    # x = 2 > f' = 1, so f = 2: M = 7, b = 2, m = 0; nothing is drawn among decoys.
    assert error.variance(2) == Fraction(16, 7) ** 2 * Fraction(2, 4)
    # x = 1: M = 8, b = 1, m = 1, E K = 1/8, V = 1/8 * 7/8 * 7/7, g1 = -9/128 / (7/16).
    g1 = Fraction(-9, 128) * Fraction(16, 7)
    g3 = Fraction(16, 7) + g1
    shared = Fraction(7, 64) / 4
    inside, outside = Fraction(1, 4) + Fraction(1, 32) + shared, Fraction(7, 32) + shared
    assert error.variance(1) == g3**2 * inside + g1**2 * outside - 2 * g1 * g3 * shared


def test_an_interval_may_hold_nothing() -> None:
    assert ConjunctionEstimate(12, 12, 40, 500, PublishedCount.of(10)).integer_interval() is None


def test_an_interval_contains_the_accepted_numbers_beyond_a_gap() -> None:
    """With an estimate far below 0, 0, 1 and 9 to 13 are accepted, and 2 to 8 are not."""
    law = PublishedCount.of(3)
    error = ConjunctionEstimate(1, 9, 13, 29, law)
    assert error.unclipped < -7
    assert [count for count in range(14) if error.holds(count)] == [0, 1, *range(9, 14)]
    assert error.integer_interval() == (0, 13)
    assert tuple(float(end) for end in two_state_intervals(1, 13, 9, 29, law)) == (0, 13)


@pytest.mark.parametrize("rows", range(2, 24))
def test_an_interval_spans_all_accepted_numbers(rows: int) -> None:
    """In all tables of so many rows in which the predicate has at most f' records."""
    law, spanned = PublishedCount.of(3), 0
    for published in range(ceil(Fraction(rows, 3))):
        for y3 in range(published + 1):
            for predicate in range(y3, min(published, rows - published + y3) + 1):
                error = ConjunctionEstimate(y3, published, predicate, rows, law)
                ends = error.integer_interval()
                if ends is not None:
                    accepted = [count for count in range(predicate + 1) if error.holds(count)]
                    assert ends == (accepted[0], accepted[-1])
                    spanned += 1
    assert spanned > 0
