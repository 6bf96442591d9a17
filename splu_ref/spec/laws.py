"""Laws of published counts: small sum privacy and large sum utility, the guarantees of the paper.

Fu and others 2014: Definition 1 is large sum utility and Definition 2 small sum privacy (section 2). A value
with f records is in f decoy groups (section 4). Its f records keep it with probability p each, and the (γ -
1) f other records of these groups take it with probability (1 - p)/(γ - 1) each, all independently. The
published count f′ is the sum, and its mean is f. The paper has p = 1/γ, so that f′ is binomial with γ f
trials and probability 1/γ (section 4); other retention probabilities are an addition of this specification.

All sums are over every outcome, with exact fractions. This is slow where γ f is above some thousands, or
where ε is so small that T_f is large; the protocol states how far the specification goes, and the library
answers more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require


@dataclass(frozen=True)
class Law:
    """The law of a whole number: Pr(x) = ``weights[x]`` / ``total``.

    >>> coin = Law([1, 1], 2)
    >>> coin.between(1, 5), coin.plus(coin)
    (Fraction(1, 2), Law(weights=[1, 2, 1], total=4))
    """

    weights: Sequence[int]
    total: int

    def between(self, low: int, high: int) -> Fraction:
        """Return Pr(low ≤ x ≤ high)."""
        return Fraction(sum(self.weights[max(0, low) : max(0, high + 1)]), self.total)

    def plus(self, other: Law) -> Law:
        """Return the law of the sum with an independent number of another law."""
        weights = [0] * (len(self.weights) + len(other.weights) - 1)
        for x, weight in enumerate(self.weights):
            for y, more in enumerate(other.weights):
                weights[x + y] += weight * more
        return Law(weights, self.total * other.total)


def binomial(trials: int, chance: Fraction) -> Law:
    """Return the law of the number of successes in n independent trials with probability a/d in lowest terms.

    The weight of x is C(n, x) a^x (d - a)^(n - x). It is computed from the weight of x - 1.

    >>> binomial(2, Fraction(1, 3))
    Law(weights=[4, 4, 1], total=9)
    """
    success, failure = chance.numerator, chance.denominator - chance.numerator
    if failure == 0:
        return Law([0] * trials + [1], 1)
    weights = [failure**trials]
    for x in range(1, trials + 1):
        weights.append(weights[-1] * (trials - x + 1) * success // (x * failure))
    return Law(weights, chance.denominator**trials)


def published_count(frequency: int, gamma: int, retention: Fraction | None = None) -> Law:
    """Return the law of the published count f′ of a value with f = ``frequency`` records.

    Without ``retention``, p = 1/γ and f′ is binomial with γ f trials and probability 1/γ. Otherwise f′ is
    the sum of two independent binomial numbers: f trials with p, and (γ - 1) f trials with (1 - p)/(γ - 1).

    Refused (``parameter``): γ below 2, f below 1, p not above 0 or above 1.

    >>> published_count(1, 3).weights
    [8, 12, 6, 1]
    >>> published_count(1, 3, Fraction(1, 2)).weights  # of 2 and 16: one trial with 1/2 and two with 1/4
    [9, 15, 7, 1]
    """
    require(gamma >= 2 and frequency >= 1, "gamma is below 2, or there is no record")
    require(retention is None or 0 < retention <= 1, "the retention is not above 0 and at most 1")
    if retention is None or retention == Fraction(1, gamma):
        return binomial(gamma * frequency, Fraction(1, gamma))
    other = (1 - retention) / (gamma - 1)
    return binomial(frequency, retention).plus(binomial((gamma - 1) * frequency, other))


def error_probability(
    gamma: int, epsilon: Fraction, frequency: int, retention: Fraction | None = None, *, strict: bool = False
) -> Fraction:
    """Return the probability that a published count is wrong by ε f: Pr(abs(f′ - f) ≥ ε f).

    Definitions 1, 2 and 4 of the paper have ≥. ``strict`` has > in place of ≥, as the formulas of Lemma 2
    and Theorem 4 have. ε not above 0 is refused (``parameter``), and what `published_count` refuses.

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
    """Return T_P, the least error probability of the counts 1 to α, and the least count that has it.

    This is small sum privacy (Definition 2, Lemma 2 and Theorem 4): an estimate by the published count of a
    value with at most α records is wrong by more than ε f with probability T_P at least. ``strict`` decides
    between > (Lemma 2) and ≥ (Definition 2), see `error_probability`. α below 1 is refused (``parameter``).

    >>> privacy_minimum(3, Fraction(1), 2)
    (Fraction(13, 729), 2)
    >>> [error_probability(3, Fraction(1), f, strict=True) for f in (1, 2)]
    [Fraction(1, 27), Fraction(13, 729)]
    """
    require(alpha >= 1, "alpha is below 1")
    least = [(error_probability(gamma, epsilon, f, retention, strict=strict), f) for f in range(1, alpha + 1)]
    return min(least)


def variance_of_one(gamma: int, retention: Fraction | None = None) -> Fraction:
    """Return v, the variance of f′ for f = 1; the variance for any f is f v.

    v = p (1 - p) + (γ - 1) q (1 - q) with q = (1 - p)/(γ - 1), which is (γ - 1)/γ for p = 1/γ.

    >>> variance_of_one(4), variance_of_one(4, Fraction(1, 2))
    (Fraction(3, 4), Fraction(2, 3))
    """
    p = Fraction(1, gamma) if retention is None else retention
    q = (1 - p) / (gamma - 1)
    return p * (1 - p) + (gamma - 1) * q * (1 - q)


def utility_threshold(gamma: int, epsilon: Fraction, t_e: Fraction, retention: Fraction | None = None) -> int:
    """Return T_f, the least T ≥ 1 such that the error probability (≥) is at most T_E for every f ≥ T.

    This is large sum utility (Definition 1). By Chebyshev's inequality the error probability is at most
    v/(ε² f) with v = `variance_of_one`, so only the f up to v/(ε² T_E) can violate it. (Theorem 3 of the
    paper has the bound 1/(γ ε² f²), and Lemma 1 the T_f that follows from it; both are too small.)

    If p = 1, or if ε is above both 1 and γ - 1, no count can be wrong by ε f (f′ is between 0 and γ f), and
    T_f is 1 for every T_E. Otherwise T_E = 0 has no threshold.

    Refused (``parameter``): γ below 2, ε not above 0, T_E below 0 or above 1, p not above 0 or above 1, no
    threshold.

    >>> utility_threshold(3, Fraction(1), Fraction(1, 2))
    2
    """
    require(gamma >= 2 and epsilon > 0 and 0 <= t_e <= 1, "gamma, epsilon or t_e is out of range")
    require(retention is None or 0 < retention <= 1, "the retention is not above 0 and at most 1")
    if retention == 1 or epsilon > max(1, gamma - 1):
        return 1
    require(t_e > 0, "every count can be wrong, so no threshold has probability 0")
    last = variance_of_one(gamma, retention) / (epsilon**2 * t_e)
    for frequency in range(int(last), 0, -1):
        if error_probability(gamma, epsilon, frequency, retention) > t_e:
            return frequency + 1
    return 1
