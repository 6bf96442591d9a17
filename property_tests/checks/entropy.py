"""Entropy of laws and its loss by a release, against powers of whole numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from typing import Any

from property_tests.checking import Outcome, check
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.channels import Bounds, LogForm, World, entropy

HUNDREDTHS = 100
LARGEST = 7


def _within(found: Bounds, ratio: Fraction, times: int) -> bool:
    """Return whether an enclosure of (lg ratio)/times may be right: by powers, to the hundredth."""
    low, high = floor(found.lower * HUNDREDTHS), ceil(found.upper * HUNDREDTHS)
    two = Fraction(2)
    return two ** (times * low) <= ratio**HUNDREDTHS <= two ** (times * high) and high - low <= 2


def _power(weights: tuple[int, ...]) -> Fraction:
    """Return 2 to the power of t times the entropy of weights with sum t: t^t over the product of a^a."""
    size = sum(weights)
    return Fraction(size**size, prod(weight**weight for weight in weights))


@check(
    "entropy.bits",
    "exact",
    "The entropy of every law k/t on three values, t up to 7, is right in bits: 2 to its power, to the "
    "hundredth, is that of whole numbers.",
)
def bits(subject: Subject, run: Run) -> Outcome:
    del run
    for weights in product(range(LARGEST + 1), repeat=3):
        size = sum(weights)
        if not 0 < size <= LARGEST:
            continue
        law = {place: Fraction(weight, size) for place, weight in enumerate(weights)}
        if not _within(subject.enclosed(entropy(law)), _power(weights), size):
            return Outcome(False, f"weights {weights}: {subject.enclosed(entropy(law))}")
    return Outcome(True)


def _worlds() -> Iterator[tuple[World[int], dict[tuple[int, ...], int], Callable[[Any], int]]]:
    """Yield worlds of two records with whole weights, and functions of their tables."""
    for first, second in product(((1, 1), (1, 2), (1, 1, 3)), repeat=2):
        laws = [
            {value: Fraction(weight, sum(weights)) for value, weight in enumerate(weights)}
            for weights in (first, second)
        ]
        conditional: dict[tuple[int, ...], int] = {
            (one, other): first[one] * second[other]
            for one in range(len(first))
            for other in range(len(second))
        }
        reads: tuple[Callable[[Any], int], ...] = (sum, max, min)
        for read in reads:
            yield World.independent(laws), conditional, read


@check(
    "entropy.loss",
    "exact",
    "For pairs of records of three laws whose sum, maximum or minimum is released, each record loses its "
    "entropy less that of the tables which are left, brought to sum 1.",
)
def loss(subject: Subject, run: Run) -> Outcome:
    del run
    for world, weights, read in _worlds():
        for each in subject.entropy_loss(world, world.release(read).laws.__getitem__).values:
            left = {table: weight for table, weight in weights.items() if read(table) == each.released}
            for place, lost in enumerate(each.records):
                before, after = (_marginal(some, place) for some in (weights, left))
                size, rest = sum(before), sum(after)
                ratio = _power(before) ** rest / _power(after) ** size
                if lost * (size * rest) != LogForm.lg(ratio):
                    return Outcome(False, f"{weights}, released {each.released}: record {place} loses {lost}")
    return Outcome(True)


def _marginal(weights: dict[tuple[int, ...], int], place: int) -> tuple[int, ...]:
    found: dict[int, int] = {}
    for table, weight in weights.items():
        found[table[place]] = found.get(table[place], 0) + weight
    return tuple(found.values())
