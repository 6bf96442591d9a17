"""How much a study does."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from experiments.study.tables import StudyTable
from experiments.study.workload import Pool

SMALL = 10
"""Counts up to this are small."""
LEAST_CLASSES = (Fraction(1, 4), Fraction(1, 2))
"""Where the first classes of selectivity begin, in percent; the others begin at 1, 2, 3, ... percent."""
PAIR_CLASSES = (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(3, 5), Fraction(7, 10))
"""Where the classes of figure 12 begin, and where the last ends, in percent."""


@dataclass(frozen=True)
class Level:
    """Sizes of the experiments.

    Attributes
    ----------
    small, rare, large
        Queries in the pools of counts up to 10, of selectivity 0.25 % to 0.5 %, and of 0.5 % and more.
    releases
        Releases by plan for figures 8 and 11.
    others
        Releases of the other mechanisms, and of every mechanism at other group sizes and table sizes.
    gammas
        Group sizes of figures 7 and 10.
    parts
        Parts of the table for figure 9.
    pair_queries, pair_gammas
        Queries and group sizes of figure 12.
    """

    name: str
    small: int
    rare: int
    large: int
    releases: tuple[tuple[str, int], ...]
    others: int
    gammas: tuple[int, ...]
    parts: tuple[Fraction, ...]
    pair_queries: int
    pair_gammas: tuple[int, ...]


QUICK = Level(
    "quick",
    small=1000,
    rare=250,
    large=1000,
    releases=(("mixed", 10), ("anatomy", 3), ("cyclic", 3)),
    others=2,
    gammas=(2, 4, 6, 8, 10),
    parts=(Fraction(1, 3), Fraction(2, 3)),
    pair_queries=60,
    pair_gammas=(2, 5, 8),
)
FULL = Level(
    "full",
    small=5000,
    rare=1000,
    large=5000,
    releases=(("mixed", 20), ("anatomy", 20), ("cyclic", 5)),
    others=3,
    gammas=tuple(range(2, 11)),
    parts=tuple(Fraction(part, 5) for part in range(1, 5)),
    pair_queries=200,
    pair_gammas=tuple(range(2, 9)),
)
LEVELS = {level.name: level for level in (QUICK, FULL)}


def selectivities(table: StudyTable) -> tuple[Fraction, ...]:
    """Return where the classes of large counts begin, and where the last ends, in percent."""
    return (*LEAST_CLASSES, *(Fraction(whole) for whole in range(1, table.recipe.greatest + 1)))


def least_counts(percents: tuple[Fraction, ...], rows: int) -> tuple[int, ...]:
    """Return the least counts that have these selectivities among ``rows`` records, all above 10."""
    return tuple(
        max(SMALL + 1, -(-percent.numerator * rows // (100 * percent.denominator))) for percent in percents
    )


def pools(table: StudyTable, level: Level, *, small: bool = True, large: bool = True) -> tuple[Pool, ...]:
    """Return the pools to draw: of small counts, of the rarest class of large ones, of the rest."""
    ends = least_counts(selectivities(table), table.rows)
    found = [Pool(1, SMALL + 1, level.small)] if small else []
    if large:
        found += [Pool(ends[0], ends[1], level.rare), Pool(ends[1], ends[-1], level.large)]
    return tuple(found)
