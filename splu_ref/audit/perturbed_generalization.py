"""Accuracy and disclosure of perturbed generalization.

The variance of its estimates, the share of people that two releases can link, and in small worlds the law of
the whole published table. The mechanism is `splu_ref.mechanisms.PerturbedGeneralization`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from splu_ref.channels import Channel, PerturbedGroup, Table, Value, World
from splu_ref.mechanisms import PerturbedGeneralization
from splu_ref.randomness import Draws, IntArray, exact_law


def variance(law: PerturbedGroup, counts: IntArray, sizes: IntArray) -> Fraction:
    """Return the variance of the estimated count of a value, by counts and sizes of the groups."""
    total = Fraction(0)
    for (count, size), times in _paired(counts, sizes).items():
        shown = law.retention * count / size + law.absent_probability
        total += times * size * size * shown * (1 - shown)
    return total / law.retention**2


def _paired(counts: IntArray, sizes: IntArray) -> dict[tuple[int, int], int]:
    pairs, times = np.unique(np.stack([counts, sizes]), axis=1, return_counts=True)
    return {
        (int(count), int(size)): int(number) for (count, size), number in zip(pairs.T, times, strict=True)
    }


def enumerated_table(
    mechanism: PerturbedGeneralization,
    world: World[Value],
    groups: Sequence[int],
    domain: Sequence[Value],
) -> Channel[Table[Value], Table[Value]]:
    """Return the channel from the tables of a world to the published tables, by enumeration of the code."""
    code_of = {value: code for code, value in enumerate(domain)}
    places = np.array(groups, dtype=np.int64)

    def law(table: Table[Value]) -> dict[Table[Value], Fraction]:
        own = np.array([code_of[value] for value in table], dtype=np.int64)

        def run(draws: Draws) -> Table[Value]:
            done = mechanism.publish_groups(own, places, draws)
            return tuple(domain[code] for code in done.published.tolist())

        return exact_law(run)

    return _channel({table: law(table) for table, _ in world.weighted()})


def declared_table(
    law: PerturbedGroup, world: World[Value], groups: Sequence[int], domain: Sequence[Value]
) -> Channel[Table[Value], Table[Value]]:
    """Return the same channel as the product of the laws of the groups, which are independent."""
    count = max(groups) + 1
    laws: dict[Table[Value], dict[Table[Value], Fraction]] = {}
    for table, _ in world.weighted():
        members = [
            Counter(value for value, group in zip(table, groups, strict=True) if group == each)
            for each in range(count)
        ]
        laws[table] = {
            seen: prod(
                (law.published(found, value) for found, value in zip(members, seen, strict=True)),
                start=Fraction(1),
            )
            for seen in product(domain, repeat=count)
        }
    return _channel(laws)


def _channel(
    laws: Mapping[Table[Value], Mapping[Table[Value], Fraction]],
) -> Channel[Table[Value], Table[Value]]:
    return Channel(laws, tuple(dict.fromkeys(seen for law in laws.values() for seen in law)))


def followed(sizes: IntArray) -> Fraction:
    """Return the expected share of people who are published in both of two releases with these groups."""
    each = [
        (int(size), int(times)) for size, times in zip(*np.unique(sizes, return_counts=True), strict=True)
    ]
    records = sum(size * times for size, times in each)
    return sum((Fraction(times, size) for size, times in each), Fraction(0)) / records
