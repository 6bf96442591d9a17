"""The default estimate of a conjunction on one sensitive column, with two kinds of intervals.

``each`` is the score interval of `conjunction_interval`. ``average`` is an empirical-Bayes interval around
the shrunk estimate, whose error is a normal error plus a bias that differs between values. In units of the
standard error the bias is t, and only its second moment m over the values is known. If
E Pr(abs(Z + t) > chi) <= 5 % for every law of t with E t^2 = m, then the interval of chi standard errors
covers at least 95 % of the values on average (Armstrong, Kolesar and Plagborg-Moller 2022, section 3).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from splu_ref.channels import PublishedCount
from splu_ref.estimators.answers import Interval
from splu_ref.estimators.counts import estimate_count
from splu_ref.estimators.linear.group_noise import GroupNoise
from splu_ref.estimators.linear.transition import decoy_probability, gain_probability
from splu_ref.estimators.shrinkage.composition import (
    Composition,
    CompositionPosterior,
    WeightCoordinates,
    noise,
)
from splu_ref.estimators.shrinkage.conditions import Conditions, CountPosterior
from splu_ref.estimators.shrinkage.conjunction_interval import LEAST, ConjunctionStates
from splu_ref.estimators.shrinkage.limited_translation import (
    TranslatedEstimates,
    flat_prior_estimates,
    limited_translation,
)
from splu_ref.mechanisms import ExpectedPairs, FloatArray, expected_pairs
from splu_ref.randomness import IntArray

MISS = 0.05
"""Share of values that the intervals may miss."""

LARGEST = 1e6
"""Second moment up to which critical values are tabulated."""

HIDDEN = 0.15
"""Relative contrast D/p up to which a count is not identified and the tau of the other values is not used for
it; from twice that on tau is used in full."""

FORM, FORM_RANGE = 0.5, (1.0, 3.0)
"""Largest weight of the error under the product form in the error that limits the translation, and the
distances of the moment estimate from 0, in standard errors, between which the weight falls to 0. Where two
conditions together determine the value, the product form is wrong by more than the other values show, and
large counts would lose."""

UNCHECKED = 0.5
"""Weight of the prediction without conditions for a count that is not identified: see `HIDDEN`. Neither
prediction can be checked by y there, and halfway the larger of the two possible errors is the least."""

_KNOTS = 120
_ROUNDING = 1e-6
"""Rounding tolerance of interval ends."""
_TRACE = 1e-9
"""Weight of the published shares where a predicate's composition is 0."""


class PredicateEstimates(NamedTuple):
    """Estimates of all values in several predicates; arrays of shape (predicates, values).

    Attributes
    ----------
    published
        y.
    learned
        Posterior of the compositions, without the predicates' conditions.
    counts, by_conditions
        Posterior of the counts, with them, and whether a predicate has several, shape (predicates,).
    by_value
        The estimates.
    composed
        Positive estimates with the sum n in each predicate, for averages over its records.
    unseen
        Variance of the counts that are not identified; 0 for all others.
    """

    published: FloatArray
    learned: CompositionPosterior
    counts: CountPosterior
    by_conditions: NDArray[np.bool_]
    by_value: TranslatedEstimates
    composed: FloatArray
    unseen: FloatArray


class SetTerms(NamedTuple):
    """What the estimates of sets of values need of the sets alone.

    Attributes
    ----------
    members
        Indicators of the sets, shape (sets, values).
    gain
        Probability that a record with each value is published with a value of the set, likewise.
    coordinates
        Coordinates of the indicators.
    relied_on, pushed, everything
        Coordinates of the indicators, of ``gain`` and of 1, each times 0 for values whose counts do not bear
        on others: see `HIDDEN`.
    """

    members: FloatArray
    gain: FloatArray
    coordinates: WeightCoordinates
    relied_on: WeightCoordinates
    pushed: WeightCoordinates
    everything: WeightCoordinates

    def apart(self, which: IntArray, inside: FloatArray, outside: FloatArray) -> WeightCoordinates:
        """Return the coordinates of the probabilities less their mean inside, or outside, each set."""
        between = (outside - inside)[:, None]
        return WeightCoordinates(
            *(
                gain[which] - outside[:, None] * one + between * own[which]
                for gain, one, own in zip(self.pushed, self.everything, self.relied_on, strict=True)
            )
        )


class ShrunkEstimates(NamedTuple):
    """Estimates of conjunctions, shape (queries,).

    Attributes
    ----------
    states
        Counts and two-state probabilities of the conjunctions.
    most
        Upper bound of the count from the whole table.
    composition_variance
        Variance of the expectation of y due to the composition, as if its entries were independent of each
        other and of y.
    translated
        The estimates after limited translation.
    center
        The shrunk estimates before it.
    sampling
        Variance of these at fixed true counts.
    bias
        Mean squared shrinkage bias under the posterior of tau.
    prior, spread
        Prior mean of the true counts without the queries' own published counts, and their prior variance.
    """

    states: ConjunctionStates
    most: FloatArray
    composition_variance: FloatArray
    translated: TranslatedEstimates
    center: FloatArray
    sampling: FloatArray
    bias: FloatArray
    prior: FloatArray
    spread: FloatArray

    @property
    def value(self) -> FloatArray:
        """Return the estimates, at most ``most``."""
        return np.minimum(self.translated.value, self.most)

    def interval(self, kind: Interval) -> tuple[FloatArray, FloatArray]:
        """Return the integer ends of 95 % intervals in 0 .. n that contain the estimates.

        ``each`` is valid for every true count; ``average`` covers 95 % of the values on average over the
        domain, and is never longer.
        """
        n = self.states.predicate
        low, high = self.states.interval(self.prior, self.spread, self.most)
        if kind == "average":
            half = half_widths(self.sampling, self.bias)
            ends = np.clip(self.center - half, 0.0, n), np.clip(self.center + half, 0.0, n)
            shorter = ends[1] - ends[0] < high - low
            low, high = np.where(shorter, ends[0], low), np.where(shorter, ends[1], high)
        low, high = np.minimum(low, self.translated.value), np.maximum(high, self.translated.value)
        low, high = np.floor(low + _ROUNDING), np.ceil(high - _ROUNDING)
        return np.minimum(low, self.most), np.minimum(high, self.most)


class Shrinkage:
    """Shrinkage estimates from one column, for any number of predicates.

    Parameters
    ----------
    frequencies
        f', shape (values,); at least gamma of them positive.
    rows, law
        N, gamma and p.
    pairs
        Co-occurrence of a plan; by default that expected under the mixed plan.
    noise
        Variance reduction by dependent draws; None if draws are independent.
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
        retention = float(law.retention)
        contrast = np.abs(
            1 - gain_probability(np.minimum(frequencies, rows - 1.0), rows, retention) / retention
        )
        self._hidden: FloatArray = np.clip(2 - contrast / HIDDEN, 0.0, 1.0)
        self._last: SetTerms | None = None

    def learn(self, published: FloatArray, conditions: Conditions | None = None) -> PredicateEstimates:
        """Estimate all values from y, shape (predicates, values).

        ``conditions`` are those of the predicates; None for estimates without them, and intervals with equal
        tails.
        """
        learned = self.composition.learn(published)
        posterior, several = self.composition.counts(learned), np.zeros(len(published), dtype=np.bool_)
        if conditions is None:
            posterior = posterior._replace(spread=np.full_like(posterior.spread, np.inf))
        elif (several := conditions.several).any():
            formed = self.composition.by_conditions(posterior, published, conditions)
            posterior = formed.mixed(posterior, UNCHECKED * self._hidden)
        counts = self._positive(posterior.mean, learned)
        retention = float(self._law.retention)
        others = np.maximum(counts.sum(axis=1)[:, None] - counts, _TRACE)
        gain = (self.composition.expected_counts(counts) - retention * counts) / others
        states = ConjunctionStates(
            both=published,
            predicate=learned.total[:, None],
            frequency=self._frequencies,
            rows=self._rows,
            retention=np.full_like(gain, retention),
            gain=np.clip(gain, 0.0, 1.0),
            doubt=np.zeros_like(gain),
            decoy=np.full((1, 1), decoy_probability(self._law)),
            reduction=None if self._noise is None else self._noise.of_values(),
        )
        by_value = limited_translation(states, posterior.mean, posterior.variance)
        counts, unseen = self._composed(states, by_value.value, learned)
        return PredicateEstimates(published, learned, posterior, several, by_value, counts, unseen)

    def _composed(
        self, states: ConjunctionStates, estimates: FloatArray, learned: CompositionPosterior
    ) -> tuple[FloatArray, FloatArray]:
        """Return ``counts`` and ``unseen`` of `PredicateEstimates`."""
        n, hidden, unseen = learned.total[:, None], self._hidden > 0, np.zeros_like(estimates)
        if hidden.any():
            value, unseen = self._hidden * np.stack(flat_prior_estimates(states, estimates))
            estimates = (1 - self._hidden) * estimates + value
        counts = self._positive(estimates, learned)
        if hidden.any():  # the other values share the rest
            own, others = (np.where(part, counts, 0.0).sum(axis=1)[:, None] for part in (hidden, ~hidden))
            counts = np.where(hidden, counts, counts * (np.maximum(n - own, 0.0) / np.maximum(others, LEAST)))
        return counts * (n / np.maximum(counts.sum(axis=1)[:, None], LEAST)), unseen

    def estimate(
        self, predicates: PredicateEstimates, which: IntArray, members: FloatArray
    ) -> ShrunkEstimates:
        """Estimate queries.

        ``which`` is the predicate of each query, shape (queries,); ``members`` indicates the values that it
        counts, shape (queries, values).
        """
        composition, learned, posterior = self.composition, predicates.learned, predicates.counts
        occurring, retention = composition.share > 0, float(self._law.retention)
        # a and b of the predicate, averaged over its estimated composition.
        terms, of = self._terms(members)
        gain = terms.gain[of]
        counts, unseen = predicates.composed[which], predicates.unseen[which]
        inside = _average(members * counts, gain, retention)
        outside = _average((1 - members) * counts, gain, 0.0)
        # Variance of the expectation of y, including its covariance with y.
        apart = gain - np.where(members > 0, inside[:, None], outside[:, None])
        weights = occurring * (1 - self._hidden) * apart
        solved, pushed = composition.published_weights(learned, which, terms.apart(of, inside, outside))
        sent, share = composition.expected_counts(predicates.composed)[which], learned.share[which]
        doubt = noise(counts, sent, members - solved, gain - pushed) - noise(counts, sent, members, gain)
        doubt *= share
        for some in (members, (1 - members) * occurring):
            doubt += composition.prior(learned, which, weights - pushed, some)[1]
            if unseen.any():  # records with unidentified values have none of the others
                others = some * counts * (self._hidden == 0)
                instead = gain - _average(others, gain, 0.0)[:, None]
                doubt += (others.sum(axis=1) > LEAST) * (some * instead**2 * unseen).sum(axis=1)
        moved = (predicates.by_value.value - posterior.mean)[which]
        doubt += (weights**2 * moved**2).sum(axis=1)
        single = members.sum(axis=1) <= 1
        states = ConjunctionStates(
            both=(predicates.published[which] * members).sum(axis=1),
            predicate=learned.total[which],
            frequency=members @ self._frequencies,
            rows=self._rows,
            retention=inside,
            gain=outside,
            doubt=doubt,
            decoy=np.where(single, decoy_probability(self._law), 0.0),
            reduction=None if self._noise is None else self._noise.of_sets(members),
        )
        most = states.predicate.copy()
        most[single] = np.minimum(most[single], self._upper_ends(members[single], states.frequency[single]))
        # The shrunk estimate: sampling variance at the composition, and prior variance.
        own = WeightCoordinates(*(part[of] for part in terms.coordinates))
        solved, pushed = composition.published_weights(learned, which, own)
        sampling = share * noise(counts, sent, solved, pushed)
        bias = composition.prior(learned, which, members - pushed, np.broadcast_to(occurring, members.shape))[
            1
        ]
        center = np.clip((posterior.mean[which] * members).sum(axis=1), 0.0, learned.total[which])
        alone = sampling + bias
        # Whether the product form is right cannot be checked: a geometric mean of the errors with and
        # without it.
        formed = (posterior.variance[which] * members).sum(axis=1)
        part = FORM * np.interp(states.evidence, FORM_RANGE, (1.0, 0.0))
        own = alone ** (1 - part) * formed**part
        known = np.where(single & predicates.by_conditions[which], own, alone)
        translated = limited_translation(states, center, known)
        least = np.where(learned.total[which] > 0, alone + states.shared, 0.0)
        return ShrunkEstimates(
            states=states,
            most=most,
            composition_variance=(weights**2 * posterior.variance[which]).sum(axis=1),
            translated=translated._replace(variance=np.maximum(translated.variance, least)),
            center=center,
            sampling=sampling + states.shared,
            bias=bias,
            prior=(posterior.outside[which] * members).sum(axis=1),
            spread=np.where(members > 0, posterior.spread[which], 0.0).sum(axis=1),
        )

    def answer(
        self,
        published: FloatArray,
        which: IntArray,
        members: FloatArray,
        conditions: Conditions | None = None,
    ) -> ShrunkEstimates:
        """Estimate queries from y, shape (predicates, values): see `learn` and `estimate`."""
        return self.estimate(self.learn(published, conditions), which, members)

    def _terms(self, members: FloatArray) -> tuple[SetTerms, IntArray]:
        """Return the terms of the different sets and the set of each query; batches often share sets."""
        keys = [row.tobytes() for row in np.packbits(members > 0, axis=1)]
        places = {key: place for place, key in enumerate(sorted(set(keys)))}
        which = np.array([places[key] for key in keys], dtype=np.int64)
        sets = np.empty((len(places), members.shape[1]))
        sets[which] = members
        if self._last is None or not np.array_equal(self._last.members, sets):
            composition, trusted = self.composition, (self.composition.share > 0) * (1 - self._hidden)
            gain = composition.published(sets)
            weights = (sets, trusted * sets, trusted * gain, trusted[None])
            self._last = SetTerms(sets, gain, *map(composition.coordinates, weights))
        return self._last, which

    def _upper_ends(self, members: FloatArray, frequency: FloatArray) -> FloatArray:
        """Return the upper interval ends of the values' frequencies, at most N/gamma."""
        values: list[int | None] = [None] * len(frequency)
        if self._noise is not None:
            values = np.where(members.any(axis=1), members.argmax(axis=1), -1).tolist()
        keys = [
            (None if value == -1 else value, int(f))
            for value, f in zip(values, frequency.tolist(), strict=True)
        ]
        for value, f in set(keys) - self._ends.keys():
            if self._noise is None:
                end = estimate_count(f, self._law.gamma, retention=self._law.retention).interval[1]
            else:
                end = self._noise.count_interval(value, f)[1]
            self._ends[value, f] = min(end, self._rows // self._law.gamma)
        return np.array([self._ends[key] for key in keys], dtype=np.float64)

    def _positive(self, counts: FloatArray, learned: CompositionPosterior) -> FloatArray:
        """Return nonnegative counts, with a positive sum in every predicate with records."""
        return np.maximum(counts, 0.0) + _TRACE * learned.total[:, None] * self.composition.share


def _average(counts: FloatArray, chances: FloatArray, blank: float) -> FloatArray:
    """Return the means of probabilities weighted by counts, or ``blank`` where these are 0."""
    total = counts.sum(axis=1)
    found = np.full(len(total), blank)
    return np.asarray(np.divide((counts * chances).sum(axis=1), total, out=found, where=total > 0))


def half_widths(sampling: FloatArray, bias: FloatArray) -> FloatArray:
    """Return the half-widths of intervals that cover 95 % of the values on average over the domain.

    Assumes normal errors and the given mean squared bias, for any law of the bias.
    """
    known = sampling > bias / LARGEST
    moment = np.divide(bias, sampling, out=np.zeros_like(bias), where=known)
    # Where the bias dominates, Chebyshev's inequality is sharp.
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
