"""Protocols of the library: mechanisms, randomizers, estimators and attacks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from splu_ref.channels import Channel, Pairs
from splu_ref.data import TableInput
from splu_ref.randomness import Fact, IntArray, Randomness, UniformSource

Release_co = TypeVar("Release_co", covariant=True)


class Mechanism(Protocol[Release_co]):
    """A mechanism with its public parameters, an immutable value."""

    @property
    def name(self) -> str:
        """The ``method`` of a manifest."""
        ...

    def facts(self) -> Mapping[str, Fact]:
        """Return the parameters as recorded in a manifest, exact numbers as text."""
        ...

    def publish(
        self,
        table: TableInput,
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
        missing: str | None = None,
    ) -> Release_co:
        """Publish a table: sensitive columns by the mechanism, other columns unchanged.

        Parameters
        ----------
        table
            The original: a data frame of pandas, Polars or PyArrow, the path of a file, or a table.
        sensitive
            Name of the sensitive column, or of several.
        randomness
            Source of random integers; the system's entropy by default.
        id_column
            Column that identifies a record, for keyed randomness.
        missing
            Text published as the value of a missing sensitive cell.

        Raises
        ------
        DataError
            If the mechanism cannot publish the table.
        ParameterError
            If a sensitive column is named twice, or identifies the records as well.
        """
        ...


@runtime_checkable
class Randomizer(Mechanism[Release_co], Protocol[Release_co]):
    """A mechanism that publishes one value of the domain for each record, with a declared channel."""

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, int]:
        """Return the exact channel from a record's true code to its published code.

        It is the marginal law of each record given all true values and the secret; records need not be
        independent. Enumeration of the code tests this declaration.

        Parameters
        ----------
        histogram
            Frequencies of the codes among the published records, shape (values,).
        secret
            Source of the secret of a decoy plan, for a mechanism that has one.
        """
        ...


@runtime_checkable
class RecordRandomizer(Randomizer[Release_co], Protocol[Release_co]):
    """A randomizer whose law of a predicate depends only on the predicate's share in the replacement law."""

    @property
    def pooled(self) -> bool:
        """Whether estimates use pairs of records.

        They do if draws of records are dependent, or if the replacement law is not public and is estimated
        from the published column. Otherwise records are independent.
        """
        ...

    @property
    def compound(self) -> bool:
        """Whether all sensitive values of a record are retained or replaced together."""
        ...

    def predicate_channels(
        self, sets: Mapping[str, Collection[str]], published: Mapping[str, Mapping[str, int]]
    ) -> Mapping[tuple[str, ...], Channel[bool, bool]]:
        """Return the channels from "true values are in the sets" to "published values are in the sets".

        Parameters
        ----------
        sets
            Values of a column's domain as texts, by sensitive column.
        published
            Published counts of each value of the domain by sensitive column, for a law that is not public.

        Returns
        -------
        Mapping
            The channels, independent of each other, by the columns whose values are retained or replaced
            together. A channel is that of whether all values of these columns are in their sets.
        """
        ...

    def pairs(self, records: int, members: int) -> Pairs:
        """Return weights of pairs of records for a column, where records are `pooled`.

        Parameters
        ----------
        records, members
            Number of published records, and of those with a value of the set.
        """
        ...
