"""What is checked of releases at random: observations, and the law that they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.conformance.worlds import Integers, Sample, World
from splu_ref.decoys import PLANS, co_occurrence
from splu_ref.randomness import TapeSource

Law: TypeAlias = Sequence[Fraction]


@dataclass(frozen=True)
class Check:
    """One thing that is checked of the releases of a world.

    Attributes
    ----------
    name
        Stands in its id.
    linked
        Whether it needs to know which record stands at each row.
    law
        The probabilities of the bins; empty where a world has no such law.
    bins
        The bin of every observation of a sample.
    named
        What the first bin stands for.
    """

    name: str
    linked: bool
    law: Callable[[World], Law]
    bins: Callable[[World, Sample], Integers]
    named: str


def _count_law(world: World) -> Law:
    """Return the law of f', its upper tail in one bin: Bin(f, p) + Bin((gamma-1) f, (1-p)/(gamma-1))."""
    keeping, frequency, others = world.keeping, world.frequency, (world.gamma - 1) * world.frequency
    kept = _binomial(frequency, keeping)
    taken = _binomial(others, (1 - keeping) / (world.gamma - 1))
    law = [
        sum(
            (kept[k] * taken[total - k] for k in range(len(kept)) if 0 <= total - k < len(taken)), Fraction(0)
        )
        for total in range(frequency + others + 1)
    ]
    last = next(place for place in range(len(law)) if sum(law[place:]) < Fraction(1, 10))
    return [*law[:last], sum(law[last:], Fraction(0))]


def _binomial(trials: int, chance: Fraction) -> list[Fraction]:
    return [comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]


def _counts(world: World, sample: Sample) -> Integers:
    counted = (sample.published == world.sensitive[0]).sum(axis=1)
    bins: Integers = np.minimum(counted, len(_count_law(world)) - 1)
    return bins


def _place_law(world: World) -> Law:
    share = Fraction(world.frequency, len(world.sensitive))
    return [share, 1 - share]


def _first_place(world: World, sample: Sample) -> Integers:
    bins: Integers = (sample.published[:, 0] != world.sensitive[0]).astype(int)
    return bins


def _row_law(world: World) -> Law:
    return [Fraction(1, len(world.sensitive))] * len(world.sensitive)


def _row_of_first(world: World, sample: Sample) -> Integers:
    assert sample.rows is not None
    bins: Integers = np.argmin(sample.rows, axis=1)
    return bins


def _kept(world: World, sample: Sample) -> NDArray[np.bool_]:
    kept: NDArray[np.bool_] = sample.by_record() == np.array(world.sensitive)
    return kept


def _retention(world: World, sample: Sample) -> Integers:
    bins: Integers = (~_kept(world, sample)).astype(int).reshape(-1)
    return bins


def _pair_law(world: World) -> Law:
    keeping = world.keeping
    return [keeping**2, keeping * (1 - keeping), (1 - keeping) * keeping, (1 - keeping) ** 2]


def _neighbors(world: World, sample: Sample) -> Integers:
    changed = (~_kept(world, sample)).astype(int)
    bins: Integers = (2 * changed[:, 0::2] + changed[:, 1::2]).reshape(-1)
    return bins


def _partner_law(world: World) -> Law:
    """Return the law of the first record's published value; none where the plan itself is drawn."""
    if world.method == "mixed":
        return []
    histogram = np.bincount(world.sensitive)
    together = co_occurrence(PLANS[world.method](histogram, world.gamma, TapeSource(b""))).row(
        world.sensitive[0]
    )
    share = (1 - world.keeping) / (world.gamma - 1) / world.frequency
    law = [count * share for count in together.tolist()]
    law[world.sensitive[0]] = world.keeping
    return law


def _first_value(world: World, sample: Sample) -> Integers:
    return sample.by_record()[:, 0]


CHECKS = (
    Check("counts", False, _count_law, _counts, "no record is published with the value"),
    Check("first-row", False, _place_law, _first_place, "the first row shows the first record's value"),
    Check("row-of-the-first-record", True, _row_law, _row_of_first, "the first record stands first"),
    Check("retention", True, lambda world: [world.keeping, 1 - world.keeping], _retention, "own value"),
    Check("neighbors", True, _pair_law, _neighbors, "two neighbors keep their values"),
    Check("decoys-of-the-first-record", True, _partner_law, _first_value, "own value"),
)
