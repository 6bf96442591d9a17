from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.mechanisms import PLANS, anatomy, co_occurrence
from splu_ref.randomness import SystemSource

HISTOGRAMS = [(2, (4, 3, 3)), (2, (2, 1, 1)), (3, (5, 4, 4, 1, 1)), (5, (9, 1, 8, 7, 6, 5, 4, 3, 2, 0))]


@pytest.mark.parametrize("method", sorted(PLANS))
@pytest.mark.parametrize(("gamma", "histogram"), HISTOGRAMS)
def test_it_counts_the_groups_that_hold_both(method: str, gamma: int, histogram: tuple[int, ...]) -> None:
    plan = PLANS[method](np.array(histogram), Gamma(gamma), SystemSource())
    together = Counter(pair for group in plan.groups().tolist() for pair in product(group, repeat=2))
    c = co_occurrence(plan)
    for u, v in product(range(len(histogram)), repeat=2):
        assert c(u, v) == c(v, u) == together[u, v]
        assert type(c(u, v)) is int


@pytest.mark.parametrize(("gamma", "histogram"), HISTOGRAMS)
def test_a_row_holds_the_frequency_and_sums_to_gamma_times_it(gamma: int, histogram: tuple[int, ...]) -> None:
    c = co_occurrence(anatomy(np.array(histogram), Gamma(gamma)))
    for value, frequency in enumerate(histogram):
        row = c.row(value)
        assert row.dtype == np.int64
        assert row.shape == (len(histogram),)
        assert row[value] == frequency
        assert row.sum() == gamma * frequency


def test_a_plan_by_hand() -> None:
    # Groups {0,1}, {0,2}, {0,1}, {2,0}, {1,2}: see test_plans.
    c = co_occurrence(anatomy(np.array([4, 3, 3]), Gamma(2)))
    assert [c.row(value).tolist() for value in range(3)] == [[4, 2, 2], [2, 3, 1], [2, 1, 3]]


def test_a_large_domain_needs_no_matrix() -> None:
    size = 200_000  # the matrix would have 4 * 10^10 entries
    c = co_occurrence(anatomy(np.ones(size, dtype=np.int64), Gamma(2)))
    assert c.row(0).sum() == 2
    assert [c(0, 0), c(0, 1), c(0, size - 1)] == [1, 1, 0]


@pytest.mark.parametrize(("value", "other"), [(-1, 0), (3, 0), (0, 3), (0, -1)])
def test_a_value_outside_the_domain_is_refused(value: int, other: int) -> None:
    c = co_occurrence(anatomy(np.array([4, 3, 3]), Gamma(2)))
    with pytest.raises(ParameterError, match=r"outside the domain 0 \.\. 2"):
        c(value, other)
