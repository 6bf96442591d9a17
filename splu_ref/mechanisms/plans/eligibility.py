"""Eligibility of a histogram: the group sizes gamma that are feasible (Fu et al. 2014, section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Gamma, ParameterError


def largest_gamma(histogram: NDArray[np.integer]) -> int:
    """Return the largest feasible group size: the floor of N / (largest frequency).

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,), not all zero.

    Notes
    -----
    No value may occur more than N / gamma times. A result of 1 means that more than half of the records have
    the same value, so no group size is feasible. Deleting any N mod gamma records preserves eligibility,
    because an integer of at most N / gamma is at most its floor.
    """
    largest = int(histogram.max(initial=0))
    if largest == 0:
        raise ParameterError("the histogram counts no record: give at least one frequency above 0")
    return int(histogram.sum()) // largest


def require_feasible(histogram: NDArray[np.integer], gamma: Gamma, kept: int | None = None) -> None:
    """Raise if a value occurs more than N / gamma times.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,).
    gamma
        Size of a decoy group.
    kept
        Number of records after the deletion, a multiple of gamma, if more than N mod gamma records are
        deleted. Then no value may occur more than kept / gamma times, whichever records are deleted.

    Raises
    ------
    ParameterError
        The message names the most frequent value, its frequency and the largest feasible gamma.
    """
    feasible = largest_gamma(histogram)
    if kept is not None and gamma <= feasible and int(histogram.max()) * gamma > kept:
        value = int(histogram.argmax())
        raise ParameterError(
            f"gamma = {gamma} is too large: value {value} occurs {int(histogram[value])} times, and of "
            f"{int(histogram.sum())} records {kept} are left, a multiple of every column's gamma"
        )
    if gamma > feasible:
        value = int(histogram.argmax())
        raise ParameterError(
            f"gamma = {gamma} is too large: value {value} occurs {int(histogram[value])} times among "
            f"{int(histogram.sum())} records; the largest feasible gamma is {feasible}"
        )


def surplus(histogram: NDArray[np.integer], gamma: Gamma) -> NDArray[np.int64]:
    """Return the smallest numbers of records by value whose removal makes the rest eligible.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,).
    gamma
        Size of a decoy group.

    Returns
    -------
    NDArray
        Shape (values,); the sum is the least possible. With fewer than gamma values it is every record.

    Notes
    -----
    With frequencies capped at c, the rest is eligible if gamma c is at most the sum of min(f, c) over the
    values. The sum is concave in c, so the condition holds for every smaller c as well, and the largest c is
    computed by bisection.
    """
    least, most = 0, int(histogram.max(initial=0))
    while least < most:
        cap = (least + most + 1) // 2
        if gamma * cap <= int(np.minimum(histogram, cap).sum()):
            least = cap
        else:
            most = cap - 1
    return np.maximum(histogram.astype(np.int64) - least, 0)


def require_eligible(histogram: NDArray[np.integer], gamma: Gamma) -> None:
    """Raise unless all records can be partitioned into decoy groups of ``gamma`` distinct values.

    Raises
    ------
    ParameterError
        As :func:`require_feasible`, if the array is not a histogram, or if N is not a multiple of gamma.
    """
    if histogram.ndim != 1 or not np.issubdtype(histogram.dtype, np.integer):
        raise ParameterError("a histogram is a one-dimensional array of whole numbers")
    if (histogram < 0).any():
        raise ParameterError("a frequency below 0 makes no sense: give counts of records")
    records = int(histogram.sum())
    if records % gamma:
        raise ParameterError(
            f"{records} records cannot fill groups of {gamma}: delete {records % gamma} of them first"
        )
    require_feasible(histogram, gamma)
