"""Certified enclosures of binomial masses and tails, and the directed arithmetic that they use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, zip_longest
from typing import Self

from splu_ref.channels.binomial import STEP, digits, parts, spend


@dataclass(frozen=True, slots=True)
class Bounds:
    """A certified enclosure: lower <= x <= upper."""

    lower: Fraction  #: exact rational numbers; from directed arithmetic they are dyadic
    upper: Fraction  #: see ``lower``

    def __post_init__(self) -> None:
        assert self.lower <= self.upper, "an enclosure has its lower end below its upper end"


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A nonnegative number x with lower * 2**exponent <= x <= upper * 2**exponent.

    Every operation rounds ``lower`` down and ``upper`` up to the given number of bits, so that the
    result encloses the exact result of the operation.
    """

    lower: int
    upper: int
    exponent: int

    @classmethod
    def of(cls, value: int) -> Self:
        """Return the enclosure of the nonnegative integer ``value`` that contains nothing else."""
        return cls(value, value, 0)

    @classmethod
    def spanning(cls, low: Self, high: Self) -> Self:
        """Return the enclosure from the lower end of ``low`` to the upper end of ``high``."""
        exponent = min(low.exponent, high.exponent)
        return cls(low.lower << (low.exponent - exponent), high.upper << (high.exponent - exponent), exponent)

    @classmethod
    def power(cls, base: Fraction, exponent: int, bits: int) -> Self:
        """Return an enclosure of base**exponent, for base >= 0 and exponent >= 0."""
        spend(4 * exponent.bit_length() * (STEP + digits(bits) ** 2))
        result = cls.of(1)
        square = cls.of(1).scaled(base.numerator, base.denominator, bits)
        while exponent:
            if exponent & 1:
                result = result.times(square, bits)
            exponent >>= 1
            if exponent:
                square = square.times(square, bits)
        return result

    def scaled(self, numerator: int, denominator: int, bits: int) -> Self:
        """Return an enclosure of x * numerator / denominator, for numerator >= 0 < denominator."""
        lower, upper = self.lower * numerator, self.upper * numerator
        shift = max(0, bits + 2 + denominator.bit_length() - upper.bit_length())
        return self._trimmed(
            (lower << shift) // denominator, -((-upper << shift) // denominator), self.exponent - shift, bits
        )

    def times(self, other: Self, bits: int) -> Self:
        """Return an enclosure of x * y, for y in ``other``."""
        exponent = self.exponent + other.exponent
        return self._trimmed(self.lower * other.lower, self.upper * other.upper, exponent, bits)

    def plus(self, other: Self, bits: int) -> Self:
        """Return an enclosure of x + y, for y in ``other``."""
        if not self.upper:
            return other
        if not other.upper:
            return self
        high, low = (self, other) if self._magnitude() >= other._magnitude() else (other, self)
        exponent = high._magnitude() - bits - 2  # no bit below this one can matter to the result
        parts = [part._at(exponent) for part in (high, low)]
        return self._trimmed(sum(p[0] for p in parts), sum(p[1] for p in parts), exponent, bits)

    def below(self, other: Self) -> bool:
        """Return whether x < y is certain for y in ``other``."""
        if not other.lower:
            return False
        own = self.upper.bit_length() + self.exponent
        others = other.lower.bit_length() + other.exponent
        if not self.upper or own != others:
            return not self.upper or own < others
        shift = self.exponent - other.exponent
        return (self.upper << max(shift, 0)) < (other.lower << max(-shift, 0))

    def bounds(self) -> Bounds:
        """Return the enclosure as two rational numbers."""
        return Bounds(_dyadic(self.lower, self.exponent), _dyadic(self.upper, self.exponent))

    def _magnitude(self) -> int:
        return self.upper.bit_length() + self.exponent

    def _at(self, exponent: int) -> tuple[int, int]:
        shift = self.exponent - exponent
        if shift >= 0:
            return self.lower << shift, self.upper << shift
        return self.lower >> -shift, -(-self.upper >> -shift)

    @classmethod
    def _trimmed(cls, lower: int, upper: int, exponent: int, bits: int) -> Self:
        excess = upper.bit_length() - bits
        if excess <= 0:
            return cls(lower, upper, exponent)
        return cls(lower >> excess, -(-upper >> excess), exponent + excess)


def _dyadic(mantissa: int, exponent: int) -> Fraction:
    spend(STEP + digits(abs(exponent)))
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


_CHUNK = 64  # factors of a factorial multiplied exactly before one rounding
_TERM = 8  # factors of a factorial that are as much work as one term of a sum of ratios
_GUARD = 64  # guard bits beyond the requested ones, against the rounding of up to 2**30 steps


def upper_tail_bounds(n: int, k: int, p: Fraction, bits: int = 256) -> Bounds:
    """Return a certified enclosure of Pr(X >= k) for X ~ Bin(n, p).

    Parameters
    ----------
    n
        Number of trials, at least 0.
    k
        Any integer; the tail is 1 for k <= 0 and 0 for k > n.
    p
        Success probability, strictly between 0 and 1.
    bits
        Relative precision: the ends differ by at most about one part in 2**bits.

    Raises
    ------
    ParameterError
        For n < 0 or p outside (0, 1).
    """
    return upper_tail_enclosure(n, k, p, bits).bounds()


def lower_tail_bounds(n: int, k: int, p: Fraction, bits: int = 256) -> Bounds:
    """Return a certified enclosure of Pr(X <= k); parameters as in `upper_tail_bounds`."""
    return lower_tail_enclosure(n, k, p, bits).bounds()


def upper_tail_enclosure(n: int, k: int, p: Fraction, bits: int = 256) -> Enclosure:
    """Return Pr(X >= k) as an `Enclosure`; parameters as in `upper_tail_bounds`."""
    success, failure, denominator = parts(n, p)
    if k <= 0:
        return Enclosure.of(1)
    if k > n:
        return Enclosure.of(0)
    anchor = max(k, min(n, (n + 1) * success // denominator))  # the largest term of the tail
    precision = bits + _GUARD
    rising = _falling_sum(n, anchor, n, success, failure, precision=precision)
    falling = _falling_sum(n, n - anchor, n - k, failure, success, precision=precision)
    one = 1 << precision  # the term at the anchor is in both sums
    ratios = Enclosure(rising[0] + falling[0] - one, rising[1] + falling[1] - one, -precision)
    return BinomialMass(n, anchor, p, bits).mass.times(ratios, bits + _GUARD // 2)


def lower_tail_enclosure(n: int, k: int, p: Fraction, bits: int = 256) -> Enclosure:
    """Return Pr(X <= k) as an `Enclosure`; parameters as in `upper_tail_bounds`."""
    return upper_tail_enclosure(n, n - k, 1 - p, bits)  # n - X ~ Bin(n, 1 - p)


class BinomialMass:
    """An enclosure of Pr(X = k), X ~ Bin(n, p), that can be carried to other n and k.

    Attributes
    ----------
    mass
        The enclosure at the current ``n`` and ``k``, 0 <= k <= n.

    Notes
    -----
    A move multiplies by as many factors as n, k and n - k change by, or begins anew where that is less.
    """

    def __init__(self, n: int, k: int, p: Fraction, bits: int = 256) -> None:
        self._success, self._failure, self._denominator = parts(n, p)
        self._precision = bits + _GUARD
        self._begin(n, k)
        self.move(n, k)

    def _begin(self, n: int, k: int) -> None:
        """Find the mass at a place from which it is little work to go to n and k."""
        if 2 * min(k, n - k) > self._work_from_mode(n, k):
            self.n, self.k = n, self._mode(n)
            self.mass = self._mass_at_mode()
        elif 2 * k <= n:  # start where all trials fail, or all succeed, and add the rarer outcome
            self.n, self.k = n - k, 0
            self.mass = Enclosure.power(Fraction(self._failure, self._denominator), n - k, self._precision)
        else:
            self.n, self.k = k, k
            self.mass = Enclosure.power(Fraction(self._success, self._denominator), k, self._precision)

    def _mode(self, n: int) -> int:
        return (n + 1) * self._success // self._denominator

    def _work_from_mode(self, n: int, k: int) -> int:
        """Return about how many factors are as much work as the mass at the mode and the way from there."""
        variance = n * self._success * self._failure // self._denominator**2
        terms = 2 * math.isqrt(2 * self._precision * variance) + 16
        return _TERM * terms + 2 * abs(k - self._mode(n))

    def _mass_at_mode(self) -> Enclosure:
        """Enclose the largest mass: all masses add up to 1, so it is one over the sum of ratios to it."""
        precision = self._precision + _GUARD
        sides = (
            (self.n, self.k, self._success, self._failure),
            (
                self.n,
                self.n - self.k,
                self._failure,
                self._success,
            ),
        )
        low = high = -1 << precision  # the term at the mode is in both sums
        for trials, start, success, failure in sides:
            part = _falling_sum(trials, start, trials, success, failure, precision=precision)
            low, high = low + part[0], high + part[1]
        one = 1 << 3 * precision
        return Enclosure(one // high, -(-one // low), -2 * precision).scaled(1, 1, self._precision)

    def move(self, n: int, k: int) -> None:
        """Carry the mass to Pr(X = k) with n trials, 0 <= k <= n, by ratios of factorials and powers."""
        assert 0 <= k <= n, "the mass is followed only where it is positive"
        way = abs(n - self.n) + abs(k - self.k) + abs((n - k) - (self.n - self.k))
        if way > min(2 * min(k, n - k), self._work_from_mode(n, k)) + _CHUNK:
            self._begin(n, k)
        failures, new_failures = self.n - self.k, n - k
        way = abs(n - self.n) + abs(k - self.k) + abs(new_failures - failures)
        spend(way * factor_work(self._precision))
        above = chain(_factors(self.n, n), _factors(k, self.k), _factors(new_failures, failures))
        below = chain(_factors(n, self.n), _factors(self.k, k), _factors(failures, new_failures))
        mass = self.mass
        for numerator, denominator in zip_longest(above, below, fillvalue=1):
            mass = mass.scaled(numerator, denominator, self._precision)
        for base, change in (
            (Fraction(self._success), k - self.k),
            (Fraction(self._failure), new_failures - failures),
            (Fraction(1, self._denominator), n - self.n),
        ):
            if base != 1 and change:
                power = Enclosure.power(base if change > 0 else 1 / base, abs(change), self._precision)
                mass = mass.times(power, self._precision)
        self.n, self.k, self.mass = n, k, mass

    def upper_tail(self) -> Enclosure:
        """Enclose Pr(X >= k) at the current n and k, for k not below the mode."""
        precision = self._precision
        low, high = _falling_sum(self.n, self.k, self.n, self._success, self._failure, precision=precision)
        return self.mass.times(Enclosure(low, high, -precision), precision)

    def upper_tail_roughly(self) -> Enclosure:
        """Enclose Pr(X >= k), for k > np, by its first term and the geometric series from there."""
        above, below = (self.n - self.k) * self._success, (self.k + 1) * self._failure
        assert above < below, "the masses fall from k on"
        return Enclosure.spanning(self.mass, self.mass.scaled(below, below - above, self._precision))


def factor_work(precision: int) -> int:
    """Return the work of one factor of a factorial."""
    return STEP // 3 + 4 * digits(precision)


def _factors(low: int, high: int) -> Iterator[int]:
    """Yield high!/low! as exact partial products; nothing if high <= low."""
    for i in range(low, high, _CHUNK):
        last = min(i + _CHUNK, high)
        yield math.perm(last, last - i)


def _falling_sum(
    n: int, start: int, stop: int, success: int, failure: int, *, precision: int
) -> tuple[int, int]:
    """Enclose the sum of mass(i)/mass(start), start <= i <= stop, in units of 2**-precision.

    The masses must not rise from ``start`` on. Each term is rounded down, so a term after s steps is too
    small by less than s units, and the sum after s steps by less than s**2. Odds of more digits than the sum
    has are rounded down first, which takes less than another unit from a term, at most 2**precision, in each
    step.
    """
    term = total = 1 << precision
    negligible = 1 << (_GUARD // 2)
    beyond = max(min(success.bit_length(), failure.bit_length()) - precision - 2, 0)
    short, long = (success >> beyond, (failure >> beyond) + 1) if beyond else (success, failure)
    lost = 2 if beyond else 1
    rest = steps = 0
    for i in range(start, stop):
        if term <= negligible:
            above, below = (n - i) * success, (i + 1) * failure
            if term * above <= negligible * (below - above):
                rest = (term + lost * steps) * above // (below - above) + 1
                break
        term = term * ((n - i) * short) // ((i + 1) * long)
        total += term
        steps += 1
    ratio = max(n * max(short, long), 1).bit_length()
    spend(steps * (STEP + 2 * digits(precision) * digits(ratio)))
    return total, total + lost * steps * steps + rest
