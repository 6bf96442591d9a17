"""Tails of X = A + B, A ~ Bin(n, p) and B ~ Bin(m, q), never too small, from tables kept between calls.

A search asks for thousands of tails of neighboring laws. The masses of each kind are tabulated once, as whole
numbers of units of 2**-bits: the largest one is 1 over the sum of the ratios to it, the others are the ratios
times that, and all are rounded up. A tail is the sum over a of Pr(A = a) Pr(B >= k - a), for every k from one
table each. What the tables leave out at their ends is below a geometric series and counted as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import mul
from typing import NamedTuple

from splu_ref.binomial.work import STEP, spend

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
    """Bounds of the tails of A + B from above.

    Attributes
    ----------
    count, chance
        Trials of the first kind, and their probability of a success, strictly between 0 and 1.
    other_count, other_chance
        The same of the second kind.
    bits
        A tail is at most about 2**(12 - bits) too large.
    """

    count: int
    chance: Fraction
    other_count: int
    other_chance: Fraction
    bits: int

    def at_least(self, k: int) -> int:
        """Return a whole number of units of 2**-bits that is not below Pr(A + B >= k)."""
        one = 1 << self.bits
        own, other = (
            _table(self.count, self.chance, self.bits),
            _table(self.other_count, self.other_chance, self.bits),
        )
        left_out = own.outside + other.outside
        # B's tail stands in its table for k - a in first .. last; before, it is 1, and after, left out.
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
