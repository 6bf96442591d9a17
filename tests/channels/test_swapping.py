"""Swapping as a channel, and pairs of records, against all coins and permutations of small columns."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial, prod

import pytest

from splu_ref.channels import (
    Pairs,
    histogram_pairs,
    identity,
    retention,
    swapped_pairs,
    swapped_retention,
    swapping,
)
from splu_ref.channels.parameters import ParameterError

KEEPS = ("0", "1/3", "1/2", "4/5")


def _arrangements(keep: Fraction, records: int) -> dict[tuple[int, ...], Fraction]:
    """Return the law of which record's cell stands at each place."""
    law: dict[tuple[int, ...], Fraction] = {}
    for coins in product((False, True), repeat=records):
        released = [place for place in range(records) if coins[place]]
        chance = keep ** (records - len(released)) * (1 - keep) ** len(released)
        for order in permutations(released):
            cells = list(range(records))
            for place, cell in zip(released, order, strict=True):
                cells[place] = cell
            law[tuple(cells)] = law.get(tuple(cells), Fraction(0)) + chance / factorial(len(released))
    return law


@pytest.mark.parametrize("records", [2, 3, 4, 5])
@pytest.mark.parametrize("keep", KEEPS)
def test_one_record_is_kept_more_often_than_its_coin_says(keep: str, records: int) -> None:
    law = _arrangements(Fraction(keep), records)
    own = sum(chance for cells, chance in law.items() if cells[0] == 0)
    pi = swapped_retention(keep, records)
    assert own == pi + (1 - pi) / records
    assert pi > Fraction(keep) if Fraction(keep) else pi == 0
    column = "aab"[:records] + "b" * (records - 3)
    channel = swapping(keep, {value: column.count(value) for value in "ab"})
    for value in "ab":
        published = sum(chance for cells, chance in law.items() if column[cells[0]] == value)
        assert channel.probability("a", value) == published


@pytest.mark.parametrize("records", [2, 3, 4, 5])
@pytest.mark.parametrize("keep", KEEPS[1:])
def test_pairs_of_records_are_reported_without_bias(keep: str, records: int) -> None:
    law = _arrangements(Fraction(keep), records)
    for column in product((0, 1), repeat=records):
        pairs = swapped_pairs(keep, records, sum(column))
        for one, other in ((0, 1), (1, records - 1)):
            if one == other:
                continue
            mean = sum(
                chance * pairs[column[cells[one]] + column[cells[other]]] for cells, chance in law.items()
            )
            assert mean == column[one] * column[other]


def test_the_ends_of_the_retention() -> None:
    counts = {"a": 2, "b": 3}
    assert swapping(1, counts) == identity(["a", "b"])
    assert swapping(0, counts) == retention(0, {"a": Fraction(2, 5), "b": Fraction(3, 5)})
    for pairs in (swapped_pairs, histogram_pairs):
        with pytest.raises(ParameterError, match="no value is retained"):
            pairs(0, 5, 2)
    with pytest.raises(ParameterError, match="give at least two"):
        swapped_retention("1/2", 1)


def test_long_powers_are_taken_to_256_places() -> None:
    # 1/2 has powers of 2 digits each: 2048 of them are exact, one more is rounded.
    assert swapped_retention("1/2", 2048) == (1024 - Fraction(1, 2**2048)) / 2047
    assert swapped_retention("1/2", 2049) == Fraction(2049, 2) / 2048
    near = swapped_retention("0.9999", 1000)
    exactly = (1000 * Fraction(9999, 10000) - Fraction(9999, 10000) ** 1000) / 999
    assert near != exactly
    assert abs(near - exactly) < Fraction(1, 2**240)


def test_a_learned_histogram_correlates_records_a_little() -> None:
    # With the histogram known the weights would be the product of the single ones.
    for records in (10, 1000):
        pairs = histogram_pairs("1/2", records, records // 5)
        outside, inside = (Fraction(seen) / Fraction(1, 2) - Fraction(1, 5) for seen in (0, 1))
        for found, product_ in zip(pairs, (outside**2, outside * inside, inside**2), strict=True):
            assert 0 < abs(found - product_) < Fraction(4, records)


@pytest.mark.parametrize("keep", ["1/3", "4/5"])
@pytest.mark.parametrize("members", [1, 2, 4])
def test_pairs_are_reported_by_the_covariance_that_a_learned_histogram_brings(
    keep: str, members: int
) -> None:
    """In all worlds of five records: weights less what the share that is learned has in common with both."""
    p, records = Fraction(keep), 5
    outside = (1 - p) * Fraction(members, records)
    chances = [outside + p * (record < members) for record in range(records)]
    law = {
        seen: prod(chance if each else 1 - chance for each, chance in zip(seen, chances, strict=True))
        for seen in product((0, 1), repeat=records)
    }

    def weight(seen: tuple[int, ...], record: int) -> Fraction:
        return (seen[record] - (1 - p) * Fraction(sum(seen), records)) / p

    pairs = histogram_pairs(p, records, members)
    for one, other in combinations(range(records), 2):
        means = [sum(chance * weight(seen, each) for seen, chance in law.items()) for each in (one, other)]
        both = sum(chance * weight(seen, one) * weight(seen, other) for seen, chance in law.items())
        reported = sum(chance * pairs[seen[one] + seen[other]] for seen, chance in law.items())
        assert reported == (one < members) * (other < members) - (both - means[0] * means[1])


def test_of_three_records_two_others_are_never_both_in_the_set() -> None:
    """What the weights add for two others is 0 then: any number would leave them unbiased."""
    reported = (Fraction(25, 231), Fraction(-5, 33), Fraction(43, 33))
    assert swapped_pairs("1/2", 3, 2) == Pairs(*reported)
