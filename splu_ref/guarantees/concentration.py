"""Bounds on the error probability that need no summation: Chebyshev (corrected) and Chernoff (rational).

The upper tail of f' ~ Bin(gamma f, 1/gamma) from k on is at most E z^(f' - k) = m^(gamma f) z^-k with
m = 1 + (z-1)/gamma, for any z >= 1; the lower tail up to k likewise for 0 < z <= 1. The tilt z is chosen
rational, with few digits, near the value that makes the bound smallest.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TypeAlias

from splu_ref.binomial import Enclosure
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.model import Exact, Gamma, ParameterError, positive, probability, whole

Tilts: TypeAlias = tuple[Fraction | None, Fraction | None]
"""The tilt of the upper and of the lower tail; None for a tail that no count reaches."""

_STEEPEST = 1024  # the best tilt tends to infinity as a tail shrinks to a single count


def chebyshev_bound(gamma: Exact, epsilon: Exact, frequency: Exact) -> Fraction:
    """Return (gamma - 1)/(gamma epsilon^2 f), an upper bound of Pr(abs(f' - f) >= epsilon f).

    Parameters
    ----------
    gamma
        Size of a decoy group, at least 2.
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, at least 1.

    Returns
    -------
    Fraction
        Greater than 0; above 1 it says nothing.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.

    Notes
    -----
    splu.T3c: Fu et al. 2014, Theorem 3 with the variance of f', f (gamma - 1)/gamma, in its place.
    """
    gamma, epsilon = Gamma(gamma), positive(epsilon, "epsilon")
    return (gamma - 1) / (gamma * epsilon**2 * whole(frequency, "frequency", 1))


def chebyshev_threshold(gamma: Exact, epsilon: Exact, t_e: Exact) -> int:
    """Return the least f from which `chebyshev_bound` is at most ``t_e`` (splu.L1c).

    Parameters as in `chebyshev_bound`; ``t_e`` is greater than 0 and at most 1.
    """
    allowed = probability(t_e, "t_e")
    if allowed == 0:
        raise ParameterError("t_e must be greater than 0: Chebyshev's bound is positive at every count")
    least = chebyshev_bound(gamma, epsilon, 1) / allowed
    return -(-least.numerator // least.denominator)


def chernoff_bound(gamma: Exact, epsilon: Exact, frequency: Exact) -> Fraction:
    """Return a two-sided Chernoff bound of Pr(abs(f' - f) >= epsilon f) with rational tilts.

    The sum of m^(gamma f) z^-k over the tail from k = ceil((1+epsilon) f) with a z >= 1 and the tail up
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
    gamma, frequency = Gamma(gamma), whole(frequency, "frequency", 1)
    offset = error_offset(epsilon, frequency)
    distance = Fraction(offset, frequency)
    tilts = upper_tilt(gamma, distance), lower_tilt(gamma, distance)
    return _tilted(gamma, frequency, tilts, offset, 256).bounds().upper


def upper_tilt(gamma: Gamma, epsilon: Fraction) -> Fraction | None:
    """Return a rational z > 1 for the tail f' >= (1 + epsilon) f; None if that tail is empty."""
    if epsilon > gamma - 1:
        return None
    steepest = Fraction(_STEEPEST)
    if epsilon == gamma - 1:
        return steepest
    return _simple(gamma, min(steepest, (1 + epsilon) * (gamma - 1) / (gamma - 1 - epsilon)))


def lower_tilt(gamma: Gamma, epsilon: Fraction) -> Fraction | None:
    """Return a rational z < 1 for the tail f' <= (1 - epsilon) f; None if that tail is empty.

    For epsilon = 1 the tail is f' = 0, and z = 0 gives its probability.
    """
    if epsilon >= 1:
        return Fraction(0) if epsilon == 1 else None
    return _simple(gamma, max(Fraction(1, _STEEPEST), (1 - epsilon) * (gamma - 1) / (gamma - 1 + epsilon)))


def uniform_bound(gamma: Gamma, epsilon: Fraction, frequency: int, tilts: Tilts, bits: int) -> Enclosure:
    """Enclose a number that, if below 1, bounds the error probability at every count >= ``frequency``.

    For each tail the number is m^(gamma F) z^-e, with F the frequency and the exponents
    e = floor((1+epsilon) F) above and e = ceil((1-epsilon) F) below. It is at least rho^F, where
    rho = m^gamma z^-(1+-epsilon) bounds the tail at f by rho^f; so if it is below 1, then rho < 1, and
    rho^f <= rho^F for every f >= F.
    """
    distance = epsilon * frequency
    return _tilted(gamma, frequency, tilts, distance.numerator // distance.denominator, bits)


def _tilted(gamma: Gamma, frequency: int, tilts: Tilts, distance: int, bits: int) -> Enclosure:
    """Enclose the sum of m^(gamma f) z^-k for the tails from f + distance on and up to f - distance."""
    total = Enclosure.of(0)
    for tilt, exponent in zip(tilts, (frequency + distance, frequency - distance), strict=True):
        if tilt is None:
            continue
        term = Enclosure.power(1 + (tilt - 1) / gamma, gamma * frequency, bits)
        if exponent:
            term = term.times(Enclosure.power(1 / tilt, exponent, bits), bits)
        total = total.plus(term, bits)
    return total


def _simple(gamma: Gamma, tilt: Fraction) -> Fraction:
    """Return a rational with a small denominator, within 1/25 of the distances of ``tilt`` to 0 and 1.

    No power of it cancels: an enclosure of m^(gamma F) z^-k is exact, or the number is not dyadic. So
    its rounding to any number of bits can be read off an enclosure.
    """
    tolerance = min(tilt, abs(tilt - 1)) / 50
    limit = 1
    while abs((near := tilt.limit_denominator(limit)) - tilt) > tolerance:
        limit *= 2
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
