"""Whether a record that keeps its value has anything to do with what stands around it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np

from splu_ref.audit.e_values import EValue, counts_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.divisions import by_cells, by_other_sensitive, by_place, moduli
from splu_ref.audit.releases.findings import Claim, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.own_rates import Flags, OwnRates
from splu_ref.audit.releases.pooling import independent_product, mean_log, renumbered
from splu_ref.randomness import IntArray

_MEMORY = 4  # flags that a context remembers


class _Coins(NamedTuple):
    """Rows for which a coin decides: their true values, and whether they kept them."""

    true: IntArray
    kept: Flags


_Division: TypeAlias = tuple[IntArray, int, _Coins]
"""The part of each row, the number of parts, and the rows."""

_PARTS = 8  # the power is stated for one of so many parts of the rows


def independence_evidence(match: Match, column: str, claimed: Claim) -> Evidence | None:
    """Hold the rows that kept their value against independent coins, in every context named beforehand.

    Returns None if no row's true value is known, or no coin decides for any.

    Notes
    -----
    Every record keeps its value with probability p, independently of the other records, the plan, the
    places, the shuffle and the other sensitive columns. So in any division of the rows that these decide,
    the parts are independent, and in each of them the number of rows that kept their value is
    Bin(rows, p): the e-values of the parts are multiplied (`independent_product`). A division may also look
    at the rows before: then each factor has expectation 1 given these. The divisions of a family, and the
    families, are averaged. Where p depends on the value, parts have a mean rate (`OwnRates.logs`), and those
    that look at rows before are divided further by the true value.

    Where the draws of a group hang together, each row counts for one in gamma (`point_logs`), so that parts
    may still be multiplied, and no division looks at the rows before.
    """
    flags = _Flags(match, column, claimed)
    if not len(flags.rows):
        return None
    # A division has a number for each row: no more than one is held at a time.
    families = [[flags.log(*division) for division in family] for family in flags.families()]
    logs = [mean_log(family) for family in families if family]
    e_value = EValue(mean_log(logs) / math.log(10))
    divisions = sum(map(len, families))

    def power(level: Fraction) -> str:
        share = level / (len(families) * max(map(len, families)) * 9 * _PARTS)
        rows = len(flags.rows) // _PARTS // claimed.together
        reached = rate_power(counts_point, rows, flags.own.mean(flags.coins.true), share)
        alike = "" if claimed.together == 1 else " where a group keeps all its values or none"
        return f"one of {_PARTS} parts of the rows, by place, order or a column{alike}: {reached}"

    detail = f"rows that kept their value, in {divisions} divisions of the rows"
    return Evidence("independence", column, e_value, len(flags.rows), detail, power)


class _Flags:
    """The rows whose true value is known, which of them kept it, and the divisions of them."""

    def __init__(self, match: Match, column: str, claimed: Claim) -> None:
        self.match, self.column = match, column
        self.gamma, self.together = claimed.period, claimed.together
        self.own = OwnRates(claimed, column, len(match.original.domains[column]))
        self.spacings = (self.gamma, 2 * self.gamma, self.gamma**2)
        self.true = match.true_values(column)
        drawn = (self.true >= 0) & self.own.drawn[self.true]
        self.rows = np.flatnonzero(drawn)
        published = match.published[column]
        self.coins = _Coins(self.true[self.rows], (published == self.true)[self.rows])
        # Of rows that are one record for certain, in the order of the original file.
        single = np.flatnonzero((match.records >= 0) & drawn)
        self.filed = single[np.argsort(match.records[single])]
        self.coins_filed = _Coins(self.true[self.filed], (published == self.true)[self.filed])

    def log(self, part: IntArray, parts: int, coins: _Coins) -> float:
        """Return the natural logarithm of the e-value of a division into parts, some of them empty."""
        return independent_product(self.own.logs(part, parts, coins.true, coins.kept))

    def families(self) -> Iterator[Iterator[_Division]]:
        """Yield divisions by family."""
        yield self._without_draws(by_place(self.rows, self.match.rows, self.spacings), self.coins)
        if self.together == 1:
            yield self._by_those_before(self.rows, self.coins)
        yield self._without_draws(self._by_columns(), self.coins)
        if len(self.match.original.sensitive) > 1:
            others = by_other_sensitive(self.match, self.column, self.rows)
            yield self._without_draws(others, self.coins)
        if len(self.filed):
            yield self._without_draws(self._by_file(), self.coins_filed)
            if self.together == 1:
                yield self._by_those_before(self.filed, self.coins_filed)

    def _without_draws(self, divisions: Iterator[IntArray], coins: _Coins) -> Iterator[_Division]:
        """Yield divisions that do not depend on the column's draws, numbered without empty parts."""
        for division in divisions:
            part = renumbered(division)
            yield part, int(part.max()) + 1, coins

    def _by_file(self) -> Iterator[IntArray]:
        """Divide by the place in the original file without the records that are known to be deleted."""
        records = self.match.records[self.filed]
        deleted = np.flatnonzero((self.match.missing == 1) & (self.match.index.sizes == 1))
        places = records - np.searchsorted(deleted, records)
        size = self.match.original.row_count
        yield from by_place(places, size, self.spacings)
        moved = self.filed - places
        yield moved % size * 16 // size  # how far the row has moved
        # The place among the records of the same value, and in the file sorted by value.
        true = self.true[self.filed]
        order = np.argsort(true, kind="stable")
        by_value = np.empty_like(order)
        by_value[order] = np.arange(len(order))
        within = by_value - np.searchsorted(true[order], true)
        for modulus in moduli(self.match.rows, [self.gamma]):
            yield within % modulus
            yield by_value % modulus

    def _by_those_before(self, rows: IntArray, coins: _Coins) -> Iterator[_Division]:
        """Divide by what the rows before did: whether they kept their value, and which they show.

        The number of parts is that of all that may occur: it must not depend on the draws.
        """
        kept = coins.kept.astype(np.int64)
        for part, parts in self._of_the_past(rows, kept):
            yield *self.own.apart(part, parts, coins.true), coins

    def _of_the_past(self, rows: IntArray, kept: IntArray) -> Iterator[tuple[IntArray, int]]:
        past = np.zeros_like(kept)
        for lag in range(1, _MEMORY + 1):
            past[lag:] += kept[:-lag] << (lag - 1)
            yield past.copy(), 2**lag
        apart = np.full_like(kept, 2)
        apart[self.gamma :] = kept[: -self.gamma]
        yield apart, 3
        shown = np.zeros_like(kept)
        shown[1:] = self.match.published[self.column][rows[:-1]] + 1
        yield shown, len(self.match.original.domains[self.column]) + 1
        yield (shown == self.true[rows] + 1).astype(np.int64), 2

    def _by_columns(self) -> Iterator[IntArray]:
        """Divide by the own value, by the cells of each other column, and by coarse ranges of them."""
        yield self.true[self.rows]
        for ranks in self.match.original.ranks(blank=self.match.blank):
            yield from by_cells(ranks[self.match.classes[self.rows]])
