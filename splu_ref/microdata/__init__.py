"""Categorical tables as integer codes and domains; CSV, Parquet and data frames in and out."""

from splu_ref.microdata.embedded import EMBEDDED_SENSITIVE, embedded_table
from splu_ref.microdata.encoding import MISSING_MARKERS
from splu_ref.microdata.reading import SUFFIXES, as_table, read_table, require_suffix
from splu_ref.microdata.table import Microdata
from splu_ref.microdata.writing import table_bytes, write_table

__all__ = [
    "EMBEDDED_SENSITIVE",
    "MISSING_MARKERS",
    "SUFFIXES",
    "Microdata",
    "as_table",
    "embedded_table",
    "read_table",
    "require_suffix",
    "table_bytes",
    "write_table",
]
