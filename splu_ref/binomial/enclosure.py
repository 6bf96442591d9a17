"""Directed arithmetic: nonnegative numbers known to lie between two integers times a power of two."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from splu_ref.binomial.work import STEP, digits, spend


@dataclass(frozen=True, slots=True)
class Bounds:
    """A certified enclosure: lower <= x <= upper.

    Attributes
    ----------
    lower, upper
        Exact rational numbers; from directed arithmetic they are dyadic.
    """

    lower: Fraction
    upper: Fraction

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
