"""The sawtooth lemma on a grid, and the plateaus against their definition."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest

from splu_ref.channels import lower_tail, upper_tail
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import error_offset, plateau_ends, plateau_starts
from splu_ref.guarantees.count_error import Plateaus, doubling_ranges

EPSILONS = [
    Fraction(text)
    for text in (
        "3/10",
        "1",
        "1/2",
        "2/3",
        "7/5",
        "3",
        "22/7",
        "1/1000",
        "1/33",
        "99/100",
        "1000001",
        "13/1001",
    )
]


@pytest.mark.parametrize("gamma", [2, 3, 5])
def test_for_a_fixed_distance_both_tails_rise_with_the_count(gamma: int) -> None:
    share = Fraction(1, gamma)
    for distance in range(1, 16):
        tails = [
            (
                upper_tail(gamma * f, f + distance, share),
                lower_tail(gamma * f, f - distance, share),
            )
            for f in range(1, 31)
        ]
        for before, after in pairwise(tails):
            assert before[0] <= after[0]
            assert before[1] <= after[1]
        assert tails[-1][0] > 0 < tails[-1][1]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_plateaus_are_the_runs_of_equal_offsets(epsilon: Fraction) -> None:
    last = 150
    for strict in (False, True):
        offsets = [
            next(
                j
                for j in range(math.floor(epsilon * f), math.floor(epsilon * f) + 3)
                if (j > epsilon * f if strict else j >= epsilon * f and j > 0)
            )
            for f in range(1, last + 2)
        ]
        assert [error_offset(epsilon, f, strict=strict) for f in range(1, last + 2)] == offsets
        starts = [f for f in range(1, last + 1) if f == 1 or offsets[f - 2] != offsets[f - 1]]
        ends = [f for f in range(1, last + 1) if offsets[f - 1] != offsets[f]]
        assert list(plateau_starts(epsilon, last, strict=strict)) == starts
        assert list(plateau_ends(epsilon, last, strict=strict)) == ends[::-1]


def test_a_plateau_of_a_tiny_epsilon_is_skipped_in_one_step() -> None:
    assert list(plateau_starts("1e-9", 3 * 10**9)) == [1, 10**9 + 1, 2 * 10**9 + 1]
    assert list(plateau_starts("1e-9", 3 * 10**9, strict=True)) == [1, 10**9, 2 * 10**9, 3 * 10**9]
    assert list(plateau_ends("1e-9", 3 * 10**9)) == [3 * 10**9, 2 * 10**9, 10**9]
    assert list(plateau_ends("1e-9", 3 * 10**9 - 1)) == [2 * 10**9, 10**9]
    assert list(plateau_ends("1e-9", 0)) == []


@pytest.mark.parametrize(
    ("epsilon", "frequency"), [(0.3, 5), ("0.3", 5.0), ("0", 5), ("-1/3", 5), ("0.3", 0), ("0.3", "1/2")]
)
def test_unusable_parameters_are_refused(epsilon: str, frequency: int) -> None:
    with pytest.raises(ParameterError):
        error_offset(epsilon, frequency)
    with pytest.raises(ParameterError):
        plateau_starts(epsilon, frequency)


@pytest.mark.parametrize("epsilon", ["1/7", "3/10", "999/1000", "1", "3/2", "5"])
@pytest.mark.parametrize("strict", [False, True])
def test_plateaus_by_number(epsilon: str, strict: bool) -> None:
    for last in (1, 2, 3, 30, 31):
        plateaus = Plateaus(Fraction(epsilon), last, strict)
        numbers = range(len(plateaus) + 1)
        assert [plateaus.start(n) for n in numbers] == list(plateau_starts(epsilon, last, strict=strict))
        ends = list(plateau_ends(epsilon, last - 1, strict=strict))
        assert [plateaus.end(n) for n in range(len(plateaus))] == ends[::-1]
        assert plateaus.offset(last) == error_offset(epsilon, last, strict=strict)


def test_ranges_cover_every_number_once_and_are_single_at_the_end() -> None:
    for size in range(40):
        ranges = doubling_ranges(size)
        assert [n for first, last in ranges for n in range(first, last + 1)] == list(range(size))
        assert size == 0 or ranges[-1] == (size - 1, size - 1)
        assert len(ranges) <= size.bit_length()
