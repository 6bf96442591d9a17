"""The records of a Spark table with code, digest, draw and bucket for each sensitive column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, types

from splu_ref.mechanisms.group_draws import independent_draws
from splu_ref.mechanisms.spark.cells import CELLS, cells_of
from splu_ref.mechanisms.spark.keys import ReleaseSecret
from splu_ref.mechanisms.spark.records import identities
from splu_ref.mechanisms.spark.sensitive import SensitiveColumn
from splu_ref.mechanisms.splu_gen import SpluGen
from splu_ref.randomness import ORDER_BYTES, SHUFFLE_BYTES, KeyedRecords

SHUFFLE = "shuffle"
"""Name of the sort key of the published rows: bytes 8 to 15 of the first column's digest, then all of it."""
_PARTS = ("code", "digest", "draw", "bucket")


def shuffle_keys(digests: Any) -> Any:
    """Return the sort keys of rows from the digests of the first column, shape (records, 32)."""
    keys = np.hstack([digests[:, SHUFFLE_BYTES], digests])
    return pa.array([key.tobytes() for key in keys], pa.binary())


@dataclass(frozen=True)
class GroupColumn:
    """One sensitive column during a release.

    ``place`` is its number among the sensitive columns; a bucket has about 2**``bits`` records.
    """

    column: SensitiveColumn
    mechanism: SpluGen
    place: int
    bits: int

    @property
    def names(self) -> list[str]:
        """Names of the fields of a record for this column: see `_PARTS`."""
        return [f"{part}{self.place}" for part in _PARTS]

    def fields(self, cells: pa.RecordBatch, records: KeyedRecords) -> list[Any]:
        """Return the fields of a batch's records, arrays of PyArrow."""
        codes, digests = self.column.codes(cells.column(self.column.name)), records.digests
        drawn = independent_draws(records, self.mechanism.gamma, self.mechanism.retention, len(codes))
        key = np.ascontiguousarray(digests[:, ORDER_BYTES]).view(">u8")[:, 0].astype(np.uint64)
        frequency = self.column.histogram[codes].astype(np.uint64)
        within = (key >> np.uint64(33)) * frequency >> np.uint64(31)
        bucket = (self.column.starts[codes] + within.astype(np.int64)) >> self.bits
        return [
            pa.array(codes),
            pa.array([each.tobytes() for each in digests]),
            pa.array(drawn),
            pa.array(bucket),
        ]


def entries(
    records: DataFrame, parts: Sequence[GroupColumn], secret: ReleaseSecret, cells: types.StructType
) -> DataFrame:
    """Return the records with the fields of every sensitive column."""
    names = [CELLS, SHUFFLE, *(name for part in parts for name in part.names)]

    def drawn(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        key = secret.read()
        for batch in batches:
            known, own = identities(batch, secret.context.id_column), cells_of(batch)
            fields: list[Any] = [batch.column(CELLS)]
            for part in parts:
                keyed = KeyedRecords(key, part.column.name, known)
                if not part.place:
                    fields.append(shuffle_keys(keyed.digests))
                fields += part.fields(own, keyed)
            yield pa.RecordBatch.from_arrays(fields, names=names)

    return records.mapInArrow(drawn, schema(cells, names))


def schema(cells: types.StructType, names: Sequence[str]) -> types.StructType:
    """Return the schema of records with these fields: cells, binary digests and sort keys, numbers."""
    fields = []
    for name in names:
        kind: types.DataType = types.LongType()
        if name == CELLS:
            kind = cells
        elif name == SHUFFLE or name.startswith("digest"):
            kind = types.BinaryType()
        fields.append(types.StructField(name, kind, nullable=False))
    return types.StructType(fields)
