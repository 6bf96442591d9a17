"""Entropy, mutual information, vulnerability, capacity and growth, by hand and by identities."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.channels import (
    Channel,
    LogForm,
    amplification,
    constant,
    diagonal,
    entropy,
    from_matrix,
    growth,
    identity,
    min_entropy_leakage,
    mutual_information,
    posterior,
    prior_vulnerability,
    retention,
    vulnerability,
)
from splu_ref.channels.parameters import ParameterError

WARNER = diagonal(("no", "yes"), "3/4")
HALF = {"no": Fraction(1, 2), "yes": Fraction(1, 2)}
PRIORS = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any)


def _law(weights: list[int]) -> dict[int, Fraction]:
    return {state: Fraction(weight, sum(weights)) for state, weight in enumerate(weights)}


def _channels(size: int = 3) -> st.SearchStrategy[Channel[int, int]]:
    row = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    return st.lists(row, min_size=3, max_size=3).map(
        lambda rows: from_matrix(range(3), [list(_law(line).values()) for line in rows], range(size))
    )


@given(st.lists(st.integers(0, 60), min_size=1, max_size=6).filter(any))
def test_entropy_is_shannon_s(weights: list[int]) -> None:
    law = _law(weights)
    found = entropy(law).bounds()
    expected = -sum(float(chance) * log2(chance) for chance in law.values() if chance)
    assert float(found.lower) - 1e-9 <= expected <= float(found.upper) + 1e-9
    assert entropy(law).sign() >= 0
    assert entropy(law) <= LogForm.of({len(weights): 1})


def test_entropy_by_hand() -> None:
    assert entropy({"a": "1/2", "b": "1/4", "c": "1/4", "d": 0}) == LogForm.of({2: Fraction(3, 2)})
    assert entropy({"a": 1}) == LogForm({})
    for law in ({"a": "1/2"}, {"a": "3/2", "b": "-1/2"}):
        with pytest.raises(ParameterError, match="give a law"):
            entropy(law)


def test_mutual_information_by_hand() -> None:
    # 1 - h(1/4) = 1 - 2 + (3/4) lg 3
    assert mutual_information(WARNER, HALF) == LogForm.of({2: -1, 3: Fraction(3, 4)})
    assert mutual_information(WARNER, {"yes": 1}) == LogForm({})
    with pytest.raises(ParameterError, match="adds up to 1/2"):
        mutual_information(WARNER, {"yes": "1/2"})


@given(_channels(), _channels(), PRIORS)
def test_information_lies_between_0_and_the_entropy_and_falls(
    first: Channel[int, int], second: Channel[int, int], weights: list[int]
) -> None:
    prior = _law(weights)
    reported = mutual_information(first, prior)
    assert LogForm({}) <= reported <= entropy(prior)
    assert mutual_information(first.then(second), prior) <= reported
    assert mutual_information(identity(range(3)), prior) == entropy(prior)
    assert mutual_information(constant(range(3), {"x": 1}), prior) == LogForm({})


@given(_channels(), PRIORS)
def test_posteriors_have_the_prior_as_their_mean(channel: Channel[int, int], weights: list[int]) -> None:
    prior = _law(weights)
    mean = dict.fromkeys(prior, Fraction(0))
    for label in channel.outputs:
        seen = sum((prior[state] * channel.probability(state, label) for state in prior), Fraction(0))
        if seen:
            for state, belief in posterior(channel, prior, label).items():
                mean[state] += seen * belief
    assert mean == prior


def _bayes_capacity(channel: Channel[Any, Any]) -> Fraction:
    """Return the sum over published states v of the largest A[u][v]: the largest gain of the best guess."""
    return sum(
        (max(law.get(label, Fraction(0)) for law in channel.laws.values()) for label in channel.outputs),
        Fraction(0),
    )


@given(_channels(), _channels(), PRIORS)
def test_capacity_is_1_exactly_where_nothing_is_reported(
    channel: Channel[int, int], second: Channel[int, int], weights: list[int]
) -> None:
    prior, capacity = _law(weights), _bayes_capacity(channel)
    rows = list(channel.laws.values())
    assert capacity >= 1
    assert (capacity == 1) == all(row == rows[0] for row in rows)
    kept = sum((prior[state] * channel.probability(state, state) for state in prior), Fraction(0))
    guessed = vulnerability(channel, prior)
    assert max(kept, prior_vulnerability(prior)) <= guessed <= capacity * prior_vulnerability(prior)
    uniform = dict.fromkeys(range(3), Fraction(1, 3))
    assert vulnerability(channel, uniform) * 3 == capacity
    assert _bayes_capacity(channel.then(second)) <= min(capacity, _bayes_capacity(second))
    assert LogForm({}) <= min_entropy_leakage(channel, prior) <= LogForm.lg(capacity)
    assert min_entropy_leakage(channel, uniform) == LogForm.lg(capacity)


def test_vulnerability_by_hand() -> None:
    prior = {"no": "9/10", "yes": "1/10"}
    assert vulnerability(WARNER, prior) == Fraction(9, 10)  # whatever is answered, "no" is the best guess
    assert vulnerability(WARNER, HALF) == Fraction(3, 4)
    assert _bayes_capacity(WARNER) == Fraction(3, 2)
    with pytest.raises(ParameterError, match="the prior is empty"):
        prior_vulnerability({})


@given(st.fractions(1, 40, max_denominator=9), st.fractions(0, 1, max_denominator=30))
def test_growth_is_the_largest_difference_of_beliefs(ratio: Fraction, bound: Fraction) -> None:
    keep = (ratio - 1) / (ratio + 1)
    channel = retention(keep, {"a": "1/2", "b": "1/2"})
    assert amplification(channel).ratio == ratio
    found = growth(channel, bound)
    steps = 60
    tried = [bound * step / steps for step in range(steps + 1)]
    reached = max(ratio * r / (ratio * r + 1 - r) - r for r in tried)
    assert not reached or not found.at_most(reached * Fraction(999, 1000))
    root = float(ratio) ** 0.5
    expected = (root - 1) / (root + 1)
    if found.value is None:
        assert float(bound) >= 1 / (1 + root) - 1e-12
        low, high = Fraction(max(expected - 1e-9, 0)), Fraction(expected + 1e-9)
        assert found.at_most(high)
        assert not found.at_most(low) or expected < 2e-9
    else:
        assert reached <= found.value <= Fraction(expected + 1e-9)
        assert found.at_most(found.value)


def test_growth_at_the_peak_and_without_end() -> None:
    nine = diagonal("ab", "9/10")  # amplification 9: the peak is at 1/4, and (3 - 1)/(3 + 1) = 1/2
    assert growth(nine).at_most("1/2")
    assert not growth(nine).at_most("0.4999999999")
    assert growth(nine, "1/4").value == Fraction(1, 2)
    assert growth(nine, "1/10").value == Fraction(2, 5)
    assert growth(identity("ab"), "1/100").at_most(1)
    assert not growth(identity("ab"), "1/100").at_most("99/100")
    assert growth(identity("ab"), 0).at_most(0)


def test_amplification_over_given_pairs() -> None:
    channel = from_matrix("abc", [["1/2", "1/2"], ["1/4", "3/4"], [0, 1]], "xy")
    assert amplification(channel, [("a", "b")]).ratio == 2
    assert amplification(channel, [("b", "a")])[1:] == ("x", "a", "b")
    assert amplification(channel, [("a", "b"), ("b", "c")]) == (None, "x", "b", "c")
    assert amplification(channel).ratio is None
    with pytest.raises(ParameterError, match="no pair"):
        amplification(channel, [])
    with pytest.raises(ParameterError, match="a pair names 'd'"):
        amplification(channel, [("a", "d")])
