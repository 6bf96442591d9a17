"""What is read off a channel: posterior, amplification and inverse, against values known by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Matrix, Rational

from splu_ref.channels import (
    Channel,
    DependentRowsError,
    amplification,
    blocks,
    coarsen,
    constant,
    count_weights,
    diagonal,
    from_matrix,
    identity,
    inverse,
    mixture,
    posterior,
    query_weights,
    rank,
    retention,
    two_state,
)
from splu_ref.channels.parameters import ParameterError
from splu_ref.channels.published_count import PredicateCount

WARNER = diagonal(("no", "yes"), "3/4")


def test_bayes_rule_by_hand() -> None:
    assert posterior(WARNER, {"no": "9/10", "yes": "1/10"}, "yes") == {
        "no": Fraction(3, 4),
        "yes": Fraction(1, 4),
    }
    assert posterior(WARNER, {"yes": 1}, "no") == {"yes": Fraction(1)}


def test_the_posterior_is_averaged_back_to_the_prior() -> None:
    channel = from_matrix("abc", [["1/2", "1/2", 0], ["1/3", "1/3", "1/3"], [0, 0, 1]], "xyz")
    prior = {"a": Fraction(1, 6), "b": Fraction(1, 3), "c": Fraction(1, 2)}
    mean = dict.fromkeys(prior, Fraction(0))
    for label in channel.outputs:
        seen = sum(prior[state] * channel.probability(state, label) for state in prior)
        for state, belief in posterior(channel, prior, label).items():
            mean[state] += seen * belief
    assert mean == prior


def test_a_prior_that_is_none_is_refused() -> None:
    for prior, words in (
        ({"no": "1/2"}, "adds up to 1/2"),
        ({"maybe": 1}, "'maybe', which is no true state"),
        ({"no": 2, "yes": -1}, "must lie between 0 and 1"),
    ):
        with pytest.raises(ParameterError, match=words):
            posterior(WARNER, prior, "yes")
    with pytest.raises(ParameterError, match="'b' is never published"):
        posterior(identity("ab"), {"a": 1}, "b")


@settings(max_examples=40)
@given(st.integers(2, 5), st.fractions("1/20", 1, max_denominator=20))
def test_the_amplification_of_retention_is_known_in_closed_form(size: int, keep: Fraction) -> None:
    found = amplification(retention(keep, dict.fromkeys(range(size), Fraction(1, size))))
    expected = None if keep == 1 else 1 + keep * size / (1 - keep)
    assert found.ratio == expected
    assert found.published == found.more != found.less


def test_columns_that_never_occur_do_not_amplify() -> None:
    found = amplification(constant("ab", {"x": 1, "y": 0}))
    assert found.ratio == 1
    assert found.published == "x"
    endless = amplification(from_matrix("ab", [[1, 0], ["1/2", "1/2"]], "xy"))
    assert (endless.ratio, endless.published, endless.more, endless.less) == (None, "y", "b", "a")


def test_amplifications_and_inverses_of_independent_columns_multiply() -> None:
    factors = (WARNER, diagonal(("no", "yes"), "1/3"))
    pairs = [(u, v) for u in ("no", "yes") for v in ("no", "yes")]
    rows = [
        [factors[0].probability(u[0], v[0]) * factors[1].probability(u[1], v[1]) for v in pairs]
        for u in pairs
    ]
    written_out = from_matrix(pairs, rows, pairs)
    assert amplification(written_out).ratio == 6
    first, second = map(inverse, factors)
    for u, v in product(pairs, repeat=2):
        expected = first.weights[v[0]][u[0]] * second.weights[v[1]][u[1]]
        assert inverse(written_out).weights[v][u] == expected


def test_dependent_rows_are_named_with_their_combination() -> None:
    rows = ["1/2 1/2 0 0", "0 1/2 1/2 0", "1 0 0 0", "1/3 1/3 1/3 0"]
    middle = from_matrix("abcd", [row.split() for row in rows], "wxyz")
    with pytest.raises(DependentRowsError, match="rows 'b', 'c', 'd' of") as caught:
        inverse(middle)
    assert caught.value.combination in ({"b": 2, "c": 1, "d": -3}, {"b": -2, "c": -1, "d": 3})
    twins = from_matrix("abc", [["1/2", "1/2", 0], [1, 0, 0], ["1/2", "1/2", 0]], "xyz")
    with pytest.raises(DependentRowsError, match="rows 'a', 'c' of") as caught:
        inverse(twins)
    assert set(caught.value.combination) == {"a", "c"}


def test_of_equal_amplifications_the_first_column_and_the_first_rows_are_named() -> None:
    found = amplification(diagonal("abc", "1/2"))
    assert found == (Fraction(2), "a", "a", "b")
    assert amplification(diagonal("abc", 0)) == (None, "a", "b", "a")
    later = from_matrix("ab", [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"]], "xyz")
    assert amplification(later) == (Fraction(2), "x", "a", "b")
    larger = from_matrix("ab", [["1/2", "1/8", "3/8"], ["1/4", "1/2", "1/4"]], "xyz")
    assert amplification(larger) == (Fraction(4), "y", "b", "a")
    assert amplification(from_matrix("ab", [["1/3", "2/3"], ["1/2", "1/2"]], "xy")).ratio == Fraction(3, 2)
    assert amplification(from_matrix("a", [["1/3", "2/3"]], "xy")) == (Fraction(1), "x", "a", "a")


def test_priors_and_counts_are_called_by_their_names() -> None:
    for call, named in (
        (lambda: posterior(WARNER, {"no": "x"}, "yes"), "the prior of 'no'"),
        (lambda: inverse(WARNER).estimate({"no": "x"}), "the count of 'no'"),
        (lambda: mixture([("x", WARNER)]), "weight"),
        (lambda: diagonal("ab", "x"), "keep"),
        (lambda: retention("x", {"a": Fraction(1)}), "keep"),
        (lambda: coarsen(WARNER, {"no": 0, "yes": 0}, {"no": "x", "yes": 1}), "the weight of 'no'"),
        (lambda: two_state("x", 1, 3), "kept"),
        (lambda: two_state(1, "x", 3), "frequency"),
        (lambda: two_state(1, -1, 3), "frequency"),
        (lambda: two_state(1, 0, 0), "rows"),
    ):
        with pytest.raises(ParameterError, match=f"^{named} "):
            call()


def test_a_channel_of_two_states_at_its_ends() -> None:
    assert two_state("1/3", 0, 1).laws == {
        False: {False: 1},
        True: {True: Fraction(1, 3), False: Fraction(2, 3)},
    }
    assert two_state(0, 2, 4).laws == {False: {True: 1}, True: {False: 1}}  # all the others make up for it
    assert two_state("1/2", 2, 3).laws[False] == {True: 1}
    with pytest.raises(ParameterError, match="1 other records cannot make up for what 3 records lose"):
        two_state("1/2", 3, 4)


def test_labels_keep_their_order() -> None:
    one, other = from_matrix("ab", [["1/2", "1/2"], [1, 0]], "yx"), from_matrix("ba", [[0, 1], [1, 0]], "zx")
    assert one.both(other).outputs == (("y", "z"), ("y", "x"), ("x", "z"), ("x", "x"))
    assert (one.both(other).inputs, other.both(one).inputs) == (("a", "b"), ("b", "a"))
    assert mixture([("1/2", one), ("1/2", other)]).outputs == ("y", "x", "z")
    assert blocks([one, diagonal("cd", 1)]).outputs == ("y", "x", "c", "d")
    assert coarsen(diagonal("abc", "1/2"), {"a": 2, "b": 1, "c": 2}).outputs == (2, 1)
    assert posterior(one, {"b": "1/2", "a": "1/2"}, "y") == {"a": Fraction(1, 3), "b": Fraction(2, 3)}
    assert list(posterior(one, {"b": "1/2", "a": "1/2"}, "y")) == ["a", "b"]


def test_a_float_in_a_row_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"row 'a' holds 1\.0: give exact fractions"):
        Channel({"a": {"x": 1.0}}, ("x",))  # type: ignore[dict-item]  # what is refused here


def test_how_many_are_published_with_a_value_of_a_set() -> None:
    count = PredicateCount(5, Fraction(2, 3), Fraction(1, 4))
    for inside in range(6):
        masses = [Fraction(0)] * 6
        for flips in product((0, 1), repeat=5):
            chances = [count.own] * inside + [count.other] * (5 - inside)
            masses[sum(flips)] += prod(c if flip else 1 - c for c, flip in zip(chances, flips, strict=True))
        for k in range(-1, 7):
            above, below = sum(masses[max(k, 0) :]), sum(masses[: k + 1])
            assert (count.upper_tail(inside, k), count.lower_tail(inside, k)) == (above, below)
            for found, truth in (
                (count.upper_tail_enclosure(inside, k, 32), above),
                (count.lower_tail_enclosure(inside, k, 32), below),
            ):
                bounds = found.bounds()
                assert bounds.lower <= truth <= bounds.upper
                assert (bounds.upper - bounds.lower) * 2**32 <= truth


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=3, max_size=3).filter(
        lambda rows: all(map(any, rows))
    ),
    wanted=st.tuples(*[st.integers(-2, 2)] * 3),
)
@settings(max_examples=60)
def test_a_sum_is_reported_exactly_if_it_is_a_combination_of_columns(
    rows: list[tuple[int, ...]], wanted: tuple[int, ...]
) -> None:
    matrix = Matrix([[Rational(n, sum(row)) for n in row] for row in rows])
    reported = matrix.row_join(Matrix(wanted)).rank() == matrix.rank()
    channel = from_matrix("abc", [[Fraction(n, sum(row)) for n in row] for row in rows], "xyz")
    weights = query_weights(channel, dict(zip("abc", wanted, strict=True)))
    assert (weights is not None, rank(channel)) == (reported, matrix.rank())
    if weights is not None:
        for state, worth in zip("abc", wanted, strict=True):
            law = channel.laws[state]
            assert sum((chance * weights.get(seen, 0) for seen, chance in law.items()), Fraction(0)) == worth
    assert (rank(channel) == 3) == all(each is not None for each in count_weights(channel).values())
    for state, found in count_weights(channel).items():
        assert found == query_weights(channel, {state: 1})
