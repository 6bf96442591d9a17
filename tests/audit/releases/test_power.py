"""The stated power is reached by simulation-free arithmetic, and pooling only lowers an e-value."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from splu_ref.audit import EValue, average, counts_point, rate_at_most
from splu_ref.audit.power import rate_power, trials_needed
from splu_ref.audit.releases.pooling import (
    IMPOSSIBLE,
    independent_product,
    largest_mean,
    mean_log,
    point_logs,
    product_of,
    renumbered,
)
from splu_ref.audit.releases.row_order import alike, far_pairs, near_pairs, nearer, rising
from tests.rounding import near

LEVEL = Fraction(1, 10**6)
DETECTION = Fraction(999, 1000)


@pytest.mark.parametrize(("rate", "other"), [("1/5", "2/5"), ("1/5", "1/20"), ("1/2", "2/3")])
def test_rows_needed_by_summing_every_count(rate: str, other: str) -> None:
    stated, true = Fraction(rate), Fraction(other)

    def detected(trials: int) -> Fraction:
        return sum(
            (
                math.comb(trials, k) * true**k * (1 - true) ** (trials - k)
                for k in range(trials + 1)
                if counts_point(trials, k, stated).rejects(LEVEL)
            ),
            Fraction(0),
        )

    needed = trials_needed(counts_point, stated, true, LEVEL)
    assert detected(needed) >= DETECTION
    assert detected(needed * 9 // 10) < DETECTION
    power = rate_power(counts_point, needed, stated, LEVEL)
    assert power.low is not None
    assert power.high is not None
    assert true >= power.high if true > stated else true <= power.low


def test_mean_of_the_largest_is_a_lower_bound_of_the_mean() -> None:
    generator = np.random.default_rng(5)
    trials = generator.integers(20, 200, 40)
    successes = generator.binomial(trials, 0.3)
    rates = [Fraction(1, 4)] * 40
    every = [counts_point(int(n), int(k), rates[0]) for n, k in zip(trials, successes, strict=True)]
    bound, mean = largest_mean(counts_point, trials, successes, rates).log10, average(every).log10
    assert mean - 0.7 < bound < mean
    few = largest_mean(counts_point, trials[:5], successes[:5], rates[:5])
    assert few.log10 == average(every[:5]).log10
    diluted = largest_mean(counts_point, trials[:5], successes[:5], rates[:5], of=50)
    assert diluted.log10 == pytest.approx(few.log10 - 1, abs=1e-6)


@pytest.mark.parametrize(("successes", "computed"), [(14, True), (15, False), (35, False), (36, True)])
def test_what_deviates_by_less_than_two_spreads_is_not_computed(successes: int, computed: bool) -> None:
    """25 of 100 are expected, with a spread of sqrt(25 * 3/4) + 1 = 5.33."""
    counts = np.array([100]), np.array([successes]), [Fraction(1, 4)]
    assert math.isfinite(largest_mean(counts_point, *counts, least=2).log10) == computed
    above = computed and successes > 25
    assert math.isfinite(largest_mean(rate_at_most, *counts, above_only=True, least=2).log10) == above


def test_more_successes_than_trials_refute() -> None:
    refuted = largest_mean(rate_at_most, np.array([5, 3]), np.array([1, 4]), [Fraction(1, 2)] * 2)
    assert refuted == IMPOSSIBLE
    assert refuted.rejects(Fraction(1, 10**300))


def test_coins_of_an_order() -> None:
    assert [pair.tolist() for pair in near_pairs(5)] == [[0, 2], [1, 3]]
    assert [pair.tolist() for pair in far_pairs(5)] == [[0, 1], [2, 3]]
    assert rising(np.array([1, 1, 2, 5, 4]), near_pairs(5)) == (1, 1)
    assert rising(np.array([3, 1, 2, 5]), far_pairs(4)) == (2, 1)
    # Two blocks of four; the triples are places 0, 1, 5 and 2, 3, 7.
    assert alike(np.array([1, 1, 2, 3, 9, 9, 9, 2]), 4) == (2, 1)
    # Two blocks of three; the only triple is places 0, 1 and 4.
    assert alike(np.array([1, 1, 9, 9, 2, 9]), 3) == (1, 1)
    assert alike(np.array([1, 2, 9, 9, 1, 9]), 3) == (1, 0)
    assert alike(np.array([1, 1, 9, 9, 1, 9]), 3) == (0, 0)
    assert alike(np.array([-1, -1, 9, 9, 1, 9]), 3) == (0, 0)
    # Three pairs of neighbors and the one half the size later: 5-6 against 9, 1-9 against 3, 4-4 against 4.
    assert nearer(np.array([5, 6, 1, 9, 4, 4, 0, 9, 0, 3, 0, 4]), 1) == (2, 1)
    assert nearer(np.array([5, 6, 1, 9, 4, -1, 0, 9, 0, 3, 0, 4]), 1) == (2, 1)
    assert nearer(np.array([5, 1, 6, 9, 0, 0, 9, 3]), 2) == (2, 1)
    assert nearer(np.arange(9), 10**30) == (0, 0)


def test_a_product_of_independent_e_values_has_their_expectation() -> None:
    outcomes = list(product((0.5, 1.5), (0.2, 1.8), (0.9, 1.1)))  # each with probability 1/8
    mean = math.fsum(math.exp(independent_product(np.log(np.array(each)))) for each in outcomes) / 8
    assert mean == pytest.approx(1, abs=1e-6)
    assert mean < 1


def test_a_product_sees_many_weak_e_values_and_one_strong_one() -> None:
    assert independent_product(np.full(100, 0.5)) > 48
    one = np.full(100, -0.5)
    one[17] = 40
    assert independent_product(one) > 40 - math.log(3 * math.e * 100) - 0.5
    assert product_of([EValue(-math.inf), EValue(20.0), EValue(-math.inf)]).log10 > 18
    assert product_of([EValue(0.0), IMPOSSIBLE]) == IMPOSSIBLE
    below = np.array([100, 100]), np.array([3, 4]), [Fraction(1, 4)] * 2
    assert math.isfinite(largest_mean(rate_at_most, *below, above_only=True).log10)
    assert largest_mean(rate_at_most, *below, above_only=True, least=2).log10 == -math.inf
    assert mean_log([0.0, math.log(3)]) == pytest.approx(math.log(2), abs=1e-8)


@pytest.mark.parametrize("rate", ["1/5", "1/2", "99/100"])
def test_logarithms_of_many_counts_are_rounded_down(rate: str) -> None:
    trials, successes = np.array([0, 1, 7, 400, 60_000]), np.array([0, 1, 3, 90, 12_345])
    logs = point_logs(trials, successes, Fraction(rate)) / math.log(10)
    for log10, n, k in zip(logs, trials.tolist(), successes.tolist(), strict=True):
        exact = counts_point(n, k, Fraction(rate)).log10
        assert exact - 1e-5 < log10 < exact


def test_a_rate_that_no_double_states_from_one() -> None:
    rate = 1 - Fraction(1, 10**390)
    logs = point_logs(np.array([5, 5]), np.array([5, 4]), rate)
    assert logs[0] == pytest.approx(-math.log(6), abs=1e-9)
    assert logs[1] == near(390 * math.log(10) - math.log(30), rel=1e-9)


def test_parts_are_numbered_without_gaps() -> None:
    assert renumbered(np.array([7, -1, 7, 3])).tolist() == [2, 0, 2, 1]
    assert renumbered(np.array([10**12, 5, 10**12])).tolist() == [1, 0, 1]
