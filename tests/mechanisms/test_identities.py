"""What mechanisms and channels are to each other: identities that hold exactly."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from splu_ref.audit.world_channels import table_law, world_channel
from splu_ref.channels import (
    Channel,
    Inverse,
    World,
    amplification,
    diagonal,
    from_matrix,
    identity,
    inverse,
    retention,
    swapping,
)
from splu_ref.channels.elementary import blocks
from splu_ref.channels.parameters import Gamma
from splu_ref.estimators import most_likely
from splu_ref.mechanisms import DistributionBased, RetentionReplacement, SpluGen, Swapping, from_other_values
from splu_ref.randomness import SystemSource

KEEPS = st.fractions(0, 1, max_denominator=12)
POSITIVE = st.fractions(Fraction(1, 12), 1, max_denominator=12).filter(lambda keep: keep < 1)


def _channels(size: int) -> st.SearchStrategy[Channel[int, int]]:
    """Return channels of so many states without zeros."""
    row = st.lists(st.integers(1, 9), min_size=size, max_size=size)
    return st.lists(row, min_size=size, max_size=size).map(
        lambda rows: from_matrix(
            range(size), [[Fraction(entry, sum(line)) for entry in line] for line in rows], range(size)
        )
    )


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6))
def test_nothing_kept_and_all_drawn_from_the_histogram_is_distribution_based(counts: list[int]) -> None:
    replacing = {code: Fraction(count, sum(counts)) for code, count in enumerate(counts)}
    assert retention(0, replacing) == DistributionBased().channel(np.array(counts), SystemSource())


@pytest.mark.parametrize("codes", [(0, 1), (0, 0, 1), (0, 1, 2)])
def test_identity_replacement_that_keeps_nothing_draws_as_distribution_based(codes: tuple[int, ...]) -> None:
    mechanism = RetentionReplacement(0, {"sensitive": "abc"}, replacing="identity")
    assert table_law(mechanism, codes, 3) == table_law(DistributionBased(), codes, 3)


@pytest.mark.parametrize("codes", [(0, 1), (0, 0, 1), (0, 1, 2)])
def test_swapping_goes_from_the_table_to_a_uniform_permutation(codes: tuple[int, ...]) -> None:
    size = len(codes)
    assert swapping(1, Counter(codes)) == identity(list(dict.fromkeys(codes)))
    arrangements = list(permutations(codes))
    uniform = {cells: Fraction(arrangements.count(cells), len(arrangements)) for cells in set(arrangements)}
    assert table_law(Swapping(0), codes, size) == uniform
    for keep in ("0", "1/3", "3/4"):
        law = table_law(Swapping(keep), codes, size)
        assert {tuple(sorted(cells)) for cells in law if isinstance(cells, tuple)} == {tuple(sorted(codes))}
        assert sum(law.values()) == 1


@pytest.mark.parametrize("keep", ["0", "1/2", "2/3"])
def test_retention_with_uniform_replacement_is_one_law_under_all_its_names(keep: str) -> None:
    p, size = Fraction(keep), 3
    mechanism = RetentionReplacement(keep, {"sensitive": "abc"})
    own, other = p + (1 - p) / size, (1 - p) / size
    matrix = [[own if row == column else other for column in range(size)] for row in range(size)]
    operator = from_matrix(range(size), matrix, range(size))
    declared = mechanism.channel(np.array([1, 1, 0]), SystemSource())
    one_part = blocks([retention(keep, dict.fromkeys(range(size), Fraction(1, size)))])
    assert declared == operator == one_part == diagonal(range(size), own)
    assert from_other_values(own, size) == p
    law = table_law(mechanism, (0, 1), size)
    assert law == {
        (first, second): operator.probability(0, first) * operator.probability(1, second)
        for first, second in product(range(size), repeat=2)
    }


@given(st.fractions(Fraction(1, 2), 1, max_denominator=40))
def test_randomized_response_of_two_answers_is_retention(truth: Fraction) -> None:
    warner = from_matrix(("no", "yes"), [[truth, 1 - truth], [1 - truth, truth]], ("no", "yes"))
    assert warner == retention(2 * truth - 1, {"no": Fraction(1, 2), "yes": Fraction(1, 2)})


@pytest.mark.parametrize("keep", ["1/3", "1/2", "9/10"])
@pytest.mark.parametrize("gamma", [2, 3])
def test_gamma_values_of_one_frequency_are_perturbed_uniformly(gamma: int, keep: str) -> None:
    own = Fraction(keep)
    declared = SpluGen(Gamma(gamma), keep).channel(np.array([2] * gamma), SystemSource())
    if own * gamma >= 1:
        p = from_other_values(own, gamma)
        assert declared == retention(p, dict.fromkeys(range(gamma), Fraction(1, gamma)))
    assert declared == diagonal(range(gamma), own)


@given(_channels(3), _channels(3))
def test_amplification_of_what_is_put_together(first: Channel[int, int], second: Channel[int, int]) -> None:
    one, other = amplification(first).ratio, amplification(second).ratio
    assert one is not None
    assert other is not None
    assert amplification(first.both(first)).ratio == one**2
    composed = amplification(first.then(second)).ratio
    assert composed is not None
    assert composed <= min(one, other)


@pytest.mark.parametrize("keep", ["0", "1/2", "2/3"])
@pytest.mark.parametrize("size", [2, 3])
def test_neighboring_tables_are_distinguished_as_far_as_records(size: int, keep: str) -> None:
    mechanism = RetentionReplacement(keep, {"sensitive": "abc"[:size]})
    world = World.independent([dict.fromkeys(range(size), Fraction(1, size))] * 2)
    channel = world_channel(mechanism, world, range(size))
    record = mechanism.channel(np.array([1] * size), SystemSource())
    assert channel.laws == world.each(record).laws
    largest = amplification(channel, world.neighbors()).ratio
    assert largest == amplification(record).ratio == mechanism.amplification


@given(POSITIVE, POSITIVE, st.integers(2, 4))
def test_the_inverse_of_a_product_is_the_product_of_inverses(
    first: Fraction, second: Fraction, size: int
) -> None:
    factors = (
        retention(first, dict.fromkeys(range(2), Fraction(1, 2))),
        retention(second, dict.fromkeys(range(size), Fraction(1, size))),
    )
    states = list(product(range(2), range(size)))
    one, other = factors
    rows = [[one.probability(u, v) * other.probability(w, x) for v, x in states] for u, w in states]
    whole = from_matrix(states, rows, states)
    parts = tuple(map(inverse, factors))
    joint: Inverse[tuple[int, int], tuple[int, int]] = inverse(whole)
    for seen, true in product(states, repeat=2):
        expected = prod(
            (
                part.weights[label].get(state, Fraction(0))
                for part, label, state in zip(parts, seen, true, strict=True)
            ),
            start=Fraction(1),
        )
        assert joint.weights[seen].get(true, Fraction(0)) == expected


def test_the_likeliest_counts_are_the_inverted_ones_where_those_are_possible() -> None:
    channel = retention("3/5", dict.fromkeys(range(3), Fraction(1, 3)))
    published = {0: 60, 1: 30, 2: 30}
    inverted = inverse(channel).estimate(published)
    assert min(inverted.values()) > 0
    found = most_likely(np.array([[60.0, 30.0, 30.0]]), [np.array(channel.as_floats())])
    assert found.counts[0] == pytest.approx([float(inverted[state]) for state in range(3)], abs=0.05)
