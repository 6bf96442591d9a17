"""Publishing a table: what the mechanisms share, and the release with the public facts about it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, NamedTuple

from splu_ref.decoys import largest_gamma
from splu_ref.interfaces import Mechanism
from splu_ref.manifest import Manifest, Origin
from splu_ref.microdata import Microdata
from splu_ref.model import DataError, Gamma, ParameterError
from splu_ref.randomness import Draws, IntArray, Randomness, SystemSource


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """A published table with the public facts about it: what an analyst has.

    Attributes
    ----------
    table
        The published table, in shuffled order: its cells, and nothing else that the original's frame held.
    mechanism
        How it was published.
    domains
        The values of each sensitive column, as texts, in the order of publishing.
    told
        The manifest that the table came with; None for a table that has just been published.
    """

    table: Microdata
    mechanism: Mechanism[Release]
    domains: Mapping[str, tuple[str, ...]]
    told: Manifest | None = None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, in the order in which they were published."""
        return tuple(self.domains)

    @cached_property
    def manifest(self) -> Manifest:
        """The public facts. Those of a new release are dated, and its content digested, when first asked."""
        if self.told is not None:
            return self.told
        return Manifest(self.mechanism, self.table.row_count, self.domains, Origin.now(self.table))


@dataclass(frozen=True, kw_only=True)
class Release(PublishedTable):
    """A table that has just been published, with what its publisher alone should know.

    Attributes
    ----------
    rows_in, suppressed
        Records given, and how many of them were deleted to fill the last group (fewer than gamma).
    max_gamma
        The largest group size that every sensitive column would have allowed, None for a mechanism without
        groups. It is computed from true counts: for the publisher, not for the public.
    randomness
        Name of the source of random integers.
    """

    rows_in: int
    suppressed: int
    max_gamma: int | None
    randomness: str


@dataclass(frozen=True)
class ColumnsRelease:
    """What a mechanism did to the sensitive codes of a table of N records.

    Attributes
    ----------
    rows
        The original record that stands at each published row, shape (published rows,).
    published
        Published code at each published row, by sensitive column, each of the shape of ``rows``.
    suppressed
        Records that were deleted, ascending.
    """

    rows: IntArray
    published: Mapping[str, IntArray]
    suppressed: IntArray


class ColumnRelease(NamedTuple):
    """A release of one sensitive column: see `ColumnsRelease` for the meaning of the parts."""

    rows: IntArray
    published: IntArray
    suppressed: IntArray


class RecordMechanism(ABC):
    """A mechanism that publishes a value of the domain for each record: `publish_columns` says how."""

    name: ClassVar[str]

    @abstractmethod
    def facts(self) -> Mapping[str, int | str]:
        """Return the parameters as a manifest tells them."""

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
            Where random integers come from, for each sensitive column; the first column's draws also
            choose what concerns whole records. A stream of random integers is the same for all columns.

        Raises
        ------
        ParameterError
            If the mechanism cannot publish the codes.
        """

    def largest_gamma(self, table: Microdata, columns: Sequence[str]) -> int | None:
        """Return the largest group size that the table allows, or None if the mechanism has no groups.

        Raises
        ------
        DataError
            If the mechanism asks for a larger one.
        """
        del table, columns
        return None

    def publish(
        self,
        table: Microdata,
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
    ) -> Release:
        """Publish a table, its sensitive columns by the mechanism and the others as they are.

        Parameters
        ----------
        table
            The original table.
        sensitive
            Name of the sensitive column, or of several.
        randomness
            Where random integers come from; the system's entropy unless given.
        id_column
            Column that identifies a record, for keyed randomness.

        Raises
        ------
        DataError
            If a sensitive column is missing, has missing or too few values, or the mechanism cannot publish
            it.
        ParameterError
            If a sensitive column is named twice, or identifies the records as well.
        """
        columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
        if not columns or len(set(columns)) < len(columns):
            raise ParameterError("name at least one sensitive column, and each of them once")
        if id_column in columns:
            raise ParameterError(f"column {id_column!r} is sensitive: it cannot identify the records as well")
        codes = {column: table.codes(column) for column in columns}
        max_gamma = self.largest_gamma(table, columns)
        source = SystemSource() if randomness is None else randomness
        identities = cache(lambda: table.identities(id_column))
        done = self.publish_columns(
            codes,
            {column: len(table.domain(column)) for column in columns},
            cache(lambda column: source.for_records(column, identities)),
        )
        published = table.take(done.rows)
        for column, values in done.published.items():
            published = published.with_codes(column, values, domain_of=table)
        return Release(
            table=published.bare(),
            mechanism=self,
            domains={column: tuple(str(value) for value in table.domain(column)) for column in columns},
            rows_in=table.row_count,
            suppressed=len(done.suppressed),
            max_gamma=max_gamma,
            randomness=source.name,
        )

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> ColumnRelease:
        """Publish the codes of one sensitive column; see `publish_columns` for parameters and errors."""
        done = self.publish_columns({"sensitive": codes}, {"sensitive": domain_size}, lambda _: draws)
        return ColumnRelease(done.rows, done.published["sensitive"], done.suppressed)


def feasible_gamma(table: Microdata, column: str, gamma: Gamma) -> int:
    """Return the largest group size that a column allows.

    Raises
    ------
    DataError
        If ``gamma`` is above it.
    """
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
