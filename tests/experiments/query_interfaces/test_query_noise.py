"""What is left of noise that depends on the query: closed forms against least squares over the rationals."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from sympy import Matrix

from experiments.query_interfaces import query_noise


def _least_squares(sizes: list[int], *, complements: bool) -> tuple[Fraction, int]:
    """Return the variance of the first unknown, the count itself; the last part of a division is the rest."""
    width = 1 + sum(size - 1 for size in sizes)
    rows = [[1] + [0] * (width - 1)]
    begin = 1
    for size in sizes:
        parts = [[int(place == begin + part) for place in range(width)] for part in range(size - 1)]
        rest = [1] + [-1 if begin <= place < begin + size - 1 else 0 for place in range(1, width)]
        begin += size - 1
        for part in [*parts, rest] if size > 1 else []:
            rows.append(part)
            if complements and size > 2:
                rows.append([int(place == 0) - entry for place, entry in enumerate(part)])
    design = Matrix(rows)
    variance = (design.T * design).inv()[0, 0]
    return Fraction(int(variance.p), int(variance.q)), len(rows)


@pytest.mark.parametrize("sizes", [[], [1], [2], [3], [5], [2, 2], [2, 3], [4, 1, 3]])
def test_variances_and_numbers_of_queries_are_those_of_least_squares(sizes: list[int]) -> None:
    found = query_noise({str(place): size for place, size in enumerate(sizes)})
    assert (found.by_columns, found.column_queries) == _least_squares(sizes, complements=False)
    assert (found.by_values, found.value_queries) == _least_squares(sizes, complements=True)


def test_more_columns_leave_less() -> None:
    left = [query_noise({str(column): 4 for column in range(columns)}).by_values for columns in range(5)]
    assert left[0] == 1
    assert all(more > fewer for more, fewer in pairwise(left))
