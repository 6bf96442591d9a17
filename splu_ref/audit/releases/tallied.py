"""What checks ask that look at counts alone: they hold for two tables, whether their rows are held or not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from splu_ref.randomness import IntArray


class Population(Protocol):
    """The counts of an original."""

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Its sensitive columns."""
        ...

    @property
    def domains(self) -> Mapping[str, tuple[str, ...]]:
        """Their values as texts, by column."""
        ...

    @property
    def row_count(self) -> int:
        """Number of records."""
        ...

    def frequencies(self, column: str) -> IntArray:
        """Return how often each value of a sensitive column occurs, shape (domain,)."""
        ...


class Tallied(Protocol):
    """The counts of a published table beside those of its original."""

    @property
    def original(self) -> Population:
        """The original."""
        ...

    @property
    def rows(self) -> int:
        """Number of published rows."""
        ...

    def found(self, column: str) -> IntArray:
        """Return how often each value of the original is published, shape (domain,)."""
        ...

    def foreign(self, column: str) -> int:
        """Return how many rows hold a value that the original does not have."""
        ...

    def frequency_bounds(self, column: str) -> tuple[IntArray, IntArray]:
        """Return the least and the largest frequency that each value can have after the deletion."""
        ...

    def histograms(self, column: str) -> list[IntArray] | None:
        """Return every histogram that the deletion can have left, or None if they are too many."""
        ...
