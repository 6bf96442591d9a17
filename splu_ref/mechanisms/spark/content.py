"""The digest of what a Spark table says: a distributed sort, and its rows hashed one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from splu_ref.data import identities
from splu_ref.mechanisms.spark.cells import microdata, quoted, require_texts, together

_PART_BYTES = 8 << 20
"""About how much of a table passes through the driver at once."""


def content_digest(frame: DataFrame) -> str:
    """Return the same as `Microdata.content_digest` of the table.

    The rows are counted and sorted by Spark. Their bytes pass through the driver, which holds a small part of
    them at a time, a row once however often it occurs: a digest is made in order.

    Raises
    ------
    DataError
        If a column has no canonical text.
    """
    require_texts(frame)

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            octets = pa.array(microdata(batch).content_records(), pa.binary())
            yield pa.RecordBatch.from_arrays([octets], names=["row"])

    def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Make one row of a batch: a row of Spark's takes longer than its bytes."""
        for batch in batches:
            ends = pa.array([0, len(batch)], pa.int32())
            several = [pa.ListArray.from_arrays(ends, column) for column in batch.columns]
            yield pa.RecordBatch.from_arrays(several, names=["rows", "times"])

    counted = together(frame).mapInArrow(rows, "row binary").groupBy("row").agg(sf.count("*").alias("times"))
    ascending = counted.repartitionByRange(_parts(frame), "row").sortWithinPartitions("row")
    chunks: Iterator[Row] = ascending.mapInArrow(
        gathered, "rows array<binary>, times array<long>"
    ).toLocalIterator()
    return identities.content_digest(frame.columns, _repeated(chunks))


def _parts(frame: DataFrame) -> int:
    """Return to how many parts the table's rows are distributed, by about how long their bytes are."""
    octets = [sf.octet_length(sf.col(quoted(name)).cast("string")) for name in frame.columns]
    size = sf.sum(sum((sf.coalesce(each, sf.lit(0)) + 8 for each in octets), start=sf.lit(0)))
    [told] = frame.agg(size.alias("size")).collect()
    return 1 + (told["size"] or 0) // _PART_BYTES


def _repeated(chunks: Iterable[Any]) -> Iterator[bytes]:
    for chunk in chunks:
        for row, times in zip(chunk["rows"], chunk["times"], strict=True):
            for _ in range(times):
                yield bytes(row)
