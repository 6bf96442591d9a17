"""Laws of published counts, and what the paper promises of them: T_P and T_f (sections 3.2 and 3.3 of the paper).

A value with f records stands in f groups. Its f records keep it with probability p each, and the (gamma - 1) f other records of
these groups take it with probability (1 - p)/(gamma - 1) each. The published count f' is the sum, with mean f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from splu_ref.spec.errors import require


@dataclass(frozen=True)
class Law:
    """The law of a whole number: Pr(x) = weights[x] / total."""

    weights: Sequence[int]
    total: int

    def between(self, low: int, high: int) -> Fraction:
        """Return Pr(low <= x <= high)."""
        return Fraction(sum(self.weights[max(0, low) : max(0, high + 1)]), self.total)

    def plus(self, other: Law) -> Law:
        """Return the law of the sum with an independent number."""
        weights = [0] * (len(self.weights) + len(other.weights) - 1)
        for x, weight in enumerate(self.weights):
            for y, more in enumerate(other.weights):
                weights[x + y] += weight * more
        return Law(weights, self.total * other.total)


def binomial(trials: int, chance: Fraction) -> Law:
    """Return the law of the number of successes.

    >>> binomial(2, Fraction(1, 3))
    Law(weights=[4, 4, 1], total=9)
    """
    success, failure = chance.numerator, chance.denominator - chance.numerator
    weights = [comb(trials, x) * success**x * failure ** (trials - x) for x in range(trials + 1)]
    return Law(weights, chance.denominator**trials)


def published_count(frequency: int, gamma: int, retention: Fraction | None = None) -> Law:
    """Return the law of f' for a value with ``frequency`` records: Bin(gamma f, 1/gamma) for the paper's retention.

    >>> published_count(1, 3).weights, published_count(1, 3, Fraction(1, 2)).total
    ([8, 12, 6, 1], 32)
    """
    require(gamma >= 2 and frequency >= 1, "gamma is below 2, or there is no record")
    if retention in (None, Fraction(1, gamma)):
        return binomial(gamma * frequency, Fraction(1, gamma))
    assert retention is not None
    require(0 < retention <= 1, "the retention is not within 0 and 1")
    taken = (1 - retention) / (gamma - 1)
    return binomial(frequency, retention).plus(binomial((gamma - 1) * frequency, taken))


def error_probability(
    gamma: int, epsilon: Fraction, frequency: int, retention: Fraction | None = None, *, strict: bool = False
) -> Fraction:
    """Return Pr(|f' - f| >= epsilon f), as in Definition 2; strict: with > in place of >=, as in Theorem 4.

    >>> error_probability(3, Fraction(1), 1), error_probability(3, Fraction(1), 1, strict=True)
    (Fraction(5, 9), Fraction(1, 27))
    """
    require(epsilon > 0, "epsilon is not above 0")
    law, limit = published_count(frequency, gamma, retention), epsilon * frequency
    wrong = [
        weight
        for count, weight in enumerate(law.weights)
        if abs(count - frequency) > limit or (abs(count - frequency) == limit and not strict)
    ]
    return Fraction(sum(wrong), law.total)


def privacy_minimum(
    gamma: int, epsilon: Fraction, alpha: int, retention: Fraction | None = None, *, strict: bool = True
) -> tuple[Fraction, int]:
    """Return T_P, the least error probability over the counts 1 to alpha, and the least count that has it.

    Small sum privacy (Definition 1): whoever estimates a count of at most alpha errs with probability T_P at least.

    >>> privacy_minimum(3, Fraction(1), 2)
    (Fraction(13, 729), 2)
    """
    require(alpha >= 1, "alpha is below 1")
    least = [(error_probability(gamma, epsilon, f, retention, strict=strict), f) for f in range(1, alpha + 1)]
    return min(least)


def variance_of_one(gamma: int, retention: Fraction | None = None) -> Fraction:
    """Return the variance of f' for f = 1; for any f it is f times that.

    >>> variance_of_one(4), variance_of_one(4, Fraction(1, 2))
    (Fraction(3, 4), Fraction(2, 3))
    """
    kept = Fraction(1, gamma) if retention is None else retention
    taken = (1 - kept) / (gamma - 1)
    return kept * (1 - kept) + (gamma - 1) * taken * (1 - taken)


def utility_threshold(gamma: int, epsilon: Fraction, t_e: Fraction, retention: Fraction | None = None) -> int:
    """Return T_f, the least T such that the error probability is at most ``t_e`` for every f >= T.

    Large sum utility (Definition 2). By Chebyshev's inequality (Lemma 1) the probability is at most v/(epsilon² f), so there
    are finitely many counts to look at.

    >>> utility_threshold(3, Fraction(1), Fraction(1, 2))
    2
    """
    require(gamma >= 2 and epsilon > 0 and 0 <= t_e <= 1, "gamma, epsilon or t_e is out of range")
    require(retention is None or 0 < retention <= 1, "the retention is not within 0 and 1")
    impossible = retention == 1 or epsilon > max(1, gamma - 1)  # 0 <= f' <= gamma f
    if impossible:
        return 1
    require(t_e > 0, "every count can be wrong")
    last = variance_of_one(gamma, retention) / (epsilon**2 * t_e)
    for frequency in range(int(last), 0, -1):
        if error_probability(gamma, epsilon, frequency, retention) > t_e:
            return frequency + 1
    return 1
