"""What several sensitive columns have to do with each other, beyond what each shows alone.

The counts x of a predicate by the values of several sensitive columns are split, as in the analysis of
variance, into what the columns show one by one, and interactions. A single column is estimated with far less
noise than an interaction, whose noise has a factor 1/D per column (`moments`). So the table is built up:

1. Each column alone is shrunk as by `shrinkage`.
2. All records together: the fit is the product of the columns' shares, and the interaction is added to it
   with a weight that is learned over all cells.
3. A predicate: the fit has the interactions of all records and the margins of the predicate (iterative
   proportional fitting). How much the predicate's interaction differs from all records' is added with a
   weight learned over the predicate's cells.

With more than two columns the steps are taken for two of them, then three, and so on; the margins are then
the tables of fewer columns.

An interaction is y with every column centered by the shares f, cell by cell over the product of the D: with
independent plans (claim splu.Kc), and under hypothesis H of claim splu.V for each column, that is unbiased
for x centered in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from splu_ref.estimators.contrasts import Side, centered, contrast_noise, outer
from splu_ref.estimators.learning import Prior, learned_weights, likely_spreads
from splu_ref.estimators.moments import FloatArray
from splu_ref.estimators.proportional_fitting import Places, fitted

_SPREADS: FloatArray = np.concatenate([[0.01], np.geomspace(0.02, 6.4, 24)])
FLOOR = 0.1
"""Share of the fit that all records keep of a cell: a cell at 0 could not be filled by any predicate."""


def _prior(scale: float) -> Prior:
    """Return the density of the absolute value of Student's t with three degrees of freedom, times scale."""
    return Prior(_SPREADS, (1 + (_SPREADS / scale) ** 2 / 3) ** -2)


ALL_RECORDS, PREDICATE = _prior(0.2), _prior(0.1)
"""What is believed of the spread of interactions: smaller than effects of single columns, and smaller still
where a predicate's interactions differ from those of all records. With many data it makes no difference; with
few it decides, and a prior as wide as that for single columns would let noise in."""


class Interaction(NamedTuple):
    """The table of some columns for some records; arrays have the shape of the columns' domains.

    Attributes
    ----------
    fit
        Expected from fewer columns, and for a predicate from all records.
    deviation
        Unbiased interaction less that of the fit, and for a predicate less its share of all records'
        ``surplus``.
    estimate
        The fit and the learned part of the deviation.
    surplus
        Unbiased interaction less that of the estimate.
    likely
        The weight of each spread of `ALL_RECORDS` or `PREDICATE`, shape (spreads, 1).
    """

    fit: FloatArray
    deviation: FloatArray
    estimate: FloatArray
    surplus: FloatArray
    likely: FloatArray


class Judged(NamedTuple):
    """Deviations from a fit, and how far to trust them; arrays of the shape of the fit.

    Attributes
    ----------
    variance
        Of the deviation's noise.
    unit
        What the spread tau multiplies.
    relative, noise, chance
        The deviation over the unit, its variance over the square of the unit, infinite where nothing is
        told, and what chance alone makes of it: shape (1, entries), as in `learning`.
    """

    variance: FloatArray
    unit: FloatArray
    relative: FloatArray
    noise: FloatArray
    chance: FloatArray


class Interactions:
    """The interactions of several sensitive columns: first of all records, then of any predicate.

    Parameters
    ----------
    sides
        The columns.
    cells
        All records by their published values, shape of the domains.
    frequencies
        f' of each column.

    Attributes
    ----------
    rows
        N.
    whole
        The tables of all records, for each two or more of the columns.
    """

    def __init__(self, sides: Sequence[Side], cells: FloatArray, frequencies: Sequence[FloatArray]) -> None:
        self.sides, self.rows = tuple(sides), float(cells.sum())
        self.whole: dict[Places, Interaction] = {}
        self.whole = self.tables(cells, frequencies)

    def tables(self, cells: FloatArray, margins: Sequence[FloatArray]) -> dict[Places, Interaction]:
        """Return the tables of each two or more of the columns for the records of a predicate.

        Parameters
        ----------
        cells
            Its records by their published values: at least one of them, and not all.
        margins
            Its estimated counts by the values of each column.
        """
        found: dict[Places, Interaction] = {}
        known: dict[Places, FloatArray] = {(place,): margin for place, margin in enumerate(margins)}
        for places in _subsets(len(self.sides)):
            others = tuple(place for place in range(len(self.sides)) if place not in places)
            lower = [(rest, known[rest]) for rest in combinations(places, len(places) - 1)]
            found[places] = self._table(places, cells.sum(axis=others), lower, margins)
            known[places] = found[places].estimate
        return found

    def _table(
        self,
        places: Places,
        cells: FloatArray,
        lower: Sequence[tuple[Places, FloatArray]],
        margins: Sequence[FloatArray],
    ) -> Interaction:
        sides = [self.sides[place] for place in places]
        n, shares = float(cells.sum()), [side.share for side in sides]
        told = outer([side.known for side in sides])
        unbiased = centered(cells, shares) * outer([side.inverse for side in sides])
        base = self.whole.get(places)
        start = n * outer(shares) if base is None else base.estimate * (n / self.rows)
        fit = fitted(start, places, lower, n)
        deviation = told * (unbiased - centered(fit, shares))
        if base is not None:
            deviation -= n / self.rows * base.surplus
        squares, own = [side.squares for side in sides], [share * (1 - share) for share in shares]
        judged = self.judged(places, n, fit, np.where(told > 0, deviation, np.nan), margins, squares, own)
        prior = ALL_RECORDS if base is None else PREDICATE
        likely = likely_spreads(judged.relative, judged.noise, judged.chance, prior)
        weight = learned_weights(likely, judged.noise, judged.chance, prior).weight
        estimate = fit + weight.reshape(fit.shape) * deviation
        estimate = np.clip(estimate, FLOOR * fit if base is None else 0.0, n)
        return Interaction(fit, deviation, estimate, told * (unbiased - centered(estimate, shares)), likely)

    def judged(
        self,
        places: Places,
        n: float,
        fit: FloatArray,
        deviation: FloatArray,
        margins: Sequence[FloatArray],
        squares: Sequence[FloatArray],
        own: Sequence[FloatArray],
    ) -> Judged:
        """Judge deviations of cells, or of sets of cells.

        Parameters
        ----------
        places
            The columns.
        n
            How many records.
        fit, deviation
            Shape (estimates of the first column, of the second, ...); the deviation is not a number where
            nothing is told.
        margins
            The estimated counts of the records by the values of each column.
        squares, own
            For each column: see `contrast_noise`.

        Notes
        -----
        For a predicate with the share s of all records, R_P - s R = (1-s) R_P - s R_Q, with R the
        interactions of all and Q the other records, whose noise is independent of P's. As s grows to 1, P
        cannot differ: the unit of its deviations is the fit times sqrt(1-s).
        """
        sides = [self.sides[place] for place in places]
        published = [side.published(margins[place]) for side, place in zip(sides, places, strict=True)]
        variance, unit, chance = contrast_noise(n, published, squares, own), fit, np.zeros_like(fit)
        if n < self.rows:
            share = n / self.rows
            everyone = contrast_noise(self.rows, [side.share for side in sides], squares, own)
            variance = (1 - share) ** 2 * variance + share**2 * np.maximum(everyone - variance, 0.0)
            unit = fit * np.sqrt(1 - share)
            chance = np.divide(1.0, fit, out=np.ones_like(fit), where=fit > 0)
        usable = np.isfinite(deviation) & (unit > 0)
        unit = np.where(usable, unit, 1.0)
        return Judged(
            variance,
            unit,
            np.where(usable, deviation / unit, 0.0).reshape(1, -1),
            np.where(usable, variance / unit**2, np.inf).reshape(1, -1),
            chance.reshape(1, -1),
        )


def _subsets(columns: int) -> Iterator[Places]:
    """Return the sets of two or more columns, the small ones first."""
    for size in range(2, columns + 1):
        yield from combinations(range(columns), size)
