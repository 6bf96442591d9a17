"""How many places of a set show a cell from outside it after swapping: its exact law, and what that finds.

Of N records, f hold a value of a set. Each cell is released with probability q = 1 - p, and the released
ones are permuted uniformly. If r and s cells inside and outside the set are released, the number D of places
inside that show a cell from outside is hypergeometric: s of the r + s cells, r places. Summed over r and s,

    Pr(D = d) = 1/d!^2 sum_R q^R p^(N-R)/R! [x^R] A_f(x) A_(N-f)(x),
    A_n(x) = sum_r n!/(n-r)! r!/(r-d)! x^r,

one convolution for each d.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, gammaln

from splu_ref.audit.e_values import EValue
from splu_ref.audit.power import DETECTION
from splu_ref.audit.releases.pooling import Logs
from splu_ref.randomness import IntArray

_GRID = 10_000
"""Retentions are stated as multiples of one in so many."""
_KEPT_LOG = -322.0
"""Natural logarithm of the smallest term of a factor that is kept, against its largest."""
_BISECTIONS = 50


@dataclass(frozen=True, slots=True)
class SwapPower:
    """Which other retentions are found with probability 0.999 or more.

    Attributes
    ----------
    low, high
        Every p up to ``low``, and from ``high`` on, is found; None if none is.
    """

    low: Fraction | None
    high: Fraction | None

    def __str__(self) -> str:
        found = [] if self.low is None else [f"<= {float(self.low):.6g}"]
        found += [] if self.high is None else [f">= {float(self.high):.6g}"]
        return f"p {' or '.join(found) or 'no other'}"


def swapped_count_point(records: int, members: int, shown: int, keep: Fraction) -> EValue:
    """Test that so many places of a set show a cell from outside.

    Parameters
    ----------
    records, members
        Number N of records, and f of those in the set, 0 < f < N.
    shown
        How many places of the set show a cell from outside, 0 to min(f, N - f).
    keep
        Probability p that a cell stays where it is, below 1.

    Returns
    -------
    EValue
        1/(k Pr(D = shown)), k the number of counts that are possible: the mixture of all of them alike.
    """
    possible = min(members, records - members) + 1
    log = -math.log(possible) - _log_chance(records, members, shown, keep)
    return EValue((log - 1e-12 * (1 + records * math.log(records + 2)) - 1e-9) / math.log(10))


def _log_chance(records: int, members: int, shown: int, keep: Fraction) -> float:
    sizes = members, records - members
    if not keep:  # all are released
        among = _log_choose(np.array([sizes[1], sizes[0], records]), np.array([shown, shown, members]))
        return float(among[0] + among[1] - among[2])
    ratio = math.log(1 - keep) - math.log(keep)
    released = [np.arange(shown, size + 1) for size in sizes]
    logs = [
        gammaln(size + 1) - gammaln(size - r + 1) + gammaln(r + 1) - gammaln(r - shown + 1)
        for size, r in zip(sizes, released, strict=True)
    ]
    # Weighted with x^r, x such that x R = q/p where r + s = R is most likely, the sum is largest near this R.
    low, high = ratio - math.log(records) - 1, ratio + 1
    for _ in range(_BISECTIONS):
        tilt = (low + high) / 2
        likely = sum(int(r[(log + r * tilt).argmax()]) for r, log in zip(released, logs, strict=True))
        if tilt + math.log(max(likely, 1)) < ratio:
            low = tilt
        else:
            high = tilt
    parts, first, scale = [], 0, 0.0
    for r, log in zip(released, logs, strict=True):
        tilted = log + r * tilt
        most = float(tilted.max())
        inside = np.flatnonzero(tilted > most + _KEPT_LOG)
        parts.append(np.exp(tilted[inside[0] : inside[-1] + 1] - most))
        first, scale = first + int(r[inside[0]]), scale + most
    sums = np.convolve(parts[0], parts[1])
    totals = first + np.arange(len(sums))
    weights = totals * (ratio - tilt) - gammaln(totals + 1)
    top = float(weights.max())
    log_sum = top + math.log(float(np.dot(sums, np.exp(weights - top)))) + scale
    return log_sum + records * math.log(keep) - 2 * math.lgamma(shown + 1)


@lru_cache(maxsize=128)
def swap_power(records: int, members: int, keep: Fraction, level: Fraction) -> SwapPower:
    """Return which other retentions than ``keep`` `swapped_count_point` finds at a level.

    Notes
    -----
    The counts that are not rejected are taken to be an interval, as they are where the law is log-concave:
    it was in every small world that the tests go through. D grows with r and with s, and both grow as p
    falls. So a bound at a quantile of each, with 1 in 10,000 beyond, holds for all others.
    """
    most = min(members, records - members)
    share = Fraction(members, records) * (1 - Fraction(members, records)) * (1 - keep)
    middle = min(most, int(records * share))

    def rejected(shown: int) -> bool:
        return swapped_count_point(records, members, shown, keep).rejects(level)

    first = bisect_left(range(middle, most + 1), True, key=rejected) + middle
    last = middle - bisect_left(range(middle + 1), True, key=lambda below: rejected(middle - below))

    def found_below(number: int) -> bool:  # a smaller p moves more
        return _at_least(records, members, Fraction(number, _GRID), first)

    def found_above(number: int) -> bool:
        return _at_most(records, members, Fraction(number, _GRID), last)

    low = high = None
    start = math.ceil(keep * _GRID)
    if first <= most:
        less = bisect_left(range(start), True, key=lambda below: found_below(start - 1 - below))
        low = None if less == start else Fraction(start - 1 - less, _GRID)
    if last >= 0:
        more = bisect_left(range(start + 1, _GRID), True, key=found_above)
        high = Fraction(min(start + 1 + more, _GRID), _GRID)
    return SwapPower(low, high)


def _at_least(records: int, members: int, keep: Fraction, shown: int) -> bool:
    """Return whether D is at least ``shown`` with probability 0.999, by a lower bound."""
    inside, outside = (_quantile(n, 1 - float(keep), 1e-4) for n in (members, records - members))
    chances = _hypergeometric(inside, outside)
    return bool(1 - 2e-4 - chances[:shown].sum() >= float(DETECTION)) if shown < len(chances) else False


def _at_most(records: int, members: int, keep: Fraction, shown: int) -> bool:
    """Return whether D is at most ``shown`` with probability 0.999, by a lower bound."""
    inside, outside = (_quantile(n, 1 - float(keep), 1 - 1e-4) for n in (members, records - members))
    chances = _hypergeometric(inside, outside)
    return bool(chances[: shown + 1].sum() - 2e-4 >= float(DETECTION))


def _quantile(trials: int, rate: float, chance: float) -> int:
    """Return a number of successes below which there are fewer with the chance given, or beyond it."""
    counts = np.arange(trials + 1)
    below = bdtr(counts, trials, rate)  # at most so many
    number = int(np.searchsorted(below, chance))
    return number if chance < 0.5 else min(trials, number + 1)


def _hypergeometric(inside: int, outside: int) -> Logs:
    """Return the law of D for so many released cells."""
    shown = np.arange(min(inside, outside) + 1)
    logs = _log_choose(np.full(len(shown), outside), shown) + _log_choose(np.full(len(shown), inside), shown)
    chances: Logs = np.exp(logs - float(_log_choose(np.array([inside + outside]), np.array([inside]))[0]))
    return chances


def _log_choose(whole: IntArray, part: IntArray) -> Logs:
    logs: Logs = gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1)
    return logs
