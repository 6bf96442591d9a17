"""Disclosure of a sensitive column by other columns, which are published unchanged.

A unique cell identifies its record. A column that determines the sensitive one is a copy of it. And a
predicate whose records nearly all have one value discloses it, because its size is public and each of its
records retains the value with probability p: the larger the predicate, the more certain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations
from math import comb, isqrt
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from splu_ref.audit.advice.coded_table import CodedTable, CountedColumn, EqualRecords, coded, groups_of
from splu_ref.audit.advice.groups import MOST_LISTED
from splu_ref.channels import STEP, Concept, ParameterError, spend
from splu_ref.data import Microdata, Value, text
from splu_ref.guarantees import Progress

Kind: TypeAlias = Literal[
    "unique", "nearly unique", "partly unique", "determines", "nearly determines", "ranges"
]

UNIQUE, PARTLY_UNIQUE = Fraction(1, 2), Fraction(1, 5)
"""Least share of unique cells of a column that is called nearly unique, and partly, such as free text."""
CONCENTRATED = Fraction(9, 10)
"""Least share of records with one value in a concentrated predicate, and of correct guesses by a column that
nearly determines the sensitive one."""
FEWEST = 20
"""Least number of records with shared cells, or of ordered values, for a column that determines another."""
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
    columns: tuple[str, ...]  #: one or two
    records: int  #: number of affected records, and of the records considered
    among: int  #: see ``records``
    drawn: bool = False  #: whether the column is sensitive too: its published values are draws of their own

    def sentence(self, sensitive: str) -> str:
        """Return a description of the disclosure."""
        name = " and ".join(map(repr, self.columns))
        verb = "disclose" if len(self.columns) > 1 else "discloses"
        if self.kind.endswith("unique"):
            return f"{name} is {self.kind}: {self.records} of {self.among} records have a unique cell"
        if self.kind == "determines":
            return f"{name} {verb} {sensitive!r}: all {self.among} records that share a cell share the value"
        cells = "cells" if len(self.columns) > 1 else "cell"
        guessed = f"have the majority value of the other records with their {cells}"
        if self.kind == "ranges":
            guessed = "have the value of their neighbors in its order"
        return f"{name} nearly {verb} {sensitive!r}: {self.records} of {self.among} records {guessed}"


@dataclass(frozen=True, slots=True)
class Concentration:
    """A predicate whose records all, or nearly all, have one sensitive value."""

    predicate: Concept  # one or two assignments to columns that are not sensitive
    value: str  # the sensitive value, as text
    # count, size: records of the predicate with the value, and all of its records
    count: int
    size: int

    def __str__(self) -> str:
        return f"{self.predicate}: {self.count} of {self.size} are {self.value}"


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
            f"{self.above} records with at least {CONCENTRATED} of one value{more}"
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
    determine everything.
    """
    declared = Roles() if roles is None else roles
    declared.require(table, sensitive)
    table = coded(table)
    columns = [table.counted(name) for name in table.columns if name not in sensitive]
    seen = [column for column in columns if column.name not in declared.keep]
    most = None if most_cells is None or not table.in_memory else most_cells // (table.row_count + OVERHEAD)
    pairs = _pairs(seen, most)
    if table.in_memory:
        spend((len(seen) + len(pairs)) * len(sensitive) * STEP * (300 + 2 * table.row_count))
    named = [column.name for column in columns if column.name in declared.quasi]
    alone = table.unique_records(named or [column.name for column in columns])
    found = []
    for number, name in enumerate(sensitive):
        steps = len(seen) + len(pairs)

        def report(done: int, number: int = number, steps: int = steps) -> None:
            if progress is not None:
                progress(number * steps + done, len(sensitive) * steps)

        leaks, concentrations, unlisted = _scan_column(table, name, seen, pairs, above, declared, report)
        drawn = () if name in declared.keep else _drawn_leaks(table, name, sensitive, declared)
        found.append(
            Leaks(
                sensitive=name,
                leaks=(*leaks, *drawn),
                concentrations=concentrations,
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


def _pairs(columns: Sequence[CountedColumn], most: int | None) -> list[tuple[CountedColumn, CountedColumn]]:
    """Return at most ``most`` pairs of columns, the coarsest first."""
    few = sorted(columns, key=lambda column: column.size)
    if most is not None:
        few = few[: isqrt(2 * most) + 1]
    pairs = sorted(combinations(few, 2), key=lambda pair: pair[0].size * pair[1].size)
    return pairs[:most]


def _scan_column(
    table: CodedTable,
    sensitive: str,
    columns: Sequence[CountedColumn],
    pairs: Sequence[tuple[CountedColumn, CountedColumn]],
    above: int,
    roles: Roles,
    report: Callable[[int], None],
) -> tuple[tuple[Leak, ...], tuple[Concentration, ...], int]:
    leaks, done = [], 0
    identifying, determining = set[str](), set[str]()
    most = None if table.in_memory else MOST_LISTED
    concentrated = _ConcentratedPredicates(table.domain(sensitive), above, most)
    for column in columns:
        name, filled = (column.name,), column.filled
        if column.alone >= UNIQUE * filled > 0:
            identifying.add(column.name)
        if column.alone >= PARTLY_UNIQUE * filled > 0 and column.name not in roles.quasi:
            kind: Kind = "nearly unique" if column.name in identifying else "partly unique"
            leaks.append(Leak("unique" if column.alone == filled else kind, name, column.alone, filled))
        of_column = _ConcentratedPredicates(table.domain(sensitive), above, most)
        prediction = _MajorityPrediction(name)
        for groups in groups_of(table, [column], sensitive):
            prediction.add(groups)
            of_column.add(groups)
        leak = prediction.leak() or _neighbor_leak(table, column, sensitive)
        if leak is None:
            concentrated.merge(of_column)
        else:
            leaks.append(leak)
            determining.add(column.name)
        report(done := done + 1)
    concentrated.exclude_parts()
    for pair in pairs:
        names = {column.name for column in pair}
        if not names & determining:
            prediction = _MajorityPrediction(tuple(column.name for column in pair))
            for groups in groups_of(table, pair, sensitive):
                prediction.add(groups)
                concentrated.add(groups)
            fewest = max(FEWEST, table.row_count // 2)
            leak = None if names & identifying else prediction.leak(fewest)
            if leak is not None:
                leaks.append(leak)
        report(done := done + 1)
    order = ("determines", "unique", "nearly determines", "ranges", "nearly unique", "partly unique")
    leaks.sort(key=lambda leak: (order.index(leak.kind), len(leak.columns)))
    return tuple(leaks), concentrated.largest(), concentrated.unlisted


def _drawn_leaks(table: CodedTable, name: str, sensitive: Sequence[str], roles: Roles) -> Iterator[Leak]:
    """Yield the other sensitive columns that determine a sensitive column, or nearly."""
    for other in sensitive:
        if other not in (name, *roles.keep):
            prediction = _MajorityPrediction((other,))
            for groups in groups_of(table, [table.counted(other)], name):
                prediction.add(groups)
            leak = prediction.leak()
            if leak is not None:
                yield replace(leak, drawn=True)


class _MajorityPrediction:
    """Prediction of the sensitive value by the majority of the other records with the same cells."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        self._shared, self._guessed, self._pure = 0, 0, True

    def add(self, groups: EqualRecords) -> None:
        self._shared += groups.shared
        self._guessed += groups.guessed
        self._pure &= bool(np.all(groups.most == groups.size))

    def leak(self, fewest: int = FEWEST) -> Leak | None:
        """Return the leak if the prediction is correct often enough, else None."""
        if self._shared < fewest or self._guessed < CONCENTRATED * self._shared:
            return None
        kind: Kind = "determines" if self._pure else "nearly determines"
        return Leak(kind, self._columns, self._guessed, self._shared)


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
    guessed, filled_rows = int(counts[at][right].sum()), column.filled
    if guessed < CONCENTRATED * filled_rows:
        return None
    return Leak("ranges", (column.name,), guessed, filled_rows)


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


class _ConcentratedPredicates:
    """The largest concentrated predicates of several groupings, without parts of excluded ones."""

    def __init__(self, domain: Sequence[Value], above: int, most: int | None) -> None:
        self._domain, self._above, self._most = domain, above, most
        self._found: list[Concentration] = []
        self._known: set[tuple[str, str, str]] = set()
        self.unlisted = 0

    def add(self, groups: EqualRecords) -> None:
        """Add the concentrated ones of some groups."""
        share = (CONCENTRATED.numerator, CONCENTRATED.denominator)
        wanted = (groups.size > self._above) & (groups.most * share[1] >= groups.size * share[0])
        places = np.flatnonzero(wanted)
        for place, where in zip(places.tolist(), groups.where(places), strict=True):
            value = text(self._domain[int(groups.code[place])])
            if not any((*assignment, value) in self._known for assignment in where.items()):
                self._found.append(
                    Concentration(Concept.of(where), value, int(groups.most[place]), int(groups.size[place]))
                )
        self._prune()

    def merge(self, other: _ConcentratedPredicates) -> None:
        """Add those of another column."""
        self._found += other._found
        self.unlisted += other.unlisted
        self._prune()

    def exclude_parts(self) -> None:
        """Exclude parts of the present predicates from now on."""
        self._known = {
            (name, cell, each.value) for each in self._found for name, cell in each.predicate.assignments
        }

    def largest(self) -> tuple[Concentration, ...]:
        """Return the listed predicates, largest first."""
        ordered = sorted(self._found, key=lambda each: (-each.size, each.predicate.assignments))
        if self._most is not None:
            self.unlisted += len(ordered[self._most :])
            ordered = ordered[: self._most]
        self._found = ordered
        return tuple(ordered)

    def _prune(self) -> None:
        if self._most is not None and len(self._found) > 2 * self._most:
            self.largest()
