from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from splu_ref.channels import PublishedCount
from splu_ref.channels.parameters import InputError
from splu_ref.estimators import apply_by_mode, conjunction_estimate, most_likely
from splu_ref.estimators.linear import em
from splu_ref.estimators.linear.em import TOLERANCE, Maximum, require_convergence
from splu_ref.mechanisms import FloatArray
from tests.rounding import near


def _two_state(f: int, rows: int, gamma: int) -> FloatArray:
    a = f * (gamma - 1) / (gamma * (rows - f))
    return np.array([[1 - a, a], [1 - 1 / gamma, 1 / gamma]])


@pytest.mark.parametrize(("gamma", "f"), [(2, 10), (5, 7), (5, 19)])
def test_for_one_value_it_ends_at_the_closed_form(gamma: int, f: int) -> None:
    rows, n = 100, 40
    y3 = np.arange(f + 1)
    states = np.stack([n - y3, y3], axis=1).astype(float)
    found = most_likely(states, [_two_state(f, rows, gamma)], 1e-8)
    closed = [float(conjunction_estimate(int(y), f, n, rows, PublishedCount.of(gamma))) for y in y3]
    assert found.counts[:, 1] == pytest.approx(closed, abs=0.02)
    assert found.gap.max() <= 1e-8


def test_at_the_boundary_it_does_not_take_thousands_of_steps() -> None:
    """Plain EM gains a digit in hundreds of steps here, where the printed iteration takes 13490."""
    states = np.array([[46000.0, 5600.0], [46000.0, 2400.0]])
    found = most_likely(states, [_two_state(8000, 100_000, 5)])
    assert found.steps < 100
    assert found.counts[1, 1] == pytest.approx(0, abs=0.01)
    assert found.gap.max() <= TOLERANCE


def test_the_gap_bounds_what_any_other_counts_could_gain() -> None:
    generator = np.random.default_rng(0)
    matrix = 0.3 * np.eye(5) + 0.7 * generator.dirichlet(np.ones(5), size=5)
    y = generator.integers(0, 30, (6, 5)).astype(float)
    for tolerance in (1.0, 1e-4):
        found = most_likely(y, [matrix], tolerance)
        reached = (y * np.log(np.maximum(found.counts @ matrix, 1e-300))).sum(axis=1)
        assert found.counts.sum(axis=1) == near(y.sum(axis=1))
        assert (found.counts >= 0).all()
        for _ in range(2000):
            other = generator.dirichlet(np.full(5, 0.5), size=6) * y.sum(axis=1, keepdims=True)
            assert ((y * np.log(other @ matrix)).sum(axis=1) <= reached + found.gap + 1e-9).all()


def test_two_columns_maximize_the_likelihood_of_the_kronecker_product() -> None:
    first, second = _two_state(6, 100, 5), _two_state(15, 100, 5)
    y = np.array([[[31.0, 9.0], [4.0, 6.0]]])
    found = most_likely(y, [first, second], 1e-9)
    whole = np.kron(first, second)
    expected = found.counts.reshape(1, 4) @ whole
    gain = (y.reshape(1, 4) / expected) @ whole.T
    positive = found.counts.reshape(1, 4) > 1e-6
    assert gain.max() <= 1 + 1e-9
    assert gain[positive] == pytest.approx(1, abs=1e-4)

    def loss(share: float) -> float:
        corner = np.array([[[y.sum() * (1 - share), 0.0], [0.0, y.sum() * share]]])
        moved = (1 - 1e-3) * found.counts + 1e-3 * corner
        return -float((y * np.log(apply_by_mode(moved, [first, second]))).sum())

    best = -float((y * np.log(apply_by_mode(found.counts, [first, second]))).sum())
    assert minimize_scalar(loss, bounds=(0, 1), method="bounded").fun >= best - 1e-9


def test_each_vector_may_have_a_matrix_of_its_own() -> None:
    y = np.array([[30.0, 10.0], [30.0, 10.0]])
    factors = np.stack([_two_state(10, 100, 5), _two_state(5, 100, 5)])
    together = most_likely(y, [factors]).counts
    apart = [most_likely(y[:1], [factor]).counts[0] for factor in factors]
    assert together == pytest.approx(np.array(apart), abs=1e-4)


def test_what_has_not_settled_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    y, matrix = np.array([[46000.0, 2400.0]]), _two_state(8000, 100_000, 5)
    monkeypatch.setattr(em, "LIMIT", 1)
    unsettled = most_likely(y, [matrix])
    # The certificate by hand: the largest factor of the EM step at the counts returned.
    gain = (y / (unsettled.counts @ matrix)) @ matrix.T
    assert unsettled.gap == near(y.sum() * (gain.max(axis=1) - 1))
    with pytest.raises(InputError, match="has not settled after 3 steps"):
        require_convergence(unsettled)
    monkeypatch.undo()
    settled = most_likely(y, [matrix])
    assert require_convergence(settled) is settled.counts
    moved = settled.counts + np.array([[-5.0, 5.0]])
    gain = (y / (moved @ matrix)) @ matrix.T
    with pytest.raises(InputError, match="has not settled"):
        require_convergence(Maximum(moved, y.sum() * (gain.max(axis=1) - 1), settled.steps))


@pytest.mark.parametrize(
    ("published", "gain_probability", "keep"),
    [
        ([38276.0, 10.0], [0.00026113069591330456], 1 / 9),  # the count itself is 0.02 records
        ([[9198.5, 8.0], [1.0, 0.0009]], [0.000111, 0.00087], 0.11),
        ([[76675.0, 554.0], [48.6, 0.35]], [0.000633, 0.00717], 0.11),
    ],
)
def test_counts_just_above_the_boundary_are_found(
    published: list[float] | list[list[float]], gain_probability: list[float], keep: float
) -> None:
    factors = [np.array([[1 - a, a], [1 - keep, keep]]) for a in gain_probability]
    found = most_likely(np.array(published)[None], factors)
    assert found.gap.max() <= TOLERANCE
    assert found.steps < 1000
