"""Expected co-occurrence: against sums over all sets, closed forms, and all plans of small worlds."""

from __future__ import annotations

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import expected_co_occurrence, expected_pairs, within_bound
from splu_ref.mechanisms.plans import conditional_poisson
from splu_ref.mechanisms.plans.conditional_poisson import (
    FloatArray,
    fit_inclusion,
    odds_by_kind,
    pair_probabilities,
)
from tests.rounding import near


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
    stored = within_bound(frequencies, Gamma(gamma))
    np.testing.assert_allclose(expected, expected.T, atol=1e-9)
    assert np.diag(expected) == near(stored, rel=1e-7)
    np.testing.assert_allclose(expected.sum(axis=1), gamma * stored, atol=1e-8)
    assert (expected >= 0).all()
    assert (expected <= np.minimum.outer(stored, stored) + 1e-9).all()


def test_closed_forms() -> None:
    # Equal frequencies: every pair alike. f = 10 each of 5 values, 25 groups of 2.
    assert expected_co_occurrence([10] * 5, Gamma(2))[0, 1:] == near(10 / 4, rel=1e-7)
    # One value in every group, the others once with it: nothing is left to chance.
    assert expected_co_occurrence([6, 3, 2, 1, 0], Gamma(2)) == near(
        np.array([[6, 3, 2, 1, 0], [3, 3, 0, 0, 0], [2, 0, 2, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 0]]),
        rel=1e-7,
    )
    # Groups that miss one of three values: c(0, 1) is the number of groups without the third.
    np.testing.assert_allclose(
        expected_co_occurrence([5, 4, 3], Gamma(2)), [[5, 3, 2], [3, 4, 1], [2, 1, 3]], atol=1e-9
    )
    assert expected_co_occurrence([7, 7], Gamma(2)) == near(7, rel=1e-7)


@settings(max_examples=60)
@given(
    st.integers(2, 6),
    st.lists(st.tuples(st.integers(1, 400), st.integers(1, 6)), min_size=1, max_size=6),
    st.integers(0, 3),
    st.randoms(),
)
@example(gamma=2, kinds=[(3, 1), (3, 1)], absent=1, order=Random(1))  # every value in every group
@example(gamma=3, kinds=[(9, 1), (5, 1), (4, 1)], absent=0, order=Random(1))
@example(gamma=2, kinds=[(12, 1), (7, 1), (2, 2), (1, 1)], absent=2, order=Random(2))  # one place to draw for
@example(gamma=4, kinds=[(40, 2), (9, 3), (7, 2), (6, 1), (1, 1)], absent=0, order=Random(3))
def test_kinds_of_values_have_the_co_occurrence_of_the_values(
    gamma: int, kinds: list[tuple[int, int]], absent: int, order: Random
) -> None:
    counts = [count for count, many in kinds for _ in range(many)] + [1] * gamma + [0] * absent
    order.shuffle(counts)
    pairs = expected_pairs(counts, Gamma(gamma))
    assert pairs.kind.dtype == np.int64
    stored = within_bound(counts, Gamma(gamma))
    assert ((pairs.kind >= 0) == (stored > 0)).all()
    assert (pairs.kind[stored == 0] == -1).all()
    assert (np.diff(pairs.frequency) > 0).all()
    np.testing.assert_allclose(pairs.frequency[pairs.kind[stored > 0]], stored[stored > 0], atol=1e-8)
    assert pairs.size.tolist() == [np.count_nonzero(pairs.kind == kind) for kind in range(len(pairs.size))]
    assert pairs.size.dtype == np.float64
    expected = expected_co_occurrence(counts, Gamma(gamma))
    for u, v in np.argwhere(~np.eye(len(counts), dtype=np.bool_)).tolist():
        if stored[u] and stored[v]:
            assert abs(pairs.together[pairs.kind[u], pairs.kind[v]] - expected[u, v]) < 1e-6 * stored.sum()
    assert (np.diag(pairs.together)[pairs.size == 1] == 0).all()


def test_a_kind_is_frequencies_that_agree_to_nine_digits() -> None:
    close = expected_pairs([5, 5 + 2e-10, 5 - 2e-10, 7], Gamma(2))
    assert close.size.tolist() == [3, 1]
    assert close.frequency.tolist() == [5, 7]
    assert expected_pairs([5, 5 + 2e-9, 5 - 2e-9, 7], Gamma(2)).size.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("missed", [1e-11, 1e-9, 1e-6])
def test_a_value_in_nearly_every_group_is_missed_as_often_as_it_is_rare(missed: float) -> None:
    """Only rounding makes a chance 1: what is missing of it is a chance to draw another value."""
    groups, gamma = 1e6, Gamma(2)
    frequencies = np.array([1 - missed, 0.5, 0.3, 0.2 + missed]) * groups
    others = groups * missed  # groups without the first value hold two of the rest
    for together in (expected_co_occurrence(frequencies, gamma)[1:, 1:], *_others(frequencies, gamma)):
        pairs = together[np.triu_indices(3, 1)]
        assert pairs.sum() == near(others, rel=0.05)
        assert (pairs > 0).all()


def _others(frequencies: FloatArray, gamma: Gamma) -> list[FloatArray]:
    pairs = expected_pairs(frequencies, gamma)
    kinds = pairs.kind[1:]
    return [pairs.together[np.ix_(kinds, kinds)]]


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(0.05, 20), st.integers(1, 4)), min_size=2, max_size=5), st.integers(1, 6))
def test_the_odds_of_kinds_are_those_of_their_values(kinds: list[tuple[float, int]], size: int) -> None:
    values = np.array([many for _, many in kinds])
    size = min(size, int(values.sum()) - 1)
    odds = np.repeat([odd for odd, _ in kinds], values)
    chances = np.diag(brute_force(odds / (1 + odds), size))[np.cumsum(values) - 1]
    found = odds_by_kind(chances, values, size)
    assert found / found[0] == near(np.array([odd / kinds[0][0] for odd, _ in kinds]), rel=1e-7)
    exact = np.repeat(found, values)
    np.testing.assert_allclose(
        np.diag(brute_force(exact / (1 + exact), size)), np.repeat(chances, values), atol=2e-13
    )


@pytest.mark.parametrize(
    ("counts", "gamma"),
    [([6, 5, 74], 3), ([0, 0, 1, 1, 1, 2, 2], 5), ([17, 9, 18, 5, 4, 1, 12, 0], 7), ([111, 171, 40], 3)],
)
def test_where_rounding_fills_every_value_nothing_is_divided_by_zero(counts: list[int], gamma: int) -> None:
    stored = within_bound(counts, Gamma(gamma))
    occurring = np.array(counts) > 0
    assert stored.sum() == near(sum(counts), rel=1e-7)
    assert (stored[~occurring] == 0).all()
    assert stored.max() <= sum(counts) / gamma * (1 + 1e-12)
    expected = expected_co_occurrence(counts, Gamma(gamma))
    np.testing.assert_allclose(expected.sum(axis=1), gamma * stored, atol=1e-8)


def test_values_close_to_every_group() -> None:
    frequencies = np.array([100_000, 99_999, 99_999, 99_999, 50_001.5, 50_000.5, 1, 0])
    expected = expected_co_occurrence(frequencies, Gamma(5))
    np.testing.assert_allclose(expected.sum(axis=1), 5 * frequencies, atol=1e-6)
    # A value in all groups but one is missed by another as often as chance has it.
    assert 0 < 50_001.5 - expected[1, 4] < 1


def test_seven_hundred_values() -> None:
    frequencies = 1e5 / (np.arange(700) + 3.0)
    expected = expected_co_occurrence(frequencies, Gamma(9))
    stored = within_bound(frequencies, Gamma(9))
    assert np.abs(expected.sum(axis=1) - 9 * stored).max() < 1e-6
    together = stored[300] * stored[400] * 8 / stored.sum()  # rare values are nearly independent
    assert 0.9 < expected[300, 400] / together < 1.6


def test_estimates_above_the_bound_are_lowered() -> None:
    assert within_bound([9, 5, 2], Gamma(2)) == near(np.array([8, 8 * 5 / 7, 8 * 2 / 7]), rel=1e-7)
    assert within_bound([9, 8, 0.5, 0.5], Gamma(3)) == near(np.array([6, 6, 3, 3]), rel=1e-7)
    assert within_bound([9, 7], Gamma(2)) == near(np.array([8, 8]), rel=1e-7)


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
    independent = fit_inclusion(np.array(chances), size)
    np.testing.assert_allclose(np.diag(pair_probabilities(independent, size)), chances, atol=2e-12)


def test_a_search_that_does_not_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_poisson, "MOST_STEPS", 3)
    with pytest.raises(ParameterError, match="too close to 0 or to N / gamma"):
        fit_inclusion(np.array([0.1, 0.3, 0.6, 0.9, 0.1]), 2)
    with pytest.raises(ParameterError, match="too close to 0 or to N / gamma"):
        odds_by_kind(np.array([0.1, 0.3, 0.6, 0.9]), np.array([2, 1, 1, 1]), 2)


@pytest.mark.parametrize("chunk", [1, 50])
def test_many_values_are_treated_in_parts(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    independent = np.array([0.1, 0.3, 0.6, 0.9, 0.2])
    whole = pair_probabilities(independent, 3)
    monkeypatch.setattr(conditional_poisson, "_CHUNK", chunk)
    np.testing.assert_array_equal(pair_probabilities(independent, 3), whole)
