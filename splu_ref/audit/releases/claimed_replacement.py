"""What is claimed of a release by retention replacement."""

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
from splu_ref.mechanisms import RetentionReplacement
from splu_ref.microdata import Microdata
from splu_ref.model import ParameterError
from splu_ref.randomness import IntArray


@dataclass(frozen=True, slots=True)
class ClaimedReplacement(ClaimedMechanism[RetentionReplacement]):
    """How a table is said to have been published by retention replacement.

    Attributes
    ----------
    mechanism
        The mechanism, with its retention, its domains and the order of its rows.

    Raises
    ------
    ParameterError
        If it does not replace each cell uniformly on its own.
    """

    def __post_init__(self) -> None:
        if self.mechanism.replacing != "uniform" or self.mechanism.compound:
            raise ParameterError(
                "the release is by retention replacement with another law than the uniform one, or with one "
                "coin for a record, which is not audited: give one that draws uniformly for each cell"
            )

    kept_words: ClassVar[str] = "kept it, or drew it again"
    unseen: ClassVar[str] = (
        "whether a value was kept, or was drawn again and came out the same, is not published, so that part "
        "of the draws is not seen"
    )
    period: ClassVar[int] = 2
    spare: ClassVar[int] = 0
    together: ClassVar[int] = 1

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism and its numbers, for programs."""
        told = self.mechanism
        return {"mechanism": told.name, "gamma": None, "retention": str(told.retention), "plan": None}

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(column for column, _ in self.mechanism.domains)

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The declared domain of each sensitive column."""
        return dict(self.mechanism.domains)

    @property
    def in_place(self) -> bool:
        """Whether rows are said to stand where their records stood."""
        return not self.mechanism.shuffled

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the claim with values in the order of these domains: which is which does not matter here."""
        del domains
        return self

    def size(self, column: str) -> int:
        """Return the number m of values of a column's domain."""
        return len(self.domains[column])

    def other_rate(self, column: str) -> Fraction:
        """Return the probability of each value but the own one: (1 - p)/m."""
        return (1 - self.mechanism.retention) / self.size(column)

    def trials(self, column: str, counts: Sequence[int], rows: int) -> IntArray:
        """Return how many rows could show each value: all."""
        del column
        return np.full(len(counts), rows)

    def own_rate(self, column: str, value: int = 0) -> Fraction:
        """Return the probability of being published with the own value: p + (1 - p)/m."""
        del value
        return self.mechanism.retention + self.other_rate(column)

    def expected(self, column: str, counts: Sequence[int]) -> list[Fraction]:
        """Return how many of records with these counts are published with each value, on average."""
        p, other = self.mechanism.retention, self.other_rate(column)
        return [p * count + other * sum(counts) for count in counts]

    def extremes(self, column: str) -> list[tuple[Fraction, Fraction]]:
        """Return for each value the least and the largest chance that a record is published with it."""
        return [(self.other_rate(column), self.own_rate(column))] * self.size(column)

    def others(self, column: str) -> NDArray[np.float64]:
        """Return the law of what replaces each value if it is not the own one, shape (m, m)."""
        size = self.size(column)
        return (1 - np.eye(size)) / (size - 1)

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
        size, rows = self.size(column), sum(replaced)
        return [Fraction(1, size - 1) if rows > count else None for count in replaced]

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: p a tenth less or more."""
        del rate
        p, size = self.mechanism.retention, self.size(column)
        off = min(p, 1 - p) / 10
        return [(f"p = {other}", other + (1 - other) / size) for other in (p - off, p + off) if off]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value.

        Whatever the true value is, it is the sum of the squares of the chances of all values.
        """
        own, other = self.own_rate(column), self.other_rate(column)
        alike = own**2 + (self.size(column) - 1) * other**2
        return alike, alike

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original with the declared domains.

        Raises
        ------
        DataError
            If a cell lies outside its column's domain.
        """
        return Original(self.mechanism.declared(table), sensitive)

    law_words: ClassVar[str] = "p f + (1 - p) N/m"

    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""
        return f"each of {self.size(column) - 1} as often as the others"

    def excluded(
        self, column: str, own: RatePower | None, *, rows: int, known: int, unaltered: bool, told: bool
    ) -> ExcludedCells:
        """Return what was excluded, by the rates of own values that would have been found.

        Parameters
        ----------
        column, own
            The sensitive column, and which own rates would have been found; None if no coin is seen.
        rows, known, unaltered, told
            As in `ExcludedCells`.
        """
        size, low, high = self.size(column), None, None
        if own is not None and own.low is not None and own.low * size >= 1:
            low = (size * own.low - 1) / (size - 1)
        if own is not None and own.high is not None:
            high = max((size * own.high - 1) / (size - 1), Fraction(0))
        kept = None if own is None else self.mechanism.retention
        return ExcludedCells(column, kept, low, high, rows, known, unaltered, told)
