"""A binomial number by inversion: its law on every path of its digits, and how many digits it asks for."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest

from splu_ref.channels import lower_tail_bounds, probability_mass
from splu_ref.channels.parameters import ParameterError
from splu_ref.mechanisms.replacement_law import draw_binomial
from splu_ref.randomness import SeededSource, outcomes


class Digits:
    """Hands out given integers, and notes the bounds."""

    def __init__(self, *digits: int) -> None:
        self._digits = list(digits)
        self.bounds: list[int] = []

    def integer_below(self, bound: int) -> int:
        self.bounds.append(bound)
        return self._digits.pop(0)


@pytest.mark.parametrize("block_bits", [1, 3, 64])
@pytest.mark.parametrize(
    ("n", "p"),
    [(1, "1/2"), (5, "1/3"), (6, "1/2"), (4, "2/5"), (3, "3/7"), (5, "9/10"), (8, "1/2"), (3, "1/10")],
)
def test_the_law_over_every_path(n: int, p: str, block_bits: int) -> None:
    law: dict[int, Fraction] = defaultdict(Fraction)
    chance, paths = Fraction(p), 0
    for found, share in outcomes(lambda source: draw_binomial(n, chance, source.integer_below, block_bits)):
        law[found] += share
        paths += 1
    assert law == {k: probability_mass(n, k, chance) for k in range(n + 1)}
    if block_bits == 1 and n > 2:  # digits that could change nothing are not drawn
        assert paths < chance.denominator**n


def test_no_trials_draw_nothing() -> None:
    source = Digits()
    assert draw_binomial(0, Fraction(1, 2), source.integer_below) == 0
    assert source.bounds == []


@pytest.mark.parametrize(("n", "p"), [(-1, "1/2"), (3, "0"), (3, "1")])
def test_what_is_no_binomial_number_is_refused(n: int, p: str) -> None:
    with pytest.raises(ParameterError):
        draw_binomial(n, Fraction(p), Digits().integer_below)


def test_a_number_that_begins_as_a_probability_does_asks_for_more() -> None:
    # Pr(X <= 499,999) = 0.4996010576…: the first block is cut where it stands, the second decides.
    n, p, base = 10**6, Fraction(1, 2), 2**64
    bounds = lower_tail_bounds(n, 499_999, p, 512)
    first = int(bounds.lower * base)
    second = int((bounds.lower * base - first) * base)
    for later, wanted in ((second - 1, 499_999), (second + 1, 500_000)):
        source = Digits(first, later)
        assert draw_binomial(n, p, source.integer_below) == wanted
        assert source.bounds == [base, base]


@pytest.mark.parametrize(
    ("n", "p", "level"),
    [
        (187_199_631_360, "1/2000000", "1/7"),
        (187_199_631_360, "1/2000000", "1/1000000000000"),
        (10**30, "1/1000000000000000000000000", "999999/1000000"),
        (10**12, "1/1000000000000", "4/5"),
        (10**12, "1/1000000000000", "1/5"),
        (2000, "999/1000", "3/10"),
    ],
)
def test_of_huge_numbers_the_quantile(n: int, p: str, level: str) -> None:
    chance, place = Fraction(p), Fraction(level)

    def digits(bound: int) -> int:
        nonlocal place
        place *= bound
        digit = int(place)
        place -= digit
        return digit

    found = draw_binomial(n, chance, digits)
    assert lower_tail_bounds(n, found, chance).lower > Fraction(level)
    assert found == 0 or lower_tail_bounds(n, found - 1, chance).upper <= Fraction(level)


def test_the_ends_of_the_range() -> None:
    # 100 digits in base 3: blocks of 40, 40 and 20. All trials
    # fail with (2/3)^100, far above 3^-40, and all succeed with 3^-100.
    first = Digits(0, 0, 0)
    assert draw_binomial(100, Fraction(1, 3), first.integer_below) == 0
    assert first.bounds == [3**40]
    last = Digits(3**40 - 1, 3**40 - 1, 3**20 - 1)
    assert draw_binomial(100, Fraction(1, 3), last.integer_below) == 100
    assert last.bounds == [3**40, 3**40, 3**20]


def test_a_seed_gives_the_moments() -> None:
    source, times = SeededSource(8), 400
    drawn = [draw_binomial(10**15, Fraction(3, 10**12), source.integer_below) for _ in range(times)]
    mean = sum(drawn) / times
    assert abs(mean - 3000) < 6 * (3000 / times) ** 0.5
