"""Two states of a conjunction with the predicate's own neighbors: score intervals, and estimates that bend.

A record with a value of the set A is published with one with probability b, a record of P without with
probability a, on average over the values that P's other records have (`Composition`): no hypothesis about
them is needed, as `two_state` does. How uncertain a and b are is added to the variance of the published
count. The interval holds every x whose expectation is near enough to that count, whatever x is: nothing is
believed of x itself.

The estimate is the shrunk one of the composition, moved to within c standard errors of the one that solves
for x (limited translation, Efron and Morris 1972): a wrong prior costs no more than that. More is spent on it
where y says that much of the predicate shares the value, and in small predicates, which often do and in which
nothing costs many records: the prior knows one spread for all values, and no spikes.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from splu_ref.estimators.answers import NORMAL_95
from splu_ref.estimators.linear.group_noise import Saved
from splu_ref.estimators.linear.transition import gained
from splu_ref.estimators.linear.two_state import border
from splu_ref.mechanisms import FloatArray

COST = 0.1
"""By which share the predicted mean square error may rise so that a wrong prior cannot do more harm."""
SPIKE, FROM, FULL = 1.0, 0.1, 0.3
"""How much more than that where the value has a spike, and from which excess share of the predicate, less a
standard error, on it is one, in part and in full."""
FEW = 10.0
"""Records of a predicate in which bending may cost as much again as the solution is wrong; in larger ones a
share of it, which falls with the square of their number."""

RARE, LEAST_FAR = 0.3, 2.5
"""Which part of that is for predicates in which the prior is given up, and from where it may be at all, in
standard deviations between a published count and what the prior expects."""
FAR = 4.0
"""Standard deviations from where an answer says that the prior was contradicted."""

LEAST = 1e-12
LEAST_LEFT = 1024
"""Which part of the variance of independent draws is left at least where draws hang together."""


class States(NamedTuple):
    """Conjunctions with the two states of their own predicates: arrays that broadcast.

    Attributes
    ----------
    both, predicate, frequency
        y, n and f'.
    rows
        N.
    kept, taken
        b and a.
    doubt
        By how much not knowing a and b raises the variance of y less its expectation.
    decoy
        How likely a record takes one decoy, q; 0 for sets, whose decoys in one group exclude each other.
    saved
        What draws that hang together save of the variance; None if they are independent.
    """

    both: FloatArray
    predicate: FloatArray
    frequency: FloatArray
    rows: int
    kept: FloatArray
    taken: FloatArray
    doubt: FloatArray
    decoy: FloatArray
    saved: Saved | None = None

    @property
    def contrast(self) -> FloatArray:
        """Return D = b - a; where it is not positive y says nothing about x."""
        return np.asarray(self.kept - self.taken)

    @property
    def solved(self) -> FloatArray:
        """Return the x whose expectation y is, not cut off; not a number where D is not positive."""
        contrast = np.where(self.contrast > LEAST, self.contrast, np.nan)
        return np.asarray((self.both - self.predicate * self.taken) / contrast)

    def carried(self, count: FloatArray) -> FloatArray:
        """Return by how much an f' too large by 1 makes the expectation of y too large, if x is ``count``."""
        others = np.maximum(self.rows - self.frequency, 1.0)
        return np.asarray(np.clip((self.predicate - count) * (1 - self.kept) * self.rows / others**2, 0, 1))

    def variance(self, count: FloatArray) -> FloatArray:
        """Return the variance of y less its expectation if x is ``count``.

        Notes
        -----
        As in `count_moments`, with a and b of the predicate itself: y and what is published outside scatter
        because of the draws, and against each other because of the finite number of places beside a value.
        """
        own = self.kept * (1 - self.kept)
        others, carried = np.maximum(self.predicate - count, 0.0), self.carried(count)
        places = np.maximum(self.rows - self.frequency, 1.0)
        exposed = others * self.taken
        scatter = exposed * (self._drawn - self.taken) * np.clip((places - others) / places, 0.0, 1.0)
        inside = count * own + exposed * (1 - self._drawn) + scatter
        left = np.maximum(self._gained * places - exposed, 0.0)
        outside = np.maximum(self.frequency - count, 0.0) * own + left * (1 - self._drawn) + scatter
        mixed = (1 - carried) ** 2 * inside + carried**2 * outside + 2 * carried * (1 - carried) * scatter
        if self.saved is not None:
            own = np.clip(count / np.maximum(self.frequency, 1.0), 0.0, 1.0)
            other = np.clip(exposed / np.maximum(self._gained * places, LEAST), 0.0, 1.0)
            more = np.maximum(count / np.maximum(self.frequency, 1.0), 1.0)  # f is no less than x
            saved = more * self.saved.of_difference(1 - carried, -carried, own, other)
            mixed = np.maximum(mixed - saved, mixed / LEAST_LEFT)
        return np.asarray(np.maximum(mixed + self.doubt, mixed / 4))  # the doubt may be below 0: shared noise

    @property
    def _gained(self) -> FloatArray:
        """Return a on average over the table."""
        return gained(np.minimum(self.frequency, self.rows - 1.0), self.rows, self.kept)

    @property
    def _drawn(self) -> FloatArray:
        """Return q, or a where it is larger: sets."""
        return np.maximum(self.decoy, self.taken)

    @property
    def shared(self) -> FloatArray:
        """Return the variance that n f'/N has because of f', which both estimates share."""
        everywhere = self.frequency * self.kept * (1 - self.kept) + self._gained * (
            self.rows - self.frequency
        ) * (1 - self._drawn)
        if self.saved is not None:
            everywhere = np.maximum(everywhere - self.saved.total, 0.0)
        return np.asarray((self.predicate / self.rows) ** 2 * everywhere)

    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Return the ends of score intervals with continuity correction: 95 %, for every x."""

        def contradicted(count: FloatArray) -> NDArray[np.bool_]:
            expected = count * self.kept + (self.predicate - count) * self.taken
            margin = NORMAL_95 * np.sqrt(self.variance(count)) + (1 - self.carried(count)) / 2
            return np.asarray(np.abs(self.both - expected) > margin)

        middle = np.clip(np.nan_to_num(self.solved), 0.0, self.predicate)
        low = border(contradicted, np.zeros_like(middle), middle)
        high = border(contradicted, np.broadcast_to(self.predicate, middle.shape), middle)
        nothing = ~np.isfinite(self.solved)
        return np.where(nothing, 0.0, low), np.where(nothing, self.predicate, high)


class Bent(NamedTuple):
    """Estimates by limited translation: arrays of one shape.

    Attributes
    ----------
    value
        In 0 .. n.
    variance
        Predicted mean square error, of the prior and of what bending costs.
    far
        How many standard deviations the published count is from what the prior expects.
    """

    value: FloatArray
    variance: FloatArray
    far: FloatArray


def bent(states: States, shrunk: FloatArray, posterior: FloatArray) -> Bent:
    """Move the shrunk estimates of conjunctions towards those that solve for x.

    Parameters
    ----------
    states
        The conjunctions.
    shrunk, posterior
        Mean and variance of x, of the composition.
    """
    solved, n = states.solved, states.predicate
    known = np.isfinite(solved)
    inside, shared = np.clip(shrunk, 0.0, n), states.shared
    middle = np.clip(np.where(known, solved, shrunk), 0.0, n)
    noise = np.maximum(states.variance(inside), states.variance(middle))
    own = np.maximum(noise / np.where(known, states.contrast, 1.0) ** 2 - shared, LEAST)
    ratio = np.clip(posterior / own, LEAST, 1.0)
    far = np.where(known, _distance(states, inside, ratio), 0.0)
    surplus = np.minimum(middle, states.frequency) - np.sqrt(own) - n * states.frequency / states.rows / 2
    found = limited(middle, own, shrunk, ratio, far, spent(ratio, surplus, n))
    return Bent(
        value=np.clip(np.where(known, found.value, shrunk), 0.0, n),
        variance=np.where(n > 0, np.where(known, found.variance, posterior) + shared, 0.0),
        far=found.far,
    )


def unbelieving(states: States, shrunk: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return counts and variances for which anything in 0 .. n was as likely, rather than what was learned.

    Where D is near 0 a published count tells little of x: neither can it tell that the prior, which is
    learned from other values, is wrong for this one.

    Parameters
    ----------
    states
        The conjunctions.
    shrunk
        What is taken where y tells nothing.
    """
    known, wide = states.contrast > LEAST, np.maximum(states.predicate**2 / 12, LEAST)
    solved = np.clip(np.where(known, states.solved, shrunk), 0.0, states.predicate)
    noise = states.variance(solved) / np.where(known, states.contrast, 1.0) ** 2
    trust = np.where(known, wide / (wide + noise), 0.0)
    return solved * trust + shrunk * (1 - trust), wide * (1 - trust)


def spent(ratio: FloatArray, surplus: FloatArray, total: FloatArray) -> FloatArray:
    """Return what bending may cost, in units of the variance of the solution.

    Parameters
    ----------
    ratio
        As for `limited`.
    surplus
        How many records of the predicate the solution says have the value, at least, and beyond what is
        expected.
    total
        n.
    """
    spike = np.clip((surplus / np.maximum(total, 1.0) - FROM) / (FULL - FROM), 0.0, 1.0)
    return np.asarray(ratio * (COST + SPIKE * spike) + small(total))


def small(total: FloatArray) -> FloatArray:
    """Return the part of `spent` that is for predicates of few records."""
    return np.asarray((FEW / np.maximum(total, 1.0)) ** 2)


def limited(
    solved: FloatArray,
    variance: FloatArray,
    shrunk: FloatArray,
    ratio: FloatArray,
    far: FloatArray,
    cost: FloatArray,
) -> Bent:
    """Move shrunk estimates to within some standard errors of those that solve for x.

    Parameters
    ----------
    solved, variance
        The estimates that believe nothing of x, and their variance.
    shrunk, ratio
        The shrunk estimates; their variance if the prior is right as a share r of the other, in 0 .. 1.
    far
        Standard deviations between what was published and what the prior expects.
    cost
        What bending may cost: see `spent`.

    Notes
    -----
    If the prior is right, the two differ by sqrt(1-r) Z in standard errors of the solution, Z normal. Moving
    what is beyond k to k costs (1-r) E max(abs(Z) - k, 0)^2; k is the least at which that is ``cost``.
    Giving up the prior from ``last`` on costs (1-r) E (Z^2 where abs(Z) > last), for which `RARE` of that is
    spent.
    """
    moved = 1 - ratio
    allowed = cost / np.maximum(moved, LEAST)
    first = _reached(allowed, 0)
    last = np.maximum(np.maximum(_reached(RARE * allowed, 1), first), LEAST_FAR)
    reach = np.sqrt(moved * variance) * first * np.clip(last - far, 0.0, 1.0)
    predicted = np.where(far < last, np.minimum(ratio + cost, 1.0), 1.0) * variance
    return Bent(np.clip(shrunk, solved - reach, solved + reach), predicted, far)


def _distance(states: States, shrunk: FloatArray, ratio: FloatArray) -> FloatArray:
    """Return how far y is from what the prior expects without y, by the deviance of a rare count."""
    solved, n = np.nan_to_num(states.solved), states.predicate
    moved = np.maximum(1 - ratio, 1e-9)
    expected = np.clip((shrunk - ratio * solved) / moved, 0.0, n) * states.contrast + n * states.taken
    expected, y = np.maximum(expected, LEAST), states.both
    deviance = 2 * (y * np.log(np.maximum(y, LEAST) / expected) - (y - expected))
    # A count scatters less than a rare one, where it is no rarity, and more where a is in doubt.
    scale = expected / np.maximum(states.variance(np.clip(shrunk, 0.0, n)), LEAST)
    return np.sqrt(np.maximum(deviance * scale * moved, 0.0))


@cache
def _table() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points k, descending, and the logarithms of what bending beyond them costs."""
    points = np.linspace(6.0, 0.0, 601)
    density = np.exp(-(points**2) / 2) / np.sqrt(2 * np.pi)
    bent_by = 2 * ((1 + points**2) * ndtr(-points) - points * density)
    given_up = 2 * (ndtr(-points) + points * density)
    return points, np.log(bent_by), np.log(given_up)


def _reached(cost: FloatArray, kind: int) -> FloatArray:
    """Return the k, 0 .. 6, from which bending costs this much: to k (0), or all the way (1)."""
    points, *logs = _table()
    return np.interp(np.log(np.maximum(cost, np.finfo(np.float64).tiny)), logs[kind], points)
