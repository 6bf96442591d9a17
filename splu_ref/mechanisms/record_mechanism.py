"""Base classes of mechanisms that publish a value of the domain for each record."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol, Self

import numpy as np

from splu_ref.channels import DataError, Gamma
from splu_ref.data import Value
from splu_ref.mechanisms.plans.eligibility import largest_gamma
from splu_ref.mechanisms.release import PublishingInput, PublishingMechanism, Release
from splu_ref.randomness import Draws, IntArray


@dataclass(frozen=True)
class ColumnsRelease:
    """The outcome of publishing the sensitive codes of a table of N records."""

    rows: IntArray  #: number of the original record at each published row, shape (published rows,)
    published: Mapping[str, IntArray]  #: published codes by sensitive column, each of the shape of ``rows``
    suppressed: IntArray  #: numbers of the deleted records, ascending


class ColumnRelease(NamedTuple):
    """The outcome of publishing one sensitive column: see `ColumnsRelease` for the fields."""

    rows: IntArray
    published: IntArray
    suppressed: IntArray


class Frequencies(Protocol):
    """A table that reports how often values occur; `Microdata` is one."""

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending."""
        ...

    def histogram(self, column: str) -> IntArray:
        """Return the frequencies of these values, shape (values,)."""
        ...


class RecordMechanism(PublishingMechanism[Release]):
    """Base class of mechanisms that publish a value of the domain for each record."""

    @abstractmethod
    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
    ) -> ColumnsRelease:
        """Publish the codes of one or more sensitive columns.

        Parameters
        ----------
        codes
            True codes by sensitive column, each of shape (N,), in 0 .. domain size - 1.
        domain_sizes
            Number of values of each sensitive column.
        draws_for
            Returns the random draws of a sensitive column; called once for each column. The first column's
            draws also decide deletion and shuffling. A stream of random integers is the same for all columns.

        Returns
        -------
        ColumnsRelease
            Published codes, original record numbers and deleted records.

        Raises
        ------
        ParameterError
            If the mechanism cannot publish the codes.
        """

    def largest_gamma(self, table: Frequencies, columns: Sequence[str]) -> int | Mapping[str, int] | None:
        """Return the largest feasible group size, or None if the mechanism has no groups.

        Raises
        ------
        DataError
            If the mechanism's gamma is larger.
        """
        del table, columns
        return None

    def for_column(self, name: str) -> RecordMechanism:
        """Return the mechanism of one sensitive column: by default the same for all columns.

        It has the marginal law of that column.
        """
        del name
        return self

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the mechanism with its parameters in the order of these domains.

        By default it is the mechanism itself, whose law does not depend on the order of the values.
        """
        del domains
        return self

    def release(self, given: PublishingInput) -> Release:
        """Return the release of a table by `publish_columns`."""
        max_gamma = self.largest_gamma(given.table, tuple(given.codes))
        done = self.aligned(given.domains()).publish_columns(given.codes, given.domain_sizes, given.draws_for)
        published = given.table.take(done.rows)
        for column, values in done.published.items():
            published = published.with_codes(column, values, domain_of=given.table)
        return given.release(published, suppressed=len(done.suppressed), max_gamma=max_gamma)

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> ColumnRelease:
        """Publish the codes of one sensitive column; see `publish_columns` for parameters and errors."""
        done = self.publish_columns({"sensitive": codes}, {"sensitive": domain_size}, lambda _: draws)
        return ColumnRelease(done.rows, done.published["sensitive"], done.suppressed)


class RowMechanism(RecordMechanism):
    """Base class of mechanisms that publish each record independently, so tables can be published in parts.

    Of the whole table it needs the histograms alone.
    """

    @property
    @abstractmethod
    def shuffles(self) -> bool:
        """Whether the published rows are in a random order."""

    @abstractmethod
    def publish_rows(
        self,
        codes: Mapping[str, IntArray],
        histograms: Mapping[str, IntArray],
        draws_for: Callable[[str], Draws],
    ) -> dict[str, IntArray]:
        """Publish part of a table's records, in their order.

        Parameters
        ----------
        codes
            True codes of these records by sensitive column, each of one length.
        histograms
            Frequencies of the values in the whole table by sensitive column, each of shape (domain size,).
        draws_for
            Returns the records' random draws of a sensitive column; called once for each column.

        Returns
        -------
        dict
            Published codes of the records by sensitive column.

        Raises
        ------
        ParameterError
            If the mechanism cannot publish the codes.
        """

    def publish_columns(
        self,
        codes: Mapping[str, IntArray],
        domain_sizes: Mapping[str, int],
        draws_for: Callable[[str], Draws],
    ) -> ColumnsRelease:
        """Publish all records of a table; see `RecordMechanism` for parameters.

        Random integers are drawn in the order of `publish_rows`; the shuffle is drawn last, from the first
        column's draws.
        """
        histograms = {
            column: np.bincount(own, minlength=domain_sizes[column]) for column, own in codes.items()
        }
        draws_of = cache(draws_for)
        published = self.publish_rows(codes, histograms, draws_of)
        first = next(iter(codes))
        rows = np.arange(len(codes[first]), dtype=np.int64)
        if self.shuffles:
            rows = draws_of(first).permutation(len(rows))
        in_order = {column: values[rows].astype(np.int64, copy=False) for column, values in published.items()}
        return ColumnsRelease(rows, in_order, np.array([], dtype=np.int64))


def feasible_gamma(table: Frequencies, column: str, gamma: Gamma) -> int:
    """Return the largest feasible group size of a column; raise ``DataError`` if ``gamma`` is above it."""
    domain, histogram = table.domain(column), table.histogram(column)
    feasible = largest_gamma(histogram)
    if gamma > feasible:
        code = int(histogram.argmax())
        remedy = (
            f"the largest feasible gamma is {feasible}"
            if feasible >= 2
            else "no gamma is feasible: group or drop values, or choose another sensitive column"
        )
        raise DataError(
            f"column {column!r} does not allow gamma = {gamma}: the value {str(domain[code])!r} occurs "
            f"{int(histogram[code])} times among {table.row_count} records; {remedy}"
        )
    return feasible
