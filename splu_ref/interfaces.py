"""What the parts of the house are to each other: five Protocols.

A guarantee is none of them: it is a function of a channel and a prior, or of parameters.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar, runtime_checkable

from narwhals.typing import IntoDataFrame

from splu_ref.channels import Channel
from splu_ref.microdata import Microdata
from splu_ref.randomness import IntArray, Randomness, UniformSource

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

    def facts(self) -> Mapping[str, int | str]:
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
    """A randomizer of records and columns that are independent, and for which all predicates are alike."""

    def predicate_channel(self, members: int, values: int) -> Channel[bool, bool]:
        """Return the law of whether a record's published value is in a set, by whether its true one is.

        A promise: the law depends on nothing else of the set and of the true value, and `channel` has it.

        Parameters
        ----------
        members
            How many values are in the set, 0 to ``values``.
        values
            How many there are in the column's domain.
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
