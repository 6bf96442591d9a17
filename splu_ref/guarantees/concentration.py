"""Bounds on the error probability without summation: Chebyshev (corrected) and Chernoff with rational tilts.

The rational tilts z of Chernoff's bound E z^(f' - k) are nearly optimal, have few digits, and can be rounded
safely. A certificate rounds the bound at one count to 256 bits in one direction. An enclosure determines this
rounding unless the bound is a dyadic number; so tilts are chosen for which it is not dyadic, or for which the
enclosure is exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import count
from typing import TypeAlias

from splu_ref.channels import (
    Enclosure,
    Exact,
    Gamma,
    ParameterError,
    PublishedCount,
    integer,
    positive,
    probability,
)
from splu_ref.guarantees.count_error import error_offset

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


def chebyshev_bound(
    gamma: Exact, epsilon: Exact, frequency: Exact, *, retention: Exact | None = None
) -> Fraction:
    """Return Var f' / (epsilon f)^2, an upper bound of Pr(abs(f' - f) >= epsilon f).

    For p = 1/gamma it is (gamma - 1)/(gamma epsilon^2 f).

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2.
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, at least 1.
    retention
        Retention probability p, greater than 0 and at most 1; None stands for 1/gamma.

    Returns
    -------
    Fraction
        Greater than 0, unless p = 1; vacuous above 1.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.

    Notes
    -----
    splu.T3c: Fu et al. 2014, Theorem 3 with the variance of f', f (gamma - 1)/gamma, in its place; splu.Rp
    for other p.
    """
    law, epsilon = PublishedCount.of(gamma, retention), positive(epsilon, "epsilon")
    return law.variance / (epsilon**2 * integer(frequency, "frequency", 1))


def chebyshev_threshold(gamma: Exact, epsilon: Exact, t_e: Exact, *, retention: Exact | None = None) -> int:
    """Return the least f from which `chebyshev_bound` is at most ``t_e`` (splu.L1c).

    Parameters as in `chebyshev_bound`; ``t_e`` is greater than 0 and at most 1.
    """
    allowed = probability(t_e, "t_e")
    if allowed == 0:
        raise ParameterError("t_e must be greater than 0: Chebyshev's bound is positive at every count")
    least = chebyshev_bound(gamma, epsilon, 1, retention=retention) / allowed
    return max(1, -(-least.numerator // least.denominator))


def chernoff_bound(
    gamma: Exact, epsilon: Exact, frequency: Exact, *, retention: Exact | None = None
) -> Fraction:
    """Return a two-sided Chernoff bound of Pr(abs(f' - f) >= epsilon f) with rational tilts.

    The sum of E z^(f' - k) over the tail from k = ceil((1+epsilon) f) with a z >= 1 and the tail up
    to k = floor((1-epsilon) f) with a z <= 1; a tail that no count reaches contributes nothing.
    Parameters and errors as in `chebyshev_bound`.

    Returns
    -------
    Fraction
        The sum, rounded up by about one part in 2**200, so that it is short at any count. It can exceed
        1, and can be larger than `chebyshev_bound`.

    Notes
    -----
    splu.T3c.
    """
    law, frequency = PublishedCount.of(gamma, retention), integer(frequency, "frequency", 1)
    offset = error_offset(epsilon, frequency)
    distance = Fraction(offset, frequency)
    tilts = upper_tilt(law, distance), lower_tilt(law, distance)
    return _tilted(law, frequency, tilts, offset, 256).bounds().upper


def uniform_bound(
    law: PublishedCount, epsilon: Fraction, frequency: int, tilts: Tilts, bits: int
) -> Enclosure:
    """Enclose a number that, if below 1, bounds the error probability at every count >= ``frequency``.

    For each tail the number is M^F z^-e, with F the frequency, M the mean of z^f' at f = 1 (m^gamma for
    p = 1/gamma), and the exponents e = floor((1+epsilon) F) above and e = ceil((1-epsilon) F) below. It is
    at least rho^F, where rho = M z^-(1+-epsilon) bounds the tail at f by rho^f; so if it is below 1, then
    rho < 1, and rho^f <= rho^F for every f >= F.
    """
    distance = epsilon * frequency
    return _tilted(law, frequency, tilts, distance.numerator // distance.denominator, bits)


def _tilted(law: PublishedCount, frequency: int, tilts: Tilts, distance: int, bits: int) -> Enclosure:
    """Enclose the sum of E z^(f' - k) for the tails from f + distance on and up to f - distance."""
    total = Enclosure.of(0)
    for tilt, exponent in zip(tilts, (frequency + distance, frequency - distance), strict=True):
        if tilt is None:
            continue
        term = law.mean_of_power(tilt, frequency, bits)
        if exponent:
            term = term.times(Enclosure.power(1 / tilt, exponent, bits), bits)
        total = total.plus(term, bits)
    return total
