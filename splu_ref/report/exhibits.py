"""What a report shows beside its rows: published tables, the kill matrix, redrawn figures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from splu_ref.model import Json

CellState: TypeAlias = Literal["killed", "alive", "not run"]


@dataclass(frozen=True, slots=True)
class ValueAudit:
    """One sensitive value of a table, before and after publication.

    Attributes
    ----------
    value
        The value.
    frequency, published
        Its counts f (after the remainder is deleted) and f'.
    interval
        95 % interval for f that an analyst computes from f' alone.
    promise
        What the release promises of this value: ``protected``, ``accurate``, or nothing.
    error_probability
        Exact Pr(abs(f' - f) >= epsilon f), for the promise's epsilon, as a decimal.
    kept
        Whether that probability is what the promise says.
    log10_e
        Base-10 logarithm of the e-value of f' against Bin(gamma f, 1/gamma).
    """

    value: str
    frequency: int
    published: int
    interval: tuple[int, int]
    promise: Literal["protected", "accurate", ""]
    error_probability: str
    kept: bool
    log10_e: float

    @property
    def relative_error(self) -> float:
        """abs(f' - f) / f, for display."""
        return abs(self.published - self.frequency) / self.frequency if self.frequency else 0.0

    @property
    def covered(self) -> bool:
        """Whether the analyst's interval contains the true count (19 times in 20 it should)."""
        return self.interval[0] <= self.frequency <= self.interval[1]

    def to_json(self) -> dict[str, Json]:
        """Return the audit as a JSON object."""
        return {
            **asdict(self),
            "interval": [*self.interval],
            "relative_error": self.relative_error,
            "covered": self.covered,
        }


@dataclass(frozen=True, slots=True)
class PublicationAudit:
    """A table published once, held against its original.

    Attributes
    ----------
    column, gamma
        The sensitive column and the group size.
    rows_in, rows_out, suppressed
        Row counts before and after, and how many were deleted to make a multiple of gamma.
    protection, accuracy
        The two promises in words: counts up to alpha are likely wrong, counts from T_f on likely right.
    values
        One entry per sensitive value, the most frequent first.
    """

    column: str
    gamma: int
    rows_in: int
    rows_out: int
    suppressed: int
    protection: str
    accuracy: str
    values: tuple[ValueAudit, ...]

    @property
    def covered(self) -> int:
        """How many of the intervals contain the true count."""
        return sum(value.covered for value in self.values)

    @property
    def counts(self) -> list[tuple[str, int, int]]:
        """Values with their true and their published counts, those with records."""
        return [(each.value, each.frequency, each.published) for each in self.values if each.frequency]

    def to_json(self) -> dict[str, Json]:
        """Return the audit as a JSON object."""
        return {**asdict(self), "values": [value.to_json() for value in self.values]}


@dataclass(frozen=True, slots=True)
class MutantRow:
    """A deliberately broken variant, what each check said of it, and which check was written for it."""

    name: str
    sentence: str
    cells: tuple[CellState, ...]
    meant_for: str = ""

    @property
    def killed(self) -> bool:
        """Whether at least one check noticed."""
        return "killed" in self.cells


@dataclass(frozen=True, slots=True)
class KillMatrix:
    """Mutants against checks: a suite that notices no damage shows nothing."""

    checks: tuple[str, ...]
    mutants: tuple[MutantRow, ...]

    def __post_init__(self) -> None:
        for mutant in self.mutants:
            if len(mutant.cells) != len(self.checks):
                raise ValueError(f"mutant {mutant.name} has {len(mutant.cells)} of {len(self.checks)} cells")

    @property
    def killed(self) -> int:
        """How many mutants were noticed by at least one check."""
        return sum(mutant.killed for mutant in self.mutants)

    def noticed_by(self, mutant: MutantRow) -> list[str]:
        """Return the checks that killed ``mutant``."""
        return [check for check, cell in zip(self.checks, mutant.cells, strict=True) if cell == "killed"]

    def to_json(self) -> dict[str, Json]:
        """Return the matrix as a JSON object, each mutant's cells by check."""
        return {
            "checks": [*self.checks],
            "mutants": [
                {
                    "name": mutant.name,
                    "sentence": mutant.sentence,
                    "meant_for": mutant.meant_for,
                    "killed": mutant.killed,
                    "cells": dict(zip(self.checks, mutant.cells, strict=True)),
                }
                for mutant in self.mutants
            ],
        }


@dataclass(frozen=True, slots=True)
class Series:
    """One plotted curve as points (x, y): floats, for display only."""

    label: str
    kind: Literal["printed", "exact"]
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A redrawn figure of a paper: its plotted numbers, and the drawing if matplotlib is there.

    ``alternative`` says in words what the drawing shows, for readers who do not see it.
    """

    id: str
    title: str
    caption: str
    alternative: str
    x_label: str
    y_label: str
    logarithmic: bool
    series: tuple[Series, ...]
    svg: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return the plotted numbers as a JSON object, without the drawing."""
        return {
            "id": self.id,
            "title": self.title,
            "x": self.x_label,
            "y": self.y_label,
            "series": [
                {"label": series.label, "kind": series.kind, "points": [[x, y] for x, y in series.points]}
                for series in self.series
            ],
        }
