"""SPLU-Gen on Spark: what its steps do record by record, bucket by bucket and block by block.

A record's entry is its number among all records sorted by value and keyed order. It needs no sort of the
whole table: digests are uniform, so the histogram says about where an entry stands. Records go to the bucket
of that place, buckets are sorted each by itself, and how many records are in the buckets before gives the
entry. A value of any frequency is spread over as many buckets as it fills.
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
from splu_ref.randomness import ORDER_BYTES, IntArray, KeyedRecords, ordered_by_digest

_BUCKET_BITS = 16


class Published(NamedTuple):
    """What became of the records.

    Attributes
    ----------
    rows
        The published rows, in the order in which they leave.
    suppressed
        How many records were deleted.
    held
        What Spark keeps meanwhile, None if nothing.
    """

    rows: DataFrame
    suppressed: int
    held: DataFrame | None


def published_in_groups(
    records: DataFrame,
    columns: Sequence[SensitiveColumn],
    mechanisms: Mapping[str, SpluGen],
    secret: ReleaseSecret,
    cells: types.StructType,
) -> Published:
    """Publish a table by groups.

    Parameters
    ----------
    records
        What `identified` returns.
    columns
        The sensitive columns, in the order of publishing.
    mechanisms
        How each of them is published, by name.
    secret
        The key of the release.
    cells
        The table's columns.
    """
    parts = [
        GroupColumn(column, mechanisms[column.name], place, _BUCKET_BITS)
        for place, column in enumerate(columns)
    ]
    held = entries(records, parts, secret, cells).persist()
    population = int(columns[0].histogram.sum())
    remainder = population % lcm(*(part.mechanism.gamma for part in parts))
    last = held.drop(CELLS).orderBy(sf.desc(SHUFFLE)).limit(remainder).collect() if remainder else []
    published = held
    for part in parts:
        published = _published(published, part, _begins(held, part, last), secret, cells, last)
    return Published(published.orderBy(SHUFFLE).select(f"{CELLS}.*"), remainder, held)


def _begins(held: DataFrame, part: GroupColumn, last: Sequence[Row]) -> dict[int, int]:
    """Return the number of the first entry of each bucket, of the records that are left."""
    bucket = part.names[3]
    rows = held.groupBy(bucket).agg(sf.count("*").alias("records")).collect()
    counted = {row[bucket]: row["records"] for row in rows}
    for row in last:
        counted[row[bucket]] -= 1
    ascending = sorted(counted)
    return dict(zip(ascending, accumulate((counted[each] for each in ascending), initial=0), strict=False))


def _published(
    held: DataFrame,
    part: GroupColumn,
    begins: Mapping[int, int],
    secret: ReleaseSecret,
    cells: types.StructType,
    last: Sequence[Row],
) -> DataFrame:
    """Return the records with one column published; those that are deleted go with the first column."""
    code, digest, draw, bucket = part.names
    least = min((bytes(row[SHUFFLE]) for row in last), default=None)
    histogram = part.column.histogram.copy()
    np.subtract.at(histogram, [row[code] for row in last], 1)
    plan = part.mechanism.parts(histogram)
    others = [name for name in held.columns if name not in part.names]
    sorted_names, published_names = [*others, draw, "entry", "block"], others
    kind = to_arrow_type(cells)  # times in UTC, where batches have those of the session

    def ranked(table: pa.Table) -> pa.Table:
        begin = begins[table.column(bucket)[0].as_py()]
        if least is not None:
            keys: list[Any] = table.column(SHUFFLE).to_pylist()
            table = table.filter(pa.array([key < least for key in keys]))
        octets: list[Any] = table.column(digest).to_pylist()
        digests = np.frombuffer(b"".join(octets), np.uint8).reshape(-1, 32)
        order: Any = ordered_by_digest(digests, ORDER_BYTES, table.column(code).to_numpy())
        found: IntArray = begin + np.arange(len(order), dtype=np.int64)
        table = table.take(order)
        kept = [table.column(CELLS).cast(kind), *(table.column(name) for name in (*others[1:], draw))]
        return pa.Table.from_arrays(
            [*kept, pa.array(found), pa.array(plan.part_of(found))], names=sorted_names
        )

    def shown(table: pa.Table) -> pa.Table:
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

    ordered = held.groupBy(bucket).applyInArrow(ranked, schema(cells, sorted_names))
    return ordered.groupBy("block").applyInArrow(shown, schema(cells, published_names))
