"""The rational tilts z of Chernoff's bound E z^(f' - k): near the best, with few digits, and safe to round.

A certificate rounds the bound at one count to 256 bits, in one direction. That is settled by an enclosure
unless the bound is a dyadic number that the enclosure does not meet exactly; so tilts are chosen for which
it is no dyadic number, or is met exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count
from typing import TypeAlias

from splu_ref.channels import PublishedCount
from splu_ref.model import Gamma

Tilts: TypeAlias = tuple[Fraction | None, Fraction | None]
"""The tilt of the upper and of the lower tail; None for a tail that no count reaches."""

_STEEPEST = 1024  # the best tilt tends to infinity as a tail shrinks to a single count


def upper_tilt(law: PublishedCount, epsilon: Fraction) -> Fraction | None:
    """Return a rational z > 1 for the tail f' >= (1 + epsilon) f; None if that tail is empty."""
    gamma = law.gamma
    if epsilon > gamma - 1 or law.retention == 1:
        return None
    steepest = Fraction(_STEEPEST)
    if epsilon == gamma - 1:
        return steepest if law.is_plain else _whole_tilt(law)
    if not law.is_plain:
        return _without_dyadic_powers(law, min(steepest, _best(law, 1 + epsilon)))
    return _simple(gamma, min(steepest, (1 + epsilon) * (gamma - 1) / (gamma - 1 - epsilon)))


def lower_tilt(law: PublishedCount, epsilon: Fraction) -> Fraction | None:
    """Return a rational z < 1 for the tail f' <= (1 - epsilon) f; None if that tail is empty.

    For epsilon = 1 the tail is f' = 0, and z = 0 gives its probability.
    """
    gamma = law.gamma
    if law.retention == 1:
        return None
    if epsilon >= 1:
        return Fraction(0) if epsilon == 1 else None
    flattest = Fraction(1, _STEEPEST)
    if not law.is_plain:
        return _without_dyadic_powers(law, max(flattest, _best(law, 1 - epsilon)))
    return _simple(gamma, max(flattest, (1 - epsilon) * (gamma - 1) / (gamma - 1 + epsilon)))


def _best(law: PublishedCount, share: Fraction) -> Fraction:
    """Return about the tilt under which f' has the mean ``share`` f, other than f.

    There E z^(f' - k) is least; that mean, z times the slope of the logarithm of E z^f', grows with z. The
    distance of z, or of 1/z, to 1 is found to about one part in 60.
    """

    def tilt(distance: int) -> Fraction:
        steeper = 1 + Fraction(distance, 2**64)
        return steeper if share > 1 else 1 / steeper

    def short(distance: int) -> bool:
        z = tilt(distance)
        own, decoy = (chance * z / (1 + chance * (z - 1)) for chance in (law.retention, law.decoy))
        mean = own + (law.gamma - 1) * decoy
        return mean < share if share > 1 else mean > share

    low, high = 1, 2**64 * 2 * _STEEPEST
    while 60 * (high - low) > high and high - low > 1:
        middle = math.isqrt(low * high)
        if middle == low:
            middle += 1
        low, high = (middle, high) if short(middle) else (low, middle)
    return tilt(low)


def _without_dyadic_powers(law: PublishedCount, tilt: Fraction) -> Fraction:
    """Return a rational near ``tilt`` for which E z^(f' - k) at a count is never a dyadic number.

    With z = a/b and p = u/w the mean has the numerators w b + u (a-b) and w (gamma-1) b + (w-u) (a-b), and
    a power of b in its denominator that z^-k does not use up, since k < gamma f. An odd prime that divides
    b, and neither u nor w-u, divides no numerator.
    """
    near = _rounded(tilt)
    prime = _odd_prime(law.retention.numerator * (law.retention.denominator - law.retention.numerator))
    step = Fraction(1, prime * near.denominator)
    while step > abs(tilt - 1) / 50:
        step /= prime
    return near + step if near.denominator % prime else near


def _whole_tilt(law: PublishedCount) -> Fraction:
    """Return a whole z for the single count f' = gamma f, whose bound is no dyadic number.

    The bound is a power of (u z + w-u) ((w-u) z + w (gamma-2) + u)^(gamma-1) over powers of z and of the
    denominators. An odd prime that divides z and neither w-u nor w (gamma-2) + u is not used up.
    """
    u, w = law.retention.numerator, law.retention.denominator
    prime = _odd_prime((w - u) * (w * (law.gamma - 2) + u))
    return Fraction(next(prime**i for i in count(1) if prime**i >= _STEEPEST))


def _odd_prime(number: int) -> int:
    """Return the least odd prime that does not divide ``number`` > 0."""
    return next(n for n in count(3, 2) if number % n and all(n % k for k in range(3, math.isqrt(n) + 1, 2)))


def _rounded(tilt: Fraction) -> Fraction:
    """Return a rational with a small denominator, within 1/50 of the distances of ``tilt`` to 0 and 1."""
    tolerance = min(tilt, abs(tilt - 1)) / 50
    limit = 1
    while abs((near := tilt.limit_denominator(limit)) - tilt) > tolerance:
        limit *= 2
    return near


def _simple(gamma: Gamma, tilt: Fraction) -> Fraction:
    """Return a rational with a small denominator, within 1/25 of the distances of ``tilt`` to 0 and 1.

    No power of it cancels: an enclosure of m^(gamma F) z^-k is exact, or the number is not dyadic. So
    its rounding to any number of bits can be read off an enclosure.
    """
    tolerance = min(tilt, abs(tilt - 1)) / 50
    near = _rounded(tilt)
    if _cancels(gamma, near):
        step = Fraction(1, 3 * near.denominator)
        while step > tolerance:
            step /= 3
        near += step  # its denominator has the factor 3, and so has that of every power
    return near


def _cancels(gamma: Gamma, tilt: Fraction) -> bool:
    """Return whether m^(gamma F) z^-k can be dyadic although z^-k is not.

    It is so if the odd primes in the numerator of z all divide the numerator of m and nothing but 2
    divides the denominator of m. (The denominators of z cannot cancel: they stand in m to the power
    gamma F > k, or are 1.)
    """
    mean = 1 + (tilt - 1) / gamma
    rest = tilt.numerator
    while (common := math.gcd(rest, mean.numerator)) > 1:
        rest //= common
    return not _has_odd_prime(mean.denominator * rest) and _has_odd_prime(tilt.numerator)


def _has_odd_prime(number: int) -> bool:
    return number & (number - 1) != 0
