"""Promises of the alpha-beta algorithm: against worlds of all originals, grids of priors, and plain sums."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import Channel, TupleCount, amplification, from_matrix, posterior
from splu_ref.channels.parameters import Exact, ParameterError
from splu_ref.guarantees import (
    TupleChances,
    TupleLevels,
    TupleQueryError,
    most_views,
    possible_counts,
    prior_bound,
    views_allowed,
    worst_query_error,
)

TWENTIETHS = st.integers(1, 19).map(lambda top: Fraction(top, 20))
CHANCES = st.tuples(st.integers(1, 20), st.integers(0, 20)).map(
    lambda pair: TupleChances(Fraction(pair[0], 20), Fraction(pair[1], 20) * (1 - Fraction(pair[0], 20)))
)
INNER = CHANCES.filter(lambda chances: chances.amplification is not None)
LEVELS = st.tuples(TWENTIETHS, TWENTIETHS).map(lambda pair: TupleLevels(pair[0] * pair[1], pair[1]))


def world(chances: TupleChances, size: int) -> Channel[tuple[int, ...], tuple[int, ...]]:
    """Return the law of V by the original, for all originals in a domain of so many tuples."""
    sets = list(product((0, 1), repeat=size))
    rows = []
    for original in sets:
        row = []
        for seen in sets:
            chance = Fraction(1)
            for own, shown in zip(original, seen, strict=True):
                kept = chances.beta + own * chances.alpha
                chance *= kept if shown else 1 - kept
            row.append(chance)
        rows.append(row)
    return from_matrix(sets, rows, sets)


@settings(max_examples=25)
@given(CHANCES, TWENTIETHS, TWENTIETHS)
def test_the_posterior_in_a_world_of_two_tuples(
    chances: TupleChances, first: Fraction, second: Fraction
) -> None:
    channel = world(chances, 2)
    prior: dict[tuple[int, ...], Exact] = {
        (a, b): (first if a else 1 - first) * (second if b else 1 - second)
        for a, b in product((0, 1), repeat=2)
    }
    for seen in channel.outputs:
        if not sum(channel.probability(each, seen) for each in channel.laws):
            continue
        after = posterior(channel, prior, seen)
        found = sum(share for original, share in after.items() if original[0])
        assert found == chances.posterior(first, in_view=bool(seen[0]))


@settings(max_examples=25)
@given(CHANCES)
def test_one_tuple_more_or_less(chances: TupleChances) -> None:
    ratios: set[Fraction | None] = set()
    channel = world(chances, 2)
    for more, less in (((0, 0), (0, 1)), ((1, 0), (1, 1))):
        rows = [[channel.probability(each, seen) for seen in channel.outputs] for each in (more, less)]
        pair = from_matrix([more, less], rows, channel.outputs)
        ratios.add(amplification(pair).ratio)
    assert ratios == {chances.amplification}


@settings(max_examples=300)
@given(LEVELS, CHANCES)
def test_the_exact_region_against_priors(levels: TupleLevels, chances: TupleChances) -> None:
    d, gamma = levels.d, levels.gamma
    holds = True
    for prior in (d, d / 2, d / 10**12):
        for in_view in (True, False):
            after = chances.posterior(prior, in_view=in_view)
            holds &= after <= gamma and after >= prior * d / gamma
    assert levels.allow(chances) == holds
    assert levels.allow(chances) == (chances.largest_d(gamma) >= d)
    if levels.printed_conditions(chances):  # sufficient
        assert holds


def test_the_printed_conditions_are_not_necessary() -> None:
    levels, chances = TupleLevels.of("1/4", "1/2"), TupleChances.of("2/5", "1/5")
    assert levels.allow(chances)
    assert not levels.printed_conditions(chances)
    assert levels.printed_conditions(levels.printed_extreme())
    assert levels.best() == chances
    assert levels.printed_extreme() == TupleChances.of("1/3", "1/6")


@settings(max_examples=60)
@given(LEVELS, st.integers(1, 12), st.integers(0, 12))
def test_least_variance(levels: TupleLevels, inside: int, outside: int) -> None:
    def variance(chances: TupleChances) -> Fraction:
        law = TupleCount(inside + outside, chances.alpha + chances.beta, chances.beta)
        return law.variance(inside) / chances.alpha**2

    best = levels.best()
    assert best.largest_d(levels.gamma) == levels.d
    grid = [Fraction(k, 40) for k in range(41)]
    allowed = [
        chances
        for a, b in product(grid[1:], grid)
        if a + b <= 1 and levels.allow(chances := TupleChances(a, b))
    ]
    assert all(variance(best) <= variance(chances) for chances in [*allowed, levels.printed_extreme()])
    drawable = levels.drawable()
    assert levels.allow(drawable)
    assert (drawable.alpha + drawable.beta).denominator <= 10**9
    assert best.alpha - drawable.alpha < Fraction(1, 10**7)


@settings(max_examples=60)
@given(LEVELS, INNER, st.integers(1, 4))
def test_several_views(levels: TupleLevels, chances: TupleChances, views: int) -> None:
    holds = True
    for seen in range(views + 1):
        for prior in (levels.d, levels.d / 10**12):
            # One view after the other, the posterior of each the prior of the next.
            belief = prior
            for number in range(views):
                belief = chances.posterior(belief, in_view=number < seen)
            holds &= prior * levels.d / levels.gamma <= belief <= levels.gamma
    assert views_allowed(levels, chances, views) == holds
    most = most_views(levels, chances)
    assert (most >= views) == holds
    assert not views_allowed(levels, chances, most + 1)


def test_keyed_coins_and_a_changing_table() -> None:
    # A tuple's coin u is uniform below 20 and stays; it is seen if u is below 20 beta, or 20 (alpha + beta).
    chances = TupleChances.of("1/2", "1/5")
    views: dict[tuple[bool, bool], dict[tuple[bool, bool], int]] = defaultdict(lambda: defaultdict(int))
    for coin in range(20):
        for before, after in product((False, True), repeat=2):
            seen = tuple(coin < 20 * (chances.beta + own * chances.alpha) for own in (before, after))
            views[seen[0], seen[1]][before, after] += 1
    assert dict(views[False, True]) == {(False, True): 10}  # alpha: seen to be inserted, for certain
    assert dict(views[True, False]) == {(True, False): 10}


def test_what_is_no_parameter_is_refused() -> None:
    for alpha, beta in (("0", "1/2"), ("1/2", "3/5"), ("1/2", "-1/5")):
        with pytest.raises(ParameterError):
            TupleChances.of(alpha, beta)
    for d, gamma in (("0", "1/2"), ("3/5", "1/2"), ("1/2", "1"), ("1/2", "0")):
        with pytest.raises(ParameterError):
            TupleLevels.of(d, gamma)
    for method in (TupleLevels.best, TupleLevels.drawable, TupleLevels.printed_extreme):
        with pytest.raises(ParameterError, match="no release says anything"):
            method(TupleLevels.of("1/2", "1/2"))
    with pytest.raises(ParameterError, match="no release says anything"):
        TupleLevels.of("0.4999999999", "0.5").drawable()
    with pytest.raises(ParameterError, match="impossible"):
        TupleChances.of("1/2", "1/2").posterior(1, in_view=False)
    assert prior_bound("2", 10, 1000) == Fraction(1, 50)


# ---- errors of queries ------------------------------------------------------------------------------


def _error(chances: TupleChances, size: int, count: int, radius: Fraction) -> Fraction:
    law: list[Fraction] = [Fraction(1)]
    for number in range(size):
        chance = chances.beta + (chances.alpha if number < count else 0)
        law = [
            (law[k] * (1 - chance) if k < len(law) else Fraction(0)) + (law[k - 1] * chance if k else 0)
            for k in range(len(law) + 1)
        ]
    return sum(
        (
            mass
            for k, mass in enumerate(law)
            if ((k - chances.beta * size) / chances.alpha - count) ** 2 >= radius
        ),
        Fraction(0),
    )


@settings(max_examples=80)
@given(CHANCES, st.integers(1, 14), st.integers(0, 14), st.integers(1, 60))
def test_the_error_term_by_term(chances: TupleChances, size: int, count: int, radius: int) -> None:
    true, squared = min(count, size), Fraction(radius, 3)
    error = TupleQueryError.of(chances, size, true, squared)
    wanted = _error(chances, size, true, squared)
    assert error.exact() == wanted
    bounds = error.bounds()
    assert bounds.lower <= wanted <= bounds.upper
    assert bounds.upper - bounds.lower < Fraction(1, 2**100)


def test_an_error_of_exactly_the_radius_counts() -> None:
    # alpha = 1/2, beta = 0, Q = 2: n_V = 0, 1, 2 estimates 0, 2, 4.
    error = TupleQueryError.of(TupleChances.of("1/2", 0), 2, 2, 4)
    assert error.exact() == Fraction(1, 2)
    assert TupleQueryError.of(TupleChances.of("1/2", 0), 2, 2, "4.01").exact() == 0
    assert TupleQueryError.of(TupleChances.of("1/2", 0), 2, 2, "1e-9").exact() == Fraction(1, 2)


def test_the_worst_count() -> None:
    chances, counts = TupleChances.of("1/2", "1/10"), possible_counts(8, 30, 12)
    assert counts == range(9)
    assert possible_counts(25, 30, 12) == range(7, 13)
    errors = [_error(chances, 12, count, Fraction(20)) for count in counts]
    worst, bounds = worst_query_error(chances, 12, counts, 20)
    assert errors[worst.count] == max(errors)
    assert bounds.lower <= max(errors) <= bounds.upper


@pytest.mark.parametrize(("n", "m", "size"), [("31", "30", "5"), ("5", "30", "31"), ("0", "30", "5")])
def test_queries_that_do_not_fit(n: str, m: str, size: str) -> None:
    with pytest.raises(ParameterError):
        possible_counts(n, m, size)
    with pytest.raises(ParameterError):
        TupleQueryError.of(TupleChances.of("1/2", 0), 5, 6, 1)
