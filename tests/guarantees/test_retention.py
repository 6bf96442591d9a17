"""Retention probabilities other than 1/gamma: against laws multiplied out record by record."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    chebyshev_bound,
    chebyshev_threshold,
    chernoff_bound,
    error_probability,
    privacy_minimum,
    utility_threshold,
)
from splu_ref.guarantees.concentration import lower_tilt, uniform_bound, upper_tilt
from splu_ref.guarantees.privacy import privacy_parameters

RETENTIONS = [Fraction(text) for text in ("1/100", "1/7", "1/2", "2/3", "19/20")]


@cache
def multiplied_out(gamma: int, retention: Fraction, frequency: int) -> tuple[Fraction, ...]:
    law = [Fraction(1)]
    others = (gamma - 1) * frequency
    for chance in [retention] * frequency + [(1 - retention) / (gamma - 1)] * others:
        law = [
            (law[k] if k < len(law) else 0) * (1 - chance) + (law[k - 1] if k else 0) * chance
            for k in range(len(law) + 1)
        ]
    return tuple(law)


def wrong(gamma: int, retention: Fraction, epsilon: Fraction, frequency: int, strict: bool) -> Fraction:
    allowed = epsilon * frequency
    law = multiplied_out(gamma, retention, frequency)
    off = ((abs(k - frequency), chance) for k, chance in enumerate(law))
    return sum(
        (chance for distance, chance in off if distance > allowed or (distance == allowed and not strict)),
        Fraction(0),
    )


@pytest.mark.parametrize(("gamma", "retention"), list(product([2, 3, 5], RETENTIONS)))
def test_against_laws_multiplied_out(gamma: int, retention: Fraction) -> None:
    for frequency, text, strict in product((1, 2, 5, 8), ("1/10", "3/10", "1", "3/2", "4"), (False, True)):
        epsilon = Fraction(text)
        truth = wrong(gamma, retention, epsilon, frequency, strict)
        assert (
            error_probability(gamma, epsilon, frequency, strict=strict, retention=retention).exact() == truth
        )
        bounds = error_probability(gamma, epsilon, frequency, strict=strict, retention=retention).bounds()
        assert bounds.lower <= truth <= bounds.upper
        assert (bounds.upper - bounds.lower) * 2**250 <= truth
        if not strict:
            assert chebyshev_bound(gamma, epsilon, frequency, retention=retention) >= truth
            assert chernoff_bound(gamma, epsilon, frequency, retention=retention) >= truth


@settings(max_examples=40)
@given(
    gamma=st.integers(2, 6),
    frequency=st.integers(1, 6),
    numerator=st.integers(1, 39),
    offset=st.integers(1, 30),
)
def test_any_law_and_offset(gamma: int, frequency: int, numerator: int, offset: int) -> None:
    law = PublishedCount.of(gamma, Fraction(numerator, 40))
    masses = multiplied_out(gamma, law.retention, frequency)
    truth = sum((chance for k, chance in enumerate(masses) if abs(k - frequency) >= offset), Fraction(0))
    assert Fraction(law.error_numerator(frequency, offset), law.unit() ** frequency) == truth
    assert law.errors(frequency, offset) == (truth > 0)
    variance = sum((k - frequency) ** 2 * chance for k, chance in enumerate(masses))
    assert law.variance * frequency == variance


def test_one_in_gamma_is_the_default() -> None:
    assert PublishedCount.of(5).is_plain
    assert PublishedCount.of(5, "0.2") == PublishedCount.of(5)
    for retention in ("1/5", None):
        assert privacy_minimum(5, "3/10", 9, retention=retention) == privacy_minimum(5, "3/10", 9)
        found = utility_threshold(5, "3/10", "1/10", retention=retention)
        assert found == utility_threshold(5, "3/10", "1/10")


def test_two_ways_to_the_same_law() -> None:
    """With p = 0 allowed, gamma = 3 would be gamma = 2: near it the errors are near."""
    near = error_probability(3, "1/2", 4, retention=Fraction(1, 10**9)).exact()
    assert abs(near - error_probability(2, "1/2", 4).exact()) < Fraction(1, 10**7)


@pytest.mark.parametrize(("gamma", "retention"), list(product([2, 5], RETENTIONS)))
def test_minima_by_trying_every_count(gamma: int, retention: Fraction) -> None:
    for text in ("1/7", "3/10", "1", "5/2"):
        epsilon = Fraction(text)
        found = privacy_minimum(gamma, epsilon, 14, retention=retention)
        for strict, minimum in (
            (True, (found.t_p.exact(), found.argmin)),
            (False, (found.t_p_definition.exact(), found.argmin_definition)),
        ):
            assert minimum == min((wrong(gamma, retention, epsilon, f, strict), f) for f in range(1, 15))
        assert found.t_p.bounds().lower <= found.t_p.exact() <= found.t_p.bounds().upper
        assert found.law.retention == retention


def test_several_releases_by_trying_every_count() -> None:
    retention, epsilon = Fraction(2, 5), Fraction(3, 10)
    found = privacy_minimum(4, epsilon, 7, 2, retention=retention)
    expected = min((wrong(4, retention, epsilon, 2 * f, False), f) for f in range(1, 8))
    assert (found.t_p_definition.exact(), found.argmin_definition) == expected
    enclosed = found.t_p_definition.bounds()
    assert enclosed.lower <= expected[0] <= enclosed.upper


@pytest.mark.parametrize("retention", RETENTIONS)
def test_thresholds_by_trying_every_count(retention: Fraction) -> None:
    for gamma, text, allowed in (
        (2, "3/5", Fraction(1, 10)),
        (5, "1", Fraction(1, 20)),
        (4, "3/2", Fraction(1, 30)),
    ):
        epsilon = Fraction(text)
        found = utility_threshold(gamma, epsilon, allowed, retention=retention)
        failing = [
            f
            for f in range(1, min(found.tail_from, 60))
            if error_probability(gamma, epsilon, f, retention=retention).exact() > allowed
        ]
        assert found.tail_from <= 60 or retention < Fraction(1, 2)
        assert found.threshold == max(failing, default=0) + 1
        assert found.threshold <= chebyshev_threshold(gamma, epsilon, allowed, retention=retention)
        law = PublishedCount.of(gamma, retention)
        tilts = upper_tilt(law, epsilon), lower_tilt(law, epsilon)
        assert uniform_bound(law, epsilon, found.tail_from, tilts, 128).bounds().lower <= allowed


def test_keeping_everything_is_without_error() -> None:
    assert error_probability(5, "1/1000", 7, retention=1).exact() == 0
    assert privacy_minimum(5, "3/10", 9, retention=1).t_p_definition.exact() == 0
    assert utility_threshold(5, "3/10", "1/10", retention=1).threshold == 1
    assert chebyshev_bound(5, "3/10", 9, retention=1) == chernoff_bound(5, "3/10", 9, retention=1) == 0


def test_a_larger_retention_never_protects_better_from_one_in_gamma_on() -> None:
    levels = [
        privacy_minimum(5, "3/10", 10, retention=Fraction(tenths, 10)).t_p_definition.exact()
        for tenths in range(2, 10)
    ]
    assert levels == sorted(levels, reverse=True)
    assert levels[0] > 2 * levels[-1]


def test_large_counts_are_quick_and_agree_with_the_fraction() -> None:
    exact = error_probability(5, "1/10", 2000, retention="1/2").exact()
    bounds = error_probability(5, "1/10", 2000, retention="1/2").bounds()
    assert bounds.lower <= exact <= bounds.upper
    far = error_probability(5, "1/10", 100_000, retention="1/2").bounds()
    assert 0 < far.lower <= far.upper < far.lower * (1 + Fraction(1, 2**250))


@pytest.mark.parametrize("retention", ["0", "-1/2", "3/2", "x"])
def test_what_is_no_retention(retention: str) -> None:
    for function, arguments in ((error_probability, (5, "3/10", 3)), (privacy_minimum, (5, "3/10", 3))):
        with pytest.raises(ParameterError, match="retention"):
            function(*arguments, retention=retention)


def test_work_that_takes_too_long_is_refused() -> None:
    with pytest.raises(ParameterError, match="retention with fewer digits"):
        error_probability(5, "3/10", 10_000, retention=Fraction(123456789123, 1000000000000)).exact()


@pytest.mark.parametrize(
    ("gamma", "epsilon", "releases", "most"),
    [
        (5, "3/10", 1, 33_333),  # 10,000 plateaus
        (5, "1", 1, 10_000),
        (5, "3/10", 2, 16_666),
        (5, "3/10", 4, 10_000),
        (1000, "3/10", 1, 2_000),  # gamma alpha up to 2,000,000
        (1000, "3/10", 3, 666),
    ],
)
def test_the_largest_alpha_of_another_retention(gamma: int, epsilon: str, releases: int, most: int) -> None:
    with pytest.raises(ParameterError, match=f"alpha = {most + 1} .* at most {most}$"):
        privacy_minimum(gamma, epsilon, most + 1, releases, retention="2/5")
    assert privacy_parameters(gamma, epsilon, most, releases, Fraction(2, 5))[2] == most


def test_the_largest_counts_of_a_threshold() -> None:
    for gamma, most in ((2, 1_000_000), (5, 400_000), (1000, 2_000)):
        with pytest.raises(ParameterError, match=f"needs counts beyond {most}:"):
            utility_threshold(gamma, "1/10000", "1/100", retention="2/5")
    for gamma, most in ((2, 100_000_000), (5, 40_000_000), (1000, 200_000)):
        with pytest.raises(ParameterError, match=f"needs counts beyond {most}:"):
            utility_threshold(gamma, "1/1000000", "1/100")
