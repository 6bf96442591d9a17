from __future__ import annotations

import numpy as np
import pytest

from splu_ref.estimators.tables.reconciliation import reconcile
from splu_ref.mechanisms import FloatArray
from tests.rounding import near


def test_two_cells_share_what_is_missing_by_their_variances() -> None:
    found = reconcile(np.array([[3.0, 4.0]]), np.array([[1.0, 3.0]]), [np.array([11.0]), None])
    assert found == near(np.array([[4.0, 7.0]]))


def test_nothing_is_moved_that_adds_up() -> None:
    cells = np.arange(12.0).reshape(2, 2, 3)
    totals = [cells.sum(axis=tuple({0, 1, 2} - {axis})) for axis in range(3)]
    assert reconcile(cells, np.ones(cells.shape), totals) == near(cells)


@pytest.mark.parametrize("shape", [(1, 5), (4, 7), (3, 4, 5)])
def test_no_other_table_with_these_totals_is_nearer(shape: tuple[int, ...]) -> None:
    """The conditions of Karush, Kuhn and Tucker, along all changes that keep the totals."""
    source = np.random.Generator(np.random.PCG64(1))
    true = source.integers(0, 6, shape).astype(np.float64)
    totals: list[FloatArray | None] = [
        true.sum(axis=tuple(set(range(len(shape))) - {axis})) for axis in range(len(shape))
    ]
    base, variances = true + source.normal(0, 8, shape), source.uniform(0.5, 9, shape)
    found = reconcile(base, variances, totals)
    assert found.min() >= 0
    assert (found == 0).any()
    for axis, total in enumerate(totals):
        assert found.sum(axis=tuple(set(range(len(shape))) - {axis})) == pytest.approx(total, abs=1e-6)
    slope = (found - base) / variances
    for _ in range(300):
        corners = [source.permutation(size)[:2] for size in shape]
        if min(map(len, corners)) < 2:
            corners = [corner if len(corner) == 2 else np.array([0, 0]) for corner in corners]
        change = np.zeros(shape)
        free = [axis for axis, size in enumerate(shape) if size > 1][:2]
        for one in (0, 1):
            for other in (0, 1):
                place = [corner[0] for corner in corners]
                place[free[0]] = corners[free[0]][one]
                if len(free) > 1:
                    place[free[1]] = corners[free[1]][other]
                change[tuple(place)] = (-1.0) ** (one + (other if len(free) > 1 else 0))
        if len(free) > 1 and ((found + 1e-9 * change) >= 0).all():
            assert (slope * change).sum() >= -1e-6


def test_a_total_of_nothing_leaves_nothing() -> None:
    base = np.array([[2.0, 3.0], [1.0, 5.0]])
    found = reconcile(base, np.ones((2, 2)), [np.array([4.0, 6.0]), np.array([0.0, 10.0])])
    assert found == near(np.array([[0.0, 4.0], [0.0, 6.0]]))
