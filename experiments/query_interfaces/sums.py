"""Sums that were answered over sets of records: whose value follows from them (Chirayath et al., 1.2).

No answer distinguishes records that are in the same sets: they are one class, of which at most the sum is
known. A class's sum follows from answers about arbitrary real numbers exactly if the class's unit vector
is a combination of the sets; then its weights find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels.matrix_inverse import RowSpace
from splu_ref.channels.parameters import ParameterError

Sets: TypeAlias = Sequence[NDArray[np.bool_]]
"""Of each answered query, which records it sums over, shape (N,)."""
MOST_WORK = 20_000_000
"""Entries that the elimination may touch: queries, times queries, times classes and queries."""
MOST_TRIED = 1 << 20
"""Partial assignments of bits that are tried."""
MOST_CLASSES = 200
"""Classes of records whose bits are searched for."""


@dataclass(frozen=True, slots=True)
class Class:
    """Records that stand in the same sets.

    Attributes
    ----------
    rows
        Their places in the table, from 0.
    weights
        By query, from 0: the class's sum is the sum of these multiples of the answers.
    since
        The query by which it was found: with it and those before it the sum follows.
    """

    rows: tuple[int, ...]
    weights: dict[int, Fraction]
    since: int


@dataclass(frozen=True, slots=True)
class SumAudit:
    """What follows from the answers, whatever the numbers are.

    Attributes
    ----------
    queries, rank
        How many there are, and how many of them do not follow from others.
    classes
        How many classes of records there are that stand in some set.
    exposed
        The classes of one record whose value follows, in the order of the queries.
    sums
        The larger classes whose sum follows.
    """

    queries: int
    rank: int
    classes: int
    exposed: tuple[Class, ...]
    sums: tuple[Class, ...]


def _classes(sets: Sets) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Return the class of each record, -1 for those in no set, and each class's sets as bits."""
    bits = np.packbits(np.stack(sets, axis=1), axis=1)
    patterns, numbers = np.unique(bits, axis=0, return_inverse=True)
    inside = patterns.any(axis=1)
    place = np.where(inside, np.cumsum(inside) - 1, -1)
    return place[numbers.reshape(-1)], np.unpackbits(patterns[inside], axis=1)[:, : len(sets)]


def audit_sums(sets: Sets) -> SumAudit:
    """Say which records' numbers follow from the sums over the sets.

    Parameters
    ----------
    sets
        At least one.

    Raises
    ------
    ParameterError
        If there are too many queries and classes to eliminate exactly.
    """
    numbers, patterns = _classes(sets)
    queries, classes = len(sets), len(patterns)
    if queries * queries * (classes + queries) > MOST_WORK:
        raise ParameterError(
            f"{queries} queries divide the records into {classes} classes, too many to eliminate exactly: "
            "give fewer queries"
        )
    rows_of = [tuple(np.flatnonzero(numbers == number).tolist()) for number in range(classes)]
    space, found = RowSpace(classes), dict[int, Class]()
    for query, row in enumerate(patterns.T.tolist()):
        space.add([*row, *(int(query == other) for other in range(queries))])
        for column, reduced in space.reduced:
            if column not in found and not any(
                entry for place, entry in enumerate(reduced[:classes]) if place != column
            ):
                pairs = enumerate(reduced[classes:])
                weights = {other: Fraction(entry, reduced[column]) for other, entry in pairs if entry}
                found[column] = Class(rows_of[column], weights, query)
    return SumAudit(
        queries,
        len(space.reduced),
        classes,
        tuple(one for one in found.values() if len(one.rows) == 1),
        tuple(one for one in found.values() if len(one.rows) > 1),
    )


@dataclass(frozen=True, slots=True)
class KnownBits:
    """What follows from counts: sums of bits, of which each record has one.

    Attributes
    ----------
    exposed
        The records whose bit follows, with it.
    tried
        How many partial assignments were tried.
    """

    exposed: dict[int, bool]
    tried: int


def known_bits(sets: Sets, counts: Sequence[int]) -> KnownBits:
    """Say whose bit follows from the numbers of ones in the sets, by trying all that agree with them.

    Parameters
    ----------
    sets
        At least one.
    counts
        How many of each set's records have the bit.

    Raises
    ------
    ParameterError
        If there are more than 200 classes, or more than 2^20 partial assignments to try, or if no table has
        such counts.

    Notes
    -----
    A class of records counts as one number, from 0 to its size; its members' bits follow if it can only be 0,
    or only its size.
    """
    numbers, patterns = _classes(sets)
    if len(patterns) > MOST_CLASSES:
        raise ParameterError(
            f"the queries divide the records into {len(patterns)} classes, and bits of {MOST_CLASSES} at "
            "most are searched for: give fewer queries"
        )
    sizes = np.bincount(numbers[numbers >= 0], minlength=len(patterns)).tolist()
    ordered = sorted(range(len(patterns)), key=lambda place: (-int(patterns[place].sum()), sizes[place]))
    rows = patterns[ordered].astype(np.int64)
    search = _Search(rows, [sizes[place] for place in ordered])
    search.visit(0, np.array(counts, dtype=np.int64))
    if not search.possible:
        raise ParameterError("no table has these counts: check them")
    exposed = {}
    for place, (size, seen) in zip(ordered, zip(search.sizes, search.seen, strict=True), strict=True):
        if seen in ({0}, {size}):
            exposed.update(dict.fromkeys(np.flatnonzero(numbers == place).tolist(), bool(max(seen))))
    return KnownBits(dict(sorted(exposed.items())), search.tried)


class _Search:
    """All numbers of ones of the classes that agree with the counts."""

    def __init__(self, rows: NDArray[np.int64], sizes: list[int]) -> None:
        self._rows = rows
        self.sizes = sizes
        self.seen: list[set[int]] = [set() for _ in sizes]
        self.tried = 0
        self.possible = False
        filled = rows * np.array(sizes, dtype=np.int64)[:, None]
        self._left = np.vstack(
            [np.cumsum(filled[::-1], axis=0)[::-1], np.zeros((1, rows.shape[1]), dtype=np.int64)]
        )
        self._chosen: list[int] = []

    def visit(self, place: int, counts: NDArray[np.int64]) -> None:
        """Choose the numbers from ``place`` on, so that they sum to what is left of the counts."""
        self.tried += 1
        if self.tried > MOST_TRIED:
            raise ParameterError(
                f"more than {MOST_TRIED} tables would have to be tried: give fewer queries, or fewer records"
            )
        if (counts < 0).any() or (counts > self._left[place]).any():
            return
        if place == len(self.sizes):
            self.possible = True
            for seen, number in zip(self.seen, self._chosen, strict=True):
                seen.add(number)
            return
        for number in range(self.sizes[place] + 1):
            self._chosen.append(number)
            self.visit(place + 1, counts - number * self._rows[place])
            self._chosen.pop()
