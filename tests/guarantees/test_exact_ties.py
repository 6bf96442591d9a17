"""Values at which a comparison holds with equality: >= and > differ there, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from splu_ref.guarantees import (
    best_estimator,
    error_probability,
    least_mean_error,
    minimax_error_bounds,
    privacy_minimum,
    utility_threshold,
    worst_error_bounds,
)

TINY = Fraction(1, 10**9)


def error(gamma: int, epsilon: Fraction, f: int, *, strict: bool = False) -> Fraction:
    """Return Pr(abs(f' - f) >= epsilon f), or > with ``strict``, summed term by term."""
    n = gamma * f
    wrong = (
        k for k in range(n + 1) if abs(k - f) > epsilon * f or (abs(k - f) == epsilon * f and not strict)
    )
    return Fraction(sum(comb(n, k) * (gamma - 1) ** (n - k) for k in wrong), gamma**n)


@pytest.mark.parametrize(
    ("gamma", "epsilon"),
    [(2, Fraction(1)), (3, Fraction(1, 2)), (4, Fraction(2, 3)), (5, Fraction(1, 4)), (5, Fraction(2))],
)
def test_an_error_at_the_very_distance_counts_in_definition_2_alone(gamma: int, epsilon: Fraction) -> None:
    """The counts are multiples of the denominator of epsilon, so that epsilon f is a whole number."""
    for f in (epsilon.denominator, 2 * epsilon.denominator):
        wide, narrow = error(gamma, epsilon, f), error(gamma, epsilon, f, strict=True)
        assert error_probability(gamma, epsilon, f).exact() == wide
        assert error_probability(gamma, epsilon, f, strict=True).exact() == narrow
        assert wide > narrow
        assert error_probability(gamma, epsilon - TINY, f, strict=True).exact() == wide
        assert error_probability(gamma, epsilon + TINY, f).exact() == narrow


HALF = Fraction(1, 2)


@pytest.mark.parametrize(("gamma", "epsilon", "f"), [(2, Fraction(1), 3), (2, HALF, 6), (3, HALF, 8)])
def test_a_threshold_at_which_the_error_is_exactly_t_e(gamma: int, epsilon: Fraction, f: int) -> None:
    """T_f is the first count whose error is at most T_E, an error of exactly T_E included."""
    level = error(gamma, epsilon, f)
    assert max(error(gamma, epsilon, later) for later in range(f + 1, 40)) <= level
    at = utility_threshold(gamma, epsilon, level).threshold
    assert at <= f
    assert utility_threshold(gamma, epsilon, level - TINY).threshold > f
    assert utility_threshold(gamma, epsilon, level + TINY).threshold == at
    assert all(error(gamma, epsilon, later) <= level for later in range(at, 40))
    assert at == 1 or error(gamma, epsilon, at - 1) > level


def test_comparisons_of_an_error_with_its_own_value() -> None:
    for f in (1, 5, 40):
        value = error_probability(10, Fraction(3, 10), f)
        exact = value.exact()
        assert [value.compare(exact + off) for off in (-TINY, Fraction(0), TINY)] == [1, 0, -1]


def test_of_counts_with_the_same_least_error_the_first_is_named() -> None:
    """With gamma = 2 and epsilon above 1 no count is ever published wrong: all errors are 0."""
    found = privacy_minimum(2, Fraction(3, 2), 6)
    assert found.argmin_definition == 1
    assert not found.t_p_definition.exact()


# ---- T_P*: ties of the game -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "alpha"), [(Fraction(1, 3), 2), (Fraction(1, 2), 3), (Fraction(3, 5), 4)]
)
@pytest.mark.parametrize("gamma", [2, 3])
def test_an_estimate_at_the_very_distance_of_two_counts(epsilon: Fraction, alpha: int, gamma: int) -> None:
    """(1 + epsilon) 1 = (1 - epsilon) alpha: that is right for all counts in the strict form alone."""
    assert 1 + epsilon == (1 - epsilon) * alpha
    assert best_estimator(gamma, epsilon, alpha, strict=True).worst_error == 0
    assert best_estimator(gamma, epsilon + TINY, alpha).worst_error == 0
    below = best_estimator(gamma, epsilon - TINY, alpha)
    at = best_estimator(gamma, epsilon, alpha)
    assert at.worst_error == below.worst_error > 0
    assert best_estimator(gamma, epsilon - TINY, alpha, strict=True).worst_error == below.worst_error
    assert minimax_error_bounds(gamma, epsilon, alpha).at_least == at.worst_error
    even = [Fraction(1, alpha)] * alpha
    assert least_mean_error(gamma, epsilon, even) == least_mean_error(gamma, epsilon - TINY, even) > 0
    assert least_mean_error(gamma, epsilon, even, strict=True) == 0


@pytest.mark.parametrize(("epsilon", "alpha"), [(Fraction(1, 3), 2), (Fraction(1, 2), 3)])
def test_a_choice_at_the_very_distance_is_an_error_in_definition_2_alone(
    epsilon: Fraction, alpha: int
) -> None:
    for strict, worst in ((True, 0), (False, 1)):
        best = best_estimator(2, epsilon, alpha, strict=strict)
        constant = replace(best, choices=(((1 + epsilon, Fraction(1)),),) * len(best.choices))
        assert worst_error_bounds(constant).upper == worst


def needed(epsilon: Fraction, alpha: int, *, strict: bool) -> int:
    """Return how many estimates are near every count of 1 to alpha: each as far up as it may be."""
    number, f = 0, 1
    while f <= alpha:
        number, end = number + 1, (1 + epsilon) * f
        while f <= alpha and ((1 - epsilon) * f < end or (strict and (1 - epsilon) * f == end)):
            f += 1
    return number


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("epsilon", [Fraction(1, divisor) for divisor in (2, 3, 5, 7, 9)])
def test_as_many_estimates_as_counts_that_are_not_near_one(epsilon: Fraction, strict: bool) -> None:
    """The upper bound of T_P* where the game is too large; ends of intervals meet counts exactly."""
    numbers, counts = set(), range(2, 70)
    for alpha in counts:
        found = minimax_error_bounds(200, epsilon, alpha, strict=strict)
        number = needed(epsilon, alpha, strict=strict)
        assert found.at_most == 1 - Fraction(1, number)
        numbers.add(number)
    assert len(numbers) > 3
    assert any(
        needed(epsilon, alpha, strict=True) < needed(epsilon, alpha, strict=False) for alpha in range(2, 70)
    )
