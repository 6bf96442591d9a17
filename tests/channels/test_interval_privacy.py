"""Noise on whole numbers: the channel, and how narrow an interval it leaves."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from experiments.interval_widths import Interval, interval_privacy, shortest_interval
from splu_ref.channels import additive, posterior
from splu_ref.channels.parameters import ParameterError

exactly = settings(max_examples=50)
LAWS = st.dictionaries(st.integers(-4, 6), st.integers(0, 4), min_size=1).filter(lambda d: any(d.values()))
CONFIDENCE = st.fractions(0, 1, max_denominator=20).filter(bool)


def law_of(counts: dict[int, int]) -> dict[int, Fraction]:
    return {place: Fraction(count, sum(counts.values())) for place, count in counts.items()}


@exactly
@given(LAWS, CONFIDENCE)
def test_the_shortest_interval_is_the_first_of_the_shortest_of_all(
    counts: dict[int, int], confidence: Fraction
) -> None:
    law = law_of(counts)
    every = [
        Interval(low, high)
        for low in range(-5, 8)
        for high in range(low, 8)
        if sum(law.get(place, 0) for place in range(low, high + 1)) >= confidence
    ]
    assert shortest_interval(law, confidence) == min(
        every, key=lambda interval: (interval.width, interval.low)
    )


@exactly
@given(LAWS, LAWS, CONFIDENCE)
def test_what_is_left_is_left_by_the_posterior(
    noise: dict[int, int], numbers: dict[int, int], confidence: Fraction
) -> None:
    channel = additive(law_of(noise), -4, 6)
    prior = law_of(numbers)
    for own in channel.inputs:
        assert channel.laws[own] == {own + step: part for step, part in law_of(noise).items() if part}
    widths = {}
    for label in channel.outputs:
        chance = sum(prior.get(own, 0) * channel.probability(own, label) for own in channel.inputs)
        if chance:
            left = shortest_interval(posterior(channel, prior, label), confidence)
            widths[label] = (chance, left)
    found = interval_privacy(channel, prior, confidence)
    assert found.least.width == min(left.width for _, left in widths.values())
    assert widths[found.published][1] == found.least
    assert all(
        left.width > found.least.width for label, (_, left) in widths.items() if label < found.published
    )
    assert found.mean == sum(chance * left.width for chance, left in widths.values())


def test_a_known_law_of_the_numbers_leaves_less() -> None:
    # Ten steps a unit: noise of one unit to either side, numbers in the first unit or the fifth.
    noise = {step: Fraction(1, 21) for step in range(-10, 11)}
    assert shortest_interval(noise, 1).width == 21
    assert shortest_interval(noise, "0.5").width == 11
    prior = {place: Fraction(1, 20) for place in (*range(10), *range(40, 50))}
    found = interval_privacy(additive(noise, 0, 49), prior, 1)
    assert found.least.width == 1
    assert found.mean < 10


def test_what_is_published_may_lie_outside_of_the_range() -> None:
    assert additive({-1: "1/2", 2: "1/2"}, 0, 1).outputs == (-1, 0, 1, 2, 3)
    assert additive({0: 1}, 3, 3).laws == {3: {3: 1}}


def test_what_is_no_noise_or_no_confidence_is_refused() -> None:
    with pytest.raises(ParameterError, match="give one above 0"):
        shortest_interval({0: Fraction(1)}, 0)
    with pytest.raises(ParameterError, match="less than 3/4"):
        shortest_interval({0: Fraction(1, 2)}, "3/4")
    for low, high, law in ((1, 0, {0: 1}), (0, 1, {})):
        with pytest.raises(ParameterError, match="one of each at least"):
            additive(law, low, high)
    with pytest.raises(ParameterError, match="add up to 1"):
        additive({0: "1/2"}, 0, 1)
    with pytest.raises(ParameterError, match="must add up to 1"):
        interval_privacy(additive({0: 1}, 0, 1), {0: 0}, 1)
