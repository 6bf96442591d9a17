"""The figures on plans in the specification: mixed plans meet their expectation, the others do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from splu_ref.channels.parameters import Gamma
from splu_ref.data import embedded_table, read_table
from splu_ref.mechanisms import anatomy, cyclic, expected_co_occurrence, mixed
from splu_ref.mechanisms.plans.plan import DecoyPlan
from splu_ref.randomness import IntArray, SeededSource

GAMMA = Gamma(5)


def together(plan: DecoyPlan) -> NDArray[np.float64]:
    groups = plan.groups()
    holds = np.zeros((len(groups), plan.domain_size))
    holds[np.arange(len(groups))[:, np.newaxis], groups] = 1
    counts: NDArray[np.float64] = holds.T @ holds
    return counts


def condition_number(counts: NDArray[np.float64]) -> float:
    """Return that of the transition matrix c(u, v)/(gamma f_u)."""
    return float(np.linalg.cond(counts / (GAMMA * np.diag(counts)[:, np.newaxis])))


def full_groups(histogram: IntArray) -> IntArray:
    kept = histogram.copy()
    kept[kept.argmax()] -= kept.sum() % GAMMA
    return kept


@pytest.fixture(params=["adult", "census"])
def histogram(request: pytest.FixtureRequest) -> IntArray:
    if request.param == "adult":
        return full_groups(embedded_table().histogram("occupation"))
    folder: Path = request.getfixturevalue("shared_data")
    return full_groups(read_table(folder / "census_kdd_workers.csv.gz").histogram("occupation_code"))


def test_mixed_plans_are_what_the_frequencies_imply(histogram: IntArray) -> None:
    expected = expected_co_occurrence(histogram, GAMMA)
    counts = together(mixed(histogram, GAMMA, SeededSource(1)))
    large = (expected >= 1000) & ~np.eye(len(histogram), dtype=bool)
    ratio = (counts / expected)[large]
    assert ratio.min() > 0.9
    assert ratio.max() < 1.1
    assert condition_number(counts) < 1.2 * condition_number(expected) < 25
    for plan in (anatomy, cyclic):
        counts = together(plan(histogram, GAMMA))
        assert (counts / expected)[large].max() > 1.3
        assert condition_number(counts) > 50
