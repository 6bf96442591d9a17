"""The sum of two independent binomial counts: its exact law, and certified enclosures of its tails.

The law is that of the number of successes in trials of two kinds: X = A + B, A ~ Bin(n, p), B ~ Bin(m, q).

With p = a/d and q = b/e, Pr(X = k) is an integer c_k over d^n e^m, the coefficient of z^k in
(d-a + a z)^n (e-b + b z)^m. That product solves a differential equation of the first order, which gives
c_(k+1) from c_k and c_(k-1) in whole numbers. Probabilities are added up from k = 0, or taken as the whole
less the rest: integers lose nothing by it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from splu_ref.channels.binomial import STEP, digits, parts, spend
from splu_ref.channels.binomial_bounds import BinomialMass, Enclosure, upper_tail_enclosure


@dataclass(frozen=True, slots=True)
class Trials:
    """Independent trials of one kind."""

    count: int  #: how many, at least 0
    chance: Fraction  #: probability of a success, strictly between 0 and 1

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
        """Estimate the work of so many `numerators`."""
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


_GUARD = 64  # guard bits beyond the requested ones, against the rounding of up to 2**30 steps
_NEGLIGIBLE = _GUARD // 2  # bits below the last requested one at which the sum stops


def two_kinds_lower_tail(law: TwoKinds, k: int, bits: int = 256) -> Enclosure:
    """Return Pr(X <= k) as an `Enclosure`: at least so many of the trials fail."""
    return two_kinds_upper_tail(law.failures, law.count - k, bits)


def two_kinds_upper_tail(law: TwoKinds, k: int, bits: int = 256) -> Enclosure:
    """Return Pr(X >= k) as an `Enclosure`; parameters as in `two_kinds_upper_tail_bounds`."""
    if k <= 0:
        return Enclosure.of(1)
    if k > law.count:
        return Enclosure.of(0)
    least, center, variance = _largest_term(law, k)
    width = math.isqrt(3 * (bits + _GUARD) * variance // 2) + 16
    while True:
        start = max(least, center - width)
        total, below = _summed(law, k, start, bits)
        if start == least:
            return total
        if below is not None and _magnitude(below) + bits + 8 <= _magnitude(total):
            return total.plus(Enclosure(0, below.upper, below.exponent), bits + _GUARD)
        width *= 2


def _largest_term(law: TwoKinds, k: int) -> tuple[int, int, int]:
    """Return the least a with a term, about where the term is largest, and about the terms' variance.

    There the odds of both kinds are multiplied by the same factor: a (1-p) (m-k+a) q = (k-a) (1-q) p (n-a).
    Anything returned here only decides how much is summed.
    """
    n, m = law.first.count, law.second.count
    success, failure, whole = parts(n, law.first.chance)
    other_success, other_failure, _ = parts(m, law.second.chance)
    least = low = max(0, k - m)
    high = min(n, k)
    while low < high:
        a = (low + high) // 2
        if a * failure * (m - k + a) * other_success < (k - a) * other_failure * success * (n - a):
            low = a + 1
        else:
            high = a
    center = max(low, n * success // whole)
    b = min(max(k - center, m * other_success // (other_success + other_failure)), m)
    first, second = center * (n - center) // max(n, 1) + 1, b * (m - b) // max(m, 1) + 1
    return least, center, first * second // (first + second) + 1


def _summed(law: TwoKinds, k: int, start: int, bits: int) -> tuple[Enclosure, Enclosure | None]:
    """Return the sum of the terms from ``start`` on, and a bound of those before, or None if unknown."""
    n, m, precision = law.first.count, law.second.count, bits + _GUARD
    success, failure, _ = parts(n, law.first.chance)
    other_success, other_failure, _ = parts(m, law.second.chance)
    mass = BinomialMass(n, start, law.first.chance, precision).mass
    tail = upper_tail_enclosure(m, k - start, law.second.chance, precision)
    step = BinomialMass(m, k - start, law.second.chance, precision).mass if start < k else Enclosure.of(0)
    total = before = Enclosure.of(0)
    below: Enclosure | None = None
    longest = max(success, failure, other_success, other_failure)
    ratio = digits((n + m).bit_length() + longest.bit_length())
    each = 50 * STEP + 8 * digits(precision) * ratio
    for a in range(start, n + 1):
        spend(each)
        term = mass.times(tail, precision)
        total = total.plus(term, precision)
        if a == start + 1:
            below = _geometric(before, term, precision)
        if _magnitude(term) + bits + _NEGLIGIBLE < _magnitude(total):
            rest = _geometric(term, before, precision)
            if rest is not None:
                return total.plus(Enclosure(0, rest.upper, rest.exponent), precision), below
        before = term
        mass = mass.scaled((n - a) * success, (a + 1) * failure, precision)
        needed = k - a  # the tail is that from here on
        if needed > 0:
            step = step.scaled(needed * other_failure, (m - needed + 1) * other_success, precision)
            tail = tail.plus(step, precision)
    return total, below


def _geometric(last: Enclosure, neighbor: Enclosure, precision: int) -> Enclosure | None:
    """Enclose ``last`` r/(1-r) with r = last/neighbor rounded up; None unless r < 1."""
    shift = last.exponent - neighbor.exponent
    above, whole = last.upper << max(shift, 0), neighbor.lower << max(-shift, 0)
    return last.scaled(above, whole - above, precision) if above < whole else None


def _magnitude(value: Enclosure) -> int:
    """Return the place of the highest bit of the upper end."""
    return value.upper.bit_length() + value.exponent
