"""Breaches of sets and of products of sets, against the laws of small domains."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, product
from math import prod

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from splu_ref.channels import (
    Bounds,
    Channel,
    Levels,
    from_matrix,
    most_informative_output,
    posterior,
    posterior_within,
    product_posterior,
    product_retention_limit,
    retained_posterior,
    retention,
    set_retention_limit,
)
from splu_ref.channels.parameters import ParameterError

exactly = settings(max_examples=50)
LEVELS = st.fractions(0, 1, max_denominator=20).filter(lambda level: 0 < level < 1)


def laws(size: int) -> st.SearchStrategy[dict[int, Fraction]]:
    counts = st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)
    return counts.map(lambda found: {i: Fraction(n, sum(found)) for i, n in enumerate(found)})


@exactly
@given(LEVELS, LEVELS, LEVELS, st.fractions(0, 20, max_denominator=10))
def test_a_set_of_relative_prior_s(
    keep: Fraction, first: Fraction, second: Fraction, relative: Fraction
) -> None:
    if first == second:
        return
    levels = Levels.of(min(first, second), max(first, second))
    if relative < levels.rho1:
        with pytest.raises(ParameterError, match="give an s of at least rho1"):
            set_retention_limit(relative, levels)
        return
    # A smaller set of the same relative prior is less exposed.
    lifted = [
        retained_posterior(keep, levels.rho1 * part, levels.rho1 * part / relative)
        for part in (Fraction(1), Fraction(1, 2))
    ]
    assert lifted[1] <= lifted[0]
    assert (lifted[0] >= levels.rho2) == (keep >= set_retention_limit(relative, levels))


def test_the_numbers_of_the_paper() -> None:
    # Theorem 4 at p = .2: s = 68 for (.1, .95), and for s = 1 the level .9375.
    assert set_retention_limit(68, Levels.of("0.1", "0.95")) == Fraction(1, 5)
    assert set_retention_limit(1, Levels.of("0.9375", "0.95")) == Fraction(1, 5)


@exactly
@given(st.integers(2, 4).flatmap(lambda size: st.tuples(laws(size), laws(size))), LEVELS)
def test_one_set_is_read_off_the_channel(both: tuple[dict[int, Fraction], ...], keep: Fraction) -> None:
    prior, replacing = both
    channel = retention(keep, replacing)
    for secret in chain.from_iterable(combinations(prior, size) for size in range(1, len(prior) + 1)):
        own, other = (sum(law[state] for state in secret) for law in (prior, replacing))
        if not own + other:
            continue
        within = posterior_within(channel, prior, secret)
        assert within == retained_posterior(keep, own, other)
        joint = {
            label: [prior[state] * channel.probability(state, label) for state in prior] for label in secret
        }
        inside = sum(part for label in secret for state, part in enumerate(joint[label]) if state in secret)
        assert within == inside / sum(map(sum, joint.values()))
        free = most_informative_output(channel, prior, secret)
        tried = [
            sum(chance for state, chance in posterior(channel, prior, label).items() if state in secret)
            for label in prior
            if prior[label] + replacing[label]
        ]
        assert free.posterior == max(tried)
        assert (free.secret, free.prior) == (secret, own)
        # A set of published states is not more informative than one of them.
        assert within <= free.posterior


@exactly
@given(st.lists(st.tuples(LEVELS, st.integers(2, 3)), min_size=1, max_size=2), st.data())
def test_a_product_is_most_exposed_where_nothing_else_is_inside(
    columns: list[tuple[Fraction, int]], data: st.DataObject
) -> None:
    places = list(product(*(range(size) for _, size in columns)))
    factors = [retention(keep, dict.fromkeys(range(size), Fraction(1, size))) for keep, size in columns]
    whole: Channel[tuple[int, ...], tuple[int, ...]] = from_matrix(
        places,
        [
            [prod(f.probability(a, b) for f, a, b in zip(factors, own, seen, strict=True)) for seen in places]
            for own in places
        ],
        places,
    )
    secret = [(0,) * len(columns)]
    counts = data.draw(st.lists(st.integers(0, 5), min_size=len(places), max_size=len(places)).filter(any))
    prior = {place: Fraction(count, sum(counts)) for place, count in zip(places, counts, strict=True)}
    own = prior[secret[0]]
    largest = product_posterior(own, [(keep, Fraction(1, size)) for keep, size in columns])
    assert posterior_within(whole, prior, secret) <= largest
    spread = dict.fromkeys(places, Fraction(0)) | {secret[0]: own, (1,) * len(columns): 1 - own}
    assert posterior_within(whole, spread, secret) == largest


@exactly
@given(LEVELS, LEVELS, st.lists(LEVELS, min_size=1, max_size=3), st.none() | st.integers(1, 300))
def test_the_limit_of_a_product_is_where_its_breaches_begin(
    first: Fraction, second: Fraction, shares: list[Fraction], relative: int | None
) -> None:
    assume(first != second)
    levels = Levels.of(min(first, second), max(first, second))
    limit = product_retention_limit(levels, shares, relative)
    own = levels.rho1 if relative is None else min(levels.rho1, relative * prod(shares))
    assert 0 <= limit.upper - limit.lower <= Fraction(1, 2**64)
    at_upper = product_posterior(own, [(limit.upper, share) for share in shares])
    below = product_posterior(own, [(limit.lower * Fraction(2**70 - 1, 2**70), share) for share in shares])
    assert below < levels.rho2 <= at_upper
    if len(shares) == 1 and relative is None:
        assert limit.lower == limit.upper == set_retention_limit(levels.rho1 / shares[0], levels)
    # Single values of uniform columns: what is not known of a product is what any prior may bring.
    if relative is None and all(share.numerator == 1 for share in shares):
        ratio = prod(1 + limit.upper / (1 - limit.upper) / share for share in shares)
        assert ratio >= levels.amplification


def test_what_the_paper_says_of_two_columns() -> None:
    # Theorem 5 at p = .2: 273 for sets that are small enough, and not for one value of 49.
    levels = Levels.of("0.1", "0.95")
    assert (
        product_posterior("0.1", [("0.2", "1/49")] * 2)
        > levels.rho2
        > product_posterior("0.1", [("0.2", "1/48")] * 2)
    )
    assert Fraction(1, 10) * 49 * 49 < 273
    limit = product_retention_limit(levels, ["1/5000"] * 2, 273)
    assert limit.lower > Fraction(1, 5)


def test_a_rare_set_can_be_seen_through_one_of_its_values() -> None:
    # The (.937, .95) breach of the original model: all values but one are rarer than their replacements.
    prior = dict.fromkeys(range(8), Fraction(0)) | {0: Fraction(13, 15), 7: Fraction(2, 15)}
    channel = retention("1/5", dict.fromkeys(range(8), Fraction(1, 8)))
    found = most_informative_output(channel, prior, range(7))
    assert (found.published, found.prior, found.posterior) == (0, Fraction(13, 15), Fraction(39, 41))
    assert posterior_within(channel, prior, range(7)) < Fraction(19, 20) < found.posterior


def test_the_first_of_equally_telling_values_and_the_set_of_all_are_named() -> None:
    found = most_informative_output(retention(0, dict.fromkeys("ab", "1/2")), {"a": "1/4", "b": "3/4"}, ["b"])
    assert (found.published, found.posterior) == ("a", Fraction(3, 4))
    # s = rho1: every replacement falls into the set, and only kept values lie outside of it.
    levels = Levels.of("0.1", "0.5")
    assert set_retention_limit("0.1", levels) == Fraction(8, 9)
    assert product_retention_limit(levels, [1]) == Bounds(Fraction(8, 9), Fraction(8, 9))


def test_invalid_arguments_of_a_set_is_refused() -> None:
    levels = Levels.of("0.1", "0.5")
    with pytest.raises(ParameterError, match="no value of the set"):
        retained_posterior(0, "0.1", 0)
    with pytest.raises(ParameterError, match="one column at least"):
        product_posterior("0.1", [])
    nothing: list[str] = []
    for shares in (nothing, ["0.1", "0"]):
        with pytest.raises(ParameterError, match="above 0"):
            product_retention_limit(levels, shares)
    with pytest.raises(ParameterError, match="no prior to speak of"):
        product_retention_limit(levels, ["0.1"], 0)
    channel = retention("1/5", {"a": "1/2", "b": "1/2"})
    with pytest.raises(ParameterError, match="must add up to 1"):
        most_informative_output(channel, {"a": 0, "b": 0}, ["a"])
    with pytest.raises(ParameterError, match="adds up to"):
        posterior_within(channel, {"a": "1/2"}, ["a"])


def test_an_unusable_probability_is_called_by_its_name() -> None:
    for at, named in enumerate(("retention", "prior", "replaced")):
        with pytest.raises(ParameterError, match=f"^{named} "):
            retained_posterior(*[-1 if place == at else "1/2" for place in range(3)])
    with pytest.raises(ParameterError, match=r"^s "):
        set_retention_limit("x", Levels.of("0.1", "0.5"))
