"""The shipped noise on every path of a limited number of draws: its loops have no last outcome."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from splu_ref.channels.parameters import Exact
from splu_ref.mechanisms import Budget, LaplaceCounts
from splu_ref.mechanisms.laplace import exponential_trial
from splu_ref.randomness import EnumerationSource, outcomes


class _SpentError(Exception):
    """The path is longer than the limit."""


class _Limited(EnumerationSource):
    """Draws from another source, until the limit; what has one outcome only is not counted."""

    def __init__(self, source: EnumerationSource, limit: int) -> None:
        super().__init__()
        self._source, self._left = source, limit

    def integer_below(self, bound: int) -> int:
        if bound > 1:
            if not self._left:
                raise _SpentError
            self._left -= 1
        return self._source.integer_below(bound)


def noise_within(epsilon: Exact, limit: int) -> tuple[dict[int, Fraction], Fraction]:
    """Return the probability of each noise over the paths that end in time, and that of all other paths."""
    budget = Budget.of(epsilon)
    return _within(lambda source: LaplaceCounts(budget).publish_counts([0], source)[0], limit)


def trial_within(exponent: Fraction, limit: int) -> tuple[dict[int, Fraction], Fraction]:
    """Return the same for a trial of probability exp(-exponent): 1 stands for success."""
    return _within(lambda source: int(exponential_trial(exponent, source)), limit)


def _within(draw: Callable[[EnumerationSource], int], limit: int) -> tuple[dict[int, Fraction], Fraction]:
    def run(source: EnumerationSource) -> int | None:
        try:
            return draw(_Limited(source, limit))
        except _SpentError:
            return None

    found: dict[int, Fraction] = {}
    left = Fraction(0)
    for number, chance in outcomes(run):
        if number is None:
            left += chance
        else:
            found[number] = found.get(number, Fraction(0)) + chance
    return found, left
