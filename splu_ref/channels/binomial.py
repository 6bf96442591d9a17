"""Exact masses and tails of binomial distributions, tables of them, and the budget of work they use.

The budget limits the work of a command, in products of machine digits, independently of the machine. The work
of long integers follows from their lengths: a product or quotient of integers of a and b digits of 30 bits
takes about a b products of digits, and the interpreter adds `STEP` to every operation. `MOST` products take
about a minute. A long computation is charged with `spend` before it begins, and the estimated work of a whole
computation is compared with `left`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from splu_ref.channels.parameters import ParameterError

MOST = 4 * 10**10
"""Largest work of a command, a file of claims or an external call, in products of digits."""
STEP = 100
"""Work of one operation of the interpreter, in products of digits."""


class WorkError(ParameterError):
    """The work budget is exhausted."""


class _Budget:
    """The work spent so far, and the most that may be spent."""

    def __init__(self, most: int) -> None:
        self.spent = 0
        self.most = most


_current: ContextVar[_Budget | None] = ContextVar("_current", default=None)


@contextmanager
def one_budget(most: int | None = None) -> Iterator[None]:
    """Let all work in the block share one budget, that of an outer block if any; also a decorator.

    With ``most``, the block may spend so much of it. If that does not suffice, the rest is left to the outer
    block.
    """
    outer = _current.get()
    budget = _Budget(MOST) if outer is None else outer
    allowed, token = budget.most, _current.set(budget)
    if most is not None:
        budget.most = min(allowed, budget.spent + most)
    try:
        yield
    finally:
        if most is not None:
            budget.spent = min(budget.spent, budget.most)
        budget.most = allowed
        _current.reset(token)


def spend(work: int) -> None:
    """Charge work to the budget before it is done.

    Raises
    ------
    WorkError
        If the budget is exceeded.
    """
    budget = _current.get()
    if budget is None:
        return
    budget.spent += work
    if budget.spent > budget.most:
        raise WorkError(
            "this takes more than about a minute, the work that one command may do: give smaller counts, a "
            "larger epsilon or t_e, or numbers with fewer digits"
        )


def left() -> int:
    """Return the remaining work of the budget."""
    budget = _current.get()
    return MOST if budget is None else max(budget.most - budget.spent, 0)


def digits(bits: int) -> int:
    """Return the number of machine digits of an integer of ``bits`` bits."""
    return bits // 30 + 1


def long_product(bits: int) -> int:
    """Return the approximate work of multiplying two integers of ``bits`` bits."""
    size = digits(bits)
    return STEP + size * math.isqrt(size) * size.bit_length() // 6


def reduction(bits: int) -> int:
    """Return the approximate work of reducing a fraction of integers of ``bits`` bits to lowest terms."""
    return STEP + digits(bits) ** 2


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
    """Estimate the work of `upper_tail_numerator`: the product tree of its ratios, and the division."""
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


_GUARD = 16  # bits below a unit at which the ratios are cut off


class _Table(NamedTuple):
    """Masses at first, first + 1, ..., the tails from there on, and all that lies outside; in units."""

    first: int
    masses: list[int]
    tails: list[int]
    outside: int


@lru_cache(maxsize=256)
def _table(n: int, chance: Fraction, bits: int) -> _Table:
    """Tabulate Bin(n, chance), 0 < chance < 1."""
    if 2 * chance > 1:  # the failures, counted from the other end
        mirrored = _table(n, 1 - chance, bits)
        masses = mirrored.masses[::-1]
        return _Table(n - mirrored.first - len(masses) + 1, masses, _sums(masses), mirrored.outside)
    success, whole = chance.numerator, chance.denominator
    failure = whole - success
    mode = min(n, (n + 1) * success // whole)
    precision = bits + _GUARD
    above, rest_above = _ratios(n, mode, success, failure, precision)
    below, rest_below = _ratios(n, n - mode, failure, success, precision)
    ratios = [*reversed(below[1:]), *above]
    spend(3 * STEP * len(ratios))
    # A ratio after s steps is too large by at most s units, so that the sum is by at most their square.
    least = sum(ratios) - len(ratios) ** 2
    masses = [-(-(each << bits) // least) for each in ratios]
    outside = -(-((rest_above + rest_below) << bits) // least)
    return _Table(mode - len(below) + 1, masses, _sums(masses), outside)


def _sums(masses: list[int]) -> list[int]:
    return list(accumulate(reversed(masses)))[::-1]


def _ratios(n: int, start: int, success: int, failure: int, precision: int) -> tuple[list[int], int]:
    """Return mass(i) / mass(start) for i = start, start + 1, ..., rounded up, and a bound of the rest.

    Rounded up, a ratio falls below 2 only in steps to a half and less, where the sum ends.
    """
    term = 1 << precision
    ratios, negligible = [term], 1 << (_GUARD // 2)
    for i in range(start, n):
        over, under = (n - i) * success, (i + 1) * failure
        if term <= negligible and 2 * over <= under:
            return ratios, term  # the terms left out fall to a half and less at each step
        term = -(-term * over // under)
        ratios.append(term)
    return ratios, 0


@dataclass(frozen=True, slots=True)
class UpperTails:
    """Bounds of the tails of A + B from above."""

    count: int  #: trials of the first kind, and their probability of a success, strictly between 0 and 1
    chance: Fraction  #: see ``count``
    other_count: int  #: the same of the second kind
    other_chance: Fraction  #: the same of the second kind
    bits: int  #: a tail is at most about 2**(12 - bits) too large

    def at_least(self, k: int) -> int:
        """Return a whole number of units of 2**-bits that is not below Pr(A + B >= k)."""
        one = 1 << self.bits
        own, other = (
            _table(self.count, self.chance, self.bits),
            _table(self.other_count, self.other_chance, self.bits),
        )
        left_out = own.outside + other.outside
        # B's table has its tail for k - a in first .. last; below it is 1, and above it is omitted.
        begin = k - (other.first + len(other.masses) - 1) - own.first
        end = k - other.first - own.first
        low, high = max(begin, 0), min(max(end + 1, 0), len(own.masses))
        total = 0
        if low < high:
            spend(STEP * (high - low) // 2)
            place = k - own.first - low - other.first
            slice_ = other.tails[place - (high - low) + 1 : place + 1]
            total = sum(map(mul, own.masses[low:high], reversed(slice_)))
        certain = own.tails[high] if high < len(own.masses) else 0
        return min(one, -(-total >> self.bits) + certain + left_out)

    def at_most(self, k: int) -> int:
        """Return a bound of Pr(A + B <= k) likewise: at least so many trials fail."""
        flipped = UpperTails(self.count, 1 - self.chance, self.other_count, 1 - self.other_chance, self.bits)
        return flipped.at_least(self.count + self.other_count - k)


def largest_mass(n: int, chance: Fraction, bits: int) -> int:
    """Return a whole number of units of 2**-bits that is not below any Pr(X = k), X ~ Bin(n, chance)."""
    return max(_table(n, chance, bits).masses)
