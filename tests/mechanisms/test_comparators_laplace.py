"""Discrete Laplace noise: the law on paths of limited length, and the budgets by name."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms import LN_2, LN_3, Budget, LaplaceCounts
from splu_ref.mechanisms.laplace import exponential_trial
from splu_ref.randomness import SeededSource, TapeSource, UniformSource


class _Digits(SeededSource):
    """Returns given integers and records the requested bounds."""

    def __init__(self, digits: tuple[int, ...]) -> None:
        super().__init__(0)
        self._digits = list(digits)
        self.bounds: list[int] = []

    def integer_below(self, bound: int) -> int:
        self.bounds.append(bound)
        if bound == 1:
            return 0
        digit = self._digits.pop(0)
        assert digit < bound
        return digit


def _law(draw: Callable[[UniformSource], int], bound: int, most: int) -> dict[int, Fraction]:
    """Return the law over all strings of at most ``most`` digits below ``bound`` that end the computation."""
    law: dict[int, Fraction] = {}
    for length in range(1, most + 1):
        for digits in product(range(bound), repeat=length):
            source = _Digits(digits)
            try:
                value = draw(source)
            except IndexError:
                continue
            if len(source.bounds) == length:  # shorter ones were counted before
                law[value] = law.get(value, Fraction(0)) + Fraction(1, bound**length)
    return law


@pytest.mark.parametrize(("budget", "bound", "most"), [(LN_2, 2, 12), (LN_3, 3, 8)])
def test_noise_at_a_named_budget(budget: Budget, bound: int, most: int) -> None:
    law = _law(lambda source: LaplaceCounts(budget).publish_counts([0], source)[0], bound, most)
    r = Fraction(1, bound)
    for z in range(-most, most + 1):
        whole = (1 - r) / (1 + r) * r ** abs(z)
        # paths of abs(z) + 2 + 2k draws, k = 0, 1, ...: the others hold r^2 of the term before each
        terms = max(0, (most - abs(z)) // 2)
        assert law.get(z, Fraction(0)) == whole * (1 - r ** (2 * terms))


def test_a_trial_follows_the_alternating_series() -> None:
    # Pr(success) within k <= 5 trials is 1 - x + x^2/2 - x^3/6 + x^4/24 - x^5/120, at x = 1/2
    x = Fraction(1, 2)
    chance = {True: Fraction(0), False: Fraction(0)}
    for digits in product(range(2), range(4), range(6), range(8), range(10)):
        try:
            chance[exponential_trial(x, _Digits(digits))] += Fraction(1, 2 * 4 * 6 * 8 * 10)
        except IndexError:
            continue
    series = [Fraction(1)]
    for k in range(1, 6):
        series.append(-series[-1] * x / k)
    assert chance[True] == sum(series)
    assert chance[True] + chance[False] == 1 - abs(series[5])


def test_a_trial_draws_below_what_it_needs() -> None:
    source = _Digits((1, 1, 5))
    assert exponential_trial(Fraction(2, 3), source)
    assert source.bounds == [3, 6, 9]
    assert exponential_trial(Fraction(0), _Digits(()))
    with pytest.raises(ParameterError, match="between 0 and 1"):
        exponential_trial(Fraction(3, 2), SeededSource(0))


def test_a_rational_budget_by_hand() -> None:
    # epsilon = 2/3: fine = 2 below 3, accepted (a trial at 2/3 that fails at once); coarse: one trial at 1
    # that succeeds in its third part (0 < 1/2, then 2 of 3 fails: number 3, odd), one that fails at number 2.
    first = (2, 2, 0, 2, 1)
    # fine = 0 needs no trial; coarse fails at once (number 2): G' = 0.
    second = (0, 1)
    noise = LaplaceCounts(Budget.of("2/3")).publish_counts([10], _Digits(first + second))
    assert noise == [10 + (2 + 3 * 1) // 2]


def test_every_count_has_noise_of_its_own() -> None:
    tape = TapeSource(bytes([0, 1, 1, 1, 0, 0, 1]))  # 0 goes on, 1 stops: G = 1, G' = 0; G = 0, G' = 2
    assert LaplaceCounts(LN_2).publish_counts([5, 5], tape) == [6, 3]
    assert tape.consumed == 7


def test_budgets_by_name() -> None:
    assert Budget.of("ln 2") == LN_2
    assert Budget.of(" ln 3") == LN_3
    assert Budget.of("0.1") == Budget(Fraction(1, 10))
    assert (str(LN_2), str(Budget.of("1/2")), str(Budget.of("ln 3/2"))) == ("ln 2", "1/2", "ln 3/2")


@pytest.mark.parametrize("wrong", ["0", "-1", "ln 1", "ln 1/2", "ln x", "e"])
def test_a_budget_must_be_above_0(wrong: str) -> None:
    with pytest.raises(ParameterError):
        Budget.of(wrong)
    with pytest.raises(ParameterError, match="float"):
        Budget.of(0.1)  # type: ignore[arg-type]  # a float is refused at run time too


def test_a_budget_whose_noise_takes_a_million_draws_is_refused() -> None:
    with pytest.raises(ParameterError, match="takes too long to draw"):
        LaplaceCounts(Budget.logarithm("1.0000001")).publish_counts([0], _Digits(()))


def test_the_least_logarithm_is_drawn_by_and_what_is_below_is_not() -> None:
    assert LaplaceCounts(Budget.logarithm("1.000001")).facts() == {"budget": "ln 1000001/1000000"}
    with pytest.raises(ParameterError, match=r"below ln 1\.000001"):
        LaplaceCounts(Budget.logarithm("1.0000009999"))
    assert LaplaceCounts(Budget.of("1e-9")).facts() == {
        "budget": "1/1000000000"
    }  # a rational one may be small
