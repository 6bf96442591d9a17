"""Sensitive columns of a Spark table: domain and histogram by aggregation, cells as codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import narwhals as nw
import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from splu_ref.channels import DataError
from splu_ref.data import Microdata, Value, is_missing, text, values
from splu_ref.mechanisms.record_mechanism import RecordMechanism
from splu_ref.mechanisms.spark.cells import quote_name
from splu_ref.randomness import IntArray


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column's domain and histogram, which are sent to every worker.

    ``places`` has the code of each distinct cell, None for a missing one; ``histogram`` the frequencies by
    code; ``domain`` the values as texts by code, and ``cells`` the same as an array of PyArrow of the
    column's type.
    """

    name: str
    places: dict[Value | None, int]
    histogram: IntArray
    domain: tuple[str, ...]
    cells: Any

    @classmethod
    def of(cls, frame: DataFrame, name: str, mechanism: RecordMechanism, missing: str | None) -> Self:
        """Count the values of a column by aggregation.

        Raises ``DataError`` if a cell is missing and ``missing`` is None, a cell lies outside a declared
        domain, or all cells are equal.
        """
        counted = frame.groupBy(quote_name(name)).agg(sf.count("*").alias("records")).toArrow()
        if not counted.num_rows:
            raise DataError("the table holds no rows: there is nothing to publish")
        table = Microdata.from_frame(counted.select([0]).rename_columns([name]), missing)
        distinct = values(nw.from_native(counted.select([0]), eager_only=True)[counted.column_names[0]])
        records = counted.column(1).to_numpy()
        if missing is None:
            _refuse_missing(name, distinct, records)
        try:
            table = mechanism.for_column(name).declared(table)
        except DataError as error:  # the rows of a Spark table have no numbers
            raise DataError(re.sub(r" in row \d+", "", str(error))) from None
        codes, domain = table.codes(name), table.domain(name)
        histogram = np.zeros(len(domain), dtype=np.int64)
        np.add.at(histogram, codes, records)
        rows = table.take(np.zeros(len(domain), dtype=np.int64))
        every = rows.with_codes(name, np.arange(len(domain)), domain_of=table).to_frame()
        places = dict(zip(distinct, codes.tolist(), strict=True))
        return cls(name, places, histogram, tuple(map(text, domain)), every.column(0).combine_chunks())

    def codes(self, column: Any) -> IntArray:
        """Return the codes of the cells in an array of PyArrow."""
        cells = values(nw.from_native(pa.chunked_array([column]), series_only=True))
        return np.fromiter(map(self.places.__getitem__, cells), dtype=np.int64, count=len(cells))

    def published(self, codes: IntArray, kind: Any) -> Any:
        """Return the values with these codes as an array of PyArrow of this type."""
        return self.cells.take(codes).cast(kind)

    @cached_property
    def starts(self) -> IntArray:
        """The first entry of each value, shape (values,): see `splu_ref.mechanisms.PlanParts`."""
        return np.cumsum(self.histogram) - self.histogram


class ColumnHistograms:
    """The domains and histograms of sensitive columns: see `splu_ref.mechanisms.Frequencies`."""

    def __init__(self, columns: Sequence[SensitiveColumn]) -> None:
        self._columns = {column.name: column for column in columns}
        self.row_count = int(columns[0].histogram.sum())

    def domain(self, column: str) -> tuple[Value, ...]:
        """Return the values of a column as texts, ascending."""
        return self._columns[column].domain

    def histogram(self, column: str) -> IntArray:
        """Return the frequencies of these values."""
        return self._columns[column].histogram


def _refuse_missing(name: str, distinct: Sequence[Value | None], records: Any) -> None:
    marked = [(cell, int(count)) for cell, count in zip(distinct, records, strict=True) if is_missing(cell)]
    if not marked:
        return
    cell = next((cell for cell, _ in marked if cell is not None), None)
    value = cell if isinstance(cell, str) and cell.strip() else "?"
    raise DataError(
        f"column {name!r} is missing in {sum(count for _, count in marked)} records: drop them or give "
        f"missing={value!r} to publish it as a value"
    )
