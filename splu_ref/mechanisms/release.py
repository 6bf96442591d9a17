"""Releases and the base classes of mechanisms: from an original table to a published one and its manifest."""

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
class ReleaseData:
    """The part of a release that estimators read: records or their counts, the mechanism and the domains.

    Attributes
    ----------
    table
        The published records.
    mechanism
        The mechanism that published them.
    domains
        The values of each sensitive column as texts, by column, columns in the order of publishing.
    attached_manifest
        The manifest that was read with the table; None for a table that has just been published.
    """

    table: Records
    mechanism: Mechanism[object]
    domains: Mapping[str, tuple[str, ...]]
    attached_manifest: Manifest | None = None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns in the order of publishing."""
        return tuple(self.domains)


@dataclass(frozen=True, kw_only=True)
class PublishedTable(ReleaseData):
    """A published table with its public parameters: everything that an analyst has.

    Attributes
    ----------
    table
        The published table in shuffled order. It has the cells alone, without the metadata of the original
        frame.
    mechanism, domains, attached_manifest
        As for `ReleaseData`.
    recoded
        The recodings of the original's columns before publication, in their order: see `Microdata.recoded`.
    """

    table: Microdata
    recoded: tuple[Recoding, ...] = ()

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest. That of a new release is dated, and the table digested, at the first access."""
        if self.attached_manifest is not None:
            return self.attached_manifest
        origin = Origin.now(self.table)
        return Manifest(self.mechanism, self.table.row_count, self.domains, origin, recoded=self.recoded)

    @cached_property
    def values_without_rows(self) -> dict[str, int]:
        """Number of domain values without a published row, by sensitive column.

        Unless the domain was declared, the manifest discloses that each of them occurs in the original,
        possibly only in a deleted record.
        """
        return {
            column: len(set(domain).difference(self.published_values(column)))
            for column, domain in self.domains.items()
        }

    def published_values(self, column: str) -> tuple[str, ...]:
        """Return the published values of a sensitive column as texts."""
        return self.table.values(column)

    @property
    def frame(self) -> Any:
        """The published table as a data frame of the same library as the original."""
        return self.table.to_frame()

    def write(
        self,
        path: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None = None,
        *,
        force: bool = False,
    ) -> None:
        """Write the table and, if a path is given, its manifest. Either all files are written or none.

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
        """Return the paths and contents of the files that `write` writes."""
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
        """Estimate how many records of the original meet conditions: see `splu_ref.api.answers`.

        Conditions are keywords, ``estimate(sex="Female", occupation="Sales")``, or one mapping. A sequence of
        mappings is answered by a data frame.
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
    """A table that has just been published, with figures for its publisher alone.

    Attributes
    ----------
    rows_in
        Number of records of the original.
    suppressed
        Number of records deleted so that groups are full, fewer than gamma.
    max_gamma
        Largest feasible group size of all sensitive columns, or of each column if gamma differs by column;
        None for a mechanism without groups. It is computed from true counts and must not be published.
    randomness
        Name of the source of random integers.
    """

    rows_in: int
    suppressed: int
    max_gamma: int | Mapping[str, int] | None
    randomness: str


class PublishingInput(NamedTuple):
    """The validated input of a mechanism: original table, sensitive codes and random draws.

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
        """Validate the input of ``mechanism``; see `Mechanism.publish` for parameters and errors."""
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
        """Validate the input of a mechanism for one column with declared values; otherwise as `of`."""
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
        """Return the release of the published table."""
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
    """The outcome of publishing the sensitive codes of a table of N records.

    Attributes
    ----------
    rows
        Number of the original record at each published row, shape (published rows,).
    published
        Published codes by sensitive column, each of the shape of ``rows``.
    suppressed
        Numbers of the deleted records, ascending.
    """

    rows: IntArray
    published: Mapping[str, IntArray]
    suppressed: IntArray


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


class RecordMechanism(ABC):
    """Base class of mechanisms that publish a value of the domain for each record."""

    name: ClassVar[str]

    @abstractmethod
    def facts(self) -> Mapping[str, Fact]:
        """Return the parameters as recorded in a manifest."""

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

    @property
    def declared_domains(self) -> Mapping[str, tuple[str, ...]]:
        """Declared domains by column; the domain of any other column is its distinct values."""
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
            Source of random integers; the system's entropy by default.
        id_column
            Column that identifies a record, for keyed randomness.
        missing
            Text published as the value of a missing sensitive cell: see `Microdata.from_frame`.

        Raises
        ------
        DataError
            If the table cannot be read, a sensitive column is missing, has missing or too few values, or the
            mechanism cannot publish it.
        ParameterError
            If a sensitive column is named twice, or identifies the records as well.
        """
        original = self.declared(as_table(table, missing))
        given = PublishingInput.of(self, original, sensitive, randomness, id_column, None)
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


def _public_api() -> Any:
    """Return the public API, imported late because publishing code does not import the estimators."""
    return import_module("splu_ref.api")
