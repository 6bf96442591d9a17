"""What is checked of releases at random: observations, and the law that they have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import decoy_groups
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
    """Return the law of f', its upper tail in one bin."""
    law = list(world.law.law(world.frequency).values())
    last = next(count for count in range(len(law)) if sum(law[count:]) < Fraction(1, 10))
    return [*law[:last], sum(law[last:], Fraction(0))]


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


def _retention_law(world: World) -> Law:
    return [world.law.retention, 1 - world.law.retention]


def _retention(world: World, sample: Sample) -> Integers:
    bins: Integers = (~_kept(world, sample)).astype(int).reshape(-1)
    return bins


def _pair_law(world: World) -> Law:
    kept, changed = _retention_law(world)
    return [kept**2, kept * changed, changed * kept, changed**2]


def _neighbors(world: World, sample: Sample) -> Integers:
    changed = (~_kept(world, sample)).astype(int)
    bins: Integers = (2 * changed[:, 0::2] + changed[:, 1::2]).reshape(-1)
    return bins


def _partner_law(world: World) -> Law:
    """Return the law of the first record's published value; none where the plan itself is drawn."""
    if world.method == "mixed":
        return []
    plan = PLANS[world.method](np.bincount(world.sensitive), world.law.gamma, TapeSource(b""))
    channel = decoy_groups(co_occurrence(plan).counts(), world.law)
    return [channel.probability(world.sensitive[0], value) for value in channel.outputs]


def _first_value(world: World, sample: Sample) -> Integers:
    return sample.by_record()[:, 0]


CHECKS = (
    Check("counts", False, _count_law, _counts, "no record is published with the value"),
    Check("first-row", False, _place_law, _first_place, "the first row shows the first record's value"),
    Check("row-of-the-first-record", True, _row_law, _row_of_first, "the first record stands first"),
    Check("retention", True, _retention_law, _retention, "own value"),
    Check("neighbors", True, _pair_law, _neighbors, "two neighbors keep their values"),
    Check("decoys-of-the-first-record", True, _partner_law, _first_value, "own value"),
)
