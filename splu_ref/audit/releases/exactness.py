"""Test for published counts that are closer to the true ones than possible under any plan."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import ive

from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.record_linkage import Match
from splu_ref.channels import PublishedCount
from splu_ref.randomness import IntArray

_ROUNDING = 1e-6  # covers the rounding of logarithms in double precision, amply
_MAX_GAMMA = 300


def exactness_evidence(match: Match, column: str, claimed: SpluGenClaim) -> Evidence:
    """Test the distance of the published counts from the true ones against the least noise of any plan.

    No vector of counts is published with a probability above `count_mass_log10`, whatever the plan. So the
    set of all vectors that are within distance j of the true one, where j is half the sum of all absolute
    differences, has at most its number of points times that probability, and the indicator of the set,
    divided by this, is an e-value. The mixture is taken of j = 0 with the weight 0.9, of j = 1, 2, ... with
    0.09/(j (j+1)), and of the constant 1 with 0.01.
    Where it is unclear who was deleted, the set is that of all vectors near one of the possible ones.

    Under ``capped`` the counts of frequent values are nearly exact on purpose. There the vectors are those of
    the values of at most M records, j is the sum of all absolute differences, and the bound is
    `rare_mass_log10`.
    """
    found = match.found(column)
    low, high = match.frequency_bounds(column)
    centers = [(each, each) for each in match.histograms(column) or ()] or [(low, high)]
    checked = protected(match, column, claimed)
    distance = min(
        _away(found[checked], least[checked], most[checked], whole=claimed.is_independent)
        for least, most in centers
    )
    logs = _distances(match, column, claimed)
    e_value = EValue(logs[distance] if distance < len(logs) else -2 - _ROUNDING)

    def power(level: Fraction) -> str:
        most = detectable_distance(match, column, claimed, level)
        return "no counts, not even exact ones" if most is None else f"counts up to {most} records away"

    which = (
        "all values" if claimed.is_independent else f"{len(checked)} values of at most {claimed.draws.bound}"
    )
    detail = f"published counts are {distance} records away from the true ones, over {which}"
    return Evidence("exactness", column, e_value, match.rows, detail, power)


def detectable_distance(match: Match, column: str, claimed: SpluGenClaim, level: Fraction) -> int | None:
    """Return up to which distance from the true counts published ones fail; None if exact ones pass.

    Under ``all-or-none`` a true count that is no multiple of gamma fails wherever its value is rare.
    """
    if claimed.draws.name == "all-or-none":
        low, high = (bounds[protected(match, column, claimed)] for bounds in match.frequency_bounds(column))
        return 0 if ((low == high) & (high % int(claimed.law.gamma) > 0)).any() else None
    logs = _distances(match, column, claimed)
    return max((j for j, log10 in enumerate(logs) if EValue(log10).rejects(level)), default=None)


def count_mass_log10(law: PublishedCount, rows: int, largest: int) -> float:
    """Return an upper bound of log10 of the probability of any one vector of published counts.

    A record draws uniformly from its group with probability t and from a part of the group otherwise: its
    true value if p > 1/gamma, t = (1 - p) gamma/(gamma - 1); another one if p < 1/gamma, t = p gamma. Given
    which records draw uniformly, k_g of each group g, the characteristic function of the counts is at most
    the product of abs(mu_g)^k_g, mu_g the mean of exp(i t_v) over the group. Every value is in at most M
    groups of gamma records, so by Finner's inequality with the weights k_g/(gamma M) its integral is at
    most s^(sum of k_g), s = S^(1/(gamma M)), where S is the integral of abs(mu)^(2m), m = floor(gamma M/2):
    the probability that two multinomial draws of m coincide. The mean over who draws uniformly is
    (1 - t + t s)^N; for p = 1/gamma it is S^(G/M) with G = N/gamma groups.
    """
    gamma, kept = int(law.gamma), law.retention
    uniform = float(min((1 - kept) * gamma / (gamma - 1), kept * gamma))
    one = coincidence_log(gamma, gamma * largest // 2) / (gamma * largest)
    return (rows * math.log1p(uniform * math.expm1(one)) + _ROUNDING) / math.log(10)


def rare_mass_log10(claimed: SpluGenClaim, frequencies: IntArray) -> float:
    """Return an upper bound of log10 of the chance of any one vector of published counts under ``capped``.

    All slots of these values are drawn as ever, so the characteristic function of their counts is the
    product over the groups of mu_g^gamma, mu_g the mean of exp(i t_v) over the group with t = 0 for all other
    values. A value is in at most L groups, L the largest of the frequencies. By Finner's inequality with the
    weights 1/L the integral is at most the product of S_r^(1/L), where S_r is the integral of abs(mu_g)^(2m),
    m = floor(gamma L/2), in a group with r of the values: the chance that two multinomial draws of m coincide
    in the counts of r of gamma values. The r add up to the frequencies, so the product is at most
    exp(-s (their sum)/L), s the least of -log(S_r)/r.
    """
    gamma, largest = int(claimed.law.gamma), int(frequencies.max())
    each = [
        -coincidence_log(gamma, gamma * largest // 2, r) / r
        for r in range(1, min(gamma, len(frequencies)) + 1)
    ]
    return (_ROUNDING - min(each) * int(frequencies.sum()) / largest) / math.log(10)


def coincidence_log(gamma: int, size: int, looked: int | None = None) -> float:
    """Return an upper bound of the natural logarithm of the chance that two uniform multinomials coincide.

    S = (m!)^2 / gamma^(2m) [x^m] (sum over k of x^k/k!^2)^gamma, and the series is I_0(2 sqrt x); values that
    are not looked at are one of a larger chance, c/gamma, and their series is I_0(2 c sqrt x). The
    coefficient is an integral over a circle; with equally spaced points in place of the integral, only
    other coefficients are added, and these are positive. The radius is the saddle point: on another circle
    the terms would cancel, and their rounding be more than what they add up to.
    """
    if size == 0:
        return 0.0
    apart = gamma if looked is None else looked
    scales = ((1, apart), (gamma - apart, int(apart < gamma)))
    root = _saddle(scales, size)  # the square root of the radius
    points = 64 + 32 * math.isqrt(size)
    angles = np.arange(points) * (2 * np.pi / points)
    half = np.exp(0.5j * angles)
    terms, logs = np.ones_like(half), 2 * math.lgamma(size + 1) - 2 * size * math.log(gamma * root)
    for scale, times in scales:
        reach = 2 * scale * root
        # As a share of what it is at the angle 0, so that no power leaves the range of numbers.
        share = ive(0, reach * half) / ive(0, reach) * np.exp(reach * (np.abs(half.real) - 1))
        terms *= share**times
        logs += times * (math.log(ive(0, reach)) + reach)
    # The angle is reduced exactly, since the power is a root of unity.
    turned = np.exp(-2j * np.pi * (np.arange(points) * size % points) / points)
    coefficient = float((terms * turned).real.sum()) / points
    return min(0.0, logs + math.log(coefficient) + _ROUNDING)


def _saddle(scales: Sequence[tuple[int, int]], size: int) -> float:
    """Return about the s at which the product of I_0(2 c s)^k over all (c, k), over s^(2 size), is least."""
    low, high = 0.0, 1.0

    def slope(root: float) -> float:
        reaches = ((2 * scale * root, times) for scale, times in scales)
        return sum(times * reach * float(ive(1, reach) / ive(0, reach)) for reach, times in reaches)

    while slope(high) < 2 * size:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 2 * size else (low, middle)
    return high


def _distances(match: Match, column: str, claimed: SpluGenClaim) -> tuple[float, ...]:
    """Return log10 of the e-value for each distance, as long as it says anything."""
    low, high = match.frequency_bounds(column)
    listed = match.histograms(column)
    possible = len(listed) if listed else _possible((high - low).tolist(), match.rows - int(low.sum()))
    if claimed.law.gamma > match.rows:
        return ()  # no value can have a record
    if not claimed.is_independent:
        checked = protected(match, column, claimed)
        if not len(checked):
            return ()
        mass = rare_mass_log10(claimed, high[checked])
        return _from_mass(mass + math.log10(possible), _around(len(checked)))
    largest = min(int(high.max()), match.rows // claimed.law.gamma)  # what the claim allows
    return _by_distance(claimed.law, match.rows, largest, len(high), possible)


@lru_cache(maxsize=64)
def _by_distance(
    law: PublishedCount, rows: int, largest: int, values: int, possible: int
) -> tuple[float, ...]:
    return _from_mass(count_mass_log10(law, rows, largest) + math.log10(possible), _shells(values))


def _from_mass(mass: float, shells: Iterator[int]) -> tuple[float, ...]:
    """Return log10 of the e-value for each distance, at which there are so many vectors."""
    sizes: list[float] = []
    points = 0
    for number in shells:
        points += number
        size = mass + math.log10(points) + math.log10(len(sizes) * (len(sizes) + 1) / 0.09 or 1 / 0.9)
        if size >= 0 or len(sizes) == _MAX_GAMMA:
            break
        sizes.append(size)
    # The mixture at distance j has a term for every distance from j on; the largest is a lower bound.
    return tuple(-min(sizes[j:]) - _ROUNDING for j in range(len(sizes)))


def _possible(widths: list[int], total: int) -> int:
    """Return in how many ways ``total`` is a sum of numbers from 0 to each of the widths, at least 1."""
    ways = [1] + [0] * total
    for width in filter(None, widths):
        ways = [sum(ways[max(0, at - width) : at + 1]) for at in range(total + 1)]
    return max(1, ways[total])


def protected(match: Match, column: str, claimed: SpluGenClaim) -> IntArray:
    """Return the values whose published counts equal the true ones by chance alone.

    All of them if the draws are independent, otherwise those that have no more records than the law's bound,
    whoever was deleted.
    """
    _, high = match.frequency_bounds(column)
    if claimed.is_independent:
        return np.arange(len(high))
    assert claimed.draws.bound is not None
    return np.flatnonzero((high > 0) & (high <= claimed.draws.bound))


def _away(found: IntArray, least: IntArray, most: IntArray, *, whole: bool) -> int:
    """Return how far counts are from the nearest between two bounds: of all values half the differences."""
    above, below = int(np.maximum(found - most, 0).sum()), int(np.maximum(least - found, 0).sum())
    return max(above, below) if whole else above + below


def _around(values: int) -> Iterator[int]:
    """Yield how many integer vectors have the sum 0, 1, ... of absolute values."""
    yield 1
    distance = 0
    while True:
        distance += 1
        yield sum(
            2**moved * math.comb(values, moved) * math.comb(distance - 1, moved - 1)
            for moved in range(1, min(values, distance) + 1)
        )


def _shells(values: int) -> Iterator[int]:
    """Yield how many integer vectors with the sum 0 are at distance 0, 1, ...

    j of them are spread over a values that grow, a of them, and taken from the others.
    """
    yield 1
    distance = 0
    while True:
        distance += 1
        yield sum(
            math.comb(values, grown)
            * math.comb(distance - 1, grown - 1)
            * math.comb(distance + values - grown - 1, values - grown - 1)
            for grown in range(1, min(values - 1, distance) + 1)
        )
