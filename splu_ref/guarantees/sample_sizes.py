"""How many records retention replacement needs, so that a share is estimated to within epsilon.

One column is published by retention replacement with retention p; a share f of its n records satisfies a
predicate, and so does a share b of the law of the replacements. With X the published count of the predicate,
the estimate is (X/n - (1-p) b) / p (Agrawal, Srikant and Thomas 2005, section 4.1). It is wrong if it is off
by epsilon or more. Sought is the least n_0 such that for every n >= n_0 and every true count c = f n a wrong
estimate has a probability of at most delta.

X is a sum of n independent trials, so that Hoeffding's inequality proves every n from some N on. Below N the
search goes down from N, a block of n at a time. What carries it is a lemma. Let U(c, m; d) be the probability
that X, of c records with the predicate and m without, is above its mean by d or more, taken linearly between
neighboring whole limits (which makes it no smaller). *For d >= 3 it does not fall when c or m grows by 1*:
a trial less its mean is added, and the tail is convex there (its slopes are the masses, which fall from the
mode on, and the mode is less than 1 from the mean). The tail below is the same with failures for successes.
So one probability bounds all c of an interval and all n of a block. What is left are single n. There the true
counts of one remainder modulo the denominator of p have an error probability that bends little: its second
difference is bounded, so that the ends of an interval bound what lies between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.binomial import TwoKinds
from splu_ref.binomial.work import left, one_budget
from splu_ref.channels import natural_logarithm
from splu_ref.guarantees.progress import Progress
from splu_ref.guarantees.sample_size_search import LONGEST_PERIOD, Search, largest_poor
from splu_ref.model import Exact, ParameterError, exact, positive, shown

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

    def _search(self) -> Search:
        return Search(self.retention, self.share, self.epsilon, self.delta)

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
        Probability p of keeping the own value, above 0 and below 1.
    share
        Share b of the law of the replacements that satisfies the predicate, above 0 and below 1.
    epsilon
        Error of a share, above 0.
    delta
        Probability allowed for it, above 0 and below 1.
    progress
        Called now and then with (numbers of rows treated, numbers of rows in all).

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
    found = largest_poor(Search(p, own_share, error, allowed), bound, progress)
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
    largest_poor(Search(p, share, 4 * error, delta), _hoeffding(4 * error * p, delta))
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
