"""Published counts that are closer to the true ones than any plan lets them be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import ive

from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.findings import Claimed, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.channels import PublishedCount

_ROUNDING = 1e-6  # covers the rounding of logarithms in double precision, amply
_WIDEST = 300


def exactness_evidence(match: Match, column: str, claimed: Claimed) -> Evidence:
    """Hold the distance of the published counts from the true ones against the least noise of any plan.

    Notes
    -----
    No vector of counts is published with a probability above `count_mass_log10`, whatever the plan. So the
    set of all vectors that are within distance j of the true one, where j is half the sum of all absolute
    differences, has at most its number of points times that probability, and the indicator of the set,
    divided by this, is an e-value. The mixture is taken of j = 0 with the weight 0.9, of j = 1, 2, ... with
    0.09/(j (j+1)), and of the constant 1 with 0.01.
    Where it is unclear who was deleted, the set is that of all vectors near one of the possible ones.
    """
    codes = match.published[column]
    found = np.bincount(codes[codes >= 0], minlength=len(match.original.domains[column]))
    low, high = match.frequency_bounds(column)
    centers = [(each, each) for each in match.histograms(column) or ()] or [(low, high)]
    distance = min(
        max(int(np.maximum(found - most, 0).sum()), int(np.maximum(least - found, 0).sum()))
        for least, most in centers
    )
    logs = _distances(match, column, claimed)
    e_value = EValue(logs[distance] if distance < len(logs) else -2 - _ROUNDING)

    def power(level: Fraction) -> str:
        most = noticed_distance(match, column, claimed, level)
        return "no counts, not even exact ones" if most is None else f"counts up to {most} records away"

    detail = f"published counts are {distance} records away from the true ones, over all values"
    return Evidence("exactness", column, e_value, match.rows, detail, power)


def noticed_distance(match: Match, column: str, claimed: Claimed, level: Fraction) -> int | None:
    """Return up to which distance from the true counts published ones fail; None if exact ones pass."""
    logs = _distances(match, column, claimed)
    return max((j for j, log10 in enumerate(logs) if EValue(log10).rejects(level)), default=None)


def count_mass_log10(law: PublishedCount, rows: int, largest: int) -> float:
    """Return an upper bound of log10 of the probability of any one vector of published counts.

    Parameters
    ----------
    law
        The law of published counts.
    rows
        N, the number of published rows.
    largest
        M, an upper bound of the number of records of any value, at least 1.

    Notes
    -----
    A record draws uniformly from its group with probability t and from a part of the group otherwise: its
    own value if p > 1/gamma, t = (1 - p) gamma/(gamma - 1); another one if p < 1/gamma, t = p gamma. Given
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


def coincidence_log(gamma: int, size: int) -> float:
    """Return an upper bound of the natural logarithm of the chance that two uniform multinomials coincide.

    Parameters
    ----------
    gamma
        Number of equally likely values, at least 2.
    size
        Number of draws m of each multinomial, at least 0.

    Notes
    -----
    S = (m!)^2 / gamma^(2m) [x^m] (sum over k of x^k/k!^2)^gamma, and the series is I_0(2 sqrt x). The
    coefficient is an integral over a circle; with equally spaced points in place of the integral, only
    other coefficients are added, and these are positive. The radius is about the saddle point.
    """
    if size == 0:
        return 0.0
    root = size / gamma  # the square root of the radius
    points = 64 + 32 * math.isqrt(size)
    angles = np.arange(points) * (2 * np.pi / points)
    half = np.exp(0.5j * angles)
    terms = (ive(0, 2 * root * half) * np.exp(2 * root * (np.abs(half.real) - 1))) ** gamma
    # The angle is reduced exactly, since the power is a root of unity.
    turned = np.exp(-2j * np.pi * (np.arange(points) * size % points) / points)
    coefficient = float((terms * turned).real.sum()) / points
    logs = 2 * math.lgamma(size + 1) - 2 * size * math.log(gamma) + 2 * size - 2 * size * math.log(root)
    return min(0.0, logs + math.log(coefficient) + _ROUNDING)


def _distances(match: Match, column: str, claimed: Claimed) -> tuple[float, ...]:
    """Return log10 of the e-value for each distance, as long as it says anything."""
    low, high = match.frequency_bounds(column)
    listed = match.histograms(column)
    possible = len(listed) if listed else _possible((high - low).tolist(), match.rows - int(low.sum()))
    if claimed.law.gamma > match.rows:
        return ()  # no value can have a record
    largest = min(int(high.max()), match.rows // claimed.law.gamma)  # what the claim allows
    return _by_distance(claimed.law, match.rows, largest, len(high), possible)


@lru_cache(maxsize=64)
def _by_distance(
    law: PublishedCount, rows: int, largest: int, values: int, possible: int
) -> tuple[float, ...]:
    mass = count_mass_log10(law, rows, largest) + math.log10(possible)
    sizes: list[float] = []
    points = 0
    for number in _shells(values):
        points += number
        size = mass + math.log10(points) + math.log10(len(sizes) * (len(sizes) + 1) / 0.09 or 1 / 0.9)
        if size >= 0 or len(sizes) == _WIDEST:
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
