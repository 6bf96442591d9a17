"""Counts from the comparators' publications: by hand, and against every outcome of the mechanisms."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from splu_ref.channels.parameters import Gamma, ParameterError
from splu_ref.estimators.comparators import (
    Moments,
    distribution_based_moments,
    reconstructed_two_tables,
    two_tables_estimate,
    two_tables_moments,
    two_tables_sums,
)
from splu_ref.mechanisms import Anatomy, DistributionBased, TwoTables, anatomy, co_occurrence
from splu_ref.randomness import SeededSource, outcomes

CODES = np.array([0, 0, 0, 1, 1, 2, 2, 3], dtype=np.int64)
INSIDE = np.array([1, 1, 0, 1, 0, 0, 1, 0], dtype=np.bool_)
"""Which records satisfy the predicate: two of value 0, one of value 1, one of value 2."""


def _moments(law: dict[Fraction, Fraction]) -> Moments:
    mean = sum((value * chance for value, chance in law.items()), Fraction(0))
    return Moments(mean, sum(((value - mean) ** 2 * chance for value, chance in law.items()), Fraction(0)))


def test_the_estimate_by_hand() -> None:
    tables = TwoTables(
        rows=np.arange(6),
        groups=np.array([0, 0, 1, 1, 2, 2]),
        values=np.array([[0, 1], [0, 2], [1, 2]]),
        suppressed=np.array([], dtype=np.int64),
        domain_size=3,
    )
    predicate = np.array([True, True, True, False, False, True])
    # group 0 has two records of P, group 1 one, group 2 one: value 0 stands in groups 0 and 1
    assert two_tables_sums(tables, predicate).tolist() == [3, 3, 2]
    assert two_tables_estimate(tables, predicate, 0) == Fraction(3, 2)
    with pytest.raises(ParameterError, match=r"outside the domain 0 \.\. 2"):
        two_tables_estimate(tables, predicate, 3)


@pytest.mark.parametrize("value", range(4))
def test_mean_and_variance_over_every_outcome(value: int) -> None:
    law: dict[Fraction, Fraction] = {}
    for tables, chance in outcomes(lambda source: Anatomy(2).publish_codes(CODES, 4, source)):
        estimate = two_tables_estimate(tables, INSIDE[tables.rows], value)
        law[estimate] = law.get(estimate, Fraction(0)) + chance
    histogram = np.bincount(CODES)
    together = co_occurrence(anatomy(histogram, Gamma(2))).row(value).tolist()
    inside = np.bincount(CODES[INSIDE], minlength=4).tolist()
    assert two_tables_moments(inside, histogram.tolist(), together, value) == _moments(law)


def test_a_value_alone_is_counted_exactly() -> None:
    tables = Anatomy(2).publish_codes(CODES, 4, SeededSource(3))
    everybody = np.ones(8, dtype=np.bool_)
    assert [two_tables_estimate(tables, everybody, value) for value in range(4)] == [3, 2, 2, 1]


def test_the_reconstruction_undoes_the_bias() -> None:
    # N = 40, f = 4, gamma = 5: k = 4 * 4/36 = 4/9. With n = 10, x3 = 3: E x = (3 + 7 * 4/9)/5.
    biased = (3 + 7 * Fraction(4, 9)) / 5
    assert reconstructed_two_tables(biased, 4, 10, 40, 5) == 3
    with pytest.raises(ParameterError, match="not below rows/gamma = 8"):
        reconstructed_two_tables(biased, 8, 10, 40, 5)


def test_a_row_of_another_matrix_is_refused() -> None:
    with pytest.raises(ParameterError, match="co-occurrence row"):
        two_tables_moments([1, 0], [2, 2], [1, 2], 0)


def test_distribution_based_counts_over_every_outcome() -> None:
    codes = np.array([0, 0, 1, 2], dtype=np.int64)
    inside = np.array([True, False, True, True])
    law: dict[Fraction, Fraction] = {}
    for done, chance in outcomes(lambda source: DistributionBased().publish_codes(codes, 3, source)):
        count = Fraction(int(np.count_nonzero(done.published[inside[done.rows]] == 0)))
        law[count] = law.get(count, Fraction(0)) + chance
    assert distribution_based_moments(3, 2, 4) == _moments(law) == Moments(Fraction(3, 2), Fraction(3, 4))


def test_counts_of_two_tables_are_refused() -> None:
    with pytest.raises(ParameterError, match="above rows = 3"):
        distribution_based_moments(4, 1, 3)
