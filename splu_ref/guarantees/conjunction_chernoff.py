"""Chernoff's bound for linear statistics of the two published counts of a conjunction.

For whole i and k, k > 0, let Z = (k-i) y3 - i y1. Given K, the counts are sums of independent binomial
counts, so the mean of z^Z given K is a product of powers times r^K, which is convex in K. Hoeffding's
comparison of sampling without and with replacement bounds its mean (splu.UC). For z > 1, Pr(Z >= e) is at
most E z^Z / z^e, and for z < 1 likewise below. All factors grow with A = z^(k-i) and B = z^-i, so that these
may be rounded up.
"""

from __future__ import annotations

from fractions import Fraction

from splu_ref.binomial import Enclosure
from splu_ref.guarantees.conjunction import Conjunction

_BITS = 96
_STRENGTHS = (Fraction(2, 3), Fraction(1), Fraction(3, 2), Fraction(4))
"""Multiples of the strength that would be best for normal counts."""


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
    """Return a bound of Pr(Z >= end), or of Pr(Z <= end), at most 1.

    Parameters
    ----------
    conjunction
        The predicate and the value.
    x3
        Records with both.
    slope
        i/k in lowest terms.
    end
        Any whole number.
    strength
        About the logarithm of z^k, in absolute value, at which the bound is least; greater than 0.
    upper
        Which tail.
    quick
        Whether to try one strength only, and not several around it.
    """
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
