"""The error of discrete Laplace noise: against the law term by term, and against decimals of mpmath."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path

import mpmath
import pytest

from splu_ref.channels import Bounds, probability_mass
from splu_ref.channels.parameters import ParameterError
from splu_ref.estimators.comparators import (
    mean_noise,
    noise_privacy,
    noise_ratio,
    noise_tail,
    noise_threshold,
)
from splu_ref.guarantees import privacy_minimum, utility_threshold
from splu_ref.mechanisms import LN_2, LN_3, Budget


def _mass(r: Fraction, z: int) -> Fraction:
    return (1 - r) / (1 + r) * r ** abs(z)


def _only(number: Fraction | int) -> Bounds:
    return Bounds(Fraction(number), Fraction(number))


def test_the_named_budgets_exactly() -> None:
    assert (mean_noise(LN_2), mean_noise(LN_3)) == (_only(Fraction(4, 3)), _only(Fraction(3, 4)))
    assert noise_privacy(LN_2, "0.3", 10) == _only(Fraction(1, 6))
    assert noise_threshold(LN_2, "1/20", "1/100") == 141


@pytest.mark.parametrize("budget", [LN_2, LN_3, Budget.of("ln 3/2")])
def test_against_the_law_term_by_term(budget: Budget) -> None:
    r = 1 / budget.number
    reach = range(-200, 201)
    near = Fraction(1, 10**20)
    assert abs(sum(abs(z) * _mass(r, z) for z in reach) - mean_noise(budget).lower) < near
    for distance in (1, 2, 7):
        inner = sum(_mass(r, z) for z in range(1 - distance, distance))
        assert noise_tail(budget, distance) == _only(1 - inner)


@pytest.mark.parametrize("epsilon", ["1/100", "0.1", "1", "5/2", "12"])
def test_a_rational_budget_is_enclosed(epsilon: str) -> None:
    budget = Budget.of(epsilon)
    with mpmath.workdps(100):
        r = mpmath.exp(-mpmath.mpf(budget.number.numerator) / budget.number.denominator)
        for bounds, true in (
            (noise_ratio(budget), r),
            (mean_noise(budget), 2 * r / (1 - r * r)),
            (noise_tail(budget, 40), 2 * r**40 / (1 + r)),
        ):
            low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (bounds.lower, bounds.upper))
            assert low <= true <= high
            assert high - low < true * mpmath.mpf(10) ** -60


@pytest.mark.parametrize("budget", [LN_2, LN_3, Budget.of("0.1")])
@pytest.mark.parametrize(("epsilon", "t_e"), [("0.3", "0.05"), ("1/7", "1/3"), ("2", "1/1000"), ("1", "1")])
def test_the_threshold_is_the_least(budget: Budget, epsilon: str, t_e: str) -> None:
    ratio, allowed = Fraction(epsilon), Fraction(t_e)
    least = noise_threshold(budget, epsilon, t_e)

    def error(f: int) -> Fraction:
        return noise_tail(budget, ceil(ratio * f)).upper

    assert all(error(f) <= allowed for f in range(least, least + 50))
    assert least == 1 or error(least - 1) > allowed


@pytest.mark.parametrize("alpha", [1, 2, 5, 11])
def test_privacy_is_the_least_over_small_counts(alpha: int) -> None:
    errors = [noise_tail(LN_3, ceil(Fraction(3, 10) * f)).lower for f in range(1, alpha + 1)]
    assert noise_privacy(LN_3, "0.3", alpha).lower == min(errors)


def test_demands_without_an_answer_are_refused() -> None:
    with pytest.raises(ParameterError, match="t_e = 0 cannot be met"):
        noise_threshold(LN_2, "0.3", 0)
    with pytest.raises(ParameterError, match=r"^errors beyond 1000000 are likelier than t_e = 1/100"):
        noise_threshold(Budget.of("1/100000000"), "0.3", "1/100")


def test_sizes_that_would_take_long_are_refused_in_short_messages() -> None:
    with pytest.raises(ParameterError, match=r"^distance is about 3.000e299: give one of at most 1000000"):
        noise_privacy(LN_2, "0.3", 10**300)
    with pytest.raises(ParameterError, match=r"^epsilon = about 1.000e300: give a budget of at most 10000"):
        mean_noise(Budget.of(10**300))
    for budget in (Budget.logarithm("3." + "1" * 399), Budget.of(10_000)):
        with pytest.raises(ParameterError, match="takes too long with this budget: give one of at most"):
            noise_tail(budget, 100_000)


def test_the_documented_comparison_is_true() -> None:
    page = (Path(__file__).parents[2] / "docs" / "comparators.md").read_text(encoding="utf-8")
    rows = {
        cells[0]: cells[1:]
        for line in page.splitlines()
        if len(cells := [cell.strip() for cell in line.strip("|").split("|")]) == 6
    }
    for name, budget in (("Laplace, ln 2", LN_2), ("Laplace, ln 3", LN_3)):
        mean = mean_noise(budget).lower
        levels = [noise_privacy(budget, "0.3", alpha).lower for alpha in (3, 10)]
        threshold = noise_threshold(budget, "0.3", "0.05")
        assert rows[name] == [*map(_cut, levels), str(threshold), _cut(mean), _cut(mean)]

    def deviation(f: int) -> Fraction:
        terms = (abs(k - f) * probability_mass(5 * f, k, Fraction(1, 5)) for k in range(5 * f + 1))
        return sum(terms, Fraction(0))

    levels = [privacy_minimum(5, "0.3", alpha).t_p_definition.exact() for alpha in (3, 10)]
    threshold = utility_threshold(5, "0.3", "0.05").threshold
    expected = [*map(_cut, levels), str(threshold), _cut(deviation(1)), _cut(deviation(100))]
    assert rows["SPLU-Gen, γ = 5"] == expected


def _cut(number: Fraction) -> str:
    """Return a number with four places, cut off and marked if there are more."""
    scaled, rest = divmod(number.numerator * 10**4, number.denominator)
    text = f"{scaled // 10**4}.{scaled % 10**4:04}"
    return text + "…" if rest else text.rstrip("0")
