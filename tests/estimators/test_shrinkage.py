from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from splu_ref.estimators.shrinkage.shrinkage import MISS, critical_values, half_widths, worst_miss
from splu_ref.estimators.shrinkage.weights import Prior, posterior_of_tau, shrinkage_weights
from tests.rounding import near

TAUS = np.concatenate([[0.05], np.geomspace(0.1, 6.4, 18)])
PRIOR = Prior(TAUS, 1 / (1 + TAUS**2))


def test_without_bias_the_critical_value_is_that_of_the_normal_law() -> None:
    assert critical_values(np.zeros(1)) == pytest.approx([1.95996], abs=1e-4)


@pytest.mark.parametrize("second_moment", [0.05, 0.5, 1.0, 4.0, 40.0])
def test_no_law_of_the_bias_misses_more_often(second_moment: float) -> None:
    critical = float(critical_values(np.array([second_moment]))[0])
    assert worst_miss(second_moment, critical) == pytest.approx(MISS, abs=5e-4)
    generator = np.random.default_rng(7)
    worst = 0.0
    for _ in range(3000):
        bias = generator.exponential(size=4) ** 2
        mass = generator.dirichlet(np.full(4, 0.4))
        bias *= np.sqrt(second_moment / (mass @ bias**2))
        miss = float(mass @ (stats.norm.sf(critical - bias) + stats.norm.cdf(-critical - bias)))
        worst = max(worst, miss)
    assert 0.5 * MISS < worst < MISS * 1.01
    assert worst_miss(second_moment, 0.9 * critical) > MISS * 1.05


def test_the_weight_is_learned_from_the_whole_domain() -> None:
    generator = np.random.default_rng(3)
    noise, chance = np.full((2, 400), 0.25), np.zeros((2, 400))
    spread = np.array([[0.0], [1.0]])
    deviation = spread * generator.normal(size=(2, 400)) + 0.5 * generator.normal(size=(2, 400))
    learned = shrinkage_weights(posterior_of_tau(deviation, noise, chance, PRIOR), noise, chance, PRIOR)
    assert learned.weight[0].max() < 0.1
    assert learned.weight[1] == pytest.approx(1 / 1.25, abs=0.06)
    assert learned.prior_variance[1] == near(1.0, rel=0.25)
    assert (learned.weight_variance < 0.01).all()


def test_what_is_known_of_a_few_values_only_leaves_the_weight_in_doubt() -> None:
    noise, chance = np.full((1, 3), 0.2), np.zeros((1, 3))
    learned = shrinkage_weights(
        posterior_of_tau(np.array([[0.3, -0.2, 0.1]]), noise, chance, PRIOR), noise, chance, PRIOR
    )
    assert 0.1 < learned.weight[0, 0] < 0.9
    assert learned.weight_variance[0, 0] > 0.01
    noise, chance = np.array([[0.2, np.inf]]), np.zeros((1, 2))
    blank = shrinkage_weights(
        posterior_of_tau(np.array([[0.3, 9.0]]), noise, chance, PRIOR), noise, chance, PRIOR
    )
    assert blank.weight[0, 1] == blank.weight_variance[0, 1] == 0


def test_intervals_do_not_end_with_the_table_of_critical_values() -> None:
    bias = np.array([0.0, 4.0, 4.0, 0.0, 1e12])
    sampling = np.array([0.0, 0.0, 1e-310, 4.0, 1.0])
    half = half_widths(sampling, bias)
    assert half[0] == 0
    assert half[1:3] == near(2 / np.sqrt(0.05))
    assert half[3] == near(1.96 * 2, rel=1e-3)
    assert half[4] == near(1e6 / np.sqrt(0.05))
