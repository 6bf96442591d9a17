"""Small worlds for any retention p: laws written plainly, and the shipped mechanism over every outcome."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from .conjunctions import Law, hypergeometric

Counts: TypeAlias = list[Fraction]
"""Probabilities of 0, 1, 2, ... successes."""

WORLDS = (
    (2, (2, 1, 1), Fraction(1, 3)),
    (2, (2, 2), Fraction(3, 4)),
    (2, (1, 1, 1, 1), Fraction(2, 3)),
    (3, (1, 1, 1), Fraction(1, 2)),
    (3, (1, 1, 1, 1, 1, 1), Fraction(1, 5)),
)
"""Group size, histogram and retention; every outcome of the shipped mechanism can be run."""


def successes(*kinds: tuple[int, Fraction]) -> Counts:
    """Return the law of the successes among trials of several kinds, (how many, chance), one by one."""
    law, scale = [1], 1  # integers over a common denominator
    for count, chance in kinds:
        success, failure = chance.numerator, chance.denominator - chance.numerator
        for _ in range(count):
            law = [same * failure + one * success for same, one in zip([*law, 0], [0, *law], strict=True)]
        scale *= chance.denominator**count
    return [Fraction(part, scale) for part in law]


def published(gamma: int, f: int, p: Fraction) -> Counts:
    """Return the law of f': f trials of chance p, (gamma-1) f of chance (1-p)/(gamma-1)."""
    return successes((f, p), ((gamma - 1) * f, (1 - p) / (gamma - 1)))


def joint_law(gamma: int, f: int, x3: int, exposed: Counts, p: Fraction) -> Law:
    """Return the law of (y3, y1) when Pr(K = k) = ``exposed[k]``."""
    q, law = (1 - p) / (gamma - 1), Law()
    for k, chance in enumerate(exposed):
        if chance:
            outside = successes((f - x3, p), ((gamma - 1) * f - k, q))
            for y3, inside in enumerate(successes((x3, p), (k, q))):
                for y1, rest in enumerate(outside):
                    law[y3, y1] = law.get((y3, y1), Fraction(0)) + chance * inside * rest
    return law


def law_under_h(gamma: int, rows: int, f: int, n: int, x3: int, p: Fraction) -> Law:
    """Return the law of (y3, y1) under hypothesis H."""
    return joint_law(gamma, f, x3, hypergeometric(rows - f, f * (gamma - 1), n - x3), p)


def estimate(y3: int, y1: int, n: int, rows: int, p: Fraction) -> Fraction | None:
    """Return clip((y3 - n a)/(p - a), 0, n) with a = f' (1-p)/(N - f'), or None where f' >= p N."""
    count = y3 + y1
    if count >= p * rows:
        return None
    gained = count * (1 - p) / (rows - count)
    return min(max((y3 - n * gained) / (p - gained), Fraction(0)), Fraction(n))


def wrong(law: Law, epsilon: Fraction, x3: int, n: int, rows: int, p: Fraction) -> Fraction:
    """Return Pr(abs(estimate - x3) >= epsilon x3); where there is no estimate, that is an error."""
    total = Fraction(0)
    for (y3, y1), chance in law.items():
        found = estimate(y3, y1, n, rows, p)
        if found is None or abs(found - x3) >= epsilon * x3:
            total += chance
    return total


@lru_cache(maxsize=32)
def shipped_laws(
    histogram: tuple[int, ...], gamma: int, p: Fraction
) -> tuple[tuple[tuple[int, ...], Fraction], ...]:
    """Return every vector of published values, records ascending by value, with its probability."""
    import numpy as np  # noqa: PLC0415  only the enumerations need it

    from splu_ref.audit.enumeration import made_once  # noqa: PLC0415  only runs need it
    from splu_ref.mechanisms import PLANS, SpluGen  # noqa: PLC0415  only runs need it
    from splu_ref.randomness import Draws, outcomes  # noqa: PLC0415  only runs need it

    codes = np.repeat(np.arange(len(histogram), dtype=np.int64), histogram)
    mechanism = SpluGen(gamma, retention=p, plan=made_once(PLANS["anatomy"]))

    def run(source: Draws) -> tuple[int, ...]:
        release = mechanism.publish_codes(codes, len(histogram), source)
        return tuple(release.published.tolist())

    law: dict[tuple[int, ...], Fraction] = {}
    for values, chance in outcomes(run):
        law[values] = law.get(values, Fraction(0)) + chance
    return tuple(law.items())
