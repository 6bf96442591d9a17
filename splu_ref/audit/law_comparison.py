"""Observed laws of a release held against the theory, as fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from splu_ref.audit.laws import Law, Vector, count_law, fault_in_groups, record_law
from splu_ref.mechanisms import SpluGen
from splu_ref.randomness import outcomes

Plan = tuple[Vector, ...]


def release_disagreements(
    codes: Sequence[int],
    domain_size: int,
    mechanism: SpluGen,
    observed: Mapping[Vector, Mapping[Vector, Fraction]],
) -> Iterator[str]:
    """Yield what differs from the theory, in words; nothing if all laws agree.

    Parameters
    ----------
    codes
        True codes, shape (N,).
    domain_size
        Number of values.
    mechanism
        The parameters. Every outcome of the plan's secret is walked.
    observed
        For each set of deleted records the probability of each vector of published values of the others, by
        record. The probabilities add up to 1 over all sets and vectors.
    """
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
