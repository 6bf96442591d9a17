"""Intervals of conjunctions: sampled mixed releases of the embedded table, column ``occupation``."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from property_tests.checking import Outcome, check, sequential_outcome
from property_tests.run import Run
from property_tests.sampled import World
from property_tests.subject import Subject
from splu_ref.audit import EValue, average, rate_at_most, rate_power
from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import Gamma
from splu_ref.data import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.randomness import IntArray

NAME = "adult.intervals"
BATCH, BATCHES, FEWEST = 20, 8, 4
"""Releases a batch, and batches: of a full run, and for a mutant.

Intervals that are a quarter too short add about .18 to log10 e per release, and 7.7 are required: 40 releases
detect them in about half of all runs, 80 almost surely.
"""
ALLOWED = Fraction(8, 100)
"""Chance of a miss, of each interval."""
ALLOWED_MEAN = Fraction(6, 100)
"""The same on average over all intervals of a release."""
STAKES = (Fraction(2), Fraction(5), Fraction(10), Fraction(15))
"""Bets on the mean."""
PREDICATES = (("sex", "Female"), ("education", "Bachelors"), ("relationship", "Own-child"), ("race", "Black"))


@cache
def _table() -> tuple[World, NDArray[np.bool_]]:
    """Return the world, and which records satisfy each predicate, shape (predicates, records)."""
    table = embedded_table()
    frame: pl.DataFrame = table.to_frame()
    size = len(table.domain(EMBEDDED_SENSITIVE))
    holds = np.array([(frame[column] == value).to_numpy() for column, value in PREDICATES])
    return World(table.codes(EMBEDDED_SENSITIVE), size, Gamma(5), "mixed"), holds


def _by_value(codes: IntArray, holds: NDArray[np.bool_], size: int) -> IntArray:
    return np.array([np.bincount(codes[covered], minlength=size) for covered in holds])


def mean_at_most(misses: list[int], intervals: int, rate: Fraction) -> EValue:
    """Test that the share of missing intervals in a release has a mean of at most ``rate``.

    Parameters
    ----------
    misses
        How many of a release's intervals miss, by independent release, each 0 .. ``intervals``.
    intervals
        How many intervals a release has. They depend on each other, in whatever way.
    rate
        The stated mean.

    Returns
    -------
    EValue
        The mean, over the stakes b, of the product over releases of 1 + b (share - rate). Stakes that
        could make a factor negative are left out; its mean is at most 1 if the share's is at most ``rate``.
    """
    stakes = [stake for stake in STAKES if stake * rate < 1]
    factors = [
        [1 + stake * (Fraction(number, intervals) - rate) for number in range(intervals + 1)]
        for stake in stakes
    ]
    return average(
        [EValue.of(prod((factor[number] for number in misses), start=Fraction(1))) for factor in factors]
    )


@check(
    NAME,
    "statistical",
    "Over 160 mixed releases of the embedded table with gamma 5, the 95 % interval of a conjunction of an "
    "occupation with one of four predicates misses its true count with probability at most 0.08, and on "
    "average over occupations and predicates at most 0.06 (splu.V).",
)
def coverage(subject: Subject, run: Run) -> Outcome:
    world, holds = _table()
    size, law = world.domain_size, PublishedCount.of(world.gamma)

    def evidence() -> Iterator[EValue]:
        source = run.stream(subject, NAME)
        missed = np.zeros((len(PREDICATES), size), dtype=np.int64)
        by_release: list[int] = []
        for _ in range(run.pick(BATCHES, FEWEST)):
            for release in world.releases(subject, source, BATCH):
                kept = holds[:, release.rows]
                true = _by_value(world.codes[release.rows], kept, size)
                published = _by_value(release.published, kept, size)
                frequency = np.bincount(release.published, minlength=size)
                low, high = subject.two_state_intervals(
                    published, published.sum(axis=1)[:, None], frequency, len(release.rows), law
                )
                misses = (true < low) | (true > high)
                missed += misses
                by_release.append(int(misses.sum()))
            each = [rate_at_most(len(by_release), int(count), ALLOWED) for count in missed.ravel()]
            # Half of the level for one interval that is wrong, half for all that are a little too short.
            yield average([average(each), mean_at_most(by_release, missed.size, ALLOWED_MEAN)])

    def power(level: Fraction) -> str:
        share = level / (2 * len(PREDICATES) * size)
        return f"an interval's miss {rate_power(rate_at_most, BATCH * BATCHES, ALLOWED, share)}"

    return sequential_outcome(run, NAME, evidence(), power)
