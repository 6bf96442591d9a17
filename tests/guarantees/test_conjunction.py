"""Utility of conjunctions: exact errors by another road, moments, and bounds that are never exceeded."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import pytest

from splu_ref.channels.parameters import ParameterError
from splu_ref.guarantees import (
    Conjunction,
    conjunction_bias,
    conjunction_error_bound,
    conjunction_error_probability,
    conjunction_threshold,
    conjunction_variance,
    decimal_up,
    error_probability,
)
from splu_ref.guarantees.conjunction_bounds import Sides, band_within, linear_tail
from splu_ref.guarantees.conjunction_utility import _proved, _scan
from tests.rounding import near

CASES = [
    (2, 40, 4, 10, None),
    (2, 40, 4, 31, "2/3"),
    (3, 45, 3, 12, "1/2"),
    (4, 40, 2, 40, "2/5"),
    (5, 50, 3, 25, None),
    (3, 24, 2, 9, "1/6"),
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


@pytest.mark.parametrize("numbers", CASES)
def test_variance_and_bias_are_those_of_the_estimate_expanded_at_its_means(
    numbers: tuple[int, int, int, int, str | None],
) -> None:
    """Gradient and curvature by differences, moments by the law of (y3, y1): a road without a formula."""
    gamma, rows, f, n, retention = numbers
    case = Conjunction.of(gamma, rows, f, n, retention=retention)
    p, h = case.law.retention, Fraction(1, 10**6)

    def raw(y3: Fraction, y1: Fraction) -> Fraction:
        gained = (y3 + y1) * (1 - p) / (case.rows - y3 - y1)
        return (y3 - n * gained) / (p - gained)

    x3 = case.largest
    law = joint(case, x3)
    means = [sum((chance * pair[i] for pair, chance in law.items()), Fraction(0)) for i in (0, 1)]
    assert raw(*means) == x3
    steps = [(h, Fraction(0)), (Fraction(0), h)]
    at = [[raw(means[0] + sign * a, means[1] + sign * b) for sign in (-1, 1)] for a, b in [*steps, (h, h)]]
    gradient = [(above - below) / (2 * h) for below, above in at[:2]]
    curved = [(below + above - 2 * x3) / h**2 for below, above in at]
    curvature = (curved[0], curved[1], (curved[2] - curved[0] - curved[1]) / 2)
    variance = bias = Fraction(0)
    for (y3, y1), chance in law.items():
        a, b = y3 - means[0], y1 - means[1]
        variance += chance * (gradient[0] * a + gradient[1] * b) ** 2
        bias += chance * (curvature[0] * a * a + curvature[1] * b * b + 2 * curvature[2] * a * b) / 2
    assert float(conjunction_variance(case, x3)) == near(float(variance), rel=1e-8)
    assert float(conjunction_bias(case, x3)) == pytest.approx(float(bias), rel=1e-8, abs=1e-8)


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


SIDES = [CASES[0], CASES[1], CASES[3], CASES[5], (3, 12, 3, 5, None), (4, 16, 3, 6, "9/10")]
RELATIVE = (Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(5, 4))


def needed(case: Conjunction, estimate: Fraction, published: int) -> Fraction:
    """The y3 at which the estimate is ``estimate``, from the formula of the estimate."""
    gained = published * (1 - case.law.retention) / (case.rows - published)
    return estimate * (case.law.retention - gained) + case.predicate_count * gained


def cantelli(law: dict[tuple[int, int], Fraction], slope: Fraction, distance: Fraction) -> Fraction:
    """V/(V + t^2) of y3 - slope f', by summing the law; 1 if t is not above 0."""
    values = [(y3 - slope * (y3 + y1), chance) for (y3, y1), chance in law.items()]
    mean = sum(value * chance for value, chance in values)
    variance = sum((value - mean) ** 2 * chance for value, chance in values)
    return variance / (variance + distance**2) if distance > 0 else Fraction(1)


@pytest.mark.parametrize("numbers", SIDES)
def test_each_side_in_each_band(numbers: tuple[int, int, int, int, str | None]) -> None:
    """No bound of a side is exceeded, and Cantelli's are what tangent and chord give."""
    gamma, rows, f, n, retention = numbers
    case = Conjunction.of(gamma, rows, f, n, retention=retention)
    p = case.law.retention
    for x3 in range(max(1, n - rows + f), case.largest + 1):
        law = joint(case, x3)
        mean = sum(y3 * chance for (y3, _), chance in law.items())
        for epsilon, width in product(RELATIVE, (1, 2, gamma * f)):
            band, low, high = band_within(case, width), (1 - epsilon) * x3, (1 + epsilon) * x3
            above = below = Fraction(0)
            for (y3, y1), chance in law.items():
                if band.first <= y3 + y1 <= band.last:
                    found = estimated(case, y3, y1)
                    assert found is not None
                    above += chance * (found >= high)
                    below += chance * (found <= low)
            sides = Sides(case, epsilon, x3, band)
            for bounds in (sides.cantelli(), sides.chernoff(), sides.chernoff(quick=True)):
                assert above <= bounds[0] <= 1
                assert below <= bounds[1] <= 1
            slope = (1 - p) * rows * (n - high) / (rows - f) ** 2
            tangent = cantelli(law, slope, needed(case, high, f) - mean)
            assert sides.cantelli()[0] == (tangent if high <= n else 0)
            ends = [needed(case, low, at) for at in (band.first, band.last)]
            slope = (ends[1] - ends[0]) / (band.last - band.first)
            chord = cantelli(law, slope, mean - ends[0] - slope * (f - band.first))
            assert sides.cantelli()[1] == (chord if epsilon <= 1 else 0)
            for estimate, slope in product((low, high), (Fraction(0), Fraction(1, 3), Fraction(5, 2))):
                lifts = [needed(case, estimate, at) - slope * at for at in range(band.first, band.last + 1)]
                assert sides._least_lift(estimate, slope) == min(lifts)


@pytest.mark.parametrize(
    ("numbers", "x3", "epsilon", "expected"),
    [
        ((5, 30_000, 1500, 1500, "1/2"), 400, "3/10", ("0.07361", "0.000004433", "0.000004433", 1302, 1698)),
        ((3, 300, 20, 60, None), 12, "1/2", ("1.163", "1.404", "1.163", 8, 32)),
        ((2, 600, 60, 60, "3/4"), 30, "1/5", ("0.5000", "0.4125", "0.4125", 40, 80)),
    ],
)
def test_the_bounds_themselves(
    numbers: tuple[int, int, int, int, str | None],
    x3: int,
    epsilon: str,
    expected: tuple[str, str, str, int, int],
) -> None:
    """They are printed and compared with claims: nobody may get others for the same table."""
    found = conjunction_error_bound(Conjunction.of(*numbers[:4], retention=numbers[4]), epsilon, x3)
    texts = [decimal_up(bound, 4) for bound in (found.chebyshev, found.chernoff, found.bound)]
    assert (*texts, found.band.first, found.band.last) == expected


@pytest.mark.parametrize("upper", [True, False])
def test_a_linear_tail_is_the_least_of_its_printed_products(upper: bool) -> None:
    """(1+p(A-1))^x3 (1+p(B-1))^(f-x3) (1+q(B-1))^(M-n+x3) (1-m+m ...)^(n-x3) / z^e, A = z^(k-i), B = z^-i."""
    for numbers, x3 in ((CASES[1], 3), (CASES[3], 2), ((3, 45, 3, 40, "1/2"), 2)):
        gamma, rows, f, n, retention = numbers
        case = Conjunction.of(gamma, rows, f, n, retention=retention)
        p, q, exposed, places = case.law.retention, case.law.decoy, (gamma - 1) * f, rows - f
        for slope, end, strength in product(
            (Fraction(0), Fraction(1, 3), Fraction(3, 2)), (-2, 1, 5), (Fraction(1, 3), Fraction(2))
        ):
            products: list[Fraction] = []
            for multiple in (Fraction(2, 3), Fraction(1), Fraction(3, 2), Fraction(4)):
                base = 1 + (multiple * strength / slope.denominator).limit_denominator(10**6)
                z = base if upper else 1 / base
                inside, outside = z ** (slope.denominator - slope.numerator), z**-slope.numerator
                draws, marked = sorted((n - x3, exposed))
                share = Fraction(marked, places)
                decoys = [1 + q * (factor - 1) for factor in (inside, outside)]
                products.append(
                    (1 + p * (inside - 1)) ** x3
                    * (1 + p * (outside - 1)) ** (f - x3)
                    * decoys[1] ** (exposed - draws)
                    * (share * decoys[0] + (1 - share) * decoys[1]) ** draws
                    / z**end
                )
            for quick, least in (
                (False, min([Fraction(1), *products])),
                (True, min(Fraction(1), products[1])),
            ):
                found = linear_tail(case, x3, slope, end, strength, upper=upper, quick=quick)
                assert least <= found <= least * (1 + Fraction(1, 2**80))


def test_a_band_is_about_the_narrowest() -> None:
    """A smaller half, by more than one in 64, would leave more outside than a 32nd of what is allowed."""
    for numbers, t_e in (
        ((5, 20_000, 400, 400, "1/2"), "1/10"),
        ((2, 600, 60, 60, "3/4"), "1/5"),
        ((3, 3000, 200, 50, None), "1/1000"),
    ):
        case = Conjunction.of(*numbers[:4], retention=numbers[4])
        band = conjunction_threshold(case, "1/2", t_e).band
        half = band.last - case.frequency
        assert band.outside <= Fraction(t_e) / 32
        assert band_within(case, half - 1 - half // 64).outside > Fraction(t_e) / 32
    tight = conjunction_threshold(Conjunction.of(3, 31, 10, 12), "1/2", "1/100")  # f is just below p N
    assert (tight.threshold, tight.band.first, tight.band.last) == (None, 0, 10)


def test_an_error_probability_that_is_attained_is_allowed() -> None:
    case = Conjunction.of(2, 600, 60, 60, retention="3/4")
    band = band_within(case, 20)
    for x3, epsilon in ((30, Fraction(1, 5)), (12, Fraction(1, 2)), (40, Fraction(1, 2)), (12, Fraction(6))):
        sides = Sides(case, epsilon, x3, band)
        cantelli = sides.cantelli()
        parts = [sum(map(min, cantelli, other)) for other in (cantelli, sides.chernoff())]
        allowed = min(Fraction(part) for part in parts)
        assert _proved(case, epsilon, allowed, band, x3)
        assert allowed == 0 or not _proved(case, epsilon, allowed - Fraction(1, 10**80), band, x3)
    for allowed, first in ((band.outside, 61), (Fraction(2), 1)):
        assert _scan(case, Fraction(1, 2), allowed, band, None) == first


def test_the_least_count_that_is_scanned_leaves_room_for_the_others() -> None:
    case = Conjunction.of(5, 1000, 20, 990)  # of 990 records of P at least 10 have the value
    certain = Conjunction.of(5, 1000, 20, 990, retention=1)
    assert conjunction_threshold(certain, "1/2", "1/10").threshold == 10
    assert case.check_concept(10) == 10
    with pytest.raises(ParameterError, match="give at least 10"):
        case.check_concept(9)
