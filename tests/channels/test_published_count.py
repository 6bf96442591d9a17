"""The law of a published count against one trial after another."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from splu_ref.channels import PublishedCount
from splu_ref.channels.channel import Law

LAWS = [PublishedCount.of(gamma, p) for gamma, p in product((2, 3, 5), (None, "1/2", "2/3", "1/7", 1))]
COUNTS = (0, 1, 2, 4)


def one_by_one(law: PublishedCount, frequency: int) -> Law[int]:
    """Return Pr(f' = k) by adding one record of the groups at a time."""
    found = {0: Fraction(1)}
    chances = [law.retention] * frequency + [law.decoy] * ((law.gamma - 1) * frequency)
    for chance in chances:
        grown: dict[int, Fraction] = {}
        for k, weight in found.items():
            grown[k] = grown.get(k, Fraction(0)) + weight * (1 - chance)
            grown[k + 1] = grown.get(k + 1, Fraction(0)) + weight * chance
        found = {k: weight for k, weight in grown.items() if weight}
    return found


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.gamma}-{law.retention}")
@pytest.mark.parametrize("frequency", COUNTS)
def test_tails_and_errors(law: PublishedCount, frequency: int) -> None:
    masses = one_by_one(law, frequency)
    assert {k: part for k, part in law.law(frequency).items() if part} == masses
    assert sum(k * part for k, part in masses.items()) == frequency
    assert sum(k * k * part for k, part in masses.items()) - frequency**2 == frequency * law.variance
    for k in range(-1, law.gamma * frequency + 2):
        above = sum((part for j, part in masses.items() if j >= k), Fraction(0))
        below = sum((part for j, part in masses.items() if j <= k), Fraction(0))
        assert (law.upper_tail(frequency, k), law.lower_tail(frequency, k)) == (above, below)
        for tail, enclosure in (
            (above, law.upper_tail_enclosure(frequency, k, 96)),
            (below, law.lower_tail_enclosure(frequency, k, 96)),
        ):
            bounds = enclosure.bounds()
            assert bounds.lower <= tail <= bounds.upper
            assert bounds.upper - bounds.lower < Fraction(1, 2**80)
    for offset in range(1, law.gamma * frequency + 2):
        wrong = sum((part for j, part in masses.items() if abs(j - frequency) >= offset), Fraction(0))
        assert law.errors(frequency, offset) == (wrong > 0)
        assert Fraction(law.error_numerator(frequency, offset), law.unit() ** frequency) == wrong
        bounds = law.error_enclosure(frequency, offset, 96).bounds()
        assert bounds.lower <= wrong <= bounds.upper
        assert bounds.upper - bounds.lower < Fraction(1, 2**80)
        uneven = sum(
            (part for j, part in masses.items() if j >= frequency + offset or j <= frequency - 1), Fraction(0)
        )
        bounds = law.error_enclosure(frequency, offset, 96, 1).bounds()
        assert bounds.lower <= uneven <= bounds.upper


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.gamma}-{law.retention}")
@pytest.mark.parametrize("tilt", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)])
def test_the_mean_of_a_power(law: PublishedCount, tilt: Fraction) -> None:
    for frequency in COUNTS:
        mean = sum((part * tilt**k for k, part in one_by_one(law, frequency).items()), Fraction(0))
        bounds = law.mean_of_power(tilt, frequency, 96).bounds()
        assert bounds.lower <= mean <= bounds.upper
        assert bounds.upper - bounds.lower <= mean / 2**80


@pytest.mark.parametrize("retention", [None, "1/2", "1/7"])
@pytest.mark.parametrize("bits", [16, 96])
def test_an_error_is_enclosed_as_closely_as_its_tails(retention: str | None, bits: int) -> None:
    law = PublishedCount.of(3, retention)
    for frequency, offset in ((4, 1), (40, 9), (40, 41)):
        bounds = law.error_enclosure(frequency, offset, bits).bounds()
        assert (bounds.upper - bounds.lower) * 2**bits <= bounds.upper
