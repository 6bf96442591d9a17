"""Upper bounds of the error probability of the conjunctive estimate, for counts of any size.

Chernoff's bound for linear statistics of the two published counts of a conjunction.

For whole i and k, k > 0, let Z = (k-i) y3 - i y1. Given K, the counts are sums of independent binomial
counts, so the mean of z^Z given K is a product of powers times r^K, which is convex in K. Hoeffding's
comparison of sampling without and with replacement bounds its mean (splu.UC). For z > 1, Pr(Z >= e) is at
most E z^Z / z^e, and for z < 1 likewise below. All factors grow with A = z^(k-i) and B = z^-i, so that these
may be rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import STEP, Enclosure, Exact, digits, one_budget, positive, spend
from splu_ref.guarantees.conjunction import Conjunction, Moments, moments

_BITS = 96
_STRENGTHS = (Fraction(2, 3), Fraction(1), Fraction(3, 2), Fraction(4))
"""Multiples of the strength that is optimal for normal counts."""


def linear_tail(
    conjunction: Conjunction,
    x3: int,
    slope: Fraction,
    end: int,
    strength: Fraction,
    *,
    upper: bool,
    quick: bool = False,
) -> Fraction:
    """Return a bound of Pr(Z >= end), or of Pr(Z <= end), at most 1."""
    best = Fraction(1)
    for multiple in (Fraction(1),) if quick else _STRENGTHS:
        base = 1 + (multiple * strength / slope.denominator).limit_denominator(10**6)
        if base > 1:
            tilt = base if upper else 1 / base
            best = min(best, _bound(conjunction, x3, slope, end, tilt))
    return best


def _bound(conjunction: Conjunction, x3: int, slope: Fraction, end: int, tilt: Fraction) -> Fraction:
    """Return E z^Z z^-end, rounded up."""
    law, i, k = conjunction.law, slope.numerator, slope.denominator
    inside, outside = _power(tilt, k - i).bounds().upper, _power(tilt, -i).bounds().upper
    own_in, own_out = (1 + law.retention * (factor - 1) for factor in (inside, outside))
    decoy_in, decoy_out = (1 + law.decoy * (factor - 1) for factor in (inside, outside))
    places, others = conjunction.rows - conjunction.frequency, conjunction.predicate_count - x3
    draws, marked = sorted((others, conjunction.exposed))  # K is the same either way round
    share = Fraction(marked, places)
    value = _power(tilt, -end)
    for base, exponent in (
        (own_in, x3),
        (own_out, conjunction.frequency - x3),
        (decoy_out, conjunction.exposed - draws),
        ((1 - share) * decoy_out + share * decoy_in, draws),
    ):
        value = value.times(Enclosure.power(base, exponent, _BITS), _BITS)
    return value.bounds().upper


def _power(base: Fraction, exponent: int) -> Enclosure:
    return Enclosure.power(base if exponent >= 0 else 1 / base, abs(exponent), _BITS)


_WIDTHS = (2, 3, 4, 5, 6, 8, 10, 12)  # of half a band, in standard deviations of f'
_FINEST = 64  # largest denominator of a slope


@dataclass(frozen=True, slots=True)
class Band:
    """Published counts f' from ``first`` to ``last``, below p N, and a bound of the probability of others."""

    first: int
    last: int
    outside: Fraction


@dataclass(frozen=True, slots=True)
class ConjunctionBound:
    """Certified upper bounds of Pr(abs(x - x3) >= epsilon x3) under hypothesis H; vacuous above 1."""

    chebyshev: Fraction  #: outside the band, and one-sided Chebyshev bounds (Cantelli's) above and below
    chernoff: Fraction  #: outside the band, and Chernoff's bounds above and below
    bound: Fraction  #: outside the band, and the smaller of the two above and below: at most either
    band: Band  #: the band of published counts for which ``bound`` is the least of those tried


@one_budget()
def conjunction_error_bound(
    conjunction: Conjunction, epsilon: Exact, concept_count: Exact
) -> ConjunctionBound:
    """Return upper bounds of Pr(abs(x - x3) >= epsilon x3) for the clipped estimate, under hypothesis H.

    Parameters
    ----------
    conjunction
        The predicate and the value.
    epsilon
        Relative error, greater than 0.
    concept_count
        True count x3, at least 1.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.

    Notes
    -----
    splu.UC.
    """
    x3, distance = conjunction.check_concept(concept_count), positive(epsilon, "epsilon")
    if conjunction.law.retention == 1:
        certain = Band(conjunction.frequency, conjunction.frequency, Fraction(0))
        return ConjunctionBound(Fraction(0), Fraction(0), Fraction(0), certain)
    found = []
    for band in _bands(conjunction):
        sides = Sides(conjunction, distance, x3, band)
        cantelli, chernoff = sides.cantelli(), sides.chernoff()
        each = (sum(cantelli), sum(chernoff), sum(map(min, cantelli, chernoff)))
        found.append((band, [band.outside + part for part in each]))
    best = min(found, key=lambda pair: pair[1][2])
    return ConjunctionBound(
        min(parts[0] for _, parts in found), min(parts[1] for _, parts in found), best[1][2], best[0]
    )


def band_within(conjunction: Conjunction, width: int) -> Band:
    """Return the band of the counts at most ``width`` from f, as far as they are below p N."""
    f, law = conjunction.frequency, conjunction.law
    first = max(0, f - width)
    last = min(f + width, law.gamma * f, math.ceil(law.retention * conjunction.rows) - 1)
    outside = law.error_enclosure(f, last - f + 1, 64, f - first + 1).bounds().upper
    return Band(first, last, outside)


def deviation(conjunction: Conjunction) -> int:
    """Return the standard deviation of f', rounded up."""
    variance = conjunction.law.variance * conjunction.frequency
    return math.isqrt(math.ceil(variance)) + 1


def _bands(conjunction: Conjunction) -> list[Band]:
    unit = deviation(conjunction)
    return [band_within(conjunction, width * unit) for width in _WIDTHS]


def fractions_work(conjunction: Conjunction, epsilon: Fraction) -> int:
    """Return an estimate of the work of `Sides.cantelli`: about a hundred operations on fractions."""
    numbers = (
        conjunction.law.retention.denominator,
        epsilon.numerator,
        epsilon.denominator,
        conjunction.rows,
    )
    return STEP * (800 + 60 * digits(sum(number.bit_length() for number in numbers)))


class Sides:
    """The bounds above and below at one count x3, within a band."""

    def __init__(self, conjunction: Conjunction, epsilon: Fraction, x3: int, band: Band) -> None:
        self._conjunction, self._x3, self._band = conjunction, x3, band
        self._work = fractions_work(conjunction, epsilon)
        self._low: Fraction | None = (1 - epsilon) * x3 if epsilon <= 1 else None
        high = (1 + epsilon) * x3
        self._high: Fraction | None = high if high <= conjunction.predicate_count else None

    def cantelli(self) -> tuple[Fraction, Fraction]:
        """Return bounds of an estimate too high, and too low, by exact variances."""
        spend(self._work)
        known = moments(self._conjunction, self._x3)
        return self._tangent(known), self._chord(known)

    def _tangent(self, known: Moments) -> Fraction:
        if self._high is None:
            return Fraction(0)
        case = self._conjunction
        slope = self._steepness(self._high) / (case.rows - case.frequency) ** 2
        distance = case.threshold(self._high, case.frequency) - known.mean_inside
        return _cantelli(known.of_sum(slope), distance)

    def _chord(self, known: Moments) -> Fraction:
        if self._low is None:
            return Fraction(0)
        case, band = self._conjunction, self._band
        slope = self._steepness(self._low) / ((case.rows - band.first) * (case.rows - band.last))
        at_first = case.threshold(self._low, band.first)
        distance = known.mean_inside - at_first - slope * (case.frequency - band.first)
        return _cantelli(known.of_sum(slope), distance)

    def _steepness(self, estimate: Fraction) -> Fraction:
        case = self._conjunction
        return (1 - case.law.retention) * case.rows * (case.predicate_count - estimate)

    def chernoff(self, *, quick: bool = False) -> tuple[Fraction, Fraction]:
        """Return bounds of an estimate too high, and too low, by tilted means; ``quick`` tries one each."""
        spend((3 if quick else 12) * self._work)
        known = moments(self._conjunction, self._x3)
        above = below = Fraction(0)
        if self._high is not None:
            slopes = self._slopes(self._high, quick=quick)
            above = min(self._above(known, self._high, slope, quick=quick) for slope in slopes)
        if self._low is not None:
            slopes = self._slopes(self._low, quick=quick)
            below = min(self._below(known, self._low, slope, quick=quick) for slope in slopes)
        return above, below

    def _slopes(self, estimate: Fraction, *, quick: bool) -> set[Fraction]:
        case = self._conjunction
        tangent = self._steepness(estimate) / (case.rows - case.frequency) ** 2
        near = tangent.limit_denominator(_FINEST)
        return {near} if quick else {Fraction(0), near}

    def _above(self, known: Moments, estimate: Fraction, slope: Fraction, *, quick: bool) -> Fraction:
        case, lift = self._conjunction, self._least_lift(estimate, slope)
        distance = lift + slope * case.frequency - known.mean_inside
        if distance <= 0:
            return Fraction(1)
        variance = known.of_sum(slope)
        if variance == 0:
            return Fraction(0)  # the statistic is its mean
        end = math.ceil(lift * slope.denominator)
        return linear_tail(case, self._x3, slope, end, distance / variance, upper=True, quick=quick)

    def _below(self, known: Moments, estimate: Fraction, slope: Fraction, *, quick: bool) -> Fraction:
        case, band = self._conjunction, self._band
        lift = max(case.threshold(estimate, f) - slope * f for f in (band.first, band.last))
        distance = known.mean_inside - lift - slope * case.frequency
        if distance <= 0:
            return Fraction(1)
        variance, end = known.of_sum(slope), math.floor(lift * slope.denominator)
        if variance == 0 or (slope == 0 and end < 0):
            return Fraction(0)  # the statistic is its mean; or y3, which is never negative
        return linear_tail(case, self._x3, slope, end, distance / variance, upper=False, quick=quick)

    def _least_lift(self, estimate: Fraction, slope: Fraction) -> Fraction:
        """Return the least t(f') - slope f' over the band; it is convex, so halving finds it."""
        case, low, high = self._conjunction, self._band.first, self._band.last

        def lift(published: int) -> Fraction:
            return case.threshold(estimate, published) - slope * published

        while low < high:
            middle = (low + high) // 2
            if lift(middle) <= lift(middle + 1):
                high = middle
            else:
                low = middle + 1
        return lift(low)


def _cantelli(variance: Fraction, distance: Fraction) -> Fraction:
    """Return the bound V/(V + t^2) of a deviation of t or more to one side; 1 for t <= 0."""
    return variance / (variance + distance**2) if distance > 0 else Fraction(1)
