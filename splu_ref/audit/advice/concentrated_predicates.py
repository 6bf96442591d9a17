"""Predicates whose records nearly all have one sensitive value.

Their size is public, and each of their records retains the value with probability p: the larger the
predicate, the more certain it is that its records have the value.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from splu_ref.audit.advice.coded_table import CodedTable, EqualRecords
from splu_ref.audit.advice.groups import MOST_LISTED
from splu_ref.channels import Concept
from splu_ref.data import text

CONCENTRATED = Fraction(9, 10)
"""Least share of records with one value in a concentrated predicate, and of correct guesses by a column that
nearly determines the sensitive one."""
REDUCED = Fraction(1, 2)
"""A column that nearly determines the sensitive one makes at most this part of the errors of always guessing
the most frequent value: Goodman and Kruskal's lambda is at least 1/2. Likewise other values are at most this
much as frequent in a concentrated predicate as in the table."""
EXPECTED = 3
"""Least number of other values that a concentrated predicate would have if it were like the table; with fewer
expected, none is no surprise (the rule of three)."""


@dataclass(frozen=True, slots=True)
class Concentration:
    """A predicate whose records all, or nearly all, have one sensitive value."""

    predicate: Concept  # one or two assignments to columns that are not sensitive
    value: str  # the sensitive value, as text
    # count, size: records of the predicate with the value, and all of its records
    count: int
    size: int
    column: str  # the column of the value: the sensitive one, or what it was recoded from

    def __str__(self) -> str:
        return f"{self.predicate}: {self.count} of {self.size} are {self.value}"


def by_size(found: Concentration) -> tuple[object, ...]:
    """Return the key by which predicates are listed: the largest first."""
    return -found.size, found.predicate.assignments


class ConcentratedPredicates:
    """The largest concentrated predicates of several groupings, without parts of excluded ones."""

    def __init__(self, table: CodedTable, sensitive: str, above: int) -> None:
        self._sensitive, self._domain, self._above = sensitive, table.domain(sensitive), above
        counts = table.histogram(sensitive)
        self._rows, self._others = int(counts.sum()), counts.sum() - counts
        self._most = None if table.in_memory else MOST_LISTED
        self._found: list[Concentration] = []
        self._known: set[tuple[str, str, str]] = set()
        self.unlisted = 0

    def add(self, groups: EqualRecords) -> None:
        """Add the concentrated ones of some groups."""
        others, expected = groups.size - groups.most, groups.size * self._others[groups.code]
        wanted = (groups.size > self._above) & (expected >= EXPECTED * self._rows)
        for part, whole in ((1 - CONCENTRATED, groups.size), (REDUCED / self._rows, expected)):
            wanted &= others * part.denominator <= whole * part.numerator
        places = np.flatnonzero(wanted)
        for place, where in zip(places.tolist(), groups.where(places), strict=True):
            value = text(self._domain[int(groups.code[place])])
            if not any((*assignment, value) in self._known for assignment in where.items()):
                most, size = int(groups.most[place]), int(groups.size[place])
                self._found.append(Concentration(Concept.of(where), value, most, size, self._sensitive))
        self._prune()

    def merge(self, other: ConcentratedPredicates) -> None:
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
        ordered = sorted(self._found, key=by_size)
        if self._most is not None:
            self.unlisted += len(ordered[self._most :])
            ordered = ordered[: self._most]
        self._found = ordered
        return tuple(ordered)

    def _prune(self) -> None:
        if self._most is not None and len(self._found) > 2 * self._most:
            self.largest()
