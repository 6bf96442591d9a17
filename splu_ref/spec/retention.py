"""Retention replacement: a cell is retained with probability p, and replaced from a known law otherwise.

The mechanism of Agrawal, Srikant and Thomas ("Privacy preserving OLAP", SIGMOD 2005): uniform perturbation
is that of section 3, identity perturbation that of section 6. It needs no plan and no groups. Replacement
laws that are given, one coin for a whole record, and the order of all choices are additions of this
specification.
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
    """A sensitive column with a declared domain: its name, its values in any order, each record's cell.

    ``law``, if it is given, has the probability of each value of ``domain`` as a replacement, in the order of
    ``domain``. Values are published in ascending order by code point and numbered from 0 in this order.

    Refused (``parameter``): fewer than two values, a value that occurs twice, a cell that is no value; a law
    that has not one probability for each value, a negative probability, or probabilities that do not add up
    to 1.

    >>> column = DeclaredColumn("v", ["b", "a"], ["b", "b"])
    >>> column.values, column.codes
    (['a', 'b'], [1, 1])
    """

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
        """The values in the order of publishing: ascending by code point."""
        return sorted(self.domain)

    @property
    def codes(self) -> list[int]:
        """The number of each cell's value."""
        return [self.values.index(cell) for cell in self.cells]

    @property
    def probabilities(self) -> list[Fraction]:
        """The given probability of each value, in the order of publishing."""
        assert self.law is not None
        of_value = dict(zip(self.domain, self.law, strict=True))
        return [of_value[value] for value in self.values]


@dataclass(frozen=True)
class Parameters:
    """The parameters of retention replacement.

    - ``retention``: p with 0 ≤ p < 1;
    - ``replacing``: ``uniform``, ``given`` (by the laws of the columns) or ``identity`` (by the histogram);
    - ``order``: whether rows are ``shuffled`` or ``kept``;
    - ``unit``: whether one coin decides for a ``cell`` or for a ``record``.

    Refused (``parameter``): a retention outside its range, and one coin for a record with ``identity``.
    """

    retention: Fraction
    replacing: str = "uniform"
    order: str = "kept"
    unit: str = "cell"

    def __post_init__(self) -> None:
        require(0 <= self.retention < 1, "the retention is not at least 0 and below 1")
        require(self.unit == "cell" or self.replacing != "identity", "one coin does not go with identity")

    def facts(self, columns: Sequence[DeclaredColumn]) -> list[tuple[str, str]]:
        """Return the parameters as pairs of name and text, in the order of a manifest.

        They are ``retention``, a fraction in lowest terms; ``replacing``; ``order``; ``domains``, the
        SHA-256 in hexadecimal digits of the `compact` JSON list of the pairs ``[name, [value, …]]`` of all
        columns; with ``given`` the ``laws``, a JSON list of the lists of the probabilities of each column,
        as texts, with a blank after each comma; and ``unit`` if it is ``record``. Columns ascend by name and
        values by code point.

        >>> column = DeclaredColumn("v", ["b", "a"], ["b"], [Fraction(3, 4), Fraction(1, 4)])
        >>> [fact for fact in Parameters(Fraction(1, 2), "given").facts([column]) if fact[0] != "domains"]
        [('retention', '1/2'), ('replacing', 'given'), ('order', 'kept'), ('laws', '[["1/4", "3/4"]]')]
        """
        named = sorted(columns, key=lambda column: column.name)
        domains = [[column.name, column.values] for column in named]
        facts = [
            ("retention", str(self.retention)),
            ("replacing", self.replacing),
            ("order", self.order),
            ("domains", hashlib.sha256(compact(domains).encode()).hexdigest()),
        ]
        if self.replacing == "given":
            facts.append(("laws", json.dumps([[str(p) for p in column.probabilities] for column in named])))
        return facts if self.unit == "cell" else [*facts, ("unit", "record")]


def compact(value: object) -> str:
    r"""Return JSON without white space between its parts, in which only what must be escaped is escaped.

    In a text a backslash is written before ``"`` and backslash. Backspace, form feed, line feed, carriage
    return and tab are ``\b``, ``\f``, ``\n``, ``\r`` and ``\t``; other characters below U+0020 are ``\u``
    and four digits 0-9, a-f; every other character is itself.

    >>> compact([["v", ["a", "é", "\x01"]]])
    '[["v",["a","é","\\u0001"]]]'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def weights(column: DeclaredColumn, replacing: str) -> list[int]:
    """Return the weight of each value as a replacement, in the order of publishing.

    The probability of a value is its weight over W, and W is the sum of the weights. ``uniform``: each
    weight is 1. ``given``: W is the least common denominator of the probabilities. ``identity``: the weight
    is the number of records with the value.

    >>> weights(DeclaredColumn("v", ["a", "b"], ["b"], [Fraction(1, 4), Fraction(3, 4)]), "given")
    [1, 3]
    """
    if replacing == "uniform":
        return [1] * len(column.domain)
    if replacing == "identity":
        return [column.codes.count(code) for code in range(len(column.domain))]
    whole = lcm(*(probability.denominator for probability in column.probabilities))
    return [int(probability * whole) for probability in column.probabilities]


def value_of_integer(weighted: Sequence[int], integer: int) -> int:
    """Return the least value whose weight, together with those of all values before it, is above an integer.

    >>> [value_of_integer([2, 1, 0, 1], integer) for integer in range(4)]
    [0, 0, 1, 3]
    """
    return next(value for value in range(len(weighted)) if integer < sum(weighted[: value + 1]))


@dataclass(frozen=True)
class Release:
    """A release: the original record of each row; by column the published values and the integers."""

    rows: list[int]
    published: list[list[str]]
    integers: list[list[int]]


def publish(
    columns: Sequence[DeclaredColumn], parameters: Parameters, source_of: Callable[[int], Source]
) -> Release:
    """Publish columns by retention replacement, in the order in which they are given.

    With p = u/w in lowest terms and W the sum of the weights of a column:

    1. For each column draw one integer r below w W for each record, in the order of the records. If r < u W,
       the record retains its value. Otherwise it is published with the value of r mod W (`value_of_integer`).
    2. If rows are shuffled, draw a permutation of the records, from the source of the first column. Row i is
       the record at place i of the permutation. Otherwise row i is record i.

    So r is coin and replacement at once, and a replacement may be the true value again.

    With one coin for a record, the first column is drawn as above and decides for all columns: a record
    keeps all values if r < u W with the W of the first column. Each later column draws an integer below its
    own W for each record, whether the record is retained or not; it is the replacement's.

    Refused (``parameter``) before anything is drawn: no column, no record, columns of different lengths, and
    w W above 2^63 in any column.

    In the example w W = 8 and u W = 4. The integers 3 and 0 keep the values; 6 gives value 2 and 4 gives
    value 0.

    >>> from splu_ref.spec.randomness import Tape
    >>> from splu_ref.spec.splu_gen import OneStream
    >>> column = DeclaredColumn("v", list("dcba"), list("abcd"))
    >>> tape = OneStream(Tape(bytes([3, 6, 4, 0])))
    >>> publish([column], Parameters(Fraction(1, 2)), lambda number: tape).published
    [['a', 'c', 'a', 'd']]
    """
    require(len(columns) > 0 and len(columns[0].cells) > 0, "there is no column or no record")
    require(len({len(column.cells) for column in columns}) == 1, "the columns differ in length")
    u, w = parameters.retention.numerator, parameters.retention.denominator
    weighted = [weights(column, parameters.replacing) for column in columns]
    require(max(w * sum(each) for each in weighted) <= 2**63, "the probabilities have too large denominators")
    of_record = parameters.unit == "record"
    records = range(len(columns[0].cells))
    integers = [
        source_of(number).below(sum(each) if of_record and number > 0 else w * sum(each), records)
        for number, each in enumerate(weighted)
    ]
    result = []
    for number, column in enumerate(columns):
        total, deciding = sum(weighted[number]), 0 if of_record else number
        limit = u * sum(weighted[deciding])
        cells = []
        for record in records:
            if integers[deciding][record] < limit:
                cells.append(column.cells[record])
            else:
                cells.append(
                    column.values[value_of_integer(weighted[number], integers[number][record] % total)]
                )
        result.append(cells)
    rows = source_of(0).permutation(records) if parameters.order == "shuffled" else list(records)
    return Release(rows, [[cells[row] for row in rows] for cells in result], integers)
