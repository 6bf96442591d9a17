"""The shipped trades as a Markov chain on all valid plans of a small histogram, in fractions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from math import factorial, prod
from typing import TypeAlias

import numpy as np

from splu_ref.channels.parameters import Gamma
from splu_ref.data import embedded_table
from splu_ref.data.reading import EMBEDDED_SENSITIVE
from splu_ref.mechanisms import MOST_GROUPS, Blocks, SpluGen, cyclic, expected_co_occurrence, mixed
from splu_ref.mechanisms.plans.mixed import apply_passes, default_passes, draw_block_secret
from splu_ref.mechanisms.plans.plan import Groups
from splu_ref.randomness import Draws, SeededSource, UniformSource, outcomes

from .valid_plans import Plan

Law: TypeAlias = dict[Plan, Fraction]
Arrangement: TypeAlias = tuple[tuple[int, ...], ...]
"""Groups with their values slot by slot, in ascending order: a pass orders the groups at random anyway."""
Chain: TypeAlias = dict[Arrangement, dict[Arrangement, Fraction]]


def _plan(groups: Groups) -> Plan:
    return tuple(tuple(sorted(group)) for group in groups.tolist())


def _arranged(groups: Groups) -> Arrangement:
    return tuple(sorted(map(tuple, groups.tolist())))


def one_pass(state: Arrangement) -> dict[Arrangement, Fraction]:
    """Return the law after one pass of the shipped trades, over all their outcomes."""
    slots = np.array(state, dtype=np.uint8).T

    def run(source: UniformSource) -> Arrangement:
        secret = draw_block_secret(len(state), Gamma(len(slots)), source, 1)
        return _arranged(apply_passes(slots.copy(), secret).T)

    law: dict[Arrangement, Fraction] = defaultdict(Fraction)
    for after, chance in outcomes(run):
        law[after] += chance
    return dict(law)


@cache
def chain(histogram: tuple[int, ...], gamma: int) -> Chain:
    """Return the law after one pass from each arrangement that passes reach from the shipped start."""
    found: Chain = {}
    waiting = [start(histogram, gamma)]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found[state] = one_pass(state)
            waiting += found[state]
    return found


def start(histogram: tuple[int, ...], gamma: int) -> Arrangement:
    """Return the arrangement from which the shipped trades start, of a plan of one block."""
    return _arranged(cyclic(np.array(histogram, dtype=np.int64), Gamma(gamma)).groups())


def orders(state: Arrangement) -> int:
    """Return in how many orders the groups of an arrangement can stand."""
    return factorial(len(state)) // prod(map(factorial, Counter(state).values()))


def plan_of(state: Arrangement) -> Plan:
    """Return the plan of an arrangement, its groups in ascending order."""
    return tuple(sorted(tuple(sorted(group)) for group in state))


def after_passes(histogram: tuple[int, ...], gamma: int, passes: int) -> Law:
    """Return the law of the plan, groups in ascending order, after a number of passes from the start."""
    steps = chain(histogram, gamma)
    law = {start(histogram, gamma): Fraction(1)}
    for _ in range(passes):
        following: dict[Arrangement, Fraction] = defaultdict(Fraction)
        for state, weight in law.items():
            for after, chance in steps[state].items():
                following[after] += weight * chance
        law = following
    found: Law = defaultdict(Fraction)
    for state, weight in law.items():
        found[plan_of(state)] += weight
    return dict(found)


def after_default_passes(histogram: tuple[int, ...], gamma: int) -> Law:
    """Return the law of the plan after as many passes as the shipped method makes."""
    return after_passes(histogram, gamma, default_passes(sum(histogram) // gamma))


def shipped_law(histogram: tuple[int, ...], gamma: int, passes: int, most: int = 4096) -> Law:
    """Return the law of the shipped plan itself, over all outcomes of all its passes in all its blocks.

    The groups of each block are in ascending order.
    """
    counts = np.array(histogram, dtype=np.int64)
    law: Law = defaultdict(Fraction)
    for blocks, chance in outcomes(lambda source: mixed(counts, Gamma(gamma), source, passes, most).blocks()):
        law[tuple(group for block in blocks for group in plan_of(_arranged(block)))] += chance
    return dict(law)


def block_histograms(histogram: tuple[int, ...], gamma: int, most: int) -> list[tuple[int, ...]]:
    """Return how often each value occurs in every block of at most ``most`` groups."""
    blocks = Blocks.of(sum(histogram) // gamma, most)
    counts = np.array(histogram, dtype=np.int64)
    return [tuple(blocks.histogram(block, counts).tolist()) for block in range(blocks.count)]


def apart(histogram: tuple[int, ...], gamma: int) -> tuple[int, float]:
    """Return the number of blocks, and how far the sum of their approximations is from the whole one."""
    whole = expected_co_occurrence(histogram, Gamma(gamma))
    parts = Counter(block_histograms(histogram, gamma, MOST_GROUPS))
    total = sum(often * expected_co_occurrence(block, Gamma(gamma)) for block, often in parts.items())
    return parts.total(), float(np.abs(total - whole).max())


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
