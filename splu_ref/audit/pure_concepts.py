"""Nearly pure predicates: n < (1 + epsilon) x3, so that reporting all n records of P is no error.

Every reconstruction of section 5.1 reports n if gamma y3 >= n, and at most gamma y3 otherwise. So it errs if
gamma y3 <= (1 - epsilon) x3, and in large tables only then.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from splu_ref.channels import Gamma, PublishedCount, lower_tail, lower_tail_enclosure, tail_work
from splu_ref.guarantees import enclosure_work


@dataclass(frozen=True, slots=True)
class ConceptCase:
    """The parameters of a concept "P and s" that determine the law of its published counts."""

    predicate_count: int  #: records of P, n
    concept_count: int  #: records of P that carry s, x3
    sensitive_count: int  #: records that carry s, f
    rows: int  #: records of the table, N
    decoys_in_predicate: int  #: records of P without s that have s among their decoys, K


def best_pure_concept(gamma: Gamma, epsilon: Fraction, alpha: int) -> tuple[Fraction, ConceptCase]:
    """Return the least error probability over all nearly pure predicates with x3 <= alpha, and where.

    For one x3 it is Pr(Y <= (1 - epsilon) x3 / gamma) with Y ~ Bin(n, 1/gamma) and n the largest allowed,
    all of whose records have s among their decoys. That count n grows with x3, so only the last x3 with the
    same whole part of (1 - epsilon) x3 / gamma needs to be looked at. Claim splu.T4c.
    """
    if epsilon > 1:
        return Fraction(0), ConceptCase(1, 1, 1, 2 * int(gamma) * (gamma + 1), 0)
    chance = Fraction(1, gamma)
    cases = []
    for x3 in _last_of_each_step(gamma, epsilon, alpha):
        n, most = ceil((1 + epsilon) * x3) - 1, floor((1 - epsilon) * x3 / gamma)
        cases.append((lower_tail_enclosure(n, most, chance), n, most, x3))
    least = cases[0][0]
    for enclosed, *_ in cases:
        least = enclosed if enclosed.below(least) else least
    error, x3, n = min(
        (lower_tail(n, most, chance), x3, n) for enclosed, n, most, x3 in cases if not least.below(enclosed)
    )
    return error, ConceptCase(n, x3, x3, _rows(gamma, epsilon, x3, n), n - x3)


def pure_work(gamma: Gamma, epsilon: Fraction, alpha: int) -> int:
    """Return the approximate work of `best_pure_concept`."""
    if epsilon > 1:
        return 0
    n, steps = ceil((1 + epsilon) * alpha), floor((1 - epsilon) * alpha / gamma) + 1
    each = enclosure_work(PublishedCount.of(gamma), -(-n // gamma), ceil(epsilon * n), 256) // 2
    return steps * each + tail_work(n, n - n // gamma, Fraction(gamma - 1, gamma))


def _last_of_each_step(gamma: Gamma, epsilon: Fraction, alpha: int) -> list[int]:
    """Return every x3 <= alpha that is the last with its whole part of (1 - epsilon) x3 / gamma."""
    last = []
    x3 = 0
    while x3 < alpha:
        step = floor((1 - epsilon) * (x3 + 1) / gamma) + 1
        x3 = alpha if epsilon == 1 else min(alpha, ceil(step * gamma / (1 - epsilon)) - 1)
        last.append(x3)
    return last


def _rows(gamma: Gamma, epsilon: Fraction, x3: int, n: int) -> int:
    """Return a number of rows from which on nothing but gamma y3 <= (1 - epsilon) x3 is an error.

    Enough for the closed form, and for the fixed point of the printed matrix, wherever f' <= N/(2 gamma).
    Both then need an estimate above low = (1 - epsilon) x3 for the least y3 with gamma y3 > low, where f' is
    at most y3 plus the gamma x3 - n records outside.
    """
    low = (1 - epsilon) * x3
    y3 = floor(low / gamma) + 1
    outside = gamma * x3 - n
    needed = Fraction(2 * gamma * gamma * x3 + gamma * n)
    if gamma * y3 < n:
        published = y3 + outside
        left = (gamma - 1) * published * (n - gamma * y3) / (gamma * y3 - low)
        needed = max(
            needed, gamma * published + left, (low + gamma * outside) * (n - low) / (y3 - low / gamma)
        )
    return int(gamma) * (floor(needed / gamma) + 1)
