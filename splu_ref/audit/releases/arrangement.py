"""Where swapped cells went, given how many records of each value show each other one.

A uniform permutation of the released cells treats all records of one value alike. So given the table of true
against published values, every arrangement of the published values among the records of one true value is as
likely as any other, independently of those of other values. In any division of the records that their cells
and places decide, what a part shows is hypergeometric then, given what the parts before it show.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from splu_ref.audit.e_values import EValue
from splu_ref.audit.releases.divisions import by_cells, by_other_sensitive, by_place
from splu_ref.audit.releases.findings import Evidence, NotChecked
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import Logs, independent_product, mean_log, renumbered
from splu_ref.randomness import IntArray

Told = NDArray[np.bool_]
"""Which published values count, by part and true value, shape (parts, values, values)."""

LAGS = 16
"""How far apart records may stand whose values are compared."""
_LARGEST = 1 << 19
"""Entries of the largest table of parts, true and published values."""


def hypergeometric_logs(rows: IntArray, marked: IntArray, drawn: IntArray, seen: IntArray) -> Logs:
    """Return natural logarithms of 1/(k Pr(X = seen)), k the number of possible counts, rounded down amply.

    Parameters
    ----------
    rows, marked, drawn, seen
        Of so many rows so many are marked; so many are drawn without replacement, so many of them marked.
    """
    possible = np.minimum(marked, drawn) - np.maximum(0, drawn - (rows - marked)) + 1
    chances = _log_choose(marked, seen) + _log_choose(rows - marked, drawn - seen) - _log_choose(rows, drawn)
    logs: Logs = -np.log(possible) - chances - 1e-12 * (1 + rows * np.log(rows + 2))
    return logs


def arranged_log(cells: IntArray, told: Told) -> float:
    """Return the natural logarithm of the e-value of a division; see the module.

    Parameters
    ----------
    cells
        How many rows of each part show each value, by true value, shape (parts, values, values).
    told
        Which of these values count in which part.
    """
    left = cells[::-1].cumsum(axis=0)[::-1]  # in this part and those after it
    drawn, rows = cells.sum(axis=2), left.sum(axis=2)
    logs = hypergeometric_logs(rows, (left * told).sum(axis=2), drawn, (cells * told).sum(axis=2))
    return independent_product(logs[drawn > 0])


class Arrangement:
    """A column of a swapped table, row by row with its original.

    Parameters
    ----------
    match
        The table, all of whose rows stand where their records stood.
    column
        The column.
    """

    def __init__(self, match: Match, column: str) -> None:
        self.match, self.column = match, column
        self.true, self.shown = match.true_values(column), match.published[column]
        self.size = len(match.original.domains[column])

    @cached_property
    def own(self) -> Told:
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
        """Return the logarithm of the e-value of which rows keep their own value."""
        cells = self.cells(part)
        return arranged_log(cells, np.broadcast_to(self.own, cells.shape))

    def log_of_frequent(self, part: IntArray) -> float:
        """Return that of which rows show another value that their part has more often than the table."""
        cells = self.cells(part)
        held = cells.sum(axis=2)
        frequent = held * len(part) > held.sum(axis=1, keepdims=True) * held.sum(axis=0)
        return arranged_log(cells, frequent[:, None, :] & ~self.own)

    def log_beside(self, lag: int) -> float:
        """Return that of which rows show the value of the record so many places after them, or before."""
        return self.log_of_value(np.roll(self.true, -lag))

    def log_of_value(self, values: IntArray) -> float:
        """Return that of which rows show a value that is named for each, and not their own."""
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
    """Hold which rows keep their own value against every division of them; see the module.

    Notes
    -----
    The parts, and the true values in them, are multiplied; the divisions of a family and the families, by
    place, by the other columns and by the other sensitive ones, are averaged.
    """
    arrangement = Arrangement(match, column)
    families = [
        [arrangement.log_of_kept(part) for part in family]
        for family in (arrangement.by_place(), arrangement.by_columns(), arrangement.by_other_sensitive())
    ]
    return _evidence("independence", arrangement, families, "keep their own value", own=True)


def locality_of(match: Match, column: str) -> Evidence | NotChecked:
    """Hold which other values rows show against those of the rows around them, and of their parts.

    Notes
    -----
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
    name: str, arrangement: Arrangement, families: list[list[float]], told: str, *, own: bool
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
        half, text = rows // 2, f"the {rows} rows of the most frequent value, of which {seen} {told}"
        counts = np.arange(max(0, half - (rows - seen)), min(seen, half) + 1)
        fails = hypergeometric_logs(counts * 0 + rows, counts * 0 + seen, counts * 0 + half, counts) >= needed
        above = counts[fails & (counts * rows > seen * half)]
        if not len(above):
            return f"no split of {text}"
        return f"{above.min()} or more of them in one half of {text}"

    detail = f"which rows {told}, in {divisions} divisions of the rows"
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
