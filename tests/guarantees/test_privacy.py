"""T_P against the minimum over every count, computed another way."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product

import pytest

from splu_ref.channels import PublishedCount
from splu_ref.channels.binomial import WorkError, one_budget
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    decimal_down,
    decimal_up,
    error_probability,
    exact_json,
    minimum_error,
    privacy_minimum,
)

BruteError = Callable[[int, Fraction, int, bool], Fraction]
EPSILONS = [Fraction(text) for text in ("1/50", "1/7", "3/10", "1/2", "1", "3/2", "2", "4", "5", "1000")]


def test_example_2_of_the_paper() -> None:
    minimum = privacy_minimum(10, "0.3", 3)
    assert minimum.t_p.exact() == minimum.t_p_definition.exact() == 1 - Fraction(9, 10) ** 9
    assert minimum.argmin == minimum.argmin_definition == 1


@pytest.mark.parametrize(("gamma", "epsilon"), list(product([2, 3, 5], EPSILONS)))
def test_against_the_minimum_over_every_count(gamma: int, epsilon: Fraction, brute_error: BruteError) -> None:
    for alpha in (1, 2, 3, 9, 24, 25):
        minimum = privacy_minimum(gamma, epsilon, alpha)
        for strict, value, argmin in (
            (True, minimum.t_p, minimum.argmin),
            (False, minimum.t_p_definition, minimum.argmin_definition),
        ):
            truth = min((brute_error(gamma, epsilon, f, strict), f) for f in range(1, alpha + 1))
            assert (value.exact(), argmin) == truth
            enclosure = value.bounds(12)
            assert enclosure.lower <= truth[0] <= enclosure.upper
            assert (enclosure.upper - enclosure.lower) * 10**12 <= enclosure.lower


def test_a_thousand_counts_exactly_and_ten_thousand_to_twelve_digits() -> None:
    minimum = privacy_minimum(10, "3/10", 1000)
    assert minimum.t_p.exact() == error_probability(10, "3/10", 1000, strict=True).exact()
    assert minimum.t_p.decimal("down", 6) == "3.14096e-22"
    bounds = privacy_minimum(10, "3/10", 10_000)
    assert bounds.t_p.json("down")["digits"] == 12
    assert (bounds.argmin, bounds.argmin_definition) == (10_000, 9_997)


def test_more_digits_on_request() -> None:
    t_p = privacy_minimum(10, "3/10", 100).t_p
    assert exact_json(t_p.bounds(80), "down", 80)["decimal"] == decimal_down(t_p.exact(), 80)
    assert t_p.decimal("down", 80) == decimal_down(t_p.exact(), 80)
    assert t_p.decimal("up", 80) == decimal_up(t_p.exact(), 80)


def test_t_p_does_not_rise_with_alpha_and_definition_2_is_never_below_theorem_4() -> None:
    minima = [privacy_minimum(5, "0.3", alpha) for alpha in range(1, 30)]
    levels = [(least.t_p.exact(), least.t_p_definition.exact()) for least in minima]
    for before, after in pairwise(levels):
        assert after[0] <= before[0]
        assert after[1] <= before[1]
    assert all(strict <= tight for strict, tight in levels)
    assert any(strict < tight for strict, tight in levels)


def test_progress_is_reported_and_ends_at_the_whole() -> None:
    seen: list[tuple[int, int]] = []
    privacy_minimum(5, 2, 600, progress=lambda done, whole: seen.append((done, whole)))
    assert seen == sorted(seen)
    assert seen[-1] == (1200, 1200)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gamma", "epsilon", "alpha", "argmin", "argmin_definition"),
    [
        (10, "1/1000", 300_000, 300_000, 299_001),
        (2, "1e-6", 10**7, 1, 1),
        (2, "999999/1000000", 2 * 10**6, 2 * 10**6, 2 * 10**6 - 1),
        (3, "1999999/1000000", 2 * 10**6, 2 * 10**6, 2 * 10**6 - 1),
        (2, "1e-9", 10**8, 1, 1),
    ],
)
def test_hundreds_of_thousands_of_counts_are_decided_by_few(
    gamma: int, epsilon: str, alpha: int, argmin: int, argmin_definition: int
) -> None:
    seen: list[tuple[int, int]] = []
    least = privacy_minimum(gamma, epsilon, alpha, progress=lambda done, whole: seen.append((done, whole)))
    assert (least.argmin, least.argmin_definition) == (argmin, argmin_definition)
    assert len(seen) < 150
    assert seen == sorted(seen)
    for frequency in (1, 2, alpha // 3, alpha - 1, alpha):
        assert (
            least.t_p.bounds().lower
            <= error_probability(gamma, epsilon, frequency, strict=True).bounds().upper
        )
        assert (
            least.t_p_definition.bounds().lower <= error_probability(gamma, epsilon, frequency).bounds().upper
        )


@pytest.mark.parametrize("epsilon", ["9/10", "97/100", "1", "13/10", "199/100", "1/2", "2/100"])
def test_dropped_ranges_hold_no_smaller_probability(epsilon: str) -> None:
    for gamma, alpha in ((2, 170), (3, 151)):
        least = privacy_minimum(gamma, epsilon, alpha)
        for strict, argmin in ((True, least.argmin), (False, least.argmin_definition)):
            truth = min(
                (error_probability(gamma, epsilon, f, strict=strict).exact(), f) for f in range(1, alpha + 1)
            )
            assert truth[1] == argmin


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((10, 0.3, 5), 'write "0.3" in quotes'),
        ((10, "0.3", 0), "alpha must be a whole number"),
        ((10, "0.3", 10**9), "at most 6666666"),
        ((1000, "1e-9", 10**9), "at most 200000"),
        ((3 * 10**8, "0.3", 1), "give a gamma of at most"),
        ((10**5000, "0.3", 1), "gamma = about 1.000e5000 .* give a gamma of at most"),
        ((10, "0.3", 10**5000), "alpha = about 1.000e5000 .* give an alpha of at most 6666666"),
        ((1000, 500, 10**5), "at most 40080"),
    ],
)
def test_unusable_parameters_are_refused_with_the_remedy(
    arguments: tuple[int, str, int], remedy: str
) -> None:
    with pytest.raises(ParameterError, match=remedy):
        privacy_minimum(*arguments)


def test_from_epsilon_1_on_the_distance_bounds_alpha() -> None:
    """Below gamma - 1 it is alpha times the smaller of epsilon and gamma - 1 - epsilon, up to 20,000,000."""
    with pytest.raises(ParameterError, match=r"at most 66666$"):
        privacy_minimum(1000, "300", 66_667)
    for gamma, epsilon, most in (
        (1000, "300", 66_666),
        (1000, "699", 66_666),
        (3, "1", 20_000_000),
        (3, "999/1000", 66_666_666),  # outside, R gamma alpha alone
        (3, "2", 66_666_666),
    ):
        with pytest.raises(ParameterError, match=f"give at most {most} releases"):
            privacy_minimum(gamma, epsilon, 1, most + 1)


@pytest.mark.parametrize(
    ("strict", "epsilon"), [(True, "3/10"), (False, "3/10"), (False, "1"), (True, "7/5")]
)
def test_counts_that_rough_enclosures_leave_open_are_distinguished(
    strict: bool, epsilon: str, brute_error: BruteError, monkeypatch: pytest.MonkeyPatch
) -> None:
    law, rational = PublishedCount.of(3), Fraction(epsilon)
    truth = min((brute_error(3, rational, f, strict), f) for f in range(1, 13))[1]
    for left_open in (list(range(1, 13)), [truth, truth]):  # what is equal stays open to the last
        monkeypatch.setattr(minimum_error, "_near_least", lambda *_, found=left_open: found)
        assert minimum_error.minimum_error_count(law, rational, 12, strict, None) == truth


@pytest.mark.parametrize(("gamma", "epsilon", "releases"), [(100, "50", 1), (100, "50", 3), (40, "1/3", 2)])
def test_the_alpha_that_is_named_would_do_and_one_more_would_not(
    gamma: int, epsilon: str, releases: int
) -> None:
    law, rational = PublishedCount.of(gamma), Fraction(epsilon)
    with (
        one_budget(),
        pytest.raises(WorkError, match="too long: give an alpha of at most") as caught,
    ):
        minimum_error.refuse_long_search(law, rational, 10**9, releases)
    most = int(str(caught.value).split()[-1])
    with one_budget():
        minimum_error.refuse_long_search(law, rational, most, releases)
        with pytest.raises(WorkError):
            minimum_error.refuse_long_search(law, rational, most + 1, releases)
