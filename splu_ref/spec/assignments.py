"""Who has which value of a group, given how likely each record is to have each value."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations
from math import prod

from splu_ref.spec.errors import require


def posterior(likelihoods: Sequence[Sequence[Fraction]]) -> tuple[Fraction, list[list[Fraction]] | None]:
    """Return the permanent, and the probability that record i has value j, over all assignments one to one.

    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> posterior([[half, half], [quarter, 3 * quarter]])[1]
    [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    """
    size = len(likelihoods)
    require(1 <= size <= 8 and all(len(row) == size for row in likelihoods), "no square of at most 8 records")
    require(min(map(min, likelihoods)) >= 0, "a likelihood is negative")
    through = [[Fraction(0)] * size for _ in range(size)]
    for values in permutations(range(size)):
        weight = prod((likelihoods[record][value] for record, value in enumerate(values)), start=Fraction(1))
        for record, value in enumerate(values):
            through[record][value] += weight
    permanent = sum(through[0], Fraction(0))
    return permanent, [[share / permanent for share in row] for row in through] if permanent else None
