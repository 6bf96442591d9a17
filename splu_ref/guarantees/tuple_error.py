"""How often a query on a release by the alpha-beta algorithm errs by as much as rho sqrt(n), exactly.

The estimate of a query with n_D tuples in the domain and Q in the original is (n_V - beta n_D)/alpha, n_V the
published ones (Rastogi, Suciu and Hong 2007, Definition 2.5 and Theorem 4.4). Squares are compared, so that
sqrt(n) is never computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt, lcm

from splu_ref.channels import Bounds, Exact, ParameterError, TupleCount, integer, positive
from splu_ref.guarantees.tuple_privacy import TupleChances

_BITS = 128


@dataclass(frozen=True, slots=True)
class TupleQueryError:
    """Pr(abs(estimate - Q) >= radius), of which the square of the radius is rational."""

    chances: TupleChances  #: alpha and beta
    query_size: int
    count: int
    radius_squared: Fraction  #: rho^2 n, greater than 0

    @classmethod
    def of(
        cls, chances: TupleChances, query_size: Exact, count: Exact, radius_squared: Exact
    ) -> TupleQueryError:
        """Return the error probability, with each number validated.

        Raises
        ------
        ParameterError
            If Q is above n_D, or the radius is 0.
        """
        size, true = integer(query_size, "query_size", 1), integer(count, "count", 0)
        if true > size:
            raise ParameterError(f"count = {true} is above the query's {size} tuples: give at most {size}")
        return cls(chances, size, true, positive(radius_squared, "the squared radius"))

    @property
    def law(self) -> TupleCount:
        """The law of the published count."""
        return TupleCount(self.query_size, self.chances.alpha + self.chances.beta, self.chances.beta)

    @property
    def variance(self) -> Fraction:
        """The variance of the estimate, exactly."""
        return self.law.variance(self.count) / self.chances.alpha**2

    @property
    def ends(self) -> tuple[int, int]:
        """The published counts that err: all up to the first number, and all from the second one on."""
        mean = self.law.mean(self.count)
        squared = self.chances.alpha**2 * self.radius_squared
        scale = lcm(mean.denominator, squared.denominator)
        center, radius = int(mean * scale), int(squared * scale**2)
        least = isqrt(radius - 1) + 1  # the least integer whose square is at least the radius
        return (center - least) // scale, -((-center - least) // scale)

    def exact(self) -> Fraction:
        """Return the probability."""
        low, high = self.ends
        return self.law.lower_tail(self.count, low) + self.law.upper_tail(self.count, high)

    def bounds(self, bits: int = _BITS) -> Bounds:
        """Return a certified enclosure of the probability."""
        low, high = self.ends
        below = self.law.lower_tail_enclosure(self.count, low, bits)
        above = self.law.upper_tail_enclosure(self.count, high, bits)
        return below.plus(above, bits).bounds()


def possible_counts(tuples: Exact, domain: Exact, query_size: Exact) -> range:
    """Return the true counts that a query may have: from n - (m - n_D) to the smaller of n and n_D.

    Raises
    ------
    ParameterError
        Unless 1 <= n <= m and 1 <= n_D <= m.
    """
    n, m, size = integer(tuples, "n", 1), integer(domain, "m", 1), integer(query_size, "query_size", 1)
    if n > m or size > m:
        raise ParameterError(f"n = {n} and query_size = {size} are parts of the domain: give at most m = {m}")
    return range(max(0, n - (m - size)), min(n, size) + 1)


def worst_query_error(
    chances: TupleChances, query_size: Exact, counts: range, radius_squared: Exact
) -> tuple[TupleQueryError, Bounds]:
    """Return the largest error probability over counts, and its enclosure.

    Where the enclosures of two counts leave open which is larger, the two differ by less than 2^-127, and
    the first is returned, with an upper end that holds for both.
    """
    worst: tuple[TupleQueryError, Bounds] | None = None
    highest = Fraction(0)
    for count in counts:
        error = TupleQueryError.of(chances, query_size, count, radius_squared)
        bounds = error.bounds()
        highest = max(highest, bounds.upper)
        if worst is None or bounds.lower > worst[1].lower:
            worst = error, bounds
    assert worst is not None  # n tuples of m have some count
    return worst[0], Bounds(worst[1].lower, highest)
