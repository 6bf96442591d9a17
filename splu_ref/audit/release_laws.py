"""The law of the published values given the decoy groups, and its exact comparison with observed laws.

The law is derived from the decoy groups alone, without mechanisms or channels: each record retains its true
value with probability p and otherwise takes one of the other values of its group, all equally likely and
independently of the other records; the records of a value are assigned to the slots of that value in a
uniform order (Fu et al. 2014, section 3.1, steps 2 and 3).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np

from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import outcomes

Vector = tuple[int, ...]
Law = dict[Vector, Fraction]


def fault_in_groups(groups: Sequence[Vector], histogram: Sequence[int], gamma: int) -> str | None:
    """Return why ``groups`` is no decoy plan for ``histogram``, or None if it is one."""
    for group in groups:
        if len(group) != gamma or len(set(group)) != gamma:
            return f"group {list(group)} does not contain {gamma} distinct values"
    occurrences = Counter(value for group in groups for value in group)
    if any(occurrences[value] != frequency for value, frequency in enumerate(histogram)):
        return f"the groups contain the values {dict(occurrences)} times, the histogram is {list(histogram)}"
    return None if occurrences.total() == sum(histogram) else "a group contains a value outside the domain"


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
    """Yield the possible published values of records in known groups, weighted by probability."""
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


Plan = tuple[Vector, ...]


def release_disagreements(
    codes: Sequence[int],
    domain_size: int,
    mechanism: SpluGen,
    observed: Mapping[Vector, Mapping[Vector, Fraction]],
) -> Iterator[str]:
    """Yield descriptions of the differences from the theory; nothing if all laws agree."""
    remainder = len(codes) % mechanism.gamma
    subsets = set(combinations(range(len(codes)), remainder))
    if set(observed) != subsets:
        yield f"the deleted sets are {sorted(observed)}, not all sets of {remainder}"
        return
    for suppressed, law in sorted(observed.items()):
        weight = sum(law.values(), Fraction(0))
        if weight != Fraction(1, len(subsets)):
            yield f"records {suppressed} are deleted with probability {weight}, not 1/{len(subsets)}"
        conditional = {published: probability / weight for published, probability in law.items()}
        kept = [code for record, code in enumerate(codes) if record not in suppressed]
        histogram = [kept.count(value) for value in range(domain_size)]
        plans = _law_of_plans(mechanism, histogram)
        faults = (fault_in_groups(groups, histogram, mechanism.gamma) for groups in plans)
        fault = next(filter(None, faults), None) or _fault_in_vectors(conditional, kept, domain_size)
        if fault:
            yield fault
            return
        for difference in _law_disagreements(conditional, kept, plans, histogram, mechanism):
            yield f"histogram {histogram}: {difference}"


def _law_of_plans(mechanism: SpluGen, histogram: Sequence[int]) -> dict[Plan, Fraction]:
    """Return the probability of every list of groups; a plan without a secret has one."""
    counts = np.array(histogram, dtype=np.int64)
    law: dict[Plan, Fraction] = defaultdict(Fraction)
    for groups, probability in outcomes(
        lambda source: mechanism.decoys(counts, mechanism.gamma, source).groups().tolist()
    ):
        law[tuple(map(tuple, groups))] += probability
    return law


def _mixture(plans: Mapping[Plan, Fraction], law_of: Callable[[Plan], Law]) -> Law:
    total: dict[Vector, Fraction] = defaultdict(Fraction)
    for groups, weight in plans.items():
        for vector, probability in law_of(groups).items():
            total[vector] += weight * probability
    return total


def _fault_in_vectors(law: Law, kept: Sequence[int], domain_size: int) -> str | None:
    if any(len(published) != len(kept) for published in law):
        return f"{len(kept)} records do not give {len(kept)} published values"
    if any(not 0 <= value < domain_size for published in law for value in published):
        return "a published value lies outside the domain"
    return None


def _law_disagreements(
    law: Law,
    kept: Sequence[int],
    plans: Mapping[Plan, Fraction],
    histogram: Sequence[int],
    mechanism: SpluGen,
) -> Iterator[str]:
    domain_size, retention = len(histogram), mechanism.retention
    counts: dict[Vector, Fraction] = defaultdict(Fraction)
    for published, probability in law.items():
        counts[tuple(published.count(value) for value in range(domain_size))] += probability
    for value, frequency in enumerate(histogram):
        marginal: dict[int, Fraction] = defaultdict(Fraction)
        for vector, probability in counts.items():
            marginal[vector[value]] += probability
        expected = mechanism.count_law.law(frequency)
        if any(marginal[k] != expected.get(k, 0) for k in {*marginal, *expected}):
            found = ", ".join(f"{k}: {marginal[k]}" for k in sorted(marginal) if marginal[k])
            yield f"the count of value {value} has the law {found}, not {_named(mechanism, frequency)}"
    if counts != _mixture(plans, lambda groups: count_law(groups, domain_size, retention)):
        yield "the law of the published histogram is not the convolution over the groups"
    if law != _mixture(plans, lambda groups: record_law(groups, kept, retention)):
        yield "the joint law of the published values by record differs"


def _named(mechanism: SpluGen, frequency: int) -> str:
    law = mechanism.count_law
    if law.is_plain:
        return f"Bin({law.gamma * frequency}, 1/{law.gamma})"
    return f"Bin({frequency}, {law.retention}) + Bin({(law.gamma - 1) * frequency}, {law.decoy})"
