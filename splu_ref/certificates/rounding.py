"""Numbers rounded to 256 bits, in the one way that ``docs/specification/certificates.md`` defines."""

from __future__ import annotations

import math
from fractions import Fraction

from splu_ref.binomial import Enclosure, MassWalk
from splu_ref.certificates.form import hexadecimal
from splu_ref.channels import PublishedCount

BITS = 256
WORKING_BITS = 320


def rounded(value: Fraction, *, up: bool) -> tuple[int, int]:
    """Return (m, s) such that m / 2**s is ``value`` rounded down or up, 2**255 <= m < 2**256.

    ``value`` lies between 0 and 1, both included; zero is (0, 0).
    """
    if value == 0:
        return 0, 0
    shift = BITS + value.denominator.bit_length() - value.numerator.bit_length()
    if value * (1 << shift) >= 1 << BITS:
        shift -= 1
    scaled = value * (1 << shift)
    mantissa = math.ceil(scaled) if up else math.floor(scaled)
    return (mantissa, shift) if mantissa < 1 << BITS else (mantissa // 2, shift - 1)


def settled(value: Enclosure, *, up: bool) -> tuple[int, int] | None:
    """Return `rounded` of the number enclosed, or None if the enclosure's ends round differently."""
    bounds = value.bounds()
    low = rounded(bounds.lower, up=up)
    return low if low == rounded(bounds.upper, up=up) else None


def bound_entry(bound: tuple[int, int]) -> dict[str, str]:
    """Return a rounded number as it stands in a certificate."""
    return {"mantissa": hexadecimal(bound[0]), "shift": hexadecimal(bound[1])}


class ErrorRounding:
    """Pr(abs(f' - f) >= offset) rounded to 256 bits, for one count after another."""

    def __init__(self, law: PublishedCount) -> None:
        self._law = law
        self._above = _Tail(Fraction(1, law.gamma))
        self._below = _Tail(1 - Fraction(1, law.gamma))

    def at(self, frequency: int, offset: int, *, up: bool) -> tuple[int, int]:
        """Return the rounded probability; 1 <= offset."""
        bound = settled(self._enclosed(frequency, offset), up=up)
        if bound is None:  # such as a dyadic number of fewer than 256 bits: only itself rounds to itself
            numerator = self._law.error_numerator(frequency, offset)
            bound = rounded(Fraction(numerator, self._law.unit() ** frequency), up=up)
        return bound

    def _enclosed(self, frequency: int, offset: int) -> Enclosure:
        if not self._law.is_plain:
            return self._law.error_enclosure(frequency, offset, WORKING_BITS)
        trials = self._law.gamma * frequency
        above = self._above.upper(trials, frequency + offset)
        below = self._below.upper(trials, trials - frequency + offset)  # in terms of the trials that fail
        return above.plus(below, WORKING_BITS)


class _Tail:
    """Tails of one kind of trials, each carried from the last."""

    def __init__(self, p: Fraction) -> None:
        self._p = p
        self._walk: MassWalk | None = None

    def upper(self, n: int, k: int) -> Enclosure:
        """Enclose Pr(X >= k) for X ~ Bin(n, p), k > np: the first term times a sum of ratios.

        The walk carries the first term from one call to the next. In units of 2**-WORKING_BITS, each
        term of the sum loses less than one unit for each rounding before it, and what follows the last
        term is less than a geometric series.
        """
        if k > n:
            return Enclosure.of(0)
        if self._walk is None:
            self._walk = MassWalk(n, k, self._p, WORKING_BITS)
        else:
            self._walk.move(n, k)
        success, failure = self._p.numerator, self._p.denominator - self._p.numerator
        term, total, steps = 1 << WORKING_BITS, 0, 0
        while term:
            total += term
            above, below = (n - k - steps) * success, (k + steps + 1) * failure
            term = term * above // below
            steps += 1
        rest = steps * below // (below - above) + 1
        ratios = Enclosure(total, total + steps * steps + rest, -WORKING_BITS)
        return self._walk.mass.times(ratios, WORKING_BITS)
