"""Errors of reconstructed conjunctions, measured plainly: every (y3, y1), in fractions.

Written from the claims and independently of the library: x3 of the n records of P carry s, as do f of all N,
and K others of P have s among their decoys.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

from ..arithmetic.law import trial_weight
from .conjunctions import joint_law

Estimate: TypeAlias = Callable[[int, int, int, int, int], Fraction | None]
"""(y3, y1, n, N, gamma) to an estimate of x3, or None where there is none."""


def closed_form(y3: int, y1: int, n: int, rows: int, gamma: int) -> Fraction | None:
    """Return clip((y3 - n a)/(1/gamma - a), 0, n) with a = f'(gamma-1)/(gamma(N-f')), for f' < N/gamma."""
    published = y3 + y1
    if gamma * published >= rows:
        return None
    gained = Fraction(published * (gamma - 1), gamma * (rows - published))
    return min(max((y3 - n * gained) / (Fraction(1, gamma) - gained), Fraction(0)), Fraction(n))


def wrong(
    gamma: int,
    epsilon: Fraction,
    x3: int,
    f: int,
    n: int,
    rows: int,
    decoys: int,
    estimate: Estimate = closed_form,
) -> Fraction:
    """Return Pr(abs(estimate - x3) >= epsilon x3); where there is no estimate, that is an error."""
    law = joint_law(gamma, f, x3, [*[Fraction(0)] * decoys, Fraction(1)])
    total = Fraction(0)
    for (y3, y1), chance in law.items():
        found = estimate(y3, y1, n, rows, gamma)
        if found is None or abs(found - x3) >= epsilon * x3:
            total += chance
    return total


def at_most_in(gamma: int, trials: int, k: int) -> Fraction:
    """Return Pr(Y <= k) for Y ~ Bin(trials, 1/gamma)."""
    return sum((trial_weight(gamma, trials, i) for i in range(k + 1)), Fraction(0))


def largest_pure(epsilon: Fraction, x3: int) -> int:
    """Return the largest n < (1 + epsilon) x3."""
    return ceil((1 + epsilon) * x3) - 1


def pure_error(gamma: int, epsilon: Fraction, x3: int, n: int) -> Fraction:
    """Return Pr(Y <= (1 - epsilon) x3 / gamma), Y ~ Bin(n, 1/gamma): the error of a nearly pure predicate."""
    return at_most_in(gamma, n, floor((1 - epsilon) * x3 / gamma))
