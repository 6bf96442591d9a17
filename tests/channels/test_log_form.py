"""Sums of logarithms: equality by coefficients, order and decimals by certified enclosures."""

from __future__ import annotations

from fractions import Fraction
from math import log2, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels import Bounds, LogForm
from splu_ref.channels.parameters import ParameterError

TERMS = st.dictionaries(st.integers(1, 400), st.fractions(-3, 3, max_denominator=12), max_size=5)


def _number(terms: dict[int, Fraction]) -> float:
    return sum(float(coefficient) * log2(base) for base, coefficient in terms.items())


@given(TERMS)
def test_the_number_is_that_of_the_terms(terms: dict[int, Fraction]) -> None:
    form = LogForm.of(terms)
    found = form.bounds()
    assert float(found.lower) - 1e-9 <= _number(terms) <= float(found.upper) + 1e-9
    assert found.upper - found.lower < Fraction(1, 10**13)
    assert _number(dict(form.coefficients)) == pytest.approx(_number(terms), abs=1e-9)
    assert all(coefficient for coefficient in form.coefficients.values())


@given(TERMS, TERMS)
def test_sums_and_order(first: dict[int, Fraction], second: dict[int, Fraction]) -> None:
    one, other = LogForm.of(first), LogForm.of(second)
    assert one + other == other + one
    assert (one + other) - other == one
    assert (one - one).sign() == 0
    assert one * 2 - one == one
    assert one * Fraction(1, 3) == LogForm.of({base: c / 3 for base, c in first.items()})
    difference = _number(first) - _number(second)
    if abs(difference) > 1e-6:
        assert (one > other) == (difference > 0) == (other < one)
        assert (one >= other) == (difference > 0)
        assert one != other
    assert one <= one
    assert not one < one


@given(st.fractions(Fraction(1, 50), 50, max_denominator=50))
def test_the_sign_of_a_logarithm(ratio: Fraction) -> None:
    assert LogForm.lg(ratio).sign() == (ratio > 1) - (ratio < 1)


def test_numbers_that_differ_in_the_two_hundredth_place_are_distinguished() -> None:
    # (k+1)/k is nearly 1: lg(k+1) - lg k is about 1.44/k
    k = 10**200
    tiny = LogForm.of({k + 1: 1, k: -1})
    assert tiny.sign() == 1
    assert (LogForm.of({3: 1}) - tiny) < LogForm.of({3: 1})
    narrow = tiny.narrowed(12)
    for end in (narrow.lower, narrow.upper):
        assert abs(end * k - Fraction("1.442695040888963")) < Fraction(1, 10**11)


def test_what_is_left_of_large_numbers_is_divided_where_they_share_a_factor() -> None:
    p, q, r = 1_000_003, 1_000_033, 10_007  # primes; no divisor below 10,000 is found
    assert LogForm.of({p * q: 1}) == LogForm.of({p: 1, q: 1})
    assert LogForm.of({p * q: 1, p: -1}).coefficients == {q: 1}
    assert LogForm.of({p * p: 1, p: -2}).coefficients == {}
    assert LogForm.of({r * p: 1, r: -1}).coefficients == {p: 1}
    assert LogForm.of({p * q: 1, p * r: 1}).coefficients == {r: 1, q: 1, p: 2}
    alone = LogForm.of({p * q: 3})
    assert list(alone.coefficients) == [p * q]
    assert alone == LogForm.of({p: 3}) + LogForm.of({q: 3})
    assert alone != LogForm.of({p: 3, q: 2})


@given(st.lists(st.sampled_from([2, 3, 5, 10_007, 10_009, 1_000_003]), min_size=1, max_size=6))
def test_a_product_is_the_sum_of_its_factors(factors: list[int]) -> None:
    whole = LogForm.of({prod(factors): 1})
    assert whole == LogForm.sum([(Fraction(1), LogForm.of({factor: 1})) for factor in factors])


def test_how_it_is_reported() -> None:
    form = LogForm.of({2: Fraction(4, 7), 3: Fraction(10, 7), 7: -1})
    assert str(form) == "4/7 + 10/7 lg 3 - lg 7"
    assert form.as_texts() == {"2": "4/7", "3": "10/7", "7": "-1"}
    assert str(LogForm.of({3: -1})) == "-lg 3"
    assert (str(LogForm({})), LogForm({}).as_texts()) == ("0", {})
    assert LogForm({}).narrowed().upper == 0


def test_another_base() -> None:
    three = LogForm.of({3: 1})
    assert three.narrowed(12, 3).lower <= 1 <= three.narrowed(12, 3).upper
    tens = LogForm.of({1000: -1}).narrowed(12, 10)
    assert tens.lower <= -3 <= tens.upper
    assert tens.upper - tens.lower < Fraction(1, 10**11)
    for base in ("1", "1/2", 0, -2):
        with pytest.raises(ParameterError, match="give a base above 1"):
            LogForm({}).narrowed(base=base)


def test_what_has_no_logarithm() -> None:
    with pytest.raises(ParameterError, match="0 has no logarithm"):
        LogForm.of({0: 1})
    with pytest.raises(ParameterError, match="number must be greater than 0"):
        LogForm.lg("-1/2")
    with pytest.raises(TypeError):
        hash(LogForm({}))


@pytest.mark.parametrize(
    ("number", "base", "rational"),
    [
        (1000, 10, Fraction(3)),
        (9, 27, Fraction(2, 3)),
        ("1/49", 7, Fraction(-2)),
        ("4/9", "3/2", Fraction(-2)),
    ],
)
def test_a_rational_number_of_digits_is_enclosed_by_itself(
    number: int | str, base: int | str, rational: Fraction
) -> None:
    assert LogForm.lg(number).narrowed(base=base) == Bounds(rational, rational)
