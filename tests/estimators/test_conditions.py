"""The product form of single conditions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from splu_ref.channels import PublishedCount
from splu_ref.estimators.shrinkage.conditions import (
    EXPONENTS,
    Conditions,
    CountPosterior,
    ProductForms,
    PublishedForm,
    product_form_posterior,
)
from splu_ref.estimators.shrinkage.shrinkage import Shrinkage, ShrunkEstimates
from tests.rounding import near

BASE = np.array([0.5, 0.3, 0.2, 0.0])
BOTH, NOTHING = np.array([[1.0, 1.0]]), np.zeros((2, 4))


def test_conditions_that_say_nothing_leave_the_shares_of_all_records() -> None:
    forms = ProductForms.of(BASE, np.stack([BASE, BASE]), NOTHING, NOTHING, BOTH)
    assert forms.share == near(np.broadcast_to(BASE, (len(EXPONENTS), 1, 4)))
    assert not forms.variance.any()


def test_conditions_independent_given_the_value_have_the_product_form() -> None:
    chances = np.array([[0.2, 0.5, 0.1, 0.0], [0.6, 0.1, 0.3, 0.0]])  # of the conditions given the value
    single = BASE * chances / (BASE * chances).sum(axis=1, keepdims=True)
    forms = ProductForms.of(BASE, single, NOTHING, NOTHING, BOTH)
    joint = BASE * chances.prod(axis=0)
    assert forms.share[EXPONENTS.index(1.0)][0] == near(joint / joint.sum())
    assert forms.share[0][0] != near(joint / joint.sum())


def test_deviations_are_those_of_the_true_counts() -> None:
    """Where every other value is published with the same chance, as claim splu.DEV states."""
    kept, taken = 0.4, np.array([0.1, 0.2, 0.05])
    chances = np.diag(kept - taken) + taken
    share, true = np.array([[0.5, 0.3, 0.2]]), np.array([[60.0, 10.0, 30.0]])
    form = PublishedForm.of(
        true @ chances,
        100 * share @ chances,
        share,
        np.zeros((1, 3)),
        np.zeros((1, 3)),
        rows=1000,
        retention=kept,
        contrast=kept - taken,
    )
    # The published counts do not sum to the true ones here, so the mean is scaled.
    scale = float((true @ chances).sum()) / 100
    assert form.deviation == near(true - 100 * share)
    assert form.mean == near(100 * scale * share)


def test_squared_deviations_less_the_noise_are_unbiased() -> None:
    """On average over y, less a multiple of the deviation, as claim splu.DEVv states."""
    kept, taken, records, true = 0.4, 0.1, 12, 5
    have, others = (
        np.asarray(binom.pmf(np.arange(13), *law)) for law in ((true, kept), (records - true, taken))
    )
    y = np.convolve(have, others)[:13]
    for share in (0.1, 5 / 12, 0.7):
        expected = records * (share * kept + (1 - share) * taken)
        found = PublishedForm.of(
            np.stack([np.arange(13.0), records - np.arange(13.0)], axis=1),
            np.full((13, 2), expected),
            np.array([[share, 1 - share]]),
            np.zeros((1, 2)),
            np.zeros((1, 2)),
            rows=1000,
            retention=kept,
            contrast=np.full(2, kept - taken),
        )
        deviation, noise = found.deviation[:, 0], found.noise[:, 0]
        linear = (1 - kept - taken) / (kept - taken)
        wanted = true - records * share
        assert float(y @ deviation) == near(wanted, size=records)
        assert float(y @ (deviation**2 - noise)) == near(wanted**2 + linear * wanted, size=records**2)


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.5])
def test_a_published_count_that_is_in_the_prediction_is_not_used_twice(shared: float) -> None:
    """The posterior is the best linear prediction from m and y, whose errors have a part in common."""
    prior, noise = np.array([[4.0, 1.0]]), np.array([[1.0, 9.0]])
    mean, deviation, zero = np.array([[30.0, 5.0]]), np.array([[2.0, -3.0]]), np.zeros((1, 2))
    form = PublishedForm(mean, mean, deviation, noise, zero + shared, prior, zero, zero + 1)
    found = product_form_posterior([form])
    # m is the form and ``shared`` of the error of y; x is the form and a deviation.
    common = prior - shared * (1 - shared) * noise
    apart = prior + (1 - shared) ** 2 * noise
    assert found.mean == near(mean + common / apart * deviation)
    assert found.variance == near(prior + shared**2 * noise - common**2 / apart)


def test_the_noise_is_at_least_that_of_records_with_different_chances() -> None:
    """The others have their mean chance g in the variance; g (1 - g) is concave."""
    kept, chances, share = 0.4, np.array([0.4, 0.02, 0.3]), np.array([[0.5, 0.3, 0.2]])
    expected = 100 * share @ np.stack([chances, np.array([0.02, 0.4, 0.1]), np.array([0.3, 0.1, 0.4])])
    form = PublishedForm.of(
        100 * share,
        expected,
        share,
        np.zeros((1, 3)),
        np.zeros((1, 3)),
        rows=1000,
        retention=kept,
        contrast=np.ones(3),
    )
    apart = float(100 * share[0] @ (chances * (1 - chances)))
    assert apart < form.noise[0, 0] < 1.2 * apart


def test_errors_of_conditions_add_up_as_if_they_were_equal() -> None:
    single = np.stack([BASE, BASE])
    forms = ProductForms.of(BASE, single, np.stack([0.01 * BASE**2, 0.04 * BASE**2]), NOTHING, BOTH)
    assert forms.variance[EXPONENTS.index(1.0)][0, :3] == near(np.full(3, 0.3**2))


@pytest.mark.parametrize("several", [False, True])
def test_the_prior_of_an_interval_does_not_follow_the_published_count(several: bool) -> None:
    """It changes by less than a twentieth of what the moment estimate does, the estimate by a tenth."""
    share, rows, law = 0.1 + np.linspace(-0.02, 0.02, 10), 2000, PublishedCount.of(3)
    tilt, other = 1 + np.linspace(-0.1, 0.1, 10), 1 + np.linspace(0.1, -0.1, 10)

    def found(more: float) -> ShrunkEstimates:
        # The other records of the table and of the conditions are the same, so their counts change as well.
        moved = more * np.array([1.0, *[-1 / 9] * 9])
        single = np.stack([700 * share * tilt, 800 * share * other]) + moved
        conditions = Conditions(single, np.full((1, 2), float(several)))
        shrinkage = Shrinkage(rows * share + moved, rows, law)
        return shrinkage.answer(
            200 * share[None] + moved, np.zeros(1, dtype=np.int64), np.eye(10)[:1], conditions
        )

    less, more = found(-5.0), found(5.0)
    change = float(more.states.solved[0] - less.states.solved[0])
    assert abs(float(more.prior[0] - less.prior[0])) < change / 20
    assert float(more.center[0] - less.center[0]) > change / 10


def test_mixed_posteriors_have_the_moments_of_a_mixture() -> None:
    one, other = (
        CountPosterior(*np.array(parts)[:, None, None]) for parts in ([3.0, 2, 1, 4], [7.0, 5, 6, 1])
    )
    mixed = one.mixed(other, np.array([0.25]))
    assert mixed.mean == near(np.array([[4.0]]))
    assert mixed.variance == near(np.array([[0.75 * (2 + 9) + 0.25 * (5 + 49) - 16]]))
    assert mixed.outside == near(np.array([[2.25]]))
    assert mixed.spread == near(np.array([[0.75 * (4 + 1) + 0.25 * (1 + 36) - 2.25**2]]))
    for whole, weight in ((one, 0.0), (other, 1.0)):
        assert one.mixed(other, np.array([weight])) == whole


def test_a_count_that_is_not_identified_lies_halfway_between_the_predictions() -> None:
    """The first value has N/gamma records, so y says nothing about it."""
    frequencies, law = np.array([400.0, 300.0, 200.0, 180.0, 120.0]), PublishedCount.of(3)
    shrinkage = Shrinkage(frequencies, 1200, law)
    single = np.array([[60.0, 80, 20, 30, 10], [90.0, 60, 60, 10, 40]])
    conditions, published = Conditions(single, np.array([[1.0, 1.0]])), np.array([[20.0, 25, 8, 5, 2]])
    composition = shrinkage.composition
    without = composition.counts(composition.learn(published))
    formed = composition.by_conditions(without, published, conditions)
    found = shrinkage.learn(published, conditions).counts
    assert abs(formed.mean - without.mean)[0, 0] > 0.05
    assert found.mean[0, 0] == near((formed.mean + without.mean)[0, 0] / 2)
    assert found.mean[0, 2:] == near(formed.mean[0, 2:])
