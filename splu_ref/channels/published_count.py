"""Laws of published counts: of a value, of a set of values, and of the tuples of a query.

Of the gamma f records in groups with a value of count f, f have this value and publish it with the retention
probability p, and the (gamma-1) f others publish it with probability (1-p)/(gamma-1). So the published count
f' is the number of successes in trials of two kinds; with p = 1/gamma, as in the paper, of one kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from splu_ref.channels.binomial import lower_tail, lower_tail_numerator, upper_tail, upper_tail_numerator
from splu_ref.channels.binomial_bounds import Enclosure, lower_tail_enclosure, upper_tail_enclosure
from splu_ref.channels.channel import Law
from splu_ref.channels.elementary import others_share
from splu_ref.channels.parameters import Exact, Gamma, retention_probability
from splu_ref.channels.two_binomials import Trials, TwoKinds, two_kinds_lower_tail, two_kinds_upper_tail


@dataclass(frozen=True, slots=True)
class PublishedCount:
    """f' ~ Bin(f, p) + Bin((gamma-1) f, (1-p)/(gamma-1)): mean f, whatever p is (splu.Rp)."""

    gamma: Gamma  #: size of a decoy group
    retention: Fraction  #: p, greater than 0 and at most 1. With p = 1 there is no error: f' = f.

    @classmethod
    def of(cls, gamma: Exact, retention: Exact | None = None) -> Self:
        """Return the law for validated parameters; None is p = 1/gamma."""
        size = Gamma(gamma)
        return cls(size, retention_probability(retention, size))

    @property
    def decoy(self) -> Fraction:
        """The probability of publishing one particular other value of the group: (1-p)/(gamma-1)."""
        return others_share(self.retention, self.gamma)

    @property
    def is_plain(self) -> bool:
        """Whether p = 1/gamma, so that f' ~ Bin(gamma f, 1/gamma)."""
        return self.retention == Fraction(1, self.gamma)

    @property
    def variance(self) -> Fraction:
        """Var f' / f = p (1-p) + (gamma-1) q (1-q) with q = (1-p)/(gamma-1)."""
        decoy = self.decoy
        return self.retention * (1 - self.retention) + (self.gamma - 1) * decoy * (1 - decoy)

    def unit(self) -> int:
        """Return the integer whose f-th power is the denominator of probabilities at the count f."""
        shared: int = self.decoy.denominator ** (self.gamma - 1)
        return self.retention.denominator * shared

    def trials(self, frequency: int) -> TwoKinds:
        """Return the two kinds of trials at a count; p must be below 1."""
        return TwoKinds(Trials(frequency, self.retention), Trials((self.gamma - 1) * frequency, self.decoy))

    def law(self, frequency: int) -> Law[int]:
        """Return Pr(f' = k) at a count by k, all together: for small counts."""
        if self.retention == 1:
            return {frequency: Fraction(1)}
        trials = self.trials(frequency)
        return {k: Fraction(part, trials.denominator) for k, part in enumerate(trials.numerators())}

    def errors(self, frequency: int, offset: int) -> bool:
        """Return whether abs(f' - f) >= offset, with offset >= 1, is possible at all."""
        # gamma >= 2: what is possible below, down to 0, is possible above as well.
        return self.retention < 1 and offset <= (self.gamma - 1) * frequency

    def error_numerator(self, frequency: int, offset: int) -> int:
        """Return Pr(abs(f' - f) >= offset) times `unit` to the power f."""
        if not self.errors(frequency, offset):
            return 0
        if self.is_plain:
            trials = self.gamma * frequency
            above = upper_tail_numerator(trials, frequency + offset, self.retention)
            return above + lower_tail_numerator(trials, frequency - offset, self.retention)
        law = self.trials(frequency)
        return law.denominator - law.between_numerator(frequency - offset + 1, frequency + offset - 1)

    def error_enclosure(self, frequency: int, offset: int, bits: int, below: int | None = None) -> Enclosure:
        """Enclose Pr(f' >= f + offset or f' <= f - below), both at least 1; ``below`` is ``offset``."""
        least = offset if below is None else below
        above = self.upper_tail_enclosure(frequency, frequency + offset, bits)
        return above.plus(self.lower_tail_enclosure(frequency, frequency - least, bits), bits + 8)

    def upper_tail_enclosure(self, frequency: int, k: int, bits: int) -> Enclosure:
        """Enclose Pr(f' >= k) at a count."""
        if self.retention == 1:
            return Enclosure.of(int(k <= frequency))
        if self.is_plain:
            return upper_tail_enclosure(self.gamma * frequency, k, self.retention, bits)
        return two_kinds_upper_tail(self.trials(frequency), k, bits)

    def lower_tail_enclosure(self, frequency: int, k: int, bits: int) -> Enclosure:
        """Enclose Pr(f' <= k) at a count."""
        if self.retention == 1:
            return Enclosure.of(int(k >= frequency))
        if self.is_plain:
            return lower_tail_enclosure(self.gamma * frequency, k, self.retention, bits)
        return two_kinds_lower_tail(self.trials(frequency), k, bits)

    def upper_tail(self, frequency: int, k: int) -> Fraction:
        """Return Pr(f' >= k) at a count, exactly."""
        if self.is_plain:
            return upper_tail(self.gamma * frequency, k, self.retention)
        return Fraction(k <= frequency) if self.retention == 1 else self.trials(frequency).upper_tail(k)

    def lower_tail(self, frequency: int, k: int) -> Fraction:
        """Return Pr(f' <= k) at a count, exactly."""
        if self.is_plain:
            return lower_tail(self.gamma * frequency, k, self.retention)
        return Fraction(k >= frequency) if self.retention == 1 else self.trials(frequency).lower_tail(k)

    def mean_of_power(self, tilt: Fraction, frequency: int, bits: int) -> Enclosure:
        """Enclose the mean of z^f', z = ``tilt`` >= 0: (1+p(z-1))^f (1+q(z-1))^((gamma-1) f)."""
        if self.is_plain:
            return Enclosure.power(1 + (tilt - 1) / self.gamma, self.gamma * frequency, bits)
        own = Enclosure.power(1 + self.retention * (tilt - 1), frequency, bits)
        others = Enclosure.power(1 + self.decoy * (tilt - 1), (self.gamma - 1) * frequency, bits)
        return own.times(others, bits)


@dataclass(frozen=True, slots=True)
class PredicateCount:
    """y ~ Bin(x, a) + Bin(n - x, b): x of n records have a value of the set, and y are published with one."""

    records: int  #: n
    #: chance a, or b, that a record with a value inside, or outside, is published with one inside; both
    #: strictly between 0 and 1
    own: Fraction
    other: Fraction  #: see ``own``

    def mean(self, count: int) -> Fraction:
        """Return E y if x = ``count``."""
        return count * self.own + (self.records - count) * self.other

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


_NONE = Trials(0, Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class TupleCount:
    """n_V ~ Bin(Q, alpha + beta) + Bin(n_D - Q, beta): Q of n_D tuples of the domain are in the original."""

    query_size: int  #: n_D, tuples of the domain that the query selects
    #: chance alpha + beta, or beta, that a tuple inside, or outside, the original is published, 0 to 1
    own: Fraction
    other: Fraction  #: see ``own``

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
