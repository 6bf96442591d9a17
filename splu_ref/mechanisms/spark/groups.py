"""SPLU-Gen on Spark, by record, bucket and block.

The entry of a record is its number among all records sorted by value and keyed order. It is computed without
sorting the whole table: digests are uniform, so the histogram gives an approximate entry, which determines
the bucket of the record. Buckets are sorted separately, and the number of records in earlier buckets gives
the entry. A frequent value is spread over several buckets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Row, types
from pyspark.sql import functions as sf
from pyspark.sql.pandas.types import to_arrow_type

from splu_ref.mechanisms.spark.cells import CELLS, cells_of, with_cells
from splu_ref.mechanisms.spark.entries import SHUFFLE, GroupColumn, entries, schema
from splu_ref.mechanisms.spark.keys import ReleaseSecret
from splu_ref.mechanisms.spark.sensitive import SensitiveColumn
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.randomness import ORDER_BYTES, IntArray, KeyedRecords, order_by_digest

_BUCKET_BITS = 16


class PublishedRows(NamedTuple):
    """The published rows in order, the number of deleted records, and the persisted records if any."""

    rows: DataFrame
    suppressed: int
    cached: DataFrame | None


def publish_in_groups(
    records: DataFrame,
    columns: Sequence[SensitiveColumn],
    mechanisms: Mapping[str, SpluGen],
    secret: ReleaseSecret,
    cells: types.StructType,
) -> PublishedRows:
    """Publish the records of `with_identities` by groups.

    ``columns`` are the sensitive columns in the order of publishing, ``mechanisms`` their mechanisms by name,
    and ``cells`` are the table's columns.
    """
    parts = [
        GroupColumn(column, mechanisms[column.name], place, _BUCKET_BITS)
        for place, column in enumerate(columns)
    ]
    cached = entries(records, parts, secret, cells).persist()
    population = int(columns[0].histogram.sum())
    remainder = population % lcm(*(part.mechanism.gamma for part in parts))
    last = cached.drop(CELLS).orderBy(sf.desc(SHUFFLE)).limit(remainder).collect() if remainder else []
    published = cached
    for part in parts:
        published = _publish_column(published, part, _first_entries(cached, part, last), secret, cells, last)
    return PublishedRows(published.orderBy(SHUFFLE).select(f"{CELLS}.*"), remainder, cached)


def _first_entries(records: DataFrame, part: GroupColumn, last: Sequence[Row]) -> dict[int, int]:
    """Return the first entry of each bucket, without the deleted records."""
    bucket = part.names[3]
    rows = records.groupBy(bucket).agg(sf.count("*").alias("records")).collect()
    counted = {row[bucket]: row["records"] for row in rows}
    for row in last:
        counted[row[bucket]] -= 1
    ascending = sorted(counted)
    return dict(zip(ascending, accumulate((counted[each] for each in ascending), initial=0), strict=False))


def _publish_column(
    records: DataFrame,
    part: GroupColumn,
    begins: Mapping[int, int],
    secret: ReleaseSecret,
    cells: types.StructType,
    last: Sequence[Row],
) -> DataFrame:
    """Return the records with one column published, without the deleted ones."""
    code, digest, draw, bucket = part.names
    least = min((bytes(row[SHUFFLE]) for row in last), default=None)
    histogram = part.column.histogram.copy()
    np.subtract.at(histogram, [row[code] for row in last], 1)
    plan = part.mechanism.parts(histogram)
    others = [name for name in records.columns if name not in part.names]
    sorted_names, published_names = [*others, draw, "entry", "block"], others
    kind = to_arrow_type(cells)  # times in UTC, where batches have those of the session

    def ranked(table: pa.Table) -> pa.Table:
        begin = begins[table.column(bucket)[0].as_py()]
        if least is not None:
            keys: list[Any] = table.column(SHUFFLE).to_pylist()
            table = table.filter(pa.array([key < least for key in keys]))
        octets: list[Any] = table.column(digest).to_pylist()
        digests = np.frombuffer(b"".join(octets), np.uint8).reshape(-1, 32)
        order: Any = order_by_digest(digests, ORDER_BYTES, table.column(code).to_numpy())
        numbers: IntArray = begin + np.arange(len(order), dtype=np.int64)
        table = table.take(order)
        arrays = [table.column(CELLS).cast(kind), *(table.column(name) for name in (*others[1:], draw))]
        return pa.Table.from_arrays(
            [*arrays, pa.array(numbers), pa.array(plan.part_of(numbers))], names=sorted_names
        )

    def publish_block(table: pa.Table) -> pa.Table:
        order: Any = np.argsort(table.column("entry").to_numpy())
        table = table.take(order).combine_chunks()
        streams = KeyedRecords(secret.read(), part.column.name, ()).plan_secret()
        block = table.column("block")[0].as_py()
        codes = plan.published(block, streams, table.column(draw).to_numpy())
        own = cells_of(table)
        name = part.column.name
        own = with_cells(own, name, part.column.published(codes.astype(np.int64), own.column(name).type))
        rest = [table.column(name) for name in others[1:]]
        return pa.Table.from_arrays([own.to_struct_array().cast(kind), *rest], names=published_names)

    ordered = records.groupBy(bucket).applyInArrow(ranked, schema(cells, sorted_names))
    return ordered.groupBy("block").applyInArrow(publish_block, schema(cells, published_names))
