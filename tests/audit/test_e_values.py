"""E-values: expectation exactly 1 under the stated law, and bounds that round the safe way."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from splu_ref.audit import EValue, average, counts_point, multinomial_point, rate_at_least, rate_at_most
from splu_ref.audit.e_values import rejection_log10, sum_of_bounded
from splu_ref.channels.parameters import ParameterError
from tests.rounding import near

RATES = [Fraction(1, 2), Fraction(1, 5), Fraction(9, 10), Fraction(1, 1000)]


def mass(n: int, k: int, p: Fraction) -> Fraction:
    return math.comb(n, k) * p**k * (1 - p) ** (n - k)


def exact(value: EValue) -> Fraction:
    assert value.exact is not None
    return value.exact


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("n", [0, 1, 7, 20])
def test_expectation_is_one_under_the_stated_law(n: int, rate: Fraction) -> None:
    for test in (counts_point, rate_at_most, rate_at_least):
        assert sum(mass(n, x, rate) * exact(test(n, x, rate)) for x in range(n + 1)) == 1, test


@pytest.mark.parametrize("rate", RATES)
def test_expectation_is_below_one_inside_a_one_sided_claim(rate: Fraction) -> None:
    inside = rate / 2
    assert sum(mass(9, x, inside) * exact(rate_at_most(9, x, rate)) for x in range(10)) < 1
    above = (1 + rate) / 2
    assert sum(mass(9, x, above) * exact(rate_at_least(9, x, rate)) for x in range(10)) < 1


@pytest.mark.parametrize("test", [counts_point, rate_at_most, rate_at_least])
def test_martingale_so_the_sample_may_be_extended(test: object) -> None:
    assert callable(test)
    p = Fraction(3, 10)
    for n, x in [(0, 0), (5, 2), (11, 11), (30, 0)]:
        following = p * exact(test(n + 1, x + 1, p)) + (1 - p) * exact(test(n + 1, x, p))
        assert following == exact(test(n, x, p))


def test_one_sided_value_is_the_integral_that_its_docstring_states() -> None:
    # n=1, x=1, T=1/4: mean of theta/T over theta uniform on (T, 1) is (1+T)/2/T = 5/2.
    assert rate_at_most(1, 1, Fraction(1, 4)).exact == Fraction(5, 2)
    assert rate_at_least(1, 0, Fraction(3, 4)).exact == Fraction(5, 2)


def test_multinomial_expectation_and_two_bins() -> None:
    law = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
    total = 0.0
    for a, b in product(range(7), repeat=2):
        if a + b <= 6:
            c = 6 - a - b
            ways = math.factorial(6) // (math.factorial(a) * math.factorial(b) * math.factorial(c))
            total += (
                ways
                * float(law[0] ** a * law[1] ** b * law[2] ** c)
                * 10 ** multinomial_point((a, b, c), law).log10
            )
    assert total == pytest.approx(1, abs=1e-12)
    two = multinomial_point((3, 8), (Fraction(1, 4), Fraction(3, 4)))
    assert two.log10 == pytest.approx(counts_point(11, 3, Fraction(1, 4)).log10, abs=1e-12)


@pytest.mark.parametrize(("n", "x"), [(30_000, 6_400), (30_000, 5_900), (30_000, 0), (30_000, 30_000)])
def test_large_samples_are_bounded_from_below_and_closely(n: int, x: int) -> None:
    p = Fraction(1, 5)
    value = counts_point(n, x, p)
    assert value.exact is None
    true = Fraction(5**n, (n + 1) * math.comb(n, x) * 4 ** (n - x))
    log10 = math.log10(true.numerator) - math.log10(true.denominator)
    assert value.log10 == pytest.approx(log10, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("x", [0, 900, 1000, 1200, 3000])
def test_directed_one_sided_value_is_below_the_truth_and_close(x: int) -> None:
    n, rate = 3000, Fraction(1, 3)
    value = rate_at_most(n, x, rate)
    assert value.exact is None
    tail = sum(math.comb(n + 1, k) * 2 ** (n + 1 - k) for k in range(x + 1))
    true = Fraction(tail, 3 ** (n + 1)) / ((n + 1) * (1 - rate) * mass(n, x, rate))
    assert 0 <= float(math.log10(true.numerator) - math.log10(true.denominator)) - value.log10 < 1e-9


def test_rates_with_many_digits_are_rounded_so_that_less_is_claimed() -> None:
    rate = Fraction(10**60 + 1, 3 * 10**60)
    assert rate_at_most(40, 25, rate).log10 <= rate_at_most(40, 25, Fraction(1, 3)).log10
    with pytest.raises(ParameterError, match="no sample can refute"):
        rate_at_most(3, 3, 1 - Fraction(1, 1 << 200))


def test_rejection_happens_at_one_over_the_level_and_not_before() -> None:
    edge = EValue.of(Fraction(100))
    assert edge.rejects(Fraction(1, 100))
    assert not edge.rejects(Fraction(1, 101))
    assert not EValue(2.0).rejects(Fraction(1, 100))  # a logarithm alone must clear the rounded-up bound
    assert EValue(2.0 + 1e-12).rejects(Fraction(1, 100))


def test_mean_of_dependent_values() -> None:
    mean = average([EValue.of(Fraction(4)), EValue.of(Fraction(2)), EValue.of(Fraction(1, 10**40))])
    assert mean.log10 == pytest.approx(math.log10(2), abs=1e-12)
    assert mean.log10 <= math.log10(2)
    huge = average([EValue(5000.0), EValue(-5000.0)])
    assert huge.log10 == near(5000 - math.log10(2))


@pytest.mark.parametrize(
    "bad", [(3, 4, Fraction(1, 2)), (3, -1, Fraction(1, 2)), (3, 1, Fraction(1)), (3, 1, Fraction(0))]
)
def test_inputs_out_of_range(bad: tuple[int, int, Fraction]) -> None:
    for test in (counts_point, rate_at_most, rate_at_least):
        with pytest.raises(ParameterError):
            test(*bad)
    with pytest.raises(ParameterError):
        multinomial_point((1, 2), (Fraction(1, 2), Fraction(1, 3)))
    with pytest.raises(ParameterError):
        average([])
    with pytest.raises(ParameterError):
        EValue(1.0).rejects(Fraction(1))


def test_an_e_value_states_its_power_of_ten() -> None:
    assert [str(EValue(log10)) for log10 in (math.inf, 3.14, -0.26)] == ["infinite", "10^3.1", "10^-0.3"]


def test_what_never_happens_and_what_says_nothing_are_distinguished() -> None:
    never, nothing = EValue(math.inf), EValue(-math.inf)
    assert (str(never), never.decimal, never.finite_log10) == ("infinite", "inf", None)
    assert (str(nothing), nothing.decimal, nothing.finite_log10) == ("0", "0", None)
    assert (never.rejects(Fraction(1, 10)), nothing.rejects(Fraction(1, 10))) == (True, False)


def test_e_values_of_given_counts() -> None:
    """Reports print them, and verdicts hang on them: nobody may get others for the same counts."""
    third = Fraction(1, 3)
    for reported, expected in (
        ([counts_point(*each, third) for each in ((10, 3), (6000, 2100), (6000, 2000))],
         ["3.49485e-01", "6.36769e-01", "1.52530e-02"]),
        ([counts_point(20_000, 100, Fraction(1, 7))], ["2.65788e+1140"]),
        ([multinomial_point(counts, [Fraction(1, 2), third, Fraction(1, 6)])
          for counts in ((3, 2, 1), (10, 0, 0), (300, 220, 90))],
         ["2.57142e-01", "1.55151e+01", "1.35068e-02"]),
        ([rate_at_most(*each, third) for each in ((10, 5), (5000, 1800), (5000, 1600), (900, 0))],
         ["8.76623e-01", "6.87963e+01", "4.22757e-03", "1.10987e-03"]),
        ([rate_at_least(*each, third) for each in ((10, 1), (5000, 1500))], ["2.90900e+00", "1.63714e+04"]),
        ([sum_of_bounded(Fraction(total), Fraction(mean), spread)
          for total, mean, spread in ((60, 50, 100), (40, 50, 100), (50, 50, 100), (3, 1, 1),
                                      (1000, 900, 2048))],
         ["1.46783e+00", "1.46783e+00", "3.79449e-01", "2.85678e+02", "1.10278e+03"]),
        ([average([EValue(log) for log in logs]) for logs in ((1.0, 2.0, 3.0), (-5.0, 300.0, 10.0), (2.5,))],
         ["3.69999e+02", "3.33333e+299", "3.16227e+02"]),
        ([EValue.of(Fraction(value)) for value in ("2", "1/3", "123456789")],
         ["1.99999e+00", "3.33333e-01", "1.23456e+08"]),
    ):  # fmt: skip
        assert [value.decimal for value in reported] == expected


def test_up_to_which_size_an_e_value_is_exact() -> None:
    """20,000 bits of a count's law, and a quarter of that for a one-sided value."""
    third = Fraction(1, 3)
    assert counts_point(10_000, 600, third).exact is not None
    assert counts_point(10_001, 600, third).exact is None
    assert rate_at_most(2499, 600, third).exact is not None
    assert rate_at_most(2500, 600, third).exact is None


def test_how_an_e_value_is_reported() -> None:
    endless, never = EValue(math.inf), EValue(-math.inf)
    assert [str(value) for value in (EValue(2.345), endless, never)] == ["10^2.3", "infinite", "0"]
    assert [value.decimal for value in (endless, never)] == ["inf", "0"]
    # a logarithm just below a whole one: rounded down to six digits, not up to ten
    assert [EValue.of(Fraction(value)).decimal for value in (1, 1000)] == ["9.99999e-01", "9.99999e+02"]
    assert [value.finite_log10 for value in (EValue(1.5), endless, never)] == [1.5, None, None]
    assert rejection_log10(Fraction(1, 100)) == 2.0
    assert rejection_log10(Fraction(3, 1000)) == near(2.5228787452803374, rel=1e-9)
    assert EValue(2.5).rejects(Fraction(1, 316))
    assert not EValue(2.5).rejects(Fraction(1, 317))
