"""Swapping: some cells of a column change places among themselves; every value keeps its exact count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.splu_gen import Source


@dataclass(frozen=True)
class Swapped:
    """A published column: the released records in their order, and to whose place each of their cells is put."""

    published: list[int]
    cells: list[int]
    places: list[int]


def publish(
    columns: Sequence[Sequence[int]], retention: Fraction, source_of: Callable[[int], Source]
) -> list[Swapped]:
    """Publish columns by swapping: a cell is released with probability 1 - ``retention``.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> tape = OneStream(Tape(bytes.fromhex("01000101 00000002 00000003 00000001 00000003 00000001 00000002")))
    >>> publish([[10, 11, 12, 13]], Fraction(1, 2), lambda _: tape)
    [Swapped(published=[12, 11, 13, 10], cells=[3, 0, 2], places=[2, 3, 0])]
    """
    require(0 <= retention < 1 and retention.denominator <= 2**63, "the retention is not within 0 and 1")
    require(len(columns[0]) >= 2, "there are fewer than two records")
    done = []
    for number, codes in enumerate(columns):
        source = source_of(number)
        drawn = source.below(retention.denominator, range(len(codes)))
        released = [record for record, integer in enumerate(drawn) if integer >= retention.numerator]
        cells = [released[place] for place in source.order_within([0] * len(released), released)]
        places = [released[place] for place in source.permutation(released)]
        published = list(codes)
        for cell, place in zip(cells, places):
            published[place] = codes[cell]
        done.append(Swapped(published, cells, places))
    return done
