"""The law of how many tuples of a query are published, of those in the original and of those that are not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.binomial import Enclosure, Trials, TwoKinds, two_kinds_lower_tail, two_kinds_upper_tail

_NONE = Trials(0, Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class TupleCount:
    """n_V ~ Bin(Q, alpha + beta) + Bin(n_D - Q, beta): Q of n_D tuples of the domain are in the original.

    Attributes
    ----------
    query_size
        n_D, tuples of the domain that the query selects.
    own, other
        Chance alpha + beta, or beta, that a tuple inside, or outside, the original is published, 0 to 1.
    """

    query_size: int
    own: Fraction
    other: Fraction

    def mean(self, count: int) -> Fraction:
        """Return E n_V if Q = ``count``."""
        return count * self.own + (self.query_size - count) * self.other

    def variance(self, count: int) -> Fraction:
        """Return Var n_V."""
        outside = self.query_size - count
        return count * self.own * (1 - self.own) + outside * self.other * (1 - self.other)

    def trials(self, count: int) -> tuple[int, TwoKinds]:
        """Return how many tuples are certainly published, and the two kinds that may be."""
        certain, inside, outside = 0, _NONE, _NONE
        if self.own == 1:
            certain = count
        else:
            inside = Trials(count, self.own)
        if self.other:
            outside = Trials(self.query_size - count, self.other)
        return certain, TwoKinds(inside, outside)

    def upper_tail(self, count: int, k: int) -> Fraction:
        """Return Pr(n_V >= k), exactly."""
        certain, law = self.trials(count)
        return law.upper_tail(k - certain)

    def lower_tail(self, count: int, k: int) -> Fraction:
        """Return Pr(n_V <= k), exactly."""
        certain, law = self.trials(count)
        return law.lower_tail(k - certain)

    def upper_tail_enclosure(self, count: int, k: int, bits: int) -> Enclosure:
        """Enclose Pr(n_V >= k)."""
        certain, law = self.trials(count)
        return two_kinds_upper_tail(law, k - certain, bits)

    def lower_tail_enclosure(self, count: int, k: int, bits: int) -> Enclosure:
        """Enclose Pr(n_V <= k)."""
        certain, law = self.trials(count)
        return two_kinds_lower_tail(law, k - certain, bits)
