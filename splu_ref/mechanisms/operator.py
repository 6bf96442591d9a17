"""The operator mechanism: a transition matrix whose row u is the law of the published value given u."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import ClassVar, Self

import numpy as np

from splu_ref.channels import Channel, DataError, Exact, ParameterError, amplification, exact, from_matrix
from splu_ref.mechanisms.group_draws import LARGEST_BOUND
from splu_ref.mechanisms.manifest import Facts
from splu_ref.mechanisms.record_mechanism import RowMechanism
from splu_ref.mechanisms.retention_replacement import digest_of
from splu_ref.randomness import Draws, IntArray, UniformSource


@dataclass(frozen=True, init=False)
class Operator(RowMechanism):
    """A mechanism given by its transition matrix.

    Parameters
    ----------
    column
        The sensitive column.
    values
        Declared values of the column as texts, at least two.
    rows
        The transition matrix, shape (values, values), exact probabilities; each row sums to 1.
    shuffled
        Whether the published rows are in a random order: see `RetentionReplacement`.

    Raises
    ------
    ParameterError
        If the matrix is not square and stochastic, a value is repeated, or a row has a common denominator
        above 2**63.
    """

    name: ClassVar[str] = "operator"

    column: str
    values: tuple[str, ...]
    rows: tuple[tuple[Fraction, ...], ...]
    shuffled: bool

    def __init__(
        self, column: str, values: Sequence[str], rows: Sequence[Sequence[Exact]], *, shuffled: bool = False
    ) -> None:
        if len(values) < 2:
            raise ParameterError("an operator needs at least two values: declare all that may be published")
        channel = from_matrix(values, rows, values)
        ordered = tuple(sorted(values))
        laws = tuple(tuple(channel.probability(own, each) for each in ordered) for own in ordered)
        for own, law in zip(ordered, laws, strict=True):
            if _bound(law) > LARGEST_BOUND:
                raise ParameterError(
                    f"the row of {own!r} has a common denominator above 2**63, which is too many digits to "
                    "draw by: use a matrix of fewer digits"
                )
        for field, value in (("column", column), ("values", ordered), ("rows", laws), ("shuffled", shuffled)):
            object.__setattr__(self, field, value)

    def facts(self) -> dict[str, int | str]:
        """Return the matrix in code point order of the values, the order of rows, and a domain digest."""
        return {
            "matrix": json.dumps([list(map(str, row)) for row in self.rows]),
            "order": "shuffled" if self.shuffled else "kept",
            "domains": digest_of(((self.column, self.values),)),
        }

    @classmethod
    def from_facts(cls, facts: Facts) -> Self:
        """Return the mechanism with the parameters recorded in a manifest."""
        column, values = facts.only_domain()
        rows = _matrix(facts.parsed("matrix"))
        mechanism = cls(column, sorted(values), rows, shuffled=facts.shuffled())
        facts.require_digest(mechanism.facts()["domains"])
        return mechanism

    @property
    def declared_domains(self) -> dict[str, tuple[str, ...]]:
        """The domain of the column."""
        return {self.column: self.values}

    @property
    def bounds(self) -> tuple[int, ...]:
        """Bound of the uniform integers that are drawn for records of each value."""
        return tuple(map(_bound, self.rows))

    @property
    def amplification(self) -> Fraction | None:
        """The largest ratio of a published value's probabilities under two true values; None if infinite."""
        return amplification(self._channel()).ratio

    def channel(self, histogram: IntArray, _: UniformSource) -> Channel[int, int]:
        """Return the channel of a record: the matrix."""
        del histogram
        return self._channel()

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the mechanism with its matrix in the order of the domain."""
        places = [self.values.index(value) for value in domains.get(self.column, self.values)]
        found = object.__new__(type(self))
        object.__setattr__(found, "column", self.column)
        object.__setattr__(found, "values", tuple(self.values[place] for place in places))
        object.__setattr__(
            found, "rows", tuple(tuple(self.rows[own][each] for each in places) for own in places)
        )
        object.__setattr__(found, "shuffled", self.shuffled)
        return found

    @property
    def shuffles(self) -> bool:
        """Whether the published rows are in a random order."""
        return self.shuffled

    def publish_rows(
        self,
        codes: Mapping[str, IntArray],
        histograms: Mapping[str, IntArray],
        draws_for: Callable[[str], Draws],
    ) -> dict[str, IntArray]:
        """Draw each record's value from the matrix row of its true value; see `RowMechanism` for parameters.

        For each value u in the order of codes, one integer below W is drawn for each of its records, W the
        least common denominator of row u. The first W P[u][0] integers select the first value, the next ones
        the second, and so on.

        Raises
        ------
        ParameterError
            If the column is not that of the matrix, or there are no records.
        """
        if set(codes) != {self.column}:
            raise ParameterError(
                f"the matrix is for column {self.column!r} and no other: publish that one, --column "
                f"{self.column}"
            )
        own, histogram = codes[self.column], histograms[self.column]
        if not histogram.any():
            raise ParameterError("the table has no records: give at least one")
        if len(histogram) > len(self.values):
            raise ParameterError(
                f"the matrix has {len(self.values)} rows, for a domain of {len(histogram)}: "
                "declare a row for each value"
            )
        draws, published = draws_for(self.column), np.empty_like(own)
        for code, law in enumerate(self.rows):
            records = np.flatnonzero(own == code)
            if len(records):
                bound = _bound(law)
                ends = list(accumulate(int(entry * bound) for entry in law[:-1]))
                drawn = draws.select_records(records).below(bound, len(records))
                published[records] = np.searchsorted(np.array(ends, dtype=np.int64), drawn, side="right")
        return {self.column: published}

    def _channel(self) -> Channel[int, int]:
        return from_matrix(range(len(self.values)), self.rows, range(len(self.values)))


def _bound(law: Sequence[Fraction]) -> int:
    return lcm(*(entry.denominator for entry in law))


def _matrix(rows: object) -> list[list[Fraction]]:
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and all(isinstance(entry, str) for entry in row) for row in rows
    ):
        raise DataError("matrix is not a list of rows of fractions: ask the publisher")
    return [[exact(entry, "an entry of matrix") for entry in row] for row in rows]
