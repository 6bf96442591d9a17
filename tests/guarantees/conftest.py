"""The error probability by another road: one minus the exact window, in fractions, as Theorem 4 prints it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest


@cache
def window_error(gamma: int, epsilon: Fraction, frequency: int, strict: bool) -> Fraction:
    trials = gamma * frequency
    allowed = epsilon * frequency
    within = sum(
        math.comb(trials, x) * (gamma - 1) ** (trials - x)
        for x in range(trials + 1)
        if (abs(x - frequency) <= allowed if strict else abs(x - frequency) < allowed)
    )
    return Fraction(gamma**trials - within, gamma**trials)


@pytest.fixture
def brute_error() -> Callable[[int, Fraction, int, bool], Fraction]:
    return window_error
