"""Plans that follow from the histogram: estimates that allow for not knowing it.

Under the plans ``anatomy`` and ``cyclic`` the groups are a function of the true frequencies f. An analyst
has the published ones, f' = f + noise. So histograms are drawn that f' leaves open: f' is taken for the truth
and published again by the same mechanism, and the noise that this shows is taken off f'. Each of them has a
plan, and with its transition matrix the composition of a predicate is learned as under the mixed plan. The
estimates are averaged, and how far they lie apart is added to their variances (a parametric bootstrap, Efron
and Tibshirani 1993, section 6.5). What the composition and the published count share of the noise depends on
the plan, so it is not relied on: the composition's own variance is added in full.
"""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Gamma
from splu_ref.estimators.linear.group_noise import GroupNoise
from splu_ref.estimators.linear.transition import whole
from splu_ref.estimators.shrinkage.neighbors import bent
from splu_ref.estimators.shrinkage.shrinkage import Shrinkage, Shrunk
from splu_ref.mechanisms import CoOccurrence, ExpectedPairs, FloatArray, SpluGen, within_bound
from splu_ref.randomness import IntArray, SeededSource

DRAWS = 20
"""Histograms drawn."""
MOST_VALUES = 200
"""Published values of the largest domain for which they are: they take about two seconds."""


def plausible_pairs(frequencies: FloatArray, mechanism: SpluGen) -> list[ExpectedPairs]:
    """Return the co-occurrence of the plans of histograms that the published one leaves open.

    Parameters
    ----------
    frequencies
        f', shape (values,); at least gamma of them above 0.
    mechanism
        That which published them.

    Notes
    -----
    The draws follow from f': the same release has the same estimates.
    """
    gamma, size = mechanism.gamma, len(frequencies)
    rows = int(frequencies.sum())
    middle = _eligible(frequencies, rows, gamma)
    codes = np.repeat(np.arange(size), middle)
    source = SeededSource(b"plausible histograms")
    found = []
    for _ in range(DRAWS):
        again = np.bincount(mechanism.publish_codes(codes, size, source).published, minlength=size)
        left = np.where(middle > 0, np.maximum(2.0 * middle - again, 1.0), 0.0)
        drawn = _eligible(left, rows, gamma)
        counted = CoOccurrence(mechanism.decoys(drawn, gamma, source))
        held = np.flatnonzero(drawn)
        together = np.array([counted.row(value)[held] for value in held.tolist()], dtype=np.float64)
        np.fill_diagonal(together, 0.0)
        kind = np.full(size, -1, dtype=np.int64)
        kind[held] = np.arange(len(held))
        found.append(ExpectedPairs(kind, drawn[held].astype(np.float64), np.ones(len(held)), together))
    return found


def _eligible(frequencies: FloatArray, rows: int, gamma: Gamma) -> IntArray:
    """Return whole frequencies of so many records that can be published, near the given ones."""
    return whole(within_bound(frequencies * (rows / float(frequencies.sum())), gamma))


class PlausiblePlans:
    """Estimates from one column over plausible plans, of the form of `Shrinkage`.

    Parameters
    ----------
    frequencies
        f', shape (values,); at least gamma of them above 0, and at most `MOST_VALUES`.
    mechanism
        That which published them.
    noise
        As for `Shrinkage`.
    """

    def __init__(self, frequencies: FloatArray, mechanism: SpluGen, noise: GroupNoise | None = None) -> None:
        rows, law = int(frequencies.sum()), mechanism.record_law
        self._plans = [
            Shrinkage(frequencies, rows, law, pairs, noise)
            for pairs in plausible_pairs(frequencies, mechanism)
        ]

    def answer(self, published: FloatArray, which: IntArray, members: FloatArray) -> Shrunk:
        """Learn from y, shape (predicates, values), and estimate queries: see `Shrinkage.asked`."""
        each = [plan.answer(published, which, members) for plan in self._plans]
        first, n = each[0], each[0].states.predicate
        kept = np.array([one.states.kept for one in each])
        taken = np.array([one.states.taken for one in each])
        value = np.mean([one.value for one in each], axis=0)
        # As many records without the values as any of the estimates leaves: more of them is more doubt.
        likely = np.minimum(value, np.clip(np.nan_to_num(first.states.solved), 0.0, n))
        apart = np.var(likely * kept + (n - likely) * taken, axis=0, ddof=1) * (1 + 1 / len(each))
        states = first.states._replace(
            kept=kept.mean(axis=0),
            taken=taken.mean(axis=0),
            doubt=np.mean([np.maximum(one.states.doubt, 0.0) + one.unshared for one in each], axis=0) + apart,
        )
        centers = np.array([one.centre for one in each])
        sampling = np.mean([one.sampling for one in each], axis=0)
        bias = np.mean([one.bias for one in each], axis=0) + centers.var(axis=0, ddof=1)
        center = centers.mean(axis=0)
        return Shrunk(
            states=states,
            most=first.most,
            unshared=np.mean([one.unshared for one in each], axis=0),
            bent=bent(states, center, sampling + bias),
            centre=center,
            sampling=sampling,
            bias=bias,
        )
