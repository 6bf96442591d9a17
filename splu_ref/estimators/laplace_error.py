"""The error of a count with discrete Laplace noise, exactly: the same at every count.

Z has Pr(Z = z) = (1 - r)/(1 + r) r^abs(z), r = exp(-epsilon). For epsilon = ln q the ratio r = 1/q is
rational and every function here gives a number; otherwise it gives a certified enclosure. All of them grow
with r, so the ends of an enclosure of r give the ends of the result (claim splu.DL).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, factorial

from splu_ref.binomial import Bounds, Enclosure
from splu_ref.mechanisms import Budget
from splu_ref.model import Exact, ParameterError, positive, probability, shown, whole

_BITS = 256
_TERMS = 70
"""Of the exponential series at an exponent of at most 1: the next is below 2^-330."""
_MOST_DISTANCE = 10**6
_LARGEST_BUDGET = 10**4
_MOST_BITS = 10**7
"""Of r to the power of a distance: that takes some seconds."""


def noise_ratio(budget: Budget) -> Bounds:
    """Return r = exp(-epsilon): exactly for ln q, otherwise enclosed to about 256 bits."""
    if budget.is_logarithm:
        return Bounds(1 / budget.number, 1 / budget.number)
    if budget.number > _LARGEST_BUDGET:
        raise ParameterError(f"epsilon = {shown(budget.number)}: give a budget of at most {_LARGEST_BUDGET}")
    times = ceil(budget.number)
    part = budget.number / times
    last = sum(((-part) ** k / factorial(k) for k in range(_TERMS)), Fraction(0))
    ends = sorted((last, last + part**_TERMS / factorial(_TERMS)))  # alternating, with falling terms
    return Bounds(
        Enclosure.power(ends[0], times, _BITS).bounds().lower,
        Enclosure.power(ends[1], times, _BITS).bounds().upper,
    )


def mean_noise(budget: Budget) -> Bounds:
    """Return E abs(Z) = 2 r/(1 - r^2): the mean error at every count; 4/3 at ln 2, 3/4 at ln 3."""
    return _grown(budget, lambda r: 2 * r / (1 - r * r))


def noise_variance(budget: Budget) -> Bounds:
    """Return Var Z = 2 r/(1 - r)^2; 4 at ln 2, 3/2 at ln 3."""
    return _grown(budget, lambda r: 2 * r / (1 - r) ** 2)


def noise_tail(budget: Budget, distance: Exact) -> Bounds:
    """Return Pr(abs(Z) >= distance) = 2 r^distance/(1 + r), for a whole distance of 1 to 1,000,000."""
    power = whole(distance, "distance", 1)
    if power > _MOST_DISTANCE:
        raise ParameterError(f"distance is {shown(power)}: give one of at most {_MOST_DISTANCE}")
    length = budget.number.numerator.bit_length() if budget.is_logarithm else 2 * ceil(budget.number)
    if length * power > _MOST_BITS:
        raise ParameterError(
            f"a distance of {power} takes too long with this budget: give one of at most "
            f"{_MOST_BITS // length}, or a budget with fewer digits"
        )
    if budget.is_logarithm:
        return _grown(budget, lambda r: 2 * r**power / (1 + r))
    ratio = noise_ratio(budget)
    low, high = (Enclosure.power(r, power, _BITS).bounds() for r in (ratio.lower, ratio.upper))
    return Bounds(2 * low.lower / (1 + ratio.lower), 2 * high.upper / (1 + ratio.upper))


def noise_privacy(budget: Budget, epsilon: Exact, alpha: Exact) -> Bounds:
    """Return the T_P of Definition 2: the least Pr(abs(Z) >= epsilon f) over 1 <= f <= alpha.

    It is attained at f = alpha, because the error is the same at every count and epsilon f grows.
    """
    return noise_tail(budget, ceil(positive(epsilon, "epsilon") * whole(alpha, "alpha", 1)))


def noise_threshold(budget: Budget, epsilon: Exact, t_e: Exact) -> int:
    """Return the least T_f such that Pr(abs(Z) >= epsilon f) <= t_e for every f >= T_f (Definition 1).

    Raises
    ------
    ParameterError
        For t_e = 0, a float, or a budget so small that an error beyond 1,000,000 is likely.
    """
    ratio, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    if not allowed:
        raise ParameterError(
            "t_e = 0 cannot be met: noise of any size is possible; give a t_e greater than 0"
        )
    high = 1
    while not _within(budget, high, allowed):
        high *= 2
    low = high // 2  # high = 1: every count will do
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _within(budget, middle, allowed) else (middle, high)
    return int((high - 1) / ratio) + 1


def _within(budget: Budget, distance: int, allowed: Fraction) -> bool:
    if distance > _MOST_DISTANCE:
        raise ParameterError(
            f"errors beyond {_MOST_DISTANCE} are likelier than t_e = {shown(allowed)} with this budget: give "
            "a larger budget or t_e"
        )
    tail = noise_tail(budget, distance)
    if tail.lower <= allowed < tail.upper:
        raise ParameterError(
            f"t_e = {shown(allowed)} is too close to a probability of this noise: change its last digit"
        )
    return tail.upper <= allowed


def _grown(budget: Budget, formula: Callable[[Fraction], Fraction]) -> Bounds:
    """Return a formula that grows with r, at both ends of r."""
    ratio = noise_ratio(budget)
    return Bounds(formula(ratio.lower), formula(ratio.upper))
