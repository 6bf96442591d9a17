"""Moments of the conjunctive estimate, and its law from a plan: what splu.V is checked with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from .conjunctions import Law, convolved, hypergeometric, joint_law, together


def moments_of_k(gamma: int, rows: int, f: int, m: int) -> tuple[Fraction, Fraction]:
    """Return mean and variance of K under hypothesis H, for m records of P without s."""
    kappa = Fraction(f * (gamma - 1), rows - f)
    return m * kappa, m * kappa * (1 - kappa) * Fraction(rows - f - m, rows - f - 1)


def moments(law: Law) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the mean of y3, the variances of y3 and y1, and their covariance."""
    total = [Fraction(0)] * 5
    for (y3, y1), p in law.items():
        for index, value in enumerate((y3, y1, y3 * y3, y1 * y1, y3 * y1)):
            total[index] += value * p
    inside, outside = total[0], total[1]
    return inside, total[2] - inside**2, total[3] - outside**2, total[4] - inside * outside


def delta_variance(gamma: int, rows: int, f: int, inside: int, x3: int) -> Fraction:
    """Return the variance of the estimate under hypothesis H by the delta method."""
    mean, variance = moments_of_k(gamma, rows, f, inside - x3)
    trial, between = Fraction(gamma - 1, gamma**2), variance / gamma**2
    gained = Fraction(f * (gamma - 1), gamma * (rows - f))
    slope = Fraction((gamma - 1) * rows, gamma * (rows - f) ** 2)
    spread = Fraction(1, gamma) - gained
    g1 = (x3 - inside) * slope / spread
    g3 = 1 / spread + g1
    var3 = (x3 + mean) * trial + between
    var1 = (gamma * f - x3 - mean) * trial + between
    return g3**2 * var3 + g1**2 * var1 - 2 * g1 * g3 * between


def law_by_values(
    groups: Sequence[Sequence[int]], histogram: tuple[int, ...], counts: tuple[int, ...], s: int, gamma: int
) -> Law:
    """Return the law of (y3, y1) for a predicate that holds ``counts[v]`` records of each value v."""
    others = [v for v in range(len(histogram)) if v != s]
    exposed = convolved([hypergeometric(histogram[v], together(groups, v, s), counts[v]) for v in others])
    return {at: p for at, p in joint_law(gamma, histogram[s], counts[s], exposed).items() if p}
