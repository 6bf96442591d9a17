"""The committed vectors, read.

They are those that `splu_ref.conformance.vector_files` makes: `conformance/test_vectors.py` compares them,
byte for byte. To make them takes ten times as long as to read them, and every process of the tests would.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from splu_ref.conformance import VectorFile, read_vectors


@cache
def all_vectors() -> tuple[VectorFile, ...]:
    """Return all vector files."""
    return read_vectors(Path(__file__).parents[1] / "vectors")
