"""The content digest of a Spark table: a distributed sort, and sequential hashing of its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as sf

from splu_ref.data import identities
from splu_ref.mechanisms.spark.cells import microdata, pack_cells, quote_name, require_texts

_PART_BYTES = 8 << 20
"""Approximate size of the part of a table that the driver reads at once."""


def content_digest(frame: DataFrame) -> str:
    """Return the digest of a table's content, as `Microdata.content_digest`.

    Spark counts and sorts the rows. The driver hashes them in order and reads a small part of them at a time.
    """
    require_texts(frame)

    def rows(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            octets = pa.array(microdata(batch).content_records(), pa.binary())
            yield pa.RecordBatch.from_arrays([octets], names=["row"])

    def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Collect the rows of a batch in one row, because Spark's cost per row is high."""
        for batch in batches:
            ends = pa.array([0, len(batch)], pa.int32())
            several = [pa.ListArray.from_arrays(ends, column) for column in batch.columns]
            yield pa.RecordBatch.from_arrays(several, names=["rows", "times"])

    counted = (
        pack_cells(frame).mapInArrow(rows, "row binary").groupBy("row").agg(sf.count("*").alias("times"))
    )
    ascending = counted.repartitionByRange(_parts(frame), "row").sortWithinPartitions("row")
    chunks: Iterator[Row] = ascending.mapInArrow(
        gathered, "rows array<binary>, times array<long>"
    ).toLocalIterator()
    return identities.content_digest(frame.columns, _repeated(chunks))


def _parts(frame: DataFrame) -> int:
    """Return the number of parts for the table's rows, by their approximate size."""
    octets = [sf.octet_length(sf.col(quote_name(name)).cast("string")) for name in frame.columns]
    size = sf.sum(sum((sf.coalesce(each, sf.lit(0)) + 8 for each in octets), start=sf.lit(0)))
    [total] = frame.agg(size.alias("size")).collect()
    return 1 + (total["size"] or 0) // _PART_BYTES


def _repeated(chunks: Iterable[Any]) -> Iterator[pl.Series]:
    for chunk in chunks:
        rows = pl.Series(list(map(bytes, chunk["rows"])), dtype=pl.Binary)
        yield rows.gather(np.repeat(np.arange(len(rows)), chunk["times"]))
