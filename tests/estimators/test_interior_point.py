"""The most likely counts of many states: the certificate, other starts, and where EM must not start."""

from __future__ import annotations

import numpy as np
import pytest

from splu_ref.estimators.linear import interior_point
from splu_ref.estimators.linear.em import TOLERANCE, Maximum, most_likely
from splu_ref.estimators.linear.interior_point import settled
from splu_ref.estimators.linear.transition import apply_by_mode, inverses
from splu_ref.mechanisms import FloatArray
from tests.rounding import near


def _law(keep: float, share: float) -> FloatArray:
    return keep * np.eye(2) + (1 - keep) * np.array([1 - share, share])


def _unbegun(y: FloatArray) -> Maximum:
    total = y.reshape(len(y), -1).sum(axis=1).reshape(-1, *[1] * (y.ndim - 1))
    return Maximum(np.broadcast_to(total / y[0].size, y.shape).copy(), np.full(len(y), np.inf), 0)


def _gap(x: FloatArray, y: FloatArray, factors: list[FloatArray]) -> float:
    """Return n (max g - 1) of one vector, with the product written out."""
    whole: FloatArray = np.ones((1, 1))
    for factor in factors:
        whole = np.asarray(np.kron(whole, factor), dtype=np.float64)
    gain = whole @ (y.ravel() / (x.ravel() @ whole))
    return float(y.sum() * (gain.max() - 1))


@pytest.mark.parametrize("keep", [0.05, 0.2, 0.5, 0.95])
@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_what_em_leaves_open_is_certified_after_it(keep: float, columns: int) -> None:
    rng = np.random.default_rng(columns)
    factors = [_law(keep, share) for share in rng.uniform(0.02, 0.9, columns)]
    y = rng.multinomial(5000, rng.dirichlet(np.full(2**columns, 0.2)), size=6).astype(float)
    y = y.reshape(-1, *[2] * columns)
    found = settled(most_likely(y, factors, limit=10), y, factors)
    for x, one in zip(found.counts, y, strict=True):
        assert x.min() > 0
        assert x.sum() == near(5000)
        assert _gap(x, one, factors) <= TOLERANCE * 1.01


def test_an_interior_inversion_is_the_maximum_from_any_start() -> None:
    rng = np.random.default_rng(1)
    factors = [_law(0.5, 0.3), _law(0.6, 0.5), _law(0.8, 0.1)]
    x = rng.uniform(200, 900, (4, 2, 2, 2))
    y = apply_by_mode(x, factors)
    assert apply_by_mode(y, inverses(factors)) == near(x)
    for found in (settled(_unbegun(y), y, factors), most_likely(y, factors)):
        assert found.counts == near(x, rel=1e-3)
        assert found.gap.max() <= TOLERANCE


def test_a_matrix_for_each_vector() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 50, (3, 2, 2)).astype(float)
    own = [np.stack([_law(keep, 0.4) for keep in (0.2, 0.3, 0.7)]) for _ in range(2)]
    together = settled(_unbegun(y), y, own).counts
    for place in range(3):
        alone = y[place : place + 1]
        one = settled(_unbegun(alone), alone, [factor[place] for factor in own])
        assert together[place] == pytest.approx(one.counts[0], abs=1e-3)


def test_counts_of_zero_are_no_start() -> None:
    """From y = (0, 1, 1, 0) EM stays at y, where the likelihood is 0.3152^2; the largest is 0.4032^2."""
    y, law = np.array([[[0.0, 1.0], [1.0, 0.0]]]), _law(0.2, 0.1)
    assert _gap(y, y, [law, law]) > 0.5
    for found in (most_likely(y, [law, law]), settled(_unbegun(y), y, [law, law])):
        expected = apply_by_mode(found.counts / 2, [law, law])[0]
        assert expected[0, 1] == pytest.approx(0.2016, abs=1e-5)
        assert found.counts[0, 0, 0] + found.counts[0, 1, 1] == pytest.approx(2, abs=1e-3)


def test_what_is_settled_or_too_large_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    y, law = np.array([[[0.0, 1.0], [1.0, 0.0]]]), _law(0.2, 0.1)
    done = most_likely(y, [law, law])
    assert settled(done, y, [law, law]) is done
    begun = most_likely(y, [law, law], limit=1)
    assert begun.gap.max() > TOLERANCE
    assert settled(begun, y, [law, law]) is not begun
    monkeypatch.setattr(interior_point, "MOST_STATES", 3)
    assert settled(begun, y, [law, law]) is begun
