"""Releases: a published table with its public parameters, and the validated input of a mechanism."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Self

from splu_ref.channels import ParameterError
from splu_ref.data import Microdata, Recoding, Records, TableInput, as_table, table_bytes, text, write_all
from splu_ref.mechanisms.interfaces import Mechanism, Release_co
from splu_ref.mechanisms.manifest import Manifest, Origin
from splu_ref.randomness import Draws, Fact, IntArray, KeyedRelease, Randomness, ReleaseContext, SystemSource


@dataclass(frozen=True, kw_only=True, repr=False)
class ReleaseData:
    """The part of a release that estimators read: records or their counts, the mechanism and the domains."""

    table: Records  #: the published records
    mechanism: Mechanism[object]  #: the mechanism that published them
    #: the values of each sensitive column as texts, by column, columns in the order of publishing
    domains: Mapping[str, tuple[str, ...]]
    #: the manifest that was read with the table; None for a table that has just been published
    attached_manifest: Manifest | None = None

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns in the order of publishing."""
        return tuple(self.domains)

    def __repr__(self) -> str:
        columns = ", ".join(self.sensitive)
        size, name = self.table.row_count, self.mechanism.name
        return f"{type(self).__name__}({size} rows by {name}, sensitive columns {columns})"


@dataclass(frozen=True, kw_only=True, repr=False)
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
    missing
        The text that was published for missing cells: see `Microdata.missing`.
    observed_domain
        Whether declared domains were taken from the table, as far as is known: see `Manifest`.
    id_column
        The column that identified a record under a key: see `Manifest`.
    """

    table: Microdata
    recoded: tuple[Recoding, ...] = ()
    missing: str | None = None
    observed_domain: bool | None = None
    id_column: str | None = None

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest. That of a new release is dated, and the table digested, at the first access."""
        if self.attached_manifest is not None:
            return self.attached_manifest
        origin = Origin.now(self.table)
        return Manifest(
            self.mechanism, self.table.row_count, self.domains, origin,
            recoded=self.recoded, missing=self.missing, observed_domain=self.observed_domain,
            id_column=self.id_column,
        )  # fmt: skip

    @cached_property
    def statement(self) -> str:
        """What the release promises and what not, in a sentence for the public.

        A count is called wrong from a relative error of 3/10 on, as by ``publish`` without ``--epsilon``.
        """
        found: str = import_module("splu_ref.audit").release_statement(self)  # late, as `_public_api`
        return found

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

    @cached_property
    def answer_queries(self) -> Callable[..., Any]:
        """The function that answers all queries: what it reads of the table it keeps for later ones."""
        answer: Callable[..., Any] = _public_api().estimator_for(self)
        return answer

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


@dataclass(frozen=True, kw_only=True, repr=False)
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
    """The validated input of a mechanism: original table, sensitive codes and random draws."""

    mechanism: Mechanism[object]
    table: Microdata  # the original
    codes: Mapping[str, IntArray]  # True codes by sensitive column, each of shape (N,)
    draws_for: Callable[[str], Draws]  # the draws of the records, by sensitive column
    randomness: str  # name of the source of random integers
    id_column: str | None  # the column that identifies a record under a key

    @classmethod
    def of(
        cls,
        mechanism: Mechanism[object],
        original: Microdata,
        columns: tuple[str, ...],
        randomness: Randomness | None,
        id_column: str | None,
    ) -> Self:
        """Validate the input of ``mechanism``; see `Mechanism.publish` for errors."""
        if not columns or len(set(columns)) < len(columns):
            raise ParameterError("name at least one sensitive column, and each of them once")
        if id_column in columns:
            raise ParameterError(f"column {id_column!r} is sensitive: it cannot identify the records as well")
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
            mechanism,
            original,
            {column: original.codes(column) for column in columns},
            lambda column: source.for_records(column, identities),
            source.name,
            id_column if isinstance(source, KeyedRelease) else None,
        )

    def only(self, column: str) -> IntArray:
        """Return the codes of a column with declared values, which is the only sensitive one, or raise."""
        if list(self.codes) != [column]:
            raise ParameterError(
                f"the declared values are those of column {column!r} and of no other: publish that one, "
                f"--column {column}"
            )
        return self.codes[column]

    def release(
        self,
        published: Microdata,
        *,
        suppressed: int = 0,
        max_gamma: int | Mapping[str, int] | None = None,
    ) -> Release:
        """Return the release of the published table."""
        return Release(
            table=published.bare(),
            mechanism=self.mechanism,
            domains=self.domains(),
            recoded=self.table.recoded,
            missing=self.table.missing,
            id_column=self.id_column,
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


class PublishingMechanism(ABC, Generic[Release_co]):
    """Base class of mechanisms: they publish a validated input."""

    name: ClassVar[str]

    @abstractmethod
    def facts(self) -> Mapping[str, Fact]:
        """Return the parameters as recorded in a manifest."""

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

    def require_publishable(self, columns: Sequence[str], id_column: str | None) -> None:
        """Raise ``ParameterError`` if the mechanism cannot publish these columns; by default it can."""

    @abstractmethod
    def release(self, given: PublishingInput) -> Release_co:
        """Return the release of a table."""

    def publish(
        self,
        table: TableInput,
        sensitive: str | Sequence[str],
        randomness: Randomness | None = None,
        *,
        id_column: str | None = None,
        missing: str | None = None,
    ) -> Release_co:
        """Publish a table: see `splu_ref.mechanisms.Mechanism.publish` for parameters and errors."""
        columns = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
        self.require_publishable(columns, id_column)
        original = self.declared(as_table(table, missing))
        return self.release(PublishingInput.of(self, original, columns, randomness, id_column))


def _public_api() -> Any:
    """Return the public API, imported late because publishing code does not import the estimators."""
    return import_module("splu_ref.api")
