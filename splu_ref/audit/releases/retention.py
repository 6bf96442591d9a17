"""How often records are published with their true value, and whether anything around them decides it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.e_values import EValue, average, counts_point
from splu_ref.audit.power import RatePower, rate_power, trials_needed
from splu_ref.audit.releases.claims import CoinClaim
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.pooling import (
    CERTAIN,
    IMPOSSIBLE,
    Logs,
    by_cells,
    by_other_sensitive,
    by_place,
    counted,
    independent_product,
    mean_log,
    moduli,
    point_logs,
    remainders,
    small_numbers,
)
from splu_ref.audit.releases.record_linkage import Match
from splu_ref.randomness import IntArray

Flags: TypeAlias = NDArray[np.bool_]


class TrueValueRates:
    """The probabilities of being published with the true value, by value."""

    def __init__(self, claimed: CoinClaim, column: str, size: int) -> None:
        self.rates = [claimed.true_value_rate(column, value) for value in range(size)]
        self.drawn = np.array([0 < rate < 1 for rate in self.rates])
        self._dependent = claimed.dependent
        self._alike = len(set(self.rates)) == 1
        self._own = np.array([float(rate) for rate in self.rates])
        self._other = np.array([float(1 - rate) for rate in self.rates])

    def mean(self, true: IntArray) -> Fraction:
        """Return the mean probability over rows with these true values, at least one."""
        if self._alike:
            return self.rates[0]
        counts = np.bincount(true, minlength=len(self.rates)).tolist()
        return sum((n * rate for n, rate in zip(counts, self.rates, strict=True)), Fraction(0)) / len(true)

    def contradicted(self, true: IntArray, own: Flags) -> bool:
        """Return whether a row shows its true value though it cannot, or another though it must."""
        certain = ~self.drawn[true]
        return bool((own[certain] != self._own[true[certain]]).any())

    def logs(self, part: NDArray[np.signedinteger], parts: int | None, true: IntArray, own: Flags) -> Logs:
        """Return the logarithms of the e-values of the parts of some rows, shape (parts,).

        The rows of a part that show their true value are a sum of independent indicators. `point_logs` at
        their mean rate is the logarithm of a convex function, so that by Hoeffding (1956, Theorem 3) its
        expectation is at most that under a binomial law, which is 1.
        """
        part = part if parts is not None else small_numbers(part)
        trials, successes = counted(part, own, parts or 0)
        some = trials >= (parts is None)
        if self._alike:
            return point_logs(trials[some], successes[some], self.rates[0], self._dependent)
        rows = np.maximum(trials, 1)
        means = (
            np.bincount(part, weights=of[true], minlength=len(trials)) / rows
            for of in (self._own, self._other)
        )
        kept, left = (np.where(trials > 0, mean, 0.5)[some] for mean in means)
        return point_logs(trials[some], successes[some], (kept, left), self._dependent)

    def apart(self, part: IntArray, parts: int, true: IntArray) -> tuple[IntArray, int]:
        """Divide the parts so that each has one rate, as divisions need that draws before decide.

        There each row adds a factor whose expectation is 1 given the rows before: of a mean rate it is not.
        """
        size = len(self.rates)
        return (part, parts) if self._alike else (part * size + true, parts * size)


PARTS = 2  # pooled, and by value: one of them suffices
_ANY_ROW = "a single row that shows its true value where none can, or another where none can"


def retention_evidence(match: Match, column: str, claimed: CoinClaim) -> Evidence | None:
    """Test the share of rows that retained their true value against p; None if no row's true value is known.

    Every record retains its true value with probability p, independently of all others, whatever the plan,
    the places and the deletion. Which rows have a known true value depends on non-sensitive cells and on the
    deletion alone, so their number that kept it is Bin(rows, p): pooled, and for every value alone. The
    values are independent: their e-values are multiplied (`independent_product`). The two parts are averaged.
    Where p depends on the value, the pooled number has its mean rate (`TrueValueRates.logs`), and rows of
    values for which it is 0 or 1 must do as it says.

    Where the draws of a group are dependent, records of one value still draw independently, because no two of
    them stand in a group. Those of several values do not: pooled, each counts for one in gamma
    (`point_logs`), and the e-values of the values are averaged.
    """
    true = match.true_values(column)
    known, own = true[true >= 0], (match.published[column] == true)[true >= 0]
    if not len(known):
        return None
    size = len(match.original.domains[column])
    own_rates = TrueValueRates(claimed, column, size)
    drawn, contradicted = own_rates.drawn[known], own_rates.contradicted(known, own)
    certain = contradicted or not drawn.any()
    left = (
        "" if certain or drawn.all() else f"; {int((~drawn).sum())} others as their rate of 0 or 1 requires"
    )
    if not certain:
        known, own = known[drawn], own[drawn]
    rate = own_rates.mean(known)
    detail = (
        f"{int(own.sum())} of {len(known)} rows whose true value is known {claimed.kept_words}: "
        f"{own.mean():.4f}, claimed {float(rate):.4f}{left}"
    )
    if certain:
        found = IMPOSSIBLE if contradicted else CERTAIN
        return Evidence("retention", column, found, len(known), detail, lambda _: _ANY_ROW)
    each = own_rates.logs(known, None, known, own)
    if claimed.dependent == 1:
        pooled = counts_point(len(known), int(own.sum()), rate)
        by_value = EValue(independent_product(each) / math.log(10))
    else:
        whole = point_logs(np.array([len(known)]), np.array([int(own.sum())]), rate, claimed.dependent)
        pooled = EValue(float(whole[0]) / math.log(10))
        by_value = EValue(mean_log(each.tolist()) / math.log(10))

    def power(level: Fraction) -> str:
        parts = _parts(known, claimed)
        needed = [
            f"{trials_needed(counts_point, rate, other, level / parts)} rows to find {what}"
            for what, other in claimed.alternatives(column, rate)
        ]
        words = f"{retention_power(known, rate, claimed, level)}; it takes {' and '.join(needed)}"
        return words if claimed.dependent == 1 else f"the most frequent value: {words}"

    return Evidence("retention", column, average([pooled, by_value]), len(known), detail, power)


def retention_power(true: IntArray, rate: Fraction, claimed: CoinClaim, level: Fraction) -> RatePower:
    """Return which other rates than the stated one are found, given the rows' true values, -1 if unknown.

    They are those that all known rows find, or where the draws of a group are dependent, those of the most
    frequent value.
    """
    known = true[true >= 0]
    rows = len(known) if claimed.dependent == 1 else int(np.bincount(known).max())
    return rate_power(counts_point, rows, rate, level / _parts(true, claimed))


def _parts(true: IntArray, claimed: CoinClaim) -> int:
    """Return the number of e-values that are averaged; a large one alone can reject."""
    return PARTS if claimed.dependent == 1 else PARTS * len(np.unique(true[true >= 0]))


_MEMORY = 4  # flags that a context remembers


class _Coins(NamedTuple):
    """Rows for which a coin decides: their true values, and whether they kept them."""

    true: IntArray
    kept: Flags


_Division: TypeAlias = tuple[IntArray, int | None, _Coins]
"""The part of each row, the number of parts unless parts without rows are left out, and the rows."""

_PARTS = 8  # the power is stated for one of so many parts of the rows


def independence_evidence(match: Match, column: str, claimed: CoinClaim) -> Evidence | None:
    """Test the rows that retained their value against independent coins, in every context named beforehand.

    Returns None if no row's true value is known, or no coin decides for any.

    Every record retains its value with probability p, independently of the other records, the plan, the
    places, the shuffle and the other sensitive columns. So in any division of the rows that these decide, the
    parts are independent, and in each of them the number of rows that retained their value is Bin(rows, p):
    the e-values of the parts are multiplied (`independent_product`). A division may also look at the rows
    before: then each factor has expectation 1 given these. The divisions of a family, and the families, are
    averaged.
    Where p depends on the value, parts have a mean rate (`TrueValueRates.logs`), and those that look at rows
    rows before are divided further by the true value.

    Where the draws of a group are dependent, each row counts for one in gamma (`point_logs`), so that parts
    may still be multiplied, and no division looks at the rows before.
    """
    flags = _Flags(match, column, claimed)
    if not len(flags.rows):
        return None
    # A division has a number for each row: no more than one is in memory at a time.
    families = [[flags.log(*division) for division in family] for family in flags.families()]
    logs = [mean_log(family) for family in families if family]
    e_value = EValue(mean_log(logs) / math.log(10))
    divisions = sum(map(len, families))

    def power(level: Fraction) -> str:
        share = level / (len(families) * max(map(len, families)) * 9 * _PARTS)
        rows = len(flags.rows) // _PARTS // claimed.dependent
        reached = rate_power(counts_point, rows, flags.own.mean(flags.coins.true), share)
        alike = "" if claimed.dependent == 1 else " where a group keeps all its values or none"
        return f"one of {_PARTS} parts of the rows, by place, order or a column{alike}: {reached}"

    detail = f"rows that retained their value, in {divisions} divisions of the rows"
    return Evidence("independence", column, e_value, len(flags.rows), detail, power)


class _Flags:
    """The rows whose true value is known, which of them kept it, and the divisions of them."""

    def __init__(self, match: Match, column: str, claimed: CoinClaim) -> None:
        self.match, self.column = match, column
        self.gamma, self.dependent = claimed.period, claimed.dependent
        self.own = TrueValueRates(claimed, column, len(match.original.domains[column]))
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

    def log(self, part: IntArray, parts: int | None, coins: _Coins) -> float:
        """Return the natural logarithm of the e-value of a division into parts, some of them empty."""
        return independent_product(self.own.logs(part, parts, coins.true, coins.kept))

    def families(self) -> Iterator[Iterator[_Division]]:
        """Yield divisions by family."""
        yield self._without_draws(by_place(self.rows, self.match.rows, self.spacings), self.coins)
        if self.dependent == 1:
            yield self._by_those_before(self.rows, self.coins)
        yield self._without_draws(self._by_columns(), self.coins)
        if len(self.match.original.sensitive) > 1:
            others = by_other_sensitive(self.match, self.column, self.rows)
            yield self._without_draws(others, self.coins)
        if len(self.filed):
            yield self._without_draws(self._by_file(), self.coins_filed)
            if self.dependent == 1:
                yield self._by_those_before(self.filed, self.coins_filed)

    def _without_draws(self, divisions: Iterator[IntArray], coins: _Coins) -> Iterator[_Division]:
        """Return divisions that do not depend on the column's draws, without empty parts."""
        return ((division, None, coins) for division in divisions)

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
            yield remainders(within, modulus)
            yield remainders(by_value, modulus)

    def _by_those_before(self, rows: IntArray, coins: _Coins) -> Iterator[_Division]:
        """Divide by what the rows before did: whether they retained their value, and which they show.

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
        """Divide by the true value, by the cells of each other column, and by coarse ranges of them."""
        yield self.true[self.rows]
        for ranks in self.match.original.ranks(blank=self.match.blank):
            yield from by_cells(ranks[self.match.classes[self.rows]])
