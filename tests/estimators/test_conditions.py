"""The product form of single conditions."""

from __future__ import annotations

import numpy as np

from splu_ref.estimators.shrinkage.conditions import EXPONENTS, ProductForms
from tests.rounding import near

BASE = np.array([0.5, 0.3, 0.2, 0.0])
BOTH = np.array([[1.0, 1.0]])


def test_conditions_that_say_nothing_leave_the_shares_of_all_records() -> None:
    forms = ProductForms.of(BASE, np.stack([BASE, BASE]), np.zeros((2, 4)), BOTH)
    assert forms.share == near(np.broadcast_to(BASE, (len(EXPONENTS), 1, 4)))
    assert not forms.variance.any()


def test_conditions_independent_given_the_value_have_the_product_form() -> None:
    chances = np.array([[0.2, 0.5, 0.1, 0.0], [0.6, 0.1, 0.3, 0.0]])  # of the conditions given the value
    single = BASE * chances / (BASE * chances).sum(axis=1, keepdims=True)
    forms = ProductForms.of(BASE, single, np.zeros((2, 4)), BOTH)
    joint = BASE * chances.prod(axis=0)
    assert forms.share[EXPONENTS.index(1.0)][0] == near(joint / joint.sum())
    assert forms.share[0][0] != near(joint / joint.sum())
