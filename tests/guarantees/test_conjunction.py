"""Utility of conjunctions: exact errors by another road, moments, and bounds that are never exceeded."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from splu_ref.guarantees import (
    Conjunction,
    conjunction_bias,
    conjunction_error_bound,
    conjunction_error_probability,
    conjunction_threshold,
    conjunction_variance,
    error_probability,
)
from splu_ref.guarantees.conjunction_bounds import band_within
from splu_ref.model import ParameterError

CASES = [
    (2, 40, 4, 10, None),
    (2, 40, 4, 31, "2/3"),
    (3, 45, 3, 12, "1/2"),
    (4, 40, 2, 40, "2/5"),
    (5, 50, 3, 25, None),
]


def counts(*kinds: tuple[int, Fraction]) -> list[Fraction]:
    law = [Fraction(1)]
    for number, chance in kinds:
        other = [comb(number, k) * chance**k * (1 - chance) ** (number - k) for k in range(number + 1)]
        grown = [Fraction(0)] * (len(law) + number)
        for i, a in enumerate(law):
            for j, b in enumerate(other):
                grown[i + j] += a * b
        law = grown
    return law


def joint(case: Conjunction, x3: int) -> dict[tuple[int, int], Fraction]:
    """The law of (y3, y1), K by K, each record's chance from the definition of the mechanism."""
    p, q = case.law.retention, case.law.decoy
    places, others = case.rows - case.frequency, case.predicate_count - x3
    law: dict[tuple[int, int], Fraction] = {}
    for k in range(min(others, case.exposed) + 1):
        if others - k > places - case.exposed:
            continue
        weight = Fraction(
            comb(case.exposed, k) * comb(places - case.exposed, others - k), comb(places, others)
        )
        outside = counts((case.frequency - x3, p), (case.exposed - k, q))
        for y3, a in enumerate(counts((x3, p), (k, q))):
            for y1, b in enumerate(outside):
                law[y3, y1] = law.get((y3, y1), Fraction(0)) + weight * a * b
    assert sum(law.values()) == 1
    return law


def estimated(case: Conjunction, y3: int, y1: int) -> Fraction | None:
    published, p = y3 + y1, case.law.retention
    if published >= p * case.rows:
        return None
    gained = published * (1 - p) / (case.rows - published)
    raw = (y3 - case.predicate_count * gained) / (p - gained)
    return min(max(raw, Fraction(0)), Fraction(case.predicate_count))


@pytest.mark.parametrize("numbers", CASES)
def test_exact_errors_by_another_road(numbers: tuple[int, int, int, int, str | None]) -> None:
    gamma, rows, f, n, retention = numbers
    case = Conjunction.of(gamma, rows, f, n, retention=retention)
    for x3 in range(max(1, n - rows + f), case.largest + 1):
        law = joint(case, x3)
        for epsilon in (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(5, 4), Fraction(6)):
            truth = Fraction(0)
            for (y3, y1), chance in law.items():
                found = estimated(case, y3, y1)
                if found is None or abs(found - x3) >= epsilon * x3:
                    truth += chance
            assert conjunction_error_probability(case, epsilon, x3) == truth, (x3, epsilon)


@pytest.mark.parametrize("numbers", CASES)
def test_no_bound_is_exceeded(numbers: tuple[int, int, int, int, str | None]) -> None:
    gamma, rows, f, n, retention = numbers
    case = Conjunction.of(gamma, rows, f, n, retention=retention)
    for x3 in range(max(1, n - rows + f), case.largest + 1):
        for epsilon in ("1/10", "1/2", "1", "3/2", "6"):
            truth = conjunction_error_probability(case, epsilon, x3)
            found = conjunction_error_bound(case, epsilon, x3)
            assert truth <= found.bound <= min(found.chebyshev, found.chernoff)
            assert 0 <= found.band.first <= f <= found.band.last < case.law.retention * rows


def test_the_whole_table_is_the_count_of_the_value() -> None:
    """With P = all records the estimate is f' itself, and the error that of the count."""
    for retention in (None, "1/2"):
        case = Conjunction.of(3, 300, 6, 300, retention=retention)
        truth = error_probability(3, "1/2", 6, retention=retention).exact()
        assert conjunction_error_probability(case, "1/2", 6) == truth
        assert conjunction_variance(case, 6) == case.law.variance * 6
        assert conjunction_bias(case, 6) == 0


def test_bounds_are_of_use() -> None:
    case = Conjunction.of(5, 30_000, 1500, 1500, retention="1/2")
    found = conjunction_error_bound(case, "3/10", 400)
    assert found.bound == found.chernoff < Fraction(1, 10**4) < found.chebyshev < Fraction(1, 10)
    near = conjunction_error_bound(case, "3/10", 60)
    assert near.bound > found.bound


@pytest.mark.slow
def test_from_the_threshold_on_the_error_is_allowed() -> None:
    case = Conjunction.of(2, 600, 60, 60, retention="3/4")
    found = conjunction_threshold(case, "1/2", "1/5")
    assert found.threshold is not None
    assert found.threshold > 1
    for x3 in (*range(found.threshold, found.threshold + 6), found.largest):
        assert conjunction_error_probability(case, "1/2", x3) <= Fraction(1, 5)
        assert conjunction_error_bound(case, "1/2", x3).bound <= Fraction(1, 4)
    truth = [conjunction_error_probability(case, "1/2", x3) for x3 in range(1, found.threshold)]
    assert max(truth) > Fraction(1, 5), "something below the threshold is wrong more often than allowed"


def test_a_threshold_falls_with_retention_and_may_not_exist() -> None:
    thresholds = [
        conjunction_threshold(Conjunction.of(5, 20_000, 400, 400, retention=p), "1/2", "1/10").threshold
        for p in ("2/5", "3/5", "4/5")
    ]
    assert all(threshold is not None for threshold in thresholds)
    assert thresholds == sorted(thresholds, reverse=True, key=lambda each: each or 0)
    assert conjunction_threshold(Conjunction.of(5, 1000, 20, 500), "1/10", "1/100").threshold is None
    everything = Conjunction.of(5, 1000, 20, 500, retention=1)
    assert conjunction_threshold(everything, "1/10", "1/100").threshold == 1
    assert conjunction_error_probability(everything, "1/10", 5) == 0


def test_progress_ends_full() -> None:
    told: list[tuple[int, int]] = []
    conjunction_threshold(
        Conjunction.of(2, 1000, 200, 200, retention="4/5"),
        "1/2",
        "1/10",
        progress=lambda *at: told.append(at),
    )
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


@pytest.mark.parametrize(
    ("arguments", "retention", "reason"),
    [
        ((5, 100, 21, 10), None, "above rows/gamma"),
        ((5, 100, 20, 10), None, "not below retention times rows"),
        ((5, 100, 15, 10), "1/10", "larger retention"),
        ((5, 100, 5, 101), None, "records of one table"),
        ((5, 100, 0, 10), None, "frequency"),
        ((1, 100, 5, 10), None, "gamma"),
        ((5, 100, 5, 10), "0", "retention"),
    ],
)
def test_conjunctions_that_cannot_be(
    arguments: tuple[int, int, int, int], retention: str | None, reason: str
) -> None:
    with pytest.raises(ParameterError, match=reason):
        Conjunction.of(*arguments, retention=retention)


def test_counts_that_cannot_be() -> None:
    case = Conjunction.of(5, 100, 5, 98)
    with pytest.raises(ParameterError, match="records that are in both"):
        conjunction_variance(case, 6)
    with pytest.raises(ParameterError, match="give at least 3"):
        conjunction_variance(case, 2)
    with pytest.raises(ParameterError, match="t_e must be greater than 0"):
        conjunction_threshold(case, "1/2", 0)
    with pytest.raises(ParameterError, match="use conjunction_error_bound"):
        conjunction_error_probability(Conjunction.of(5, 100_000, 5000, 50_000), "1/2", 100)
    with pytest.raises(ParameterError, match="at most 50000"):
        conjunction_threshold(Conjunction.of(2, 10**6, 250_000, 10**6), "1/2", "1/10")


def test_a_statistic_that_cannot_vary() -> None:
    """All records in P, and a slope that is rounded to 1: y3 - f' is 0 whatever is published."""
    case = Conjunction.of(4, 16, 1, 16, retention="127/2000")
    bound = conjunction_error_bound(case, "1/10", 1)
    assert conjunction_error_probability(case, "1/10", 1) <= bound.bound <= bound.chernoff


@pytest.mark.parametrize("numbers", [*CASES, (3, 30, 9, 12, None)])
def test_what_is_outside_a_band_by_summing_the_law(numbers: tuple[int, int, int, int, str | None]) -> None:
    """Also where the band ends at 0, at the greatest count, or just below p N."""
    gamma, rows, f, n, retention = numbers
    case = Conjunction.of(gamma, rows, f, n, retention=retention)
    law = counts((f, case.law.retention), ((gamma - 1) * f, case.law.decoy))
    for width in range(1, gamma * f + 2):
        band = band_within(case, width)
        inside = [k for k in range(len(law)) if abs(k - f) <= width and k < case.law.retention * rows]
        assert (band.first, band.last) == (inside[0], inside[-1])
        outside = 1 - sum(law[k] for k in inside)
        assert outside <= band.outside <= outside * (1 + Fraction(1, 2**50))
