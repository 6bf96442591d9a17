"""The real table that the package carries: see ``splu_ref/data/ATTRIBUTION.md``."""

from __future__ import annotations

from importlib import resources

from splu_ref.microdata.reading import decompressed, parse_csv
from splu_ref.microdata.table import Microdata

EMBEDDED_SENSITIVE = "occupation"
"""The sensitive column of the embedded table."""


def embedded_table() -> Microdata:
    """Return 30,718 records of the UCI Adult data (Becker & Kohavi 1996) with ten columns.

    The sensitive column is ``occupation``: 14 values, the most frequent 4,140 times, so that gamma may be 7
    at most. Cells of other columns may hold ``?``.
    """
    name = "adult_demo.csv.gz"
    data = resources.files("splu_ref").joinpath("data", name).read_bytes()
    return Microdata.from_frame(parse_csv(decompressed(data, name), name))
