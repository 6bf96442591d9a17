"""A decoy plan: which gamma values stand together in each decoy group, and who draws what.

A plan is a function of the histogram alone (Fu et al. 2014, section 3.1, step 2). It answers two
questions: in which group does the k-th record of a value stand, and which value stands in slot j of a
group. Everything else about a release is random.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.model import Gamma

IntArray: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.integer]
Groups: TypeAlias = NDArray[np.integer]
"""Values by group and slot, shape (groups, gamma). Integers of up to 16 bits sort in linear time."""


def groups_dtype(domain_size: int) -> type[np.integer]:
    """Return the type in which the groups of a domain are held."""
    if domain_size <= 1 << 8:
        return np.uint8
    return np.uint16 if domain_size <= 1 << 16 else np.int64


@dataclass(frozen=True)
class DecoyPlan(ABC):
    """Groups of ``gamma`` distinct values, each value in as many groups as it has records.

    Attributes
    ----------
    gamma
        Size of a group.
    domain_size
        Number of values; values are the integers below it.
    """

    gamma: Gamma
    domain_size: int

    @abstractmethod
    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma), in the plan's order."""

    def blocks(self) -> tuple[Groups, ...]:
        """Return the values by group and slot, block by block; one block unless the plan says otherwise."""
        return (self.groups(),)

    def slots(self) -> IntArray:
        """Return where each entry of the sorted records stands: gamma times the group, plus the slot.

        Shape (N,). Entry p belongs to block (p mod N / gamma) mod (number of blocks). Of the block's entries
        with one value, the k-th stands in the k-th of its groups that hold the value.
        """
        blocks = self.blocks()
        entries = np.empty((self.gamma, sum(map(len, blocks))), dtype=np.int64)
        begin = 0
        for number, groups in enumerate(blocks):
            slots = begin + np.argsort(groups.reshape(-1), kind="stable")
            entries[:, number :: len(blocks)] = slots.reshape(self.gamma, -1)
            begin += groups.size
        return entries.reshape(-1)

    def published(self, order: IntArray, draws: IntArray) -> Codes:
        """Return the value that each record is published with.

        Parameters
        ----------
        order
            Records sorted by value, shape (N,): the record listed p-th stands where `slots` has entry p.
        draws
            One integer below gamma per record, shape (N,), by record: 0 keeps the record's own value,
            j > 0 takes the j-th of the other values of its group, in the group's order.

        Returns
        -------
        Codes
            Published value by record, shape (N,), in the type of the groups.
        """
        blocks = self.blocks()
        drawn = draws.astype(np.min_scalar_type(self.gamma))[order].reshape(self.gamma, -1)
        entries = np.empty(drawn.shape, dtype=blocks[0].dtype)
        for number, groups in enumerate(blocks):
            mine = slice(number, None, len(blocks))
            entries[:, mine] = self._taken(groups.reshape(-1), drawn[:, mine].reshape(-1)).reshape(
                self.gamma, -1
            )
        published = np.empty(len(order), dtype=entries.dtype)
        published[order] = entries.reshape(-1)
        return published

    def shown(self, order: IntArray, slots: IntArray) -> Codes:
        """Return the value that each record is published with, by the slot that shows it.

        Parameters
        ----------
        order
            As in `published`.
        slots
            By slot, the slot whose value the record that stands there is published with, shape (N,); a slot
            is gamma times its group plus its place in the group.

        Returns
        -------
        Codes
            Published value by record, shape (N,), in the type of the groups.
        """
        values = self.groups().reshape(-1)
        published = np.empty(len(order), dtype=values.dtype)
        published[order] = values[slots[self.slots()]]
        return published

    def _taken(self, values: Codes, draw: Codes) -> Codes:
        """Return the value that each entry of a block takes, by entry, from the values in its slots."""
        slots = np.argsort(values, kind="stable")
        # Offsets within a group fit the smallest integers, which keeps this a handful of gathers.
        own = np.tile(np.arange(self.gamma, dtype=draw.dtype), len(values) // self.gamma)[slots]
        other = draw - (draw <= own)
        offset = np.where(draw == 0, own, other)
        slots -= own
        slots += offset
        return values[slots]


@dataclass(frozen=True)
class Run:
    """Consecutive groups of a plan: fixed head values, then a window that slides around a ring of values.

    Group k of the run (k = 0, 1, ...) holds ``head`` and then the ring's values at the positions
    ``start + k * width, ..., start + (k + 1) * width - 1`` modulo the ring's length, where ``width`` is
    gamma minus the length of ``head``.

    Attributes
    ----------
    head
        Values that stand in every group of the run, in group order; fewer than gamma.
    ring
        Values that take turns, at least ``width`` of them.
    start
        First position of the window.
    length
        Number of groups.
    """

    head: tuple[int, ...]
    ring: tuple[int, ...]
    start: int
    length: int


@dataclass(frozen=True)
class RunLengthPlan(DecoyPlan):
    """A plan held as runs: its size depends on the domain, not on the number of records."""

    runs: tuple[Run, ...]

    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma)."""
        total = sum(run.length for run in self.runs)
        groups = np.empty((total, self.gamma), dtype=groups_dtype(self.domain_size))
        begin = 0
        for run in self.runs:
            block = groups[begin : begin + run.length]
            width = self.gamma - len(run.head)
            block[:, : len(run.head)] = run.head
            ring = np.roll(np.asarray(run.ring, dtype=groups.dtype), -run.start)
            turns = run.length * width
            rounds = np.tile(ring, -(-turns // len(ring)))
            block[:, len(run.head) :] = rounds[:turns].reshape(run.length, width)
            begin += run.length
        return groups


@dataclass(frozen=True)
class ArrayPlan(DecoyPlan):
    """A plan held as the array of its groups: O(N) memory, any composition."""

    array: Groups

    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma)."""
        return self.array
