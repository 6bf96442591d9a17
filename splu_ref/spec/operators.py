"""Operators: a value is published as another value with the probabilities of a matrix that is public.

Uniform perturbation is one such matrix (Chaytor's thesis, section 3.1); SPLU-Gen seen from one value is
another. How bytes become the published value is an addition of this specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from splu_ref.spec.errors import require
from splu_ref.spec.retention import value_of_integer
from splu_ref.spec.splu_gen import Source

Matrix = Sequence[Sequence[Fraction]]


def require_laws(matrix: Matrix) -> None:
    """Refuse (``parameter``) a matrix whose rows are not laws of equally many states.

    There is a row and a column at least, all rows have the same length, no entry is negative, and the
    entries of each row add up to 1.

    >>> require_laws([[Fraction(1, 2), Fraction(1, 4)]])
    Traceback (most recent call last):
    splu_ref.spec.errors.Refused: the entries of a row are no law
    """
    require(
        len(matrix) > 0 and len({len(row) for row in matrix}) == 1 and len(matrix[0]) > 0, "this is no matrix"
    )
    require(all(min(row) >= 0 and sum(row) == 1 for row in matrix), "the entries of a row are no law")


@dataclass(frozen=True)
class Release:
    """A release: the original record and the published code of each row, and the integer of each record."""

    rows: list[int]
    published: list[int]
    integers: list[int]


def publish(codes: Sequence[int], matrix: Matrix, order: str, source: Source) -> Release:
    """Publish codes by a square matrix, whose row u is the law of what value u is published as.

    1. For each value u, ascending, with W the least common denominator of row u: draw one integer below W
       for each record with the value u, in the order of the records. The first W P[u][0] integers give value
       0, the next W P[u][1] give value 1, and so on. A value without records draws nothing.
    2. If ``order`` is ``shuffled``, draw a permutation of the records; row i is the record at place i. If it
       is ``kept``, row i is record i.

    Refused (``parameter``) before anything is drawn: a matrix whose rows are no laws, that is not square or
    has fewer than two rows; no record; a code without a row; a W above 2^63, also of a value without
    records.

    In the example the records 1 and 2 have value 0, so they draw first, below 6: 5 gives value 2 and 2 gives
    value 0. Record 0 draws below 4.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> rows = [["1/2", "1/3", "1/6"], ["0", "1/4", "3/4"], ["1/5", "0", "4/5"]]
    >>> matrix = [[Fraction(entry) for entry in row] for row in rows]
    >>> publish([1, 0, 0], matrix, "kept", OneStream(Tape(bytes([5, 2, 0]))))
    Release(rows=[0, 1, 2], published=[1, 2, 0], integers=[0, 5, 2])
    """
    require_laws(matrix)
    require(2 <= len(matrix) == len(matrix[0]), "an operator has at least two rows, and as many columns")
    require(len(codes) > 0 and max(codes) < len(matrix), "there is no record, or a code without a row")
    published, integers = [0] * len(codes), [0] * len(codes)
    bounds = [lcm(*(entry.denominator for entry in row)) for row in matrix]
    require(max(bounds) <= 2**63, "the probabilities have too large denominators")
    for value, (row, bound) in enumerate(zip(matrix, bounds, strict=True)):
        records = [record for record, code in enumerate(codes) if code == value]
        for record, integer in zip(records, source.below(bound, records), strict=True):
            integers[record] = integer
            published[record] = value_of_integer([int(entry * bound) for entry in row], integer)
    rows = source.permutation(range(len(codes))) if order == "shuffled" else list(range(len(codes)))
    return Release(rows, [published[row] for row in rows], integers)
