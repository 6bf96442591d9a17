"""The digest of what a Spark table says: a distributed sort, and its rows hashed one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame

from splu_ref.engines.spark.cells import microdata, require_texts, together
from splu_ref.microdata import identities


def content_digest(frame: DataFrame) -> str:
    """Return the same as `Microdata.content_digest` of the table.

    The rows are sorted by Spark. Their bytes pass through the driver, which holds a partition at a time: a
    digest is made in order.

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
            several = pa.ListArray.from_arrays(pa.array([0, len(batch)], pa.int32()), batch.column("row"))
            yield pa.RecordBatch.from_arrays([several], names=["rows"])

    ascending = together(frame).mapInArrow(rows, "row binary").orderBy("row")
    chunks = ascending.mapInArrow(gathered, "rows array<binary>").toLocalIterator()
    return identities.content_digest(frame.columns, (bytes(row) for chunk in chunks for row in chunk.rows))
