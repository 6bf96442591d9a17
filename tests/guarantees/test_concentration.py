"""Chebyshev and Chernoff: valid everywhere, and as sharp as stated."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.guarantees import (
    chebyshev_bound,
    chebyshev_threshold,
    chernoff_bound,
    error_probability,
)
from splu_ref.guarantees.concentration import lower_tilt, uniform_bound, upper_tilt

EPSILONS = [Fraction(text) for text in ("1/50", "3/10", "999/1000", "1", "3/2", "1999/1000", "2", "4", "9/2")]


@pytest.mark.parametrize(("gamma", "epsilon"), list(product([2, 3, 5], EPSILONS)))
def test_both_are_upper_bounds(gamma: int, epsilon: Fraction) -> None:
    for frequency in (1, 2, 5, 13, 40):
        error = error_probability(gamma, epsilon, frequency).exact()
        assert error <= chebyshev_bound(gamma, epsilon, frequency)
        assert error <= chernoff_bound(gamma, epsilon, frequency)


def test_chebyshev_has_the_variance_once() -> None:
    assert chebyshev_bound(3, 1, 1) == Fraction(2, 3) >= Fraction(5, 9)
    assert chebyshev_bound(10, "0.01", 900) == 10


def test_chernoff_is_the_printed_sum_rounded_up() -> None:
    gamma, frequency, distance = Gamma(4), 30, Fraction(1, 3)  # epsilon = 0.31: errors begin at 10
    upper, lower = (
        upper_tilt(PublishedCount.of(gamma), distance),
        lower_tilt(PublishedCount.of(gamma), distance),
    )
    assert upper is not None
    assert lower is not None
    exact = (1 + (upper - 1) / 4) ** 120 / upper**40 + (1 + (lower - 1) / 4) ** 120 / lower**20
    assert exact <= chernoff_bound(gamma, "0.31", frequency) <= exact * (1 + Fraction(1, 2**200))


def test_chernoff_is_quick_and_short_at_large_counts() -> None:
    bound = chernoff_bound(10, "1/1000", 10**7)
    assert 0 < bound < 1
    assert bound.numerator.bit_length() <= 257


def test_a_tail_that_is_empty_costs_nothing() -> None:
    assert chernoff_bound(3, "2.5", 10) == 0
    assert upper_tilt(PublishedCount.of(3), Fraction(5, 2)) is None
    assert lower_tilt(PublishedCount.of(3), Fraction(3, 2)) is None
    assert chernoff_bound(3, 1, 4) >= Fraction(2, 3) ** 12  # the lower tail is f' = 0, exactly


@pytest.mark.parametrize("epsilon", ["1/3", "0.123456789", "1", "3/2"])
def test_the_uniform_bound_holds_from_its_count_on(epsilon: str) -> None:
    gamma, rational = Gamma(3), Fraction(epsilon)
    tilts = upper_tilt(PublishedCount.of(gamma), rational), lower_tilt(PublishedCount.of(gamma), rational)
    for start in (250, 277):
        bound = uniform_bound(PublishedCount.of(gamma), rational, start, tilts, 128).bounds().upper
        assert bound < 1
        for frequency in range(start, start + 40):
            assert error_probability(gamma, epsilon, frequency).exact() <= bound


def test_chebyshev_threshold_is_the_least_count() -> None:
    assert chebyshev_threshold(10, "1/20", "1/100") == 36_000
    for gamma, epsilon, t_e in ((10, "0.3", "0.07"), (2, "1/3", "1/7"), (5, "2", "0.9")):
        least = chebyshev_threshold(gamma, epsilon, t_e)
        assert chebyshev_bound(gamma, epsilon, least) <= Fraction(t_e)
        assert least == 1 or chebyshev_bound(gamma, epsilon, least - 1) > Fraction(t_e)


def test_an_error_of_zero_is_never_promised_by_chebyshev() -> None:
    with pytest.raises(ParameterError, match="greater than 0"):
        chebyshev_threshold(10, "0.3", 0)


@pytest.mark.parametrize(
    ("gamma", "epsilon"), [(10, "1"), (16, "3"), (4, "99/100"), (8, "3"), (20, "3"), (5, "3/5")]
)
def test_no_power_of_a_tilt_cancels_to_a_short_number(gamma: int, epsilon: str) -> None:
    """Where m^(gamma F) z^-k is dyadic, m and 1/z are too, so that an enclosure of it is exact."""
    rational = Fraction(epsilon)
    for tilt in (
        upper_tilt(PublishedCount.of(gamma), rational),
        lower_tilt(PublishedCount.of(gamma), rational),
    ):
        if not tilt:
            continue
        mean = 1 + (tilt - 1) / gamma
        for count in range(1, 13):
            shift = int(rational * count)
            power = mean ** (gamma * count) / tilt ** (count + shift if tilt > 1 else count - shift)
            if power.denominator.bit_count() == 1:
                assert mean.denominator.bit_count() == tilt.numerator.bit_count() == 1


@pytest.mark.parametrize("gamma", [2, 3, 4, 5, 8, 10, 16, 20])
def test_tilts_are_near_the_best_ones(gamma: int) -> None:
    """Within 1/25 of its distances to 0 and 1 from the tilt that makes the bound least."""
    law = PublishedCount.of(gamma)
    for epsilon in (
        *EPSILONS,
        Fraction(1, 3),
        Fraction(3),
        Fraction(1, 1000),
        Fraction(99, 100),
        Fraction(3, 5),
    ):
        if epsilon < gamma - 1:
            best = min(Fraction(1024), (1 + epsilon) * (gamma - 1) / (gamma - 1 - epsilon))
            upper = upper_tilt(law, epsilon)
            assert upper is not None
            assert abs(upper - best) <= min(best, best - 1) / 25
        if epsilon < 1:
            best = max(Fraction(1, 1024), (1 - epsilon) * (gamma - 1) / (gamma - 1 + epsilon))
            lower = lower_tilt(law, epsilon)
            assert lower is not None
            assert abs(lower - best) <= min(best, 1 - best) / 25


@pytest.mark.parametrize(
    ("gamma", "retention", "epsilon", "upper", "lower"),
    [
        (2, None, "1/7", "4/3", "3/4"),
        (3, None, "3/10", "23/15", "8/13"),
        (4, None, "1", "82/27", "0"),  # 3 would have dyadic powers
        (6, None, "1/3", "10/7", "17/27"),
        (10, None, "3", "163/27", None),
        (10, None, "7", "109/3", None),
        (10, None, "3/5", "12/7", "41/108"),
        (5, None, "4", "1024", None),
        (5, None, "5", None, None),
        (2, None, "99999/100000", "1024", "1/1024"),
        (3, "1/2", "1/2", "208/99", "41/108"),
        (5, "2/5", "3/10", "251/175", "16/25"),
        (5, "2/3", "1", "77/18", "0"),
        (5, "2/3", "4", "2187", None),
        (3, "4/7", "2", "3125", None),
        (5, "1/7", "7/2", "186/5", None),
        (5, "1/3", "1/2", "26/15", "4/9"),  # 15 has the factor 3 as it is
        (2, "3/4", "1", "3125", "0"),
        (2, "3/4", "1/100", "4751/4625", "2313/2375"),
        (9, "99/100", "1/100", "163/100", "201/325"),
        (5, "1", "1/3", None, None),
    ],
)
def test_the_tilts_themselves(
    gamma: int, retention: str | None, epsilon: str, upper: str | None, lower: str | None
) -> None:
    """They stand in certificates: with others the bytes would be others."""
    law, rational = PublishedCount.of(gamma, retention), Fraction(epsilon)
    assert upper_tilt(law, rational) == (None if upper is None else Fraction(upper))
    assert lower_tilt(law, rational) == (None if lower is None else Fraction(lower))
