"""The error of the closed form in fractions: what the specification fixes, for other implementations.

`splu_ref.estimators.linear.two_state` computes the same for arrays, in floating point.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

from splu_ref.channels import PublishedCount

NORMAL_95 = Fraction("1.959963984540054")
"""The number of standard errors of the specification, as a fraction."""


@dataclass(frozen=True)
class ConjunctionError:
    """The error of the estimate of a conjunction by the closed form.

    Attributes
    ----------
    y3, f_published, predicate_count, rows, law
        As for `splu_ref.estimators.conjunction_estimate`, which says what is refused; f' is below p N, and
        N is at least 2.

    Notes
    -----
    ``docs/specification/estimates.md``, the method exact.
    """

    y3: int
    f_published: int
    predicate_count: int
    rows: int
    law: PublishedCount

    @cached_property
    def _contrast(self) -> Fraction:
        """D = p - a, above 0."""
        p = self.law.retention
        return p - self.f_published * (1 - p) / (self.rows - self.f_published)

    @cached_property
    def unclipped(self) -> Fraction:
        """(y3 - n a)/D, which may lie outside 0 .. n."""
        gained = self.law.retention - self._contrast
        return (self.y3 - self.predicate_count * gained) / self._contrast

    def variance(self, count: Fraction | int) -> Fraction:
        """Return the variance of the estimate where the true count is ``count``, 0 .. n."""
        p, n, rows = self.law.retention, self.predicate_count, self.rows
        q = (1 - p) / (self.law.gamma - 1)
        own, other = p * (1 - p), q * (1 - q)
        frequency = max(Fraction(self.f_published), Fraction(count))
        places = max(rows - frequency, Fraction(1))
        beside = min(frequency * (self.law.gamma - 1), places)
        share = beside / places
        drawn = min(n - Fraction(count), places)
        exposed = drawn * share
        scatter = q**2 * exposed * (1 - share) * (places - drawn) / max(places - 1, Fraction(1))
        inside = count * own + exposed * other + scatter
        outside = (frequency - count) * own + (beside - exposed) * other + scatter
        g1 = (count - n) * (1 - p) * rows / (rows - self.f_published) ** 2 / self._contrast
        g3 = 1 / self._contrast + g1
        return max(g3**2 * inside + g1**2 * outside - 2 * g1 * g3 * scatter, Fraction(0))

    def holds(self, count: int) -> bool:
        """Return whether the 95 % interval holds a whole number in 0 .. n."""
        beyond = abs(self.unclipped - count) - 1 / (2 * self._contrast)
        return beyond <= 0 or beyond**2 <= NORMAL_95**2 * self.variance(count)

    def whole_interval(self) -> tuple[int, int] | None:
        """Return the least and the greatest whole number of the 95 % interval; None if it holds none."""
        clipped = min(max(self.unclipped, Fraction(0)), Fraction(self.predicate_count))
        below, above = floor(clipped), ceil(clipped)
        held = [count for count in (below, above) if self.holds(count)]
        if not held:
            return None
        low, high = held[0], held[-1]
        while low > 0 and self.holds(low - 1):
            low -= 1
        while high < self.predicate_count and self.holds(high + 1):
            high += 1
        return low, high
