"""A plan in parts, each made from the histogram and a stream of its own: no machine has to hold them all.

Records sorted by value are the entries 0 .. N - 1 of a plan. Where an entry stands is arithmetic: which part
it belongs to is known from its number alone, and what the entries of a part are published with follows from
the part's groups and their draws.
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
from splu_ref.mechanisms.plans.plan import Codes, Groups, IntArray, RunLengthPlan, taken
from splu_ref.randomness import PlanSecret


@dataclass(frozen=True)
class PlanParts(ABC):
    """What is known of a plan without making it.

    Attributes
    ----------
    histogram
        Frequencies of the values, shape (values,).
    gamma
        Size of a group.
    """

    histogram: IntArray
    gamma: Gamma

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of parts, at least 1. None has more than `MOST_GROUPS` groups, unless told otherwise."""

    @abstractmethod
    def size(self, part: int) -> int:
        """Return how many groups a part has; gamma times as many entries belong to it."""

    @abstractmethod
    def part_of(self, entries: IntArray) -> IntArray:
        """Return the part that each entry belongs to, shape of ``entries``.

        Parameters
        ----------
        entries
            Numbers of entries, below N: the k-th record of a value, from 0, is the entry k places after all
            records of smaller values.
        """

    @abstractmethod
    def groups(self, part: int, secret: PlanSecret) -> Groups:
        """Return the values by group and slot of one part, shape (`size`, gamma).

        Parameters
        ----------
        part
            Its number.
        secret
            The plan's secret, of which at most the stream of this part is asked for.
        """

    def published(self, part: int, secret: PlanSecret, draws: IntArray) -> Codes:
        """Return the values that the entries of one part are published with.

        Parameters
        ----------
        part, secret
            As for `groups`.
        draws
            One integer below gamma for each entry of the part, entries ascending, shape (gamma `size`,): 0
            keeps the entry's own value, j > 0 takes the j-th of the other values of its group.

        Returns
        -------
        Codes
            Published value by entry, entries ascending, shape of ``draws``.
        """
        values = self.groups(part, secret).reshape(-1)
        return taken(values, draws.astype(np.min_scalar_type(self.gamma), copy=False), self.gamma)


@dataclass(frozen=True)
class MixedParts(PlanParts):
    """The blocks of the mixed plan.

    Attributes
    ----------
    passes, most
        As for `mixed`.
    """

    passes: int | None = None
    most: int = MOST_GROUPS

    def __post_init__(self) -> None:
        require_eligible(self.histogram, self.gamma)

    @cached_property
    def blocks(self) -> Blocks:
        """How many blocks there are, and what each of them holds."""
        return Blocks.of(int(self.histogram.sum()) // self.gamma, self.most)

    @property
    def count(self) -> int:
        """Number of blocks."""
        return self.blocks.count

    def size(self, part: int) -> int:
        """Return how many groups a block has."""
        return self.blocks.size(part)

    def part_of(self, entries: IntArray) -> IntArray:
        """Return the block that each entry belongs to: a systematic sample."""
        return entries % self.blocks.groups % self.blocks.count

    def groups(self, part: int, secret: PlanSecret) -> Groups:
        """Return one block after its passes."""
        own = self.blocks.histogram(part, self.histogram)
        return mixed_block(own, self.gamma, secret.block(part), self.passes)


@dataclass(frozen=True)
class RunParts(PlanParts):
    """Consecutive groups of a plan held as runs, which has no secret.

    Attributes
    ----------
    plan
        The plan.
    most
        The largest number of groups of a part; the last one may have fewer.
    """

    plan: RunLengthPlan
    most: int = MOST_GROUPS

    @property
    def count(self) -> int:
        """Number of parts."""
        return -(-self.plan.group_count // self.most)

    def size(self, part: int) -> int:
        """Return how many groups a part has."""
        return min(self.most, self.plan.group_count - part * self.most)

    def part_of(self, entries: IntArray) -> IntArray:
        """Return the part of the group in which each entry stands."""
        return self.plan.group_of(entries) // self.most

    def groups(self, part: int, secret: PlanSecret) -> Groups:
        """Return consecutive groups of the plan; the secret is not asked."""
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
        For a histogram that is not eligible, or a method whose plans are not made in parts.
    """
    if plan == "mixed":
        return MixedParts(histogram, gamma)
    if plan not in ("anatomy", "cyclic"):
        raise ParameterError(f"plan {plan!r} is not made in parts: choose mixed, anatomy or cyclic")
    return RunParts(histogram, gamma, (anatomy if plan == "anatomy" else cyclic)(histogram, gamma))
