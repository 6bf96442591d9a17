"""Retention replacement: each cell is kept with probability p, and otherwise replaced by a value drawn from a known law.

The mechanism of Agrawal, Srikant and Thomas ("Privacy preserving OLAP", 2005), which needs no plan and no groups.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from splu_ref.spec.errors import require
from splu_ref.spec.splu_gen import Source


@dataclass(frozen=True)
class DeclaredColumn:
    """A sensitive column with its declared domain, and its cells; with ``given``, the probability of each value."""

    name: str
    domain: list[str]
    cells: list[str]
    law: list[Fraction] | None = None

    def __post_init__(self) -> None:
        require(len(set(self.domain)) == len(self.domain) >= 2, "a domain has two values or more, each once")
        require(set(self.cells) <= set(self.domain), "a cell is not in the domain")
        if self.law is not None:
            require(len(self.law) == len(self.domain), "the law has not one probability for each value")
            require(min(self.law) >= 0 and sum(self.law) == 1, "the probabilities are no law")

    @property
    def values(self) -> list[str]:
        """Return the values in the order of publishing: ascending by code point."""
        return sorted(self.domain)

    @property
    def codes(self) -> list[int]:
        """Return the number of each cell's value."""
        return [self.values.index(cell) for cell in self.cells]

    @property
    def probabilities(self) -> list[Fraction]:
        """Return the given probability of each value, in the order of publishing."""
        assert self.law is not None
        of_value = dict(zip(self.domain, self.law))
        return [of_value[value] for value in self.values]


@dataclass(frozen=True)
class Parameters:
    """The retention p, the law of the replacements, whether rows are shuffled, and what one coin decides for."""

    retention: Fraction
    replacing: str = "uniform"
    order: str = "kept"
    unit: str = "cell"

    def __post_init__(self) -> None:
        require(0 <= self.retention < 1, "the retention is not within 0 and 1")
        require(self.unit == "cell" or self.replacing != "identity", "one coin does not go with identity")

    def facts(self, columns: Sequence[DeclaredColumn]) -> list[tuple[str, str]]:
        """Return the parameters as names and texts, in the order of a manifest."""
        named = sorted(columns, key=lambda column: column.name)
        domains = [[column.name, column.values] for column in named]
        told = [
            ("retention", str(self.retention)),
            ("replacing", self.replacing),
            ("order", self.order),
            ("domains", hashlib.sha256(compact(domains).encode()).hexdigest()),
        ]
        if self.replacing == "given":
            told.append(("laws", json.dumps([[str(p) for p in column.probabilities] for column in named])))
        return told if self.unit == "cell" else [*told, ("unit", "record")]


def compact(value: object) -> str:
    """Return JSON without white space, in which only what must be escaped is.

    >>> import hashlib
    >>> compact([["v", ["a", "é"]]])
    '[["v",["a","é"]]]'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def weights(column: DeclaredColumn, replacing: str) -> list[int]:
    """Return the weight of each value as a replacement: its probability is the weight over the sum of all."""
    if replacing == "uniform":
        return [1] * len(column.domain)
    if replacing == "identity":
        return [column.codes.count(code) for code in range(len(column.domain))]
    whole = lcm(*(probability.denominator for probability in column.probabilities))
    return [int(probability * whole) for probability in column.probabilities]


def chosen(weighted: Sequence[int], integer: int) -> int:
    """Return the least value whose weight, with those of all values before it, is above an integer.

    >>> [chosen([2, 1, 0, 1], integer) for integer in range(4)]
    [0, 0, 1, 3]
    """
    return next(value for value in range(len(weighted)) if integer < sum(weighted[: value + 1]))


@dataclass(frozen=True)
class Released:
    """The original record at each row, and by column the published values, and the integers of each record."""

    rows: list[int]
    published: list[list[str]]
    integers: list[list[int]]


def publish(
    columns: Sequence[DeclaredColumn], parameters: Parameters, source_of: Callable[[int], Source]
) -> Released:
    """Publish columns by retention replacement.

    One integer below w W for each record is coin and replacement at once, w being the denominator of p and W the sum of the
    weights: the first u W integers keep the value. With one coin for a record, the first column's decides for all, and
    each other column draws a replacement alone.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> column = DeclaredColumn("v", list("dcba"), list("abcd"))
    >>> tape = OneStream(Tape(bytes([3, 6, 4, 0])))
    >>> publish([column], Parameters(Fraction(1, 2)), lambda _: tape).published
    [['a', 'c', 'a', 'd']]
    """
    require(len(columns) > 0 and len(columns[0].cells) > 0, "there is nothing to publish")
    require(len({len(column.cells) for column in columns}) == 1, "the columns differ in length")
    u, w = parameters.retention.numerator, parameters.retention.denominator
    weighted = [weights(column, parameters.replacing) for column in columns]
    bounds = [
        sum(each) if parameters.unit == "record" and number > 0 else w * sum(each)
        for number, each in enumerate(weighted)
    ]
    require(max(w * sum(each) for each in weighted) <= 2**63, "the probabilities have too large denominators")
    records = range(len(columns[0].cells))
    integers = [source_of(number).below(bound, records) for number, bound in enumerate(bounds)]
    made = []
    for number, column in enumerate(columns):
        total, deciding = sum(weighted[number]), 0 if parameters.unit == "record" else number
        limit = u * sum(weighted[deciding])
        made.append(
            [
                column.cells[record]
                if integers[deciding][record] < limit
                else column.values[chosen(weighted[number], integers[number][record] % total)]
                for record in records
            ]
        )
    rows = source_of(0).permutation(records) if parameters.order == "shuffled" else list(records)
    return Released(rows, [[cells[row] for row in rows] for cells in made], integers)
