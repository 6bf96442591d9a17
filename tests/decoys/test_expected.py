"""Expected co-occurrence: against sums over all sets, closed forms, and all plans of small worlds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.decoys import conditional_poisson, expected_co_occurrence, within_bound
from splu_ref.decoys.conditional_poisson import FloatArray, fitted, pair_probabilities
from splu_ref.model import Gamma, ParameterError


def brute_force(independent: FloatArray, size: int) -> FloatArray:
    """Return pair probabilities from all sets of the size, each weighted by the product of its odds."""
    odds = independent / (1 - independent)
    total, pairs = 0.0, np.zeros((len(odds), len(odds)))
    for chosen in combinations(range(len(odds)), size):
        weight = float(np.prod(odds[list(chosen)]))
        total += weight
        pairs[np.ix_(chosen, chosen)] += weight
    return pairs / total


@settings(max_examples=60)
@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=8), st.data())
def test_pairs_are_sums_over_all_sets(chances: list[float], data: st.DataObject) -> None:
    independent = np.array(chances)
    size = data.draw(st.integers(1, len(chances)))
    np.testing.assert_allclose(
        pair_probabilities(independent, size), brute_force(independent, size), atol=1e-13, rtol=1e-9
    )


@settings(max_examples=100)
@given(st.integers(2, 6), st.lists(st.integers(0, 400), min_size=6, max_size=20))
def test_the_margins_are_met(gamma: int, counts: list[int]) -> None:
    frequencies = np.array([*counts, *[1] * gamma])
    expected = expected_co_occurrence(frequencies, Gamma(gamma))
    held = within_bound(frequencies, Gamma(gamma))
    np.testing.assert_allclose(expected, expected.T, atol=1e-9)
    np.testing.assert_allclose(np.diag(expected), held)
    np.testing.assert_allclose(expected.sum(axis=1), gamma * held, atol=1e-8)
    assert (expected >= 0).all()
    assert (expected <= np.minimum.outer(held, held) + 1e-9).all()


def test_closed_forms() -> None:
    # Equal frequencies: every pair alike. f = 10 each of 5 values, 25 groups of 2.
    np.testing.assert_allclose(expected_co_occurrence([10] * 5, Gamma(2))[0, 1:], 10 / 4)
    # One value in every group, the others once with it: nothing is left to chance.
    np.testing.assert_allclose(
        expected_co_occurrence([6, 3, 2, 1, 0], Gamma(2)),
        [[6, 3, 2, 1, 0], [3, 3, 0, 0, 0], [2, 0, 2, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 0]],
    )
    # Groups that miss one of three values: c(0, 1) is the number of groups without the third.
    np.testing.assert_allclose(
        expected_co_occurrence([5, 4, 3], Gamma(2)), [[5, 3, 2], [3, 4, 1], [2, 1, 3]], atol=1e-9
    )
    np.testing.assert_allclose(expected_co_occurrence([7, 7], Gamma(2)), [[7, 7], [7, 7]])


@pytest.mark.parametrize(
    ("counts", "gamma"),
    [([6, 5, 74], 3), ([0, 0, 1, 1, 1, 2, 2], 5), ([17, 9, 18, 5, 4, 1, 12, 0], 7), ([111, 171, 40], 3)],
)
def test_where_rounding_fills_every_value_nothing_is_divided_by_zero(counts: list[int], gamma: int) -> None:
    held = within_bound(counts, Gamma(gamma))
    occurring = np.array(counts) > 0
    np.testing.assert_allclose(held.sum(), sum(counts))
    assert (held[~occurring] == 0).all()
    assert held.max() <= sum(counts) / gamma * (1 + 1e-12)
    expected = expected_co_occurrence(counts, Gamma(gamma))
    np.testing.assert_allclose(expected.sum(axis=1), gamma * held, atol=1e-8)


def test_values_close_to_every_group() -> None:
    frequencies = np.array([100_000, 99_999, 99_999, 99_999, 50_001.5, 50_000.5, 1, 0])
    expected = expected_co_occurrence(frequencies, Gamma(5))
    np.testing.assert_allclose(expected.sum(axis=1), 5 * frequencies, atol=1e-6)
    # A value in all groups but one is missed by another as often as chance has it.
    assert 0 < 50_001.5 - expected[1, 4] < 1


def test_seven_hundred_values() -> None:
    frequencies = 1e5 / (np.arange(700) + 3.0)
    expected = expected_co_occurrence(frequencies, Gamma(9))
    held = within_bound(frequencies, Gamma(9))
    assert np.abs(expected.sum(axis=1) - 9 * held).max() < 1e-6
    together = held[300] * held[400] * 8 / held.sum()  # rare values are nearly independent
    assert 0.9 < expected[300, 400] / together < 1.6


def test_estimates_above_the_bound_are_lowered() -> None:
    np.testing.assert_allclose(within_bound([9, 5, 2], Gamma(2)), [8, 8 * 5 / 7, 8 * 2 / 7])
    np.testing.assert_allclose(within_bound([9, 8, 0.5, 0.5], Gamma(3)), [6, 6, 3, 3])
    np.testing.assert_allclose(within_bound([9, 7], Gamma(2)), [8, 8])


@pytest.mark.parametrize(
    ("frequencies", "message"),
    [([1, -1, 2], "at least 0"), ([1, np.nan], "finite"), ([[1, 2]], "finite"), ([3, 0], "fewer than gamma")],
)
def test_what_are_no_frequencies_is_refused(frequencies: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        expected_co_occurrence(frequencies, Gamma(2))


@pytest.mark.parametrize(
    ("chances", "size"),
    [([1e-300, 1 - 1e-11, 1e-11], 1), ([1 - 1e-12, 1 - 1e-12, 2e-12], 2), ([0.49, 0.49, 0.02], 1)],
)
def test_extreme_chances_are_met(chances: list[float], size: int) -> None:
    independent = fitted(np.array(chances), size)
    np.testing.assert_allclose(np.diag(pair_probabilities(independent, size)), chances, atol=2e-12)


def test_a_search_that_does_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_poisson, "MOST_STEPS", 3)
    with pytest.raises(ParameterError, match="too close to 0 or to N / gamma"):
        fitted(np.array([0.1, 0.3, 0.6, 0.9, 0.1]), 2)
