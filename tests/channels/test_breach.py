"""Breaches against all properties and many priors, one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations, pairwise

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import (
    Bounds,
    Breach,
    Channel,
    Levels,
    amplification,
    diagonal,
    from_matrix,
    identity,
    natural_logarithm,
    posterior,
    retention,
    retention_limit_for,
    worst_prior,
    worst_property,
)
from splu_ref.channels import binomial as work
from splu_ref.channels.parameters import ParameterError

exactly = settings(max_examples=50)
LEVELS = st.fractions(0, 1, max_denominator=20).filter(lambda level: 0 < level < 1)


@st.composite
def channels(draw: st.DrawFn) -> Channel[int, int]:
    size, width = draw(st.integers(2, 4)), draw(st.integers(1, 4))
    rows = [
        draw(st.lists(st.integers(0, 4), min_size=width, max_size=width).filter(any)) for _ in range(size)
    ]
    return from_matrix(
        range(size), [[Fraction(entry, sum(row)) for entry in row] for row in rows], range(width)
    )


def every_breach(
    channel: Channel[int, int], counts: dict[int, int], rho1: Fraction
) -> list[tuple[Fraction, set[int], int]]:
    """Return the posterior of every property that is allowed, for every state that can be seen."""
    total = sum(counts.values())
    prior = {state: Fraction(count, total) for state, count in counts.items()}
    stored = [state for state in counts if counts[state]]
    found = []
    for secret in chain.from_iterable(combinations(stored, size) for size in range(1, len(stored) + 1)):
        if sum(prior[state] for state in secret) <= rho1:
            for label in channel.outputs:
                if any(channel.probability(state, label) for state in stored):
                    law = posterior(channel, prior, label)
                    lifted = sum((law.get(state, Fraction(0)) for state in secret), Fraction(0))
                    found.append((lifted, set(secret), label))
    return found


@exactly
@given(channels(), st.data(), LEVELS)
def test_the_worst_property_is_the_worst_of_all(
    channel: Channel[int, int], data: st.DataObject, rho1: Fraction
) -> None:
    counts = {state: data.draw(st.integers(0, 6)) for state in channel.inputs}
    if not any(counts.values()):
        counts[0] = 1
    tried = every_breach(channel, counts, rho1)
    found = worst_property(channel, counts, rho1)
    if found is None:
        assert not tried
        return
    assert found.posterior == max(lifted for lifted, _, _ in tried)
    assert (found.posterior, set(found.secret), found.published) in tried
    assert found.prior == Fraction(sum(counts[state] for state in found.secret), sum(counts.values()))


@exactly
@given(channels(), LEVELS, LEVELS)
def test_without_a_prior_the_amplification_decides(
    channel: Channel[int, int], first: Fraction, second: Fraction
) -> None:
    if first == second:
        return
    levels = Levels.of(min(first, second), max(first, second))
    found, worst = amplification(channel), worst_prior(channel, levels.rho1)
    prior = {found.more: levels.rho1, found.less: 1 - levels.rho1}
    if found.more != found.less:
        assert posterior(channel, prior, found.published)[found.more] == worst.posterior
    assert levels.allow(found) == (worst.posterior < levels.rho2)
    # No prior on a grid, and no property, does better.
    size = len(channel.inputs)
    for counts in combinations_with_sum(12, size):
        stored = dict(zip(channel.inputs, counts, strict=True))
        for lifted, _, _ in every_breach(channel, stored, levels.rho1):
            assert lifted <= worst.posterior


def combinations_with_sum(total: int, parts: int) -> list[tuple[int, ...]]:
    bars = combinations(range(total + parts - 1), parts - 1)
    edges = [(-1, *chosen, total + parts - 1) for chosen in bars]
    return [tuple(right - left - 1 for left, right in pairwise(edge)) for edge in edges]


@exactly
@given(channels(), LEVELS, LEVELS)
def test_a_fall_is_a_rise_of_the_complement(
    channel: Channel[int, int], first: Fraction, second: Fraction
) -> None:
    if first == second:
        return
    levels = Levels.of(min(first, second), max(first, second))
    turned = Levels(1 - levels.rho2, 1 - levels.rho1)
    assert turned.amplification == levels.amplification
    found = amplification(channel)
    if found.ratio is not None and found.more != found.less:
        # From rho2 on the state that makes what is seen less often down to rho1 or less.
        law = posterior(channel, {found.less: levels.rho2, found.more: 1 - levels.rho2}, found.published)
        assert (law[found.less] <= levels.rho1) == (not levels.allow(found))


@exactly
@given(st.integers(2, 7), LEVELS, LEVELS)
def test_uniform_replacement_is_safe_below_its_limit_and_not_at_it(
    size: int, first: Fraction, second: Fraction
) -> None:
    if first == second:
        return
    levels = Levels.of(min(first, second), max(first, second))
    limit, law = levels.retention_limit(size), dict.fromkeys(range(size), Fraction(1, size))
    assert 0 < limit < 1
    assert not levels.allow(amplification(retention(limit, law)))
    assert levels.allow(amplification(retention(limit * Fraction(999, 1000), law)))


@exactly
@given(st.lists(st.integers(0, 9), min_size=2, max_size=5), st.data(), LEVELS, LEVELS)
def test_the_limit_for_a_prior_is_where_its_first_breach_is(
    histogram: list[int], data: st.DataObject, first: Fraction, second: Fraction
) -> None:
    if first == second or not any(histogram):
        return
    levels = Levels.of(min(first, second), max(first, second))
    weights = data.draw(
        st.lists(st.integers(0, 5), min_size=len(histogram), max_size=len(histogram)).filter(any)
    )
    law = {state: Fraction(weight, sum(weights)) for state, weight in enumerate(weights)}
    counts = dict(enumerate(histogram))
    limit = retention_limit_for(counts, law, levels)
    at = [Fraction(999, 1000)] if limit is None else [limit, limit * Fraction(99, 100), (1 + limit) / 2]
    for keep in at:
        found = worst_property(retention(keep, law), counts, levels.rho1)
        breached = found is not None and found.posterior >= levels.rho2
        # With nothing kept, a value that is never a replacement is not published at all.
        assert breached == (limit is not None and keep >= limit and keep > 0)


def test_a_large_histogram_is_searched_exactly() -> None:
    counts = {state: 3000 + 37 * state for state in range(45)} | {45: 9000}
    law = {state: Fraction(1, 46) for state in counts}
    found = worst_property(retention("1/5", law), counts, "0.1")
    assert found is not None
    total = sum(counts.values())
    assert found.prior == Fraction(total // 10, total) or found.prior < Fraction(1, 10)
    own = found.published
    chance = posterior(retention("1/5", law), {state: Fraction(n, total) for state, n in counts.items()}, own)
    assert sum(chance[state] for state in found.secret) == found.posterior


def test_what_is_no_question_is_refused() -> None:
    channel = diagonal("ab", "3/4")
    for rho1, rho2 in (("0.5", "0.5"), ("0.6", "0.5"), (0, "0.5"), ("0.5", 1)):
        with pytest.raises(ParameterError, match="0 < rho1 < rho2 < 1"):
            Levels.of(rho1, rho2)
    with pytest.raises(ParameterError, match="no true state"):
        worst_property(channel, {"c": 1}, "0.5")
    with pytest.raises(ParameterError, match="count of 'a'"):
        worst_property(channel, {"a": -1, "b": 2}, "0.5")
    with pytest.raises(ParameterError, match="at least one"):
        worst_property(channel, {"a": 0}, "0.5")
    with pytest.raises(ParameterError, match="at least two"):
        Levels.of("0.1", "0.5").retention_limit(1)
    assert worst_property(channel, {"a": 3, "b": 3}, "0.4") is None
    assert worst_prior(identity("ab"), "0.1").posterior == 1


@given(st.fractions("1/1000", 1000, max_denominator=10**6))
def test_logarithms_are_enclosed(x: Fraction) -> None:
    found, doubled = natural_logarithm(x), natural_logarithm(x, 192)
    assert found.lower <= doubled.lower <= doubled.upper <= found.upper
    assert found.upper - found.lower < Fraction(1, 2**110)
    with mpmath.workdps(60):
        assert abs(mpmath.log(mpmath.mpf(x.numerator) / x.denominator) - mpmath.mpf(
            found.lower.numerator
        ) / found.lower.denominator) < mpmath.mpf(2) ** -110  # fmt: skip


def test_a_number_without_logarithm_is_refused() -> None:
    assert natural_logarithm(Fraction(1)) == Bounds(Fraction(0), Fraction(0))
    with pytest.raises(ParameterError, match="above 0"):
        natural_logarithm(Fraction(0))


def _uniform(size: int) -> Channel[int, int]:
    return retention("1/5", dict.fromkeys(range(size), Fraction(1, size)))


def test_of_equal_breaches_the_first_is_named_in_the_order_of_the_counts() -> None:
    alike = worst_property(diagonal("abc", "1/2"), {"c": 1, "b": 1, "a": 1}, "1/3")
    assert alike == Breach(("a",), "a", Fraction(1, 3), Fraction(1, 2))
    both = from_matrix("abcd", [[1, 0], [0, 1], [1, 0], [0, 1]], "xy")
    found = worst_property(both, {"d": 2, "c": 1, "b": 1, "a": 3}, "4/7")
    assert found == Breach(("c", "a"), "x", Fraction(4, 7), Fraction(1))
    # Of two properties with one posterior the one with the smaller prior: b and d gain nothing here.
    assert worst_property(both, {"a": 1, "b": 1, "d": 1}, 1) == Breach(
        ("a",), "x", Fraction(1, 3), Fraction(1)
    )


@pytest.mark.parametrize(
    ("size", "counts", "rho1", "secret", "cost"),
    [
        (5, (4, 3, 3, 2, 8), "2/5", (4,), 13_935),
        (12, tuple(30 + 7 * state for state in range(12)), "3/10", (1, 2, 4, 11), 252_512),
    ],
)
def test_the_search_takes_its_work_before_it_is_done(
    size: int, counts: tuple[int, ...], rho1: str, secret: tuple[int, ...], cost: int
) -> None:
    histogram = dict(enumerate(counts))
    with work.one_budget():
        found = worst_property(_uniform(size), histogram, rho1)
        assert work.MOST - work.left() == cost
    assert found is not None
    assert found.secret == secret
    if size == 12:
        with work.one_budget():
            law = dict.fromkeys(histogram, Fraction(1, size))
            assert retention_limit_for(histogram, law, Levels.of(rho1, "3/5")) == Fraction(103, 317)
            assert work.MOST - work.left() == 15_324


def test_levels_at_their_ends() -> None:
    assert worst_prior(identity("ab"), 0).posterior == 0  # a property of probability 0 has no breach
    assert worst_prior(identity("ab"), 1).posterior == worst_prior(diagonal("ab", "3/4"), 1).posterior == 1
    levels = Levels.of("0.1", "0.5")
    assert levels.retention_limit(2) == Fraction(8, 10)
    with pytest.raises(ParameterError, match="1 values leave nothing"):
        levels.retention_limit(1)
    for rho1, rho2, named in (("x", "0.5", "rho1"), ("0.5", "1.5", "rho2")):
        with pytest.raises(ParameterError, match=f"^{named} "):
            Levels.of(rho1, rho2)
    with pytest.raises(ParameterError, match=r"^rho1 "):
        worst_prior(identity("ab"), 2)
    with pytest.raises(ParameterError, match=r"^rho1 "):
        worst_property(identity("ab"), {"a": 1}, 2)


@pytest.mark.parametrize(
    ("x", "low", "high"),
    [
        ("1", "0", "0"),
        ("2", "11/16", "3/4"),
        ("3", "139/128", "153/128"),
        ("1/3", "-77/64", "-133/128"),
        ("7/5", "21/64", "49/128"),
        ("1000000", "1753/128", "1893/128"),
        ("1/1000000", "-947/64", "-1747/128"),
        ("4", "11/8", "191/128"),
    ],
)
def test_logarithms_to_eight_digits_after_the_point(x: str, low: str, high: str) -> None:
    """Their ends are printed and compared with: nobody may get others for the same number."""
    with work.one_budget():
        assert natural_logarithm(Fraction(x), 8) == Bounds(Fraction(low), Fraction(high))
        assert work.MOST - work.left() == 8
        natural_logarithm(Fraction(2**30, 3))
        assert work.MOST - work.left() == 8 + 128 * 5 * 2
