"""Decoy plans (Fu et al. 2014, section 3.1, step 2): the gamma distinct values of each decoy group.

A plan is a function of the histogram and of a secret. It determines the group of the k-th record of a value,
and the value in slot j of a group.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Gamma

IntArray: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.integer]
Groups: TypeAlias = NDArray[np.integer]
"""Values by group and slot, shape (groups, gamma). Integers of up to 16 bits sort in linear time."""


def groups_dtype(domain_size: int) -> type[np.integer]:
    """Return the integer type of a domain's groups."""
    if domain_size <= 1 << 8:
        return np.uint8
    return np.uint16 if domain_size <= 1 << 16 else np.int64


@dataclass(frozen=True)
class DecoyPlan(ABC):
    """Groups of ``gamma`` distinct values, each value in as many groups as it has records."""

    gamma: Gamma  #: size of a group
    domain_size: int  #: number of values; values are the integers below it

    @abstractmethod
    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma), in the plan's order."""

    def blocks(self) -> tuple[Groups, ...]:
        """Return the values by group and slot, block by block; by default there is one block."""
        return (self.groups(),)

    def slots(self) -> IntArray:
        """Return the slot of each entry of the sorted records, shape (N,): gamma times the group plus place.

        Entry p belongs to block (p mod N / gamma) mod (number of blocks). The k-th entry of a value in a
        block is assigned to the k-th group of the block that contains the value.
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
        """Return the published value of each record.

        Parameters
        ----------
        order
            Records sorted by value, shape (N,); ``order[p]`` is the record of entry p.
        draws
            One integer below gamma per record, shape (N,), by record: 0 retains the true value, j > 0 selects
            the j-th other value of its group, in the order of the group.

        Returns
        -------
        Codes
            Published values by record, shape (N,), of the type of the groups.
        """
        blocks = self.blocks()
        drawn = draws.astype(np.min_scalar_type(self.gamma))[order].reshape(self.gamma, -1)
        entries = np.empty(drawn.shape, dtype=blocks[0].dtype)
        for number, groups in enumerate(blocks):
            mine = slice(number, None, len(blocks))
            values = select_values(groups.reshape(-1), drawn[:, mine].reshape(-1), self.gamma)
            entries[:, mine] = values.reshape(self.gamma, -1)
        published = np.empty(len(order), dtype=entries.dtype)
        published[order] = entries.reshape(-1)
        return published

    def published_from_slots(self, order: IntArray, slots: IntArray) -> Codes:
        """Return the published value of each record under dependent draws.

        Parameters
        ----------
        order
            As in `published`.
        slots
            For each slot the slot whose value its record is published with, shape (N,); a slot is gamma times
            its group plus its place in the group.

        Returns
        -------
        Codes
            Published values by record, shape (N,), of the type of the groups.
        """
        values = self.groups().reshape(-1)
        published = np.empty(len(order), dtype=values.dtype)
        published[order] = values[slots[self.slots()]]
        return published


def select_values(values: Codes, draws: Codes, gamma: int) -> Codes:
    """Return the published value of each entry of some groups."""
    slots = np.argsort(values, kind="stable")
    # Offsets within a group fit the smallest integers, which keeps this a handful of gathers.
    own = np.tile(np.arange(gamma, dtype=draws.dtype), len(values) // gamma)[slots]
    other = draws - (draws <= own)
    offset = np.where(draws == 0, own, other)
    slots -= own
    slots += offset
    return values[slots]


@dataclass(frozen=True)
class Run:
    """Consecutive groups of a plan: fixed head values, then a window that slides around a ring of values.

    Group k of the run (k = 0, 1, ...) consists of ``head`` and the ring's values at the positions
    ``start + k * width, ..., start + (k + 1) * width - 1`` modulo the ring's length, where ``width`` is
    gamma minus the length of ``head``.
    """

    head: tuple[int, ...]  #: values in every group of the run, in group order; fewer than gamma
    ring: tuple[int, ...]  #: values that alternate, at least ``width`` of them
    start: int  #: first position of the window
    length: int  #: number of groups


@dataclass(frozen=True)
class RunLengthPlan(DecoyPlan):
    """A plan in run-length form: its size depends on the domain, not on the number of records."""

    runs: tuple[Run, ...]

    @property
    def group_count(self) -> int:
        """Number of groups, N / gamma."""
        return self._ends[-1]

    @cached_property
    def _ends(self) -> list[int]:
        """The number of the group after each run."""
        return list(accumulate(run.length for run in self.runs))

    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma)."""
        return self.groups_between(0, self.group_count)

    def groups_between(self, begin: int, end: int) -> Groups:
        """Return the groups ``begin`` to ``end`` - 1, shape (``end`` - ``begin``, gamma)."""
        groups = np.empty((end - begin, self.gamma), dtype=groups_dtype(self.domain_size))
        touched = slice(bisect_right(self._ends, begin), bisect_left(self._ends, end) + 1)
        for run, run_end in zip(self.runs[touched], self._ends[touched], strict=True):
            first = run_end - run.length
            skipped, width = max(begin - first, 0), self.gamma - len(run.head)
            block = groups[first + skipped - begin : min(run_end, end) - begin]
            block[:, : len(run.head)] = run.head
            shift = (run.start + skipped * width) % len(run.ring)
            ring = np.roll(np.asarray(run.ring, dtype=groups.dtype), -shift)
            turns = len(block) * width
            rounds = np.tile(ring, -(-turns // len(ring)))
            block[:, len(run.head) :] = rounds[:turns].reshape(len(block), width)
        return groups

    def group_of(self, entries: IntArray) -> IntArray:
        """Return the group of each entry of the sorted records, shape of ``entries``.

        The k-th record of a value is in the k-th group with that value.
        """
        stretches = self._stretches
        place = np.searchsorted(stretches.entry, entries, side="right") - 1
        turns = stretches.turn[place] + (entries - stretches.entry[place]) * stretches.ring[place]
        groups = stretches.group[place]
        groups += turns // stretches.width[place]
        return groups

    @cached_property
    def _stretches(self) -> _Stretches:
        """The stretches of all values and runs, sorted by value and then by run."""
        parts = []
        first = 0
        for run in self.runs:
            width, size = self.gamma - len(run.head), len(run.ring)
            turn = (np.arange(size) - run.start) % size
            for values, begins, step, a_group, times in (
                (run.head, np.zeros(len(run.head), dtype=np.int64), 1, 1, run.length),
                (run.ring, turn, size, width, (run.length * width - turn + size - 1) // size),
            ):
                part = np.empty((6, len(values)), dtype=np.int64)
                for row, entry in enumerate((values, first, begins, step, a_group, times)):
                    part[row] = entry
                parts.append(part)
            first += run.length
        ordered = np.concatenate(parts, axis=1)
        ordered = ordered[:, ordered[5] > 0]
        ordered = ordered[:, np.argsort(ordered[0], kind="stable")]
        return _Stretches(np.cumsum(ordered[5]) - ordered[5], *ordered[1:5])


class _Stretches(NamedTuple):
    """The positions of a value's records in one run, for all values and runs, as arrays of one length.

    Record i of a stretch has the position ``turn`` + i ``ring`` of the run's sequence of values, ``width`` of
    which belong to each group from ``group`` on. A head value is treated as a run with one value per group.
    """

    entry: IntArray
    group: IntArray
    turn: IntArray
    ring: IntArray
    width: IntArray


@dataclass(frozen=True)
class ArrayPlan(DecoyPlan):
    """A plan stored as the array of its groups: O(N) memory, any composition."""

    array: Groups

    def groups(self) -> Groups:
        """Return the values by group and slot, shape (N / gamma, gamma)."""
        return self.array
