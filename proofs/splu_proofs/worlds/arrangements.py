"""Columns that are swapped or replaced from their own histogram: laws from the words of the mechanisms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import factorial

import numpy as np

from splu_ref.mechanisms import RecordMechanism
from splu_ref.randomness import Draws, outcomes

KEEPS = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))


@cache
def swapped(p: Fraction, records: int) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the record whose cell stands at each place: coins, then a uniform permutation."""
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for coins in product((False, True), repeat=records):
        released = [place for place in range(records) if coins[place]]
        chance = p ** (records - len(released)) * (1 - p) ** len(released)
        for order in permutations(released):
            cells = list(range(records))
            for place, cell in zip(released, order, strict=True):
                cells[place] = cell
            law[tuple(cells)] += chance / factorial(len(released))
    return dict(law)


def count_law(p: Fraction, records: int, members: int) -> dict[int, Fraction]:
    """Return the law of how many records are published in a set under replacement from the histogram."""
    share = Fraction(members, records)
    law = {0: Fraction(1)}
    for record in range(records):
        inside = p * (record < members) + (1 - p) * share
        following: dict[int, Fraction] = defaultdict(Fraction)
        for count, chance in law.items():
            following[count + 1] += chance * inside
            following[count] += chance * (1 - inside)
        law = dict(following)
    return law


def published(
    mechanism: RecordMechanism, codes: Sequence[int], values: int
) -> dict[tuple[int, ...], Fraction]:
    """Return the law of a column that the shipped mechanism publishes, from every outcome of its choices."""
    column = np.array(codes, dtype=np.int64)

    def run(source: Draws) -> tuple[int, ...]:
        return tuple(mechanism.publish_codes(column, values, source).published.tolist())

    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for cells, chance in outcomes(run):
        law[cells] += chance
    return dict(law)
