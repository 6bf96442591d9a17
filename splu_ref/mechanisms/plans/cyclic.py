"""The cyclic plan, and plans in blocks, each of which is the plan of a small table of its own.

The groups of a plan in blocks, each of which is the plan of a small table of its own.

The N = gamma G records, sorted by value, are entries 0 .. N - 1. Entry p belongs to block (p mod G) mod B: a
systematic sample, of which every value has its share up to two records. What a block holds follows from the
frequencies by division, so that whoever works on one block needs no other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from splu_ref.channels import Gamma
from splu_ref.mechanisms.plans.eligibility import require_eligible
from splu_ref.mechanisms.plans.plan import DecoyPlan, Groups, IntArray, Run, RunLengthPlan
from splu_ref.randomness import PlanSecret

MOST_GROUPS = 4096
"""No block has more groups: a constant of the specification."""


@dataclass(frozen=True)
class Blocks:
    """How many blocks there are, and what each of them holds.

    Attributes
    ----------
    groups
        G, the number of groups of the plan, at least 1.
    count
        B, the number of blocks: 1 to G.
    """

    groups: int
    count: int

    @classmethod
    def of(cls, groups: int, most: int = MOST_GROUPS) -> Blocks:
        """Return the fewest blocks with at most ``most`` groups each; none has less than half as many."""
        return cls(groups, -(-groups // most))

    def size(self, block: int) -> int:
        """Return m, the number of the block's groups; sizes differ by at most one."""
        return -(-(self.groups - block) // self.count)

    def before(self, block: int, entries: IntArray) -> IntArray:
        """Return how many of the block's entries are below each given number, shape of ``entries``."""
        rounds, group = np.divmod(entries, self.groups)
        below: IntArray = rounds * self.size(block) + (group - block + self.count - 1) // self.count
        return below

    def histogram(self, block: int, histogram: IntArray) -> IntArray:
        """Return how often each value occurs in the block, shape (values,): m gamma in all, none above m."""
        ends = np.concatenate([[0], np.cumsum(histogram)])
        return np.diff(self.before(block, ends))


@dataclass(frozen=True)
class BlockPlan(DecoyPlan):
    """A plan held as the groups of its blocks: O(N) memory, any composition."""

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
        At most (values + gamma) runs of identical groups. The values of a group are distinct because two
        slots of a group are at least N / gamma sorted records apart, and no value has more records.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible; the message names the largest feasible gamma.
    """
    require_eligible(histogram, gamma)
    groups = int(histogram.sum()) // gamma
    ends = np.cumsum(histogram)
    borders = np.unique(np.concatenate([[0], ends % groups, [groups]]))
    columns = np.arange(gamma) * groups
    runs = []
    for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        values = np.searchsorted(ends, columns + begin, side="right")
        runs.append(Run((), tuple(values.tolist()), 0, end - begin))
    return RunLengthPlan(gamma, len(histogram), tuple(runs))
