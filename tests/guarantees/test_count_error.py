"""The exact error probability against known values and against one minus the window."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels import Bounds, PublishedCount
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import decimal_down, decimal_up, error_probability
from splu_ref.guarantees.count_error import error_offset
from splu_ref.guarantees.minimum_error import IncrementalErrorScan

BruteError = Callable[[int, Fraction, int, bool], Fraction]
EPSILONS = [Fraction(text) for text in ("1/7", "3/10", "1/2", "1", "3/2", "2", "4", "9/2")]


def test_example_1_of_the_paper() -> None:
    error = error_probability(10, "0.3", 5).exact()
    assert round(1 - error, 6) == Fraction("0.519933")
    assert decimal_down(error, 2) == "0.48"


def test_the_count_that_refutes_the_printed_theorem_3() -> None:
    assert error_probability(3, 1, 1).exact() == Fraction(5, 9)


@pytest.mark.parametrize(("gamma", "epsilon"), list(product([2, 3, 5], EPSILONS)))
def test_against_one_minus_the_window(gamma: int, epsilon: Fraction, brute_error: BruteError) -> None:
    walk = IncrementalErrorScan(PublishedCount.of(gamma))
    for frequency, strict in product([1, 2, 3, 4, 7, 10, 21], (False, True)):
        truth = brute_error(gamma, epsilon, frequency, strict)
        assert error_probability(gamma, epsilon, frequency, strict=strict).exact() == truth
        assert error_probability(gamma, epsilon, frequency, strict=strict).numerator() == truth * gamma ** (
            gamma * frequency
        )
        bounds = error_probability(gamma, epsilon, frequency, strict=strict).bounds()
        assert bounds.lower <= truth <= bounds.upper
        assert (bounds.upper - bounds.lower) * 2**250 <= truth
        walk.move(frequency, error_offset(epsilon, frequency, strict=strict))
        rough, close = walk.coarse().bounds(), walk.fine().bounds()
        assert rough.lower <= truth <= rough.upper
        assert close.lower <= truth <= close.upper
        assert (close.upper - close.lower) * 2**60 <= truth


def test_the_two_forms_differ_exactly_where_epsilon_f_is_whole() -> None:
    for frequency in range(1, 41):
        definition = error_probability(10, "0.15", frequency).exact()
        theorem = error_probability(10, "0.15", frequency, strict=True).exact()
        assert (definition > theorem) == (frequency % 20 == 0)
        assert definition >= theorem


def test_no_error_is_possible_beyond_every_count() -> None:
    assert error_probability(5, "4.0001", 7).exact() == 0
    assert error_probability(5, "4.0001", 7).bounds() == Bounds(Fraction(0), Fraction(0))
    assert error_probability(5, 4, 7).exact() == Fraction(1, 5**35)


def test_a_tail_far_below_any_float_is_enclosed() -> None:
    bounds = error_probability(10, "0.3", 20_000).bounds()
    assert 0 < bounds.lower < bounds.upper < Fraction(1, 10**350)
    assert (bounds.upper - bounds.lower) * 2**250 < bounds.lower


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((10, 0.3, 5), 'write "0.3" in quotes'),
        ((1, "0.3", 5), "gamma must be a whole number of at least 2"),
        ((10, "0", 5), "epsilon must be greater than 0"),
        ((10, "0.3", 0), "frequency must be a whole number of at least 1"),
        ((10, "0.3", 10**6), "use its bounds"),
    ],
)
def test_unusable_parameters_are_refused_with_the_remedy(
    arguments: tuple[int, str, int], remedy: str
) -> None:
    with pytest.raises(ParameterError, match=remedy):
        error_probability(*arguments).exact()


def test_a_count_too_large_for_an_enclosure_names_the_greatest() -> None:
    with pytest.raises(ParameterError, match="at most 20000000"):
        error_probability(10, "0.3", 10**8).bounds()


def test_a_number_is_compared_by_enclosures_and_at_last_exactly() -> None:
    error = error_probability(3, 1, 1)  # 5/9
    assert [error.compare(number) for number in ("0.55", "5/9", "0.56")] == [1, 0, -1]
    near = Fraction(5, 9) + Fraction(1, 10**300)
    assert error.compare(near) == -1
    with pytest.raises(ParameterError, match="bound is the float"):
        error.compare(0.5)  # type: ignore[arg-type]  # what is refused here


def test_a_number_too_near_to_be_compared_is_refused_by_its_name() -> None:
    error = error_probability(10, "0.3", 40_000)
    low = error.bounds(400).lower
    with pytest.raises(ParameterError, match="t_p is too near the true probability"):
        error.compare(low, "t_p")


@pytest.mark.parametrize("digits", [1, 5, 40])
def test_decimals_are_those_of_the_fraction(digits: int) -> None:
    for error in (error_probability(3, 1, 1), error_probability(2, "1/2", 2), error_probability(5, 4, 7)):
        assert error.decimal("down", digits) == decimal_down(error.exact(), digits)
        assert error.decimal("up", digits) == decimal_up(error.exact(), digits)
        assert error.json("up")["fraction"] == str(error.exact())


def test_a_fraction_too_long_to_print_leaves_its_bounds() -> None:
    written = error_probability(10, "0.3", 2000).json("down")  # a denominator of 20,000 digits
    assert written["fraction"] is None
    assert written["digits"] == 12


def test_a_fraction_is_given_up_to_300000_trials() -> None:
    for gamma, most in ((2, 150_000), (7, 42_857)):
        error_probability(gamma, "1/2", most).refuse_long()
        with pytest.raises(ParameterError, match="an exact fraction is given up to 300000"):
            error_probability(gamma, "1/2", most + 1).refuse_long()


def test_a_fraction_is_printed_up_to_10000_digits_of_its_denominator() -> None:
    assert 4**16_609 < 10**10_000 < 4**16_610
    assert error_probability(2, "1/2", 16_609).json("down")["fraction"] is not None
    assert error_probability(2, "1/2", 16_610).json("down")["fraction"] is None
    assert error_probability(10, "0.3", 999).json("down")["fraction"] is not None
    assert error_probability(10, "0.3", 1000).json("down")["fraction"] is None  # 10^10000 has a digit more
