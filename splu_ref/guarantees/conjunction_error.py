"""The error probability of the conjunctive estimate under hypothesis H, exactly, by enumeration.

For every K the two published counts are independent, and all probabilities are integers over one
denominator, so that only products of integers are summed: over K, and over y1 with the y3 at which the
estimate is right taken from sums of the first so many masses.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import ceil, comb, floor

from splu_ref.binomial import Trials, TwoKinds
from splu_ref.binomial.work import STEP, digits, left, one_budget, spend
from splu_ref.guarantees.conjunction import Conjunction
from splu_ref.model import Exact, ParameterError, positive

_MOST_WORK = 2 * 10**10
"""Bits of all products."""


@one_budget()
def conjunction_error_probability(conjunction: Conjunction, epsilon: Exact, concept_count: Exact) -> Fraction:
    """Return Pr(abs(x - x3) >= epsilon x3) for the clipped estimate x, exactly, under hypothesis H.

    Parameters
    ----------
    conjunction
        The predicate and the value.
    epsilon
        Relative error, greater than 0.
    concept_count
        True count x3, at least 1.

    Returns
    -------
    Fraction
        From 0 to 1. Where there is no estimate, f' >= p N, that is an error.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or counts too large for an enumeration: about
        f = 300 at gamma = 5.

    Notes
    -----
    splu.Vp; `conjunction_error_bound` treats any size.
    """
    x3, distance = conjunction.check_concept(concept_count), positive(epsilon, "epsilon")
    law, f = conjunction.law, conjunction.frequency
    if law.retention == 1:
        return Fraction(0)
    others, places = conjunction.predicate_count - x3, conjunction.rows - f
    first, last = max(0, others - (places - conjunction.exposed)), min(others, conjunction.exposed)
    _refuse_large(conjunction, last - first + 1, x3 + last)
    right = _right_runs(conjunction, distance, x3, x3 + last)
    total = held = 0
    for decoys in range(first, last + 1):
        ways = comb(conjunction.exposed, decoys) * comb(places - conjunction.exposed, others - decoys)
        inside = _counts(conjunction, x3, decoys)
        outside = _counts(conjunction, f - x3, conjunction.exposed - decoys)
        sums = [0, *accumulate(inside)]
        most = len(inside)
        held += ways * sum(
            mass * sum(sums[min(stop, most)] - sums[min(start, most)] for start, stop in runs)
            for mass, runs in zip(outside, right, strict=False)
        )
        total += ways * sums[-1] * sum(outside)
    return Fraction(total - held, total)


def _counts(conjunction: Conjunction, own: int, decoys: int) -> list[int]:
    """Return the law of how many of ``own`` records with s and ``decoys`` others publish s, in integers."""
    law = conjunction.law
    return list(TwoKinds(Trials(own, law.retention), Trials(decoys, law.decoy)).numerators())


def _right_runs(
    conjunction: Conjunction, epsilon: Fraction, x3: int, most: int
) -> list[list[tuple[int, int]]]:
    """Return, for every y1, the runs start <= y3 < stop at which the estimate is right, y3 <= ``most``."""
    low, high = (1 - epsilon) * x3, (1 + epsilon) * x3
    trials = conjunction.law.gamma * conjunction.frequency
    limits = []  # the least and the largest right y3, by f'
    for published in range(min(trials, ceil(conjunction.law.retention * conjunction.rows) - 1) + 1):
        least = 0 if low < 0 else floor(conjunction.threshold(low, published)) + 1
        largest = (
            most if high > conjunction.predicate_count else ceil(conjunction.threshold(high, published)) - 1
        )
        limits.append((least, largest))
    found = []
    for y1 in range(trials - x3 + 1):
        runs: list[tuple[int, int]] = []
        for y3 in range(min(most, len(limits) - 1 - y1) + 1):
            least, largest = limits[y1 + y3]
            if least <= y3 <= largest:
                if runs and runs[-1][1] == y3:
                    runs[-1] = runs[-1][0], y3 + 1
                else:
                    runs.append((y3, y3 + 1))
        found.append(runs)
    return found


def _refuse_large(conjunction: Conjunction, decoys: int, most: int) -> None:
    trials = conjunction.law.gamma * conjunction.frequency
    bits = conjunction.frequency * conjunction.law.unit().bit_length()
    work = decoys * trials * (bits + 1000)
    # The limits of every f', and whether each pair of counts is within them.
    pairs = trials * (most + 10 * digits(bits // conjunction.frequency + conjunction.rows.bit_length()) + 100)
    if work > _MOST_WORK or work + 2 * STEP * pairs > left():
        raise ParameterError(
            f"an enumeration with f = {conjunction.frequency} and up to {decoys} exposed records of the "
            f"predicate takes too long: use conjunction_error_bound, which treats any size"
        )
    spend(work + 2 * STEP * pairs)
