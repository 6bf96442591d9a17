"""Observed laws of a release held against the theory, as fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np

from splu_ref.audit.laws import Law, Vector, binomial_law, count_law, fault_in_groups, record_law
from splu_ref.decoys import PlanMethod
from splu_ref.model import Gamma
from splu_ref.randomness import outcomes

Plan = tuple[Vector, ...]


def release_disagreements(
    codes: Sequence[int],
    domain_size: int,
    gamma: Gamma,
    plan: PlanMethod,
    observed: Mapping[Vector, Mapping[Vector, Fraction]],
) -> Iterator[str]:
    """Yield what differs from the theory, in words; nothing if all laws agree.

    Parameters
    ----------
    codes
        True codes, shape (N,).
    domain_size
        Number of values.
    gamma
        Size of a group.
    plan
        The plan method whose groups the records were put in. Every outcome of a plan's secret is walked.
    observed
        For each set of deleted records the probability of each vector of published values of the others, by
        record. The probabilities add up to 1 over all sets and vectors.
    """
    remainder = len(codes) % gamma
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
        plans = _law_of_plans(plan, histogram, gamma)
        faults = (fault_in_groups(groups, histogram, gamma) for groups in plans)
        fault = next(filter(None, faults), None) or _fault_in_vectors(conditional, kept, domain_size)
        if fault:
            yield fault
            return
        for difference in _law_disagreements(conditional, kept, plans, histogram):
            yield f"histogram {histogram}: {difference}"


def _law_of_plans(plan: PlanMethod, histogram: Sequence[int], gamma: Gamma) -> dict[Plan, Fraction]:
    """Return the probability of every list of groups; a plan without a secret has one."""
    counts = np.array(histogram, dtype=np.int64)
    law: dict[Plan, Fraction] = defaultdict(Fraction)
    for groups, probability in outcomes(lambda source: plan(counts, gamma, source).groups().tolist()):
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
    law: Law, kept: Sequence[int], plans: Mapping[Plan, Fraction], histogram: Sequence[int]
) -> Iterator[str]:
    gamma, domain_size = len(next(iter(plans))[0]), len(histogram)
    counts: dict[Vector, Fraction] = defaultdict(Fraction)
    for published, probability in law.items():
        counts[tuple(published.count(value) for value in range(domain_size))] += probability
    for value, frequency in enumerate(histogram):
        marginal: dict[int, Fraction] = defaultdict(Fraction)
        for vector, probability in counts.items():
            marginal[vector[value]] += probability
        expected = binomial_law(gamma, frequency)
        if any(marginal[k] != expected.get(k, 0) for k in {*marginal, *expected}):
            found = ", ".join(f"{k}: {marginal[k]}" for k in sorted(marginal) if marginal[k])
            yield f"the count of value {value} has the law {found}, not Bin({gamma * frequency}, 1/{gamma})"
    if counts != _mixture(plans, lambda groups: count_law(groups, domain_size)):
        yield "the law of the published histogram is not the convolution over the groups"
    if law != _mixture(plans, lambda groups: record_law(groups, kept)):
        yield "the joint law of the published values by record differs"
