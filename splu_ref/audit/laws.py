"""What the published values should be distributed like, derived from the decoy groups alone.

Nothing here calls a mechanism or a channel: each record keeps its value with probability p and else takes one
of the other values of its group, all equally likely and independently of the other records; the records of a
value take the places of that value in a uniform order (Fu et al. 2014, section 3.1, steps 2 and 3).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product

Vector = tuple[int, ...]
Law = dict[Vector, Fraction]


def fault_in_groups(groups: Sequence[Vector], histogram: Sequence[int], gamma: int) -> str | None:
    """Return why ``groups`` is no decoy plan for ``histogram``, or None if it is one."""
    for group in groups:
        if len(group) != gamma or len(set(group)) != gamma:
            return f"group {list(group)} does not hold {gamma} distinct values"
    held = Counter(value for group in groups for value in group)
    if any(held[value] != frequency for value, frequency in enumerate(histogram)):
        return f"the groups hold the values {dict(held)} times, the histogram is {list(histogram)}"
    return None if held.total() == sum(histogram) else "a group holds a value outside the domain"


def count_law(groups: Sequence[Vector], domain_size: int, retention: Fraction) -> Law:
    """Return the law of the published histogram: the convolution over the groups' independent draws."""
    law: Law = {(0,) * domain_size: Fraction(1)}
    for group in groups:
        step: dict[Vector, int] = Counter()
        for drawn, ways in _draws(group, [group] * len(group), retention):
            step[tuple(drawn.count(value) for value in range(domain_size))] += ways
        total = sum(step.values())
        grown: dict[Vector, Fraction] = defaultdict(Fraction)
        for counts, probability in law.items():
            for added, ways in step.items():
                key = tuple(map(int.__add__, counts, added))
                grown[key] += probability * Fraction(ways, total)
        law = dict(grown)
    return law


def record_law(groups: Sequence[Vector], codes: Sequence[int], retention: Fraction) -> Law:
    """Return the joint law of the published values, by record."""
    places: dict[int, list[Vector]] = defaultdict(list)
    for group in groups:
        for value in group:
            places[value].append(group)
    ways: Counter[Vector] = Counter()
    for decoys in _placements(codes, places):
        for published, count in _draws(codes, decoys, retention):
            ways[published] += count
    total = ways.total()
    return {published: Fraction(count, total) for published, count in ways.items()}


def _draws(
    codes: Sequence[int], groups: Sequence[Vector], retention: Fraction
) -> Iterator[tuple[Vector, int]]:
    """Yield what records of known groups may publish, with weights in proportion to its probability."""
    kept, left = retention.numerator, retention.denominator - retention.numerator
    for published in product(*groups):
        records = zip(codes, groups, published, strict=True)
        weight = math.prod(kept * (len(group) - 1) if value == own else left for own, group, value in records)
        if weight:
            yield published, weight


def _placements(codes: Sequence[int], places: dict[int, list[Vector]]) -> Iterator[list[Vector]]:
    """Yield, for every order of the records within their values, the group of each record."""
    values = sorted(set(codes))
    members = [[record for record, code in enumerate(codes) if code == value] for value in values]
    for orders in product(*(permutations(records) for records in members)):
        decoys: list[Vector] = [()] * len(codes)
        for value, order in zip(values, orders, strict=True):
            for record, group in zip(order, places[value], strict=True):
                decoys[record] = group
        yield decoys
