"""Exact laws of swapping: how many cells leave a set of values, and where swapped cells go.

Of N records, f hold a value of a set. Each cell is released with probability q = 1 - p, and the released
ones are permuted uniformly. If r and s cells inside and outside the set are released, the number D of places
inside that show a cell from outside is hypergeometric: s of the r + s cells, r places. Summed over r and s,

    Pr(D = d) = 1/d!^2 sum_R q^R p^(N-R)/R! [x^R] A_f(x) A_(N-f)(x),
    A_n(x) = sum_r n!/(n-r)! r!/(r-d)! x^r,

one convolution for each d.

A uniform permutation of the released cells treats all records of one value alike. So given the table of true
against published values, every arrangement of the published values among the records of one true value is as
likely as any other, independently of those of other values. In any division of the records that their cells
and places decide, what a part shows is hypergeometric then, given what the parts before it show.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln

from splu_ref.audit.e_values import EValue
from splu_ref.audit.power import DETECTION
from splu_ref.audit.releases.findings import Evidence, NotChecked
from splu_ref.audit.releases.pooling import (
    Logs,
    by_cells,
    by_other_sensitive,
    by_place,
    independent_product,
    mean_log,
    renumbered,
)
from splu_ref.audit.releases.record_linkage import Match
from splu_ref.randomness import IntArray

_GRID = 10_000
"""Retentions are stated as multiples of one in so many."""
_KEPT_LOG = -322.0
"""Natural logarithm of the smallest term of a factor that is kept, against its largest."""
_BISECTIONS = 50


@dataclass(frozen=True, slots=True)
class SwapPower:
    """Which other retentions are detected with probability 0.999 or more."""

    # low, high: every p up to ``low``, and from ``high`` on, is found; None if none is
    low: Fraction | None
    high: Fraction | None

    def __str__(self) -> str:
        found = [] if self.low is None else [f"<= {float(self.low):.6g}"]
        found += [] if self.high is None else [f">= {float(self.high):.6g}"]
        return f"p {' or '.join(found) or 'no other'}"


def swapped_count_point(records: int, members: int, shown: int, keep: Fraction) -> EValue:
    """Test that so many places of a set show a cell from outside."""
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


Mask = NDArray[np.bool_]
"""Which published values count, by part and true value, shape (parts, values, values)."""

LAGS = 16
"""How far apart records may stand whose values are compared."""
_LARGEST = 1 << 19
"""Entries of the largest table of parts, true and published values."""


def hypergeometric_logs(rows: IntArray, marked: IntArray, drawn: IntArray, seen: IntArray) -> Logs:
    """Return logarithms of 1/(k Pr(X = seen)), k the number of possible counts, rounded down amply."""
    possible = np.minimum(marked, drawn) - np.maximum(0, drawn - (rows - marked)) + 1
    chances = _log_choose(marked, seen) + _log_choose(rows - marked, drawn - seen) - _log_choose(rows, drawn)
    logs: Logs = -np.log(possible) - chances - 1e-12 * (1 + rows * np.log(rows + 2))
    return logs


def arranged_log(cells: IntArray, counted: Mask) -> float:
    """Return the natural logarithm of the e-value of a division; see the module."""
    left = cells[::-1].cumsum(axis=0)[::-1]  # in this part and those after it
    drawn, rows = cells.sum(axis=2), left.sum(axis=2)
    logs = hypergeometric_logs(rows, (left * counted).sum(axis=2), drawn, (cells * counted).sum(axis=2))
    return independent_product(logs[drawn > 0])


class Arrangement:
    """A column of a swapped table, row by row with its original."""

    def __init__(self, match: Match, column: str) -> None:
        self.match, self.column = match, column
        self.true, self.shown = match.true_values(column), match.published[column]
        self.size = len(match.original.domains[column])

    @cached_property
    def own(self) -> Mask:
        """Whether a published value is the true one, shape (values, values)."""
        return np.eye(self.size, dtype=bool)

    def fits(self, parts: int) -> bool:
        """Return whether the table of so many parts is small enough to be made."""
        return parts * self.size**2 <= _LARGEST

    def cells(self, part: IntArray) -> IntArray:
        """Return how many rows of each part show each value, by true value."""
        return self._cells(part, int(part.max()) + 1)

    def _cells(self, part: IntArray, parts: int) -> IntArray:
        shape = parts, self.size, self.size
        flat = (part * self.size + self.true) * self.size + self.shown
        return np.bincount(flat, minlength=math.prod(shape)).reshape(shape)

    def log_of_kept(self, part: IntArray) -> float:
        """Return the logarithm of the e-value of which rows retain their true value."""
        cells = self.cells(part)
        return arranged_log(cells, np.broadcast_to(self.own, cells.shape))

    def log_of_frequent(self, part: IntArray) -> float:
        """Return that of the rows that show another value, more frequent in their part than in the table."""
        cells = self.cells(part)
        row_sums = cells.sum(axis=2)
        frequent = row_sums * len(part) > row_sums.sum(axis=1, keepdims=True) * row_sums.sum(axis=0)
        return arranged_log(cells, frequent[:, None, :] & ~self.own)

    def log_beside(self, lag: int) -> float:
        """Return that of the rows that show the true value of the record ``lag`` rows later."""
        return self.log_of_value(np.roll(self.true, -lag))

    def log_of_value(self, values: IntArray) -> float:
        """Return that of the rows that show the value given for each, which is not the true one."""
        named = np.repeat(self.own[:, None, :], self.size, axis=1)
        return arranged_log(self._cells(values, self.size), named & ~self.own)

    def by_place(self) -> Iterator[IntArray]:
        """Yield divisions of the rows by their places."""
        return self._small(by_place(np.arange(len(self.true)), len(self.true)))

    def by_columns(self) -> Iterator[IntArray]:
        """Yield divisions by the cells of each column that is not sensitive."""
        for ranks in self.match.original.ranks(blank=self.match.blank):
            yield from self._small(by_cells(ranks))

    def by_other_sensitive(self) -> Iterator[IntArray]:
        """Yield divisions by the other sensitive columns, whose draws are independent of these."""
        return self._small(by_other_sensitive(self.match, self.column, np.arange(len(self.true))))

    def _small(self, divisions: Iterator[IntArray]) -> Iterator[IntArray]:
        for division in divisions:
            part = renumbered(division)
            if self.fits(int(part.max()) + 1):
                yield part


def independence_of(match: Match, column: str) -> Evidence | NotChecked:
    """Test which rows retain their true value against every division of them; see the module.

    The parts, and the true values in them, are multiplied; the divisions of a family and the families, by
    place, by the other columns and by the other sensitive ones, are averaged.
    """
    arrangement = Arrangement(match, column)
    families = [
        [arrangement.log_of_kept(part) for part in family]
        for family in (arrangement.by_place(), arrangement.by_columns(), arrangement.by_other_sensitive())
    ]
    return _evidence("independence", arrangement, families, "retain their true value", own=True)


def locality_of(match: Match, column: str) -> Evidence | NotChecked:
    """Test which other values rows show against those of the rows around them, and of their parts.

    As `independence_of`: rows that show the value of the record 1 to 16 places after or before them, and rows
    that show a value which their part of the table has more often than the whole.
    """
    arrangement = Arrangement(match, column)
    lags = [sign * lag for lag in range(1, LAGS + 1) for sign in (1, -1)]
    near = lags if arrangement.fits(arrangement.size) else []
    families = [[arrangement.log_beside(lag) for lag in near if abs(lag) < match.rows]]
    families += [
        [arrangement.log_of_frequent(part) for part in family]
        for family in (arrangement.by_place(), arrangement.by_columns())
    ]
    return _evidence("locality", arrangement, families, "show another value", own=False)


def _evidence(
    name: str, arrangement: Arrangement, families: list[list[float]], words: str, *, own: bool
) -> Evidence | NotChecked:
    logs = [mean_log(family) for family in families if family]
    if not logs:
        return NotChecked(name, arrangement.column, "the domain is too large for its table of values")
    column, divisions = arrangement.column, sum(map(len, families))
    totals = arrangement.cells(np.zeros_like(arrangement.true))[0]
    value = int(totals.sum(axis=1).argmax())
    rows = int(totals[value].sum())
    seen = int(totals[value, value]) if own else rows - int(totals[value, value])

    def power(level: Fraction) -> str:
        factors = 2 * arrangement.size
        needed = -math.log(level) + math.log(len(logs) * max(map(len, families)) * 9 * factors)
        half, text = rows // 2, f"the {rows} rows of the most frequent value, of which {seen} {words}"
        counts = np.arange(max(0, half - (rows - seen)), min(seen, half) + 1)
        fails = hypergeometric_logs(counts * 0 + rows, counts * 0 + seen, counts * 0 + half, counts) >= needed
        above = counts[fails & (counts * rows > seen * half)]
        if not len(above):
            return f"no split of {text}"
        return f"{above.min()} or more of them in one half of {text}"

    detail = f"which rows {words}, in {divisions} divisions of the rows"
    return Evidence(
        name, column, EValue(mean_log(logs) / math.log(10)), arrangement.match.rows, detail, power
    )


def compared(match: Match, column: str, values: IntArray) -> EValue | None:
    """Return the e-value that the rows were arranged without regard to values that are named for each.

    None if there are too many values.
    """
    arrangement = Arrangement(match, column)
    if not arrangement.fits(arrangement.size):
        return None
    return EValue(arrangement.log_of_value(values) / math.log(10))


def _log_choose(whole: IntArray, part: IntArray) -> Logs:
    logs: Logs = gammaln(whole + 1) - gammaln(part + 1) - gammaln(whole - part + 1)
    return logs
