"""Interfaces of random sources: uniform streams, draws of records, and randomness of releases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import ParameterError, shown
from splu_ref.randomness.release_context import ReleaseContext

IntArray: TypeAlias = NDArray[np.int64]


@runtime_checkable
class UniformSource(Protocol):
    """A stream of uniform integers, orders and subsets.

    All random choices come from a source that is passed as an argument. So the same code publishes with the
    system's entropy, repeats a release under a key, replays a recorded tape, and enumerates every outcome of
    a small world. ``splu_ref/spec/randomness.py`` specifies the rules from bytes to choices, and their
    order in a release.
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
        """Return a uniform permutation of ``0 … size - 1``: entry i is the item at place i."""
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
    """Source of the random choices of a decoy plan or of its groups' draws: a stream for each block."""

    def block(self, number: int) -> UniformSource:
        """Return the stream of one block of a plan; blocks are requested in ascending order.

        A stream returns itself, and the blocks are drawn from it one after the other. Under a key, every
        block has a separate stream, which starts again with each call.
        """
        ...


class Draws(Protocol):
    """The random choices of a table's records for one column, which a mechanism uses.

    The choices are those of `UniformSource`, from a stream or, under a key, derived from each record. There
    is no method for a single integer, because it belongs to no record.
    """

    @property
    def name(self) -> str:
        """Name of the source."""
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

    def select_records(self, rows: IntArray) -> Draws:
        """Return the draws of some records in the given order, after deletion of the others.

        A stream returns itself.
        """
        ...

    def plan_secret(self) -> PlanSecret:
        """Return the source of a secret decoy plan.

        A stream returns itself; under a key, it depends on the release's key and the column alone.
        """
        ...

    def group_draws(self) -> PlanSecret:
        """Return the source of dependent draws, which belong to groups.

        A stream returns itself; under a key, it depends on the release's key and the column alone, and is
        independent of the plan's secret.
        """
        ...


class ReleaseRandomness(Protocol):
    """Source of the draws of one release."""

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
            Called only under a key: one byte string per record, all different. A stream returns itself.
        """
        ...


class Randomness(Protocol):
    """Source of random choices that is passed to a mechanism."""

    @property
    def name(self) -> str:
        """``"system"``, ``"seeded"``, ``"tape"``, ``"keyed"`` or ``"enumeration"``."""
        ...

    def for_release(self, context: ReleaseContext) -> ReleaseRandomness:
        """Return the randomness of one release.

        Parameters
        ----------
        context
            Parameters and records of the release. A stream ignores them and returns itself.
        """
        ...


LARGEST_VECTOR_BOUND = 2**63
"""Largest bound of an array of draws, which consists of signed 64-bit integers."""


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


class SingleStream:
    """A source of one stream, which is the same for all releases, columns, records and blocks of plans."""

    def for_release(self, context: ReleaseContext) -> Self:
        """Return the source itself."""
        return self

    def for_records(self, column: str, identities: Callable[[], Sequence[bytes]]) -> Self:
        """Return the source itself, without calling ``identities``."""
        return self

    def select_records(self, rows: IntArray) -> Self:
        """Return the source itself."""
        return self

    def plan_secret(self) -> Self:
        """Return the source itself."""
        return self

    def group_draws(self) -> Self:
        """Return the source itself."""
        return self

    def block(self, number: int) -> Self:
        """Return the source itself: the blocks of a plan are read one after the other."""
        return self
