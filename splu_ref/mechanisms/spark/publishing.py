"""Publishing of Spark tables; the release equals that of one machine under the same key."""

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
from splu_ref.mechanisms.record_mechanism import RecordMechanism, RowMechanism
from splu_ref.mechanisms.spark.cells import require_texts, without_metadata
from splu_ref.mechanisms.spark.content import content_digest
from splu_ref.mechanisms.spark.groups import publish_in_groups
from splu_ref.mechanisms.spark.keys import KeyFile, ReleaseSecret
from splu_ref.mechanisms.spark.records import table_sum, with_identities
from splu_ref.mechanisms.spark.rows import publish_by_row
from splu_ref.mechanisms.spark.sensitive import ColumnHistograms, SensitiveColumn
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.mechanisms.splu_gen_by_column import SpluGenByColumn
from splu_ref.randomness import ReleaseContext

_OURS = re.compile(r"^splu_ref\.channels\.parameters\.\w+: (.+)$", re.MULTILINE)
"""An error of this package in the traceback of a worker."""


@dataclass(frozen=True, kw_only=True)
class SparkRelease:
    """A Spark table that has just been published, with its public parameters."""

    frame: DataFrame  # the published table, which Spark computes on demand
    # mechanism, domains: the mechanism, and the values of each sensitive column as texts
    mechanism: RecordMechanism
    domains: Mapping[str, tuple[str, ...]]
    # rows_in, suppressed, max_gamma: figures for the publisher alone: see `Release`
    rows_in: int
    suppressed: int
    max_gamma: int | Mapping[str, int] | None
    cached: DataFrame | None  # the persisted records with their draws; None if there are none
    missing: str | None = None  # the text that was published for missing cells
    id_column: str | None = None  # the column that identified a record

    def unpersist(self) -> None:
        """Remove the persisted records from Spark's memory, after the published table is written."""
        if self.cached is not None:
            self.cached.unpersist()

    def manifest(self, written: DataFrame | None = None) -> Manifest:
        """Return the manifest, with the digest of the published table's content."""
        frame = self.frame if written is None else written
        rows = self.rows_in - self.suppressed
        if written is not None and (written.columns != self.frame.columns or written.count() != rows):
            raise DataError(f"this is not the published table, which has {rows} rows: give the one written")
        origin = Origin.of_content(content_digest(frame))
        return Manifest(
            self.mechanism, rows, self.domains, origin, missing=self.missing, id_column=self.id_column
        )


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
        `SpluGen` with independent draws, `SpluGenByColumn`, or a `RowMechanism`.
    key_file
        Path of the key file, which the driver and every worker read.
    id_column
        Column that identifies a record; by default its cells do.
    missing
        Text published as the value of a missing sensitive cell.

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
    max_gamma = mechanism.largest_gamma(ColumnHistograms(columns), names)
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
        records = with_identities(frame, id_column)
        cells = without_metadata(frame.schema)
        if isinstance(mechanism, RowMechanism):
            published = publish_by_row(records, columns, mechanism, secret, cells)
        else:
            assert isinstance(mechanism, SpluGen | SpluGenByColumn)  # see _require_possible
            of_column = {name: mechanism.for_column(name) for name in names}
            published = publish_in_groups(records, columns, of_column, secret, cells)
    return SparkRelease(
        frame=published.rows,
        mechanism=mechanism,
        domains={column.name: column.domain for column in columns},
        rows_in=total.count,
        suppressed=published.suppressed,
        max_gamma=max_gamma,
        cached=published.cached,
        missing=missing,
        id_column=id_column,
    )


def _require_columns(frame: DataFrame, names: Sequence[str]) -> None:
    require_texts(frame)
    header = Microdata.from_frame(
        pa.table({name: pa.array([], pa.string()) for name in frame.columns}), empty=True
    )
    for name in names:
        header.require(name)


def _require_possible(mechanism: RecordMechanism, id_column: str | None) -> None:
    """Raise unless the mechanism can publish a table in parts."""
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
    """Raise an error of this package on a worker with its own message, without Spark's traceback."""
    try:
        yield
    except PythonException as error:
        message = _OURS.search(str(error))
        if message is None:
            raise
        raise InputError(message[1]) from None
