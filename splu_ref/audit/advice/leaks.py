"""What gives a sensitive column away although it is published by lot: other columns that stay as they are.

A cell that no other record has names its record. A column that determines the sensitive one is a second copy
of it. And a predicate in which nearly all records share a value shows it, because its size is public and each
of its records keeps the value with probability p: the larger it is, the more surely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations
from math import comb, isqrt
from typing import Literal, TypeAlias

import numpy as np

from splu_ref.audit.advice.coded import CodedTable, CountedColumn, Groups, coded, groups_of
from splu_ref.audit.advice.groups import MOST_LISTED
from splu_ref.channels import STEP, Concept, ParameterError, spend
from splu_ref.data import Microdata, Value, text
from splu_ref.guarantees import Progress

Kind: TypeAlias = Literal["unique", "nearly unique", "determines", "nearly determines", "ranges"]

UNIQUE = Fraction(1, 2)
"""Share of a column's records with a cell of their own from which on it is called nearly unique."""
CONCENTRATED = Fraction(9, 10)
"""Share of records with one value from which on a predicate is concentrated, and of right guesses from which
on a column nearly determines the sensitive one."""
FEWEST = 20
"""Records that share their cells, and values in an order, from which on a guess by others says something."""
MOST_CELLS, OVERHEAD = 30_000_000, 5_000
"""Records times pairs of columns that a publication looks at, a few seconds; each pair takes as long as so
many records more."""


@dataclass(frozen=True, slots=True)
class Roles:
    """What the publisher has declared of columns that are not sensitive.

    Attributes
    ----------
    quasi
        Columns by which a record may be found: they may have unique cells. If there are any, records are
        called unique by these alone.
    keep
        Columns that are published whatever they give away.
    """

    quasi: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    def require(self, table: Microdata | CodedTable, sensitive: Sequence[str]) -> None:
        """Raise unless every column exists, has one role and is not sensitive."""
        for column in (*self.quasi, *self.keep):
            table.require(column)
            if column in sensitive:
                raise ParameterError(
                    f"column {column!r} is sensitive and published by lot: give it no other role"
                )
            if column in self.quasi and column in self.keep:
                raise ParameterError(f"column {column!r} is named by --quasi and --keep: choose one")


@dataclass(frozen=True, slots=True)
class Leak:
    """A column, or a pair of columns, that names records or gives the sensitive column away.

    Attributes
    ----------
    kind
        What it does.
    columns
        One or two.
    records, among
        Of how many records that is true, and of how many it could be.
    """

    kind: Kind
    columns: tuple[str, ...]
    records: int
    among: int

    def sentence(self, sensitive: str) -> str:
        """Return what was found, with names and numbers."""
        name = " and ".join(map(repr, self.columns))
        gives = f"{'give' if len(self.columns) > 1 else 'gives'} {sensitive!r} away"
        if self.kind in ("unique", "nearly unique"):
            return f"{name} is {self.kind}: {self.records} of {self.among} records have a cell of their own"
        if self.kind == "determines":
            return f"{name} {gives}: all {self.among} records that share a cell share the value"
        cells = "cells" if len(self.columns) > 1 else "cell"
        guessed = f"have the value that most of the others have who share their {cells}"
        if self.kind == "ranges":
            guessed = "have the value of those next to them in its order"
        return f"{name} nearly {gives}: {self.records} of {self.among} records {guessed}"


@dataclass(frozen=True, slots=True)
class Concentration:
    """A predicate nearly all of whose records carry one sensitive value, or all.

    Attributes
    ----------
    predicate
        One or two assignments to columns that are not sensitive.
    value
        The sensitive value, as text.
    count, size
        Records of the predicate that have it, and all of its records.
    """

    predicate: Concept
    value: str
    count: int
    size: int

    def __str__(self) -> str:
        return f"{self.predicate}: {self.count} of {self.size} are {self.value}"


@dataclass(frozen=True, slots=True)
class Leaks:
    """What was found of one sensitive column.

    Attributes
    ----------
    sensitive
        The column.
    leaks
        Columns and pairs, the gravest kinds first.
    concentrations
        Predicates of more than ``above`` records, largest first; none that says no more than another one. Of
        a table in files, the largest of them.
    unlisted
        How many more were found.
    above
        See ``concentrations``.
    unique_records, unique_by
        Records that no other equals in all other columns, or in the quasi-identifiers that were declared; and
        these.
    pairs, all_pairs
        Pairs of columns looked at, and how many there are.
    unordered
        Columns with so many values that they were not looked at in the order of numbers or dates.
    """

    sensitive: str
    leaks: tuple[Leak, ...]
    concentrations: tuple[Concentration, ...]
    unlisted: int
    above: int
    unique_records: int
    unique_by: tuple[str, ...]
    pairs: int
    all_pairs: int
    unordered: tuple[str, ...]

    @property
    def searched(self) -> str:
        """What the scan looked at, in words."""
        left = "" if self.pairs == self.all_pairs else f", {self.pairs} of {self.all_pairs} pairs"
        more = ""
        if self.unordered:
            which = ", ".join(map(repr, self.unordered))
            more += f"; not whether neighbors in the order of {which} share values: too many to be sorted"
        if self.unlisted:
            more += f"; of {self.found} predicates the largest {len(self.concentrations)} are listed"
        return (
            f"columns and pairs of columns{left}: cells of their own, shared values, and predicates of more "
            f"than {self.above} records with at least {CONCENTRATED} of one value{more}"
        )

    @property
    def found(self) -> int:
        """How many concentrated predicates there are, listed or not."""
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
    """Return what the other columns of a table give away, for each sensitive column.

    Parameters
    ----------
    table
        The original, without columns that are not published.
    sensitive
        The sensitive columns.
    above
        Concentrated predicates have more records than this: the counts up to alpha are looked at by
        `splu_ref.audit.homogeneous_groups`.
    roles
        What was declared of other columns.
    most_cells
        Records times pairs of columns that are looked at, the coarsest pairs first; None for all of them, as
        of a table in files.
    progress
        Called with (columns and pairs of columns done, how many in all).

    Raises
    ------
    DataError
        If there is no such column.
    ParameterError
        If a column has two roles.

    Notes
    -----
    A column determines the sensitive one as far as the records that share their cell with others have the
    value that most of these others have: a record itself does not count, or a column of unique cells would
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

        def told(done: int, number: int = number, steps: int = steps) -> None:
            if progress is not None:
                progress(number * steps + done, len(sensitive) * steps)

        leaks, concentrations, unlisted = _of_one(table, name, seen, pairs, above, declared, told)
        found.append(
            Leaks(
                sensitive=name,
                leaks=leaks,
                concentrations=concentrations,
                unlisted=unlisted,
                above=above,
                unique_records=alone,
                unique_by=declared.quasi,
                pairs=len(pairs),
                all_pairs=comb(len(seen), 2),
                unordered=tuple(column.name for column in seen if column.values is None),
            )
        )
    return tuple(found)


def _pairs(columns: Sequence[CountedColumn], most: int | None) -> list[tuple[CountedColumn, CountedColumn]]:
    """Return pairs of columns, the coarsest first, and at most so many."""
    few = sorted(columns, key=lambda column: column.size)
    if most is not None:
        few = few[: isqrt(2 * most) + 1]
    pairs = sorted(combinations(few, 2), key=lambda pair: pair[0].size * pair[1].size)
    return pairs[:most]


def _of_one(
    table: CodedTable,
    sensitive: str,
    columns: Sequence[CountedColumn],
    pairs: Sequence[tuple[CountedColumn, CountedColumn]],
    above: int,
    roles: Roles,
    told: Callable[[int], None],
) -> tuple[tuple[Leak, ...], tuple[Concentration, ...], int]:
    leaks, done = [], 0
    named, telling = set[str](), set[str]()
    most = None if table.in_memory else MOST_LISTED
    concentrated = _Concentrated(table.domain(sensitive), above, most)
    for column in columns:
        name, filled = (column.name,), column.filled
        if column.alone >= UNIQUE * filled > 0:
            named.add(column.name)
            if column.name not in roles.quasi:
                kind: Kind = "unique" if column.alone == filled else "nearly unique"
                leaks.append(Leak(kind, name, column.alone, filled))
        kept = _Concentrated(table.domain(sensitive), above, most)
        shares = _Shares(name)
        for groups in groups_of(table, [column], sensitive):
            shares.add(groups)
            kept.add(groups)
        leak = shares.determined() or _in_order(table, column, sensitive)
        if leak is None:
            concentrated.join(kept)
        else:
            leaks.append(leak)
            telling.add(column.name)
        told(done := done + 1)
    concentrated.know()
    for pair in pairs:
        names = {column.name for column in pair}
        if not names & telling:
            shares = _Shares(tuple(column.name for column in pair))
            for groups in groups_of(table, pair, sensitive):
                shares.add(groups)
                concentrated.add(groups)
            leak = None if names & named else shares.determined(max(FEWEST, table.row_count // 2))
            if leak is not None:
                leaks.append(leak)
        told(done := done + 1)
    order = ("determines", "unique", "nearly determines", "ranges", "nearly unique")
    leaks.sort(key=lambda leak: (order.index(leak.kind), len(leak.columns)))
    return tuple(leaks), concentrated.largest(), concentrated.unlisted


class _Shares:
    """How many of the records that share the cells of some columns share the value."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self._columns = columns
        self._shared, self._guessed, self._pure = 0, 0, True

    def add(self, groups: Groups) -> None:
        self._shared += groups.shared
        self._guessed += groups.guessed
        self._pure &= bool(np.all(groups.most == groups.size))

    def determined(self, fewest: int = FEWEST) -> Leak | None:
        """Return whether those who share their cells with others have the value of these others."""
        if self._shared < fewest or self._guessed < CONCENTRATED * self._shared:
            return None
        kind: Kind = "determines" if self._pure else "nearly determines"
        return Leak(kind, self._columns, self._guessed, self._shared)


def _in_order(table: CodedTable, column: CountedColumn, sensitive: str) -> Leak | None:
    """Return whether those next to each other in the order of numbers or dates share the value."""
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


def _order(values: Sequence[str]) -> list[int] | None:
    """Return the places of values in ascending order if all are numbers, or all are dates."""
    for read in (_number, _date):
        try:
            keys: list[Decimal] = [read(value) for value in values]
        except (ValueError, InvalidOperation):
            continue
        return [place for _, place in sorted(zip(keys, range(len(keys)), strict=True))]
    return None


def _date(value: str) -> Decimal:
    return Decimal(date.fromisoformat(value).toordinal())


def _number(value: str) -> Decimal:
    number = Decimal(value)
    if not number.is_finite():
        raise ValueError
    return number


class _Concentrated:
    """The concentrated predicates of several groupings, but for parts of one that is known.

    Parameters
    ----------
    domain
        The values of the sensitive column.
    above
        They have more records than this.
    most
        How many are listed, the largest; None for all.
    """

    def __init__(self, domain: Sequence[Value], above: int, most: int | None) -> None:
        self._domain, self._above, self._most = domain, above, most
        self._found: list[Concentration] = []
        self._known: set[tuple[str, str, str]] = set()
        self.unlisted = 0

    def add(self, groups: Groups) -> None:
        """Look at some groups."""
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

    def join(self, other: _Concentrated) -> None:
        """Take those of another column."""
        self._found += other._found
        self.unlisted += other.unlisted
        self._prune()

    def know(self) -> None:
        """Leave out from now on what is a part of those found."""
        self._known = {
            (name, cell, each.value) for each in self._found for name, cell in each.predicate.assignments
        }

    def largest(self) -> tuple[Concentration, ...]:
        """Return those that are listed, largest first."""
        ordered = sorted(self._found, key=lambda each: (-each.size, each.predicate.assignments))
        if self._most is not None:
            self.unlisted += len(ordered[self._most :])
            ordered = ordered[: self._most]
        self._found = ordered
        return tuple(ordered)

    def _prune(self) -> None:
        if self._most is not None and len(self._found) > 2 * self._most:
            self.largest()
