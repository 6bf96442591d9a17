"""A share that was measured in repeated experiments, with an interval that needs no law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from statistics import median

LEVEL = 20
"""The interval misses the median in at most one of so many repetitions of all experiments."""
FEWEST = 6
"""The fewest experiments that have an interval: all of fewer lie on one side of the median too often."""


@dataclass(frozen=True, slots=True)
class Shares:
    """A share, over repeated independent experiments.

    Attributes
    ----------
    median
        Of the experiments.
    least, greatest
        An interval that holds the median of the share's law with at least 95 %: an order statistic and its
        counterpart, whatever the law is. 0 to 1 with fewer than six experiments.
    experiments
        How many there were.
    """

    median: Fraction
    least: Fraction
    greatest: Fraction
    experiments: int

    @property
    def interval(self) -> tuple[Fraction, Fraction] | None:
        """The interval, or None where there are too few experiments for one."""
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
