"""Sampled streams: whether integers, pairs of them, and orders are uniform."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, counts_point, multinomial_point, multinomial_power
from splu_ref.randomness import UniformSource

INTEGERS = 30_000
ORDERS = 300
ITEMS = 4
LONG = 2_000
BATCHES = 6
TESTS = 4


def _evidence(source: UniformSource, batches: int) -> Iterator[EValue]:
    """Yield the mean e-value of four tests on a growing sample."""
    pairs = np.zeros(25, dtype=np.int64)
    bytewise = np.zeros(200, dtype=np.int64)
    orders = np.zeros(ITEMS**ITEMS, dtype=np.int64)
    ascents = neighbors = 0
    valid = [
        number
        for number in range(ITEMS**ITEMS)
        if len({number // ITEMS**place % ITEMS for place in range(ITEMS)}) == ITEMS
    ]
    for _ in range(batches):
        drawn = source.below(5, INTEGERS)
        pairs += np.bincount(drawn[::2] * 5 + drawn[1::2], minlength=25)
        bytewise += np.bincount(source.below(200, INTEGERS), minlength=200)
        for _ in range(ORDERS):
            orders[int(source.permutation(ITEMS) @ ITEMS ** np.arange(ITEMS))] += 1
        long = source.order_within(np.zeros(LONG, dtype=np.int64))
        ascents += int((long[::2] < long[1::2]).sum())
        neighbors += LONG // 2
        yield average(
            [
                multinomial_point(pairs.tolist(), [Fraction(1, 25)] * 25),
                multinomial_point(bytewise.tolist(), [Fraction(1, 200)] * 200),
                multinomial_point(orders[valid].tolist(), [Fraction(1, len(valid))] * len(valid)),
                counts_point(neighbors, ascents, Fraction(1, 2)),
            ]
        )


def _power(level: Fraction) -> str:
    pairs = multinomial_power(
        BATCHES * INTEGERS // 2, [Fraction(1, 25)] * 25, 0, "a pair of integers below 5", level / TESTS
    )
    return str(pairs)


@check(
    "source.seeded",
    "statistical",
    "The seeded stream gives uniform integers, independent in pairs, and uniform orders.",
)
def seeded(subject: Subject, run: Run) -> Outcome:
    source = run.stream(subject, "source.seeded")
    return sequential_outcome(run, "source.seeded", _evidence(source, run.pick(BATCHES, 2)), _power)


@check(
    "source.system",
    "statistical",
    "The system's entropy, through the rules of the sources, gives uniform integers, independent in pairs, "
    "and uniform orders.",
)
def system(subject: Subject, run: Run) -> Outcome:
    # This sample is fresh in every run: the kill matrix is an execution of its own.
    evidence = _evidence(subject.system(), run.pick(BATCHES, 2))
    return sequential_outcome(run, "source.system", evidence, _power, example=run.pick(0, 1))
