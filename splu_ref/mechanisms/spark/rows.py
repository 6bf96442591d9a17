"""Row-wise mechanisms on Spark: each batch of records is published separately."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, types

from splu_ref.mechanisms.record_mechanism import RowMechanism
from splu_ref.mechanisms.spark.cells import CELLS, cells_of, with_cells
from splu_ref.mechanisms.spark.entries import SHUFFLE, shuffle_keys
from splu_ref.mechanisms.spark.groups import PublishedRows
from splu_ref.mechanisms.spark.keys import ReleaseSecret
from splu_ref.mechanisms.spark.records import identities
from splu_ref.mechanisms.spark.sensitive import SensitiveColumn
from splu_ref.randomness import IntArray, KeyedRecords


def publish_by_row(
    records: DataFrame,
    columns: Sequence[SensitiveColumn],
    mechanism: RowMechanism,
    secret: ReleaseSecret,
    cells: types.StructType,
) -> PublishedRows:
    """Publish records row by row, in random or original order; parameters as for `publish_in_groups`."""
    aligned = mechanism.aligned({column.name: column.domain for column in columns})
    histograms = {column.name: column.histogram for column in columns}
    _publish_nothing(aligned, histograms, secret)

    def published(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        key = secret.read()
        for batch in batches:
            own = cells_of(batch)
            draws_for = cache(
                partial(KeyedRecords, key, identities=identities(batch, secret.context.id_column))
            )
            codes = {column.name: column.codes(own.column(column.name)) for column in columns}
            done = aligned.publish_rows(codes, histograms, draws_for)
            keys = shuffle_keys(draws_for(columns[0].name).digests)
            for column in columns:
                name = column.name
                own = with_cells(own, name, column.published(done[name], own.column(name).type))
            yield pa.RecordBatch.from_arrays([own.to_struct_array(), keys], names=[CELLS, SHUFFLE])

    fields = [types.StructField(CELLS, cells, nullable=False), types.StructField(SHUFFLE, types.BinaryType())]
    rows = records.mapInArrow(published, types.StructType(fields))
    return PublishedRows(
        (rows.orderBy(SHUFFLE) if mechanism.shuffles else rows).select(f"{CELLS}.*"), 0, None
    )


def _publish_nothing(
    mechanism: RowMechanism, histograms: Mapping[str, IntArray], secret: ReleaseSecret
) -> None:
    """Publish no records on the driver, where errors of the mechanism have no traceback of Spark."""
    key = secret.read()
    codes = {name: np.empty(0, dtype=np.int64) for name in histograms}
    mechanism.publish_rows(codes, histograms, lambda name: KeyedRecords(key, name, ()))
