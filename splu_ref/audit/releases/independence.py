"""Whether a record that keeps its value has anything to do with what stands around it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from splu_ref.audit.e_values import EValue, counts_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.divisions import by_cells, by_other_sensitive, by_place, moduli
from splu_ref.audit.releases.findings import Claim, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import independent_product, mean_log, point_logs, renumbered
from splu_ref.randomness import IntArray

_MEMORY = 4  # flags that a context remembers
_Division: TypeAlias = tuple[IntArray, int, IntArray]
"""The part of each row, the number of parts, and whether each row kept its value."""

_PARTS = 8  # the power is stated for one of so many parts of the rows


def independence_evidence(match: Match, column: str, claimed: Claim) -> Evidence | None:
    """Hold the rows that kept their value against independent coins, in every context named beforehand.

    Returns None if no row's true value is known.

    Notes
    -----
    Every record keeps its value with probability p, independently of the other records, the plan, the
    places, the shuffle and the other sensitive columns. So in any division of the rows that these decide,
    the parts are independent, and in each of them the number of rows that kept their value is
    Bin(rows, p): the e-values of the parts are multiplied (`independent_product`). A division may also look
    at the rows before: then each factor has expectation 1 given these. The divisions of a family, and the
    families, are averaged.

    Where the draws of a group hang together, each row counts for one in gamma (`point_logs`), so that parts
    may still be multiplied, and no division looks at the rows before.
    """
    flags = _Flags(match, column, claimed)
    if not len(flags.rows):
        return None
    families = [list(family) for family in flags.families()]
    logs = [mean_log([flags.log(*division) for division in family]) for family in families if family]
    e_value = EValue(mean_log(logs) / math.log(10))
    divisions = sum(map(len, families))

    def power(level: Fraction) -> str:
        share = level / (len(families) * max(map(len, families)) * 9 * _PARTS)
        rows = len(flags.rows) // _PARTS // claimed.together
        reached = rate_power(counts_point, rows, claimed.own_rate(column), share)
        alike = "" if claimed.together == 1 else " where a group keeps all its values or none"
        return f"one of {_PARTS} parts of the rows, by place, order or a column{alike}: {reached}"

    detail = f"rows that kept their value, in {divisions} divisions of the rows"
    return Evidence("independence", column, e_value, len(flags.rows), detail, power)


class _Flags:
    """The rows whose true value is known, which of them kept it, and the divisions of them."""

    def __init__(self, match: Match, column: str, claimed: Claim) -> None:
        self.match, self.column = match, column
        self.gamma, self.rate = claimed.period, claimed.own_rate(column)
        self.together = claimed.together
        self.spacings = (self.gamma, 2 * self.gamma, self.gamma**2)
        self.true = match.true_values(column)
        self.rows = np.flatnonzero(self.true >= 0)
        published = match.published[column]
        self.kept = (published == self.true)[self.rows].astype(np.int64)
        # Of rows that are one record for certain, in the order of the original file.
        single = np.flatnonzero(match.records >= 0)
        self.filed = single[np.argsort(match.records[single])]
        self.kept_filed = (published == self.true)[self.filed].astype(np.int64)

    def log(self, part: IntArray, parts: int, kept: IntArray) -> float:
        """Return the natural logarithm of the e-value of a division into parts, some of them empty."""
        trials = np.bincount(part, minlength=parts)
        successes = np.bincount(part, weights=kept, minlength=parts).astype(np.int64)
        return independent_product(point_logs(trials, successes, self.rate, self.together))

    def families(self) -> Iterator[Iterator[_Division]]:
        """Yield divisions by family."""
        yield self._without_draws(by_place(self.rows, self.match.rows, self.spacings), self.kept)
        if self.together == 1:
            yield self._by_those_before(self.rows, self.kept)
        yield self._without_draws(self._by_columns(), self.kept)
        if len(self.match.original.sensitive) > 1:
            others = by_other_sensitive(self.match, self.column, self.rows)
            yield self._without_draws(others, self.kept)
        if len(self.filed):
            yield self._without_draws(self._by_file(), self.kept_filed)
            if self.together == 1:
                yield self._by_those_before(self.filed, self.kept_filed)

    def _without_draws(self, divisions: Iterator[IntArray], kept: IntArray) -> Iterator[_Division]:
        """Yield divisions that do not depend on the column's draws, numbered without empty parts."""
        for division in divisions:
            part = renumbered(division)
            yield part, int(part.max()) + 1, kept

    def _by_file(self) -> Iterator[IntArray]:
        """Divide by the place in the original file without the records that are known to be deleted."""
        records = self.match.records[self.filed]
        deleted = np.flatnonzero((self.match.missing == 1) & (self.match.index.sizes == 1))
        places = records - np.searchsorted(deleted, records)
        size = int(self.match.original.table.row_count)
        yield from by_place(places, size, self.spacings)
        yield (self.filed - places) % size * 16 // size  # how far the row has moved
        # The place among the records of the same value, and in the file sorted by value.
        true = self.true[self.filed]
        order = np.argsort(true, kind="stable")
        by_value = np.empty_like(order)
        by_value[order] = np.arange(len(order))
        within = by_value - np.searchsorted(true[order], true)
        for modulus in moduli(self.match.rows, [self.gamma]):
            yield within % modulus
            yield by_value % modulus

    def _by_those_before(self, rows: IntArray, kept: IntArray) -> Iterator[_Division]:
        """Divide by what the rows before did: whether they kept their value, and which they show.

        The number of parts is that of all that may occur: it must not depend on the draws.
        """
        past = np.zeros_like(kept)
        for lag in range(1, _MEMORY + 1):
            past[lag:] += kept[:-lag] << (lag - 1)
            yield past.copy(), 2**lag, kept
        apart = np.full_like(kept, 2)
        apart[self.gamma :] = kept[: -self.gamma]
        yield apart, 3, kept
        shown = np.zeros_like(kept)
        shown[1:] = self.match.published[self.column][rows[:-1]] + 1
        yield shown, len(self.match.original.domains[self.column]) + 1, kept
        yield (shown == self.true[rows] + 1).astype(np.int64), 2, kept

    def _by_columns(self) -> Iterator[IntArray]:
        """Divide by the own value, by the cells of each other column, and by coarse ranges of them."""
        yield self.true[self.rows]
        for ranks in self.match.original.ranks(blank=self.match.blank):
            yield from by_cells(ranks[self.match.classes[self.rows]])
