"""Operators: a value is published as another one with the probabilities of a matrix that everybody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from splu_ref.spec.errors import require
from splu_ref.spec.retention import chosen
from splu_ref.spec.splu_gen import Source

Matrix = Sequence[Sequence[Fraction]]


def require_laws(matrix: Matrix) -> None:
    """Refuse a matrix whose rows are not laws of equally many values."""
    require(len(matrix) > 0 and len({len(row) for row in matrix}) == 1 and len(matrix[0]) > 0, "no matrix")
    require(all(min(row) >= 0 and sum(row) == 1 for row in matrix), "a row is no law")


@dataclass(frozen=True)
class Released:
    """The original record at each row, the published codes, and the integer of each record."""

    rows: list[int]
    published: list[int]
    integers: list[int]


def publish(codes: Sequence[int], matrix: Matrix, order: str, source: Source) -> Released:
    """Publish codes by a matrix, whose row u is the law of what u is published as. Records draw by value, ascending.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> rows = [["1/2", "1/3", "1/6"], ["0", "1/4", "3/4"], ["1/5", "0", "4/5"]]
    >>> matrix = [[Fraction(entry) for entry in row] for row in rows]
    >>> publish([1, 0, 0], matrix, "kept", OneStream(Tape(bytes([5, 2, 0]))))
    Released(rows=[0, 1, 2], published=[1, 2, 0], integers=[0, 5, 2])
    """
    require_laws(matrix)
    require(2 <= len(matrix) == len(matrix[0]), "an operator has as many columns as rows, and two of them")
    require(len(codes) > 0 and max(codes) < len(matrix), "there is no record, or a code without a row")
    published, integers = [0] * len(codes), [0] * len(codes)
    bounds = [lcm(*(entry.denominator for entry in row)) for row in matrix]
    require(max(bounds) <= 2**63, "the probabilities have too large denominators")
    for value, (row, bound) in enumerate(zip(matrix, bounds)):
        records = [record for record, code in enumerate(codes) if code == value]
        for record, integer in zip(records, source.below(bound, records)):
            integers[record] = integer
            published[record] = chosen([int(entry * bound) for entry in row], integer)
    rows = source.permutation(range(len(codes))) if order == "shuffled" else list(range(len(codes)))
    return Released(rows, [published[row] for row in rows], integers)
