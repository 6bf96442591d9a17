"""Large-sum utility of conjunctions: the least x3 from which on the estimate is certified to be accurate.

A given table has finitely many possible x3, up to the smaller of n and f. All are checked, from the largest
down, so no monotonicity of the error in x3 is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from splu_ref.channels import Exact, ParameterError, WorkError, left, one_budget, positive, probability
from splu_ref.guarantees.conjunction import Conjunction
from splu_ref.guarantees.conjunction_bounds import Band, Sides, band_within, deviation, fractions_work
from splu_ref.guarantees.decimals import Progress

_SHARE = Fraction(1, 32)
"""Share of the allowed error probability for counts outside the band."""
_MOST_COUNTS = 50_000


@dataclass(frozen=True, slots=True)
class ConjunctionThreshold:
    """The least certified x3 from which on "P and s" has Pr(abs(x - x3) >= epsilon x3) <= t_e."""

    conjunction: Conjunction
    epsilon: Fraction
    t_e: Fraction
    #: The least x3 such that the bounds prove it for every x3 up to ``largest``; None if they do not prove it
    #: at ``largest``. The least true x3 may be smaller.
    threshold: int | None
    largest: int  #: the largest possible x3, the smaller of n and f
    band: Band  #: the band of published counts with which that was proved


@one_budget()
def conjunction_threshold(
    conjunction: Conjunction, epsilon: Exact, t_e: Exact, *, progress: Progress | None = None
) -> ConjunctionThreshold:
    """Return the least certified x3 of (epsilon, t_e) utility for a conjunction, under hypothesis H.

    Parameters
    ----------
    conjunction
        The predicate and the value: gamma, p, N, f and n.
    epsilon
        Relative error, greater than 0.
    t_e
        Error probability allowed, greater than 0 and at most 1.
    progress
        Called repeatedly with (counts checked, counts at most).

    Returns
    -------
    ConjunctionThreshold
        The count, and the band of published counts with which it was proved.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or more than 50,000 counts to check.

    Notes
    -----
    splu.UC, for Definition 1 of Fu et al. 2014 with x3 in the place of f.
    """
    distance, allowed = positive(epsilon, "epsilon"), probability(t_e, "t_e")
    if allowed == 0:
        raise ParameterError("t_e must be greater than 0: every count can be estimated wrongly")
    if conjunction.largest > _MOST_COUNTS:
        raise ParameterError(
            f"counts up to {conjunction.largest} would have to be checked: give a predicate or a value with "
            f"at most {_MOST_COUNTS} records"
        )
    if 4 * conjunction.largest * fractions_work(conjunction, distance) > left():
        raise WorkError(
            f"counts up to {conjunction.largest} would have to be checked, with numbers of so many digits: "
            f"give an epsilon, a retention and rows with fewer digits, or a predicate or a value with fewer "
            f"records"
        )
    band = _band(conjunction, _SHARE * allowed)
    least = _scan(conjunction, distance, allowed, band, progress)
    if progress is not None:
        progress(conjunction.largest, conjunction.largest)
    threshold = least if least <= conjunction.largest else None
    return ConjunctionThreshold(conjunction, distance, allowed, threshold, conjunction.largest, band)


def _band(conjunction: Conjunction, allowed: Fraction) -> Band:
    """Return nearly the narrowest band that f' leaves with at most the probability ``allowed``.

    If f' can be too near to p N for such a band, return the widest possible one.
    """
    low, high, widest = 0, deviation(conjunction), conjunction.law.gamma * conjunction.frequency
    while (band := band_within(conjunction, high)).outside > allowed and high < widest:
        low, high = high, min(2 * high, widest)
    while high - low > 1 + high // 64:
        middle = (low + high) // 2
        tried = band_within(conjunction, middle)
        if tried.outside > allowed:
            low = middle
        else:
            high, band = middle, tried
    return band


def _scan(
    conjunction: Conjunction,
    epsilon: Fraction,
    allowed: Fraction,
    band: Band,
    progress: Progress | None,
) -> int:
    """Return the least x3 from which all are proved; one above the largest if none is."""
    least = max(1, conjunction.predicate_count - (conjunction.rows - conjunction.frequency))
    for x3 in range(conjunction.largest, least - 1, -1):
        if band.outside > allowed or not _proved(conjunction, epsilon, allowed - band.outside, band, x3):
            return x3 + 1
        if progress is not None and x3 % 64 == 0:
            progress(conjunction.largest - x3, conjunction.largest)
    return least


def _proved(conjunction: Conjunction, epsilon: Fraction, allowed: Fraction, band: Band, x3: int) -> bool:
    if conjunction.law.retention == 1:
        return True
    sides = Sides(conjunction, epsilon, x3, band)
    cantelli = sides.cantelli()
    return (
        sum(cantelli) <= allowed
        or sum(map(min, cantelli, sides.chernoff(quick=True))) <= allowed
        or sum(map(min, cantelli, sides.chernoff())) <= allowed
    )
