"""Swapping: some cells of a column change places with each other, so that each value keeps its exact count.

The scheme is that of Agrawal, Srikant and Thomas ("Privacy preserving OLAP", SIGMOD 2005), section 6: a cell
is retained with probability p, and the cells that are not are permuted at random. How bytes become the
permutation is an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from splu_ref.spec.errors import require
from splu_ref.spec.splu_gen import Source


@dataclass(frozen=True)
class Swapped:
    """A published column.

    ``cells`` lists the released records in their order, and ``places`` the record to whose place each of
    their cells moves.
    """

    published: list[int]
    cells: list[int]
    places: list[int]


def publish(
    columns: Sequence[Sequence[int]], retention: Fraction, source_of: Callable[[int], Source]
) -> list[Swapped]:
    """Publish columns by swapping, in the order in which they are given.

    With p = u/w in lowest terms, for each column:

    1. Draw one integer below w for each record, in the order of the records. The cell of a record is
       released if the integer is at least u.
    2. Draw an order of the released records: ``order_within`` of items of one code.
    3. Draw a permutation of the released records. The cell of the i-th record of the order moves to the
       place of the i-th record of the permutation; it may be its own.

    Rows keep their order. If fewer than two records are released, steps 2 and 3 draw nothing. Under a key
    both steps use the digests of the released records alone.

    Refused (``parameter``) before anything is drawn: p below 0 or not below 1, w above 2^63, fewer than two
    records.

    In the example the integers are 1, 0, 1, 1, so the cells of records 0, 2 and 3 are released. The keys 2,
    3, 1 order them as 3, 0, 2; the keys 3, 1, 2 permute them to 2, 3, 0.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> drawn = "01000101 00000002 00000003 00000001 00000003 00000001 00000002"
    >>> tape = OneStream(Tape(bytes.fromhex(drawn)))
    >>> publish([[10, 11, 12, 13]], Fraction(1, 2), lambda number: tape)
    [Swapped(published=[12, 11, 13, 10], cells=[3, 0, 2], places=[2, 3, 0])]
    """
    require(
        0 <= retention < 1 and retention.denominator <= 2**63, "the retention is not at least 0 and below 1"
    )
    require(len(columns[0]) >= 2, "there are fewer than two records")
    result = []
    for number, codes in enumerate(columns):
        source = source_of(number)
        integers = source.below(retention.denominator, range(len(codes)))
        released = [record for record, integer in enumerate(integers) if integer >= retention.numerator]
        cells = [released[place] for place in source.order_within([0] * len(released), released)]
        places = [released[place] for place in source.permutation(released)]
        published = list(codes)
        for cell, place in zip(cells, places, strict=True):
            published[place] = codes[cell]
        result.append(Swapped(published, cells, places))
    return result
