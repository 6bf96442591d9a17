"""Entropy loss of a bit by the number of ones: against the world of all tables, and its bounds."""

from __future__ import annotations

from fractions import Fraction
from math import log

import pytest

from splu_ref.channels import LogForm, World, entropy_loss, natural_logarithm
from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import count_loss, expected_count_loss


@pytest.mark.parametrize("chance", ["1/2", "1/3", "9/10"])
@pytest.mark.parametrize("records", [1, 2, 3, 6])
def test_it_is_what_the_tables_say(records: int, chance: str) -> None:
    q = Fraction(chance)
    world = World.independent([{1: q, 0: 1 - q}] * records)
    found = entropy_loss(world, lambda table: {sum(table): 1})
    assert len(found.values) == records + 1
    for each in found.values:
        assert each.records == (count_loss(records, each.released, chance),) * records
    assert found.records == (expected_count_loss(records, chance),) * records
    assert found.expected == expected_count_loss(records, chance)


def test_all_or_none_are_a_total_loss() -> None:
    for records in (1, 2, 7, 1000):
        for ones in (0, records):
            assert count_loss(records, ones) == LogForm.of({2: 1})
    assert count_loss(8, 4) == LogForm({})
    assert count_loss(2, 1, "1/3").sign() < 0


@pytest.mark.parametrize("records", [1, 2, 10, 100, 1000])
def test_the_mean_lies_between_its_bounds(records: int) -> None:
    found = expected_count_loss(records).narrowed()
    two = natural_logarithm(Fraction(2))
    assert Fraction(1, 2 * records) / two.upper <= found.lower
    assert found.upper <= Fraction(1, records) * (1 + Fraction(1, 10**12))
    if records == 1000:  # the lower bound is what it tends to
        assert float(found.upper) * 2 * records * log(2) == pytest.approx(1, abs=1e-3)


def test_impossible_numbers() -> None:
    assert count_loss(3, 0, 0) == LogForm({})
    assert expected_count_loss(3, 1) == LogForm({})
    for records, ones, chance in ((3, 4, "1/2"), (3, 1, 0), (3, 2, 1)):
        with pytest.raises(ParameterError, match="impossible"):
            count_loss(records, ones, chance)
    with pytest.raises(ParameterError, match="give at most 1000"):
        expected_count_loss(1001)
