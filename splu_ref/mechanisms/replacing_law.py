"""What the replacements of retention replacement are drawn from: whole weights of a domain's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Self

import numpy as np

from splu_ref.model import Exact, ParameterError, exact, shown
from splu_ref.randomness import IntArray


@dataclass(frozen=True)
class ReplacingLaw:
    """A law g on the values of a domain: value v has weights[v] of the sum of all weights.

    Attributes
    ----------
    weights
        Whole numbers of at least 0, not all 0, in the order of the domain.
    """

    weights: tuple[int, ...]

    @classmethod
    def uniform(cls, values: int) -> Self:
        """Return the law that gives each of so many values the same share."""
        return cls((1,) * values)

    @classmethod
    def given(cls, column: str, domain: Sequence[str], law: Mapping[str, Exact]) -> Self:
        """Return a law that the publisher gives, with the least whole weights.

        Raises
        ------
        ParameterError
            If it does not give each value of the domain, and no other, a probability, or does not add up
            to 1.
        """
        unknown = sorted({*law} ^ {*domain})
        if unknown:
            raise ParameterError(
                f"column {column!r}: {unknown[0]!r} is in the domain or has a probability, and not both"
            )
        shares = [exact(law[value], f"the probability of {value!r}") for value in domain]
        if min(shares) < 0 or sum(shares) != 1:
            raise ParameterError(
                f"column {column!r}: the probabilities add up to {shown(Fraction(sum(shares)))}, or one is "
                "negative: they are at least 0 and add up to 1"
            )
        whole = lcm(*(share.denominator for share in shares))
        return cls(tuple(int(share * whole) for share in shares))

    @classmethod
    def histogram(cls, counts: Sequence[int]) -> Self:
        """Return the law of the value of a uniform record, by how many records hold each value."""
        return cls(tuple(counts))

    @property
    def total(self) -> int:
        """The sum of the weights."""
        return sum(self.weights)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The probabilities."""
        total = self.total
        return tuple(Fraction(weight, total) for weight in self.weights)

    @property
    def least(self) -> Fraction:
        """The least probability."""
        return Fraction(min(self.weights), self.total)

    def reordered(self, places: Sequence[int]) -> Self:
        """Return the law of a domain whose i-th value stood at ``places[i]``."""
        return type(self)(tuple(self.weights[place] for place in places))

    def drawn(self, integers: IntArray) -> IntArray:
        """Return the codes that integers stand for, of which any ``total`` successive ones have the law.

        An integer modulo the total counts places: the first weights[0] of them are the first value's.
        """
        if set(self.weights) == {1}:
            return integers % len(self.weights)
        ends = np.cumsum(np.array(self.weights, dtype=np.int64))
        return np.searchsorted(ends, integers % self.total, side="right").astype(np.int64)
