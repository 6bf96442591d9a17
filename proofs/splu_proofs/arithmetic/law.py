"""The binomial law of a published count, written out plainly and independently of the library.

X_f ~ Bin(gamma f, 1/gamma): Pr(X_f = k) = C(gamma f, k) (gamma - 1)^(gamma f - k) / gamma^(gamma f).
The proofs measure with these functions, so that what they check is not also the measure.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb


def trial_weight(gamma: int, trials: int, k: int) -> Fraction:
    """Return b(trials; k), the probability of k successes in ``trials`` trials of probability 1/gamma."""
    if not 0 <= k <= trials:
        return Fraction(0)
    return Fraction(comb(trials, k) * (gamma - 1) ** (trials - k), gamma**trials)


def probability_mass(gamma: int, f: int, k: int) -> Fraction:
    """Return Pr(X_f = k)."""
    return trial_weight(gamma, gamma * f, k)


@lru_cache(maxsize=256)
def cumulative(gamma: int, f: int) -> tuple[int, ...]:
    """Return gamma^(gamma f) Pr(X_f <= k) for k = 0 .. gamma f, as integers."""
    n = gamma * f
    return tuple(accumulate(comb(n, k) * (gamma - 1) ** (n - k) for k in range(n + 1)))


def at_least(gamma: int, f: int, k: int) -> Fraction:
    """Return Pr(X_f >= k)."""
    n = gamma * f
    if k <= 0:
        return Fraction(1)
    if k > n:
        return Fraction(0)
    total = cumulative(gamma, f)
    return Fraction(total[n] - total[k - 1], gamma**n)


def at_most(gamma: int, f: int, k: int) -> Fraction:
    """Return Pr(X_f <= k)."""
    if k < 0:
        return Fraction(0)
    return Fraction(cumulative(gamma, f)[min(k, gamma * f)], gamma ** (gamma * f))


def beyond(gamma: int, f: int, distance: int) -> Fraction:
    """Return Pr(abs(X_f - f) >= distance) for a whole distance of at least 1."""
    return at_least(gamma, f, f + distance) + at_most(gamma, f, f - distance)


def window(gamma: int, f: int, distance: int) -> Fraction:
    """Return Pr(abs(X_f - f) < distance) by summing the window alone, for f too large for whole tails."""
    n = gamma * f
    term = comb(n, f) * (gamma - 1) ** (n - f)
    total, above, below = term, term, term
    for step in range(1, distance):
        above = above * (n - f - step + 1) // ((f + step) * (gamma - 1))
        below = below * (f - step + 1) * (gamma - 1) // (n - f + step)
        total += above + below
    return Fraction(total, gamma**n)


def error(gamma: int, epsilon: Fraction, f: int) -> Fraction:
    """Return Pr(abs(X_f - f) >= epsilon f), as in Definitions 1 and 2."""
    return beyond(gamma, f, -(-epsilon * f // 1))


def error_beyond(gamma: int, epsilon: Fraction, f: int) -> Fraction:
    """Return Pr(abs(X_f - f) > epsilon f), as in Theorem 4."""
    return beyond(gamma, f, epsilon * f // 1 + 1)
