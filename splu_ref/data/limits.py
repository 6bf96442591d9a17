"""Limits of the size of unpacked files, which prevent decompression bombs.

A gzip file may unpack to a thousand times its size, a Parquet file to a million times. Tables of records do
not: the embedded one unpacks to 13 times its size as CSV, to 22 times as Parquet, and sorted to twice that.
The number of cells is limited as well, because nulls take no space in a Parquet file.
"""

from __future__ import annotations

from splu_ref.channels import DataError

ALWAYS_READ = 1 << 27
"""Bytes that every file may unpack to."""

MOST_EXPANSION = 100
"""How many times its size a larger file may unpack to."""

MOST_COLUMNS = 100_000
"""Columns of a CSV file."""


ALWAYS_CELLS = 1 << 22
"""Cells that every Parquet file may have; a larger one has at most `MOST_EXPANSION` for each of its bytes."""


def largest_content(packed: int) -> int:
    """Return the largest unpacked size of a compressed file of ``packed`` bytes."""
    return max(ALWAYS_READ, MOST_EXPANSION * packed)


def most_cells(packed: int) -> int:
    """Return the largest number of cells of a Parquet file of ``packed`` bytes."""
    return max(ALWAYS_CELLS, MOST_EXPANSION * packed)


def cell_count_error(name: str, packed: int, cells: int) -> DataError:
    """Return the error for a file that has more than `most_cells`."""
    return DataError(
        f"{name} has {packed} bytes and says that it holds {cells} cells, more than {most_cells(packed)}: "
        "if it is no trap, give it as .csv"
    )


def expansion_error(name: str, packed: int) -> DataError:
    """Return the error for a file that unpacks to more than `largest_content`."""
    return DataError(
        f"{name} has {packed} bytes and unpacks to more than {largest_content(packed)}: if it is no trap, "
        "unpack it and give it as .csv"
    )
