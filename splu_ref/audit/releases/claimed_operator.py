"""What is claimed of a release by a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.power import RatePower
from splu_ref.audit.releases.claimed_mechanism import ClaimedMechanism
from splu_ref.audit.releases.excluded_cells import ExcludedCells
from splu_ref.audit.releases.original import Original
from splu_ref.mechanisms import Operator
from splu_ref.microdata import Microdata
from splu_ref.randomness import IntArray


@dataclass(frozen=True, slots=True)
class ClaimedOperator(ClaimedMechanism[Operator]):
    """How a table is said to have been published by a matrix.

    Attributes
    ----------
    mechanism
        The mechanism, with its matrix A, the values in the order of its rows, and whether rows are shuffled.
    """

    kept_words: ClassVar[str] = "show it"
    unseen: ClassVar[str] = (
        "whether a value was drawn anew and came out the same is not published, nor can it be: the matrix "
        "says no more than how often each value is shown"
    )
    law_words: ClassVar[str] = "those that the matrix gives the true ones"
    period: ClassVar[int] = 2
    spare: ClassVar[int] = 0
    together: ClassVar[int] = 1

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism, for programs; its matrix stands in the manifest."""
        return {"mechanism": self.mechanism.name, "gamma": None, "retention": None, "plan": None}

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.mechanism.column,)

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """Its values, in the order of the rows."""
        return {self.mechanism.column: self.mechanism.values}

    @property
    def in_place(self) -> bool:
        """Whether rows are said to stand where their records stood."""
        return not self.mechanism.shuffled

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the claim with its matrix in the order of these domains."""
        return type(self)(self.mechanism.aligned(domains))

    def size(self, column: str) -> int:
        """Return the number of values."""
        del column
        return len(self.mechanism.values)

    def trials(self, column: str, counts: Sequence[int], rows: int) -> IntArray:
        """Return how many rows could show each value: all."""
        del column
        return np.full(len(counts), rows)

    def own_rate(self, column: str, value: int) -> Fraction:
        """Return the probability that a record of this value is published with it."""
        del column
        return self.mechanism.rows[value][value]

    def expected(self, column: str, counts: Sequence[int]) -> list[Fraction]:
        """Return how many of records with these counts are published with each value, on average."""
        rows = self.mechanism.rows
        return [
            sum((count * row[each] for count, row in zip(counts, rows, strict=True)), Fraction(0))
            for each in range(self.size(column))
        ]

    def extremes(self, column: str) -> list[tuple[Fraction, Fraction]]:
        """Return for each value the least and the largest chance that a record is published with it."""
        del column
        return [(min(entries), max(entries)) for entries in zip(*self.mechanism.rows, strict=True)]

    def others(self, column: str) -> NDArray[np.float64]:
        """Return the law of what replaces each value if it is not the own one; 0 where it always is."""
        law = np.zeros((self.size(column), self.size(column)))
        for own, row in enumerate(self.mechanism.rows):
            if row[own] < 1:
                law[own] = [float(entry / (1 - row[own])) for entry in row]
                law[own, own] = 0.0
        return law

    def others_shown(self, column: str, replaced: Sequence[int]) -> list[Fraction | None]:
        """Return with what chance rows show each value whose own is another one, and is not shown.

        Parameters
        ----------
        column
            The sensitive column.
        replaced
            Rows that do not show their own value, by it.

        Returns
        -------
        list[Fraction or None]
            Their mean chance; None if there is no such row.
        """
        rows = self.mechanism.rows
        weights = {own: count / (1 - rows[own][own]) for own, count in enumerate(replaced) if count}
        found: list[Fraction | None] = []
        for each, count in enumerate(replaced):
            shown = [weight * rows[own][each] for own, weight in weights.items() if own != each]
            left = sum(replaced) - count
            found.append(sum(shown, Fraction(0)) / left if left else None)
        return found

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: own values a tenth more or less."""
        del column
        off = min(rate, 1 - rate) / 10
        near = (rate - off, rate + off)
        return [(f"own values shown with probability {float(each):.4g} on average", each) for each in near]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value."""
        del column
        alike = [sum((entry**2 for entry in row), Fraction(0)) for row in self.mechanism.rows]
        return min(alike), max(alike)

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original with the values of the matrix as its domain.

        Raises
        ------
        DataError
            If a cell is none of them.
        """
        return Original(self.mechanism.declared(table), sensitive)

    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""
        del column
        return "each as often as its row of the matrix says"

    def excluded(
        self, column: str, own: RatePower | None, *, rows: int, known: int, unaltered: bool, told: bool
    ) -> ExcludedCells:
        """Return what was excluded, by the rates of own values that were found; see `ExcludedCells`."""
        kept, low, high = (None, None, None) if own is None else (own.rate, own.low, own.high)
        return ExcludedCells(column, kept, low, high, rows, known, unaltered, told)
