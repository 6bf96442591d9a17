"""What two dependent sensitive columns disclose together.

The columns are published by independent draws, but both depend on one true value: a record whose published
cells are consistent shows its true values more often than one column alone does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from splu_ref.audit.advice.coded_table import CodedTable, coded
from splu_ref.audit.advice.leaks import Leaks
from splu_ref.channels import PublishedCount
from splu_ref.data import Microdata
from splu_ref.guarantees import JointMinimum, joint_minimum
from splu_ref.mechanisms import FloatArray, expected_co_occurrence

MOST_CELLS = 1 << 22
"""Largest number of pairs of values of one or two columns for which matrices are computed."""


@dataclass(frozen=True, slots=True)
class FittingCells:
    """Records whose two published cells fit together, and how often these show the true values.

    Two cells fit if the second is the one that most records with the first have in the original.
    """

    columns: tuple[str, str]  #: the determining column, and the determined one
    share: float  #: expected share of the records whose published cells fit
    right: tuple[float, float]  #: by column the probability that the cell of such a record is its true value


@dataclass(frozen=True, slots=True)
class JointView:
    """Privacy of several sensitive columns together."""

    columns: tuple[str, ...]  #: columns that depend on each other; all columns if none do
    level: JointMinimum  #: T_P of the mean of their counts
    #: whether one column determines another, so that ``level.copies`` is attained by values that the same
    #: records have; else ``level.at_least`` bounds T_P, whatever the dependence
    exact: bool
    fitting: tuple[FittingCells, ...]  #: by pair of dependent columns
    #: whether one of the columns determines another, or nearly; not searched if a dependence is accepted
    dependence: Literal["found", "not found", "not searched"]

    @property
    def t_p(self) -> Fraction:
        """T_P, or the bound."""
        return self.level.copies if self.exact else self.level.at_least


def joint_views(
    table: Microdata | CodedTable,
    leaks: Sequence[Leaks],
    laws: Mapping[str, PublishedCount],
    epsilon: Fraction,
    alpha: int,
) -> tuple[JointView, ...]:
    """Return what several sensitive columns disclose together, nothing for one column.

    Parameters
    ----------
    table
        The original table.
    leaks
        Disclosure risks of each column, with the sensitive columns that determine it.
    laws
        gamma and p by column; the plan is `mixed`.
    epsilon, alpha
        Relative error, and largest protected count.

    Raises
    ------
    ParameterError
        If T_P would take too long to compute.
    """
    if len(laws) == 1:
        return ()
    original = coded(table)
    pairs = {
        (leak.columns[0], found.sensitive): leak.kind for found in leaks for leak in found.leaks if leak.drawn
    }
    accepted = {column for found in leaks for column in found.keep}
    views = []
    for columns in _dependent(tuple(laws), pairs) or [tuple(laws)]:
        inside = {pair: kind for pair, kind in pairs.items() if pair[0] in columns}
        cells = [
            fitting_cells(original, pair, laws)
            for pair in inside
            if pair[::-1] not in inside or columns.index(pair[0]) < columns.index(pair[1])
        ]
        views.append(
            JointView(
                columns=columns,
                level=joint_minimum([laws[column] for column in columns], epsilon, alpha),
                exact="determines" in inside.values(),
                fitting=tuple(each for each in cells if each is not None),
                dependence="found" if pairs else "not searched" if accepted & laws.keys() else "not found",
            )
        )
    return tuple(views)


def _dependent(columns: Sequence[str], pairs: Mapping[tuple[str, str], object]) -> list[tuple[str, ...]]:
    """Return the sets of columns that are connected by dependence, each of two columns or more."""
    sets = {column: {column} for column in columns}
    for one, other in pairs:
        joined = sets[one] | sets[other]
        sets |= dict.fromkeys(joined, joined)
    found = dict.fromkeys(tuple(column for column in columns if column in each) for each in sets.values())
    return [each for each in found if len(each) > 1]


def fitting_cells(
    table: CodedTable, columns: tuple[str, str], laws: Mapping[str, PublishedCount]
) -> FittingCells | None:
    """Return how often two published cells fit together and are right, for plans of the method `mixed`.

    The draws of the columns are independent given the original, so that the probability of a pair of
    published cells is the product of two entries, claim splu.J. None if there are too many values.
    """
    first, second = columns
    size, other_size = table.counted(first).size, len(table.domain(second))
    if max(size, other_size) ** 2 > MOST_CELLS:
        return None
    flat = np.zeros(size * other_size)
    for numbers, counts in table.counts([first], second):
        flat[numbers] = counts
    together = flat.reshape(size, other_size)
    together = together[:, together.any(axis=0)]
    fits = np.eye(together.shape[1])[together.argmax(axis=1)]
    first_cells = _channel(together.sum(axis=1), laws[first]) @ fits  # the second cells that the first fits
    second_cells = together @ _channel(together.sum(axis=0), laws[second])
    share = float((first_cells * second_cells).sum())
    first_right = float((fits * second_cells).sum() * laws[first].retention)
    second_right = float((first_cells * together).sum() * laws[second].retention)
    return FittingCells(
        columns=columns,
        share=share / float(together.sum()),
        right=(first_right / share, second_right / share),
    )


def _channel(frequencies: FloatArray, law: PublishedCount) -> FloatArray:
    """Return the probability of a published value (columns) by the true one (rows)."""
    channel = expected_co_occurrence(frequencies, law.gamma) / frequencies[:, np.newaxis] * float(law.decoy)
    np.fill_diagonal(channel, float(law.retention))
    return channel
