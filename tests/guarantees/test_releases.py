"""T_P of the mean of several releases against the law of the sum, convolved release by release."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import privacy_minimum


def _law_of_the_sum(gamma: int, frequency: int, releases: int) -> list[Fraction]:
    trials = gamma * frequency
    one = [
        Fraction(math.comb(trials, k) * (gamma - 1) ** (trials - k), gamma**trials) for k in range(trials + 1)
    ]
    total = [Fraction(1)]
    for _ in range(releases):
        grown = [Fraction(0)] * (len(total) + trials)
        for (i, a), (j, b) in product(enumerate(total), enumerate(one)):
            grown[i + j] += a * b
        total = grown
    return total


@pytest.mark.parametrize(("gamma", "releases"), [(2, 1), (2, 2), (2, 5), (3, 3), (5, 2)])
def test_against_the_law_of_the_sum(gamma: int, releases: int) -> None:
    laws = {f: _law_of_the_sum(gamma, f, releases) for f in (1, 2, 3, 4)}
    for epsilon in map(Fraction, ("1/10", "3/10", "1/2", "1", "3/2", "5")):
        for alpha in (1, 3, 4):
            found = privacy_minimum(gamma, epsilon, alpha, releases)
            for strict, value, argmin in (
                (True, found.t_p, found.argmin),
                (False, found.t_p_definition, found.argmin_definition),
            ):
                errors = {
                    f: sum(
                        (
                            p
                            for k, p in enumerate(laws[f])
                            if (
                                abs(Fraction(k, releases) - f) > epsilon * f
                                if strict
                                else abs(Fraction(k, releases) - f) >= epsilon * f
                            )
                        ),
                        Fraction(0),
                    )
                    for f in range(1, alpha + 1)
                }
                assert (value.exact(), argmin) == min((error, f) for f, error in errors.items())
                assert value.bounds().lower <= value.exact() <= value.bounds().upper


def test_the_collapse_of_example_2() -> None:
    levels = [privacy_minimum(10, "0.3", 3, releases) for releases in (1, 2, 5, 10, 100)]
    assert [level.t_p.decimal("down", 4) for level in levels] == [
        "0.6125", "0.4290", "0.2189", "0.06648", "6.257e-8",
    ]  # fmt: skip
    assert [level.argmin for level in levels] == [1, 2, 3, 3, 3]
    assert levels[3].t_p.exact() < levels[3].t_p_definition.exact()


@pytest.mark.parametrize(
    ("releases", "remedy"),
    [
        (0, "releases must be a whole number"),
        ("3/2", "releases must be a whole number"),
        (10**8, "at most 20000000 releases"),
        (10**7, "an alpha of at most 2"),
        (10**300, r"^about 1\.000e300 releases would take too long: give at most 20000000 releases$"),
    ],
)
def test_unusable_numbers_of_releases(releases: int | str, remedy: str) -> None:
    with pytest.raises(ParameterError, match=remedy):
        privacy_minimum(10, "0.3", 3, releases)


def test_numbers_in_messages_are_short() -> None:
    with pytest.raises(ParameterError, match=r"^gamma = about 1\.000e300 would take too long at any count"):
        privacy_minimum(10**300, "0.3", 3, 1)
    with pytest.raises(ParameterError, match=r"^alpha = about 1\.000e300 would take too long"):
        privacy_minimum(10, "0.3", 10**300, 2)


def test_exact_fractions_are_refused_beyond_their_limit() -> None:
    with pytest.raises(ParameterError, match="300000"):
        privacy_minimum(10, "0.3", 3, 10_001).t_p.exact()
