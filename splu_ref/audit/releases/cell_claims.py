"""Claims that every cell is drawn on its own, by the row of its true value in a known matrix."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self, TypeVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.power import RatePower
from splu_ref.audit.releases.claims import MechanismClaim, a_tenth_off
from splu_ref.audit.releases.detection_power import DetectionPower, of_cells
from splu_ref.audit.releases.record_linkage import Original, frame_of
from splu_ref.channels import DataError, ParameterError
from splu_ref.data import Microdata
from splu_ref.mechanisms import Operator, RetentionReplacement, SmallDomainRandomization
from splu_ref.randomness import IntArray

C = TypeVar("C", bound=Operator | RetentionReplacement | SmallDomainRandomization)
MOST_STATES = 4096
"""Values of all parts together; the checks hold a square of them."""


class CellLaw(ABC):
    """The matrix by which the cells of a column are drawn: one row for each true value."""

    size: int

    @abstractmethod
    def trials(self, counts: Sequence[int], rows: int) -> IntArray:
        """Return how many rows could show each value, of ``rows`` with these counts."""

    @abstractmethod
    def true_value_rate(self, value: int) -> Fraction:
        """Return the probability that a record of this value is published with it."""

    @abstractmethod
    def expected(self, counts: Sequence[int]) -> list[Fraction]:
        """Return how many of records with these counts are published with each value, on average."""

    @abstractmethod
    def extremes(self) -> list[tuple[Fraction, Fraction]]:
        """Return for each value the least and the largest chance that a record shows it."""

    @abstractmethod
    def others(self) -> NDArray[np.float64]:
        """Return the law of what replaces each value if it is not the own one; 0 where it always is."""

    @abstractmethod
    def others_shown(self, replaced: Sequence[int]) -> list[Fraction | None]:
        """Return the mean chance of each value in rows of other values that do not show their own."""

    @abstractmethod
    def agreement(self) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value."""


class MatrixLaw(CellLaw):
    """Any matrix."""

    def __init__(self, matrix: Sequence[Sequence[Fraction]]) -> None:
        self.matrix, self.size = matrix, len(matrix)

    def trials(self, counts: Sequence[int], rows: int) -> IntArray:
        """Return the number of rows for each value, as every row may have it."""
        return np.full(len(counts), rows)

    def true_value_rate(self, value: int) -> Fraction:
        """Return an entry of the diagonal."""
        return self.matrix[value][value]

    def expected(self, counts: Sequence[int]) -> list[Fraction]:
        """Return the counts times the matrix."""
        return [
            sum((count * row[each] for count, row in zip(counts, self.matrix, strict=True)), Fraction(0))
            for each in range(self.size)
        ]

    def extremes(self) -> list[tuple[Fraction, Fraction]]:
        """Return the least and largest entry of each column."""
        return [(min(entries), max(entries)) for entries in zip(*self.matrix, strict=True)]

    def others(self) -> NDArray[np.float64]:
        """Return the rows without the diagonal, each divided by its sum."""
        law = np.zeros((self.size, self.size))
        for own, row in enumerate(self.matrix):
            if row[own] < 1:
                law[own] = [float(entry / (1 - row[own])) for entry in row]
                law[own, own] = 0.0
        return law

    def others_shown(self, replaced: Sequence[int]) -> list[Fraction | None]:
        """See `CellLaw`."""
        weights = {own: count / (1 - self.matrix[own][own]) for own, count in enumerate(replaced) if count}
        found: list[Fraction | None] = []
        for each, count in enumerate(replaced):
            shown = [weight * self.matrix[own][each] for own, weight in weights.items() if own != each]
            left = sum(replaced) - count
            found.append(sum(shown, Fraction(0)) / left if left else None)
        return found

    def agreement(self) -> tuple[Fraction, Fraction]:
        """Return the least and largest sum of the squares of a row."""
        alike = [sum((entry**2 for entry in row), Fraction(0)) for row in self.matrix]
        return min(alike), max(alike)


class BlockLaw(CellLaw):
    """A value is kept with probability p, and otherwise drawn uniformly from the m values of its block."""

    def __init__(self, blocks: IntArray, retentions: Sequence[Fraction]) -> None:
        self.size, self.blocks = len(blocks), blocks
        self.sizes = np.bincount(blocks, minlength=len(retentions))[blocks].tolist()
        self.kept = [retentions[block] for block in blocks.tolist()]
        self.other = [(1 - kept) / size for kept, size in zip(self.kept, self.sizes, strict=True)]

    def trials(self, counts: Sequence[int], rows: int) -> IntArray:
        """Return the rows of each value's block."""
        if not self.blocks.any():
            return np.full(len(counts), rows)
        return np.bincount(self.blocks, weights=counts).astype(np.int64)[self.blocks]

    def true_value_rate(self, value: int) -> Fraction:
        """Return p + (1 - p)/m."""
        rate: Fraction = self.kept[value] + self.other[value]
        return rate

    def expected(self, counts: Sequence[int]) -> list[Fraction]:
        """Return p f + (1 - p) N/m of each block."""
        members = self.trials(counts, sum(counts)).tolist()
        return [
            kept * count + other * rows
            for kept, other, count, rows in zip(self.kept, self.other, counts, members, strict=True)
        ]

    def extremes(self) -> list[tuple[Fraction, Fraction]]:
        """Return (1 - p)/m and p + (1 - p)/m."""
        return [(other, self.true_value_rate(value)) for value, other in enumerate(self.other)]

    def others(self) -> NDArray[np.float64]:
        """Return 1/(m - 1) for each other value of the block."""
        same = self.blocks[:, None] == self.blocks[None, :]
        law: NDArray[np.float64] = same / (np.array(self.sizes, dtype=np.float64) - 1)[:, None]
        np.fill_diagonal(law, 0.0)
        return law

    def others_shown(self, replaced: Sequence[int]) -> list[Fraction | None]:
        """See `CellLaw`."""
        whole = sum(replaced)
        members = self.trials(replaced, whole).tolist()
        return [
            Fraction(rows - count, (size - 1) * (whole - count)) if whole > count else None
            for count, rows, size in zip(replaced, members, self.sizes, strict=True)
        ]

    def agreement(self) -> tuple[Fraction, Fraction]:
        """Return the least and largest sum of the squares of the chances of all values."""
        alike = [
            self.true_value_rate(value) ** 2 + (size - 1) * other**2
            for value, (size, other) in enumerate(zip(self.sizes, self.other, strict=True))
        ]
        return min(alike), max(alike)


@dataclass(frozen=True)
class CellClaim(MechanismClaim[C], ABC):
    """A claim by which every cell is drawn on its own.

    `domains` are the values of each sensitive column, and `laws` their matrices, in the same order.
    """

    kept_words: ClassVar[str] = "kept it, or drew it again"
    rate_words: ClassVar[str] = "true values shown with probability"  # what `_kept` returns the rate of
    unseen: ClassVar[str] = (
        "whether a value was kept, or was drawn again and came out the same, is not published, so that part "
        "of the draws is not seen"
    )
    law_words: ClassVar[str]
    period: ClassVar[int] = 2
    deletable: ClassVar[int] = 0
    dependent: ClassVar[int] = 1

    @property
    @abstractmethod
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The values of each sensitive column."""

    @property
    def in_place(self) -> bool:
        """Whether rows are said to stand where their records stood."""
        return not self.mechanism.shuffled

    @cached_property
    @abstractmethod
    def laws(self) -> dict[str, CellLaw]:
        """The matrix of each sensitive column."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return tuple(self.domains)

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the claim with values in the order of these domains, where that matters."""
        del domains
        return self

    def rewritten(self, table: Microdata) -> Microdata:
        """Return a table with sensitive cells in the form in which the claim's domains have them."""
        return table

    def rewritten_original(self, original: Original) -> Original:
        """Return an original in the same form."""
        return original

    def true_value_rate(self, column: str, value: int) -> Fraction:
        """Return the probability that a record of this value is published with it."""
        return self.laws[column].true_value_rate(value)

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value."""
        return self.laws[column].agreement()

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: true values a tenth more or less."""
        del column
        words = "true values shown with probability {:.4g} on average"
        return [(words.format(float(each)), each) for each in a_tenth_off(rate)]

    @abstractmethod
    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""

    def detection_power(
        self,
        column: str,
        own: RatePower | None,
        *,
        rows: int,
        known: int,
        unaltered: bool,
        others_detected: bool,
    ) -> DetectionPower:
        """Return the power of the checks, by that of true values; None if retention cannot be observed."""
        kept, low, high = (None, None, None) if own is None else self._kept(column, own)
        return of_cells(
            column, self.rate_words, kept, low, high,
            rows=rows, known=known, unaltered=unaltered, others_detected=others_detected,
        )  # fmt: skip

    def _kept(self, column: str, own: RatePower) -> tuple[Fraction, Fraction | None, Fraction | None]:
        """Return how often true values are said to be shown, and which other rates are detected."""
        del column
        return own.rate, own.low, own.high


class OperatorClaim(CellClaim[Operator]):
    """A claim of a matrix."""

    kept_words: ClassVar[str] = "show it"
    unseen: ClassVar[str] = (
        "whether a value was drawn anew and came out the same is not published, nor can it be: the matrix "
        "says no more than how often each value is shown"
    )
    law_words: ClassVar[str] = "those that the matrix gives the true ones"

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The values, in the order of the rows."""
        return {self.mechanism.column: self.mechanism.values}

    @cached_property
    def laws(self) -> dict[str, CellLaw]:
        """The matrix."""
        return {self.mechanism.column: MatrixLaw(self.mechanism.rows)}

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> Self:
        """Return the claim with its matrix in the order of these domains."""
        return type(self)(self.mechanism.aligned(domains))

    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""
        del column
        return "each as often as its row of the matrix says"

    def _declared(self, table: Microdata) -> Microdata:
        return self.mechanism.declared(table)


@dataclass(frozen=True)
class ReplacementClaim(CellClaim[RetentionReplacement]):
    """A claim of retention replacement; `ParameterError` if it does not replace each cell uniformly."""

    law_words: ClassVar[str] = "p f + (1 - p) N/m"
    rate_words: ClassVar[str] = "values kept with probability"

    def __post_init__(self) -> None:
        if self.mechanism.replacing != "uniform" or self.mechanism.compound:
            raise ParameterError(
                "the release is by retention replacement with another law than the uniform one, or with one "
                "draw for all cells of a record, which is not audited: give one that draws uniformly for "
                "each cell"
            )

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The declared domain of each sensitive column."""
        return dict(self.mechanism.domains)

    @cached_property
    def laws(self) -> dict[str, CellLaw]:
        """A single block for each column."""
        return {
            column: BlockLaw(np.zeros(len(values), dtype=np.int64), [self.mechanism.retention])
            for column, values in self.mechanism.domains
        }

    @property
    def _retention(self) -> Fraction:
        return self.mechanism.retention

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: p a tenth less or more."""
        del rate
        p, size = self.mechanism.retention, self.laws[column].size
        return [(f"p = {other}", other + (1 - other) / size) for other in a_tenth_off(p) if other != p]

    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""
        return f"each of {self.laws[column].size - 1} as often as the others"

    def _declared(self, table: Microdata) -> Microdata:
        return self.mechanism.declared(table)

    def _kept(self, column: str, own: RatePower) -> tuple[Fraction, Fraction | None, Fraction | None]:
        size, low, high = self.laws[column].size, None, None
        if own.low is not None and own.low * size >= 1:
            low = (size * own.low - 1) / (size - 1)
        if own.high is not None:
            high = max((size * own.high - 1) / (size - 1), Fraction(0))
        return self.mechanism.retention, low, high


@dataclass(frozen=True)
class SmallDomainsClaim(CellClaim[SmallDomainRandomization]):
    """A claim of small-domain randomization: a domain and a retention for each part.

    The checks are those of a matrix, one of whose values is a value of one part: `rewritten` tables have the
    part in the sensitive cell. `DataError` if the parts have too many values together.
    """

    law_words: ClassVar[str] = "p f + (1 - p) N/m of each part"

    def __post_init__(self) -> None:
        if len(self._states) > MOST_STATES:
            raise DataError(
                f"the parts have {len(self._states)} values together, above {MOST_STATES} for an audit: "
                "audit the release of a table with fewer parts"
            )

    @cached_property
    def _states(self) -> tuple[tuple[str, int], ...]:
        """A text for every value of every part, with the part's place; ascending."""
        found = [
            (_state(cells, value), part)
            for part, (cells, values) in enumerate(self.mechanism.domains)
            for value in values
        ]
        return tuple(sorted(found))

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The values of every part, as `rewritten` writes them."""
        return {self.mechanism.column: tuple(text for text, _ in self._states)}

    @cached_property
    def laws(self) -> dict[str, CellLaw]:
        """A block for each part."""
        retentions = [self.mechanism.retention(len(values)) for _, values in self.mechanism.domains]
        parts = np.array([part for _, part in self._states], dtype=np.int64)
        return {self.mechanism.column: BlockLaw(parts, retentions)}

    def rewritten(self, table: Microdata) -> Microdata:
        """Return a table with the part of each row in its sensitive cell; as it is if a column is missing."""
        column, by = self.mechanism.column, self.mechanism.by
        if not {column, *by} <= set(table.columns):
            return table
        return self._with_parts(table, table.cells(column))

    def rewritten_original(self, original: Original) -> Original:
        """Return an original with the part of each record in its sensitive cell, and all values as domain."""
        column = self.mechanism.column
        # a record without a value has the one that it was published with
        table = self._with_parts(original.table, original.table.read(column))
        return Original(table.with_domain(column, self.domains[column]), original.sensitive)

    def _with_parts(self, table: Microdata, values: Sequence[str]) -> Microdata:
        rows = zip(*(table.cells(name) for name in self.mechanism.by), strict=True)
        texts = [_state(cells, value) for cells, value in zip(rows, values, strict=True)]
        frame = frame_of(table)
        series = nw.new_series(self.mechanism.column, texts, nw.String, backend=frame.implementation)
        return Microdata.from_frame(frame.with_columns(series).to_native())

    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""
        del column
        return "each of the others of its part as often"

    def _declared(self, table: Microdata) -> Microdata:
        declared = table.with_domain(self.mechanism.column, self.mechanism.values)
        self.mechanism.require_inside(declared)
        return declared


def _state(cells: Sequence[str], value: str) -> str:
    return json.dumps([*cells, value], ensure_ascii=False)
