"""Disclosure of a sensitive column by other columns, which are published unchanged.

A unique cell identifies its record. A column that determines the sensitive one is a copy of it. And a
predicate whose records nearly all have one value discloses it, because its size is public and each of its
records retains the value with probability p: the larger the predicate, the more certain. A column may also
narrow the sensitive one, as a month narrows dates: draws seldom fit the cell, so values that fit are true.

Guesses are compared with those of the most frequent value, which needs no other column. A recoded sensitive
column is searched in its published form and in its form before each step: a crossing hides none of its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations, count
from math import ceil, comb, isqrt
from typing import Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.audit.advice.coded_table import CodedTable, CountedColumn, EqualRecords, coded, groups_of
from splu_ref.audit.advice.concentrated_predicates import (
    CONCENTRATED,
    REDUCED,
    ConcentratedPredicates,
    Concentration,
    by_size,
)
from splu_ref.channels import STEP, ParameterError, spend
from splu_ref.data import Microdata
from splu_ref.guarantees import Progress
from splu_ref.randomness import IntArray

Kind: TypeAlias = Literal[
    "determines", "unique", "nearly determines", "ranges", "narrows", "nearly unique", "partly unique"
]
_ORDER = get_args(Kind)
"""Kinds of disclosures, the most serious first."""

UNIQUE, PARTLY_UNIQUE = Fraction(1, 2), Fraction(1, 5)
"""Least share of unique cells of a column that is called nearly unique, and partly, such as free text."""
FEWEST = 20
"""Least number of records with shared cells, or of ordered values, for a column that determines another."""
NARROWED, FITTING = Fraction(9, 10), Fraction(1, 5)
"""Least share of true values among those that fit a column that narrows the sensitive one, where as many
values are retained as are drawn, whatever gamma is; and least share of records whose value fits."""
MOST_CELLS, OVERHEAD = 30_000_000, 5_000
"""Limit of records times pairs of columns at publication, a few seconds; and the fixed cost of a pair in
records."""


@dataclass(frozen=True, slots=True)
class Roles:
    """Declared roles of columns that are not sensitive."""

    #: Quasi-identifiers, which may have unique cells. If there are any, unique records are counted by these
    #: alone.
    quasi: tuple[str, ...] = ()
    #: columns that are published in spite of their disclosure risk; a sensitive one in spite of its
    #: dependence on others
    keep: tuple[str, ...] = ()

    def require(self, table: Microdata | CodedTable, sensitive: Sequence[str]) -> None:
        """Raise unless every column exists, has one role and is not sensitive."""
        for column in (*self.quasi, *self.keep):
            table.require(column)
            if column in sensitive and column in self.quasi:
                raise ParameterError(f"column {column!r} is sensitive: give it no other role")
            if column in self.quasi and column in self.keep:
                raise ParameterError(f"column {column!r} is named by --quasi and --keep: choose one")


@dataclass(frozen=True, slots=True)
class Leak:
    """A column, or a pair of columns, that identifies records or discloses the sensitive column."""

    kind: Kind  #: kind of the disclosure
    columns: tuple[str, ...]  #: one, or two: last the one that predicts better alone
    #: Number of affected records, and of the records considered. Of ``narrows``: true values that fit, and
    #: these with the expected number that would fit if all values were drawn.
    records: int
    among: int  #: see ``records``
    #: the column that is disclosed: the sensitive one, or what it was recoded from; of identities empty
    discloses: str = ""
    drawn: bool = False  #: whether the column is sensitive too: its published values are draws of their own

    @property
    def sentence(self) -> str:
        """Description of the disclosure."""
        name = " and ".join(map(repr, self.columns))
        verb = "disclose" if len(self.columns) > 1 else "discloses"
        if self.kind.endswith("unique"):
            return f"{name} is {self.kind}: {self.records} of {self.among} records have a unique cell"
        if self.kind == "determines":
            shared = f"all {self.among} records that share a cell share the value"
            return f"{name} {verb} {self.discloses!r}: {shared}"
        if self.kind == "narrows":
            return (
                f"{name} narrows {self.discloses!r}: if half of the published values are true, "
                f"so are {100 * self.records // self.among} of 100 of those that other records with the same "
                "cell have"
            )
        cells = "cells" if len(self.columns) > 1 else "cell"
        guessed = f"have the majority value of the other records with their {cells}"
        if self.kind == "ranges":
            guessed = "have the value of their neighbors in its order"
        return f"{name} nearly {verb} {self.discloses!r}: {self.records} of {self.among} records {guessed}"


@dataclass(frozen=True, slots=True)
class Leaks:
    """Disclosure risks of one sensitive column."""

    sensitive: str  #: the column
    #: columns and pairs, the most serious kinds first; then other sensitive columns that determine this one
    leaks: tuple[Leak, ...]
    #: Concentrated predicates of more than ``above`` records, largest first, without redundant ones. Of a
    #: table in files, the largest of them.
    concentrations: tuple[Concentration, ...]
    unlisted: int  #: number of further concentrated predicates
    above: int  #: see ``concentrations``
    #: number of records that are unique in all other columns, or in the declared quasi-identifiers; and these
    unique_records: int
    unique_by: tuple[str, ...]  #: see ``unique_records``
    keep: tuple[str, ...]  #: columns whose risk is accepted: dependence on a sensitive one is not searched
    pairs: int  #: number of searched pairs of columns, and of all pairs
    all_pairs: int  #: see ``pairs``
    #: columns with too many values for the search in the order of numbers or dates
    unordered: tuple[str, ...]

    @property
    def searched(self) -> str:
        """Description of the search."""
        left = "" if self.pairs == self.all_pairs else f", {self.pairs} of {self.all_pairs} pairs"
        more = ""
        if self.unordered:
            which = ", ".join(map(repr, self.unordered))
            more += f"; not whether neighbors in the order of {which} share values: too many to sort"
        if self.unlisted:
            more += f"; of {self.found} predicates the largest {len(self.concentrations)} are listed"
        return (
            f"columns and pairs of columns{left}: unique cells, shared values, and predicates of more than "
            f"{self.above} records with at least {CONCENTRATED} of one value, and other values at most half "
            f"as often as in the table{more}"
        )

    @property
    def found(self) -> int:
        """Number of concentrated predicates, listed or not."""
        return len(self.concentrations) + self.unlisted


def scan(
    table: Microdata | CodedTable,
    sensitive: Sequence[str],
    above: int,
    roles: Roles | None = None,
    *,
    most_cells: int | None = MOST_CELLS,
    progress: Progress | None = None,
) -> tuple[Leaks, ...]:
    """Return the disclosure risks by other columns, sensitive or not, for each sensitive column.

    Parameters
    ----------
    table
        The original table, without columns that are not published.
    sensitive
        The sensitive columns.
    above
        Concentrated predicates have more records than this; `splu_ref.audit.homogeneous_groups` searches
        smaller ones.
    roles
        Declared roles of other columns.
    most_cells
        Limit of records times pairs of columns, the coarsest pairs first; None for all pairs, as for a table
        in files.
    progress
        Called with (columns and pairs of columns done, all of them).

    Raises
    ------
    DataError
        If there is no such column.
    ParameterError
        If a column has two roles.

    Notes
    -----
    A column determines the sensitive one if records that share their cell with others have the majority
    value of these others. Predictions leave the record itself out; otherwise a column of unique cells would
    determine everything. A column narrows the sensitive one in its published form alone: what fits an
    earlier form need not fit the published one.
    """
    declared = Roles() if roles is None else roles
    declared.require(table, sensitive)
    table = coded(table)
    columns = [table.counted(name) for name in table.columns if name not in sensitive]
    seen = [column for column in columns if column.name not in declared.keep]
    most = None if most_cells is None or not table.in_memory else most_cells // (table.row_count + OVERHEAD)
    pairs = _pairs(seen, most)
    forms = {name: (name, *table.earlier_forms(name)) for name in sensitive}
    searches, steps = sum(map(len, forms.values())), len(seen) + len(pairs)
    if table.in_memory:
        spend(steps * searches * STEP * (300 + 2 * table.row_count))
    named = [column.name for column in columns if column.name in declared.quasi]
    alone = table.unique_records(named or [column.name for column in columns])
    identities = list(_identities(seen, declared))
    numbers = count()
    found = []
    for name in sensitive:
        leaks, concentrations, unlisted = list[Leak](), list[Concentration](), 0
        for form in forms[name]:
            number = next(numbers)

            def report(done: int, number: int = number) -> None:
                if progress is not None:
                    progress(number * steps + done, searches * steps)

            known = _in_any_form(leaks)
            more, concentrated = _scan_column(
                table, form, seen, pairs, above, known, report, published=form == name
            )
            leaks += more
            predicates = {each.predicate for each in concentrations}
            concentrations += (each for each in concentrated.largest() if each.predicate not in predicates)
            unlisted += concentrated.unlisted
        known = _in_any_form(leaks)
        leaks = [leak for leak in leaks if leak.kind != "narrows" or {*leak.columns} not in known]
        drawn = () if name in declared.keep else _drawn_leaks(table, forms[name], sensitive, declared)
        leaks = sorted([*identities, *leaks], key=lambda leak: (_ORDER.index(leak.kind), len(leak.columns)))
        found.append(
            Leaks(
                sensitive=name,
                leaks=(*leaks, *drawn),
                concentrations=tuple(sorted(concentrations, key=by_size)),
                unlisted=unlisted,
                above=above,
                unique_records=alone,
                unique_by=declared.quasi,
                keep=declared.keep,
                pairs=len(pairs),
                all_pairs=comb(len(seen), 2),
                unordered=tuple(column.name for column in seen if column.values is None),
            )
        )
    return tuple(found)


def _in_any_form(leaks: Sequence[Leak]) -> set[frozenset[str]]:
    """Return the columns that disclose a form; one that narrows the published form may determine another."""
    return {frozenset(leak.columns) for leak in leaks if leak.kind != "narrows"}


def _pairs(columns: Sequence[CountedColumn], most: int | None) -> list[tuple[CountedColumn, CountedColumn]]:
    """Return at most ``most`` pairs of columns, the coarsest first."""
    few = sorted(columns, key=lambda column: column.size)
    if most is not None:
        few = few[: isqrt(2 * most) + 1]
    pairs = sorted(combinations(few, 2), key=lambda pair: pair[0].size * pair[1].size)
    return pairs[:most]


def _identities(columns: Sequence[CountedColumn], roles: Roles) -> Iterator[Leak]:
    """Yield the columns with many unique cells that are no declared quasi-identifiers."""
    for column in columns:
        if column.alone >= PARTLY_UNIQUE * column.filled > 0 and column.name not in roles.quasi:
            kind: Kind = "nearly unique" if _is_identifying(column) else "partly unique"
            kind = "unique" if column.alone == column.filled else kind
            yield Leak(kind, (column.name,), column.alone, column.filled)


def _is_identifying(column: CountedColumn) -> bool:
    return column.alone >= UNIQUE * column.filled > 0


def _scan_column(
    table: CodedTable,
    sensitive: str,
    columns: Sequence[CountedColumn],
    pairs: Sequence[tuple[CountedColumn, CountedColumn]],
    above: int,
    known: Container[Set[str]],
    report: Callable[[int], None],
    *,
    published: bool,
) -> tuple[list[Leak], ConcentratedPredicates]:
    """Return what discloses one form of a sensitive column, besides the columns that are known to."""
    leaks, done = list[Leak](), 0
    identifying = {column.name for column in columns if _is_identifying(column)}
    determining, guessed = set[str](), dict[str, int]()
    concentrated = ConcentratedPredicates(table, sensitive, above)
    for column in columns:
        of_column = ConcentratedPredicates(table, sensitive, above)
        prediction = _MajorityPrediction(table, sensitive, (column.name,))
        fit = _Fit(table, sensitive, column)
        if {column.name} in known:
            determining.add(column.name)
        else:
            for numbers, counts in table.counts([column.name], sensitive):
                groups = EqualRecords.of([column], numbers, counts, len(table.domain(sensitive)))
                prediction.add(groups)
                of_column.add(groups)
                if published:
                    fit.add(numbers, counts)
            leak = prediction.leak() or _neighbor_leak(table, column, sensitive) or fit.leak()
            if leak is None:
                concentrated.merge(of_column)
                guessed[column.name] = prediction.guessed
            else:
                leaks.append(leak)
                determining.add(column.name)
        report(done := done + 1)
    concentrated.exclude_parts()
    for pair in pairs:
        names = frozenset(column.name for column in pair)
        if names not in known and not names & determining:
            ordered = sorted((column.name for column in pair), key=guessed.__getitem__)
            prediction = _MajorityPrediction(table, sensitive, tuple(ordered))
            for groups in groups_of(table, pair, sensitive):
                prediction.add(groups)
                concentrated.add(groups)
            fewest = max(FEWEST, table.row_count // 2)
            leak = None if names & identifying else prediction.leak(fewest)
            if leak is not None:
                leaks.append(leak)
        report(done := done + 1)
    return leaks, concentrated


def _drawn_leaks(
    table: CodedTable, forms: Sequence[str], sensitive: Sequence[str], roles: Roles
) -> Iterator[Leak]:
    """Yield the other sensitive columns that determine a form of a sensitive column, or nearly."""
    for other in sensitive:
        for form in forms if other not in (forms[0], *roles.keep) else ():
            prediction = _MajorityPrediction(table, form, (other,))
            for groups in groups_of(table, [table.counted(other)], form):
                prediction.add(groups)
            leak = prediction.leak()
            if leak is not None:
                yield replace(leak, drawn=True)
                break


def _is_near(table: CodedTable, sensitive: str, right: int, among: int) -> bool:
    """Return whether guesses are right often, and err clearly less than those of the most frequent value."""
    counts = table.histogram(sensitive)
    errors, by_value = among - right, 1 - Fraction(int(counts.max()), int(counts.sum()))
    return errors <= min(1 - CONCENTRATED, REDUCED * by_value) * among


class _MajorityPrediction:
    """Prediction of the sensitive value by the majority of the other records with the same cells."""

    def __init__(self, table: CodedTable, sensitive: str, columns: tuple[str, ...]) -> None:
        self._table, self._sensitive, self._columns = table, sensitive, columns
        self._shared, self.guessed, self._pure = 0, 0, True

    def add(self, groups: EqualRecords) -> None:
        self._shared += groups.shared
        self.guessed += groups.guessed
        self._pure &= bool(np.all(groups.most == groups.size))

    def leak(self, fewest: int = FEWEST) -> Leak | None:
        """Return the leak if the prediction is correct often enough, else None."""
        right, among = self.guessed, self._shared
        if among < fewest or not _is_near(self._table, self._sensitive, right, among):
            return None
        kind: Kind = "determines" if self._pure else "nearly determines"
        return Leak(kind, self._columns, right, among, self._sensitive)


class _Fit:
    """Values that also occur with the cell of their record in other records: true ones, and drawn ones.

    Each record is left out, and of a drawn value the record from which it comes. So as many true as drawn
    values are expected to fit if the columns are independent, however few records a cell or a value has. With
    n records of the cell and f of the value among N, n f/N draws fit if at least two records have both, and
    (n - 1)(f - 1)/N if one has.
    """

    def __init__(self, table: CodedTable, sensitive: str, column: CountedColumn) -> None:
        self._sensitive, self._column = sensitive, column
        self._frequencies = table.histogram(sensitive)
        self._rows = int(self._frequencies.sum())
        self.true, self._pairs = 0, 0

    def add(self, numbers: IntArray, counts: IntArray) -> None:
        """Add counted records; see `CodedTable.counts`."""
        cells, codes = np.divmod(numbers, len(self._frequencies))
        alone = (counts == 1).astype(np.int64)
        sizes = self._column.frequencies(cells)
        self.true += int(counts[counts > 1].sum())
        self._pairs += int(np.dot(sizes - alone, self._frequencies[codes] - alone))

    @property
    def drawn(self) -> Fraction:
        """Expected number of values that fit if all are drawn."""
        return Fraction(self._pairs, self._rows)

    def leak(self) -> Leak | None:
        """Return the leak if nearly all values that fit are true, and enough fit, else None."""
        fitting = self.true + self.drawn
        if self.true < max(FITTING * self._rows, NARROWED * fitting) or self.true < FEWEST:
            return None
        return Leak("narrows", (self._column.name,), self.true, ceil(fitting), self._sensitive)


def _neighbor_leak(table: CodedTable, column: CountedColumn, sensitive: str) -> Leak | None:
    """Return the leak if neighbors in the order of numbers or dates share the value, else None."""
    order = None if column.values is None else _order(column.values)
    if order is None or len(order) < FEWEST:
        return None
    size = len(table.domain(sensitive))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    pieces = list(table.counts([column.name], sensitive))
    numbers = np.concatenate([numbers for numbers, _ in pieces])
    counts = np.concatenate([counts for _, counts in pieces])
    numbers = place[numbers // size] * size + numbers % size
    ascending = np.argsort(numbers)
    numbers, counts = numbers[ascending], counts[ascending]
    key = numbers // size
    starts = np.flatnonzero(np.r_[True, np.diff(key) != 0])
    most = np.maximum.reduceat(counts, starts)
    winners = np.flatnonzero(counts == np.repeat(most, np.diff(np.r_[starts, len(key)])))
    leading = numbers[winners[np.r_[True, np.diff(key[winners]) != 0]]] % size
    before, after = np.r_[leading[1], leading[:-1]], np.r_[leading[1:], leading[-2]]
    wanted = np.arange(len(leading)) * size + before
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    right = (before == after) & (numbers[at] == wanted)
    guessed = int(counts[at][right].sum())
    if not _is_near(table, sensitive, guessed, column.filled):
        return None
    return Leak("ranges", (column.name,), guessed, column.filled, sensitive)


def _order(values: Sequence[str]) -> NDArray[np.int64] | None:
    """Return the places of values in ascending order if all are numbers, or all are dates."""
    floats = pl.Series(values, dtype=pl.String).cast(pl.Float64, strict=False)
    if floats.is_finite().fill_null(value=False).all() and floats.n_unique() == len(values):
        return floats.arg_sort().to_numpy().astype(np.int64)  # rounded, but to different numbers
    for read in (_number, _date):
        try:
            keys: list[Decimal] = [read(value) for value in values]
        except (ValueError, InvalidOperation):
            continue
        return np.array([place for _, place in sorted(zip(keys, range(len(keys)), strict=True))])
    return None


def _date(value: str) -> Decimal:
    return Decimal(date.fromisoformat(value).toordinal())


def _number(value: str) -> Decimal:
    number = Decimal(value)
    if not number.is_finite():
        raise ValueError
    return number
