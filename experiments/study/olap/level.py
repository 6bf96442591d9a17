"""How much the experiments do."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class OlapLevel:
    """Sizes of the experiments.

    Attributes
    ----------
    runs
        Releases for each point.
    retentions
        p of the figures that plot errors against it.
    curves
        p of the figures with a line for each.
    zipf_columns
        Numbers of columns reconstructed from the Zipf tables, ascending.
    zipf_rows
        Sizes of these tables, ascending. The largest also gets a query for half of the values.
    """

    name: str
    runs: int
    retentions: tuple[Fraction, ...]
    curves: tuple[Fraction, ...]
    zipf_columns: tuple[int, ...]
    zipf_rows: tuple[int, ...]


def _tenths(*numerators: int) -> tuple[Fraction, ...]:
    return tuple(Fraction(numerator, 10) for numerator in numerators)


QUICK = OlapLevel("quick", 5, _tenths(1, 3, 5, 7, 9), _tenths(2, 5, 8), (1, 2, 3, 4), (1000, 10_000))
FULL = OlapLevel(
    "full", 20, _tenths(*range(1, 10)), _tenths(2, 3, 5, 8), (1, 2, 3, 4, 6, 8), (1000, 10_000, 100_000)
)
OLAP_LEVELS = {level.name: level for level in (QUICK, FULL)}
