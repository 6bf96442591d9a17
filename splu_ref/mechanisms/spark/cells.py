"""The cells of a Spark table in its workers: batches of PyArrow with canonical texts."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame, types
from pyspark.sql import functions as sf

from splu_ref.channels import DataError
from splu_ref.data import Microdata

CELLS = "cells"
"""Name of the structure with a record's cells between stages, which prevents name collisions."""
_WITH_TEXT = (
    types.StringType,
    types.BooleanType,
    types.IntegralType,
    types.FractionalType,
    types.DateType,
    types.TimestampType,
    types.TimestampNTZType,
)


def quote_name(column: str) -> str:
    """Quote a column name, in which Spark interprets dots and brackets."""
    return "`" + column.replace("`", "``") + "`"


def require_texts(frame: DataFrame) -> None:
    """Raise ``DataError`` unless column names are unique and every type has canonical text."""
    if len(set(frame.columns)) < len(frame.columns) or not all(frame.columns):
        raise DataError("the Spark table names a column twice or not at all: rename it")
    if frame.sparkSession.conf.get("spark.sql.caseSensitive") != "true":
        lower = [name.lower() for name in frame.columns]
        for name in frame.columns:
            if lower.count(name.lower()) > 1:
                raise DataError(
                    f"another column has the name {name!r} but for upper and lower case, which Spark "
                    "takes for the same: rename one of the two, or set spark.sql.caseSensitive"
                )
    for field in frame.schema.fields:
        if not isinstance(field.dataType, _WITH_TEXT):
            raise DataError(
                f"column {field.name!r} is of type {field.dataType.simpleString()}, which has no canonical "
                "text: convert it to text, or leave it out"
            )


def pack_cells(frame: DataFrame) -> DataFrame:
    """Return the records with their cells in one structure, because workers take no name with a dot."""
    return frame.select(sf.struct(*map(quote_name, frame.columns)).alias(CELLS))


def structure(frame: DataFrame) -> types.StructField:
    """Return the field of the structure in a schema."""
    return types.StructField(CELLS, frame.schema, nullable=False)


def without_metadata(schema: types.StructType) -> types.StructType:
    """Return the columns without metadata such as comments; `require_texts` excludes nested types."""
    return types.StructType(
        [types.StructField(field.name, field.dataType, field.nullable) for field in schema.fields]
    )


def microdata(batch: pa.RecordBatch) -> Microdata:
    """Return the cells of a batch as a table, of Polars for speed."""
    return Microdata.from_frame(pl.DataFrame(pa.Table.from_batches([cells_of(batch)])), empty=True)


def cells_of(batch: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
    """Return the cells of a batch from their structure."""
    column: Any = batch.column(CELLS)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return pa.RecordBatch.from_struct_array(column)


def with_cells(batch: pa.RecordBatch, name: str, cells: Any) -> pa.RecordBatch:
    """Return a batch with one column replaced."""
    return batch.set_column(batch.schema.get_field_index(name), name, cells)
