"""SPLU-Gen's channels: against the mixture over places, written out, and against each other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import PublishedCount, coarsen, decoy_groups, diagonal, inverse, two_state
from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import PLANS, DecoyPlan, co_occurrence
from splu_ref.randomness import SeededSource

RETENTIONS = st.fractions("1/20", 1, max_denominator=20)


@st.composite
def plans(draw: st.DrawFn) -> DecoyPlan:
    """Return a plan of any method for a histogram of at most 18 records."""
    gamma = Gamma(draw(st.integers(2, 3)))
    groups = draw(st.integers(1, 6))
    histogram = [groups] * gamma + [0] * 3
    moves = draw(st.lists(st.tuples(st.integers(0, gamma), st.integers(0, gamma + 2)), max_size=9))
    for source, target in moves:
        if histogram[source] and histogram[target] < groups:
            histogram[source] -= 1
            histogram[target] += 1
    method = PLANS[draw(st.sampled_from(sorted(PLANS)))]
    return method(np.array(histogram), gamma, SeededSource(draw(st.integers(0, 999))))


@settings(max_examples=60)
@given(plans(), RETENTIONS)
def test_it_is_the_mixture_over_the_places_of_a_value(plan: DecoyPlan, p: Fraction) -> None:
    groups, domain = plan.groups().tolist(), range(plan.domain_size)
    channel = decoy_groups(co_occurrence(plan).counts(), PublishedCount.of(plan.gamma, p))
    assert channel.inputs == channel.outputs == tuple(domain)
    for value in domain:
        places = [diagonal(group, p) for group in groups if value in group]
        for other in domain:
            chances = [place.probability(value, other) for place in places]
            mean = sum(chances) / len(chances) if chances else Fraction(value == other)
            assert channel.probability(value, other) == mean


@settings(max_examples=60)
@given(plans(), RETENTIONS)
def test_counts_are_published_without_bias(plan: DecoyPlan, p: Fraction) -> None:
    counts = co_occurrence(plan).counts()
    channel = decoy_groups(counts, PublishedCount.of(plan.gamma, p))
    frequencies = {value: row.get(value, 0) for value, row in counts.items()}
    for value, frequency in frequencies.items():
        assert sum(count * channel.probability(own, value) for own, count in frequencies.items()) == frequency


@settings(max_examples=60)
@given(plans(), RETENTIONS)
def test_a_value_against_the_rest_does_not_depend_on_the_plan(plan: DecoyPlan, p: Fraction) -> None:
    counts = co_occurrence(plan).counts()
    channel = decoy_groups(counts, PublishedCount.of(plan.gamma, p))
    frequencies = {value: row.get(value, 0) for value, row in counts.items()}
    rows = sum(frequencies.values())
    for value, frequency in frequencies.items():
        if frequency:
            small = coarsen(channel, {other: other == value for other in frequencies}, frequencies)
            assert small.laws == two_state(p, frequency, rows).laws
    chosen = {0, 1}
    inside = sum(frequencies[value] for value in chosen)
    if 0 < inside < rows:  # a set keeps the mean as well, with what it keeps by the plan
        small = coarsen(channel, {value: value in chosen for value in frequencies}, frequencies)
        assert small.laws == two_state(small.probability(True, True), inside, rows).laws


def test_a_plan_by_hand() -> None:
    together = {"a": {"a": 2, "b": 1, "c": 1}, "b": {"b": 1, "a": 1}, "c": {"c": 1, "a": 1}, "d": {}}
    assert decoy_groups(together, PublishedCount.of(2)).laws == {
        "a": {"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 4)},
        "b": {"a": Fraction(1, 2), "b": Fraction(1, 2)},
        "c": {"a": Fraction(1, 2), "c": Fraction(1, 2)},
        "d": {"d": Fraction(1)},
    }
    counts = {"a": 2, "b": 1, "c": 1}
    kept = decoy_groups(together, PublishedCount.of(2, "3/4"))
    published = {v: sum(n * kept.probability(u, v) for u, n in counts.items()) for v in counts}
    assert published == counts
    assert inverse(kept).estimate({"a": 4}) == {"a": 6, "b": -1, "c": -1, "d": 0}


def test_counts_of_no_plan_are_refused() -> None:
    law = PublishedCount.of(3)
    for row in ({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"b": 3}):
        with pytest.raises(ParameterError, match="value 'a' stands in"):
            decoy_groups({"a": row, "b": {}, "c": {}}, law)
    with pytest.raises(ParameterError, match="'z', which is not among"):
        decoy_groups({"a": {"a": 1, "b": 1, "z": 1}, "b": {}}, law)
    with pytest.raises(ParameterError, match="not below rows = 4"):
        two_state("1/2", 4, 4)
    with pytest.raises(ParameterError, match="cannot make up"):
        two_state("1/2", 3, 4)


def test_a_large_domain_costs_what_its_groups_hold() -> None:
    size = 4_000
    together = {u: {u: 2, (u + 1) % size: 1, (u - 1) % size: 1} for u in range(size)}
    channel = decoy_groups(together, PublishedCount.of(2))
    assert sum(len(law) for law in channel.laws.values()) == 3 * size
