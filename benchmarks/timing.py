"""Timing two functions against each other on a machine that is not quiet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True)
class Ratio:
    """How much longer one function took than another, run in turn."""

    ours: float
    baseline: float
    ratio: float
    least: float
    greatest: float

    def __str__(self) -> str:
        return (
            f"{self.ratio:.2f} (runs {self.least:.2f} to {self.greatest:.2f}; "
            f"{1000 * self.ours:.1f} ms against {1000 * self.baseline:.1f} ms)"
        )


def seconds(function: Callable[[], object], clock: Callable[[], float] = perf_counter) -> float:
    """Return the time of one call by a clock, by that on the wall unless another is given."""
    begin = clock()
    function()
    return clock() - begin


def compare(
    ours: Callable[[], object],
    baseline: Callable[[], object],
    runs: int = 9,
    clock: Callable[[], float] = perf_counter,
) -> Ratio:
    """Time both in turn, once unmeasured and then ``runs`` times; the ratio is the pairs' median."""
    ours()
    baseline()
    pairs = [(seconds(ours, clock), seconds(baseline, clock)) for _ in range(runs)]
    ratios = [one / other for one, other in pairs]
    return Ratio(
        ours=median(one for one, _ in pairs),
        baseline=median(other for _, other in pairs),
        ratio=median(ratios),
        least=min(ratios),
        greatest=max(ratios),
    )
