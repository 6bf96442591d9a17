"""A game of two players, solved exactly: the mixture of columns whose largest expected loss is least.

One player picks a row (here: the true count), the other mixes columns (estimators). The columns are far too
many to list, but the best one against given weights of the rows is easy to find. So the linear program
"minimize t, where the mixture's expected loss in every row is at most t" is solved by the simplex method in
fractions, which asks for one such column at a time. At the end the weights of the rows and the mixture prove
each other's optimality.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar

Label = TypeVar("Label")
Losses: TypeAlias = Sequence[Fraction]


@dataclass(frozen=True)
class Mixture(Generic[Label]):
    """The solution of a game."""

    value: Fraction  # the least possible largest expected loss
    # weights of the rows, at least 0 and summing to 1, against which no column loses less than ``value`` on
    # average
    weights: tuple[Fraction, ...]
    parts: tuple[tuple[Label, Fraction], ...]  # the columns of the best mixture with their probabilities


def minimax_mixture(respond: Callable[[Losses], tuple[Label, Losses]], rows: int) -> Mixture[Label]:
    """Return the mixture of columns with the least largest expected loss."""
    label, losses = respond([Fraction(1, rows)] * rows)
    tableau = _Tableau(losses)
    labels: list[Label | None] = [None, label, *[None] * (rows - 1)]  # what stands in each basic row
    while True:
        weights = tableau.weights
        column = next((_unit(row, rows + 1) for row in range(rows) if weights[row] < 0), None)
        entering: Label | None = None
        if column is None:
            entering, losses = respond(weights)
            if sum((w * loss for w, loss in zip(weights, losses, strict=True)), Fraction(0)) >= tableau.value:
                break
            column = [*losses, Fraction(1)]
        labels[tableau.enter(column)] = entering
    parts = [
        (kept, share)
        for kept, share in zip(labels, tableau.solution, strict=True)
        if kept is not None and share
    ]
    return Mixture(tableau.value, tuple(weights), tuple(parts))


class _Tableau:
    """The inverse of the basis, and the basic solution, of: losses . mixture - t + slack = 0, sum = 1.

    Row 0 belongs to t, which is free and never leaves. Ties in the ratio test are broken lexicographically
    against the first basis, so that no basis returns.
    """

    def __init__(self, losses: Losses) -> None:
        rows = len(losses)
        worst = max(range(rows), key=lambda row: losses[row])
        columns = [[Fraction(-1)] * rows + [Fraction(0)], [*losses, Fraction(1)]]
        columns += [_unit(row, rows + 1) for row in range(rows) if row != worst]
        self._first = columns
        self._inverse = _inverse(columns)

    @property
    def solution(self) -> list[Fraction]:
        """The values of the basic variables; the right-hand side is 0 but for the sum of the mixture."""
        return [row[-1] for row in self._inverse]

    @property
    def value(self) -> Fraction:
        """The present t."""
        return self._inverse[0][-1]

    @property
    def weights(self) -> list[Fraction]:
        """The present multipliers of the rows."""
        return [-entry for entry in self._inverse[0][:-1]]

    def enter(self, column: Losses) -> int:
        """Bring a column into the basis and return the row in which it now stands."""
        direction = [_dot(row, column) for row in self._inverse]
        rising = [row for row in range(1, len(direction)) if direction[row] > 0]
        least = min(self._inverse[row][-1] / direction[row] for row in rising)
        tied = [row for row in rising if self._inverse[row][-1] == least * direction[row]]
        leaving = tied[0] if len(tied) == 1 else min(tied, key=lambda row: self._order(row, direction[row]))
        pivot = [entry / direction[leaving] for entry in self._inverse[leaving]]
        self._inverse = [
            pivot if row == leaving else [a - direction[row] * b for a, b in zip(entries, pivot, strict=True)]
            for row, entries in enumerate(self._inverse)
        ]
        return leaving

    def _order(self, row: int, scale: Fraction) -> list[Fraction]:
        return [_dot(self._inverse[row], column) / scale for column in self._first]


def _unit(place: int, size: int) -> list[Fraction]:
    return [Fraction(place == other) for other in range(size)]


def _dot(left: Losses, right: Losses) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def _inverse(columns: Sequence[Losses]) -> list[list[Fraction]]:
    """Return the inverse of the matrix with these columns, by Gauss and Jordan."""
    size = len(columns)
    rows = [[*(column[row] for column in columns), *_unit(row, size)] for row in range(size)]
    for place in range(size):
        chosen = next(row for row in range(place, size) if rows[row][place])
        rows[place], rows[chosen] = rows[chosen], rows[place]
        rows[place] = [entry / rows[place][place] for entry in rows[place]]
        for row in range(size):
            if row != place and rows[row][place]:
                factor = rows[row][place]
                rows[row] = [a - factor * b for a, b in zip(rows[row], rows[place], strict=True)]
    return [row[size:] for row in rows]
