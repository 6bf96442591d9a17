"""The law of the estimate of a conjunction "P and s": what is known about it without approximation.

The setting is that of claims splu.V and splu.Vp under their hypothesis H: given how many records there are of
each kind, the places of P's records without s are a uniformly random subset of the places without s. Then K,
the number of records of P without s that have s among their decoys, is hypergeometric; given K, the
published counts y3 inside P and y1 outside are independent, each a sum of two binomial counts. The estimate
is x = (y3 - n a)/(p - a) with a = f' (1-p)/(N - f'), f' = y1 + y3, clipped to 0 .. n.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from splu_ref.channels import Channel, PublishedCount, two_state
from splu_ref.guarantees.count_error import DIRECTED_TRIALS
from splu_ref.model import Exact, ParameterError, shown, whole


@dataclass(frozen=True, slots=True)
class Conjunction:
    """A predicate P with n records and a value s with f records, in a published table of N rows.

    Attributes
    ----------
    law
        Group size gamma and probability p of keeping the own value.
    rows
        Records N of the published table.
    frequency
        Records f that carry s, 1 <= f <= N/gamma and f < p N.
    predicate_count
        Records n of P, 1 <= n <= N.
    """

    law: PublishedCount
    rows: int
    frequency: int
    predicate_count: int

    @classmethod
    def of(
        cls,
        gamma: Exact,
        rows: Exact,
        frequency: Exact,
        predicate_count: Exact,
        *,
        retention: Exact | None = None,
    ) -> Self:
        """Return the conjunction for validated numbers.

        Raises
        ------
        ParameterError
            For a number outside its range, a float, gamma f above 200,000,000, or f >= p N, where records
            with s publish it no more often than others, so that nothing can be learned of x3.
        """
        law = PublishedCount.of(gamma, retention)
        total, count = whole(rows, "rows", 2), whole(frequency, "frequency", 1)
        inside = whole(predicate_count, "predicate_count", 1)
        if inside > total:
            raise ParameterError(
                f"predicate_count is {shown(inside)}, above rows = {shown(total)}: count records of one table"
            )
        if count * law.gamma > total:
            raise ParameterError(
                f"frequency is {shown(count)}, above rows/gamma = {shown(Fraction(total, law.gamma))}: no "
                f"table with so frequent a value can be published with this gamma"
            )
        if count * law.gamma > DIRECTED_TRIALS:
            raise ParameterError(
                f"gamma times the frequency is {shown(count * law.gamma)}: the greatest that is computed is "
                f"{DIRECTED_TRIALS}; give a rarer value"
            )
        if count >= law.retention * total:
            raise ParameterError(
                f"frequency is {count}, not below retention times rows = {shown(law.retention * total)}: "
                f"records with the value publish it no more often than others; give a rarer value, or a "
                f"larger retention"
            )
        return cls(law, total, count, inside)

    @property
    def largest(self) -> int:
        """The largest possible x3: no more than n records, nor than f."""
        return min(self.predicate_count, self.frequency)

    @property
    def exposed(self) -> int:
        """Records that have s among their decoys: (gamma-1) f."""
        return (self.law.gamma - 1) * self.frequency

    @property
    def channel(self) -> Channel[bool, bool]:
        """What is published of "another value" and "s", averaged over the records without s."""
        return two_state(self.law.retention, self.frequency, self.rows)

    def check_concept(self, concept_count: Exact) -> int:
        """Return x3 if it is possible: 1 .. min(n, f), with room for the records without s."""
        x3 = whole(concept_count, "concept_count", 1)
        if x3 > self.largest:
            raise ParameterError(
                f"concept_count is {shown(x3)}, above the smaller of predicate_count and frequency, "
                f"{self.largest}: it counts records that are in both"
            )
        if self.predicate_count - x3 > self.rows - self.frequency:
            raise ParameterError(
                f"concept_count is {x3}: then {shown(self.predicate_count - x3)} records of the predicate "
                f"have other values, but only {shown(self.rows - self.frequency)} records of the table have; "
                f"give at least {self.predicate_count - self.rows + self.frequency}"
            )
        return x3

    def threshold(self, estimate: Fraction, published: int) -> Fraction:
        """Return the y3 from which on the estimate is at least ``estimate`` <= n, where f' = ``published``.

        It is (1-p) N (n - x)/(N - f') + x - n (1-p), which does not fall as f' grows, and is convex in f'.
        """
        lost = 1 - self.law.retention
        missing = self.predicate_count - estimate
        return lost * self.rows * missing / (self.rows - published) + estimate - self.predicate_count * lost
