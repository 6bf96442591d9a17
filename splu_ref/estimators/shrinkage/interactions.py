"""Shrinkage of the interactions of several sensitive columns.

The counts x of a predicate by the values of several sensitive columns are decomposed into main effects and
interactions, as in the analysis of variance. The noise of an interaction has a factor 1/D per column
(`two_state`), so it is estimated with far more noise than a single column. The table is built in steps:

1. Each column alone is estimated by `shrinkage`.
2. All records: the fit is the product of the columns' shares. The estimated interaction is added with
   empirical-Bayes weights over all cells.
3. A predicate: iterative proportional fitting combines the interactions of all records with the margins of
   the predicate. The difference of the predicate's interaction is added with weights over its cells.

More than two columns are added one at a time; the margins are then the tables of fewer columns.

An interaction is y with every column centered by the shares f, cell by cell over the product of the D: with
independent plans (claim splu.Kc), and under hypothesis H of claim splu.V for each column, that is unbiased
for x centered in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from splu_ref.estimators.linear.two_state import TwoState
from splu_ref.estimators.shrinkage.weights import Prior, posterior_of_tau, shrinkage_weights
from splu_ref.mechanisms import FloatArray

Places: TypeAlias = tuple[int, ...]
"""Some of the sensitive columns, ascending."""

LEAST = 1e-6
"""Contrast D up to which a column is not informative about a value."""

TRACE = 1e-6
"""Lower bound of a margin as a share of its expectation; fitting cannot leave 0."""
_SWEEPS, _CLOSE = 60, 1e-7
"""Largest number of sweeps, and tolerance of the margins as a share of all records."""

_TAUS: FloatArray = np.concatenate([[0.01], np.geomspace(0.02, 6.4, 24)])
FLOOR = 0.1
"""Lower bound of a cell of all records, as a share of its fit; fitting cannot leave 0."""


def _prior(scale: float) -> Prior:
    """Return the density of the absolute value of Student's t with three degrees of freedom, times scale."""
    return Prior(_TAUS, (1 + (_TAUS / scale) ** 2 / 3) ** -2)


ALL_RECORDS, PREDICATE = _prior(0.2), _prior(0.1)
"""Priors of tau: interactions are smaller than main effects, and a predicate's deviations from the
interactions of all records are smaller still. They matter for small tables only."""


class ColumnChannel(NamedTuple):
    """Two-state channels of the values of one sensitive column."""

    share: FloatArray  # f'/N, shape (values,)
    # the two-state matrices of the values; a value whose contrast D is not positive is not informative
    matrix: TwoState

    @classmethod
    def of(cls, frequency: FloatArray, rows: float, retention: float) -> ColumnChannel:
        """Return the channel of a column with these frequencies among N records."""
        return cls(frequency / rows, TwoState.of(frequency, rows, retention))

    @property
    def informative(self) -> FloatArray:
        """Return 1 for values with a positive contrast, else 0."""
        return (self.matrix.contrast > LEAST).astype(np.float64)

    @property
    def inverse(self) -> FloatArray:
        """Return 1/D, or 0 where the column is not informative."""
        informative = self.informative
        return informative / np.where(informative > 0, self.matrix.contrast, 1.0)

    def published(self, margin: FloatArray) -> FloatArray:
        """Return the expected published shares of records with this margin."""
        rise = self.matrix.contrast * margin / max(float(margin.sum()), LEAST)
        expected = np.maximum(self.matrix.gain_probability + rise, 0.0)
        return np.asarray(expected / expected.sum())

    @property
    def squares(self) -> FloatArray:
        """Return the squares of the weights of single values, shape (published values, values)."""
        inverse = self.inverse
        return np.asarray((np.diag(inverse) - self.share * inverse) ** 2)

    def weights(self, members: FloatArray) -> FloatArray:
        """Return the weights of published records in a set's centered count, shape (published values,)."""
        inverse = members * self.inverse
        return np.asarray(inverse - self.share @ inverse)


class Interaction(NamedTuple):
    """The table of some columns for some records; arrays have the shape of the columns' domains."""

    fit: FloatArray  # expected from fewer columns, and for a predicate from all records
    # unbiased interaction less that of the fit, and for a predicate less its share of all records'
    # ``surplus``
    deviation: FloatArray
    estimate: FloatArray  # the fit and the learned part of the deviation
    surplus: FloatArray  # unbiased interaction less that of the estimate
    posterior: FloatArray  # the weight of each tau of `ALL_RECORDS` or `PREDICATE`, shape (taus, 1)
    variance: FloatArray  # of the estimate, if the fit is right


class Deviations(NamedTuple):
    """Relative deviations from a fit, the arguments of `weights`."""

    variance: FloatArray  # variance of the deviation, shape of the fit
    unit: FloatArray  # the factor of tau, shape of the fit
    # relative, noise, chance: relative deviation, its relative variance, infinite where a column is not
    # informative, and its sampling variance: shape (1, entries)
    relative: FloatArray
    noise: FloatArray
    chance: FloatArray


class Interactions:
    """The interactions of several sensitive columns in all records, and from them in any predicate."""

    def __init__(
        self, channels: Sequence[ColumnChannel], cells: FloatArray, frequencies: Sequence[FloatArray]
    ) -> None:
        self.channels, self.rows = tuple(channels), float(cells.sum())
        self.all_records: dict[Places, Interaction] = {}
        self.all_records = self.tables(cells, frequencies)

    def tables(self, cells: FloatArray, margins: Sequence[FloatArray]) -> dict[Places, Interaction]:
        """Return the tables of each two or more of the columns for the records of a predicate."""
        found: dict[Places, Interaction] = {}
        known: dict[Places, FloatArray] = {(place,): margin for place, margin in enumerate(margins)}
        for places in _subsets(len(self.channels)):
            others = tuple(place for place in range(len(self.channels)) if place not in places)
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
        channels, n = [self.channels[place] for place in places], float(cells.sum())
        shares = [channel.share for channel in channels]
        # The fit: the margins of fewer columns, with the interactions of all records.
        base = self.all_records.get(places)
        start = n * outer(shares) if base is None else base.estimate * (n / self.rows)
        fit = fit_margins(start, places, lower, n)
        # The deviation of the unbiased interaction, where every column is informative.
        informative = outer([channel.informative for channel in channels])
        unbiased = center_by_shares(cells, shares) * outer([channel.inverse for channel in channels])
        deviation = informative * (unbiased - center_by_shares(fit, shares))
        if base is not None:
            deviation -= n / self.rows * base.surplus
        # Shrinkage weights of the cells, from the deviations of all.
        scaled = self.deviations(
            places,
            n,
            fit,
            np.where(informative > 0, deviation, np.nan),
            margins,
            squares=[channel.squares for channel in channels],
            own=[share * (1 - share) for share in shares],
        )
        prior = ALL_RECORDS if base is None else PREDICATE
        posterior = posterior_of_tau(scaled.relative, scaled.noise, scaled.chance, prior)
        learned = shrinkage_weights(posterior, scaled.noise, scaled.chance, prior)
        weight = learned.weight.reshape(fit.shape)
        left = weight**2 * scaled.variance + learned.bias(
            deviation.reshape(1, -1), scaled.unit.reshape(1, -1)
        ).reshape(fit.shape)
        estimate = fit + weight * deviation
        estimate = np.clip(estimate, FLOOR * fit if base is None else 0.0, n)
        return Interaction(
            fit=fit,
            deviation=deviation,
            estimate=estimate,
            surplus=informative * (unbiased - center_by_shares(estimate, shares)),
            posterior=posterior,
            variance=np.where(fit > 0, left, 0.0),
        )

    def deviations(
        self,
        places: Places,
        n: float,
        fit: FloatArray,
        deviation: FloatArray,
        margins: Sequence[FloatArray],
        squares: Sequence[FloatArray],
        own: Sequence[FloatArray],
    ) -> Deviations:
        """Return relative deviations of cells, or of sets of cells, with their variances.

        For a predicate with the share s of all records, R_P - s R = (1-s) R_P - s R_Q, with R the
        interactions of all and Q the other records, whose noise is independent of P's. As s grows to 1, P
        cannot differ: the unit of its deviations is the fit times sqrt(1-s).
        """
        published = [self.channels[place].published(margins[place]) for place in places]
        variance, unit = interaction_variance(n, published, squares, own), fit
        chance = np.zeros_like(fit)
        if n < self.rows:
            share = n / self.rows
            shares = [self.channels[place].share for place in places]
            everyone = interaction_variance(self.rows, shares, squares, own)
            variance = (1 - share) ** 2 * variance + share**2 * np.maximum(everyone - variance, 0.0)
            unit = fit * np.sqrt(1 - share)
            chance = np.divide(1.0, fit, out=np.ones_like(fit), where=fit > 0)
        usable = np.isfinite(deviation) & (unit > 0)
        unit = np.where(usable, unit, 1.0)
        return Deviations(
            variance=variance,
            unit=unit,
            relative=np.where(usable, deviation / unit, 0.0).reshape(1, -1),
            noise=np.where(usable, variance / unit**2, np.inf).reshape(1, -1),
            chance=chance.reshape(1, -1),
        )


def _subsets(columns: int) -> Iterator[Places]:
    """Return the sets of two or more columns, the small ones first."""
    for size in range(2, columns + 1):
        yield from combinations(range(columns), size)


def interaction_variance(
    count: float, published: Sequence[FloatArray], square: Sequence[FloatArray], own: Sequence[FloatArray]
) -> FloatArray:
    """Return the variance of interactions.

    n records with independent products of weights: n E(squares) less the variance of the true values.
    Slightly conservative, because decoys are drawn without replacement.
    """
    drawn = [shares @ weights for shares, weights in zip(published, square, strict=True)]
    return np.asarray(np.maximum(count * (outer(drawn) - outer(own)), 0.0))


def outer(vectors: Sequence[FloatArray]) -> FloatArray:
    """Return the product of one entry of each vector, for all entries."""
    product = np.ones(())
    for vector in vectors:
        product = np.multiply.outer(product, vector)
    return np.asarray(product)


def center_by_shares(table: FloatArray, shares: Sequence[FloatArray]) -> FloatArray:
    """Subtract from a table, for each column, f times the sum over that column."""
    for axis, share in enumerate(shares):
        shape = [1] * table.ndim
        shape[axis] = -1
        table = table - share.reshape(shape) * table.sum(axis=axis, keepdims=True)
    return table


def fit_margins(
    start: FloatArray, places: Places, lower: Sequence[tuple[Places, FloatArray]], n: float
) -> FloatArray:
    """Scale a positive table to the given margins by iterative proportional fitting."""
    goals = []
    for rest, table in lower:
        axes = tuple(axis for axis, place in enumerate(places) if place not in rest)
        goal = np.maximum(table, TRACE * start.sum(axis=axes))
        shape = [1 if axis in axes else size for axis, size in enumerate(start.shape)]
        goals.append((axes, (goal * (n / goal.sum())).reshape(shape)))
    fit = start
    for _ in range(_SWEEPS):
        worst = 0.0
        for axes, goal in goals:
            now = fit.sum(axis=axes, keepdims=True)
            worst = max(worst, float(np.abs(now - goal).max()))
            fit = fit * np.divide(goal, now, out=np.zeros_like(goal), where=now > 0)
        if worst <= _CLOSE * n:
            break
    return fit
