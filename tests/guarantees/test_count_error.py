"""The exact error probability against known values and against one minus the window."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from splu_ref.binomial import Bounds
from splu_ref.channels import PublishedCount
from splu_ref.guarantees import decimal_down, error_bounds, error_numerator, error_probability
from splu_ref.guarantees.error_walk import ErrorWalk
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.model import ParameterError

BruteError = Callable[[int, Fraction, int, bool], Fraction]
EPSILONS = [Fraction(text) for text in ("1/7", "3/10", "1/2", "1", "3/2", "2", "4", "9/2")]


def test_example_1_of_the_paper() -> None:
    error = error_probability(10, "0.3", 5)
    assert round(1 - error, 6) == Fraction("0.519933")
    assert decimal_down(error, 2) == "0.48"


def test_the_count_that_refutes_the_printed_theorem_3() -> None:
    assert error_probability(3, 1, 1) == Fraction(5, 9)


@pytest.mark.parametrize(("gamma", "epsilon"), list(product([2, 3, 5], EPSILONS)))
def test_against_one_minus_the_window(gamma: int, epsilon: Fraction, brute_error: BruteError) -> None:
    walk = ErrorWalk(PublishedCount.of(gamma))
    for frequency, strict in product([1, 2, 3, 4, 7, 10, 21], (False, True)):
        truth = brute_error(gamma, epsilon, frequency, strict)
        assert error_probability(gamma, epsilon, frequency, strict=strict) == truth
        assert error_numerator(gamma, epsilon, frequency, strict=strict) == truth * gamma ** (
            gamma * frequency
        )
        bounds = error_bounds(gamma, epsilon, frequency, strict=strict)
        assert bounds.lower <= truth <= bounds.upper
        assert (bounds.upper - bounds.lower) * 2**250 <= truth
        walk.move(frequency, error_offset(epsilon, frequency, strict=strict))
        rough, close = walk.roughly().bounds(), walk.closely().bounds()
        assert rough.lower <= truth <= rough.upper
        assert close.lower <= truth <= close.upper
        assert (close.upper - close.lower) * 2**60 <= truth


def test_the_two_forms_differ_exactly_where_epsilon_f_is_whole() -> None:
    for frequency in range(1, 41):
        definition = error_probability(10, "0.15", frequency)
        theorem = error_probability(10, "0.15", frequency, strict=True)
        assert (definition > theorem) == (frequency % 20 == 0)
        assert definition >= theorem


def test_no_error_is_possible_beyond_every_count() -> None:
    assert error_probability(5, "4.0001", 7) == 0
    assert error_bounds(5, "4.0001", 7) == Bounds(Fraction(0), Fraction(0))
    assert error_probability(5, 4, 7) == Fraction(1, 5**35)


def test_a_tail_far_below_any_float_is_enclosed() -> None:
    bounds = error_bounds(10, "0.3", 20_000)
    assert 0 < bounds.lower < bounds.upper < Fraction(1, 10**350)
    assert (bounds.upper - bounds.lower) * 2**250 < bounds.lower


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((10, 0.3, 5), 'write "0.3" in quotes'),
        ((1, "0.3", 5), "gamma must be a whole number of at least 2"),
        ((10, "0", 5), "epsilon must be greater than 0"),
        ((10, "0.3", 0), "frequency must be a whole number of at least 1"),
        ((10, "0.3", 10**6), "use error_bounds"),
    ],
)
def test_unusable_parameters_are_refused_with_the_remedy(
    arguments: tuple[int, str, int], remedy: str
) -> None:
    with pytest.raises(ParameterError, match=remedy):
        error_probability(*arguments)


def test_a_count_too_large_for_an_enclosure_names_the_greatest() -> None:
    with pytest.raises(ParameterError, match="at most 20000000"):
        error_bounds(10, "0.3", 10**8)
