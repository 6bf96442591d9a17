"""An upper bound on the degree of a formula, found by running the formula itself.

A formula written with ``+ - * / **`` is called with `Degree` objects instead of numbers. What comes back
bounds, variable by variable, the degree of its numerator over the denominator it was written with. No
cancellation is ever assumed, so the bound errs upwards only, and a grid sized by it determines the formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self, TypeAlias

Number: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class Degree:
    """Degrees of a numerator (``above``) and of a denominator (``below``), one for each variable."""

    above: tuple[int, ...]
    below: tuple[int, ...]

    @classmethod
    def variables(cls, count: int) -> tuple[Self, ...]:
        """Return the ``count`` variables themselves, each of degree one in itself."""
        nothing = (0,) * count
        return tuple(cls(tuple(int(i == j) for j in range(count)), nothing) for i in range(count))

    def _coerced(self, other: Degree | Number) -> Degree:
        if isinstance(other, Degree):
            return other
        nothing = (0,) * len(self.above)
        return Degree(nothing, nothing)

    def __add__(self, other: Degree | Number) -> Degree:
        """Bring both over the product of their denominators."""
        right = self._coerced(other)
        first, second = _sum(self.above, right.below), _sum(right.above, self.below)
        return Degree(tuple(map(max, first, second)), _sum(self.below, right.below))

    def __mul__(self, other: Degree | Number) -> Degree:
        right = self._coerced(other)
        return Degree(_sum(self.above, right.above), _sum(self.below, right.below))

    def __truediv__(self, other: Degree | Number) -> Degree:
        right = self._coerced(other)
        return Degree(_sum(self.above, right.below), _sum(self.below, right.above))

    def __rtruediv__(self, other: Number) -> Degree:
        return self._coerced(other) / self

    def __pow__(self, exponent: int) -> Degree:
        if exponent < 0:
            raise ValueError("write a negative power as a division")
        return Degree(tuple(exponent * d for d in self.above), tuple(exponent * d for d in self.below))

    def __neg__(self) -> Degree:
        return self

    __radd__ = __sub__ = __rsub__ = __add__
    __rmul__ = __mul__


def _sum(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + b for a, b in zip(left, right, strict=True))
