"""The law of how many records are published with a value of a set, for independent records."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.binomial import Enclosure, Trials, TwoKinds, two_kinds_lower_tail, two_kinds_upper_tail


@dataclass(frozen=True, slots=True)
class PredicateCount:
    """y ~ Bin(x, a) + Bin(n - x, b): x of n records have a value of the set, and y are published with one.

    Attributes
    ----------
    records
        n.
    own, other
        Chance a, or b, that a record with a value inside, or outside, is published with one inside; both
        strictly between 0 and 1.
    """

    records: int
    own: Fraction
    other: Fraction

    def trials(self, count: int) -> TwoKinds:
        """Return the two kinds of trials if x = ``count``, 0 to n."""
        return TwoKinds(Trials(count, self.own), Trials(self.records - count, self.other))

    def upper_tail(self, count: int, k: int) -> Fraction:
        """Return Pr(y >= k), exactly."""
        return self.trials(count).upper_tail(k)

    def lower_tail(self, count: int, k: int) -> Fraction:
        """Return Pr(y <= k), exactly."""
        return self.trials(count).lower_tail(k)

    def upper_tail_enclosure(self, count: int, k: int, bits: int) -> Enclosure:
        """Enclose Pr(y >= k)."""
        return two_kinds_upper_tail(self.trials(count), k, bits)

    def lower_tail_enclosure(self, count: int, k: int, bits: int) -> Enclosure:
        """Enclose Pr(y <= k)."""
        return two_kinds_lower_tail(self.trials(count), k, bits)
