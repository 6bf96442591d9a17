"""How much a compressed file may unpack to: enough for tables, too little to fill the memory.

A gzip file may unpack to a thousand times its size, a Parquet file to a million times. Tables of records do
not: the embedded one unpacks to 13 times its size as CSV, to 22 times as Parquet, and sorted to twice that.
"""

from __future__ import annotations

from splu_ref.model import DataError

ALWAYS_READ = 1 << 27
"""Bytes that every file may unpack to."""

MOST_EXPANSION = 100
"""How many times its size a larger file may unpack to."""

MOST_COLUMNS = 100_000
"""Columns of a CSV file."""


def largest_content(packed: int) -> int:
    """Return how many bytes a compressed file of ``packed`` bytes may unpack to."""
    return max(ALWAYS_READ, MOST_EXPANSION * packed)


def unpacks_to_too_much(name: str, packed: int) -> DataError:
    """Return the error for a file that unpacks to more than `largest_content`."""
    return DataError(
        f"{name} has {packed} bytes and unpacks to more than {largest_content(packed)}: if it is no trap, "
        "unpack it and give it as .csv"
    )
