"""The default estimate of a conjunction on one sensitive column, and two kinds of intervals for it.

``each`` is the score interval of `neighbors`. ``average`` is for the shrunk estimate: it misses by a normal
error and by a bias that differs from value to value. In units of the standard error the bias is t, and only
its second moment m over the values is known. If chi is such that E Pr(abs(Z + t) > chi) <= 5 % for every law
of t with E t^2 = m, then estimate plus or minus chi standard errors holds at least 95 % of the values, on
average over them (Armstrong, Kolesar and Plagborg-Moller 2022, section 3).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from splu_ref.channels import PublishedCount
from splu_ref.estimators.answers import Interval
from splu_ref.estimators.counts import estimate_count
from splu_ref.estimators.linear.group_noise import GroupNoise
from splu_ref.estimators.linear.transition import decoy_probability, gained
from splu_ref.estimators.shrinkage.composition import Composition, Learned, noise
from splu_ref.estimators.shrinkage.neighbors import LEAST, Bent, States, bent, unbelieving
from splu_ref.mechanisms import ExpectedPairs, FloatArray, expected_pairs
from splu_ref.randomness import IntArray

MISS = 0.05
"""Share of values that an interval may miss."""

LARGEST = 1e6
"""Second moment up to which critical values are tabulated."""

HIDDEN = 0.15
"""Contrast D/p up to which the plan hides how many records of a predicate have a value, one in nearly every
group: then tau, which the other values show, is not believed of it. From twice that on it is."""

_KNOTS = 120
_ROUNDING = 1e-6
"""By how much an end may be off for rounding, and is then the whole number beside it."""
_TRACE = 1e-9
"""Weight of the published shares where a predicate's composition has no value to average over."""


class Predicates(NamedTuple):
    """What the published counts of predicates tell of all values.

    Attributes
    ----------
    published
        y, shape (predicates, values).
    learned
        Of their compositions.
    each
        The estimates of all values, shape (predicates, values).
    counts
        True counts to average chances over, each predicate's with the sum n, shape (predicates, values).
    unseen
        Variance of those that the plan hides, and 0 for all others, shape (predicates, values).
    """

    published: FloatArray
    learned: Learned
    each: Bent
    counts: FloatArray
    unseen: FloatArray


class Shrunk(NamedTuple):
    """Estimates of conjunctions, shape (queries,).

    Attributes
    ----------
    states
        The two states that they were made from.
    most
        The largest count that is possible as far as the whole table tells.
    unshared
        Variance of the expectation of y that the composition alone leaves open, as if its parts were
        independent of each other and of y.
    bent
        The estimates.
    centre
        The shrunk estimates before they were bent.
    sampling
        Variance of those at fixed true counts.
    bias
        Mean square of what shrinking adds to the error, over the learned prior.
    """

    states: States
    most: FloatArray
    unshared: FloatArray
    bent: Bent
    centre: FloatArray
    sampling: FloatArray
    bias: FloatArray

    @property
    def value(self) -> FloatArray:
        """Return the estimates, none above what is possible."""
        return np.minimum(self.bent.value, self.most)

    def interval(self, kind: Interval) -> tuple[FloatArray, FloatArray]:
        """Return the ends of 95 % intervals: whole numbers in 0 .. n, with the estimate between them.

        Parameters
        ----------
        kind
            ``each`` holds for every true count; ``average`` holds 95 % of the values on average over the
            domain, and is never longer.
        """
        n = self.states.predicate
        low, high = self.states.interval()
        if kind == "average":
            half = half_widths(self.sampling, self.bias)
            ends = np.clip(self.centre - half, 0.0, n), np.clip(self.centre + half, 0.0, n)
            shorter = ends[1] - ends[0] < high - low
            low, high = np.where(shorter, ends[0], low), np.where(shorter, ends[1], high)
        low, high = np.minimum(low, self.bent.value), np.maximum(high, self.bent.value)
        low, high = np.floor(low + _ROUNDING), np.ceil(high - _ROUNDING)
        return np.minimum(low, self.most), np.minimum(high, self.most)


class Shrinkage:
    """Estimates from one column, for any number of predicates.

    Parameters
    ----------
    frequencies
        f', shape (values,); at least gamma of them above 0.
    rows, law
        N, gamma and p.
    pairs
        The co-occurrence of a plan; that expected of the mixed plan unless given.
    noise
        What draws that hang together save of variances; None if they are independent.
    """

    def __init__(
        self,
        frequencies: FloatArray,
        rows: int,
        law: PublishedCount,
        pairs: ExpectedPairs | None = None,
        noise: GroupNoise | None = None,
    ) -> None:
        self.composition = Composition(pairs or expected_pairs(frequencies, law.gamma), law)
        self._frequencies, self._rows, self._law = frequencies, rows, law
        self._noise = noise
        self._ends: dict[tuple[int | None, int], float] = {}
        kept = float(law.retention)
        contrast = np.abs(1 - gained(np.minimum(frequencies, rows - 1.0), rows, kept) / kept)
        self._hidden: FloatArray = np.clip(2 - contrast / HIDDEN, 0.0, 1.0)

    def learn(self, published: FloatArray) -> Predicates:
        """Learn from y, shape (predicates, values), and estimate all values."""
        learned = self.composition.learn(published)
        counts = self._positive(learned.mean, learned)
        kept = float(self._law.retention)
        others = np.maximum(counts.sum(axis=1)[:, None] - counts, _TRACE)
        taken = (self.composition.transmitted(counts) - kept * counts) / others
        states = States(
            both=published,
            predicate=learned.total[:, None],
            frequency=self._frequencies,
            rows=self._rows,
            kept=np.full_like(taken, kept),
            taken=np.clip(taken, 0.0, 1.0),
            doubt=np.zeros_like(taken),
            decoy=np.full((1, 1), decoy_probability(self._law)),
            saved=None if self._noise is None else self._noise.of_values(),
        )
        each = bent(states, learned.mean, learned.variance)
        counts, unseen = self._composed(states, each.value, learned)
        return Predicates(published, learned, each, counts, unseen)

    def _composed(
        self, states: States, estimates: FloatArray, learned: Learned
    ) -> tuple[FloatArray, FloatArray]:
        """Return what `Predicates` says of ``counts`` and ``unseen``."""
        n, hidden, unseen = learned.total[:, None], self._hidden > 0, np.zeros_like(estimates)
        if hidden.any():
            value, unseen = self._hidden * np.stack(unbelieving(states, estimates))
            estimates = (1 - self._hidden) * estimates + value
        counts = self._positive(estimates, learned)
        if hidden.any():  # the other values have what is left
            own, others = (np.where(part, counts, 0.0).sum(axis=1)[:, None] for part in (hidden, ~hidden))
            counts = np.where(hidden, counts, counts * (np.maximum(n - own, 0.0) / np.maximum(others, LEAST)))
        return counts * (n / np.maximum(counts.sum(axis=1)[:, None], LEAST)), unseen

    def asked(self, predicates: Predicates, which: IntArray, members: FloatArray) -> Shrunk:
        """Estimate queries.

        Parameters
        ----------
        predicates
            What was learned.
        which
            The predicate of each query, shape (queries,).
        members
            Which values each query counts, 1 or 0, shape (queries, values).
        """
        composition, learned = self.composition, predicates.learned
        held, kept = composition.share > 0, float(self._law.retention)
        # a and b of the predicate's own composition, in bent estimates.
        taken = composition.published(members)
        counts, unseen = predicates.counts[which], predicates.unseen[which]
        inside = _average(members * counts, taken, kept)
        outside = _average((1 - members) * counts, taken, 0.0)
        # How uncertain the others' part of y is, with the noise that it shares with y.
        apart = taken - np.where(members > 0, inside[:, None], outside[:, None])
        weights = held * (1 - self._hidden) * apart
        solved = composition.solved_for(learned, which, weights)
        pushed, share = composition.published(solved), learned.share[which]
        sent = composition.transmitted(counts)
        doubt = noise(counts, sent, members - solved, taken - pushed) - noise(counts, sent, members, taken)
        doubt *= share
        for some in (members, (1 - members) * held):
            doubt += composition.prior(learned, which, weights - pushed, some)[1]
            if unseen.any():  # a record that has such a value is one that has none of the others
                others = some * counts * (self._hidden == 0)
                instead = taken - _average(others, taken, 0.0)[:, None]
                doubt += (others.sum(axis=1) > LEAST) * (some * instead**2 * unseen).sum(axis=1)
        moved = (predicates.each.value - learned.mean)[which]
        doubt += (weights**2 * moved**2).sum(axis=1)
        single = members.sum(axis=1) <= 1
        states = States(
            both=(predicates.published[which] * members).sum(axis=1),
            predicate=learned.total[which],
            frequency=members @ self._frequencies,
            rows=self._rows,
            kept=inside,
            taken=outside,
            doubt=doubt,
            decoy=np.where(single, decoy_probability(self._law), 0.0),
            saved=None if self._noise is None else self._noise.of_sets(members),
        )
        most = states.predicate.copy()
        most[single] = np.minimum(most[single], self._whole(members[single], states.frequency[single]))
        # The shrunk estimate: its noise at the composition itself, and what the prior leaves open.
        solved = composition.solved_for(learned, which, members)
        pushed = composition.published(solved)
        sampling = share * noise(counts, sent, solved, pushed)
        bias = composition.prior(learned, which, members - pushed, np.broadcast_to(held, members.shape))[1]
        centre = np.clip((learned.mean[which] * members).sum(axis=1), 0.0, learned.total[which])
        return Shrunk(
            states=states,
            most=most,
            unshared=(weights**2 * learned.variance[which]).sum(axis=1),
            bent=bent(states, centre, sampling + bias),
            centre=centre,
            sampling=sampling + states.shared,
            bias=bias,
        )

    def answer(self, published: FloatArray, which: IntArray, members: FloatArray) -> Shrunk:
        """Learn from y, shape (predicates, values), and estimate queries: see `asked`."""
        return self.asked(self.learn(published), which, members)

    def _whole(self, members: FloatArray, frequency: FloatArray) -> FloatArray:
        """Return the upper ends of the intervals of values alone, none above N/gamma."""
        values: list[int | None] = [None] * len(frequency)
        if self._noise is not None:
            values = np.where(members.any(axis=1), members.argmax(axis=1), -1).tolist()
        asked = [
            (None if value == -1 else value, int(f))
            for value, f in zip(values, frequency.tolist(), strict=True)
        ]
        for value, f in set(asked) - self._ends.keys():
            if self._noise is None:
                end = estimate_count(f, self._law.gamma, retention=self._law.retention).interval[1]
            else:
                end = self._noise.count_interval(value, f)[1]
            self._ends[value, f] = min(end, self._rows // self._law.gamma)
        return np.array([self._ends[each] for each in asked], dtype=np.float64)

    def _positive(self, counts: FloatArray, learned: Learned) -> FloatArray:
        """Return counts to average over: none below 0, and some above 0 in a predicate with records."""
        return np.maximum(counts, 0.0) + _TRACE * learned.total[:, None] * self.composition.share


def _average(counts: FloatArray, chances: FloatArray, blank: float) -> FloatArray:
    """Return the means of chances weighted by counts, or ``blank`` where there are none."""
    total = counts.sum(axis=1)
    found = np.full(len(total), blank)
    return np.asarray(np.divide((counts * chances).sum(axis=1), total, out=found, where=total > 0))


def half_widths(sampling: FloatArray, bias: FloatArray) -> FloatArray:
    """Return half the length of intervals that hold 95 % of the values, on average over the domain.

    The guarantee asks for normal errors and the stated mean square of the bias, and for no law of the bias.
    """
    known = sampling > bias / LARGEST
    moment = np.divide(bias, sampling, out=np.zeros_like(bias), where=known)
    # Where the bias is nearly all of the error, Chebyshev's inequality leaves nothing to gain.
    return np.where(known, critical_values(moment) * np.sqrt(sampling), np.sqrt((sampling + bias) / MISS))


def critical_values(second_moment: FloatArray) -> FloatArray:
    """Return chi for each second moment m of the bias, 0 .. `LARGEST`, from a table in log(1 + m)."""
    knots, table = _table()
    return np.interp(np.log1p(second_moment), knots, table)


def worst_miss(second_moment: float, critical: float) -> float:
    """Return the largest E Pr(abs(Z + t) > chi) over the laws of t with E t^2 = m.

    As a function of u = t^2 the probability is first convex, then concave, at most with a convex part near 0.
    So its least concave majorant is a chord from u = 0 to some u* >= m, or the function itself: the worst
    law has at most two points, 0 and sqrt(u*).
    """
    ends = np.concatenate([[second_moment], second_moment + np.geomspace(1e-3, (critical + 10) ** 2, 200)])
    mass = np.divide(second_moment, ends, out=np.ones_like(ends), where=ends > 0)
    at_zero = float(_miss(np.zeros(1), critical)[0])
    return float(np.max(at_zero * (1 - mass) + _miss(np.sqrt(ends), critical) * mass))


def _miss(bias: FloatArray, critical: float) -> FloatArray:
    return np.asarray(ndtr(-critical - bias) + ndtr(bias - critical))


@cache
def _table() -> tuple[FloatArray, FloatArray]:
    knots = np.linspace(0.0, np.log1p(LARGEST), _KNOTS)
    return knots, np.array([_critical(float(np.expm1(knot))) for knot in knots])


def _critical(second_moment: float) -> float:
    """Bisect for chi; by Chebyshev it is at most sqrt((1 + m) / 5 %)."""
    low, high = 1.0, float(np.sqrt((1 + second_moment) / MISS))
    for _ in range(30):
        middle = (low + high) / 2
        if worst_miss(second_moment, middle) > MISS:
            low = middle
        else:
            high = middle
    return high
