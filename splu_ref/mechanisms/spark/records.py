"""The records of a Spark table with their identities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, types
from pyspark.sql import functions as sf

from splu_ref.channels import DataError
from splu_ref.data import number_identities
from splu_ref.mechanisms.spark.cells import CELLS, microdata, pack_cells, quote_name, structure
from splu_ref.mechanisms.spark.keys import KeyFile
from splu_ref.randomness import TableSum

RECORD, NUMBER = "record", "number"
_FLOATS = (types.FloatType, types.DoubleType)
_COPIES = 1 << 16
"""Largest number of copies of a record that one task numbers."""


def table_sum(frame: DataFrame, file: KeyFile) -> TableSum:
    """Return the sum of the records' digests for the key of the release, added up over the partitions."""

    def summed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        key, total = file.read(), TableSum()
        for batch in batches:
            total += TableSum.of(key, microdata(batch).records())
        sums: dict[str, Any] = {"records": [total.count], "digests": [total.digests.to_bytes(32, "big")]}
        yield pa.RecordBatch.from_pydict(sums)

    parts = pack_cells(frame).mapInArrow(summed, "records long, digests binary").collect()
    return sum((TableSum(part.records, int.from_bytes(part.digests, "big")) for part in parts), TableSum())


def with_identities(frame: DataFrame, id_column: str | None) -> DataFrame:
    """Return the cells of a table's records in one structure, with the fields for `identities`.

    With an id column the records are unchanged; an empty or repeated value there is a ``DataError``. Without
    one, identical records are counted and expanded again with numbers, together with the bytes of the cells.
    A very frequent record is expanded by several tasks.
    """
    if id_column is not None:
        _require_distinct(frame, id_column)
        return pack_cells(frame)

    def recorded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            records = pa.array(microdata(batch).records(), pa.binary())
            yield pa.RecordBatch.from_arrays([batch.column(CELLS), records], names=[CELLS, RECORD])

    with_bytes = types.StructType(
        [structure(frame), types.StructField(RECORD, types.BinaryType(), nullable=False)]
    )
    counted = (
        pack_cells(frame)
        .mapInArrow(recorded, with_bytes)
        .groupBy(RECORD)
        .agg(sf.first(CELLS).alias(CELLS), sf.count("*").alias("copies"))
    )
    first, last = sf.col("first"), sf.col("copies") - 1
    in_parts = (
        counted.withColumn("first", sf.explode(sf.sequence(sf.lit(0), last, sf.lit(_COPIES))))
        .repartition(RECORD, "first")
        .withColumn(NUMBER, sf.explode(sf.sequence(first, sf.least(first + (_COPIES - 1), last))))
    )
    return in_parts.select(CELLS, RECORD, NUMBER)


def identities(batch: pa.RecordBatch, id_column: str | None) -> Sequence[bytes]:
    """Return the identities of a batch of records of `with_identities`."""
    if id_column is not None:
        return microdata(batch).identities(id_column)
    records: list[Any] = batch.column(RECORD).to_pylist()
    numbers: list[Any] = batch.column(NUMBER).to_pylist()
    return number_identities(records, numbers)


def _require_distinct(frame: DataFrame, id_column: str) -> None:
    counted = frame.groupBy(sf.col(quote_name(id_column)).alias("id")).agg(sf.count("*").alias("records"))
    unfit = sf.lit("NaN" if isinstance(frame.schema[id_column].dataType, _FLOATS) else "")
    empty = sf.col("id").isNull() | (sf.col("id").cast("string") == unfit)
    for row in counted.withColumn("empty", empty).where("empty or records > 1").limit(1).collect():
        fault = "a cell is empty" if row.empty else f"{row.records} records share a value"
        raise DataError(
            f"column {id_column!r} cannot identify records: {fault}: choose a column without repeated values"
        )
