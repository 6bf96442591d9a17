"""What is claimed of a release by small-domain randomization: a domain and a retention for each part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from splu_ref.audit.power import RatePower
from splu_ref.audit.releases.cells import frame_of
from splu_ref.audit.releases.claimed_mechanism import ClaimedMechanism
from splu_ref.audit.releases.excluded_cells import ExcludedCells
from splu_ref.audit.releases.original import Original
from splu_ref.mechanisms import SmallDomainRandomization
from splu_ref.microdata import Microdata
from splu_ref.model import DataError
from splu_ref.randomness import IntArray

MOST_STATES = 4096
"""Values of all parts together; the checks hold a square of them."""


@dataclass(frozen=True)
class ClaimedParts(ClaimedMechanism[SmallDomainRandomization]):
    """How a table is said to have been published by small-domain randomization.

    The checks are those of a matrix, one of whose values is a value of one part: `parted` writes tables so.

    Attributes
    ----------
    mechanism
        The mechanism, with its column, its parts and their values.

    Raises
    ------
    DataError
        If the parts have too many values together.
    """

    kept_words: ClassVar[str] = "kept it, or drew it again"
    unseen: ClassVar[str] = (
        "whether a value was kept, or was drawn again and came out the same, is not published, so that part "
        "of the draws is not seen"
    )
    law_words: ClassVar[str] = "p f + (1 - p) N/m of each part"
    period: ClassVar[int] = 2
    spare: ClassVar[int] = 0
    together: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if len(self._states) > MOST_STATES:
            raise DataError(
                f"the parts have {len(self._states)} values together, above {MOST_STATES} for an audit: it "
                "wants the release of a table that is divided less"
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

    @cached_property
    def _part(self) -> IntArray:
        return np.array([part for _, part in self._states], dtype=np.int64)

    @cached_property
    def _sizes(self) -> list[int]:
        """How many values the part of each state has."""
        return [len(self.mechanism.domains[part][1]) for _, part in self._states]

    @cached_property
    def _keeps(self) -> list[Fraction]:
        """The retention p of the part of each state."""
        return [self.mechanism.retention(size) for size in self._sizes]

    @cached_property
    def _others(self) -> list[Fraction]:
        """The probability of each value but the own one, (1 - p)/m, by state."""
        return [(1 - keep) / size for keep, size in zip(self._keeps, self._sizes, strict=True)]

    @property
    def parameters(self) -> dict[str, object]:
        """The mechanism, for programs; its parts stand in the manifest."""
        return {"mechanism": self.mechanism.name, "gamma": None, "retention": None, "plan": None}

    @property
    def columns(self) -> tuple[str, ...]:
        """The sensitive column."""
        return (self.mechanism.column,)

    @property
    def domains(self) -> dict[str, tuple[str, ...]]:
        """The values of every part, as `parted` writes them."""
        return {self.mechanism.column: tuple(text for text, _ in self._states)}

    @property
    def in_place(self) -> bool:
        """Whether rows are said to stand where their records stood."""
        return not self.mechanism.shuffled

    def parted(self, table: Microdata) -> Microdata:
        """Return a table with the part of each row in its sensitive cell; as it is if a column is missing."""
        column, by = self.mechanism.column, self.mechanism.by
        if not {column, *by} <= set(table.columns):
            return table
        return self._parted(table, table.cells(column))

    def _parted(self, table: Microdata, values: Sequence[str]) -> Microdata:
        column = self.mechanism.column
        rows = zip(*(table.cells(name) for name in self.mechanism.by), strict=True)
        texts = [_state(cells, value) for cells, value in zip(rows, values, strict=True)]
        frame = frame_of(table)
        series = nw.new_series(column, texts, nw.String, backend=frame.implementation)
        return Microdata.from_frame(frame.with_columns(series).to_native())

    def parted_original(self, original: Original) -> Original:
        """Return an original with the part of each record in its sensitive cell, and all values as domain."""
        column = self.mechanism.column
        # a record without a value has the one that it was published with
        table = self._parted(original.table, original.table.read(column))
        table = table.with_domain(column, self.domains[column])
        return Original(table, original.sensitive)

    def aligned(self, domains: Mapping[str, tuple[str, ...]]) -> ClaimedParts:
        """Return the claim with values in the order of these domains, which is its own."""
        assert domains == self.domains
        return self

    def size(self, column: str) -> int:
        """Return the number of values of all parts together."""
        del column
        return len(self._states)

    def trials(self, column: str, counts: Sequence[int], rows: int) -> IntArray:
        """Return how many rows could show each value: those of its part."""
        del column, rows
        held: IntArray = np.bincount(self._part, weights=counts).astype(np.int64)[self._part]
        return held

    def own_rate(self, column: str, value: int) -> Fraction:
        """Return the probability that a record of this value is published with it: p + (1 - p)/m."""
        del column
        return self._keeps[value] + self._others[value]

    def expected(self, column: str, counts: Sequence[int]) -> list[Fraction]:
        """Return how many of records with these counts are published with each value, on average."""
        held = self.trials(column, counts, 0).tolist()
        return [
            keep * count + other * all_
            for keep, other, count, all_ in zip(self._keeps, self._others, counts, held, strict=True)
        ]

    def extremes(self, column: str) -> list[tuple[Fraction, Fraction]]:
        """Return for each value the least and the largest chance that a record of its part shows it."""
        return [(other, self.own_rate(column, value)) for value, other in enumerate(self._others)]

    def others(self, column: str) -> NDArray[np.float64]:
        """Return the law of what replaces each value if it is not the own one: uniform within the part."""
        del column
        same = self._part[:, None] == self._part[None, :]
        law = same / (np.array(self._sizes, dtype=np.float64) - 1)[:, None]
        np.fill_diagonal(law, 0.0)
        found: NDArray[np.float64] = law
        return found

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
        whole, held = sum(replaced), self.trials(column, replaced, 0).tolist()
        return [
            Fraction(all_ - count, (size - 1) * (whole - count)) if whole > count else None
            for count, all_, size in zip(replaced, held, self._sizes, strict=True)
        ]

    def alternatives(self, column: str, rate: Fraction) -> list[tuple[str, Fraction]]:
        """Return the deviations for which a number of rows is stated: own values a tenth more or less."""
        del column
        off = min(rate, 1 - rate) / 10
        near = (rate - off, rate + off)
        return [(f"own values shown with probability {float(each):.4g} on average", each) for each in near]

    def agreement(self, column: str) -> tuple[Fraction, Fraction]:
        """Return the least and the largest chance that two releases of a record show the same value."""
        alike = [
            self.own_rate(column, value) ** 2 + (size - 1) * other**2
            for value, (size, other) in enumerate(zip(self._sizes, self._others, strict=True))
        ]
        return min(alike), max(alike)

    def prepared(self, table: Microdata, sensitive: Sequence[str]) -> Original:
        """Return an original whose every cell is one of its part's.

        Raises
        ------
        DataError
            If a record belongs to no part, or its value lies outside the part's sub-domain.
        """
        declared = table.with_domain(self.mechanism.column, self.mechanism.values)
        self.mechanism.require_inside(declared)
        return Original(declared, sensitive)

    def others_words(self, column: str) -> str:
        """Return what is claimed of values that are not the own one, in words."""
        del column
        return "each of the others of its part as often"

    def excluded(
        self, column: str, own: RatePower | None, *, rows: int, known: int, unaltered: bool, told: bool
    ) -> ExcludedCells:
        """Return what was excluded, by the rates of own values that were found; see `ExcludedCells`."""
        kept, low, high = (None, None, None) if own is None else (own.rate, own.low, own.high)
        return ExcludedCells(column, kept, low, high, rows, known, unaltered, told)


def _state(cells: Sequence[str], value: str) -> str:
    return json.dumps([*cells, value], ensure_ascii=False)
