"""The cyclic plan, and the division of a plan into blocks that are computed independently.

The N = gamma G records, sorted by value, are entries 0 .. N - 1. Entry p belongs to block (p mod G) mod B. A
block is a systematic sample, in which the frequency of each value is proportional up to two records, and the
histogram of a block is computed from the histogram of the table.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_ref.channels import Gamma
from splu_ref.mechanisms.plans.eligibility import require_eligible
from splu_ref.mechanisms.plans.plan import DecoyPlan, Groups, IntArray, Run, RunLengthPlan
from splu_ref.randomness import PlanSecret

MOST_GROUPS = 4096
"""Largest number of groups of a block: a constant of the specification."""


@dataclass(frozen=True)
class Blocks:
    """The division of a plan into blocks."""

    groups: int  #: G, the number of groups of the plan, at least 1
    count: int  #: B, the number of blocks: 1 to G

    @classmethod
    def of(cls, groups: int, most: int = MOST_GROUPS) -> Blocks:
        """Return the division into the fewest blocks of at most ``most`` groups."""
        return cls(groups, -(-groups // most))

    def size(self, block: int) -> int:
        """Return the number of groups of a block; sizes differ by at most one."""
        return -(-(self.groups - block) // self.count)

    def before(self, block: int, entries: IntArray) -> IntArray:
        """Return the number of the block's entries below each of some entries, shape of ``entries``."""
        rounds, group = np.divmod(entries, self.groups)
        below: IntArray = rounds * self.size(block) + (group - block + self.count - 1) // self.count
        return below

    def histogram(self, block: int, histogram: IntArray) -> IntArray:
        """Return the frequencies of the values in a block, shape (values,); none is above its `size`."""
        ends = np.concatenate([[0], np.cumsum(histogram)])
        return np.diff(self.before(block, ends))


@dataclass(frozen=True)
class BlockPlan(DecoyPlan):
    """A plan stored as the groups of its blocks: O(N) memory, any composition."""

    arrays: tuple[Groups, ...]

    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma), block after block."""
        return np.concatenate(self.arrays)

    def blocks(self) -> tuple[Groups, ...]:
        """Return the values by group and slot, block by block."""
        return self.arrays


def cyclic(histogram: IntArray, gamma: Gamma, source: PlanSecret | None = None) -> RunLengthPlan:
    """Return the plan whose slot j of group g holds the value of sorted record j * (N / gamma) + g.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,); the sum is a multiple of gamma and no frequency is
        above its gamma-th part.
    gamma
        Size of a group.
    source
        Not used: the plan has no secret.

    Returns
    -------
    RunLengthPlan
        At most (values + gamma) runs of identical groups. The values of a group are distinct because its
        slots are N / gamma sorted records apart, and no value has more records.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible; the message names the largest feasible gamma.
    """
    require_eligible(histogram, gamma)
    groups = int(histogram.sum()) // gamma
    ends = np.cumsum(histogram)
    bounds = np.unique(np.concatenate([[0], ends % groups, [groups]]))
    columns = np.arange(gamma) * groups
    runs = []
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        values = np.searchsorted(ends, columns + begin, side="right")
        runs.append(Run((), tuple(values.tolist()), 0, end - begin))
    return RunLengthPlan(gamma, len(histogram), tuple(runs))
