"""The algebra of channels: laws that hold for every matrix, each against the product written out."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from operator import mul

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import (
    Channel,
    DependentRowsError,
    blocks,
    coarsen,
    coarsening,
    constant,
    diagonal,
    from_matrix,
    identity,
    inverse,
    mixture,
    retention,
)
from splu_ref.channels.parameters import ParameterError

exactly = settings(max_examples=60)
SHARES = st.fractions(0, 1, max_denominator=12)


@st.composite
def laws(draw: st.DrawFn, size: int) -> list[Fraction]:
    weights = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def channels(draw: st.DrawFn, rows: int | None = None, columns: int | None = None) -> Channel[int, int]:
    height, width = rows or draw(st.integers(1, 4)), columns or draw(st.integers(1, 4))
    return from_matrix(range(height), [draw(laws(width)) for _ in range(height)], range(width))


def multiplied(first: list[list[Fraction]], second: list[list[Fraction]]) -> list[list[Fraction]]:
    return [
        [sum(map(mul, row, column), Fraction(0)) for column in zip(*second, strict=True)] for row in first
    ]


def matrix(channel: Channel[int, int]) -> list[list[Fraction]]:
    return [[channel.probability(u, v) for v in channel.outputs] for u in channel.inputs]


@exactly
@given(st.data())
def test_composition_is_the_product_of_the_matrices(data: st.DataObject) -> None:
    first = data.draw(channels())
    second = data.draw(channels(rows=len(first.outputs)))
    third = data.draw(channels(rows=len(second.outputs)))
    assert matrix(first.then(second)) == multiplied(matrix(first), matrix(second))
    assert first.then(second).then(third) == first.then(second.then(third))
    assert first.then(identity(first.outputs)) == identity(first.inputs).then(first) == first


@exactly
@given(st.data())
def test_two_releases_are_independent_and_each_is_what_it_was(data: st.DataObject) -> None:
    first = data.draw(channels())
    second = data.draw(channels(rows=len(first.inputs)))
    seen = first.both(second)
    for state, (v, w) in product(seen.inputs, seen.outputs):
        assert seen.probability(state, (v, w)) == first.probability(state, v) * second.probability(state, w)
    assert seen.then(coarsening({pair: pair[0] for pair in seen.outputs})).laws == first.laws


@exactly
@given(st.data(), SHARES)
def test_a_mixture_is_the_mean_of_the_matrices(data: st.DataObject, weight: Fraction) -> None:
    first = data.draw(channels())
    second = data.draw(channels(len(first.inputs), len(first.outputs)))
    both = mixture([(weight, first), (1 - weight, second)])
    for u, v in product(first.inputs, first.outputs):
        assert both.probability(u, v) == (
            weight * first.probability(u, v) + (1 - weight) * second.probability(u, v)
        )


@exactly
@given(st.integers(2, 6), SHARES, st.data())
def test_keeping_and_replacing(size: int, keep: Fraction, data: st.DataObject) -> None:
    own = diagonal(range(size), keep)
    for u, v in product(range(size), repeat=2):
        assert own.probability(u, v) == (keep if u == v else (1 - keep) / (size - 1))
    replacing = dict(enumerate(data.draw(laws(size))))
    kept = retention(keep, replacing)
    for u, v in product(range(size), repeat=2):
        assert kept.probability(u, v) == keep * (u == v) + (1 - keep) * replacing[v]
    assert kept == mixture([(keep, identity(range(size))), (1 - keep, constant(range(size), replacing))])
    # Uniform replacement is the other one with p' = p + (1-p)/m.
    uniform = retention(keep, dict.fromkeys(range(size), Fraction(1, size)))
    assert uniform == diagonal(range(size), keep + (1 - keep) / size)


@exactly
@given(st.data())
def test_the_inverse_gives_back_the_true_counts(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 4))
    channel = data.draw(channels(size, size))
    true = data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    published = multiplied([[Fraction(count) for count in true]], matrix(channel))[0]
    try:
        solved = inverse(channel)
    except DependentRowsError as error:
        caught = error
    else:
        found = solved.estimate(dict(enumerate(published)))
        assert [found.get(state, Fraction(0)) for state in channel.inputs] == true
        assert all(sum(row.values()) == 1 for row in solved.weights.values())
        return
    weights = [caught.combination.get(state, 0) for state in channel.inputs]
    assert any(weights)
    assert multiplied([[Fraction(weight) for weight in weights]], matrix(channel)) == [[Fraction(0)] * size]
    assert all(repr(state) in str(caught) for state, weight in enumerate(weights) if weight)


@exactly
@given(st.data())
def test_a_given_law_within_the_parts_gives_the_mean_of_their_rows(data: st.DataObject) -> None:
    channel = data.draw(channels(4, 4))
    parts = {state: data.draw(st.sampled_from("ab")) for state in range(4)}
    within = dict(enumerate(data.draw(st.lists(st.integers(1, 5), min_size=4, max_size=4))))
    small = coarsen(channel, parts, within)
    for part, other in product(small.inputs, small.outputs):
        members = [state for state in range(4) if parts[state] == part]
        chances = [
            sum(channel.probability(state, v) for v in range(4) if parts[v] == other) for state in members
        ]
        weights = [within[state] for state in members]
        mean = sum(w * chance for w, chance in zip(weights, chances, strict=True)) / sum(weights)
        assert small.probability(part, other) == mean
        if len(set(chances)) > 1:
            with pytest.raises(ParameterError, match="different chances"):
                coarsen(channel, parts)


@exactly
@given(SHARES, st.data())
def test_retention_is_lumpable_over_every_partition(keep: Fraction, data: st.DataObject) -> None:
    replacing = dict(enumerate(data.draw(laws(5))))
    parts = {state: data.draw(st.sampled_from("abc")) for state in range(5)}
    small = coarsen(retention(keep, replacing), parts)
    shares = dict.fromkeys(parts.values(), Fraction(0))
    for state, share in replacing.items():
        shares[parts[state]] += share
    assert small.laws == retention(keep, shares).laws


def test_blocks_send_each_state_through_the_channel_of_its_part() -> None:
    whole = blocks([diagonal("ab", "1/3"), identity("c")])
    assert whole.inputs == whole.outputs == ("a", "b", "c")
    assert whole.laws == {
        "a": {"a": Fraction(1, 3), "b": Fraction(2, 3)},
        "b": {"a": Fraction(2, 3), "b": Fraction(1, 3)},
        "c": {"c": Fraction(1)},
    }
    with pytest.raises(ParameterError, match="'b' belongs to two parts"):
        blocks([diagonal("ab", "1/3"), identity("bc")])


def test_entries_leave_the_room_as_floats_in_the_order_of_the_labels() -> None:
    assert from_matrix("ab", [["1/4", "3/4"], [1, 0]], "xy").as_floats() == [[0.25, 0.75], [1.0, 0.0]]


def test_what_is_no_channel_is_refused_by_name() -> None:
    half = Fraction(1, 2)
    for laws_, columns, words in (
        ({}, ("x",), "at least one row"),
        ({"a": {"x": Fraction(1)}}, ("x", "x"), "stands twice"),
        ({"a": {"y": Fraction(1)}}, ("x",), "row 'a' publishes 'y'"),
        ({"a": {"x": half}}, ("x",), "row 'a' is not a law"),
        ({"a": {"x": -half, "y": 3 * half}}, ("x", "y"), "row 'a' is not a law"),
        ({"a": {}}, ("x",), "row 'a' is not a law"),
    ):
        with pytest.raises(ParameterError, match=words):
            Channel(laws_, columns)
    with pytest.raises(ParameterError, match="2 rows of 1 entries"):
        from_matrix("ab", [[1, 0], [0, 1]], "x")
    with pytest.raises(ParameterError, match="true state stands twice"):
        from_matrix("aa", [[1], [1]], "x")
    with pytest.raises(ParameterError, match="the probability of 'x' is the float"):
        constant("a", {"x": 1.0})  # type: ignore[dict-item]  # what is refused here
    with pytest.raises(ParameterError, match="no row for 'b'"):
        identity("ab").then(identity("a"))
    with pytest.raises(ParameterError, match="same states"):
        identity("ab").both(identity("a"))
    with pytest.raises(ParameterError, match="at least two"):
        diagonal("a", 1)
    with pytest.raises(ParameterError, match="at least one channel"):
        mixture([])
    with pytest.raises(ParameterError, match="2 true states are published as 1"):
        inverse(constant("ab", {"x": 1}))
    with pytest.raises(ParameterError, match="'b' belongs to no part"):
        coarsen(identity("ab"), {"a": 0})
    with pytest.raises(ParameterError, match="'b' has no weight"):
        coarsen(identity("ab"), {"a": 0, "b": 0}, {"a": 1})
    with pytest.raises(ParameterError, match="not all 0"):
        coarsen(identity("ab"), {"a": 0, "b": 1}, {"a": 1, "b": 0})
