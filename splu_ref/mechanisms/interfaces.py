"""What the parts of the house are to each other: five Protocols.

A guarantee is none of them: it is a function of a channel and a prior, or of parameters.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from narwhals.typing import IntoDataFrame

from splu_ref.channels import Channel, Pairs
from splu_ref.data import Microdata
from splu_ref.randomness import Fact, IntArray, Randomness, UniformSource

Release_co = TypeVar("Release_co", covariant=True)
Release_contra = TypeVar("Release_contra", contravariant=True)
Query_contra = TypeVar("Query_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)
Knowledge_contra = TypeVar("Knowledge_contra", contravariant=True)
Belief_co = TypeVar("Belief_co", covariant=True)


class Mechanism(Protocol[Release_co]):
    """A way to publish a table, with its public parameters: a frozen value."""

    @property
    def name(self) -> str:
        """The ``method`` of a manifest."""
        ...

    def facts(self) -> Mapping[str, Fact]:
        """Return the parameters as a manifest tells them: exact numbers as text."""
        ...

    def publish(
        self,
        table: Microdata | IntoDataFrame | str | os.PathLike[str],
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
        missing: str | None = None,
    ) -> Release_co:
        """Publish a table, its sensitive columns by the mechanism and the others as they are.

        Parameters
        ----------
        table
            The original: a data frame of pandas, Polars or PyArrow, the path of a file, or a table.
        sensitive
            Name of the sensitive column, or of several.
        randomness
            Where random integers come from; the system's entropy unless given.
        id_column
            Column that identifies a record, for keyed randomness.
        missing
            Text to publish as a value where a sensitive cell is without content.

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
    """A mechanism that publishes one value of the domain for each record, and declares with which law."""

    def channel(self, histogram: IntArray, secret: UniformSource) -> Channel[int, int]:
        """Return the law of a record's published code, by its true code, exactly.

        A promise, which enumerating the code holds it to: the marginal law of each record, given all true
        values and the secret. Records need not be independent.

        Parameters
        ----------
        histogram
            How many of the published records hold each code, shape (values,).
        secret
            Where the secret of a decoy plan comes from, for a mechanism that has one.
        """
        ...


@runtime_checkable
class RecordRandomizer(Randomizer[Release_co], Protocol[Release_co]):
    """A randomizer of records and columns for which all predicates of the same share are alike."""

    @property
    def pooled(self) -> bool:
        """Whether records enter each other's estimates.

        They do if their draws depend on each other, or if the law of replacements is not public, so that
        estimates take its shares from the whole published column. Otherwise records are independent.
        """
        ...

    @property
    def compound(self) -> bool:
        """Whether all sensitive values of a record are kept or replaced together."""
        ...

    def predicate_channels(
        self, sets: Mapping[str, Collection[str]], published: Mapping[str, Mapping[str, int]]
    ) -> Mapping[tuple[str, ...], Channel[bool, bool]]:
        """Return the laws of whether published values are in sets, by whether the true ones are.

        A promise: a law depends on nothing else of the sets and of the true values, and `channel` has it.

        Parameters
        ----------
        sets
            Values of a column's domain as texts, by sensitive column.
        published
            By sensitive column, how many published records hold each value of the domain, for a law that is
            not public.

        Returns
        -------
        Mapping
            By the columns whose values are kept or replaced together: the law of whether all of these are in
            their sets. The laws are independent of each other.
        """
        ...

    def pairs(self, records: int, members: int) -> Pairs:
        """Return weights of pairs of records for a column, where records are `pooled`.

        Parameters
        ----------
        records, members
            Published records, and how many of them hold a value of the set.
        """
        ...


class Estimator(Protocol[Query_contra, Answer_co]):
    """What answers queries about the original of a release that it was made for."""

    def estimate(self, queries: Sequence[Query_contra]) -> Sequence[Answer_co]:
        """Return an answer to each query, in their order."""
        ...


class Attack(Protocol[Release_contra, Knowledge_contra, Belief_co]):
    """What somebody concludes from a release and from what he knew before."""

    @property
    def name(self) -> str:
        """Stable name."""
        ...

    def guess(self, release: Release_contra, knowledge: Knowledge_contra) -> Belief_co:
        """Return what the attacker believes then."""
        ...
