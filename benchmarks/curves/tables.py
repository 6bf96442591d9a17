"""The tables that the curves are measured on: made up, and the same for the same size."""

from __future__ import annotations

import numpy as np
import polars as pl

from splu_ref.channels.parameters import Gamma
from splu_ref.randomness import IntArray

GAMMA = Gamma(5)
VALUES = 50


def histogram(records: int, values: int = VALUES) -> IntArray:
    """Return frequencies that fall like 1 / (rank + 5), each positive, which sum to ``records``.

    Groups of `GAMMA` can be made of them; ``records`` is a multiple of `GAMMA` and at least ``values``.
    """
    weights = 1 / (np.arange(values) + 5.0)
    counts: IntArray = 1 + np.floor((records - values) * weights / weights.sum()).astype(np.int64)
    counts[-1] += records - counts.sum()
    return counts


def codes(records: int, values: int = VALUES) -> IntArray:
    """Return codes with that histogram, in an order fixed by a seed."""
    found: IntArray = np.repeat(np.arange(values), histogram(records, values))
    np.random.default_rng(0).shuffle(found)
    return found


def frame(records: int, values: int = VALUES) -> pl.DataFrame:
    """Return a table with the columns ``zone`` (100 values), ``age`` (40), ``part`` (8) and ``value``."""
    generator = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "zone": generator.integers(0, 100, records),
            "age": generator.integers(0, 40, records),
            "part": generator.integers(0, 8, records),
            "value": codes(records, values),
        }
    ).cast(pl.String)
