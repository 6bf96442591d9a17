"""Binomial masses and tails against definitions, in fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from splu_ref.channels import (
    BinomialMass,
    Bounds,
    Enclosure,
    Trials,
    TwoKinds,
    lower_tail,
    lower_tail_bounds,
    lower_tail_enclosure,
    lower_tail_numerator,
    probability_mass,
    two_kinds_lower_tail,
    two_kinds_upper_tail,
    upper_tail,
    upper_tail_bounds,
    upper_tail_enclosure,
    upper_tail_numerator,
)
from splu_ref.channels import binomial as work
from splu_ref.channels.binomial import tail_work
from splu_ref.channels.binomial_bounds import _falling_sum, factor_work
from splu_ref.channels.parameters import ParameterError

SHARES = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), Fraction(3, 7)]
rationals = st.fractions(min_value=0, max_value=1000, max_denominator=10**6)


def law(n: int, p: Fraction) -> list[Fraction]:
    """The distribution of the number of successes, one trial after another."""
    masses = [Fraction(1)]
    for _ in range(n):
        padded = [Fraction(0), *masses, Fraction(0)]
        masses = [padded[k] * p + padded[k + 1] * (1 - p) for k in range(len(padded) - 1)]
    return masses


def contains(bounds: Bounds, x: Fraction, bits: int) -> bool:
    return bounds.lower <= x <= bounds.upper and (bounds.upper - bounds.lower) * 2**bits <= x


@pytest.mark.parametrize(("n", "p"), list(product([0, 1, 2, 7, 40], SHARES)))
def test_every_mass_and_tail_of_small_laws(n: int, p: Fraction) -> None:
    masses = law(n, p)
    for k in range(-2, n + 3):
        above, below = sum(masses[max(k, 0) :], Fraction(0)), sum(masses[: max(k + 1, 0)], Fraction(0))
        assert probability_mass(n, k, p) == (masses[k] if 0 <= k <= n else 0)
        assert upper_tail(n, k, p) == above
        assert lower_tail(n, k, p) == below
        assert upper_tail_numerator(n, k, p) == above * p.denominator**n
        assert lower_tail_numerator(n, k, p) == below * p.denominator**n
        assert contains(upper_tail_bounds(n, k, p), above, 250)
        assert contains(lower_tail_bounds(n, k, p), below, 250)


@pytest.mark.parametrize("k", [1, 150, 199, 200, 201, 230, 600, 1999, 2000])
@pytest.mark.parametrize("bits", [32, 64, 256, 700])
def test_bounds_of_long_tails_contain_the_exact_tail(k: int, bits: int) -> None:
    n, p = 2000, Fraction(1, 10)
    assert contains(upper_tail_bounds(n, k, p, bits), upper_tail(n, k, p), bits - 4)
    assert contains(lower_tail_bounds(n, k, p, bits), lower_tail(n, k, p), bits - 4)


def test_exact_tail_is_what_summing_every_term_gives() -> None:
    n, k = 3000, 360
    direct = sum(math.comb(n, x) * 9 ** (n - x) for x in range(k, n + 1))
    assert upper_tail_numerator(n, k, Fraction(1, 10)) == direct
    assert lower_tail_numerator(n, k - 1, Fraction(1, 10)) == 10**n - direct


@settings(max_examples=150)
@given(
    st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50),
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=5),
)
def test_a_walk_encloses_the_mass_wherever_it_goes(p: Fraction, places: list[tuple[int, int]]) -> None:
    places = [(max(a, b), min(a, b)) for a, b in places]
    walk = BinomialMass(*places[0], p, 128)
    for n, k in places:
        walk.move(n, k)
        assert contains(walk.mass.bounds(), probability_mass(n, k, p), 120)
        if k > n * p:
            assert contains(walk.upper_tail().bounds(), upper_tail(n, k, p), 110)
            rough = walk.upper_tail_roughly().bounds()
            assert rough.lower <= upper_tail(n, k, p) <= rough.upper


@given(rationals, rationals, st.integers(2, 80), st.integers(0, 40))
def test_directed_arithmetic_encloses_the_exact_result(
    x: Fraction, y: Fraction, bits: int, exponent: int
) -> None:
    def enclosed(value: Fraction) -> Enclosure:
        return Enclosure.of(1).scaled(value.numerator, value.denominator, bits)

    a, b = enclosed(x), enclosed(y)
    for result, truth in (
        (a, x),
        (a.times(b, bits), x * y),
        (a.plus(b, bits), x + y),
        (a.scaled(y.numerator, y.denominator, bits), x * y),
        (Enclosure.power(x, exponent, bits), x**exponent),
    ):
        assert result.bounds().lower <= truth <= result.bounds().upper
        assert result.upper.bit_length() <= max(bits + 1, 2)
    if a.below(b):
        assert x < y
    if a.bounds().upper < b.bounds().lower:
        assert a.below(b)


def test_sums_of_very_different_sizes_stay_small_and_certified() -> None:
    big, small = Enclosure.of(3), Enclosure.power(Fraction(1, 3), 10**6, 64)
    total = big.plus(small, 64)
    assert total == small.plus(big, 64)
    third, power = Enclosure.power(Fraction(1, 3), 1, 64), Enclosure.power(Fraction(2, 3), 5, 64)
    assert third.plus(power, 8) == power.plus(third, 8) == Enclosure(237, 239, -9)
    assert total.upper.bit_length() <= 65
    assert total.bounds().lower <= 3 < total.bounds().upper
    assert big.below(total) is False
    assert small.below(big)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(3, 2)])
def test_a_share_outside_0_and_1_is_refused(p: Fraction) -> None:
    for function in (upper_tail, lower_tail, probability_mass, upper_tail_bounds, lower_tail_bounds):
        with pytest.raises(ParameterError, match="strictly between 0 and 1"):
            function(5, 2, p)


def test_a_negative_number_of_trials_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 0, not -1"):
        upper_tail(-1, 0, Fraction(1, 2))


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 10), Fraction(9, 10), Fraction(1, 300)])
def test_the_mass_found_from_the_mode_and_by_a_new_beginning(p: Fraction) -> None:
    walk = BinomialMass(200, 1, p, 64)
    for n, k in ((9000, int(9000 * p) + 3), (8000, 4000), (8000, 8000), (8300, int(8300 * p)), (3, 0)):
        walk.move(n, k)
        for mass in (walk.mass.bounds(), BinomialMass(n, k, p, 64).mass.bounds()):
            truth = probability_mass(n, k, p)
            assert mass.lower <= truth <= mass.upper
            assert (mass.upper - mass.lower) * 2**60 <= truth


def test_the_mass_at_the_mode_of_many_trials_takes_few_terms() -> None:
    n, k = 10**8, 5 * 10**7
    assert BinomialMass(n, k, Fraction(1, 2))._work_from_mode(n, k) < 5 * 10**6
    mass = BinomialMass(n, k, Fraction(1, 2)).mass.bounds()
    pi = Fraction(31415926535897932, 10**16)  # Wallis: 1 / (pi (k + 1/2)) < mass**2 < 1 / (pi k)
    assert mass.lower**2 * pi * k < 1 + Fraction(1, 10**14)
    assert mass.upper**2 * pi * (k + Fraction(1, 2)) > 1 - Fraction(1, 10**14)


def test_the_budget_is_forty_thousand_million_and_is_used_up_to_its_end() -> None:
    assert work.left() == 40_000_000_000
    work.spend(10**12)  # nobody counts outside of a budget
    with work.one_budget():
        work.spend(39_999_999_999)
        assert work.left() == 1
        with work.one_budget():  # the same one
            work.spend(1)
            assert work.left() == 0
            with pytest.raises(work.WorkError, match="more than about a minute"):
                work.spend(1)
            assert work.left() == 0
        with pytest.raises(work.WorkError):
            work.spend(0)
    with pytest.raises(work.WorkError), work.one_budget():
        work.spend(10**12)
    with work.one_budget():
        assert work.left() == 40_000_000_000


def test_a_block_may_spend_a_part_of_the_budget_and_leaves_the_rest() -> None:
    with work.one_budget():
        work.spend(10)
        with work.one_budget(100):
            assert work.left() == 100
            with pytest.raises(work.WorkError):
                work.spend(101)
        assert work.left() == 40_000_000_000 - 110
        with work.one_budget(10**12):
            assert work.left() == 40_000_000_000 - 110
    with work.one_budget(5):
        assert work.left() == 5


def test_what_long_integers_cost_by_hand() -> None:
    assert [work.digits(bits) for bits in (0, 29, 30, 59, 60)] == [1, 1, 2, 2, 3]
    # 100 digits: 100 * 10 * 7 / 6; and the interpreter's hundred for each operation.
    assert [work.long_product(bits) for bits in (0, 2970)] == [100, 100 + 1166]
    assert [work.reduction(bits) for bits in (0, 30, 2970)] == [101, 104, 10_100]
    # 91 ratios of 7 + 4 bits make 1001 bits, 34 digits; half of them, 17, divide 100 * 4 bits, 14 digits.
    tail = 40 * (100 + 34 * 5 * 6 // 6) + 17 * 14
    assert tail_work(100, 10, Fraction(1, 10)) == tail_work(100, 10, Fraction(9, 10)) == tail
    assert tail_work(100, 101, Fraction(1, 10)) == tail_work(100, 200, Fraction(1, 10)) == 40 * 100 + 14
    assert [factor_work(bits) for bits in (0, 59, 60)] == [33 + 4, 33 + 8, 33 + 12]


@pytest.mark.parametrize(
    ("n", "k", "p", "units"),
    [
        (10, 10, Fraction(1, 2), 0),  # one term
        (10, 8, Fraction(1, 2), 2),
        (1000, 900, Fraction(1, 10), 100),
    ],
)
def test_a_tail_takes_its_work_before_it_is_computed(n: int, k: int, p: Fraction, units: int) -> None:
    with work.one_budget():
        upper_tail(n, k, p)
        assert 40_000_000_000 - work.left() == tail_work(n, k, p)
    with work.one_budget():
        work.spend(40_000_000_000 - tail_work(n, k, p) + 1)
        with pytest.raises(work.WorkError):
            upper_tail_numerator(n, k, p)
    with work.one_budget():
        upper_tail_bounds(n, k, p)
        spent = 40_000_000_000 - work.left()
        assert spent >= units * 100


def test_a_tail_of_everything_or_of_nothing_costs_nothing() -> None:
    with work.one_budget():
        found = [upper_tail_numerator(100, k, Fraction(1, 3)) for k in (-1, 0, 101)]
        assert work.left() == work.MOST
    assert found == [3**100, 3**100, 0]


@pytest.mark.parametrize(
    ("arguments", "low", "width", "cost"),
    [
        ((10, 10, 10, 1, 1, 16), 65_536, 0, 0),  # one term
        ((10, 8, 10, 1, 1, 16), 65_536, 18_725, 0),  # all but the first are left to the geometric series
        ((1000, 120, 1000, 1, 9, 64), 85_622_406_141_647_509_727, 2_299_021_454, 5618),
        ((1000, 120, 125, 1, 9, 64), 67_980_573_049_734_683_243, 25, 530),  # 5 steps, 5 * 5 units
        ((100, 0, 100, 1, 10**6, 80), 1_209_046_718_180_968_932_761_561, 108, 424),
        ((5, 2, 5, 1, 2, 33), 12_884_901_888, 1_431_655_767, 104),  # a term of exactly what is negligible
        ((10**6, 2000, 10**6, 1, 999, 64), 36_819_957_776_946_672_524, 3_088_907_334, 3584),
    ],
)
def test_a_sum_of_ratios_its_error_and_its_work(
    arguments: tuple[int, int, int, int, int, int], low: int, width: int, cost: int
) -> None:
    """What is enclosed depends on the numbers alone, on every machine: so do its digits and its refusals."""
    n, start, stop, success, failure, precision = arguments
    with work.one_budget():
        found = _falling_sum(n, start, stop, success, failure, precision=precision)
        assert work.MOST - work.left() == cost
    assert found == (low, low + width)
    if n < 10**6:
        share = Fraction(success, success + failure)
        masses = [probability_mass(n, k, share) for k in range(start, stop + 1)]
        assert low <= sum(masses) / masses[0] * 2**precision <= low + width


@pytest.mark.parametrize(("n", "start", "places"), [(100, 12, 90), (60, 59, 300), (100, 0, 120)])
def test_long_odds_are_rounded_and_the_sum_still_enclosed(n: int, start: int, places: int) -> None:
    """At the cost of odds as long as the sum, and hardly wider than with short ones."""
    share = Fraction(int("1" * places), 10**places)
    success, failure = share.numerator, share.denominator - share.numerator
    with work.one_budget():
        low, high = _falling_sum(n, start, n, success, failure, precision=80)
        assert work.MOST - work.left() <= (n - start) * (100 + 2 * 3 * 4)
    masses = [probability_mass(n, k, share) for k in range(start, n + 1)]
    assert low <= sum(masses) / masses[0] * 2**80 <= high
    assert high - low <= 2 * (n - start) ** 2 + 2**33


@pytest.mark.parametrize(
    ("n", "k", "p", "bits", "found"),
    [
        (10, 8, Fraction(1, 2), 8, (2, -44, 3008)),
        (1000, 900, Fraction(1, 10), 64, (1, -2636, 24_250)),
        (1000, 120, Fraction(1, 10), 16, (1, -53, 25_526)),
        (1000, 60, Fraction(1, 10), 16, (1, -48, 29_768)),
        (2000, 1990, Fraction(9, 10), 32, (1, -311, 9020)),
        (50_000, 5100, Fraction(1, 10), 64, (1, -99, 632_980)),
        (7, 3, Fraction(3, 7), 1, (1, -33, 3746)),
    ],
)
def test_the_width_of_a_tail_and_its_work(
    n: int, k: int, p: Fraction, bits: int, found: tuple[int, int, int]
) -> None:
    with work.one_budget():
        tail = upper_tail_enclosure(n, k, p, bits)
        assert (tail.upper - tail.lower, tail.exponent, work.MOST - work.left()) == found


@pytest.mark.parametrize(
    ("places", "mass", "tail", "rough"),
    [
        ([(300, 100)], (555, -86, 18_592), (275_088_505, -84, 24_422), (-86, 18_592)),
        ([(300, 290)], (560, -548, 8312), (42_319, -548, 9160), (-548, 8312)),
        ([(300, 5)], (846, -198, 6990), None, None),
        ([(20_000, 5800)], (38_542, -88, 539_440), (78_599_974, -83, 588_518), (-88, 539_440)),
        ([(300, 100), (310, 104)], (919, -87, 23_852), (267_708_884, -84, 29_682), (-87, 23_852)),
        ([(300, 100), (300, 164)], (616, -148, 30_456), (759_554_028, -148, 33_212), (-148, 30_456)),
        ([(300, 100), (300, 180)], (657, -176, 31_896), (263_997_017, -176, 34_334), (-176, 31_896)),
        ([(300, 100), (20_000, 5800), (20_090, 5800)], (30_619, -87, 572_236), (66_110_383, -82, 623_752),
         (-87, 572_236)),
        ([(20_000, 5800), (300, 5)], (846, -198, 546_430), None, None),
        ([(200_000, 58_000)], (975, -101, 649_380), (69_383_340, -96, 763_012), (-101, 649_380)),
    ],
)  # fmt: skip
def test_the_widths_on_a_walk_and_its_work(
    places: list[tuple[int, int]],
    mass: tuple[int, int, int],
    tail: tuple[int, int, int] | None,
    rough: tuple[int, int] | None,
) -> None:
    """From the nearer end, from the mode, or onward: whatever is least work."""
    with work.one_budget():
        walk = BinomialMass(*places[0], Fraction(2, 7), 16)
        for place in places[1:]:
            walk.move(*place)
        found = walk.mass
        assert (found.upper - found.lower, found.exponent, work.MOST - work.left()) == mass
        if rough is not None:
            assert (walk.upper_tail_roughly().exponent, work.MOST - work.left()) == rough
            found = walk.upper_tail()
            assert (found.upper - found.lower, found.exponent, work.MOST - work.left()) == tail


def test_the_rough_tail_needs_falling_masses() -> None:
    """The masses of 5 trials by halves are equal at 2 and 3: there is no geometric series from 2 on."""
    with pytest.raises(AssertionError, match="fall from k on"):
        BinomialMass(5, 2, Fraction(1, 2)).upper_tail_roughly()
    assert BinomialMass(5, 3, Fraction(1, 2)).upper_tail_roughly().bounds().upper >= Fraction(1, 2)


ENDS = [Enclosure(low, high, at) for high in range(4) for low in range(high + 1) for at in (-2, 0, 1)]


def ends(enclosure: Enclosure) -> tuple[Fraction, Fraction]:
    return (
        Fraction(2) ** enclosure.exponent * enclosure.lower,
        Fraction(2) ** enclosure.exponent * enclosure.upper,
    )


@pytest.mark.parametrize("bits", [1, 2, 5])
def test_every_operation_on_few_bits_rounds_outward_and_hardly(bits: int) -> None:
    """By less than one part in 2^(bits-2) of the upper end; equal numbers are not below each other."""
    for one, other in product(ENDS, repeat=2):
        (low, high), (least, most) = ends(one), ends(other)
        assert (one.bounds().lower, one.bounds().upper) == (low, high)
        assert one.below(other) == (high < least)
        if low <= most:
            assert ends(Enclosure.spanning(one, other)) == (low, most)
        for found, truth in (
            (one.plus(other, bits), (low + least, high + most)),
            (one.times(other, bits), (low * least, high * most)),
            (one.scaled(5, 3, bits), (low * Fraction(5, 3), high * Fraction(5, 3))),
            (one.scaled(0, 7, bits), (Fraction(0), Fraction(0))),
        ):
            lower, upper = ends(found)
            assert lower <= truth[0] <= truth[1] <= upper
            assert max(truth[0] - lower, upper - truth[1]) * 2**bits <= 4 * truth[1]
            assert found.upper.bit_length() <= bits + 2


def test_what_operations_on_enclosures_cost() -> None:
    for call, cost in (
        (lambda: Enclosure.power(Fraction(2, 3), 5, 29), 4 * 3 * 101),
        (lambda: Enclosure.power(Fraction(2, 3), 8, 64), 4 * 4 * (100 + 9)),
        (lambda: Enclosure.power(Fraction(2, 3), 0, 64), 0),
        (lambda: Enclosure(1, 3, 5).bounds(), 2 * 101),
        (lambda: Enclosure(1, 3, -65).bounds(), 2 * 103),
    ):
        with work.one_budget():
            call()
            assert work.MOST - work.left() == cost


def test_the_way_from_the_mode_by_hand() -> None:
    """Eight factors for each of 2 * 2 * sqrt(2 * 80 * 61) + 16 terms, or so, and two for each step of k."""
    walk = BinomialMass(300, 100, Fraction(2, 7), 16)
    assert [walk._mode(n) for n in (0, 1, 2, 3, 300)] == [0, 0, 0, 1, 86]
    assert walk._work_from_mode(300, 100) == 8 * (2 * 98 + 16) + 2 * 14
    assert [walk._work_from_mode(*at) for at in ((10**6, 290_000), (1, 0))] == [100_124, 128]


def test_256_bits_are_kept_by_default() -> None:
    p = Fraction(2, 7)
    law = TwoKinds(Trials(20, p), Trials(30, Fraction(1, 3)))
    calls: tuple[Callable[..., object], ...] = (
        partial(upper_tail_bounds, 50, 20, p),
        partial(lower_tail_bounds, 50, 7, p),
        partial(upper_tail_enclosure, 50, 20, p),
        partial(lower_tail_enclosure, 50, 7, p),
        partial(two_kinds_upper_tail, law, 20),
        partial(two_kinds_lower_tail, law, 7),
    )
    for call in calls:
        assert call() == call(256) != call(257)
    masses = [BinomialMass(50, 20, p, *bits).mass for bits in ((), (256,), (257,))]
    assert masses[0] == masses[1] != masses[2]


def test_a_sum_is_rounded_two_bits_below_its_last_one() -> None:
    """To two bits: 8 and 49/8 lie between 12 and 16; 64 and 57, which counts up to 64, from 64 to 128."""
    assert Enclosure.of(8).plus(Enclosure(49, 49, -3), 2) == Enclosure(3, 4, 2)
    assert Enclosure.of(64).plus(Enclosure.of(57), 2) == Enclosure(1, 2, 6)
