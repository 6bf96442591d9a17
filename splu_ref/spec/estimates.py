"""Estimates: counts of the original table from a published one, and their intervals.

For the count of a sensitive value, the published count is the maximum likelihood estimate (Fu and others
2014, section 4, Theorem 2). For the records of a predicate that have the value (section 5.1), the paper
iterates with its transition matrix; the closed form here solves the corrected two-state channel
(`splu_ref.spec.channels.two_state`) and is an addition of this specification, as all intervals are.

Throughout, N is ``rows``, n is ``predicate_count`` (records of the predicate), f′ is ``published_count``
(records that are published with the value), y is ``both_count`` (records of the predicate that are), p the
retention probability, and a = f′ (1 - p)/(N - f′).

Two rules bind programs for analysts; no operation of the protocol has them:

- Both ends of an interval for a value's count are cut at N/γ, since no value has more records. The estimate
  itself is not cut.
- The estimate for a set of values is the sum of the `unclipped` estimates of its values, clipped to 0 … n. If
  the f′ of the set, the sum of those of its values, is above N/2, it is n minus the estimate of the other
  values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from splu_ref.spec.errors import require
from splu_ref.spec.laws import binomial

Z = Fraction("1.959963984540054")
"""The normal deviate of an interval of 95 %: exactly this decimal number, not the double next to it."""


def maximum_likelihood(published_count: int, bound: int | None = None) -> int:
    """Return the estimate of a value's count: f′, or ``bound`` if it is given and smaller.

    A negative number is refused (``parameter``).

    >>> maximum_likelihood(7), maximum_likelihood(7, 5)
    (7, 5)
    """
    require(published_count >= 0 and (bound is None or bound >= 0), "a count is negative")
    return published_count if bound is None else min(published_count, bound)


def interval(published_count: int, gamma: int, confidence: Fraction) -> tuple[int, int]:
    """Return the least and the greatest true count f ≥ 0 that a published count does not contradict.

    Let X be binomial with γ f trials and probability 1/γ. f is contradicted if Pr(X ≥ f′) or Pr(X ≤ f′) is
    (1 - c)/2 or less, with c = ``confidence``. (The interval of Clopper and Pearson for whole f.)

    Refused (``parameter``): f′ below 0, γ below 2, c not between 0 and 1.

    >>> interval(4, 2, Fraction(9, 10))
    (2, 7)
    """
    require(published_count >= 0 and gamma >= 2 and 0 < confidence < 1, "a number is out of range")
    tail = (1 - confidence) / 2

    def not_too_high(f: int) -> bool:
        """Return whether f′ or less is likely enough; it is up to some f."""
        return at_most(published_count, gamma, f) > tail

    def too_low(f: int) -> bool:
        """Return whether f′ or more is too unlikely; it is up to some f, or for none."""
        return 1 - at_most(published_count - 1, gamma, f) <= tail

    return last_of(too_low) + 1, last_of(not_too_high)


def at_most(count: int, gamma: int, frequency: int) -> Fraction:
    """Return Pr(X ≤ ``count``) for X binomial with γ f trials and probability 1/γ.

    >>> at_most(0, 2, 1)
    Fraction(1, 4)
    """
    return binomial(gamma * frequency, Fraction(1, gamma)).between(0, count)


def last_of(holds: Callable[[int], bool]) -> int:
    """Return the last number, from 0 on, for which a condition holds; -1 if it fails for 0.

    After its first failure the condition holds for no number.

    >>> last_of(lambda number: number < 10)
    9
    """
    low, high = -1, 1
    while holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def checked_retention(gamma: int, retention: Fraction | None) -> Fraction:
    """Return the retention probability p: 1/γ unless another one is given.

    Refused (``parameter``): γ below 2, p not above 0 or above 1.

    >>> checked_retention(4, None)
    Fraction(1, 4)
    """
    require(gamma >= 2, "gamma is below 2")
    p = Fraction(1, gamma) if retention is None else retention
    require(0 < p <= 1, "the retention is not above 0 and at most 1")
    return p


def require_counts(
    rows: int, predicate_count: int, published_count: int, both_count: int, retention: Fraction
) -> None:
    """Refuse (``parameter``) counts that no published table has, or for which the closed form has no meaning.

    N ≥ 1; no count is negative; y ≤ n, y ≤ f′ and n ≤ N; f′ - y ≤ N - n; and f′ < p N, so that p - a is
    above 0.

    >>> require_counts(rows=10, predicate_count=4, published_count=5, both_count=1, retention=Fraction(1, 2))
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: the value is published too often for an estimate
    """
    require(rows >= 1 and min(predicate_count, published_count, both_count) >= 0, "a count is negative")
    require(both_count <= min(predicate_count, published_count), "the count of both is above that of one")
    require(predicate_count <= rows, "the predicate has more records than the table")
    require(published_count - both_count <= rows - predicate_count, "there are too many records outside")
    require(published_count < retention * rows, "the value is published too often for an estimate")


def unclipped(
    rows: int, predicate_count: int, published_count: int, both_count: int, retention: Fraction
) -> Fraction:
    """Return (y - n a)/(p - a): the x for which y is expected.

    >>> unclipped(rows=10, predicate_count=4, published_count=2, both_count=0, retention=Fraction(1, 2))
    Fraction(-4, 3)
    """
    a = published_count * (1 - retention) / (rows - published_count)
    return (both_count - predicate_count * a) / (retention - a)


def closed_form(
    rows: int,
    predicate_count: int,
    published_count: int,
    both_count: int,
    gamma: int,
    retention: Fraction | None = None,
) -> Fraction:
    """Return the estimate of x, the records of a predicate with the value: `unclipped`, within 0 and n.

    A record with the value is published with it with probability p, and any other record with probability a.
    Refused: see `checked_retention` and `require_counts`.

    >>> closed_form(rows=10, predicate_count=4, published_count=2, both_count=1, gamma=2)
    Fraction(4, 3)
    """
    p = checked_retention(gamma, retention)
    require_counts(rows, predicate_count, published_count, both_count, p)
    estimate = unclipped(rows, predicate_count, published_count, both_count, p)
    return min(max(estimate, Fraction(0)), Fraction(predicate_count))


def variance(
    rows: int,
    predicate_count: int,
    published_count: int,
    x: Fraction,
    gamma: int,
    retention: Fraction | None = None,
) -> Fraction:
    """Return the squared standard error of the closed form if x records of the predicate have the value.

    These x records are published with it with probability p. Of the m other records of the predicate, a
    hypergeometric number K have the value among their decoys, and are published with it with probability q =
    (1 - p)/(γ - 1). The variance is that of the `unclipped` estimate, taken to be linear (the delta method);
    the error of a clipped one may be much smaller. In formulas, with f = f′ (f = x if that is larger), M = N
    - f but at least 1, b = f (γ - 1) but at most M, κ = b/M, m = n - x but at most M:

    - E K = m κ; V = m κ (1 - κ) (M - m)/(M - 1), with 1 for M - 1 where that is smaller;
    - Var y = x p (1 - p) + E K q (1 - q) + q² V;
    - Var y′ = (f - x) p (1 - p) + (b - E K) q (1 - q) + q² V, for the y′ = f′ - y records outside the
      predicate;
    - Cov = -q² V;
    - D = p - a, g′ = (x - n) (1 - p) N/((N - f′)² D) and g = 1/D + g′, with f′ whatever x is.

    The result is g² Var y + g′² Var y′ + 2 g g′ Cov, or 0 if that is negative.

    >>> variance(rows=10, predicate_count=4, published_count=2, x=Fraction(4, 3), gamma=2)
    Fraction(1735, 567)
    """
    p = checked_retention(gamma, retention)
    n, big_n, published, one = predicate_count, rows, Fraction(published_count), Fraction(1)
    q = (1 - p) / (gamma - 1)
    f = max(published, x)
    others = max(big_n - f, one)
    b = min(f * (gamma - 1), others)
    m = min(n - x, others)
    share = b / others
    expected_k = m * share
    spread = expected_k * (1 - share) * (others - m) / max(others - 1, one)
    var_both = x * p * (1 - p) + expected_k * q * (1 - q) + q**2 * spread
    var_rest = (f - x) * p * (1 - p) + (b - expected_k) * q * (1 - q) + q**2 * spread
    covariance = -(q**2) * spread
    a = published * (1 - p) / (big_n - published)
    slope_of_rest = (x - n) * (1 - p) * big_n / ((big_n - published) ** 2 * (p - a))
    slope_of_both = 1 / (p - a) + slope_of_rest
    result = slope_of_both**2 * var_both + slope_of_rest**2 * var_rest
    result += 2 * slope_of_rest * slope_of_both * covariance
    return max(result, Fraction(0))


def conjunction_interval(
    rows: int,
    predicate_count: int,
    published_count: int,
    both_count: int,
    gamma: int,
    retention: Fraction | None = None,
) -> tuple[int, int]:
    """Return the ends of the interval of 95 % for x, as whole numbers.

    A whole x from 0 to n is *accepted* if abs(x̂ - x) ≤ z σ(x) + 1/(2 (p - a)), where x̂ is the `unclipped`
    estimate, σ(x)² the `variance` at x and z is `Z`. The interval begins with the accepted ones of the two
    whole numbers next to the clipped estimate (`closed_form`). If neither of the two is accepted, the counts
    are refused (``parameter``), as is what `closed_form` refuses. The lower end is 0 if 0 is accepted.
    Otherwise the interval goes on down as long as the next whole number is accepted. The upper end is n if n
    is accepted. Otherwise the interval goes on up in the same way.

    The accepted numbers may have gaps where x̂ is far outside 0 … n. If 0 or n is accepted, the interval
    contains the numbers of the gap before it as well: that can only increase the coverage. In the second
    example 0, 1 and 9 … 13 are accepted. A stretch beyond a gap that ends before n is left out. No table of
    at most 22 records with γ = 2, 3 or 5, p = 1/γ and n ≤ f′ has one; among those with n > f′ it is rare.

    >>> conjunction_interval(rows=10, predicate_count=4, published_count=2, both_count=1, gamma=2)
    (0, 4)
    >>> conjunction_interval(rows=29, predicate_count=13, published_count=9, both_count=1, gamma=3)
    (0, 13)
    """
    p = checked_retention(gamma, retention)
    estimate = closed_form(rows, predicate_count, published_count, both_count, gamma, retention)
    center = unclipped(rows, predicate_count, published_count, both_count, p)
    a = published_count * (1 - p) / (rows - published_count)

    def accepted(x: int) -> bool:
        beyond = abs(center - x) - 1 / (2 * (p - a))
        squared = variance(rows, predicate_count, published_count, Fraction(x), gamma, retention)
        return beyond <= 0 or beyond**2 <= Z**2 * squared

    near = [x for x in (floor(estimate), ceil(estimate)) if accepted(x)]
    require(len(near) > 0, "no whole number near the estimate is in the interval")
    low = 0 if accepted(0) else near[0]
    high = predicate_count if accepted(predicate_count) else near[-1]
    while low > 0 and accepted(low - 1):
        low -= 1
    while high < predicate_count and accepted(high + 1):
        high += 1
    return low, high


@dataclass(frozen=True)
class Concept:
    """A predicate together with a value, as counts of the original table.

    Attributes
    ----------
    rows
        N, all records.
    sensitive_count
        f, those with the value.
    predicate_count
        n, those of the predicate.
    concept_count
        x, those of the predicate with the value.
    decoys_in_predicate
        K, those of the predicate without the value that have it among their decoys.
    """

    rows: int
    sensitive_count: int
    predicate_count: int
    concept_count: int
    decoys_in_predicate: int


def concept_error(gamma: int, epsilon: Fraction, concept: Concept) -> Fraction:
    """Return the probability that the closed form has no estimate or is wrong by ε x.

    It is Pr(f′ ≥ N/γ or abs(x̂ - x) ≥ ε x).

    y, the published count inside the predicate, is binomial with x + K trials, and that outside with γ f - x
    - K trials, independently and both with probability 1/γ; f′ is their sum.

    Refused (``parameter``): γ below 2; ε not above 0; N, f, n or x below 1; x above f; K below 0 or above (γ
    - 1) f; x + K above n; γ f - x - K above N - n or below f - x; γ f above 500, because every outcome is
    summed.

    >>> concept_error(2, Fraction(1), Concept(28, 3, 4, 1, 1))
    Fraction(1, 2)
    """
    require(gamma >= 2 and epsilon > 0, "gamma is below 2, or epsilon is not above 0")
    x, inside = concept.concept_count, concept.concept_count + concept.decoys_in_predicate
    outside = gamma * concept.sensitive_count - inside
    possible = (
        min(concept.rows, concept.sensitive_count, concept.predicate_count, x) >= 1
        and x <= concept.sensitive_count
        and 0 <= concept.decoys_in_predicate <= (gamma - 1) * concept.sensitive_count
        and inside <= concept.predicate_count
        and concept.sensitive_count - x <= outside <= concept.rows - concept.predicate_count
    )
    require(possible, "no table has these counts")
    require(gamma * concept.sensitive_count <= 500, "there are too many outcomes")
    of_inside, of_outside = binomial(inside, Fraction(1, gamma)), binomial(outside, Fraction(1, gamma))
    wrong = 0
    for y, weight in enumerate(of_inside.weights):
        for rest, more in enumerate(of_outside.weights):
            no_estimate = gamma * (y + rest) >= concept.rows
            if no_estimate or abs(
                closed_form(concept.rows, concept.predicate_count, y + rest, y, gamma) - x
            ) >= (epsilon * x):
                wrong += weight * more
    return Fraction(wrong, of_inside.total * of_outside.total)
