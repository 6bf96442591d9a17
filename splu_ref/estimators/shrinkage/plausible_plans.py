"""Shrinkage estimates under plans that are a function of the unknown histogram.

Under the plans ``anatomy`` and ``cyclic`` the groups are a function of the true frequencies f, and an analyst
has only the published ones, f' = f + noise. A parametric bootstrap (Efron and Tibshirani 1993, section 6.5)
draws plausible histograms: f' is published again by the same mechanism, and the difference is subtracted from
f'. Each histogram has a plan and a transition matrix, under which the composition of a predicate is estimated
as under the mixed plan. The estimates are averaged, and their variance is added. The covariance of the
composition and the published count depends on the plan, so the variance of the composition is added in full.
"""

from __future__ import annotations

import numpy as np

from splu_ref.channels import Gamma
from splu_ref.estimators.linear.group_noise import GroupNoise
from splu_ref.estimators.linear.transition import rounded_to_sum
from splu_ref.estimators.shrinkage.conditions import Conditions
from splu_ref.estimators.shrinkage.limited_translation import limited_translation
from splu_ref.estimators.shrinkage.shrinkage import Shrinkage, ShrunkEstimates
from splu_ref.mechanisms import CoOccurrence, ExpectedPairs, FloatArray, SpluGen, within_bound
from splu_ref.randomness import IntArray, SeededSource

DRAWS = 20
"""Number of bootstrap histograms."""
MOST_VALUES = 200
"""Largest number of published values for which the bootstrap is used; it takes about two seconds."""


def plausible_pairs(frequencies: FloatArray, mechanism: SpluGen) -> list[ExpectedPairs]:
    """Return the co-occurrence under the plans of bootstrap histograms.

    ``frequencies`` are f', shape (values,), at least gamma of them positive. The draws are a deterministic
    function of f'.
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
        occurring = np.flatnonzero(drawn)
        together = np.array([counted.row(value)[occurring] for value in occurring.tolist()], dtype=np.float64)
        np.fill_diagonal(together, 0.0)
        kind = np.full(size, -1, dtype=np.int64)
        kind[occurring] = np.arange(len(occurring))
        found.append(
            ExpectedPairs(kind, drawn[occurring].astype(np.float64), np.ones(len(occurring)), together)
        )
    return found


def _eligible(frequencies: FloatArray, rows: int, gamma: Gamma) -> IntArray:
    """Return publishable integer frequencies with the given sum, near the given ones."""
    return rounded_to_sum(within_bound(frequencies * (rows / float(frequencies.sum())), gamma))


class PlausiblePlans:
    """Averages of `Shrinkage` over plausible plans.

    ``frequencies`` are f', shape (values,): at least gamma and at most `MOST_VALUES` of them positive.
    """

    def __init__(self, frequencies: FloatArray, mechanism: SpluGen, noise: GroupNoise | None = None) -> None:
        rows, law = int(frequencies.sum()), mechanism.record_law
        self._plans = [
            Shrinkage(frequencies, rows, law, pairs, noise)
            for pairs in plausible_pairs(frequencies, mechanism)
        ]

    def answer(
        self,
        published: FloatArray,
        which: IntArray,
        members: FloatArray,
        conditions: Conditions | None = None,
    ) -> ShrunkEstimates:
        """Estimate queries from y, shape (predicates, values): see `Shrinkage.answer`."""
        each = [plan.answer(published, which, members, conditions) for plan in self._plans]
        first, n = each[0], each[0].states.predicate
        retention = np.array([one.states.retention for one in each])
        gain = np.array([one.states.gain for one in each])
        value = np.mean([one.value for one in each], axis=0)
        # Use the smallest estimate: more records without the values mean more uncertainty.
        likely = np.minimum(value, np.clip(np.nan_to_num(first.states.solved), 0.0, n))
        apart = np.var(likely * retention + (n - likely) * gain, axis=0, ddof=1) * (1 + 1 / len(each))
        states = first.states._replace(
            retention=retention.mean(axis=0),
            gain=gain.mean(axis=0),
            doubt=np.mean(
                [np.maximum(one.states.doubt, 0.0) + one.composition_variance for one in each], axis=0
            )
            + apart,
        )
        centers = np.array([one.center for one in each])
        sampling = np.mean([one.sampling for one in each], axis=0)
        bias = np.mean([one.bias for one in each], axis=0) + centers.var(axis=0, ddof=1)
        center = centers.mean(axis=0)
        return ShrunkEstimates(
            states=states,
            most=first.most,
            composition_variance=np.mean([one.composition_variance for one in each], axis=0),
            translated=limited_translation(states, center, sampling + bias),
            center=center,
            sampling=sampling,
            bias=bias,
            prior=np.mean([one.prior for one in each], axis=0),
            spread=np.mean([one.spread for one in each], axis=0),
        )
