"""Publishing a table: what the mechanisms share, and the release with the public facts about it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np
from narwhals.typing import IntoDataFrame

from splu_ref.channels import DataError, Gamma, ParameterError
from splu_ref.data import Microdata, Recoding, Records, Value, as_table, table_bytes, text, write_all
from splu_ref.mechanisms.interfaces import Mechanism
from splu_ref.mechanisms.manifest import Manifest, Origin
from splu_ref.mechanisms.plans.eligibility import largest_gamma
from splu_ref.randomness import Draws, Fact, IntArray, Randomness, ReleaseContext, SystemSource


@dataclass(frozen=True, kw_only=True)
class CountedRelease:
    """What estimates need of a release: how many of its records have which values, and how it was published.

    Attributes
    ----------
    table
        The published records.
    mechanism
        How they were published.
    domains
        The values of each sensitive column, as texts, in the order of publishing.
    told
        The manifest that the table came with; None for a table that has just been published.
    """

    table: Records
    mechanism: Mechanism[object]
    domains: Mapping[str, tuple[str, ...]]
    told: Manifest | None = None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns, in the order in which they were published."""
        return tuple(self.domains)


@dataclass(frozen=True, kw_only=True)
class PublishedTable(CountedRelease):
    """A published table with the public facts about it: what an analyst has.

    Attributes
    ----------
    table
        The published table, in shuffled order: its cells, and nothing else that the original's frame held.
    mechanism, domains, told
        As for every release.
    recoded
        What was done to columns of the original before it was published, in this order: see
        `Microdata.recoded`.
    """

    table: Microdata
    recoded: tuple[Recoding, ...] = ()

    @cached_property
    def manifest(self) -> Manifest:
        """The public facts. Those of a new release are dated, and its content digested, when first asked."""
        if self.told is not None:
            return self.told
        made = Origin.now(self.table)
        return Manifest(self.mechanism, self.table.row_count, self.domains, made, recoded=self.recoded)

    @cached_property
    def values_without_rows(self) -> dict[str, int]:
        """By sensitive column, how many values of its domain no published row has.

        Unless the domain was declared, a reader of the manifest learns that each of them occurs in the
        original, perhaps in a deleted record alone.
        """
        return {
            column: len(set(domain).difference(self.published_values(column)))
            for column, domain in self.domains.items()
        }

    def published_values(self, column: str) -> tuple[str, ...]:
        """Return the values of a sensitive column that are published, as texts."""
        return self.table.values(column)

    @property
    def frame(self) -> Any:
        """The published table as a data frame of the kind that it was made from."""
        return self.table.to_frame()

    def write(
        self,
        path: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None = None,
        *,
        force: bool = False,
    ) -> None:
        """Write the table, and its manifest if a path is given, both or none.

        Parameters
        ----------
        path
            A name that ends in ``.csv``, ``.csv.gz`` or ``.parquet``.
        manifest
            A name for the manifest, a JSON file.
        force
            Whether existing files may be replaced.

        Raises
        ------
        DataError
            If a column cannot be written in that format.
        InputError
            If a file exists and ``force`` is false, or cannot be written.
        """
        write_all(self.outputs(path, manifest), force=force)

    def outputs(
        self, path: str | os.PathLike[str], manifest: str | os.PathLike[str] | None
    ) -> list[tuple[Path, bytes]]:
        """Return the files that `write` would write, and what they would hold."""
        outputs = [(Path(path), table_bytes(self.table, path))]
        if manifest is not None:
            outputs.append((Path(manifest), self.manifest.to_json()))
        return outputs

    def estimate(
        self,
        queries: Mapping[str, object] | Sequence[Mapping[str, object]] | None = None,
        /,
        *,
        method: str | None = None,
        **where: object,
    ) -> Any:
        """Return how many records of the original meet conditions: see `splu_ref.api.answers`.

        The conditions are given by column, ``estimate(sex="Female", occupation="Sales")``, or as a mapping,
        or as a sequence of mappings, which is answered by a data frame.
        """
        if (queries is None) == (not where):
            raise ParameterError('say what to count: estimate(occupation="Sales"), or one or more mappings')
        return _public_api().answers(self, where if queries is None else queries, method)

    def crosstab(self, rows: str, columns: str, *, method: str | None = None) -> Any:
        """Return the estimated counts of all pairs of values of two columns: see `splu_ref.api.crosstab`."""
        return _public_api().crosstab(self, rows, columns, method)

    def tabulate(
        self,
        by: str | Sequence[str],
        where: Mapping[str, object] | None = None,
        *,
        sum_of: str | None = None,
        mean_of: str | None = None,
        method: str | None = None,
    ) -> Any:
        """Return estimated counts, sums or means for all values of columns: see `splu_ref.api.tabulate`."""
        return _public_api().tabulate(self, by, where, sum_of=sum_of, mean_of=mean_of, method=method)


@dataclass(frozen=True, kw_only=True)
class Release(PublishedTable):
    """A table that has just been published, with what its publisher alone should know.

    Attributes
    ----------
    rows_in, suppressed
        Records given, and how many of them were deleted to fill the last group (fewer than gamma).
    max_gamma
        The largest group size that every sensitive column would have allowed, or by column that of each
        where they have their own; None for a mechanism without groups. It is computed from true counts: for
        the publisher, not for the public.
    randomness
        Name of the source of random integers.
    """

    rows_in: int
    suppressed: int
    max_gamma: int | Mapping[str, int] | None
    randomness: str


class Given(NamedTuple):
    """What a mechanism is given: the original, and what concerns its sensitive columns.

    Attributes
    ----------
    table
        The original.
    codes
        True codes by sensitive column, each of shape (N,).
    draws_for
        The draws of the records, by sensitive column.
    randomness
        Name of the source of random integers.
    """

    table: Microdata
    codes: Mapping[str, IntArray]
    draws_for: Callable[[str], Draws]
    randomness: str

    @classmethod
    def of(
        cls,
        mechanism: Mechanism[object],
        table: Microdata | IntoDataFrame | str | os.PathLike[str],
        sensitive: str | Sequence[str],
        randomness: Randomness | None,
        id_column: str | None,
        missing: str | None,
    ) -> Self:
        """Return what ``mechanism`` is given; see `Mechanism.publish` for parameters and errors."""
        columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
        if not columns or len(set(columns)) < len(columns):
            raise ParameterError("name at least one sensitive column, and each of them once")
        if id_column in columns:
            raise ParameterError(f"column {id_column!r} is sensitive: it cannot identify the records as well")
        original = as_table(table, missing)
        source = (SystemSource() if randomness is None else randomness).for_release(
            ReleaseContext(
                method=mechanism.name,
                facts=mechanism.facts(),
                sensitive=columns,
                id_column=id_column,
                missing=original.missing,
                columns=original.columns,
                records=original.records,
            )
        )
        identities = cache(partial(original.identities, id_column))
        return cls(
            original,
            {column: original.codes(column) for column in columns},
            lambda column: source.for_records(column, identities),
            source.name,
        )

    @classmethod
    def of_declared(
        cls,
        mechanism: Mechanism[object],
        column: str,
        values: Sequence[str],
        table: Microdata | IntoDataFrame | str | os.PathLike[str],
        sensitive: str | Sequence[str],
        randomness: Randomness | None,
        id_column: str | None,
        missing: str | None,
    ) -> Self:
        """Return what a mechanism of one column with declared values is given; as `of` in other respects."""
        original = as_table(table, missing).with_domain(column, values)
        given = cls.of(mechanism, original, sensitive, randomness, id_column, None)
        if list(given.codes) != [column]:
            raise ParameterError(
                f"the declared values are those of column {column!r} and of no other: publish that one, "
                f"--column {column}"
            )
        return given

    def release(
        self,
        mechanism: Mechanism[object],
        published: Microdata,
        *,
        suppressed: int = 0,
        max_gamma: int | Mapping[str, int] | None = None,
    ) -> Release:
        """Return what was published of this as a release."""
        return Release(
            table=published.bare(),
            mechanism=mechanism,
            domains=self.domains(),
            recoded=self.table.recoded,
            rows_in=self.table.row_count,
            suppressed=suppressed,
            max_gamma=max_gamma,
            randomness=self.randomness,
        )

    @property
    def domain_sizes(self) -> dict[str, int]:
        """Number of values of each sensitive column."""
        return {column: len(self.table.domain(column)) for column in self.codes}

    def domains(self) -> dict[str, tuple[str, ...]]:
        """Return the values of each sensitive column as texts."""
        return {column: tuple(map(text, self.table.domain(column))) for column in self.codes}


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


class Frequencies(Protocol):
    """A table of which no more is asked than how often values occur; `Microdata` is one."""

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a sensitive column, ascending."""
        ...

    def histogram(self, column: str) -> IntArray:
        """Return how often each of them occurs."""
        ...


class RecordMechanism(ABC):
    """A mechanism that publishes a value of the domain for each record: `publish_columns` says how."""

    name: ClassVar[str]

    @abstractmethod
    def facts(self) -> Mapping[str, Fact]:
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
            Where random integers come from, for each sensitive column, which is asked for once; the first
            column's draws also choose what concerns whole records. A stream of random integers is the same
            for all columns.

        Raises
        ------
        ParameterError
            If the mechanism cannot publish the codes.
        """

    def largest_gamma(self, table: Frequencies, columns: Sequence[str]) -> int | Mapping[str, int] | None:
        """Return the largest group size that the table allows, or None if the mechanism has no groups.

        Raises
        ------
        DataError
            If the mechanism asks for a larger one.
        """
        del table, columns
        return None

    def for_column(self, name: str) -> RecordMechanism:
        """Return the mechanism of one sensitive column alone: by default it is the same for all.

        What a record shows there has the law that it has beside others.
        """
        del name
        return self

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the mechanism for codes that are places in these domains, of the declared values.

        By default it is the mechanism itself: what a code stands for makes no difference to it.
        """
        del domains
        return self

    @property
    def declared_domains(self) -> Mapping[str, tuple[str, ...]]:
        """All values of each column that the mechanism declares them for; any other has those that occur."""
        return {}

    def declared(self, table: Microdata) -> Microdata:
        """Return the table with the declared domains.

        Raises
        ------
        DataError
            If a cell lies outside its column's domain, or there is no such column.
        """
        for column, values in self.declared_domains.items():
            table = table.with_domain(column, values)
        return table

    def publish(
        self,
        table: Microdata | IntoDataFrame | str | os.PathLike[str],
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
        missing: str | None = None,
    ) -> Release:
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
            Text to publish as a value where a sensitive cell is without content: see
            `Microdata.from_frame`.

        Raises
        ------
        DataError
            If the table cannot be read, a sensitive column is missing, has missing or too few values, or the
            mechanism cannot publish it.
        ParameterError
            If a sensitive column is named twice, or identifies the records as well.
        """
        original = self.declared(as_table(table, missing))
        given = Given.of(self, original, sensitive, randomness, id_column, None)
        max_gamma = self.largest_gamma(given.table, tuple(given.codes))
        done = self.aligned(given.domains()).publish_columns(given.codes, given.domain_sizes, given.draws_for)
        published = given.table.take(done.rows)
        for column, values in done.published.items():
            published = published.with_codes(column, values, domain_of=given.table)
        return given.release(self, published, suppressed=len(done.suppressed), max_gamma=max_gamma)

    def publish_codes(self, codes: IntArray, domain_size: int, draws: Draws) -> ColumnRelease:
        """Publish the codes of one sensitive column; see `publish_columns` for parameters and errors."""
        done = self.publish_columns({"sensitive": codes}, {"sensitive": domain_size}, lambda _: draws)
        return ColumnRelease(done.rows, done.published["sensitive"], done.suppressed)


class RowMechanism(RecordMechanism):
    """A mechanism that publishes each record by a draw of its own: a part of a table needs no other part.

    It takes from the whole table no more than histograms, which add up.
    """

    @property
    @abstractmethod
    def shuffles(self) -> bool:
        """Whether the rows leave in a random order."""

    @abstractmethod
    def published_rows(
        self,
        codes: Mapping[str, IntArray],
        histograms: Mapping[str, IntArray],
        draws_for: Callable[[str], Draws],
    ) -> dict[str, IntArray]:
        """Publish some records of a table, in their order.

        Parameters
        ----------
        codes
            True codes of these records by sensitive column, each of one length.
        histograms
            By sensitive column how often each value occurs in the whole table, shape (domain size,).
        draws_for
            Where their random integers come from, for each sensitive column, which is asked for once.

        Returns
        -------
        dict
            Published code of each record, by sensitive column.

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

        Random integers are drawn as `published_rows` says; the shuffle comes last, of the first column's
        draws.
        """
        histograms = {
            column: np.bincount(own, minlength=domain_sizes[column]) for column, own in codes.items()
        }
        draws_of = cache(draws_for)
        published = self.published_rows(codes, histograms, draws_of)
        first = next(iter(codes))
        rows = np.arange(len(codes[first]), dtype=np.int64)
        if self.shuffles:
            rows = draws_of(first).permutation(len(rows))
        shown = {column: values[rows].astype(np.int64, copy=False) for column, values in published.items()}
        return ColumnsRelease(rows, shown, np.array([], dtype=np.int64))


def feasible_gamma(table: Frequencies, column: str, gamma: Gamma) -> int:
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


def _public_api() -> Any:
    """Return the Python interface: it knows the estimators, which code that publishes does not import."""
    return import_module("splu_ref.api")
