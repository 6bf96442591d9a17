"""Guarantees by summing over every count, in integers: a derivation without lemma or bound."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache


@lru_cache(maxsize=4096)
def masses(gamma: int, frequency: int) -> tuple[int, ...]:
    """Return gamma^(gamma f) Pr(f' = k) for k = 0 .. gamma f."""
    trials = gamma * frequency
    return tuple(math.comb(trials, k) * (gamma - 1) ** (trials - k) for k in range(trials + 1))


def error(gamma: int, epsilon: Fraction, frequency: int, *, strict: bool = False) -> Fraction:
    """Return Pr(abs(f' - f) >= epsilon f), or with > if ``strict``."""
    limit = epsilon * frequency
    wrong = sum(
        mass
        for k, mass in enumerate(masses(gamma, frequency))
        if abs(k - frequency) > limit or (not strict and abs(k - frequency) == limit)
    )
    return Fraction(wrong, gamma ** (gamma * frequency))


def offset(epsilon: Fraction, frequency: int, *, strict: bool = False) -> int:
    """Return the least whole distance that counts as an error at a count f."""
    distance = 0
    while distance < epsilon * frequency or (strict and distance == epsilon * frequency):
        distance += 1
    return distance
