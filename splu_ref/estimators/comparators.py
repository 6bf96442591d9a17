"""Estimates from the publications that Fu et al. 2014, section 6.2.3, compare with, and their exact error.

Discrete Laplace noise Z has Pr(Z = z) = (1 - r)/(1 + r) r^abs(z), r = exp(-epsilon), at every count. For
epsilon = ln q the ratio r = 1/q is rational and every function here returns an exact number; otherwise it
returns a certified enclosure. All of them increase with r, so the ends of an enclosure of r give the ends of
the result (claim splu.DL).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, factorial

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import (
    Bounds,
    Enclosure,
    Exact,
    Gamma,
    ParameterError,
    from_matrix,
    integer,
    inverse,
    positive,
    probability,
    shown,
    two_state,
)
from splu_ref.mechanisms import Budget, TwoTables
from splu_ref.randomness import IntArray

_BITS = 256
_TERMS = 70
"""Terms of the exponential series for exponents up to 1; the next term is below 2^-330."""
_MOST_DISTANCE = 10**6
_LARGEST_BUDGET = 10**4
_MOST_BITS = 10**7
"""Largest size in bits of r to the power of a distance, which takes some seconds."""


def noise_ratio(budget: Budget) -> Bounds:
    """Return r = exp(-epsilon): exactly for ln q, otherwise enclosed to about 256 bits."""
    if budget.is_logarithm:
        return Bounds(1 / budget.number, 1 / budget.number)
    if budget.number > _LARGEST_BUDGET:
        raise ParameterError(f"epsilon = {shown(budget.number)}: give a budget of at most {_LARGEST_BUDGET}")
    times = ceil(budget.number)
    part = budget.number / times
    last = sum(((-part) ** k / factorial(k) for k in range(_TERMS)), Fraction(0))
    ends = sorted((last, last + part**_TERMS / factorial(_TERMS)))  # alternating, with falling terms
    return Bounds(
        Enclosure.power(ends[0], times, _BITS).bounds().lower,
        Enclosure.power(ends[1], times, _BITS).bounds().upper,
    )


def mean_noise(budget: Budget) -> Bounds:
    """Return E abs(Z) = 2 r/(1 - r^2): the mean error at every count; 4/3 at ln 2, 3/4 at ln 3."""
    return _grown(budget, lambda r: 2 * r / (1 - r * r))


def noise_tail(budget: Budget, distance: Exact) -> Bounds:
    """Return Pr(abs(Z) >= distance) = 2 r^distance/(1 + r), for a whole distance of 1 to 1,000,000."""
    power = integer(distance, "distance", 1)
    if power > _MOST_DISTANCE:
        raise ParameterError(f"distance is {shown(power)}: give one of at most {_MOST_DISTANCE}")
    length = budget.number.numerator.bit_length() if budget.is_logarithm else 2 * ceil(budget.number)
    if length * power > _MOST_BITS:
        raise ParameterError(
            f"a distance of {power} takes too long with this budget: give one of at most "
            f"{_MOST_BITS // length}, or a budget with fewer digits"
        )
    if budget.is_logarithm:
        return _grown(budget, lambda r: 2 * r**power / (1 + r))
    ratio = noise_ratio(budget)
    low, high = (Enclosure.power(r, power, _BITS).bounds() for r in (ratio.lower, ratio.upper))
    return Bounds(2 * low.lower / (1 + ratio.lower), 2 * high.upper / (1 + ratio.upper))


def noise_privacy(budget: Budget, epsilon: Exact, alpha: Exact) -> Bounds:
    """Return the T_P of Definition 2: the least Pr(abs(Z) >= epsilon f) over 1 <= f <= alpha.

    It is attained at f = alpha, because the error is the same at every count and epsilon f grows.
    """
    return noise_tail(budget, ceil(positive(epsilon, "epsilon") * integer(alpha, "alpha", 1)))


def noise_threshold(budget: Budget, epsilon: Exact, t_e: Exact) -> int:
    """Return the least T_f such that Pr(abs(Z) >= epsilon f) <= t_e for every f >= T_f (Definition 1).

    Raises
    ------
    ParameterError
        For t_e = 0, a float, or a budget so small that an error beyond 1,000,000 is likely.
    """
    ratio, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    if not allowed:
        raise ParameterError(
            "t_e = 0 cannot be met: noise of any size is possible; give a t_e greater than 0"
        )
    high = 1
    while not _within(budget, high, allowed):
        high *= 2
    tried = range(high // 2 + 1, high)  # high = 1: every count will do
    least = tried.start + bisect_left(tried, True, key=lambda each: _within(budget, each, allowed))
    return int((least - 1) / ratio) + 1


def _within(budget: Budget, distance: int, allowed: Fraction) -> bool:
    if distance > _MOST_DISTANCE:
        raise ParameterError(
            f"errors beyond {_MOST_DISTANCE} are likelier than t_e = {shown(allowed)} with this budget: give "
            "a larger budget or t_e"
        )
    tail = noise_tail(budget, distance)
    if tail.lower <= allowed < tail.upper:
        raise ParameterError(
            f"t_e = {shown(allowed)} is too close to a probability of this noise: change its last digit"
        )
    return tail.upper <= allowed


def _grown(budget: Budget, formula: Callable[[Fraction], Fraction]) -> Bounds:
    """Return the bounds of a formula that increases with r."""
    ratio = noise_ratio(budget)
    return Bounds(formula(ratio.lower), formula(ratio.upper))


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean and variance of an estimate, exactly, over the random choices of a mechanism."""

    mean: Fraction
    variance: Fraction


def two_tables_sums(published: TwoTables, predicate: NDArray[np.bool_]) -> IntArray:
    """Return, for every value s, how many records of P stand in groups that hold s; shape (domain size,).

    Parameters
    ----------
    published
        Anatomy's two tables.
    predicate
        Whether each row of the quasi-identifier table satisfies P, shape of ``published.rows``.

    Returns
    -------
    IntArray
        gamma times Anatomy's estimates: the sum over groups of abs(P and G) c_G(s), where c_G(s) is 0 or 1
        and every group has gamma records (Xiao & Tao 2006).
    """
    inside = np.bincount(published.groups[predicate], minlength=len(published.values))
    sums = np.zeros(published.domain_size, dtype=np.int64)
    np.add.at(sums, published.values, inside[:, np.newaxis])
    return sums


def two_tables_estimate(published: TwoTables, predicate: NDArray[np.bool_], value: int) -> Fraction:
    """Return Anatomy's estimate of how many records of P carry ``value``: its sum over gamma."""
    if not 0 <= value < published.domain_size:
        raise ParameterError(f"value is {value}, outside the domain 0 .. {published.domain_size - 1}")
    gamma = published.values.shape[1]
    return Fraction(int(two_tables_sums(published, predicate)[value]), gamma)


def two_tables_moments(
    predicate_counts: Sequence[int], frequencies: Sequence[int], together: Sequence[int], value: int
) -> Moments:
    """Return mean and variance of Anatomy's estimate over the random places within each value.

    Parameters
    ----------
    predicate_counts
        Records of P by value, n_v, 0 .. f_v.
    frequencies
        Records by value, f_v.
    together
        Groups that hold both v and s, c(v, s), by v: `splu_ref.mechanisms.co_occurrence` of the plan; that
        of s is f_s, and the entries sum to gamma f_s.
    value
        s.

    Returns
    -------
    Moments
        The estimate is (x3 + K)/gamma, x3 = n_s, where K is the sum over v other than s of independent
        hypergeometric counts: n_v draws from f_v places, c(v, s) of them in groups with s (claim splu.ANA).
    """
    f = frequencies[value]
    if f < 1 or together[value] != f or sum(together) % f:
        raise ParameterError(
            "together must be the co-occurrence row of a value that occurs: see co_occurrence"
        )
    gamma = sum(together) // f
    mean, variance = Fraction(predicate_counts[value]), Fraction(0)
    for v, (n_v, f_v, c) in enumerate(zip(predicate_counts, frequencies, together, strict=True)):
        if v == value or not c:
            continue
        share = Fraction(c, f_v)
        mean += n_v * share
        if f_v > 1:
            variance += n_v * share * (1 - share) * Fraction(f_v - n_v, f_v - 1)
    return Moments(mean / gamma, variance / gamma**2)


def reconstructed_two_tables(
    estimate: Fraction, frequency: int, predicate_count: int, rows: int, gamma: Exact
) -> Fraction:
    """Return the count of "P and s" that Anatomy's estimate implies once decoys are subtracted.

    Parameters
    ----------
    estimate
        `two_tables_estimate`.
    frequency
        Records with s, f, below N/gamma: the sensitive table shows it exactly.
    predicate_count
        Records of P, n.
    rows
        Records in all, N.
    gamma
        Size of a group.

    Returns
    -------
    Fraction
        (gamma estimate - n k)/(1 - k) with k = f (gamma - 1)/(N - f), not clipped. Unbiased under
        hypothesis H of claim splu.V, under which a record without s has s in its group with probability k;
        the estimate itself is biased toward n f/N.

    Raises
    ------
    ParameterError
        If f is not between 0 and N/gamma, N/gamma excluded: there every record has s in its group.
    """
    size = Gamma(gamma)
    f, n, total = (
        integer(frequency, "frequency", 0),
        integer(predicate_count, "predicate_count", 0),
        integer(rows, "rows", 1),
    )
    if size * f >= total:
        raise ParameterError(
            f"frequency is {f}, not below rows/gamma = {Fraction(total, size)}: every group holds the value, "
            "and its records cannot be distinguished from others; ask for another value"
        )
    # SPLU-Gen takes each value of a group with 1/gamma: the group holds s gamma times as often as that is s.
    exposed = two_state(Fraction(1, size), f, total).probability(False, True) * size
    groups = from_matrix((False, True), ((1 - exposed, exposed), (0, 1)), (False, True))
    beside = size * estimate
    return inverse(groups).estimate({False: n - beside, True: beside})[True]


def distribution_based_moments(predicate_count: Exact, frequency: Exact, rows: Exact) -> Moments:
    """Return mean n f/N and variance n (f/N)(1 - f/N) of that count, whatever the true count is.

    Parameters
    ----------
    predicate_count
        Records of P, n; N itself for the value alone.
    frequency
        Records with s, f.
    rows
        Records in all, N, at least 1.
    """
    n, f, total = (
        integer(predicate_count, "predicate_count", 0),
        integer(frequency, "frequency", 0),
        integer(rows, "rows", 1),
    )
    if max(n, f) > total:
        raise ParameterError(
            f"predicate_count = {n} or frequency = {f} is above rows = {total}: count one table"
        )
    share = Fraction(f, total)
    return Moments(n * share, n * share * (1 - share))
