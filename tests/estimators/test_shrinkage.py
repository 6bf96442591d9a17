from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from splu_ref.channels import PublishedCount
from splu_ref.estimators import exact_estimates, shrunk_estimates
from splu_ref.estimators.shrunk.learning import learned_weights, posterior_of_tau
from splu_ref.estimators.shrunk.shrinkage import MISS, critical_values, half_widths, worst_miss


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
    learned = learned_weights(posterior_of_tau(deviation, noise, chance), noise, chance)
    assert learned.weight[0].max() < 0.1
    assert learned.weight[1] == pytest.approx(1 / 1.25, abs=0.06)
    assert learned.prior_variance[1] == pytest.approx(1.0, rel=0.25)
    assert (learned.weight_variance < 0.01).all()


def test_what_is_known_of_a_few_values_only_leaves_the_weight_in_doubt() -> None:
    noise, chance = np.full((1, 3), 0.2), np.zeros((1, 3))
    learned = learned_weights(posterior_of_tau(np.array([[0.3, -0.2, 0.1]]), noise, chance), noise, chance)
    assert 0.1 < learned.weight[0, 0] < 0.9
    assert learned.weight_variance[0, 0] > 0.01
    noise, chance = np.array([[0.2, np.inf]]), np.zeros((1, 2))
    blank = learned_weights(posterior_of_tau(np.array([[0.3, 9.0]]), noise, chance), noise, chance)
    assert blank.weight[0, 1] == blank.weight_variance[0, 1] == 0


def _world(relation: float, seed: int) -> tuple[np.ndarray, ...]:
    """Publish one predicate of a made-up table under hypothesis H, 40 values, gamma = 5."""
    generator = np.random.default_rng(seed)
    f = generator.integers(200, 3000, 40)
    rows = int(f.sum())
    odds = np.exp(relation * generator.normal(size=40))
    share = np.clip(0.05 * odds / np.average(odds, weights=f), 0, 0.8)
    x = generator.binomial(f, share)
    n = int(x.sum())
    inside, outside = np.empty(40, dtype=np.int64), np.empty(40, dtype=np.int64)
    for v in range(40):
        exposed = generator.hypergeometric(4 * f[v], rows - 5 * f[v], n - x[v])
        inside[v] = generator.binomial(x[v] + exposed, 0.2)
        outside[v] = generator.binomial(5 * f[v] - x[v] - exposed, 0.2)
    return x, np.array([n]), inside[None], inside + outside, np.array(rows)


@pytest.mark.parametrize("relation", [0.0, 0.3, 1.0])
def test_it_is_close_to_the_better_of_its_two_sources_and_its_intervals_cover(relation: float) -> None:
    errors: dict[str, list[float]] = {"shrunk": [], "exact": [], "expected": []}
    covered, law = [], PublishedCount.of(5)
    for seed in range(40):
        x, n, published, f, rows = _world(relation, seed)
        shrunk = shrunk_estimates(published, n, f, int(rows), law)
        exact, _ = exact_estimates(published, n[:, None], f, int(rows), law)
        for name, found in (
            ("shrunk", shrunk.estimate),
            ("exact", exact),
            ("expected", n[:, None] * f / rows),
        ):
            errors[name].append(float(np.mean((found[0] - x) ** 2)))
        covered.append(float(np.mean(np.abs(shrunk.estimate[0] - x) <= shrunk.half_width[0])))
    mean = {name: np.mean(found) for name, found in errors.items()}
    best, worst = sorted((mean["exact"], mean["expected"]))
    assert mean["shrunk"] < 1.05 * best + 0.04 * worst
    assert np.mean(covered) > 0.95


def test_a_value_without_information_is_left_at_its_expectation() -> None:
    published = np.array([[30, 60, 110]])
    shrunk = shrunk_estimates(
        published, published.sum(axis=1), np.array([100, 300, 600]), 1000, PublishedCount.of(5)
    )
    assert shrunk.weight[0, 1:].tolist() == [0, 0]
    assert shrunk.estimate[0, 1:].tolist() == [60, 120]
    # What is not known is off by as much as the other values are, in proportion to the expectation.
    assert (shrunk.standard_error[0, 1:] > 0.05 * np.array([60, 120])).all()


def test_intervals_do_not_end_with_the_table_of_critical_values() -> None:
    bias = np.array([0.0, 4.0, 4.0, 0.0, 1e12])
    sampling = np.array([0.0, 0.0, 1e-310, 4.0, 1.0])
    half = half_widths(sampling, bias)
    assert half[0] == 0
    assert half[1:3] == pytest.approx(2 / np.sqrt(0.05))
    assert half[3] == pytest.approx(1.96 * 2, rel=1e-3)
    assert half[4] == pytest.approx(1e6 / np.sqrt(0.05))
