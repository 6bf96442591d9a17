"""Successes among trials of two kinds: exact laws and their enclosures, against laws multiplied out."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import (
    Trials,
    TwoKinds,
    two_kinds_lower_tail,
    two_kinds_upper_tail,
    upper_tail_bounds,
)
from splu_ref.channels import binomial as tables
from splu_ref.channels import binomial as work
from splu_ref.channels import two_binomials as directed
from splu_ref.channels.parameters import ParameterError

CHANCES = st.integers(1, 29).map(lambda top: Fraction(top, 30))


def multiplied_out(law: TwoKinds) -> list[Fraction]:
    masses = [Fraction(1)]
    for kind in (law.first, law.second):
        for _ in range(kind.count):
            masses = [
                (masses[k] if k < len(masses) else 0) * (1 - kind.chance)
                + (masses[k - 1] if k else 0) * kind.chance
                for k in range(len(masses) + 1)
            ]
    return masses


@settings(max_examples=60)
@given(st.integers(0, 10), CHANCES, st.integers(0, 14), CHANCES, st.sampled_from([40, 256]))
def test_against_laws_multiplied_out(n: int, p: Fraction, m: int, q: Fraction, bits: int) -> None:
    law = TwoKinds(Trials(n, p), Trials(m, q))
    masses = multiplied_out(law)
    assert list(law.numerators()) == [mass * law.denominator for mass in masses]
    for k in range(-1, n + m + 2):
        above, below = sum(masses[max(k, 0) :], Fraction(0)), sum(masses[: max(k + 1, 0)], Fraction(0))
        assert law.mass(k) == (masses[k] if 0 <= k <= n + m else 0)
        assert (law.upper_tail(k), law.lower_tail(k)) == (above, below)
        for bounds, truth in (
            (two_kinds_upper_tail(law, k, bits).bounds(), above),
            (two_kinds_lower_tail(law, k, bits).bounds(), below),
        ):
            assert bounds.lower <= truth <= bounds.upper
            assert (bounds.upper - bounds.lower) * 2**bits <= truth


@pytest.mark.parametrize(("n", "m", "k"), [(400, 1600, 480), (3000, 9000, 4000), (20_000, 80_000, 41_000)])
def test_equal_chances_are_one_kind(n: int, m: int, k: int) -> None:
    chance = Fraction(1, 3)
    law = TwoKinds(Trials(n, chance), Trials(m, chance))
    for bits in (64, 256):
        split, whole = two_kinds_upper_tail(law, k, bits).bounds(), upper_tail_bounds(n + m, k, chance, bits)
        assert split.lower <= whole.upper
        assert whole.lower <= split.upper
        assert (split.upper - split.lower) * 2**bits <= split.upper


def test_a_tail_far_out_and_skewed() -> None:
    law = TwoKinds(Trials(300, Fraction(99, 100)), Trials(2700, Fraction(1, 900)))
    for k in (297, 310, 400, 2000, 3000):
        bounds = two_kinds_upper_tail(law, k, 128).bounds()
        assert bounds.lower <= law.upper_tail(k) <= bounds.upper
        assert (bounds.upper - bounds.lower) * 2**128 <= bounds.upper


def test_trials_that_cannot_be() -> None:
    for count, chance in ((-1, Fraction(1, 2)), (3, Fraction(0)), (3, Fraction(1))):
        with pytest.raises(ParameterError):
            Trials(count, chance)


@pytest.mark.parametrize("center", [0, 30, 75, 150, 299, 300])
@pytest.mark.parametrize("bits", [24, 128])
def test_where_the_sum_begins_decides_about_the_work_alone(
    center: int, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guess of the largest term that is far off: what lies before it is bounded, or summed after all."""
    law = TwoKinds(Trials(300, Fraction(1, 4)), Trials(500, Fraction(1, 3)))
    largest = directed._largest_term
    monkeypatch.setattr(directed, "_largest_term", lambda law, k: (largest(law, k)[0], center, 0))
    for k in (1, 150, 242, 420, 520, 700, 800):
        bounds = two_kinds_upper_tail(law, k, bits).bounds()
        truth = law.upper_tail(k)
        assert bounds.lower <= truth <= bounds.upper
        assert (bounds.upper - bounds.lower) * 2**bits <= truth


@pytest.mark.parametrize(
    ("n", "m", "k", "bits", "largest", "found"),
    [
        (30, 90, 45, 16, (0, 20, 6), (34, -90, 183_414)),
        (30, 90, 20, 16, (0, 15, 5), (43, -80, 179_874)),
        (30, 90, 110, 64, (20, 30, 1), (9, -323, 70_368)),
        (3000, 9000, 3100, 32, (0, 1538, 475), (3_821_392_859, -102, 3_146_806)),
        (0, 9, 3, 8, (0, 0, 1), (1, -74, 11_320)),
        (9, 0, 3, 8, (3, 4, 1), (0, -72, 37_986)),
    ],
)
def test_the_width_of_a_tail_and_its_work(
    n: int, m: int, k: int, bits: int, largest: tuple[int, int, int], found: tuple[int, int, int]
) -> None:
    """They depend on the numbers alone, on every machine: so do the digits, and what is refused."""
    law = TwoKinds(Trials(n, Fraction(1, 2)), Trials(m, Fraction(1, 6)))
    assert directed._largest_term(law, k) == largest
    with work.one_budget():
        tail = directed.two_kinds_upper_tail(law, k, bits)
        assert (tail.upper - tail.lower, tail.exponent, work.MOST - work.left()) == found


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Trials(30, Fraction(1, 2**20)), Trials(90, Fraction(5, 2**30)), (311, -127, 50_072)),
        (Trials(4, Fraction(1, 2**27)), Trials(4, Fraction(5, 2**27)), (8, -150, 31_062)),
    ],
)
def test_long_chances_cost_more(first: Trials, second: Trials, expected: tuple[int, int, int]) -> None:
    with work.one_budget():
        tail = directed.two_kinds_upper_tail(TwoKinds(first, second), 3, 16)
        assert (tail.upper - tail.lower, tail.exponent, work.MOST - work.left()) == expected


def test_of_one_term_nothing_is_known_of_those_before() -> None:
    law = TwoKinds(Trials(9, Fraction(1, 2)), Trials(3, Fraction(1, 3)))
    total, before = directed._summed(law, 12, 9, 16)
    assert before is None
    assert total.bounds().lower <= Fraction(1, 512 * 27) <= total.bounds().upper


@pytest.mark.parametrize(
    ("n", "p", "m", "q", "bits", "k", "found"),
    [
        (600, "1/4", 500, "1/3", 24, 350, (246_127, 100_050)),
        (600, "1/4", 500, "1/3", 24, 0, (2**24, 93_000)),
        (600, "3/4", 500, "1/3", 24, 620, (7_134_076, 100_400)),
        (58, "2/5", 9, "1/2", 8, 30, (99, 14_300)),
        (5, "1/2", 5, "1/3", 12, 11, (0, 3_600)),
        (5, "1/2", 5, "1/3", 12, 2, (3_960, 3_750)),
    ],
)
def test_a_tail_of_tables_and_its_work(
    n: int, p: str, m: int, q: str, bits: int, k: int, found: tuple[int, int]
) -> None:
    """The tables are made in the budget of whoever asks first."""
    tables._table.cache_clear()
    with work.one_budget():
        bound = tables.UpperTails(n, Fraction(p), m, Fraction(q), bits).at_least(k)
        assert (bound, work.MOST - work.left()) == found


@pytest.mark.parametrize(
    ("arguments", "count", "last", "rest"),
    [
        ((58, 23, 2, 3, 24), 19, [872, 256], 256),  # negligible from eight bits on
        ((3000, 1000, 1, 2, 24), 501, [2, 2], 2),  # until a step is to a half: 1500 * 1 of 1501 * 2
        ((700, 690, 60, 1, 24), 11, [16_219, 1_391], 0),  # nothing is left out
    ],
)
def test_where_a_sum_of_ratios_ends(
    arguments: tuple[int, int, int, int, int], count: int, last: list[int], rest: int
) -> None:
    ratios, left_out = tables._ratios(*arguments)
    assert (len(ratios), ratios[-2:], left_out) == (count, last, rest)


@pytest.mark.parametrize(
    ("first", "last", "cost"),
    [(45, 45, 29_808), (0, 20, 13_608), (100, 120, 13_608), (50, 70, 46_008), (60, 61, 39_528)],
)
def test_masses_are_added_up_from_the_nearer_end(first: int, last: int, cost: int) -> None:
    law = TwoKinds(Trials(30, Fraction(1, 2)), Trials(90, Fraction(1, 6)))
    with work.one_budget():
        found = law.between_numerator(first, last)
        assert work.MOST - work.left() == cost
    assert found == sum(multiplied_out(law)[first : last + 1]) * law.denominator


def test_the_first_place_and_the_work_by_hand() -> None:
    even = TwoKinds(Trials(10, Fraction(1, 2)), Trials(10, Fraction(1, 2)))
    assert directed._largest_term(even, 16) == (
        6,
        8,
        2,
    )  # the odds are equal at 8
    # 30 * 21 + 90 * 26 bits are 100 digits; 21 + 26 + 7 bits are two.
    long = TwoKinds(Trials(30, Fraction(1, 2**20)), Trials(90, Fraction(1, 2**25)))
    assert (long.work(1), long.work(7)) == (600 + 4 * 100 * 2, 7 * 1400)
