"""Exact k-anonymity, l-diversity, (alpha, k)-anonymity and t-closeness of a table.

Groups are the records with equal quasi-identifiers. k-anonymity (Sweeney 2002) counts their records,
l-diversity (Machanavajjhala et al. 2006) their sensitive values, by number, entropy or the recursive rule,
(alpha, k)-anonymity (Wong et al. 2006) bounds the share of one value, and t-closeness (Li et al. 2007) the
distance of the group's distribution from that of the whole table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log

import numpy as np

from splu_ref.channels import LogForm, ParameterError, entropy_of_weights, integer
from splu_ref.estimators import Columns
from splu_ref.randomness import IntArray

OPEN = (
    "these numbers count values within groups. They give no protection against an attacker who knows values "
    "of other records of the group, or excludes values of a person, nor for two such tables of one population"
)
"""Limits of k-anonymity, l-diversity and t-closeness."""
NEAR = 1e-6
"""Entropies that differ by less, as doubles, are compared exactly."""


@dataclass(frozen=True)
class Anonymity:
    """Anonymity of a table by groups of records with equal quasi-identifiers."""

    sizes: Mapping[int, int]  #: number of groups by number of records
    #: number of groups by the multiset of counts of their sensitive values, largest count first; None without
    #: a sensitive column
    groups: Mapping[tuple[int, ...], int] | None = None
    #: number of records by the total variation distance of their group's distribution from the table's; None
    #: without a sensitive column
    distances: Mapping[Fraction, int] | None = None

    @classmethod
    def of(cls, columns: Columns, quasi: Sequence[str], sensitive: str | None = None) -> Anonymity:
        """Compute the anonymity of a table.

        Parameters
        ----------
        columns
            The columns of the table.
        quasi
            Quasi-identifiers, at least one.
        sensitive
            The column to be protected.

        Raises
        ------
        ParameterError
            If no quasi-identifier is named, one is repeated, or one is the sensitive column.
        DataError
            If there is no such column.
        """
        if not quasi:
            raise ParameterError("name one or more quasi-identifiers: columns that may be known of a person")
        if len(set(quasi)) < len(quasi) or sensitive in quasi:
            named = next(name for name in quasi if name == sensitive or quasi.count(name) > 1)
            twice = "the sensitive column" if named == sensitive else "named twice"
            raise ParameterError(f"the quasi-identifier {named!r} is {twice}: leave it out")
        numbers = columns.groups(quasi)
        sizes = np.bincount(numbers)
        found = dict(Counter(sizes.tolist()))
        if sensitive is None:
            return cls(found)
        domain, codes = columns[sensitive]
        pairs, counts = np.unique(numbers * len(domain) + codes, return_counts=True)
        group, value = np.divmod(pairs, len(domain))
        whole_table = np.bincount(codes, minlength=len(domain))
        return cls(
            found,
            Counter(_multisets(group, counts)),
            _distances(group, value, counts, sizes, whole_table),
        )

    @property
    def records(self) -> int:
        """Number of records."""
        return sum(size * count for size, count in self.sizes.items())

    @property
    def k(self) -> int:
        """Records of the smallest group."""
        return min(self.sizes)

    @property
    def distance(self) -> Fraction | None:
        """The largest distance: t of t-closeness with equal distances between values."""
        return None if self.distances is None else max(self.distances)

    @property
    def alone(self) -> int:
        """Number of records with unique quasi-identifiers."""
        return self.sizes.get(1, 0)

    @property
    def alone_in_words(self) -> str:
        """How many records these are, as a sentence."""
        if self.alone == 1:
            return "1 record is alone in its group"
        return f"{self.alone} records are alone in theirs"

    @cached_property
    def _diverse(self) -> Mapping[tuple[int, ...], int]:
        if self.groups is None:
            raise ParameterError("no sensitive column: name the one to be protected, --sensitive COLUMN")
        return self.groups

    @property
    def distinct(self) -> int:
        """The number of different values in the group that has fewest: l of distinct l-diversity."""
        return min(map(len, self._diverse))

    @cached_property
    def entropy(self) -> LogForm:
        """The least entropy of a group's values, in bits: lg l of entropy l-diversity."""
        rough = {counts: _entropy(counts) for counts in self._diverse}
        least = min(rough.values())
        close = [counts for counts, value in rough.items() if value <= least + NEAR]
        forms = [entropy_of_weights(counts) for counts in close]
        best = forms[0]
        for form in forms[1:]:
            best = min(best, form)
        return best

    @property
    def entropy_whole(self) -> int:
        """The largest whole l of which the table is entropy l-diverse."""
        number = 1
        while LogForm.lg(number + 1) <= self.entropy:
            number += 1
        return number

    def recursive(self, number: int) -> Fraction | None:
        """Return the bound that c must exceed for recursive (c, l)-diversity; None if no c is enough.

        Parameters
        ----------
        number
            l, at least 2. In each group the largest count must be below c times the sum of the l-th largest
            and all smaller ones.
        """
        number = integer(number, "l", 2)
        worst = Fraction(0)
        for counts in self._diverse:
            rest = sum(counts[number - 1 :])
            if not rest:
                return None
            worst = max(worst, Fraction(counts[0], rest))
        return worst

    @property
    def alpha(self) -> Fraction:
        """The largest share of one value in a group: alpha of (alpha, k)-anonymity."""
        return max(Fraction(counts[0], sum(counts)) for counts in self._diverse)

    @property
    def homogeneous(self) -> int:
        """Number of homogeneous groups."""
        return sum(count for counts, count in self._diverse.items() if len(counts) == 1)

    @property
    def exposed(self) -> int:
        """Number of records of homogeneous groups, whose value follows from the quasi-identifiers."""
        return sum(counts[0] * count for counts, count in self._diverse.items() if len(counts) == 1)


def _multisets(group: IntArray, counts: IntArray) -> list[tuple[int, ...]]:
    """Return each group's counts, largest first, from counts in the order of groups."""
    order = np.lexsort((-counts, group))
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    ordered = counts[order].tolist()
    ends = [*starts[1:].tolist(), len(ordered)]
    return [tuple(ordered[begin:end]) for begin, end in zip(starts.tolist(), ends, strict=True)]


def _distances(
    group: IntArray, value: IntArray, counts: IntArray, sizes: IntArray, table: IntArray
) -> dict[Fraction, int]:
    """Return the number of records by the exact distance of their group.

    Numerators over N times the group's size are below 2^63 for tables of less than 10^9 records.
    """
    records = int(table.sum())
    excess = np.maximum(counts * records - sizes[group] * table[value], 0)
    sums = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(sums, group, excess)
    found: dict[Fraction, int] = {}
    pairs, times = np.unique(np.stack([sizes, sums]), axis=1, return_counts=True)
    for size, total, number in zip(*pairs.tolist(), times.tolist(), strict=True):
        distance = Fraction(total, records * size)
        found[distance] = found.get(distance, 0) + size * number
    return found


def _entropy(counts: tuple[int, ...]) -> float:
    size = sum(counts)
    return log(size, 2) - sum(count * log(count, 2) for count in counts) / size
