"""Comparison of numbers that are rounded differently on each processor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

ROUNDING = 1e-12
"""What rounding may change, as a share of the largest number compared."""


def near(expected: Any, *, rel: float = 1e-6, size: float | None = None) -> object:
    """Return what equals ``expected`` up to a share ``rel`` of each number, and up to rounding.

    Linear algebra rounds in proportion to the largest numbers that it adds, and in another order on each
    processor. A 0 beside larger numbers comes out as 0 on one and as 1e-14 of the largest on another, which
    no share of 0 allows for.

    Parameters
    ----------
    expected
        A number, or numbers in an array, a sequence or a mapping. `Any`, as for `pytest.approx`.
    rel
        Share of each expected number.
    size
        The largest number that the compared ones are computed from; by default the largest expected one.

    Raises
    ------
    ValueError
        If all expected numbers are 0 and no size is given: then nothing says what rounding may change.
    """
    numbers = list(expected.values()) if isinstance(expected, Mapping) else np.ravel(expected).tolist()
    largest = max((abs(each) for each in numbers if isinstance(each, int | float)), default=0.0)
    if size is None and not largest:
        raise ValueError("all expected numbers are 0: give the size of the numbers they are computed from")
    return pytest.approx(expected, rel=rel, abs=min(rel, ROUNDING) * (largest if size is None else size))
