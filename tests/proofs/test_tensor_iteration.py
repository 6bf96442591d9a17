"""The printed iteration for many conjunctions is the printed iteration, conjunction by conjunction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from splu_proofs import LEDGER
from splu_proofs.printed.iteration import TOLERANCE, reconstruct
from splu_proofs.printed.tensor_iteration import reconstruct_many
from tests.rounding import near

STATES = [
    [800, 200, 150, 90],
    [100, 20, 20, 9],
    [50, 0, 30, 7],
    [1, 1, 1, 1],
    [4000, 700, 300, 290],
]


@pytest.mark.parametrize("gamma", [2, 5, 9])
def test_one_attribute_is_the_scalar_iteration(gamma: int) -> None:
    found, steps = reconstruct_many(np.array(STATES).reshape(-1, 2, 2), gamma)
    for y, x, taken in zip(STATES, found, steps, strict=True):
        expected, count = reconstruct(y, gamma)
        assert taken == count
        assert x.reshape(-1) == pytest.approx(expected, rel=1e-9, abs=1e-200)
    assert len(set(steps.tolist())) > 1


def test_two_attributes_are_the_tensor_product() -> None:
    y = np.array([[800, 260, 250, 110, 300, 140, 140, 160], [400, 160, 150, 70, 90, 60, 60, 50]], dtype=float)
    found, steps = reconstruct_many(y.reshape(-1, 2, 2, 2), 4)
    for number, own in enumerate(y):
        x, taken = own, 0
        for _ in range(1000):
            after, taken = _dense_step(x, own, 4), taken + 1
            stopped = np.all(np.abs(after - x) <= float(TOLERANCE) * x)
            x = after
            if stopped:
                break
        assert taken == steps[number] > 1
        assert found[number].reshape(-1) == near(x, rel=1e-9)


def _dense_step(x: Any, y: Any, gamma: int) -> Any:
    """Equation (13) with the matrix of section 5.2 written out."""
    matrix = np.eye(2)
    for bit in (1, 0):  # the first attribute is the middle one of three bits
        share = sum(x[state] for state in range(8) if state >> bit & 1) / x.sum()
        matrix = np.kron(matrix, [[1 - share, share], [1 - 1 / gamma, 1 / gamma]])
    return np.array([sum(y[j] * x[i] * matrix[i, j] / (x @ matrix)[j] for j in range(8)) for i in range(8)])


def test_entries_that_are_negligible_do_not_keep_it_going() -> None:
    y = np.array([[[3600.0, 400.0], [990.0, 10.0]]])
    whole, steps = reconstruct_many(y, 5)
    near, fewer = reconstruct_many(y, 5, negligible=1e-6)
    assert fewer[0] < steps[0] / 10
    assert near == pytest.approx(whole, rel=1e-6, abs=1e-5)
    assert whole[0, 1, 1] < 1e-300


def test_a_conjunction_that_does_not_stop_has_no_result() -> None:
    found, steps = reconstruct_many(
        np.array([[[3600.0, 400.0], [990.0, 10.0]], [[50.0, 9.0], [50.0, 9.0]]]), 5, 3
    )
    assert steps[0] == 3
    assert np.isnan(found[0]).all()


def test_the_ledger_keeps_it_with_the_tensor_product() -> None:
    assert LEDGER.printed["splu.K"] is reconstruct_many
