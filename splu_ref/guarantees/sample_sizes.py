"""Sample size of retention replacement for estimating a share to within epsilon."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import (
    Enclosure,
    Exact,
    ParameterError,
    Trials,
    TwoKinds,
    UpperTails,
    exact,
    largest_mass,
    left,
    natural_logarithm,
    one_budget,
    positive,
    shown,
    two_kinds_lower_tail,
    two_kinds_upper_tail,
)
from splu_ref.guarantees.decimals import Progress

_BITS = 30
LONGEST_PERIOD = 1_000  # of true counts whose kernel is computed, not bounded by variances


class SampleSizeSearch:
    """Error probabilities for one retention, share, epsilon and delta.

    A box of n and counts, c at most c' and m = n - c at most m': by the lemma of `sample_sizes` no error
    probability in it is above that of c' and m' at the same distances from the mean, which are at least d = t
    n for the first n, t = p epsilon. The two limits are whole and so at least ceil(2 d) apart; as the tails
    are convex, the sum is largest where one distance is d.

    One n, and counts c, c + w, c + 2w, ...: p w is whole, and so the limits move with the mean. A step
    replaces w trials B of the others by w trials A, of the same mean once p w is taken off, among trials Y
    that remain. Pr(Y + A >= k) - Pr(Y + B >= k) is the sum over s of H(s) times a first difference of the
    masses of Y, with H as in `_kernel`; a second step takes the difference of second order of that. So a
    second difference in steps is at most (sum of |H|)^2 times the largest third difference of masses. With H
    = S at the mean plus the difference of K, it is also at most S^2, 2 |S| sum |K| and (sum |K|)^2 times
    those of third, fourth and fifth order. And a j-th difference of masses is at most 2^j M^(j+1), M the
    largest mass of any of j + 1 parts of the trials: each of j parts is differenced once, and masses rise and
    then fall, so that their differences add up to 2M. At least half of all trials are of one kind; the parts
    are of that kind.
    """

    def __init__(self, retention: Fraction, share: Fraction, epsilon: Fraction, delta: Fraction) -> None:
        self.with_it, self.without = retention + (1 - retention) * share, (1 - retention) * share
        self.delta, self.distance = delta, retention * epsilon
        self._bits = _BITS + delta.denominator.bit_length()
        self._allowed = math.floor(delta * 2**self._bits)
        self._scale = math.lcm(self.with_it.denominator, self.without.denominator, self.distance.denominator)
        self._own, self._other, self._apart = (
            int(x * self._scale) for x in (self.with_it, self.without, self.distance)
        )
        self._period = retention.denominator
        self._kernel = _kernel(self.with_it, self.without, self._period)

    # ---- one n and one true count

    def limits(self, n: int, count: int) -> tuple[int, int]:
        """Return the last published count that is an error below, and the first that is one above."""
        mean, apart = count * self._own + (n - count) * self._other, n * self._apart
        return (mean - apart) // self._scale, -((-mean - apart) // self._scale)

    def _error(self, n: int, count: int) -> int:
        """Return a bound of the error probability from above, in units."""
        low, high = self.limits(n, count)
        tails = self._tails(count, n - count)
        return tails.at_least(high) + tails.at_most(low)

    def exceeds(self, n: int, count: int) -> bool:
        """Return whether the error probability is above delta, exactly."""
        if self._error(n, count) <= self._allowed:
            return False
        low, high = self.limits(n, count)
        law = self.law(n, count)
        for bits in (64, 256):
            error = two_kinds_upper_tail(law, high, bits).plus(two_kinds_lower_tail(law, low, bits), bits)
            limit = Enclosure.of(1).scaled(self.delta.numerator, self.delta.denominator, 2 * bits)
            if error.below(limit):
                return False
            if limit.below(error):
                return True
        return law.upper_tail(high) + law.lower_tail(low) > self.delta

    def law(self, n: int, count: int) -> TwoKinds:
        """Return the law of the published count."""
        return TwoKinds(Trials(count, self.with_it), Trials(n - count, self.without))

    def _tails(self, count: int, rest: int) -> UpperTails:
        return UpperTails(count, self.with_it, rest, self.without, self._bits)

    # ---- blocks of n, by the lemma

    def proved(self, first: int, last: int) -> bool:
        """Return whether the lemma proves delta for every n from ``first`` to ``last`` and every count."""
        if first * self._apart < 3 * self._scale:
            return False
        # A step of n uses about as much slack as three counts: with fewer counts, take fewer n.
        least = last - first
        begin, size = 0, max(1, 4 * least)
        while begin <= last:
            end = min(begin + size, last)
            if self._box(first, last, begin, end) <= self._allowed:
                begin, size = end + 1, size + size // 4 + 1
            elif end - begin <= least:
                return False
            else:
                size = max((end - begin) * 3 // 4, 1)
        return True

    def _box(self, first: int, last: int, begin: int, end: int) -> int:
        """Bound the error probabilities of n in first .. last and counts in begin .. end."""
        tails, mean = self._tails(end, last - begin), end * self._own + (last - begin) * self._other
        near = first * self._apart
        far = -(-2 * near // self._scale) * self._scale - near  # the limits are whole: so far apart at least
        found = [(self._above(tails, mean + d), self._below(tails, mean - d)) for d in (near, far)]
        return max(found[0][0] + found[1][1], found[1][0] + found[0][1])

    def _above(self, tails: UpperTails, limit: int) -> int:
        whole, part = divmod(limit, self._scale)
        if not part:
            return tails.at_least(whole)
        mixed = part * tails.at_least(whole + 1) + (self._scale - part) * tails.at_least(whole)
        return -(-mixed // self._scale)

    def _below(self, tails: UpperTails, limit: int) -> int:
        whole, part = divmod(limit, self._scale)
        if not part:
            return tails.at_most(whole)
        mixed = part * tails.at_most(whole + 1) + (self._scale - part) * tails.at_most(whole)
        return -(-mixed // self._scale)

    # ---- all true counts at one n

    def violation(self, n: int) -> int | None:
        """Return a true count at n records whose error probability is above delta, or None."""
        curvature = self._second_difference_bound(n)
        for remainder in range(min(self._period, n + 1)):
            found = self._violation_in_class(n, remainder, curvature)
            if found is not None:
                return found
        return None

    def _violation_in_class(self, n: int, first: int, curvature: int) -> int | None:
        """Look among the counts first, first + period, ..."""
        known: dict[int, int] = {}

        def at(step: int) -> int:
            if step not in known:
                known[step] = self._error(n, first + step * self._period)
            return known[step]

        stack = [(0, (n - first) // self._period)]
        while stack:
            low, high = stack.pop()
            for step in (low, high):
                if at(step) > self._allowed and self.exceeds(n, first + step * self._period):
                    return first + step * self._period
            # f + curvature (r - low)(high - r)/2 is convex, and so at most as large as at the ends.
            if high - low < 2 or max(at(low), at(high)) + curvature * (high - low) ** 2 // 8 < self._allowed:
                continue
            middle = (low + high) // 2
            stack += [(low, middle), (middle, high)]
        return None

    def _second_difference_bound(self, n: int) -> int:
        """Bound the second differences of the error probability over steps of one period, in units."""
        one, free = 1 << self._bits, n - 2 * self._period

        def difference(order: int) -> Fraction:
            """Bound the differences of that order of the masses of ``free`` trials: see the notes."""
            size = -(-free // 2) // (order + 1)
            if size < 1:
                return Fraction(1 << order)
            mass = max(largest_mass(size, chance, self._bits) for chance in (self.with_it, self.without))
            return Fraction(mass ** (order + 1) << order, one ** (order + 1))

        size, level, slope = self._kernel
        plain = size**2 * difference(3)
        refined = level**2 * difference(3) + 2 * level * slope * difference(4) + slope**2 * difference(5)
        return min(one, math.ceil(2 * min(plain, refined) * one))


def _kernel(with_it: Fraction, without: Fraction, period: int) -> tuple[Fraction, Fraction, Fraction]:
    """Return the sum of |H(s)|, that of H(s) as an absolute value, and the sum of |K(s)|.

    H(s) = E(A-s)^+ - E(B-s)^+ for whole s, with A ~ Bin(w, p + (1-p) b) less w p and B ~ Bin(w, (1-p) b), w
    the period, which have the same mean. K is the sum of H up to s, less the whole sum from the mean on.
    """
    if period > LONGEST_PERIOD:
        # |H| is at most E(A-s)^+ + E(B-s)^+ - 2 (mu-s)^+, which adds up to half both variances and 1/4.
        size = period * (with_it * (1 - with_it) + without * (1 - without)) / 2 + Fraction(1, 4)
        return size, size, Fraction(0)  # the second of the two bounds is then no smaller
    shift, mean = int(period * (with_it - without)), round(period * without)
    own, other = _masses(period, with_it), _masses(period, without)
    tail, above, values = Fraction(0), Fraction(0), {}
    for s in range(period, -shift - 1, -1):  # from above: E(A-s)^+ is the sum of the tails beyond s
        above += tail
        values[s] = above
        tail += (own[s + shift] if s + shift <= period else 0) - (other[s] if s >= 0 else 0)
    level, summed, slope = sum(values.values(), Fraction(0)), Fraction(0), Fraction(0)
    for s in sorted(values):
        summed += values[s]
        slope += abs(summed - level if s >= mean else summed)
    size = sum((abs(value) for value in values.values()), Fraction(0))
    return size, abs(level), slope


def _masses(n: int, chance: Fraction) -> list[Fraction]:
    return [math.comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def largest_insufficient(
    search: SampleSizeSearch, beyond: int, progress: Progress | None = None
) -> tuple[int, int] | None:
    """Return the largest n below ``beyond`` with a true count of an error probability above delta, and one.

    None if there is no such n of at least 1.
    """
    last, size = beyond - 1, max(1, beyond // 8)
    while last >= 1:
        first = max(1, last - size + 1)
        if first < last:
            if search.proved(first, last):
                last, size = first - 1, 2 * size
            else:
                size = max(1, (last - first + 1) // 2)
        else:
            count = search.violation(last)
            if count is not None:
                return last, count
            last, size = last - 1, 2
        if progress is not None:
            progress(beyond - 1 - last, beyond - 1)
    return None


MOST_ROWS = 120_000
"""Rows from which Hoeffding's bound must hold, at most, where the least number is searched for."""
_TRIED, _GROWTH = 20_000, 100
"""From so many rows on a search is tried with four times epsilon, and how many times its work is expected.

There are sixteen times fewer rows then. Where it was measured, four times as many rows took up to ten times
the work. What is begun is still counted as it is done.
"""
_MOST_ROWS_FINE = 8_000  # the same for a retention with a denominator that is no period of the counts


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many records one column needs for an estimate of a share, and what shows that fewer do not do.

    Attributes
    ----------
    retention, share, epsilon, delta
        p, b, the error, and the probability allowed for it.
    rows
        n_0: from it on every n and true count has an error probability of at most delta, and n_0 - 1 has not.
    count
        A true count at n_0 - 1 rows with a larger probability; None if n_0 is 1.
    rows_bound
        The least n from which Hoeffding's bound is at most delta.
    """

    retention: Fraction
    share: Fraction
    epsilon: Fraction
    delta: Fraction
    rows: int
    count: int | None
    rows_bound: int

    def limits(self) -> tuple[int, int]:
        """Return the last published count that is an error below, and the first above, at n_0 - 1 rows.

        The true count is ``count``, and n_0 above 1; the limits may lie outside 0 .. n_0 - 1.
        """
        return self._search().limits(self.rows - 1, self._count())

    def law(self) -> TwoKinds:
        """Return the law of the published count at n_0 - 1 rows and ``count``, for n_0 above 1."""
        return self._search().law(self.rows - 1, self._count())

    def _search(self) -> SampleSizeSearch:
        return SampleSizeSearch(self.retention, self.share, self.epsilon, self.delta)

    def _count(self) -> int:
        if self.count is None:
            raise ParameterError("one row does: there is no smaller number of rows to look at")
        return self.count


@one_budget()
def sample_size(
    retention: Exact, share: Exact, epsilon: Exact, delta: Exact, *, progress: Progress | None = None
) -> SampleSize:
    """Return the least n_0 with Pr(abs(estimate - f) >= epsilon) <= delta for every n >= n_0 and count f n.

    Parameters
    ----------
    retention
        Retention probability p, above 0 and below 1.
    share
        Share b of the law of the replacements that satisfies the predicate, above 0 and below 1.
    epsilon
        Error of a share, above 0.
    delta
        Probability allowed for it, above 0 and below 1.
    progress
        Called repeatedly with (numbers of rows treated, numbers of rows in all).

    Returns
    -------
    SampleSize
        n_0, the count that shows that n_0 - 1 does not do, and Hoeffding's bound.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a search that would take too long.

    Notes
    -----
    Agrawal, Srikant and Thomas 2005, section 4.1 and Theorem 1 (olap.T1c).
    """
    p, b, error, allowed = _checked(retention, epsilon, delta, [share])
    [own_share] = b
    bound = _hoeffding(error * p, allowed)
    most, remedy = MOST_ROWS, "give"
    if p.denominator > LONGEST_PERIOD:
        most, remedy = _MOST_ROWS_FINE, "round the retention to three digits, or give"
    long = sum(number.denominator.bit_length() for number in (p, own_share, error, allowed))
    if long > 64:  # every term of every table is as long
        most, remedy = most * 64 // (64 + long), "give numbers with fewer digits, or"
    if bound > most:
        raise ParameterError(
            f"Hoeffding's bound holds from {bound} rows on, and the least number is searched for up to "
            f"{most}: {remedy} a larger epsilon or delta, or take the bound"
        )
    if bound > _TRIED:
        _require_time(p, own_share, error, allowed, bound)
    found = largest_insufficient(SampleSizeSearch(p, own_share, error, allowed), bound, progress)
    rows, count = (found[0] + 1, found[1]) if found is not None else (1, None)
    return SampleSize(p, own_share, error, allowed, rows, count, bound)


def sample_size_bound(retention: Exact, shares: Sequence[Exact], epsilon: Exact, delta: Exact) -> int:
    """Return the least n from which Hoeffding's inequality promises the same for several columns together.

    The estimated share is that of a conjunction, one predicate a column; all columns have one retention and
    their cells are replaced independently. What a record contributes to the estimate is the product over the
    columns of (1 - (1-p) b) / p or -(1-p) b / p, which lies in an interval of some length R, and n is
    ln(2/delta) R^2 / (2 epsilon^2), rounded up. For one column R is 1/p. Nothing is said of fewer rows.

    Parameters
    ----------
    shares
        For each column b as in `sample_size`, one at least; the other parameters are as there.

    Raises
    ------
    ParameterError
        For a parameter outside its range or a float, or without any share.
    """
    p, b, error, allowed = _checked(retention, epsilon, delta, shares)
    high = low = Fraction(1)
    for each in b:
        products = [end * (kept - (1 - p) * each) / p for end in (low, high) for kept in (1, 0)]
        low, high = min(products), max(products)
    return _hoeffding(error / (high - low), allowed)


def printed_sample_size(retention: Exact, epsilon: Exact, delta: Exact) -> int:
    """Return 4 ln(2/delta) / (p epsilon)^2, rounded up: Theorem 1 as printed, eight times Hoeffding's."""
    p, _, error, allowed = _checked(retention, epsilon, delta, [Fraction(1, 2)])
    return _hoeffding(p * error, allowed, 4)


def _checked(
    retention: Exact, epsilon: Exact, delta: Exact, shares: Sequence[Exact]
) -> tuple[Fraction, list[Fraction], Fraction, Fraction]:
    """Return p, the shares, epsilon and delta."""
    p, allowed = _inside(retention, "retention"), _inside(delta, "delta")
    if not shares:
        raise ParameterError("no share is given: give one for each column, such as 1/4")
    return p, [_inside(each, "share") for each in shares], positive(epsilon, "epsilon"), allowed


def _require_time(p: Fraction, share: Fraction, error: Fraction, delta: Fraction, bound: int) -> None:
    """Raise unless the work of a coarser search lets it be expected that the whole one comes to an end."""
    before = left()
    largest_insufficient(SampleSizeSearch(p, share, 4 * error, delta), _hoeffding(4 * error * p, delta))
    if (before - left()) * _GROWTH > left():
        raise ParameterError(
            f"the least number is expected to take more than a minute to find, below the {bound} rows from "
            "which Hoeffding's bound holds: give a larger epsilon or delta, or take the bound"
        )


def _inside(value: Exact, name: str) -> Fraction:
    number = exact(value, name)
    if not 0 < number < 1:
        raise ParameterError(f"{name} must be above 0 and below 1, not {shown(number)}")
    return number


def _hoeffding(error: Fraction, delta: Fraction, factor: Fraction | int = Fraction(1, 2)) -> int:
    """Return ``factor`` ln(2/delta) / error^2, rounded up."""
    bits = 128
    while True:
        ends = natural_logarithm(2 / delta, bits)
        low, high = (math.ceil(end * factor / error**2) for end in (ends.lower, ends.upper))
        if low == high:  # the logarithm of a rational above 1 is irrational, so that enough bits settle it
            return high
        bits *= 2
