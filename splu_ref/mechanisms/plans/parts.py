"""Plans in parts: each part is computed from the histogram and a separate stream, so it fits into memory.

Records sorted by value are the entries 0 .. N - 1 of a plan. The part of an entry is a function of its
number; the published values of a part's entries follow from the groups of the part and the entries' draws.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from splu_ref.channels import Gamma, ParameterError
from splu_ref.mechanisms.plans.anatomy import anatomy
from splu_ref.mechanisms.plans.cyclic import MOST_GROUPS, Blocks, cyclic
from splu_ref.mechanisms.plans.eligibility import require_eligible
from splu_ref.mechanisms.plans.mixed import mixed_block
from splu_ref.mechanisms.plans.plan import Codes, Groups, IntArray, RunLengthPlan, select_values
from splu_ref.randomness import PlanSecret


@dataclass(frozen=True)
class PlanParts(ABC):
    """A plan that is computed part by part."""

    histogram: IntArray  #: frequencies of the values, shape (values,)
    gamma: Gamma  #: size of a group

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of parts, at least 1. By default no part has more than `MOST_GROUPS` groups."""

    @abstractmethod
    def size(self, part: int) -> int:
        """Return the number of groups of a part; it has gamma times as many entries."""

    @abstractmethod
    def part_of(self, entries: IntArray) -> IntArray:
        """Return the part that each entry belongs to, shape of ``entries``.

        Parameters
        ----------
        entries
            Numbers of entries, 0 .. N - 1: the k-th record of a value, from 0, is entry k plus the number of
            records with smaller values.
        """

    @abstractmethod
    def groups(self, part: int, secret: PlanSecret) -> Groups:
        """Return the values by group and slot of one part, shape (`size`, gamma).

        Parameters
        ----------
        part
            Its number.
        secret
            The plan's secret; at most the stream of this part is read.
        """

    def published(self, part: int, secret: PlanSecret, draws: IntArray) -> Codes:
        """Return the published values of the entries of one part.

        Parameters
        ----------
        part, secret
            As for `groups`.
        draws
            One integer below gamma for each entry of the part in ascending order, shape (gamma `size`,): 0
            retains the entry's value, j > 0 selects the j-th other value of its group.

        Returns
        -------
        Codes
            Published values by entry in ascending order, shape of ``draws``.
        """
        values = self.groups(part, secret).reshape(-1)
        return select_values(values, draws.astype(np.min_scalar_type(self.gamma), copy=False), self.gamma)


@dataclass(frozen=True)
class MixedParts(PlanParts):
    """The mixed plan, a block as a part; ``passes`` and ``most`` are those of `mixed`."""

    passes: int | None = None
    most: int = MOST_GROUPS

    def __post_init__(self) -> None:
        require_eligible(self.histogram, self.gamma)

    @cached_property
    def blocks(self) -> Blocks:
        """The division of the plan into blocks."""
        return Blocks.of(int(self.histogram.sum()) // self.gamma, self.most)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return self.blocks.count

    def size(self, part: int) -> int:
        """Return the number of groups of a block."""
        return self.blocks.size(part)

    def part_of(self, entries: IntArray) -> IntArray:
        """Return the block of each entry: each block is a systematic sample of the entries."""
        return entries % self.blocks.groups % self.blocks.count

    def groups(self, part: int, secret: PlanSecret) -> Groups:
        """Return one block after its passes."""
        histogram = self.blocks.histogram(part, self.histogram)
        return mixed_block(histogram, self.gamma, secret.block(part), self.passes)


@dataclass(frozen=True)
class RunParts(PlanParts):
    """A run-length plan, ``most`` consecutive groups as a part; the last part may have fewer."""

    plan: RunLengthPlan
    most: int = MOST_GROUPS

    @property
    def count(self) -> int:
        """Number of parts."""
        return -(-self.plan.group_count // self.most)

    def size(self, part: int) -> int:
        """Return the number of groups of a part."""
        return min(self.most, self.plan.group_count - part * self.most)

    def part_of(self, entries: IntArray) -> IntArray:
        """Return the part with each entry's group."""
        return self.plan.group_of(entries) // self.most

    def groups(self, part: int, secret: PlanSecret) -> Groups:
        """Return the consecutive groups of a part; the secret is not read."""
        del secret
        begin = part * self.most
        return self.plan.groups_between(begin, begin + self.size(part))


def plan_parts(plan: str, histogram: IntArray, gamma: Gamma) -> PlanParts:
    """Return the parts of a plan.

    Parameters
    ----------
    plan
        Name of its method: ``mixed``, ``anatomy`` or ``cyclic``.
    histogram
        Frequencies of the values, shape (values,); the sum is a multiple of gamma and no frequency is
        above its gamma-th part.
    gamma
        Size of a group.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible, or a method without plans in parts.
    """
    if plan == "mixed":
        return MixedParts(histogram, gamma)
    if plan not in ("anatomy", "cyclic"):
        raise ParameterError(f"plan {plan!r} is not made in parts: choose mixed, anatomy or cyclic")
    return RunParts(histogram, gamma, (anatomy if plan == "anatomy" else cyclic)(histogram, gamma))
