"""The reconstruction as printed: Fu et al. 2014, equations (13) and (14). It is no EM: see splu.I.

A vector holds the counts of the states not P and not s, not P and s, P and not s, P and s. Start at x = y,
replace x by ``step(x)``, and stop when no entry changed by more than 1 %. The arithmetic is that of x:
exact for fractions, double precision for floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

Number = TypeVar("Number", Fraction, float)
Counts: TypeAlias = Sequence[int]

TOLERANCE = Fraction(1, 100)
"""The printed rule stops when abs(x_i^{t+1} - x_i^t) / x_i^t <= 0.01 for every i."""


def predicted(x: Sequence[Number], gamma: int) -> tuple[Number, ...]:
    """Return the counts expected in D' from x under M(x), whose a_23 and a_01 are (x_1 + x_3)/N."""
    gained = (x[1] + x[3]) / (x[0] + x[1] + x[2] + x[3])
    found: list[Number] = []
    for without, having in (x[:2], x[2:]):
        kept = gained * without + having / gamma
        found += [without + having - kept, kept]
    return tuple(found)


def step(x: Sequence[Number], y: Counts, gamma: int) -> tuple[Number, ...]:
    """Return the next x: equation (13), with the matrix of the present x.

    Raises
    ------
    ZeroDivisionError
        If a state was published that x says cannot be.
    """
    x0, x1, x2, x3 = x
    gained = (x1 + x3) / (x0 + x1 + x2 + x3)
    found: list[Number] = []
    for without, having, left, kept in ((x0, x1, y[0], y[1]), (x2, x3, y[2], y[3])):
        expected = gained * without + having / gamma  # as in `predicted`, which would take half of the time
        lost = left / (without + having - expected) if left else 0 * having
        retained = kept / expected if kept else 0 * having
        found += [
            without * (lost - gained * lost + gained * retained),
            having * (lost * (gamma - 1) + retained) / gamma,
        ]
    return tuple(found)


def relative_change(before: Sequence[Number], after: Sequence[Number]) -> Number:
    """Return the largest abs(x_i^{t+1} - x_i^t) / x_i^t, as the rule is printed.

    Raises
    ------
    ZeroDivisionError
        If an entry is 0: the rule asks for 0/0.
    """
    return max(abs(new - old) / old for old, new in zip(before, after, strict=True))


def reconstruct(y: Counts, gamma: int, limit: int = 100_000) -> tuple[tuple[float, ...], int]:
    """Iterate in double precision from y until the printed rule stops; return the last x and the steps.

    An entry that is 0 stays 0 and is taken as unchanged, about which the paper says nothing.

    Raises
    ------
    ArithmeticError
        If the rule has not stopped after ``limit`` steps.
    """
    x, allowed = tuple(map(float, y)), float(TOLERANCE)
    for steps in range(1, limit + 1):
        after = step(x, y, gamma)
        if all(abs(new - old) <= allowed * old for old, new in zip(x, after, strict=True)):
            return after, steps
        x = after
    raise ArithmeticError(f"the iteration has not stopped after {limit} steps")


def fixed_point(y: Counts, gamma: int, limit: int = 100_000) -> tuple[float, ...]:
    """Iterate in double precision from y until no entry changes by more than 1e-13 N: the limit point.

    Raises
    ------
    ArithmeticError
        If that has not happened after ``limit`` steps.
    """
    x = tuple(map(float, y))
    for _ in range(limit):
        after = step(x, y, gamma)
        if all(abs(new - old) <= 1e-13 * sum(y) for old, new in zip(x, after, strict=True)):
            return after
        x = after
    raise ArithmeticError(f"the iteration has not settled after {limit} steps")


def likelihood(x: Sequence[Fraction], y: Counts, gamma: int) -> Fraction:
    """Return the product of p_i^{y_i}, where N p_i are the counts predicted from x under M(x)."""
    total = sum(x)
    product = Fraction(1)
    for expected, count in zip(predicted(x, gamma), y, strict=True):
        product *= (expected / total) ** count
    return product
