"""The least certified T_f: nothing below it works, everything from it on does."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import error_probability, plateau_ends, utility_threshold
from splu_ref.guarantees.utility import UtilityThreshold

BruteError = Callable[[int, Fraction, int, bool], Fraction]


def tail_bound(found: UtilityThreshold) -> Fraction:
    """The rational number that proves every count from ``tail_from`` on, in fractions."""
    start, total = found.tail_from, Fraction(0)
    down = int(found.epsilon * start)
    for tilt, exponent in ((found.upper_tilt, start + down), (found.lower_tilt, start - down)):
        if tilt is not None:
            total += (1 + (tilt - 1) / found.gamma) ** (found.gamma * start) / tilt**exponent
    return total


@pytest.mark.parametrize(
    ("gamma", "epsilon", "t_e"),
    list(
        product([2, 3, 5], ["3/10", "0.3123456789", "2/3", "1", "3/2", "2", "3"], ["1/2", "1/20", "1/1000"])
    ),
)
def test_against_every_count_below_the_tail(
    gamma: int, epsilon: str, t_e: str, brute_error: BruteError
) -> None:
    rational, allowed = Fraction(epsilon), Fraction(t_e)
    found = utility_threshold(gamma, epsilon, t_e)
    assert 1 <= found.threshold <= found.tail_from
    assert tail_bound(found) <= allowed
    looked_at = min(found.tail_from + 20, 120)
    wrong = [f for f in range(1, looked_at) if brute_error(gamma, rational, f, False) > allowed]
    if found.tail_from <= 120:
        assert found.threshold == max(wrong, default=0) + 1
    else:
        for f in range(found.threshold, found.tail_from + 20):
            assert error_probability(gamma, epsilon, f).bounds().upper <= allowed
        assert error_probability(gamma, epsilon, found.threshold - 1).exact() > allowed
    ends = [f for f in plateau_ends(epsilon, found.tail_from - 1) if f >= found.threshold]
    assert found.checked == len(ends)


@pytest.mark.parametrize(
    ("epsilon", "threshold", "chebyshev"), [("1/20", 2401, 36_000), ("3/100", 6667, 100_000)]
)
def test_the_thresholds_of_the_specification(epsilon: str, threshold: int, chebyshev: int) -> None:
    found = utility_threshold(10, epsilon, "1/100")
    assert found.threshold == threshold
    assert found.threshold_chebyshev == chebyshev
    assert error_probability(10, epsilon, threshold - 1).exact() > Fraction(1, 100)
    assert error_probability(10, epsilon, threshold).bounds().upper < Fraction(1, 100)
    assert found.upper_tilt is not None
    assert found.lower_tilt is not None
    assert max(found.upper_tilt.denominator, found.lower_tilt.denominator) < 1000


def test_an_error_of_exactly_t_e_is_allowed_and_any_less_is_not() -> None:
    largest = error_probability(5, "3/10", 30).exact()  # 30 ends a plateau
    assert max(error_probability(5, "3/10", f).exact() for f in range(31, 61)) < largest
    assert utility_threshold(5, "3/10", largest).threshold <= 30
    assert utility_threshold(5, "3/10", largest - Fraction(1, 10**200)).threshold == 31


def test_everything_is_allowed_with_t_e_1() -> None:
    found = utility_threshold(10, "0.05", 1)
    assert (found.threshold, found.tail_from, found.checked) == (1, 1, 0)
    assert (found.upper_tilt, found.lower_tilt) == (None, None)


def test_t_e_0_is_impossible_unless_no_error_is() -> None:
    with pytest.raises(ParameterError, match="t_e = 0 cannot be met"):
        utility_threshold(10, "0.3", 0)
    with pytest.raises(ParameterError, match="t_e = 0 cannot be met"):
        utility_threshold(10, 9, 0)
    found = utility_threshold(10, "9.001", 0)
    assert (found.threshold, found.threshold_chebyshev) == (1, None)


def test_a_very_small_t_e_is_met_too() -> None:
    found = utility_threshold(5, "1/2", "1e-300")
    assert error_probability(5, "1/2", found.threshold - 1).bounds().lower > Fraction(1, 10**300)
    assert error_probability(5, "1/2", found.threshold).bounds().upper < Fraction(1, 10**300)


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int]] = []
    found = utility_threshold(10, "1/20", "1/100", progress=lambda done, whole: seen.append((done, whole)))
    assert seen == sorted(seen)
    assert all(whole == found.tail_from for _, whole in seen)
    assert seen[-1] == (found.tail_from, found.tail_from)
    assert len(seen) > 5


@pytest.mark.slow
def test_fine_demands_take_no_long_scan() -> None:
    seen: list[tuple[int, int]] = []
    found = utility_threshold(10, "1/1000", "1/10", progress=lambda done, whole: seen.append((done, whole)))
    assert found.checked > 1000
    assert len(seen) < 50  # ranges of plateaus, not plateaus
    assert error_probability(10, "1/1000", found.threshold - 1).bounds().lower > Fraction(1, 10)
    for end in (found.threshold + 999, found.tail_from - 1):
        assert error_probability(10, "1/1000", end).bounds().upper <= Fraction(1, 10)


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((10, 0.05, "0.01"), 'write "0.05" in quotes'),
        ((10, "0.05", 0.01), 'write "0.01" in quotes'),
        ((10, "0.05", "1.1"), "between 0 and 1"),
        ((10, "-0.05", "0.01"), "greater than 0"),
        ((10, "1e-9", "0.01"), "give a larger epsilon or t_e"),
    ],
)
def test_unusable_parameters_are_refused_with_the_remedy(
    arguments: tuple[int, str, str], remedy: str
) -> None:
    with pytest.raises(ParameterError, match=remedy):
        utility_threshold(*arguments)
