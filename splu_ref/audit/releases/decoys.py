"""Which other values the records of a value are published with, and how often."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from splu_ref.audit.e_values import EValue, counts_point, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.findings import Claimed, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import IMPOSSIBLE, largest_mean
from splu_ref.channels import decoy_groups
from splu_ref.decoys import PLANS, co_occurrence, largest_gamma
from splu_ref.randomness import IntArray, SystemSource

_LARGEST_DOMAIN = 2000

FIXED_PLANS = ("anatomy", "cyclic")
"""Plans that are a function of the histogram alone."""


class _Pairs(NamedTuple):
    """How often known records of one value are published with another; ``known`` counts records by value."""

    true: IntArray
    published: IntArray
    counts: IntArray
    known: IntArray


def decoys_evidence(match: Match, column: str, claimed: Claimed) -> Evidence | None:
    """Hold the published values of records with a known value against any decoy plan at all.

    Returns None if no row's true value is known.

    Notes
    -----
    Take a value u, n rows whose true value is u, and another value w with f records. The groups of a plan
    hold w at most f times, so at most T = min(n, f) of the rows have w as decoy, and each of these is
    published with w with probability q = (1 - p)/(gamma - 1), independently, whatever the plan and the
    places. So the number published with w is stochastically at most Bin(T, q), and `rate_at_most` at
    (T, q), which grows with the number of successes, has expectation at most 1; more than T never happen.
    The pairs (u, w) are averaged.
    """
    pairs = _pairs(match, column)
    if pairs is None:
        return None
    counts, known = pairs.counts, pairs.known
    frequencies = match.original.frequencies(column)
    trials = np.minimum(known[pairs.true], frequencies[pairs.published])
    every = int((known > 0).sum()) * (len(frequencies) - 1)  # pairs never seen count as 0 in the mean
    q = claimed.law.decoy
    e_value = largest_mean(rate_at_most, trials, counts, [q] * len(trials), above_only=True, of=every)
    most_frequent = int(known.argmax())
    typical = int(min(known[most_frequent], np.delete(frequencies, most_frequent).max()))
    detail = f"{every} pairs of a true and another published value against at most {float(q):.4f} each"

    def power(level: Fraction) -> str:
        reached = rate_power(rate_at_most, typical, q, level / every)
        return f"one other value among the records of the most frequent value: {reached}"

    return Evidence("decoys", column, e_value, int(known.sum()), detail, power)


def plan_evidence(match: Match, column: str, claimed: Claimed) -> Evidence | None:
    """Hold the published values of records with a known value against the co-occurrence of the named plan.

    Returns None if the plan is not a function of the histogram, if too much is unclear about who was
    deleted, if gamma is not feasible, or if no row's true value is known.

    Notes
    -----
    The named plan gives c(u, w), the groups that hold both values. The records of u take their f places in
    a uniform order, so of n rows whose true value is u the number K with w as decoy is hypergeometric
    (f places, c successes, n drawn); the number M published with w is Bin(K, q), q = (1 - p)/(gamma - 1).
    `counts_point` at rate c q/f is a mixture of C a^M, and E(a^M | K) = (1 - q + q a)^K is convex in K; by
    Hoeffding (1963, Theorem 4) drawing with replacement only increases its expectation, and then M is
    Bin(n, c q/f) and the expectation 1. A pair with c = 0 is never seen. The pairs are averaged; where the
    histogram is unclear, the least e-value over all that are possible is at most that of the true one.
    """
    if claimed.plan not in FIXED_PLANS:
        return None
    histograms = match.histograms(column)
    pairs = _pairs(match, column)
    size = len(match.original.domains[column])
    if histograms is None or pairs is None or size > _LARGEST_DOMAIN:
        return None
    observed, known = np.zeros((size, size), dtype=np.int64), pairs.known
    observed[pairs.true, pairs.published] = pairs.counts
    values = [
        _plan_e_value(observed, known, histogram, claimed)
        for histogram in histograms
        if histogram.sum() % claimed.law.gamma == 0 and claimed.law.gamma <= largest_gamma(histogram)
    ]
    if not values:
        return None
    q = claimed.law.decoy
    most = int(known.max())

    def power(level: Fraction) -> str:
        reached = rate_power(counts_point, most, q, level / (size * (size - 1)))
        return f"a decoy that all records of the most frequent value share: {reached}"

    detail = f"pairs of a true and another published value against the plan {claimed.plan}"
    e_value = min(values, key=lambda value: value.log10)
    return Evidence("plan", column, e_value, int(known.sum()), detail, power)


def _pairs(match: Match, column: str) -> _Pairs | None:
    """Return the pairs that occur of a known value and another published one; None if no value is known.

    If every row kept its value, one pair that does not occur stands in.
    """
    true, published = match.true_values(column), match.published[column]
    size = len(match.original.domains[column])
    known = np.bincount(true[true >= 0], minlength=size)
    changed = (true >= 0) & (published >= 0) & (published != true)
    pairs, counts = np.unique(true[changed] * size + published[changed], return_counts=True)
    if not known.any():
        return None
    if not len(pairs):
        value = int(known.argmax())
        pairs, counts = np.array([value * size + (value == 0)]), np.array([0])
    return _Pairs(pairs // size, pairs % size, counts, known)


def _plan_e_value(observed: IntArray, known: IntArray, histogram: IntArray, claimed: Claimed) -> EValue:
    assert claimed.plan is not None
    plan = PLANS[claimed.plan](histogram, claimed.law.gamma, SystemSource())  # these plans draw nothing
    channel = decoy_groups(co_occurrence(plan).counts(), claimed.law)
    trials: list[int] = []
    counts: list[int] = []
    rates: list[Fraction] = []
    for u in np.flatnonzero(known).tolist():
        met = {w: rate for w, rate in channel.laws[u].items() if w != u}
        if any(w not in met for w in np.flatnonzero(observed[u]).tolist()):
            return IMPOSSIBLE
        for w, rate in met.items():
            trials.append(int(known[u]))
            counts.append(int(observed[u, w]))
            rates.append(rate)
    return largest_mean(counts_point, np.array(trials), np.array(counts), rates)
