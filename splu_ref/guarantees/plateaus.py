"""The sawtooth lemma (splu.S): where the error probability can be smallest or largest.

For a fixed integer j >= 1, Pr(abs(X_f - f) >= j) does not fall as f grows. The error event at f is such an
event, with j = ceil(epsilon f), or floor(epsilon f) + 1 in the strict form, and j is constant on runs of
f, the plateaus. So over whole plateaus the error is smallest at a plateau's first f and largest at its
last.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from splu_ref.model import Exact, positive, whole


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
    return _offset(positive(epsilon, "epsilon"), whole(frequency, "frequency", 1), strict)


def plateau_starts(epsilon: Exact, alpha: Exact, *, strict: bool = False) -> Iterator[int]:
    """Yield, ascending, the first f of every plateau that meets 1..alpha.

    The minimum of the error probability over 1 <= f <= alpha is attained at one of them.
    Parameters and errors as in `error_offset`; ``alpha`` is at least 1.
    """
    return _starts(positive(epsilon, "epsilon"), whole(alpha, "alpha", 1), strict)


def plateau_ends(epsilon: Exact, last: Exact, *, strict: bool = False) -> Iterator[int]:
    """Yield, descending, the last f of every plateau that ends in 1..last.

    If the error probability at every f > ``last`` is at most T, then it is at most T from some g <= last
    on if and only if it is so at the plateau ends from g to ``last``: a plateau that ends beyond ``last``
    is bounded by its end. Parameters and errors as in `error_offset`; ``last`` is at least 0.
    """
    return _ends(positive(epsilon, "epsilon"), whole(last, "last", 0), strict)


class Plateaus:
    """The plateaus that meet 1..``last``, by number from 0 on; ``len`` is how many end in 1..last - 1."""

    def __init__(self, epsilon: Fraction, last: int, strict: bool) -> None:
        self._epsilon, self._last, self._strict = epsilon, last, strict

    def offset(self, frequency: int) -> int:
        """Return `error_offset` at the count."""
        return _offset(self._epsilon, frequency, self._strict)

    def __len__(self) -> int:
        if self._epsilon >= 1:  # every count is a plateau of its own
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
    """Return, ascending, ranges (first, last) that cover 0..size-1: single at the end, longer before it."""
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
