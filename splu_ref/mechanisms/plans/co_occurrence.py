"""Co-occurrence of values in a decoy plan: the number c(u, v) of groups that contain both u and v.

If p = 1/gamma, a record of value u is published with value v with probability c(u, v) / (gamma f_u), its
group being uniform among those of u (claim splu.M1c).
"""

from __future__ import annotations

import numpy as np

from splu_ref.channels import ParameterError
from splu_ref.mechanisms.plans.plan import DecoyPlan, IntArray


class CoOccurrence:
    """The co-occurrence counts c(u, v) of a plan, computed value by value from its groups.

    The matrix may be much larger than the plan, so only the plan's N slots are stored.

    Parameters
    ----------
    plan
        Any decoy plan.
    """

    def __init__(self, plan: DecoyPlan) -> None:
        self.domain_size = plan.domain_size
        self._groups = plan.groups()
        values = self._groups.reshape(-1)
        self._slots = np.argsort(values, kind="stable")
        frequencies = np.bincount(values, minlength=plan.domain_size)
        self._ends = np.concatenate([[0], np.cumsum(frequencies)])

    def row(self, value: int) -> IntArray:
        """Return c(value, v) for every v, shape (domain size,).

        The entry of the value itself is its frequency f, and the entries sum to gamma f. Time and memory
        are O(gamma f + domain size).

        Raises
        ------
        ParameterError
            If the value is not in the domain.
        """
        if not 0 <= value < self.domain_size:
            raise ParameterError(f"value is {value}, outside the domain 0 .. {self.domain_size - 1}")
        slots = self._slots[self._ends[value] : self._ends[value + 1]]
        companions = self._groups[slots // self._groups.shape[1]].reshape(-1)
        return np.bincount(companions, minlength=self.domain_size).astype(np.int64)

    def __call__(self, value: int, other: int) -> int:
        """Return c(value, other); symmetric."""
        if not 0 <= other < self.domain_size:
            raise ParameterError(f"value is {other}, outside the domain 0 .. {self.domain_size - 1}")
        return int(self.row(value)[other])

    def counts(self) -> dict[int, dict[int, int]]:
        """Return all nonzero counts by value and value, as `splu_ref.channels.decoy_groups` takes them.

        Memory is O(gamma N).
        """
        rows = ((value, self.row(value)) for value in range(self.domain_size))
        return {value: {int(other): int(row[other]) for other in np.flatnonzero(row)} for value, row in rows}


def co_occurrence(plan: DecoyPlan) -> CoOccurrence:
    """Return the co-occurrence counts of a plan: ``c = co_occurrence(plan); c(u, v); c.row(u)``."""
    return CoOccurrence(plan)
