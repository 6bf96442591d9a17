"""The shipped trades as a Markov chain on all valid plans of a small histogram, in fractions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import TypeAlias

import numpy as np

from splu_ref.decoys import cyclic, expected_co_occurrence, mixed
from splu_ref.decoys.mixed import default_passes, trade
from splu_ref.decoys.plan import Groups
from splu_ref.mechanisms import SpluGen
from splu_ref.microdata import embedded_table
from splu_ref.microdata.embedded import EMBEDDED_SENSITIVE
from splu_ref.model import Gamma
from splu_ref.randomness import Draws, SeededSource, UniformSource, outcomes

from .valid_plans import Plan

Law: TypeAlias = dict[Plan, Fraction]


def _plan(groups: Groups) -> Plan:
    return tuple(tuple(sorted(group)) for group in groups.tolist())


def one_pass(plan: Plan) -> Law:
    """Return the law of the plan after one pass of the shipped trades, over all their outcomes."""

    def run(source: UniformSource) -> Plan:
        groups = np.array(plan, dtype=np.uint16)
        trade(groups, source)
        return _plan(groups)

    law: Law = defaultdict(Fraction)
    for after, chance in outcomes(run):
        law[after] += chance
    return dict(law)


def kernel(plans: list[Plan]) -> dict[Plan, Law]:
    """Return the law after one pass from each plan."""
    return {plan: one_pass(plan) for plan in plans}


def start(histogram: tuple[int, ...], gamma: int) -> Plan:
    """Return the plan from which the shipped trades start."""
    return _plan(cyclic(np.array(histogram, dtype=np.int64), Gamma(gamma)).groups())


def after_passes(histogram: tuple[int, ...], gamma: int, chain: dict[Plan, Law], passes: int) -> Law:
    """Return the law of the plan after a number of passes from the shipped start."""
    law: Law = {start(histogram, gamma): Fraction(1)}
    for _ in range(passes):
        following: Law = defaultdict(Fraction)
        for plan, weight in law.items():
            for after, chance in chain[plan].items():
                following[after] += weight * chance
        law = dict(following)
    return law


def after_default_passes(histogram: tuple[int, ...], gamma: int, chain: dict[Plan, Law]) -> Law:
    """Return the law of the plan after as many passes as the shipped method makes."""
    return after_passes(histogram, gamma, chain, default_passes(sum(histogram) // gamma))


def shipped_law(histogram: tuple[int, ...], gamma: int, passes: int) -> Law:
    """Return the law of the shipped plan itself, over all outcomes of all its passes."""
    counts = np.array(histogram, dtype=np.int64)
    law: Law = defaultdict(Fraction)
    for plan, chance in outcomes(lambda source: _plan(mixed(counts, Gamma(gamma), source, passes).groups())):
        law[plan] += chance
    return dict(law)


def together(law: Law) -> dict[tuple[int, int], Fraction]:
    """Return the mean of c(u, v) under a law of plans, u < v, for pairs that come together at all."""
    mean: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    for plan, chance in law.items():
        for group in plan:
            for pair in combinations(group, 2):
                mean[pair] += chance
    return dict(mean)


def expected(histogram: tuple[int, ...], gamma: int) -> list[list[float]]:
    """Return the shipped approximation of the mean co-occurrence."""
    matrix: list[list[float]] = expected_co_occurrence(histogram, Gamma(gamma)).tolist()
    return matrix


def largest_deviation(gamma: int, draws: int) -> float:
    """Return how far, in standard errors, a mean co-occurrence over drawn plans is off on the embedded table.

    Pairs that share fewer than ten groups over all draws are left out.
    """
    histogram = embedded_table().histogram(EMBEDDED_SENSITIVE)
    histogram[histogram.argmax()] -= histogram.sum() % gamma
    size, source = len(histogram), SeededSource(b"mixed plans")
    counts = np.empty((draws, size, size))
    for draw in range(draws):
        groups = mixed(histogram, Gamma(gamma), source).groups()
        holds = np.zeros((len(groups), size))
        holds[np.arange(len(groups))[:, np.newaxis], groups] = 1
        counts[draw] = holds.T @ holds
    mean = expected_co_occurrence(histogram, Gamma(gamma))
    error = np.maximum(counts.std(axis=0, ddof=1), 0.3) / np.sqrt(draws)
    seen = (mean * draws >= 10) & ~np.eye(size, dtype=np.bool_)
    return float((np.abs(counts.mean(axis=0) - mean) / error)[seen].max())


def published(codes: tuple[int, ...], gamma: int, passes: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield the published values by record, and their probability, over all outcomes of plan and draws."""
    table = np.array(codes, dtype=np.int64)
    plan = partial(mixed, passes=passes)

    def run(source: Draws) -> tuple[int, ...]:
        done = SpluGen(gamma, plan=plan).publish_codes(table, max(codes) + 1, source)
        return tuple(done.published[np.argsort(done.rows)].tolist())

    return outcomes(run)


def published_with_retention(
    codes: tuple[int, ...], gamma: int, retention: Fraction
) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield the same for the plan from which the trades start, and another retention probability."""
    table = np.array(codes, dtype=np.int64)

    def run(source: Draws) -> tuple[int, ...]:
        size = Gamma(gamma)
        done = SpluGen(size, retention=retention, plan="cyclic").publish_codes(table, max(codes) + 1, source)
        return tuple(done.published[np.argsort(done.rows)].tolist())

    return outcomes(run)
