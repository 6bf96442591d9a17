"""The interfaces through which every random choice of a release is made, and what they require."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import ParameterError, shown
from splu_ref.randomness.release_context import ReleaseContext

IntArray: TypeAlias = NDArray[np.int64]


@runtime_checkable
class UniformSource(Protocol):
    """A stream of uniform integers, orders and subsets.

    Whoever draws takes a source as an argument and draws from nothing else. So the same code publishes
    with the system's entropy, repeats a release under a key, replays a recorded tape, and is run on
    every outcome of a small world.

    ``splu_ref/spec/randomness.py`` says how bytes become each of these choices, and in which order
    a release makes them.
    """

    @property
    def name(self) -> str:
        """``"system"``, ``"seeded"``, ``"tape"``, ``"keyed"`` or ``"enumeration"``."""
        ...

    def integer_below(self, bound: int) -> int:
        """Return a uniform integer from 0 to ``bound - 1``; ``bound`` is at least 1."""
        ...

    def below(self, bound: int, size: int) -> IntArray:
        """Return ``size`` independent uniform integers below ``bound``, which is 1 to 2**63."""
        ...

    def coins(self, size: int) -> NDArray[np.bool_]:
        """Return ``size`` independent fair coins."""
        ...

    def permutation(self, size: int) -> IntArray:
        """Return a uniform permutation of ``0 … size - 1``: entry i is the item that stands at place i."""
        ...

    def order_within(self, codes: IntArray) -> IntArray:
        """Return the records grouped by ascending code, in a uniform order within each code.

        Parameters
        ----------
        codes
            One integer per record, shape (N,).

        Returns
        -------
        IntArray
            Record numbers, shape (N,). The orders within different codes are independent.
        """
        ...

    def subset(self, population: int, count: int) -> IntArray:
        """Return a uniform subset of ``count`` of the numbers ``0 … population - 1``, ascending."""
        ...

    def block(self, number: int) -> UniformSource:
        """Return the stream itself: see `PlanSecret`."""
        ...


class PlanSecret(Protocol):
    """What a decoy plan, or the draws of its groups, are drawn from: a stream for each of its blocks."""

    def block(self, number: int) -> UniformSource:
        """Return the stream from which one block of a plan is drawn; ask for the blocks in ascending order.

        A stream returns itself, and the blocks are drawn from it one after the other. Under a key, every
        block has a stream of its own, which begins anew with each call.
        """
        ...


class Draws(Protocol):
    """The draws of a table's records for one column: what a mechanism takes.

    The choices are those of `UniformSource`, one for each record: made of a stream, or, under a key, of
    each record's own bytes. A single integer belongs to no record, so there is none.
    """

    @property
    def name(self) -> str:
        """As of the randomness they were made of."""
        ...

    def below(self, bound: int, size: int) -> IntArray:
        """Return one integer below ``bound`` for each of ``size`` records."""
        ...

    def permutation(self, size: int) -> IntArray:
        """Return the records in a uniform order."""
        ...

    def order_within(self, codes: IntArray) -> IntArray:
        """Return the records grouped by ascending code, in a uniform order within each code."""
        ...

    def subset(self, population: int, count: int) -> IntArray:
        """Return a uniform subset of ``count`` of the ``population`` records, ascending."""
        ...

    def kept(self, rows: IntArray) -> Draws:
        """Return the draws of these records alone, in the order given, once the others are deleted.

        A stream belongs to no record, and returns itself.
        """
        ...

    def plan_secret(self) -> PlanSecret:
        """Return what a secret decoy plan is drawn from.

        A stream returns itself; under a key, it depends on the release's key and the column alone.
        """
        ...

    def group_draws(self) -> PlanSecret:
        """Return what the draws of decoy groups are drawn from, where they belong to no record.

        A stream returns itself; under a key, it depends on the release's key and the column alone, and
        has no stream in common with the plan's secret.
        """
        ...


class ReleaseRandomness(Protocol):
    """Where the draws of one release come from."""

    @property
    def name(self) -> str:
        """``"system"``, ``"seeded"``, ``"tape"``, ``"keyed"`` or ``"enumeration"``."""
        ...

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> Draws:
        """Return the draws of a table's records for one sensitive column.

        Parameters
        ----------
        column
            The sensitive column's name.
        identities
            Called only under a key: one byte string per record, all different. A stream does not ask, and
            returns itself.
        """
        ...


class Randomness(Protocol):
    """Where the draws of a table come from: what is passed in to publish one."""

    @property
    def name(self) -> str:
        """``"system"``, ``"seeded"``, ``"tape"``, ``"keyed"`` or ``"enumeration"``."""
        ...

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        """Return the randomness of one release.

        Parameters
        ----------
        context
            What is published, and how. A stream does not look at it, and returns itself.
        """
        ...


LARGEST_VECTOR_BOUND = 2**63
"""An array of draws holds signed 64-bit integers."""


def require_bound(bound: int) -> None:
    """Raise ``ParameterError`` unless there is an integer from 0 to ``bound - 1``."""
    if bound < 1:
        raise ParameterError(f"a uniform integer below {bound} does not exist: the bound must be at least 1")


def require_vector(bound: int, size: int) -> None:
    """Raise ``ParameterError`` unless ``size`` integers below ``bound`` exist and fit 64 signed bits."""
    require_bound(bound)
    if bound > LARGEST_VECTOR_BOUND:
        raise ParameterError(
            f"the bound {bound} of an array of draws exceeds 2**63: draw integers one by one"
        )
    require_size(size)


def require_size(size: int) -> None:
    """Raise ``ParameterError`` for a negative number of items."""
    if size < 0:
        raise ParameterError(f"the number of items is {size}: it must be at least 0")


def require_subset(population: int, count: int) -> None:
    """Raise ``ParameterError`` unless ``0 <= count <= population``, and the numbers fit 64 signed bits."""
    if population > LARGEST_VECTOR_BOUND:
        raise ParameterError(f"a population of {shown(population)} exceeds 2**63: choose among fewer items")
    if not 0 <= count <= population:
        raise ParameterError(
            f"a subset of {count} from {population} items does not exist: choose 0 to {population}"
        )
