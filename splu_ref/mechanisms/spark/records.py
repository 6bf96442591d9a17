"""The records of a Spark table, each with the bytes that identify it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, types
from pyspark.sql import functions as sf

from splu_ref.channels import DataError
from splu_ref.data import numbered
from splu_ref.mechanisms.spark.cells import CELLS, microdata, quoted, structure, together
from splu_ref.mechanisms.spark.keys import KeyFile
from splu_ref.randomness import TableSum

RECORD, NUMBER = "record", "number"
_FLOATS = (types.FloatType, types.DoubleType)
_COPIES = 1 << 16
"""Copies of one record that one task numbers at most."""


def table_sum(frame: DataFrame, file: KeyFile) -> TableSum:
    """Return what the key of the release takes from the records: each partition adds up its own."""

    def summed(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        key, total = file.read(), TableSum()
        for batch in batches:
            total += TableSum.of(key, microdata(batch).records())
        sums: dict[str, Any] = {"records": [total.count], "digests": [total.digests.to_bytes(32, "big")]}
        yield pa.RecordBatch.from_pydict(sums)

    parts = together(frame).mapInArrow(summed, "records long, digests binary").collect()
    return sum((TableSum(part.records, int.from_bytes(part.digests, "big")) for part in parts), TableSum())


def identified(frame: DataFrame, id_column: str | None) -> DataFrame:
    """Return the records of a table, each with what `identities` makes its identity of.

    With an id column they stay where they are. Without one, records with the same cells are brought together
    and come apart again with their numbers: which of them had which number before makes no difference. A
    record that occurs very often is one row on the way, and its copies are made by many tasks.

    Returns
    -------
    DataFrame
        The cells in one structure; without an id column also the bytes of the cells, and the number.

    Raises
    ------
    DataError
        If the id column holds an empty or a repeated value.
    """
    if id_column is not None:
        _require_distinct(frame, id_column)
        return together(frame)

    def recorded(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            records = pa.array(microdata(batch).records(), pa.binary())
            yield pa.RecordBatch.from_arrays([batch.column(CELLS), records], names=[CELLS, RECORD])

    with_bytes = types.StructType(
        [structure(frame), types.StructField(RECORD, types.BinaryType(), nullable=False)]
    )
    counted = (
        together(frame)
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
    """Return the bytes that identify each record of a batch of what `identified` returns."""
    if id_column is not None:
        return microdata(batch).identities(id_column)
    records: list[Any] = batch.column(RECORD).to_pylist()
    numbers: list[Any] = batch.column(NUMBER).to_pylist()
    return numbered(records, numbers)


def _require_distinct(frame: DataFrame, id_column: str) -> None:
    counted = frame.groupBy(sf.col(quoted(id_column)).alias("id")).agg(sf.count("*").alias("records"))
    unfit = sf.lit("NaN" if isinstance(frame.schema[id_column].dataType, _FLOATS) else "")
    empty = sf.col("id").isNull() | (sf.col("id").cast("string") == unfit)
    for found in counted.withColumn("empty", empty).where("empty or records > 1").limit(1).collect():
        fault = "a cell is empty" if found.empty else f"{found.records} records share a value"
        raise DataError(
            f"column {id_column!r} cannot identify records: {fault}: choose a column without repeated values"
        )
