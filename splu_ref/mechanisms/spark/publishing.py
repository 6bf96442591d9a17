"""Publishing a Spark table: the release of one machine under the same key, bit for bit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import PythonException
from pyspark.sql import DataFrame

from splu_ref.channels import DataError, InputError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms.manifest import Manifest, Origin
from splu_ref.mechanisms.release import RecordMechanism, RowMechanism
from splu_ref.mechanisms.spark.cells import require_texts, without_metadata
from splu_ref.mechanisms.spark.content import content_digest
from splu_ref.mechanisms.spark.groups import published_in_groups
from splu_ref.mechanisms.spark.keys import KeyFile, ReleaseSecret
from splu_ref.mechanisms.spark.records import identified, table_sum
from splu_ref.mechanisms.spark.rows import published_by_row
from splu_ref.mechanisms.spark.sensitive import CountedColumns, SensitiveColumn
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn
from splu_ref.randomness import ReleaseContext

_OURS = re.compile(r"^splu_ref\.channels\.parameters\.\w+: (.+)$", re.MULTILINE)
"""How the traceback of a worker tells one of our errors."""


@dataclass(frozen=True, kw_only=True)
class SparkRelease:
    """A Spark table that has just been published, with the public facts about it.

    Attributes
    ----------
    frame
        The published table. Nothing of it is computed before Spark is asked for it.
    mechanism, domains
        How it was published, and the values of each sensitive column as texts.
    rows_in, suppressed, max_gamma
        For the publisher alone: see `Release`.
    held
        The records with their draws, which Spark keeps so that they are made once; None if it keeps none.
    """

    frame: DataFrame
    mechanism: RecordMechanism
    domains: Mapping[str, tuple[str, ...]]
    rows_in: int
    suppressed: int
    max_gamma: int | Mapping[str, int] | None
    held: DataFrame | None

    def unpersist(self) -> None:
        """Let Spark forget what it keeps, once the published table is written."""
        if self.held is not None:
            self.held.unpersist()

    def manifest(self, written: DataFrame | None = None) -> Manifest:
        """Return the manifest, with the digest of the published table's content.

        Parameters
        ----------
        written
            The table as it was written and is read again, which spares Spark to publish it a second time;
            `frame` unless given. A reader compares its content with the manifest.

        Raises
        ------
        DataError
            If ``written`` has another number of rows or other columns.
        """
        frame = self.frame if written is None else written
        rows = self.rows_in - self.suppressed
        if written is not None and (written.columns != self.frame.columns or written.count() != rows):
            raise DataError(f"this is not the published table, which has {rows} rows: give the one written")
        return Manifest(self.mechanism, rows, self.domains, Origin.of_content(content_digest(frame)))


def publish(
    frame: DataFrame,
    sensitive: str | Sequence[str],
    mechanism: RecordMechanism,
    key_file: str | os.PathLike[str],
    *,
    id_column: str | None = None,
    missing: str | None = None,
) -> SparkRelease:
    """Publish a Spark table under a key, its sensitive columns by a mechanism and the others as they are.

    The rows, and the content digest of the manifest, are those of ``mechanism.publish(frame.toArrow(), …)``
    with the same key, whatever the number of partitions and workers and whichever tasks are run again.

    Parameters
    ----------
    frame
        The original. It is read several times and must be the same each time.
    sensitive
        Name of the sensitive column, or of several.
    mechanism
        `SpluGen` with independent draws, `SpluGenByColumn`, or a mechanism that publishes each record by
        itself (a `RowMechanism`).
    key_file
        Path of the key file, which the driver and every worker read for themselves.
    id_column
        Column that identifies a record. Without it its cells do.
    missing
        Text to publish as a value where a sensitive cell is without content.

    Raises
    ------
    DataError
        If a column does not exist, has no canonical text, has missing cells or too few values, or the
        mechanism cannot publish it.
    ParameterError
        If a sensitive column is named twice or identifies the records as well, or the mechanism needs the
        whole table in one place.
    InputError
        If the key file cannot be read, here or by a worker.
    """
    names = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if not names or len(set(names)) < len(names) or id_column in names:
        raise ParameterError(
            "name at least one sensitive column, each of them once, and another one to identify records"
        )
    _require_columns(frame, names if id_column is None else (*names, id_column))
    _require_possible(mechanism, id_column)
    file = KeyFile.of(key_file)
    columns = [SensitiveColumn.of(frame, name, mechanism, missing) for name in names]
    max_gamma = mechanism.largest_gamma(CountedColumns(columns), names)
    with _worker_errors():
        total = table_sum(frame, file)
        secret = ReleaseSecret(
            file,
            ReleaseContext(
                method=mechanism.name,
                facts=mechanism.facts(),
                sensitive=names,
                id_column=id_column,
                missing=missing,
                columns=tuple(frame.columns),
                records=total,
            ),
        )
        records = identified(frame, id_column)
        cells = without_metadata(frame.schema)
        if isinstance(mechanism, RowMechanism):
            published = published_by_row(records, columns, mechanism, secret, cells)
        else:
            assert isinstance(mechanism, SpluGen | SpluGenByColumn)  # see _require_possible
            of_column = {name: mechanism.for_column(name) for name in names}
            published = published_in_groups(records, columns, of_column, secret, cells)
    return SparkRelease(
        frame=published.rows,
        mechanism=mechanism,
        domains={column.name: column.domain for column in columns},
        rows_in=total.count,
        suppressed=published.suppressed,
        max_gamma=max_gamma,
        held=published.held,
    )


def _require_columns(frame: DataFrame, names: Sequence[str]) -> None:
    require_texts(frame)
    header = Microdata.from_frame(
        pa.table({name: pa.array([], pa.string()) for name in frame.columns}), empty=True
    )
    for name in names:
        header.require(name)


def _require_possible(mechanism: RecordMechanism, id_column: str | None) -> None:
    """Raise unless records can be published by parts of the table."""
    if isinstance(mechanism, RowMechanism):
        if not mechanism.shuffles and id_column is None:
            raise ParameterError(
                "without an id column Spark brings records with the same cells together, so rows cannot keep "
                "their order: name an id column, or have the rows shuffled"
            )
    elif not isinstance(mechanism, SpluGen | SpluGenByColumn):
        raise ParameterError(f"{mechanism.name} needs the whole table in one place: publish it without Spark")
    elif mechanism.draws.bound is not None:
        raise ParameterError(
            f"draws {mechanism.draws} belong to groups of the whole table: publish it without Spark, or with "
            "independent draws"
        )


@contextmanager
def _worker_errors() -> Iterator[None]:
    """Raise what a worker refused as what it is: one line, without the engine's traceback."""
    try:
        yield
    except PythonException as error:
        told = _OURS.search(str(error))
        if told is None:
            raise
        raise InputError(told[1]) from None
