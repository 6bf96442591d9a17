"""Small-sum privacy of the counts of several sensitive columns together.

Each column has draws of its own, so its published counts are independent of those of the others, however the
columns depend on each other. A reader who knows that the same records have a value in one column and a value
in another has two published counts of one set of records, and averages them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

from splu_ref.channels import (
    STEP,
    Exact,
    ParameterError,
    PublishedCount,
    digits,
    integer,
    one_budget,
    positive,
    spend,
)


@dataclass(frozen=True, slots=True)
class JointMinimum:
    """T_P of the mean of a value's published counts in several columns."""

    laws: tuple[PublishedCount, ...]  #: gamma and p of each column
    epsilon: Fraction  #: relative error and largest protected count
    alpha: int  #: see ``epsilon``
    #: least Pr(abs(mean - f) >= epsilon f) over 1 <= f <= alpha if the same f records have the value in all
    #: columns: exact
    copies: Fraction
    argmin: int  #: the least f that attains it
    #: the same if f records have the value in one column, and any numbers of records have those that are
    #: averaged with it in the others: a bound for columns that nearly determine each other
    at_least: Fraction


@one_budget()
def joint_minimum(laws: Sequence[PublishedCount], epsilon: Exact, alpha: Exact) -> JointMinimum:
    """Return T_P of the mean over several columns with independent draws (claim splu.J).

    Parameters
    ----------
    laws
        gamma and p of each column, at least two.
    epsilon
        Relative error, greater than 0.
    alpha
        Largest protected count, at least 1.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a computation of more than about a minute.

    Notes
    -----
    With R columns of one law, ``copies`` is `privacy_minimum` of R releases. ``at_least`` is searched over
    the counts of the other columns in ascending order. The sum of the published counts grows with each of
    them, so the search ends where the sum alone is too large with a probability that exceeds the minimum.
    """
    if len(laws) < 2:
        raise ParameterError("a joint view has at least two columns: give a law for each")
    distance, most = positive(epsilon, "epsilon"), integer(alpha, "alpha", 1)
    columns = Counter(laws)
    spend(_work(tuple(columns), len(laws) * most * (1 + distance), most))
    copies, bound = [], Fraction(1)
    for f in range(1, most + 1):
        sums = _Sums(distance, len(laws) * f)
        copies.append((sums.error(sums.of((law, times * f) for law, times in columns.items())), f))
        for own in columns:
            others = tuple(columns - Counter([own]))
            bound = sums.least(others, sums.of([(own, f)]), bound)
    least, argmin = min(copies)
    return JointMinimum(
        laws=tuple(laws),
        epsilon=distance,
        alpha=most,
        copies=least,
        argmin=argmin,
        at_least=min(bound, least),
    )


def _work(laws: Sequence[PublishedCount], largest: Fraction, alpha: int) -> int:
    """Estimate the work of all counts, if sums up to ``largest`` are no certain errors.

    The search ends early: it takes at most an eighth of all counts, for two or three columns with gamma up
    to 20.
    """
    size, records = ceil(largest), 2 * ceil(largest)
    bits = records * max(law.unit().bit_length() for law in laws)
    step = max(law.gamma for law in laws) + 1
    searched: int = len(laws) * records ** max(len(laws) - 1, 1)
    return alpha * searched * step * size * (STEP + digits(bits)) // 8


_Law: TypeAlias = tuple[list[int], int]
"""Probabilities of 0, 1, .. as numerators, up to what is too large, and their denominator."""


class _Sums:
    """Laws of sums of published counts of a true total, cut off where an error is certain."""

    def __init__(self, epsilon: Fraction, total: int) -> None:
        self._low = max(floor(total - epsilon * total) + 1, 0)
        self._high = ceil(total + epsilon * total)  # a sum from here on is too large

    def of(self, counts: Iterable[tuple[PublishedCount, int]]) -> _Law:
        """Return the law of the sum of the published counts of some true counts."""
        found: _Law = [1], 1
        for law, count in counts:
            for _ in range(count):
                found = self._with_record(found, law)
        return found

    def error(self, found: _Law) -> Fraction:
        """Return the probability of an error."""
        masses, denominator = found
        return 1 - Fraction(sum(masses[self._low :]), denominator)

    def least(self, others: Sequence[PublishedCount], found: _Law, bound: Fraction) -> Fraction:
        """Return the least error over the true counts in other columns, or ``bound`` if that is less."""
        if not others:
            return min(bound, self.error(found))
        while 1 - Fraction(sum(found[0]), found[1]) < bound:
            bound = self.least(others[1:], found, bound)
            found = self._with_record(found, others[0])
        return bound

    def _with_record(self, found: _Law, law: PublishedCount) -> _Law:
        """Return the law of the sum with one more record that has the value."""
        masses, denominator = found
        unit = law.unit()
        step = {k: int(chance * unit) for k, chance in law.law(1).items()}
        sums = [0] * min(len(masses) + max(step), self._high)
        for k, chance in step.items():
            for number, mass in enumerate(masses[: max(len(sums) - k, 0)]):
                sums[number + k] += mass * chance
        return sums, denominator * unit
