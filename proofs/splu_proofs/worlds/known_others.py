"""An attacker who knows the value of every record but one, in small worlds: every plan, order and draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import prod

from .group_laws import Counts, Law, shown
from .valid_plans import Plan, plans

Laws = Callable[[Plan, tuple[int, ...]], Sequence[Law]]
"""The law of each group, from the plan and the histogram."""


def releases(rows: tuple[int, ...], gamma: int, values: int, laws: Laws) -> dict[Counts, Fraction]:
    """Return the chance of each release, row by row: a uniform plan, a uniform order within each value."""
    histogram = tuple(rows.count(value) for value in range(values))
    every = list(plans(histogram, gamma))
    orders = [
        list(permutations(row for row, member in enumerate(rows) if member == value))
        for value in range(values)
    ]
    weight = Fraction(1, len(every) * prod(map(len, orders)))
    shows = cache(_shows)
    found = defaultdict[Counts, Fraction](Fraction)
    for plan in every:
        draws = [shows(tuple(sorted(law.items()))) for law in laws(plan, histogram)]
        for order in product(*orders):
            left = [iter(members) for members in order]
            ways: dict[Counts, Fraction] = {(-1,) * len(rows): weight}
            for group, drawn in zip(plan, draws, strict=True):
                members = [next(left[value]) for value in group]
                grown = defaultdict[Counts, Fraction](Fraction)
                for release, chance in ways.items():
                    for slots, part in drawn:
                        changed = list(release)
                        for member, slot in zip(members, slots, strict=True):
                            changed[member] = group[slot]
                        grown[tuple(changed)] += chance * part
                ways = grown
            for release, chance in ways.items():
                found[release] += chance
    return found


def _shows(law: tuple[tuple[Counts, Fraction], ...]) -> list[tuple[Counts, Fraction]]:
    return list(shown(dict(law)).items())


def identified(others: tuple[int, ...], gamma: int, values: int, laws: Laws) -> Fraction:
    """Return how often the record's value is named right, if it is 0 or 1 with one half each."""
    first, second = (releases((value, *others), gamma, values, laws) for value in (0, 1))
    return (
        sum(
            (max(first.get(seen, Fraction(0)), second.get(seen, Fraction(0))) for seen in {*first, *second}),
            Fraction(0),
        )
        / 2
    )
