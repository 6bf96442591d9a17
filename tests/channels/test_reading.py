"""What is read off a channel: posterior, amplification and inverse, against values known by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import (
    DependentRowsError,
    Tensor,
    amplification,
    constant,
    diagonal,
    from_matrix,
    identity,
    inverse,
    posterior,
    retention,
)
from splu_ref.model import ParameterError

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


def test_the_amplification_of_a_tensor_is_that_of_the_product() -> None:
    tensor = Tensor((WARNER, diagonal(("no", "yes"), "1/3")))
    pairs = [(u, v) for u in ("no", "yes") for v in ("no", "yes")]
    written_out = from_matrix(pairs, [[tensor.probability(u, v) for v in pairs] for u in pairs], pairs)
    assert tensor.amplification() == amplification(written_out).ratio == 6
    assert Tensor((WARNER, identity(("no", "yes")))).amplification() is None
    for u, v in product(pairs, repeat=2):
        first, second = tensor.inverses()
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
