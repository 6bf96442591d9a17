"""How processor time grows with size: a curve, its points, and the exponent of growth.

A curve is measured together with a baseline, in turn, so that both meet the same machine. Its exponent is the
slope of a straight line through the logarithms of sizes and times, least squares, once for each run: a run is
one time at each size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import NamedTuple

from benchmarks.timing import seconds

LEAST_SECONDS = 0.02
"""What is shorter is repeated within one measurement."""
ENOUGH_SECONDS = 12.0
"""After so much time at one size no further run is begun, once there are three."""

LEAST_RUNS = 3
CHANCE = 100
"""Lines or words by which two counts of the same work may differ: a rejected draw is drawn again."""


class Pair(NamedTuple):
    """What is measured at one size, and what it is measured against."""

    ours: Callable[[], object]
    baseline: Callable[[], object]


@dataclass(frozen=True)
class GrowthLimit:
    """Small sizes at which work is counted, and how fast it may grow.

    Attributes
    ----------
    sizes
        Three, each the same factor above the one before.
    most
        What the exponents of lines run and of words allocated must stay below.
    at
        From a size to what is counted; None where it is what is measured.
    """

    sizes: tuple[int, int, int]
    most: float = 1.2
    at: Callable[[int], Pair] | None = None


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Something that is measured at several sizes.

    Attributes
    ----------
    name
        What is measured.
    unit
        What the size counts.
    baseline
        What it is measured against.
    sizes
        Where time is measured, ascending.
    largest
        Further sizes, which take minutes or most of the memory.
    at
        From a size to what is measured, all prepared.
    counted
        Where a test counts the work.
    """

    name: str
    unit: str
    baseline: str
    sizes: tuple[int, ...]
    largest: tuple[int, ...] = ()
    at: Callable[[int], Pair]
    counted: GrowthLimit


@dataclass(frozen=True)
class Point:
    """Processor seconds at one size, run by run."""

    size: int
    ours: tuple[float, ...]
    baseline: tuple[float, ...]

    @property
    def seconds(self) -> float:
        """The median of our runs."""
        return median(self.ours)

    @property
    def ratios(self) -> tuple[float, ...]:
        """Each run's ratio to the baseline beside it, ascending."""
        return tuple(sorted(one / other for one, other in zip(self.ours, self.baseline, strict=True)))


@dataclass(frozen=True)
class Exponent:
    """A slope in logarithms: the median of the runs, the least and the greatest of them."""

    value: float
    least: float
    greatest: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.least:.2f} to {self.greatest:.2f})"


def slope(sizes: Sequence[int], amounts: Sequence[float]) -> float:
    """Return the slope of the straight line through the logarithms, by least squares."""
    x = [math.log(size) for size in sizes]
    y = [math.log(amount) for amount in amounts]
    center = sum(x) / len(x)
    spread = sum((one - center) ** 2 for one in x)
    return sum((one - center) * other for one, other in zip(x, y, strict=True)) / spread


def exponent_above_fixed(sizes: tuple[int, int, int], amounts: tuple[int, int, int]) -> float:
    """Return k of the curve a + b size**k through three points, whose sizes are each a factor above the last.

    The work that does not depend on the size, a, is left out. Amounts that do not grow by a tenth, and by
    more than chance moves them, are taken to be constant: k is 0.
    """
    first, second, third = amounts
    if third - first < max(first / 10, CHANCE) or third <= second:
        return 0.0
    return math.log((third - second) / max(second - first, CHANCE)) / math.log(sizes[1] / sizes[0])


def exponent(points: Sequence[Point]) -> Exponent:
    """Return the exponent of growth of some points, with its spread over as many runs as all points have."""
    sizes = [point.size for point in points]
    runs = list(zip(*(point.ours for point in points), strict=False))
    found = sorted(slope(sizes, run) for run in runs)
    return Exponent(median(found), found[0], found[-1])


def measured(pair: Pair, size: int, runs: int) -> Point:
    """Time a pair in turn, once unmeasured and then ``runs`` times or until it has taken enough."""
    calls = [max(1, math.ceil(LEAST_SECONDS / max(_once(function), 1e-9))) for function in pair]
    taken: list[tuple[float, float]] = []
    begin = process_time()
    while len(taken) < min(runs, LEAST_RUNS) or (
        len(taken) < runs and process_time() - begin < ENOUGH_SECONDS
    ):
        taken.append((_each(pair.ours, calls[0]), _each(pair.baseline, calls[1])))
    ours, baseline = zip(*taken, strict=True)
    return Point(size, ours, baseline)


def _once(function: Callable[[], object]) -> float:
    """Return the time of a call, of a second one if the first may have done little but load what it needs."""
    first = seconds(function, process_time)
    return first if first > 1 else seconds(function, process_time)


def _each(function: Callable[[], object], calls: int) -> float:
    def repeated() -> None:
        for _ in range(calls):
            function()

    return seconds(repeated, process_time) / calls
