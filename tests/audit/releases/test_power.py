"""The stated power is reached by simulation-free arithmetic, and pooling only lowers an e-value."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from splu_ref.audit import average, counts_point, rate_at_most
from splu_ref.audit.power import DETECTION, rate_power, trials_needed
from splu_ref.audit.releases.fair_pairs import alike, far_pairs, near_pairs, rising
from splu_ref.audit.releases.pooling import IMPOSSIBLE, largest_mean

LEVEL = Fraction(1, 10**6)


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
