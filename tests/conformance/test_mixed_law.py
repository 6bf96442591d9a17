"""The exact co-occurrence law of mixed plans, tested against every outcome of the publishing code."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from splu_ref.channels.parameters import Gamma
from splu_ref.conformance.chance import expected_co_occurrences
from splu_ref.mechanisms import mixed
from splu_ref.randomness import outcomes


@pytest.mark.parametrize(
    ("histogram", "gamma", "passes"),
    [((1, 1, 1, 1), 2, 2), ((2, 1, 1), 2, 1), ((3, 2, 2, 1, 1), 3, 1), ((2, 2, 1, 1, 1, 1, 1), 3, 1)],
)
def test_it_is_the_mean_over_all_outcomes(histogram: tuple[int, ...], gamma: int, passes: int) -> None:
    together: defaultdict[tuple[int, int], Fraction] = defaultdict(Fraction)
    total = Fraction(0)
    counts = np.array(histogram)
    for plan, probability in outcomes(lambda source: mixed(counts, Gamma(gamma), source, passes=passes)):
        total += probability
        for group in plan.groups().tolist():
            for pair in permutations(group, 2):
                together[pair] += probability
    assert total == 1
    assert together == expected_co_occurrences(histogram, gamma, passes)


def test_the_start_is_forgotten() -> None:
    after = expected_co_occurrences((1, 1, 1, 1), 2)
    assert all(abs(after[0, value] - Fraction(1, 3)) < Fraction(1, 100) for value in (1, 2, 3))
    assert expected_co_occurrences((1, 1, 1, 1), 2, 0) == {(0, 2): 1, (2, 0): 1, (1, 3): 1, (3, 1): 1}
