"""The probability that the published count is wrong: the exact law of f' ~ Bin(gamma f, 1/gamma).

Fu et al. 2014, section 4: the records of a group that holds a value publish it with probability 1/gamma
each and independently, and gamma f records stand in groups that hold a value of count f. The two tails
are added; nothing is computed as one minus the probability of being right.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from splu_ref.binomial import (
    Bounds,
    Enclosure,
    MassWalk,
    lower_tail_enclosure,
    lower_tail_numerator,
    upper_tail_enclosure,
    upper_tail_numerator,
)
from splu_ref.guarantees.plateaus import error_offset
from splu_ref.model import Exact, Gamma, ParameterError, shown, whole

EXACT_TRIALS = 300_000
"""Largest gamma f for which a probability is given as a fraction: that takes up to a minute."""

DIRECTED_TRIALS = 2 * 10**8
"""Largest gamma f for which a probability is enclosed: that takes up to a minute."""

_WALK_BITS = 64


def error_probability(gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = False) -> Fraction:
    """Return Pr(abs(f' - f) >= epsilon f) exactly, for f' ~ Bin(gamma f, 1/gamma).

    Parameters
    ----------
    gamma
        Size of a decoy group, a whole number of at least 2.
    epsilon
        Relative error, greater than 0.
    frequency
        True count f, a whole number of at least 1; gamma f is at most 300,000.
    strict
        ``False``: Definitions 1 and 2, an error of exactly epsilon f counts. ``True``: Theorem 4, it does
        not.

    Returns
    -------
    Fraction
        Between 0 and 1; 0 only when no count that far from f is possible.

    Raises
    ------
    ParameterError
        For a parameter outside its range, a float, or a size that only `error_bounds` can treat.

    Notes
    -----
    Fu et al. 2014, Definitions 1 and 2, Lemma 2 and Theorem 4.
    """
    gamma = Gamma(gamma)
    trials = gamma * whole(frequency, "frequency", 1)
    return Fraction(error_numerator(gamma, epsilon, frequency, strict=strict), int(gamma) ** trials)


def error_numerator(gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = False) -> int:
    """Return the integer `error_probability` * gamma**(gamma * frequency); the same parameters."""
    gamma, frequency = Gamma(gamma), whole(frequency, "frequency", 1)
    offset = error_offset(epsilon, frequency, strict=strict)
    trials, share = exact_trials(gamma, frequency), Fraction(1, gamma)
    above = upper_tail_numerator(trials, frequency + offset, share)
    return above + lower_tail_numerator(trials, frequency - offset, share)


def error_bounds(gamma: Exact, epsilon: Exact, frequency: Exact, *, strict: bool = False) -> Bounds:
    """Return a certified enclosure of `error_probability`, in directed integers of 256 bits.

    The same parameters, with gamma times the frequency up to 200,000,000. The ends differ by about one
    part in 2**256, and are equal when the probability is 0.
    """
    gamma, frequency = Gamma(gamma), whole(frequency, "frequency", 1)
    offset = error_offset(epsilon, frequency, strict=strict)
    return error_enclosure(gamma, frequency, offset, 256).bounds()


def error_enclosure(gamma: Gamma, frequency: int, offset: int, bits: int) -> Enclosure:
    """Enclose Pr(abs(f' - f) >= offset) with the given relative precision."""
    trials, share = gamma * frequency, Fraction(1, gamma)
    if trials > DIRECTED_TRIALS:
        most = DIRECTED_TRIALS // gamma
        remedy = f"a count of at most {most}" if most else f"a gamma of at most {DIRECTED_TRIALS}"
        raise ParameterError(
            f"gamma times the count is {shown(trials)}: the greatest that is computed is {DIRECTED_TRIALS}; "
            f"give {remedy}"
        )
    above = upper_tail_enclosure(trials, frequency + offset, share, bits)
    return above.plus(lower_tail_enclosure(trials, frequency - offset, share, bits), bits + 8)


def exact_trials(gamma: Gamma, frequency: int) -> int:
    """Return gamma * frequency, after checking that a fraction over gamma to that power is feasible."""
    trials = gamma * frequency
    if trials > EXACT_TRIALS:
        raise ParameterError(
            f"gamma times the count is {shown(trials)}: an exact fraction is given up to {EXACT_TRIALS}; use "
            f"error_bounds or privacy_minimum_bounds for a certified enclosure"
        )
    return trials


class ErrorWalk:
    """Enclosures of the error probability at one count after another, each carried from the last."""

    def __init__(self, gamma: Gamma) -> None:
        self._gamma = gamma
        self._shares = Fraction(1, gamma), 1 - Fraction(1, gamma)  # f' and gamma f - f' have them
        self._walks: list[MassWalk | None] = [None, None]
        self._reached: list[MassWalk] = []

    def move(self, frequency: int, offset: int, below: int | None = None) -> None:
        """Go to the event f' >= f + offset or f' <= f - below, both at least 1; ``below`` is ``offset``."""
        trials = self._gamma * frequency
        self._reached = []
        below = offset if below is None else below
        for side, least in enumerate((frequency + offset, trials - frequency + below)):
            if least > trials:
                continue  # no count is that far off on this side
            walk = self._walks[side]
            if walk is None:
                walk = self._walks[side] = MassWalk(trials, least, self._shares[side], _WALK_BITS)
            else:
                walk.move(trials, least)
            self._reached.append(walk)

    @property
    def possible(self) -> bool:
        """Whether an error has a probability above 0 here."""
        return bool(self._reached)

    def roughly(self) -> Enclosure:
        """Enclose the error probability here by each tail's first term and a geometric series."""
        return _sum(walk.upper_tail_roughly() for walk in self._reached)

    def closely(self) -> Enclosure:
        """Enclose the error probability here to about 60 bits, by summing the tails."""
        return _sum(walk.upper_tail() for walk in self._reached)


def _sum(tails: Iterable[Enclosure]) -> Enclosure:
    total = Enclosure.of(0)
    for tail in tails:
        total = total.plus(tail, _WALK_BITS + 64)
    return total
