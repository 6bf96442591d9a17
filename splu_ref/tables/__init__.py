"""Tables of estimates: counts that add up to what is public, sums and means by group, and their pictures."""

from __future__ import annotations

from splu_ref.tables.cells import PUBLIC, Cell, Table, approximation, is_exact
from splu_ref.tables.counts import Ask, count_table
from splu_ref.tables.groups import ordered
from splu_ref.tables.limits import Measure
from splu_ref.tables.lines import cell_object, half_width, table_columns, table_object
from splu_ref.tables.measures import measure_table

__all__ = [
    "PUBLIC",
    "Ask",
    "Cell",
    "Measure",
    "Table",
    "approximation",
    "cell_object",
    "count_table",
    "half_width",
    "is_exact",
    "measure_table",
    "ordered",
    "table_columns",
    "table_object",
]
