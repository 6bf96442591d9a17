"""A share measured in repeated experiments, with a distribution-free interval of its median."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from statistics import median

LEVEL = 20
"""The interval misses the median with probability at most its reciprocal."""
FEWEST = 6
"""Least number of experiments for which such an interval exists."""


@dataclass(frozen=True, slots=True)
class Shares:
    """A share, over repeated independent experiments."""

    median: Fraction  #: median of the experiments
    #: An interval that covers the median of the share's law with probability at least 95 %, by order
    #: statistics. 0 to 1 with fewer than six experiments.
    least: Fraction
    greatest: Fraction  #: see ``least``
    experiments: int  #: number of experiments

    @property
    def interval(self) -> tuple[Fraction, Fraction] | None:
        """The interval, or None with too few experiments."""
        return (self.least, self.greatest) if self.experiments >= FEWEST else None

    @classmethod
    def of(cls, shares: Sequence[Fraction]) -> Shares:
        """Return the median and its interval, of at least one experiment."""
        ordered, runs = sorted(shares), len(shares)
        rank, below = 0, 0
        while rank < runs and LEVEL * 2 * (below + comb(runs, rank)) <= 2**runs:
            below += comb(runs, rank)
            rank += 1
        ends = (ordered[rank - 1], ordered[runs - rank]) if rank else (Fraction(0), Fraction(1))
        return cls(median(ordered), *ends, runs)
