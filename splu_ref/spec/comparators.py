"""The mechanisms that SPLU-Gen is compared with: two tables (Anatomy), draws from the histogram, counts with noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.plans import Group, plan, require_feasible, slots_of_records
from splu_ref.spec.randomness import Stream, integer_below, integers_below, permutation
from splu_ref.spec.splu_gen import OneStream


@dataclass(frozen=True)
class TwoTables:
    """The record and its group at each row of the first table, and the second: the values of each group."""

    rows: list[int]
    groups: list[int]
    values: list[list[int]]
    suppressed: list[int]


def two_tables(codes: Sequence[int], gamma: int, method: str, stream: Stream) -> TwoTables:
    """Publish who is in which group, and the values of each group, but not who has which: SPLU-Gen without draws."""
    require(len(codes) > 0 and gamma >= 2, "there is no record, or gamma is below 2")
    require(max(codes.count(code) for code in set(codes)) * gamma <= len(codes), "a value is too frequent")
    source, everyone = OneStream(stream), range(len(codes))
    suppressed = source.subset(everyone, len(codes) % gamma)
    left = [record for record in everyone if record not in suppressed]
    own = [codes[record] for record in left]
    histogram = [own.count(value) for value in range(max(own) + 1)]
    require_feasible(histogram, gamma)
    blocks = plan(method, histogram, gamma, source.plan_stream)
    slots = slots_of_records(blocks, own, source.order_within(own, left))
    shuffled = source.permutation(left)
    values: list[Group] = [sorted(group) for block in blocks for group in block]
    rows = [left[place] for place in shuffled]
    return TwoTables(rows, [slots[place] // gamma for place in shuffled], values, suppressed)


def distribution_based(codes: Sequence[int], stream: Stream) -> tuple[list[int], list[int]]:
    """Publish every record with the value of a random record. Return the published codes, and the record at each row."""
    require(len(codes) > 0, "there is no record")
    ascending = sorted(codes)
    drawn = [ascending[place] for place in integers_below(stream, len(codes), len(codes))]
    rows = permutation(stream, len(codes))
    return [drawn[row] for row in rows], rows


@dataclass(frozen=True)
class Budget:
    """An epsilon of differential privacy: a fraction, or the logarithm of one."""

    number: Fraction
    logarithm: bool = False

    def __post_init__(self) -> None:
        require(self.number > self.logarithm, "a budget is above 0")


def noisy_counts(counts: Sequence[int], budget: Budget, stream: Stream) -> list[int]:
    """Add the difference of two geometric numbers to each count: discrete Laplace noise.

    >>> from splu_ref.spec.randomness import Tape
    >>> noisy_counts([5], Budget(Fraction(2), logarithm=True), Tape(bytes([0, 0, 1, 1])))
    [7]
    """
    require(len(counts) > 0, "there is no count")
    noisy = []
    for count in counts:
        first = geometric(budget, stream)
        noisy.append(count + first - geometric(budget, stream))
    return noisy


def geometric(budget: Budget, stream: Stream) -> int:
    """Draw k = 0, 1, 2, … with a probability proportional to exp(-k budget)."""
    above, below = budget.number.numerator, budget.number.denominator
    if budget.logarithm:
        failures = 0
        while integer_below(stream, above) < below:
            failures += 1
        return failures
    while True:
        part = integer_below(stream, below)
        if exponential_trial(Fraction(part, below), stream):
            break
    whole = 0
    while exponential_trial(Fraction(1), stream):
        whole += 1
    return (part + below * whole) // above


def exponential_trial(x: Fraction, stream: Stream) -> bool:
    """Toss a coin that succeeds with probability exp(-x), 0 <= x <= 1, exactly (the method of von Neumann)."""
    tries = 1
    while integer_below(stream, tries * x.denominator) < x.numerator:
        tries += 1
    return tries % 2 == 1
