"""The tables of the experiments: whole numbers by column, in declared ranges, and a predicate for each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt

import numpy as np

from splu_ref.channels.parameters import DataError
from splu_ref.data import Microdata, embedded_table, read_table
from splu_ref.randomness import IntArray, UniformSource

ADULT = "adult_numeric"
EDUCATION = (
    "Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college",
    "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate",
)  # fmt: skip
"""The words of Adult's column education; the place of a word, from 1 on, is its education number."""


@dataclass(frozen=True)
class Column:
    """A column of whole numbers, and what a query asks of it.

    Attributes
    ----------
    name
        For people.
    least, greatest
        The declared domain, from which replacements are drawn.
    low, high
        The predicate: values from ``low`` to ``high``.
    """

    name: str
    least: int
    greatest: int
    low: int
    high: int

    @property
    def size(self) -> int:
        """Values of the domain."""
        return self.greatest - self.least + 1

    @property
    def share(self) -> Fraction:
        """b: the share of the domain that the predicate holds for."""
        return Fraction(self.high - self.low + 1, self.size)

    def __str__(self) -> str:
        return f"{self.name} {self.low}–{self.high}"


AGE = Column("age", 17, 90, 25, 45)
WEIGHT = Column("fnlwgt", 10_000, 1_500_000, 100_000, 1_000_000)
HOURS = Column("hours per week", 1, 100, 30, 60)
CLASS = Column("class", 0, 1, 1, 1)
PROFESSIONS = ("Exec-managerial", "Prof-specialty")
"""The occupations that a decision tree separates from the others."""
SCHOOL = Column("education", 1, 16, 5, 10)


@dataclass(frozen=True, eq=False)
class OlapTable:
    """A table of the experiments.

    Attributes
    ----------
    name
        For people.
    columns
        Its columns, in the order in which queries take them up.
    values
        Shape (columns, records).
    labels
        What a decision tree is to say of each record, 0 or 1, and -1 where it is not known; None for nothing.
    """

    name: str
    columns: tuple[Column, ...]
    values: IntArray
    labels: IntArray | None = None

    @property
    def rows(self) -> int:
        """Number of records."""
        return int(self.values.shape[1])

    @cached_property
    def digest(self) -> str:
        """A fingerprint of columns and values."""
        text = repr((self.name, self.columns)).encode()
        return hashlib.sha256(text + np.ascontiguousarray(self.values).tobytes()).hexdigest()


def adult(path: str | None = None) -> OlapTable:
    """Return Adult with the paper's columns, domains and predicates.

    Parameters
    ----------
    path
        The table ``adult_numeric``, if it is there. Without it the embedded table stands in, which lacks the
        column fnlwgt: three columns are left.

    Raises
    ------
    DataError
        If there is no such table, or a cell lies outside its domain.
    """
    if path is None:
        table, columns = embedded_table(), {"age": AGE, "hours_per_week": HOURS, "education": SCHOOL}
        name = "adult_demo, without fnlwgt"
    else:
        table = read_table(path, missing="?")
        columns = {"age": AGE, "fnlwgt": WEIGHT, "hours_per_week": HOURS, "education": SCHOOL}
        name = ADULT
    values = [_whole(table, key, column) for key, column in columns.items()]
    jobs = table.cells("occupation")
    labels = np.array([-1 if job == "?" else int(job in PROFESSIONS) for job in jobs], dtype=np.int64)
    return OlapTable(name, tuple(columns.values()), np.stack(values), labels)


def _whole(table: Microdata, key: str, column: Column) -> IntArray:
    cells = [str(cell) for cell in table.cells(key)]
    places = {word: number for number, word in enumerate(EDUCATION, 1)} if column is SCHOOL else {}
    try:
        found = np.array([places[cell] if places else int(cell) for cell in cells], dtype=np.int64)
    except (KeyError, ValueError) as error:
        raise DataError(f"column {key!r} is not that of Adult ({error}): repair the file") from None
    outside = np.flatnonzero((found < column.least) | (found > column.greatest))
    if len(outside):
        first = int(outside[0])
        raise DataError(
            f"column {key!r} holds {cells[first]!r} in row {first + 2}, outside of {column.least} to "
            f"{column.greatest}: repair the file"
        )
    return found


def perturbed(values: IntArray, column: Column, keep: Fraction, source: UniformSource) -> IntArray:
    """Keep each value with p, or draw it anew from the column's domain."""
    drawn = source.below(keep.denominator * column.size, len(values))
    kept = drawn < keep.numerator * column.size
    return np.where(kept, values, column.least + drawn % column.size)


def zipf(rows: int, columns: int, source: UniformSource, *, half: bool = False) -> OlapTable:
    """Return a table of independent columns with Zipf's law of exponent 1/2.

    Parameters
    ----------
    rows
        About how many records: value i of V occurs round(5 sqrt(V/i)) times, and V is chosen so that the sum
        comes nearest.
    columns
        How many columns, each the same values in a random order.
    source
        Where the orders come from.
    half
        Whether the predicate holds for half of the values, and not for the first values that half of the
        records have.
    """
    frequencies = zipf_frequencies(rows)
    ends = np.cumsum(frequencies)
    values = np.repeat(np.arange(1, len(frequencies) + 1), frequencies)
    high = len(frequencies) // 2 if half else int(np.argmin(np.abs(2 * ends - len(values)))) + 1
    column = Column("value", 1, len(frequencies), 1, high)
    orders = [values[source.permutation(len(values))] for _ in range(columns)]
    meant = "values" if half else "records"
    return OlapTable(f"Zipf, predicates on half of the {meant}", (column,) * columns, np.stack(orders))


def zipf_frequencies(rows: int) -> IntArray:
    """Return how often each value occurs, the most frequent first; the least frequent five times."""

    def counts(values: int) -> IntArray:
        found = [round(5 * sqrt(values / place)) for place in range(1, values + 1)]
        return np.array(found, dtype=np.int64)

    near = range(max(1, rows // 10 - rows // 100 - 20), rows // 10 + rows // 50 + 20)
    least, greatest = near.start, near.stop  # the sum grows with the number of values
    while greatest - least > 1:
        middle = (least + greatest) // 2
        least, greatest = (middle, greatest) if counts(middle).sum() <= rows else (least, middle)
    best = min((least, greatest), key=lambda values: abs(int(counts(values).sum()) - rows))
    return counts(best)
