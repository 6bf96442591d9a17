"""What every source requires of its arguments."""

from __future__ import annotations

from splu_ref.model import ParameterError, shown

LARGEST_VECTOR_BOUND = 2**63
"""An array of draws holds signed 64-bit integers."""


def require_bound(bound: int) -> None:
    """Raise ``ParameterError`` unless there is an integer from 0 to ``bound - 1``."""
    if bound < 1:
        raise ParameterError(f"a uniform integer below {bound} does not exist: the bound must be at least 1")


def require_vector(bound: int, size: int) -> None:
    """Raise ``ParameterError`` unless ``size`` integers below ``bound`` exist and fit 64 signed bits."""
    require_bound(bound)
    if bound > LARGEST_VECTOR_BOUND:
        raise ParameterError(
            f"the bound {bound} of an array of draws exceeds 2**63: draw integers one by one"
        )
    require_size(size)


def require_size(size: int) -> None:
    """Raise ``ParameterError`` for a negative number of items."""
    if size < 0:
        raise ParameterError(f"the number of items is {size}: it must be at least 0")


def require_subset(population: int, count: int) -> None:
    """Raise ``ParameterError`` unless ``0 <= count <= population``, and the numbers fit 64 signed bits."""
    if population > LARGEST_VECTOR_BOUND:
        raise ParameterError(f"a population of {shown(population)} exceeds 2**63: choose among fewer items")
    if not 0 <= count <= population:
        raise ParameterError(
            f"a subset of {count} from {population} items does not exist: choose 0 to {population}"
        )
