"""Laws of the draws of one group: how often each of its values is published, from its slots alone.

A law is a probability for each vector k = (k_1, ..., k_gamma) of whole numbers that sum to gamma. The values
are then dealt to the members by a uniform permutation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, factorial, prod
from typing import TypeAlias

from .valid_plans import Plan

Counts: TypeAlias = tuple[int, ...]
Law: TypeAlias = Mapping[Counts, Fraction]


def vectors(total: int, parts: int) -> Iterator[Counts]:
    """Yield every vector of ``parts`` whole numbers that sum to ``total``."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in vectors(total - first, parts - 1))


def independent(gamma: int) -> Law:
    """Return the multinomial law: every member draws a slot for itself."""
    return {
        k: Fraction(factorial(gamma), gamma**gamma * prod(map(factorial, k))) for k in vectors(gamma, gamma)
    }


def capped(flagged: Sequence[bool]) -> Law:
    """Return the law in which flagged slots are drawn as ever and the others share what is left evenly."""
    gamma, law = len(flagged), defaultdict[Counts, Fraction](Fraction)
    others = [slot for slot in range(gamma) if not flagged[slot]]
    for drawn, chance in independent(gamma).items():
        left = sum(drawn[slot] for slot in others)
        for shares in _even(left, len(others)) if others else [()]:
            k = list(drawn)
            for slot, share in zip(others, shares, strict=True):
                k[slot] = share
            law[tuple(k)] += chance / (comb(len(others), left % len(others)) if others else 1)
    return dict(law)


def all_or_none(rare: Sequence[bool]) -> Law:
    """Return the law in which a rare slot takes all places if chosen, and else the others share them."""
    gamma, law = len(rare), defaultdict[Counts, Fraction](Fraction)
    common = [slot for slot in range(gamma) if not rare[slot]]
    for slot in range(gamma):
        if rare[slot]:
            law[tuple(gamma * (other == slot) for other in range(gamma))] += Fraction(1, gamma)
    for shares in _even(gamma, len(common)) if common else []:
        k = [0] * gamma
        for slot, share in zip(common, shares, strict=True):
            k[slot] = share
        law[tuple(k)] += Fraction(len(common), gamma * comb(len(common), gamma % len(common)))
    return dict(law)


def _even(total: int, parts: int) -> Iterator[Counts]:
    """Yield every way to share a total evenly, the remainder going to some of the parts."""
    share, rest = divmod(total, parts)
    for more in combinations(range(parts), rest):
        yield tuple(share + (part in more) for part in range(parts))


def mixtures(gamma: int) -> Iterator[Law]:
    """Yield laws with means 1 of which every such law is a mixture: those with affinely independent vectors.

    The equations "the means are 1" fix the weights of such vectors.
    """
    every = list(vectors(gamma, gamma))
    for size in range(1, gamma + 1):
        for some in combinations(every, size):
            weights = _weights(some, gamma)
            if weights is not None and min(weights) > 0:
                yield dict(zip(some, weights, strict=True))


def _weights(some: Sequence[Counts], gamma: int) -> list[Fraction] | None:
    """Solve "the weighted sum of the vectors is all ones"; None without exactly one solution."""
    rows = [[Fraction(k[slot]) for k in some] + [Fraction(1)] for slot in range(gamma)]
    for column in range(len(some)):
        pivot = next((row for row in range(column, gamma) if rows[row][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [entry / rows[column][column] for entry in rows[column]]
        for row in range(gamma):
            if row != column and rows[row][column]:
                factor = rows[row][column]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column], strict=True)]
    if any(row[-1] for row in rows[len(some) :]):
        return None
    return [row[-1] for row in rows[: len(some)]]


def shown(law: Law) -> dict[Counts, Fraction]:
    """Return the chance of every way in which the members, in their order, are published."""
    found = defaultdict[Counts, Fraction](Fraction)
    for k, chance in law.items():
        places = [slot for slot, number in enumerate(k) for _ in range(number)]
        for order in permutations(places):
            found[order] += chance / factorial(len(places))
    return dict(found)


def published(
    plan: Plan, values: int, law_of: Callable[[int, tuple[int, ...]], Law]
) -> dict[Counts, Fraction]:
    """Return the law of the published counts f' of all values, each group drawing by itself.

    Parameters
    ----------
    law_of
        The law of a group, by its number in the plan and its values.
    """
    ways: dict[Counts, Fraction] = {(0,) * values: Fraction(1)}
    for number, group in enumerate(plan):
        grown = defaultdict[Counts, Fraction](Fraction)
        for counts, chance in ways.items():
            for k, part in law_of(number, group).items():
                more = list(counts)
                for value, times in zip(group, k, strict=True):
                    more[value] += times
                grown[tuple(more)] += chance * part
        ways = dict(grown)
    return ways


def of_value(law: Mapping[Counts, Fraction], value: int) -> dict[int, Fraction]:
    """Return the law of one value's published count."""
    found = defaultdict[int, Fraction](Fraction)
    for counts, chance in law.items():
        found[counts[value]] += chance
    return dict(found)


def variance(law: Mapping[int, Fraction]) -> Fraction:
    """Return the variance of a law of whole numbers."""
    mean = sum((k * chance for k, chance in law.items()), Fraction(0))
    return sum(((k - mean) ** 2 * chance for k, chance in law.items()), Fraction(0))


def flags(plan: Plan, cap: int) -> list[tuple[bool, ...]]:
    """Return which slots are flagged: those of the first ``cap`` groups of each value, in order."""
    seen: Counter[int] = Counter()
    found = []
    for group in plan:
        found.append(tuple(seen[value] < cap for value in group))
        seen.update(group)
    return found
