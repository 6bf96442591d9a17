"""Stated power, recomputed by summing the mass of every rejected count."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from splu_ref.audit import (
    counts_point,
    multinomial_point,
    multinomial_power,
    rate_at_least,
    rate_at_most,
    rate_power,
)
from splu_ref.audit.power import RateTest

LEVEL = Fraction(1, 10**8)
DETECTION = Fraction(999, 1000)
STEP = Fraction(1, 10**6)


def detection(test: RateTest, trials: int, rate: Fraction, true: Fraction) -> float:
    rejected = [x for x in range(trials + 1) if test(trials, x, rate).rejects(LEVEL)]
    return math.fsum(float(math.comb(trials, x) * true**x * (1 - true) ** (trials - x)) for x in rejected)


@pytest.mark.parametrize("test", [counts_point, rate_at_most, rate_at_least])
def test_power_is_the_smallest_deviation_found(test: RateTest) -> None:
    trials, rate = 150, Fraction(2, 5)
    power = rate_power(test, trials, rate, LEVEL)
    if power.high is not None:
        assert detection(test, trials, rate, power.high) >= DETECTION
        assert detection(test, trials, rate, power.high - STEP) < DETECTION
    if power.low is not None:
        assert detection(test, trials, rate, power.low) >= DETECTION
        assert detection(test, trials, rate, power.low + STEP) < DETECTION
    assert (power.high is not None) == (test is not rate_at_least)
    assert (power.low is not None) == (test is not rate_at_most)


def test_a_sample_too_small_to_reject_says_so() -> None:
    power = rate_power(counts_point, 5, Fraction(1, 2), LEVEL)
    assert (power.low, power.high) == (None, None)
    assert "no other" in str(power)


@pytest.mark.slow
def test_multinomial_power_holds_whatever_the_other_bins_do() -> None:
    law = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    n = 120
    power = multinomial_power(n, law, 0, "center", LEVEL).power
    assert power.low is not None
    assert power.high is not None
    rejected = [
        all(multinomial_point((c, b, n - c - b), law).rejects(LEVEL) for b in range(n - c + 1))
        for c in range(n + 1)
    ]
    for true in (power.low, power.high):
        found = math.fsum(
            float(math.comb(n, c) * true**c * (1 - true) ** (n - c)) for c in range(n + 1) if rejected[c]
        )
        assert found >= DETECTION
