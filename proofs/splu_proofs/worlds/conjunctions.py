"""Conjunctions in small worlds: exact laws of (y3, y1) by formula, and by running the shipped mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TypeAlias

from ..arithmetic.law import trial_weight

Law: TypeAlias = dict[tuple[int, int], Fraction]
"""Probabilities of (y3, y1): how often s is published inside and outside the predicate."""

WORLDS = ((2, (2, 1, 1)), (2, (2, 2, 1, 1)), (2, (1, 1, 2)), (3, (2, 1, 1, 1, 1)), (2, (3, 2, 1)))
"""Group sizes and histograms small enough for every outcome of the shipped mechanism."""


def hypergeometric(population: int, successes: int, draws: int) -> list[Fraction]:
    """Return Pr(K = k) for k = 0 .. draws: successes among ``draws`` items taken without replacement."""
    ways = [comb(successes, k) * comb(population - successes, draws - k) for k in range(draws + 1)]
    return [Fraction(way, comb(population, draws)) for way in ways]


def convolved(laws: Sequence[list[Fraction]]) -> list[Fraction]:
    """Return the law of the sum of independent counts."""
    total = [Fraction(1)]
    for law in laws:
        grown = [Fraction(0)] * (len(total) + len(law) - 1)
        for i, left in enumerate(total):
            for j, right in enumerate(law):
                grown[i + j] += left * right
        total = grown
    return total


def joint_law(gamma: int, f: int, x3: int, exposed: Sequence[Fraction]) -> Law:
    """Return the law of (y3, y1) when Pr(K = k) = ``exposed[k]``: two binomials, independent given K."""
    law: Law = {}
    for k, chance in enumerate(exposed):
        if chance:
            for y3 in range(x3 + k + 1):
                inside = chance * trial_weight(gamma, x3 + k, y3)
                for y1 in range(gamma * f - x3 - k + 1):
                    both = inside * trial_weight(gamma, gamma * f - x3 - k, y1)
                    law[y3, y1] = law.get((y3, y1), Fraction(0)) + both
    return law


def together(groups: Sequence[Sequence[int]], value: int, other: int) -> int:
    """Return c(value, other), counted group by group."""
    return sum(value in group and other in group for group in groups)


@lru_cache(maxsize=32)
def shipped_laws(
    histogram: tuple[int, ...], gamma: int, plan: str = "anatomy"
) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """Return every vector of published values, by record, with its probability.

    Record numbers ascend with their values. Every outcome of the shipped mechanism is run: the orders
    within the values and the draws.
    """
    import numpy as np  # noqa: PLC0415  only the enumerations need it

    from splu_ref.mechanisms import SpluGen  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    codes = np.repeat(np.arange(len(histogram), dtype=np.int64), histogram)

    def run(source: Draws) -> tuple[int, ...]:
        release = SpluGen(gamma, plan=plan).publish_codes(codes, len(histogram), source)
        return tuple(release.published.tolist())

    law: dict[tuple[int, ...], Fraction] = {}
    for published, chance in outcomes(run):
        law[published] = law.get(published, Fraction(0)) + chance
    return tuple(law.items())


@lru_cache(maxsize=32)
def shipped_groups(histogram: tuple[int, ...], gamma: int, plan: str) -> tuple[tuple[int, ...], ...]:
    """Return the groups of a shipped plan without a secret."""
    import numpy as np  # noqa: PLC0415  only the enumerations need it

    from splu_ref.channels.parameters import Gamma  # noqa: PLC0415  only runs need it
    from splu_ref.mechanisms import PLANS  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import SystemSource  # noqa: PLC0415  only runs need it

    return tuple(map(tuple, PLANS[plan](np.array(histogram), Gamma(gamma), SystemSource()).groups().tolist()))


def records(histogram: tuple[int, ...]) -> list[int]:
    """Return the true value of every record."""
    return [value for value, count in enumerate(histogram) for _ in range(count)]


def subsets(size: int) -> Iterator[frozenset[int]]:
    """Yield every set of records."""
    for mask in range(1 << size):
        yield frozenset(record for record in range(size) if mask >> record & 1)


def law_of_predicate(
    shipped: Sequence[tuple[tuple[int, ...], Fraction]], predicate: frozenset[int], s: int
) -> Law:
    """Return the law of (y3, y1) of one predicate, summed over the shipped mechanism's outcomes."""
    law: Law = {}
    for published, chance in shipped:
        holders = [record for record, value in enumerate(published) if value == s]
        y3 = sum(record in predicate for record in holders)
        at = (y3, len(holders) - y3)
        law[at] = law.get(at, Fraction(0)) + chance
    return law
