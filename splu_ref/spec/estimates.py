"""Estimates of counts of the original table from a published one, and their intervals (section 3.2 of the paper)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.laws import binomial

Z = Fraction("1.959963984540054")
"""The normal deviate of an interval of 95 %."""


def maximum_likelihood(published_count: int, bound: int | None = None) -> int:
    """Return the estimate of a value's count: its published count, or a bound that it cannot exceed."""
    require(published_count >= 0 and (bound is None or bound >= 0), "a count is negative")
    return published_count if bound is None else min(published_count, bound)


def interval(published_count: int, gamma: int, confidence: Fraction) -> tuple[int, int]:
    """Return the least and the greatest count that a published count does not contradict (Clopper and Pearson).

    A count f is contradicted if Bin(gamma f, 1/gamma) reaches f', or stays at or below it, with (1 - c)/2 or less.

    >>> interval(4, 2, Fraction(9, 10))
    (2, 7)
    """
    require(published_count >= 0 and gamma >= 2 and 0 < confidence < 1, "a number is out of range")
    tail = (1 - confidence) / 2

    def low_enough(f: int) -> bool:
        """Return whether f' or less is likely enough; true up to some f."""
        return at_most(published_count, gamma, f) > tail

    def too_low(f: int) -> bool:
        """Return whether f' or more is too unlikely; true up to some f, or for none."""
        return 1 - at_most(published_count - 1, gamma, f) <= tail

    return last_of(too_low) + 1, last_of(low_enough)


def at_most(count: int, gamma: int, frequency: int) -> Fraction:
    """Return Pr(Bin(gamma f, 1/gamma) <= count)."""
    return binomial(gamma * frequency, Fraction(1, gamma)).between(0, count)


def last_of(holds: Callable[[int], bool]) -> int:
    """Return the last number, from 0 on, for which something holds that holds no more after it first fails; or -1."""
    low, high = -1, 1
    while holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def require_counts(
    rows: int, predicate_count: int, published_count: int, both_count: int, kept: Fraction
) -> None:
    """Refuse counts that no published table has, or for which the closed form says nothing."""
    require(rows >= 1 and min(predicate_count, published_count, both_count) >= 0, "a count is negative")
    require(both_count <= min(predicate_count, published_count), "the count of both is above that of one")
    require(predicate_count <= rows, "the predicate has more records than the table")
    require(published_count - both_count <= rows - predicate_count, "there are too many records outside")
    require(published_count < kept * rows, "the value was published too often for an estimate")


def unclipped(
    rows: int, predicate_count: int, published_count: int, both_count: int, kept: Fraction
) -> Fraction:
    """Return (y - n a)/(p - a): what y would be expected to be is solved for x."""
    a = published_count * (1 - kept) / (rows - published_count)
    return (both_count - predicate_count * a) / (kept - a)


def closed_form(
    rows: int,
    predicate_count: int,
    published_count: int,
    both_count: int,
    gamma: int,
    retention: Fraction | None = None,
) -> Fraction:
    """Return the estimate of how many of the n records of a predicate have the value, within 0 and n.

    A record with the value shows it with probability p, and any other one with a = f'(1 - p)/(N - f').

    >>> closed_form(rows=10, predicate_count=4, published_count=2, both_count=1, gamma=2)
    Fraction(4, 3)
    """
    kept = checked_retention(gamma, retention)
    require_counts(rows, predicate_count, published_count, both_count, kept)
    found = unclipped(rows, predicate_count, published_count, both_count, kept)
    return min(max(found, Fraction(0)), Fraction(predicate_count))


def checked_retention(gamma: int, retention: Fraction | None) -> Fraction:
    """Return the retention probability: 1/gamma unless another one is given."""
    require(gamma >= 2, "gamma is below 2")
    kept = Fraction(1, gamma) if retention is None else retention
    require(0 < kept <= 1, "the retention is not within 0 and 1")
    return kept


def variance(
    rows: int,
    predicate_count: int,
    published_count: int,
    x: Fraction,
    gamma: int,
    retention: Fraction | None = None,
) -> Fraction:
    """Return the squared standard error of the closed form if x records of the predicate have the value.

    The x records show it with p. Of the other m = n - x records of the predicate, a hypergeometric number K have the
    value among their decoys, and show it with q. The delta method then takes the closed form to be linear.
    """
    kept = checked_retention(gamma, retention)
    n, big_n, shown, one = predicate_count, rows, Fraction(published_count), Fraction(1)
    q = (1 - kept) / (gamma - 1)
    f = max(shown, x)
    others = max(big_n - f, one)
    b = min(f * (gamma - 1), others)
    m = min(n - x, others)
    share = b / others
    expected_k = m * share
    spread = expected_k * (1 - share) * (others - m) / max(others - 1, one)
    var_both = x * kept * (1 - kept) + expected_k * q * (1 - q) + q**2 * spread
    var_rest = (f - x) * kept * (1 - kept) + (b - expected_k) * q * (1 - q) + q**2 * spread
    covariance = -(q**2) * spread
    a = shown * (1 - kept) / (big_n - shown)
    slope = (1 - kept) * big_n / (big_n - shown) ** 2
    of_rest = (x - n) * slope / (kept - a)
    of_both = 1 / (kept - a) + of_rest
    found = of_both**2 * var_both + of_rest**2 * var_rest + 2 * of_rest * of_both * covariance
    return max(found, Fraction(0))


def conjunction_interval(
    rows: int,
    predicate_count: int,
    published_count: int,
    both_count: int,
    gamma: int,
    retention: Fraction | None = None,
) -> tuple[int, int]:
    """Return the least and the greatest whole x with |estimate - x| <= z standard errors at x + 1/(2 (p - a))."""
    kept = checked_retention(gamma, retention)
    require_counts(rows, predicate_count, published_count, both_count, kept)
    center = unclipped(rows, predicate_count, published_count, both_count, kept)
    a = published_count * (1 - kept) / (rows - published_count)

    def holds(x: int) -> bool:
        beyond = abs(center - x) - 1 / (2 * (kept - a))
        spread = variance(rows, predicate_count, published_count, Fraction(x), gamma, retention)
        return beyond <= 0 or beyond**2 <= Z**2 * spread

    inside = [x for x in range(predicate_count + 1) if holds(x)]
    require(len(inside) > 0, "the interval holds no whole number")
    return inside[0], inside[-1]


@dataclass(frozen=True)
class Concept:
    """A predicate together with a value: counts of the original table, and the decoys in the predicate."""

    rows: int
    sensitive_count: int
    predicate_count: int
    concept_count: int
    decoys_in_predicate: int


def concept_error(gamma: int, epsilon: Fraction, concept: Concept) -> Fraction:
    """Return Pr(f' >= N/gamma or |estimate - x| >= epsilon x), with the closed form above.

    >>> concept_error(2, Fraction(1), Concept(28, 3, 4, 1, 1))
    Fraction(1, 2)
    """
    from splu_ref.spec.estimates import closed_form

    require(gamma >= 2 and epsilon > 0, "gamma is below 2, or epsilon not above 0")
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
    within, beyond = binomial(inside, Fraction(1, gamma)), binomial(outside, Fraction(1, gamma))
    wrong = 0
    for y, weight in enumerate(within.weights):
        for z, more in enumerate(beyond.weights):
            failed = gamma * (y + z) >= concept.rows
            if (
                failed
                or abs(closed_form(concept.rows, concept.predicate_count, y + z, y, gamma) - x) >= epsilon * x
            ):
                wrong += weight * more
    return Fraction(wrong, within.total * beyond.total)
