"""What a report shows beside its rows: published tables, the kill matrix, and figures of the papers.

Figures 4 and 5 of Fu et al. 2014 as numbers: the printed formula against the exact probability.

The printed formulas come from the ledger, which keeps them beside their refutations; the exact
probabilities come from ``splu_ref.guarantees``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from splu_ref.channels import Json
from splu_ref.guarantees import error_probability

Formula: TypeAlias = Callable[[int, Fraction, int], Fraction]
"""A probability, or a bound on one, as a function of (gamma, epsilon, frequency)."""

AGREEMENT = 1e-12
"""Plotted values that differ by less count as the same."""
FIGURE_4_GAMMA = 10
FIGURE_4_EPSILONS = tuple(Fraction(percent, 100) for percent in (1, 3, 5, 7, 9))
FIGURE_4_COUNTS = range(100, 901, 100)
FIGURE_5_GAMMAS = (5, 10, 20)
FIGURE_5_EPSILON = Fraction(3, 10)
FIGURE_5_COUNTS = range(1, 11)


def figure_4(printed: Formula) -> Figure:
    """Return the error probability against the count for gamma = 10 and five relative errors."""
    exact = _by_epsilon("exact", lambda *point: error_probability(*point).bounds().lower)
    claimed = _by_epsilon("printed", printed)
    below = sum(claim < truth for claim, truth in pairs(claimed, exact))
    compared = (
        f"The printed bound lies below the truth at {below} of {len(pairs(claimed, exact))} plotted points: "
        f"at ε = 0.01 and f = {FIGURE_4_COUNTS[-1]} it is {claimed[0].points[-1][1]:.5f} "
        f"where the truth is {exact[0].points[-1][1]:.4f}."
    )
    return Figure(
        id="figure-4",
        title="Figure 4: error probability of large counts, γ = 10",
        caption="Solid lines, filled markers: the exact probability Pr(|f′ − f| ≥ εf). "
        f"Dashed lines, open markers: the bound of Theorem 3 as printed. {compared}",
        alternative="Line chart on a logarithmic scale: error probability for counts from 100 to 900 and "
        f"relative errors ε from 0.01 to 0.09. {compared}",
        x_label="count f",
        y_label="Pr(|f′ − f| ≥ εf)",
        logarithmic=True,
        series=exact + claimed,
    )


def figure_5(printed: Formula) -> Figure:
    """Return Pr(abs(f' - f) > epsilon f) for the counts 1 to 10, epsilon = 3/10 and three group sizes."""
    exact = _by_gamma("exact", lambda *point: error_probability(*point, strict=True).bounds().lower)
    claimed = _by_gamma("printed", printed)
    gap = max(abs(claim - truth) for claim, truth in pairs(claimed, exact))
    agreement = (
        "Printed and exact values are the same."
        if gap < AGREEMENT
        else f"Printed and exact values differ by up to {gap:.2g}."
    )
    return Figure(
        id="figure-5",
        title="Figure 5: error probability of small counts, ε = 0.3",
        caption="Lines, filled markers: the exact probability Pr(|f′ − f| > 0.3 f). "
        f"Open markers: the printed formula. {agreement} "
        "The sawtooth comes from rounding 0.3 f to whole counts.",
        alternative="Line chart: error probability for counts from 1 to 10 and group sizes γ = 5, 10 and 20. "
        f"The three curves run close together in a sawtooth that falls at 4, 7 and 10. {agreement}",
        x_label="count f",
        y_label="Pr(|f′ − f| > 0.3 f)",
        logarithmic=False,
        series=exact + claimed,
    )


def pairs(claimed: tuple[Series, ...], exact: tuple[Series, ...]) -> list[tuple[float, float]]:
    """Return (printed, exact) at every plotted point."""
    return [
        (claim, truth)
        for printed, true in zip(claimed, exact, strict=True)
        for (_, claim), (_, truth) in zip(printed.points, true.points, strict=True)
    ]


def _by_epsilon(kind: Literal["printed", "exact"], formula: Formula) -> tuple[Series, ...]:
    return tuple(
        Series(
            f"{kind}, ε = {float(epsilon)}", kind, _points(formula, FIGURE_4_GAMMA, epsilon, FIGURE_4_COUNTS)
        )
        for epsilon in FIGURE_4_EPSILONS
    )


def _by_gamma(kind: Literal["printed", "exact"], formula: Formula) -> tuple[Series, ...]:
    return tuple(
        Series(f"{kind}, γ = {gamma}", kind, _points(formula, gamma, FIGURE_5_EPSILON, FIGURE_5_COUNTS))
        for gamma in FIGURE_5_GAMMAS
    )


def _points(
    formula: Formula, gamma: int, epsilon: Fraction, counts: Iterable[int]
) -> tuple[tuple[int, float], ...]:
    return tuple((count, float(formula(gamma, epsilon, count))) for count in counts)


CellState: TypeAlias = Literal["killed", "alive", "not run"]


@dataclass(frozen=True, slots=True)
class ValueAudit:
    """One sensitive value of a table, before and after publication."""

    value: str
    # frequency, published: its counts f (after the remainder is deleted) and f'
    frequency: int
    published: int
    interval: tuple[int, int]  # 95 % interval for f that an analyst computes from f' alone
    # what the release promises of this value: ``protected``, ``accurate``, or nothing
    promise: Literal["protected", "accurate", ""]
    error_probability: str  # exact Pr(abs(f' - f) >= epsilon f), for the promise's epsilon, as a decimal
    kept: bool  # whether that probability is what the promise says
    log10_e: float  # base-10 logarithm of the e-value of f' against Bin(gamma f, 1/gamma)

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
    """A table published once, compared with its original."""

    # column, gamma: the sensitive column and the group size
    column: str
    gamma: int
    # rows_in, rows_out, suppressed: row counts before and after, and how many were deleted to make a multiple
    # of gamma
    rows_in: int
    rows_out: int
    suppressed: int
    # protection, accuracy: the two promises in words: counts up to alpha are likely wrong, counts from T_f on
    # likely right
    protection: str
    accuracy: str
    values: tuple[ValueAudit, ...]  # one entry per sensitive value, the most frequent first

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
        """Whether at least one check detected the mutant."""
        return "killed" in self.cells


@dataclass(frozen=True, slots=True)
class KillMatrix:
    """The kill matrix of a suite: which check detects which mutant."""

    checks: tuple[str, ...]
    mutants: tuple[MutantRow, ...]

    def __post_init__(self) -> None:
        for mutant in self.mutants:
            if len(mutant.cells) != len(self.checks):
                raise ValueError(f"mutant {mutant.name} has {len(mutant.cells)} of {len(self.checks)} cells")

    @property
    def killed(self) -> int:
        """Number of mutants that at least one check detected."""
        return sum(mutant.killed for mutant in self.mutants)

    def detected_by(self, mutant: MutantRow) -> list[str]:
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
