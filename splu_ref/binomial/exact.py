"""Exact masses and tails of the binomial distribution.

With p = a/d and c = d - a, Pr(X = k) = C(n, k) a^k c^(n-k) / d^n. A tail is one integer over d^n, found
by binary splitting: neighboring terms have the ratio (n-k) a / ((k+1) c), and a block of terms is the
first one times a rational whose parts are multiplied together in halves, with one division at the end.
"""

from __future__ import annotations

import math
from fractions import Fraction

from splu_ref.binomial.work import digits, long_product, spend
from splu_ref.model import ParameterError

_LEAF = 16


def probability_mass(n: int, k: int, p: Fraction) -> Fraction:
    """Return Pr(X = k) for X ~ Bin(n, p), exactly.

    Parameters
    ----------
    n
        Number of trials, at least 0.
    k
        Any integer; the mass is 0 outside 0..n.
    p
        Success probability, strictly between 0 and 1.

    Raises
    ------
    ParameterError
        For n < 0 or p outside (0, 1).
    """
    success, failure, denominator = parts(n, p)
    if not 0 <= k <= n:
        return Fraction(0)
    return Fraction(math.comb(n, k) * success**k * failure ** (n - k), denominator**n)


def upper_tail(n: int, k: int, p: Fraction) -> Fraction:
    """Return Pr(X >= k) for X ~ Bin(n, p), exactly; parameters as in `probability_mass`."""
    return Fraction(upper_tail_numerator(n, k, p), p.denominator**n)


def lower_tail(n: int, k: int, p: Fraction) -> Fraction:
    """Return Pr(X <= k) for X ~ Bin(n, p), exactly; parameters as in `probability_mass`."""
    return Fraction(lower_tail_numerator(n, k, p), p.denominator**n)


def upper_tail_numerator(n: int, k: int, p: Fraction) -> int:
    """Return the integer Pr(X >= k) * d**n, where d is the denominator of p."""
    success, failure, denominator = parts(n, p)
    if k <= 0:
        everything: int = denominator**n
        return everything
    if k > n:
        return 0
    spend(tail_work(n, k, p))
    first: int = math.comb(n, k) * success**k * failure ** (n - k)
    _, below, total = _split(n, k, n + 1, success, failure)
    return first * total // below


def lower_tail_numerator(n: int, k: int, p: Fraction) -> int:
    """Return the integer Pr(X <= k) * d**n, where d is the denominator of p."""
    return upper_tail_numerator(n, n - k, 1 - p)  # n - X ~ Bin(n, 1 - p)


def tail_work(n: int, k: int, p: Fraction) -> int:
    """Return about the work of `upper_tail_numerator`: the product tree of its ratios, and the division."""
    success, failure, denominator = parts(n, p)
    tree = max(n + 1 - k, 0) * (n.bit_length() + max(success, failure).bit_length())
    return 40 * long_product(tree) + digits(tree // 2) * digits(n * denominator.bit_length())


def parts(n: int, p: Fraction) -> tuple[int, int, int]:
    """Return (a, c, d) with p = a/d and 1 - p = c/d, after checking n >= 0 and 0 < p < 1."""
    if n < 0:
        raise ParameterError(f"the number of trials must be at least 0, not {n}")
    if not 0 < p < 1:
        raise ParameterError(f"a success probability must lie strictly between 0 and 1, not {p}")
    return p.numerator, p.denominator - p.numerator, p.denominator


def _split(n: int, start: int, stop: int, success: int, failure: int) -> tuple[int, int, int]:
    """Return (P, Q, T): mass(stop)/mass(start) = P/Q, and sum of mass(i)/mass(start), i < stop, = T/Q."""
    if stop - start <= _LEAF:
        above, below, total = 1, 1, 0
        for i in range(start, stop):
            ratio_below = (i + 1) * failure
            total = (total + above) * ratio_below
            above *= (n - i) * success
            below *= ratio_below
        return above, below, total
    middle = (start + stop) // 2
    above_left, below_left, total_left = _split(n, start, middle, success, failure)
    above_right, below_right, total_right = _split(n, middle, stop, success, failure)
    return (
        above_left * above_right,
        below_left * below_right,
        total_left * below_right + above_left * total_right,
    )
