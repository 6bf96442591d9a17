"""The error probability of the published count: exact values, enclosures and extremes.

The sawtooth lemma (splu.S) states where the error probability can be smallest or largest.
For a fixed integer j >= 1, Pr(abs(X_f - f) >= j) does not fall as f grows. The error event at f is such an
event, with j = ceil(epsilon f), or floor(epsilon f) + 1 in the strict form, and j is constant on runs of
f, the plateaus. So over whole plateaus the error is smallest at a plateau's first f and largest at its
last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt
from typing import Literal

from splu_ref.channels import (
    STEP,
    Bounds,
    Enclosure,
    Exact,
    ParameterError,
    PublishedCount,
    WorkError,
    digits,
    exact,
    factor_work,
    integer,
    left,
    one_budget,
    positive,
    reduction,
    shown,
    spend,
    tail_work,
)
from splu_ref.guarantees.decimals import ExactJson, decimal_down, decimal_up, exact_json


def error_offset(epsilon: Exact, frequency: Exact, *, strict: bool = False) -> int:
    """Return the least integer distance j from the true count that is an error.

    Parameters
    ----------
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, at least 1.
    strict
        ``False``: an error is abs(f' - f) >= epsilon f (Definitions 1 and 2), j = ceil(epsilon f).
        ``True``: abs(f' - f) > epsilon f (Theorem 4), j = floor(epsilon f) + 1.

    Returns
    -------
    int
        j >= 1.

    Raises
    ------
    ParameterError
        For epsilon <= 0, a frequency that is not a whole number of at least 1, or a float.
    """
    return _offset(positive(epsilon, "epsilon"), integer(frequency, "frequency", 1), strict)


def plateau_starts(epsilon: Exact, alpha: Exact, *, strict: bool = False) -> Iterator[int]:
    """Yield, ascending, the first f of every plateau that meets 1..alpha.

    The minimum of the error probability over 1 <= f <= alpha is attained at one of them.
    Parameters and errors as in `error_offset`; ``alpha`` is at least 1.
    """
    return _starts(positive(epsilon, "epsilon"), integer(alpha, "alpha", 1), strict)


def plateau_ends(epsilon: Exact, last: Exact, *, strict: bool = False) -> Iterator[int]:
    """Yield, descending, the last f of every plateau that ends in 1..last.

    If the error probability at every f > ``last`` is at most T, then it is at most T from some g <= last
    on if and only if it is so at the plateau ends from g to ``last``: a plateau that ends beyond ``last``
    is bounded by its end. Parameters and errors as in `error_offset`; ``last`` is at least 0.
    """
    return _ends(positive(epsilon, "epsilon"), integer(last, "last", 0), strict)


class Plateaus:
    """The plateaus that intersect 1..``last``, indexed from 0; ``len`` counts those that end before."""

    def __init__(self, epsilon: Fraction, last: int, strict: bool) -> None:
        self._epsilon, self._last, self._strict = epsilon, last, strict

    def offset(self, frequency: int) -> int:
        """Return `error_offset` at the count."""
        return _offset(self._epsilon, frequency, self._strict)

    def __len__(self) -> int:
        if self._epsilon >= 1:  # every count is a plateau
            return self._last - 1
        return self.offset(self._last) - self.offset(1)

    def start(self, number: int) -> int:
        """Return the first f of a plateau, 0 <= number <= len."""
        if self._epsilon >= 1:
            return number + 1
        return _start(self._epsilon, self.offset(1) + number, self._strict)

    def end(self, number: int) -> int:
        """Return the last f of a plateau, 0 <= number < len."""
        return self.start(number + 1) - 1


def doubling_ranges(size: int) -> list[tuple[int, int]]:
    """Return ascending ranges (first, last) that cover 0..size-1, with lengths that double towards 0."""
    ranges, last, width = [], size - 1, 1
    while last >= 0:
        first = max(0, last - width + 1)
        ranges.append((first, last))
        last, width = first - 1, 2 * width
    return ranges[::-1]


def _offset(epsilon: Fraction, frequency: int, strict: bool) -> int:
    product = epsilon.numerator * frequency
    return product // epsilon.denominator + 1 if strict else -(-product // epsilon.denominator)


def _start(epsilon: Fraction, offset: int, strict: bool) -> int:
    """Return the least f >= 1 whose offset is at least ``offset``."""
    product = (offset - 1) * epsilon.denominator
    return max(1, -(-product // epsilon.numerator) if strict else product // epsilon.numerator + 1)


def _starts(epsilon: Fraction, alpha: int, strict: bool) -> Iterator[int]:
    frequency = 1
    while frequency <= alpha:
        yield frequency
        frequency = _start(epsilon, _offset(epsilon, frequency, strict) + 1, strict)


def _ends(epsilon: Fraction, last: int, strict: bool) -> Iterator[int]:
    frequency = _start(epsilon, _offset(epsilon, last + 1, strict), strict) - 1
    while frequency >= 1:
        yield frequency
        frequency = _start(epsilon, _offset(epsilon, frequency, strict), strict) - 1


EXACT_TRIALS = 300_000
"""Largest gamma f for which a probability is given as a fraction, if the budget of work allows it."""

EXACT_WORK = 10**11
"""With another p than 1/gamma, largest number of bits of all terms of the sum."""

DIRECTED_TRIALS = 2 * 10**8
"""Largest gamma f for which a probability is enclosed, if the budget of work allows it."""

LONGEST = 10_000
"""Decimal digits up to which a denominator, gamma^(gamma f) for p = 1/gamma, is worth computing for print."""


@dataclass(frozen=True)
class ErrorProbability:
    """Pr(abs(f' - f) >= k) at a count, as an enclosure or exactly."""

    law: PublishedCount  #: group size gamma and retention probability p
    frequency: int  #: True count f, at least 1
    offset: int  #: the least error k that counts, in records, at least 1

    @one_budget()
    def bounds(self, digits: Exact = 60) -> Bounds:
        """Return a certified enclosure, narrower than its lower end times 10**-``digits``.

        The ends are equal when the probability is 0.

        Raises
        ------
        ParameterError
            If gamma f is above 200,000,000, or ``digits`` below 1.
        """
        return self.enclosure(4 * integer(digits, "digits", 1) + 16).bounds()

    def enclosure(self, bits: int) -> Enclosure:
        """Return a certified enclosure with a relative precision in bits."""
        trials = self.law.gamma * self.frequency
        if trials > DIRECTED_TRIALS:
            most = DIRECTED_TRIALS // self.law.gamma
            remedy = f"a count of at most {most}" if most else f"a gamma of at most {DIRECTED_TRIALS}"
            raise ParameterError(
                f"gamma times the count is {shown(trials)}: the greatest that is computed is "
                f"{DIRECTED_TRIALS}; give {remedy}"
            )
        if enclosure_work(self.law, self.frequency, self.offset, bits) > left():
            raise WorkError(
                f"an error at the count {shown(self.frequency)} with gamma = {shown(self.law.gamma)} takes "
                f"more than about a minute: give a smaller count or gamma, or a retention with fewer digits"
            )
        return self.law.error_enclosure(self.frequency, self.offset, bits)

    @one_budget()
    def exact(self) -> Fraction:
        """Return the probability itself; raise ParameterError where `refuse_long` does."""
        numerator = self.numerator()
        spend(reduction(self.frequency * self.law.unit().bit_length()))
        return Fraction(numerator, self.law.unit() ** self.frequency)

    @one_budget()
    def numerator(self) -> int:
        """Return the integer that is the probability times the law's `unit` to the power f."""
        self.refuse_long()
        return self.law.error_numerator(self.frequency, self.offset)

    @one_budget()
    def compare(self, bound: Exact, name: str = "the bound") -> int:
        """Return 1, 0 or -1: the probability is above, equal to or below a number.

        Parameters
        ----------
        bound
            The number.
        name
            Its name, for the error message.

        Raises
        ------
        ParameterError
            If enclosures are inconclusive and the exact probability would take too long.
        """
        number = exact(bound, name)
        for accuracy in (12, 150):
            near = self.bounds(accuracy)
            if near.lower > number:
                return 1
            if near.upper < number:
                return -1
        try:
            value = self.exact()
        except ParameterError:
            raise ParameterError(
                f"{name} is too near the true probability to be compared with it: write it with fewer digits"
            ) from None
        return (value > number) - (value < number)

    @one_budget()
    def decimal(self, rounding: Literal["down", "up"], digits: Exact = 12) -> str:
        """Return the probability to a number of significant digits, rounded in the given direction."""
        rounded = decimal_down if rounding == "down" else decimal_up
        for precision in (12, 150):
            near = self.bounds(integer(digits, "digits", 1) + precision)
            low, high = (rounded(end, digits) for end in (near.lower, near.upper))
            if low == high:
                return low
        return rounded(self.exact(), digits)

    @one_budget()
    def json(self, rounding: Literal["down", "up"]) -> ExactJson:
        """Return the probability for JSON: with its fraction while that is printable."""
        return exact_json(self.value(), rounding)

    @one_budget()
    def value(self) -> Fraction | Bounds:
        """Return the probability where its fraction is printable, and otherwise an enclosure to 60 digits.

        An enclosure of a short decimal number lies on both sides of it, so that its end has other digits.
        """
        return self.exact() if self._is_short() else self.bounds()

    def refuse_long(self) -> None:
        """Raise ParameterError unless the probability can be given as a fraction."""
        law, frequency, offset = self.law, self.frequency, self.offset
        trials = law.gamma * frequency
        if trials > EXACT_TRIALS:
            raise ParameterError(
                f"gamma times the count is {shown(trials)}: an exact fraction is given up to {EXACT_TRIALS}; "
                f"use its bounds, a certified enclosure"
            )
        if law.is_plain and exact_work(law, frequency, offset) > left():
            raise WorkError(
                f"an exact fraction at the count {frequency} takes more than about a minute with gamma = "
                f"{law.gamma}: use its bounds, a certified enclosure"
            )
        if law.is_plain or not law.errors(frequency, offset):
            return
        own, other = law.retention.denominator.bit_length(), law.decoy.denominator.bit_length()
        bits = frequency * (own + (law.gamma - 1) * other)
        factor = 1 + (own + other + trials.bit_length()) // 30  # whole machine digits in a factor of a term
        if bits * min(frequency + offset, trials) * factor > EXACT_WORK:
            raise ParameterError(
                f"an exact fraction at the count {frequency} takes too long with retention = "
                f"{shown(law.retention)}: use its bounds, a certified enclosure, or a retention with fewer "
                f"digits"
            )

    def _is_short(self) -> bool:
        """Say whether the denominator, before it is reduced, has at most `LONGEST` digits."""
        own, decoy, gamma = self.law.retention.denominator, self.law.decoy.denominator, self.law.gamma
        longest: int = 10**LONGEST
        # What is certainly too long is not computed.
        least_bits = self.frequency * (own.bit_length() - 1 + (gamma - 1) * (decoy.bit_length() - 1))
        if least_bits > longest.bit_length():
            return False
        denominator: int = (own * decoy ** (gamma - 1)) ** self.frequency
        return denominator < longest


def enclosure_work(law: PublishedCount, frequency: int, offset: int, bits: int) -> int:
    """Estimate the work of `error_enclosure`: the way to the largest terms, and the terms there."""
    precision = bits + 64
    deviation = isqrt(ceil(2 * precision * law.variance * frequency)) + 64
    way = min(2 * law.gamma * frequency, 16 * deviation + 2 * offset)
    terms = 2 * deviation * (STEP + 2 * digits(precision))
    if not law.is_plain:
        longest = digits((law.gamma * frequency * law.decoy.denominator).bit_length())
        terms = 2 * deviation * (50 * STEP + 8 * digits(precision) * longest)
    return 2 * (way * factor_work(precision) + terms)


def exact_work(law: PublishedCount, frequency: int, offset: int) -> int:
    """Estimate the work of `error_probability` for p = 1/gamma: both tails, and the lowest terms."""
    trials = law.gamma * frequency
    tails = sum(
        tail_work(trials, least, share)
        for least, share in (
            (frequency + offset, law.retention),
            (trials - frequency + offset, 1 - law.retention),
        )
        if least <= trials
    )
    return tails + reduction(trials * int(law.gamma).bit_length())


def error_probability(
    gamma: Exact,
    epsilon: Exact,
    frequency: Exact,
    *,
    strict: bool = False,
    retention: Exact | None = None,
) -> ErrorProbability:
    """Return Pr(abs(f' - f) >= epsilon f).

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, a whole number of at least 1.
    strict
        ``False``: Definitions 1 and 2, an error of exactly epsilon f counts. ``True``: Theorem 4, it does
        not.
    retention
        Retention probability p, greater than 0 and at most 1; None stands for 1/gamma.

    Returns
    -------
    ErrorProbability
        Between 0 and 1; 0 only when no count that far from f is possible. Its fraction is given for gamma f
        of up to 300,000, its bounds up to 200,000,000, if the budget of work allows it.

    Raises
    ------
    ParameterError
        For a parameter outside its range, or a float.

    Notes
    -----
    Fu et al. 2014, Definitions 1 and 2, Lemma 2 and Theorem 4; splu.Rp for the law of f'.
    """
    law, count = PublishedCount.of(gamma, retention), integer(frequency, "frequency", 1)
    return ErrorProbability(law, count, error_offset(epsilon, count, strict=strict))
