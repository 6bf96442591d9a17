"""The law of successes among trials of two kinds, exactly: X = A + B, A ~ Bin(n, p) and B ~ Bin(m, q).

With p = a/d and q = b/e, Pr(X = k) is an integer c_k over d^n e^m, the coefficient of z^k in
(d-a + a z)^n (e-b + b z)^m. That product solves a differential equation of the first order, which gives
c_(k+1) from c_k and c_(k-1) in whole numbers. Probabilities are added up from k = 0, or taken as the whole
less the rest: integers lose nothing by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from splu_ref.binomial.exact import parts
from splu_ref.binomial.work import STEP, digits, spend


@dataclass(frozen=True, slots=True)
class Trials:
    """Independent trials of one kind.

    Attributes
    ----------
    count
        How many, at least 0.
    chance
        Probability of a success, strictly between 0 and 1.
    """

    count: int
    chance: Fraction

    def __post_init__(self) -> None:
        parts(self.count, self.chance)

    @property
    def failures(self) -> Trials:
        """The same trials, with the outcomes' names exchanged."""
        return Trials(self.count, 1 - self.chance)


@dataclass(frozen=True, slots=True)
class TwoKinds:
    """X = A + B: successes among trials of two kinds, all independent."""

    first: Trials
    second: Trials

    @property
    def count(self) -> int:
        """How many trials there are."""
        return self.first.count + self.second.count

    @property
    def failures(self) -> TwoKinds:
        """The law of the number of failures."""
        return TwoKinds(self.first.failures, self.second.failures)

    @property
    def denominator(self) -> int:
        """The integer over which `numerators` are probabilities."""
        first: int = self.first.chance.denominator**self.first.count
        second: int = self.second.chance.denominator**self.second.count
        return first * second

    def numerators(self) -> Iterator[int]:
        """Yield Pr(X = k) times `denominator` for k = 0, 1, .. up to the number of trials."""
        n, m = self.first.count, self.second.count
        a, c, _ = parts(n, self.first.chance)
        b, e, _ = parts(m, self.second.chance)
        failing, mixed, succeeding = c * e, c * b + a * e, a * b
        slope = n * a * e + m * b * c
        before, now = 0, c**n * e**m
        for k in range(n + m + 1):
            yield now
            above = (slope - k * mixed) * now + (n + m - k + 1) * succeeding * before
            before, now = now, above // ((k + 1) * failing)

    def between_numerator(self, first: int, last: int) -> int:
        """Return Pr(first <= X <= last) times `denominator`; 0 if there is no such k."""
        low, high = max(first, 0), min(last, self.count)
        if low > high:
            return 0
        if low + high > self.count:  # nearer to the other end
            return self.failures.between_numerator(self.count - high, self.count - low)
        spend(self.work(high + 1))
        return sum(islice(self.numerators(), low, high + 1))

    def work(self, terms: int) -> int:
        """Return about the work of so many `numerators`."""
        own, other = (kind.chance.denominator.bit_length() for kind in (self.first, self.second))
        bits = self.first.count * own + self.second.count * other
        return terms * (6 * STEP + 4 * digits(bits) * digits(own + other + self.count.bit_length()))

    def mass(self, k: int) -> Fraction:
        """Return Pr(X = k), exactly; 0 outside 0 .. `count`."""
        return Fraction(self.between_numerator(k, k), self.denominator)

    def upper_tail(self, k: int) -> Fraction:
        """Return Pr(X >= k), exactly, for any integer k."""
        return Fraction(self.between_numerator(k, self.count), self.denominator)

    def lower_tail(self, k: int) -> Fraction:
        """Return Pr(X <= k), exactly, for any integer k."""
        return Fraction(self.between_numerator(0, k), self.denominator)
