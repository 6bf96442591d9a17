"""Tests of published counts against their law given the true ones, and against the largest frequency.

Where the draws of a group are dependent, some slots of a value are drawn independently: for ``capped`` those
of its first M groups. In its other groups it takes an even share of what is left over, and is drawn at random
only as far as other slots of the group are. How many of these there are over all groups is known from the
histogram, so the means of exp(t (f' - f)) are bounded without the plan.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.claims import SpluGenClaim
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.pooling import IMPOSSIBLE, effective_trials, largest_mean, mean_log, mean_of
from splu_ref.audit.releases.record_linkage import Match
from splu_ref.mechanisms import FloatArray
from splu_ref.randomness import IntArray


def counts_evidence(match: Match, column: str, claimed: SpluGenClaim) -> Evidence:
    """Test every published count f' against the law of a value with f records.

    Whatever the plan and the places, f' is a sum of gamma f independent indicators: f of them with
    probability p (the records of the value) and (gamma - 1) f with (1 - p)/(gamma - 1) (the records that
    have it as decoy). Their mean rate is 1/gamma. For p = 1/gamma this is Bin(gamma f, 1/gamma), and the
    e-value has expectation 1. For another p, `counts_point` is a mixture over theta of C a^f' with
    a = theta (1 - r) / ((1 - theta) r), r = 1/gamma, hence convex in f'; by Hoeffding (1956, Theorem 3) its
    expectation is at most that under Bin(gamma f, 1/gamma), which is 1.

    Where it is unclear whose record was deleted, f is one of a few numbers, fixed before the draws: the
    least e-value over all of them is at most that of the true one. The values' e-values are averaged.

    Where the draws of a group are dependent, the counts have laws of their own: `count_of_capped`.
    """
    found = match.found(column)
    low, high = match.frequency_bounds(column)
    gamma, rate = int(claimed.law.gamma), Fraction(1, claimed.law.gamma)
    values = []
    others = np.zeros_like(high) if claimed.is_independent else others_drawn(claimed, high)
    bounds = zip(found.tolist(), low.tolist(), high.tolist(), others.tolist(), strict=True)
    for count, least, most, drawn in bounds:
        possible = [f for f in range(max(0, least), most + 1) if count <= gamma * f]
        each = [_of_value(claimed, count, f, drawn) for f in possible]
        values.append(min(each, key=lambda value: value.log10, default=IMPOSSIBLE))
    e_value = IMPOSSIBLE if IMPOSSIBLE in values else average(values)
    largest = int(high.max())
    worst = max(range(len(values)), key=lambda place: values[place].log10)
    most = f"{low[worst]}" if low[worst] == high[worst] else f"{low[worst]} to {high[worst]}"
    value = match.original.domains[column][worst]
    shown = f"the most for {value!r}, published {found[worst]} times with {most} records"
    words = f"{len(values)} counts against "
    if not claimed.is_independent:
        parts = (whole_group_evidence(claimed, found, low, high), joint_evidence(claimed, found, low, high))
        e_value = mean_of([e_value, *(part for part in parts if part is not None)])
        return Evidence(
            "counts",
            column,
            e_value,
            match.rows,
            f"{words}the law {claimed.draws}",
            lambda level: detectable_counts(claimed, high, others, level),
            shown,
        )

    law = claimed.law
    if law.is_plain:
        words += f"Bin({gamma} f, {rate})"
    else:
        words += f"Bin(f, {law.retention}) + Bin({gamma - 1} f, {law.decoy})"

    def power(level: Fraction) -> str:
        reached = rate_power(counts_point, gamma * largest, rate, level / len(values))
        return (
            f"most frequent value: {reached}; another gamma or p leaves the mean of every count "
            "unchanged, so this test has almost no power against it"
        )

    return Evidence(
        "counts",
        column,
        e_value,
        match.rows,
        words,
        power,
        shown,
    )


def _of_value(claimed: SpluGenClaim, count: int, frequency: int, others: int) -> EValue:
    """Return the e-value of one published count, at a true one."""
    if claimed.draws.name == "capped":
        return count_of_capped(claimed, count, frequency, others)
    if claimed.draws.name == "all-or-none":
        return count_of_all_or_none(claimed, count, frequency, others)
    return counts_point(int(claimed.law.gamma) * frequency, count, Fraction(1, claimed.law.gamma))


def share_evidence(column: str, found: IntArray, claimed: SpluGenClaim) -> Evidence:
    """Test published counts against the largest frequency N/gamma that a value may have: no original needed.

    A value with f <= N/gamma records is published by N records independently: f with probability p,
    (gamma - 1) f with (1 - p)/(gamma - 1), the others with 0. The mean rate is f/N <= 1/gamma. For each
    theta > 1/gamma the likelihood ratio against 1/gamma is C a^f' with a > 1: convex and increasing. So by
    Hoeffding (1956, Theorem 3) its expectation is at most that under Bin(N, f/N), which is at most that
    under Bin(N, 1/gamma), which is 1. Under ``capped`` f' is below that in the convex order
    (`count_of_capped`); under ``all-or-none`` a row counts for one in gamma (`effective_trials`).
    """
    rows, rate = int(found.sum()), Fraction(1, claimed.law.gamma)
    dependent = claimed.dependent if claimed.draws.name == "all-or-none" else 1
    trials, shown = effective_trials(np.full(len(found), rows), found, dependent)
    e_value: EValue = largest_mean(rate_at_most, trials, shown, [rate] * len(found), above_only=True)
    share = float(found.max()) / rows
    detail = f"the most frequent published value holds {share:.4f} of the rows, {rate} is allowed"

    def power(level: Fraction) -> str:
        return (
            f"a value's published share: {rate_power(rate_at_most, int(trials[0]), rate, level / len(found))}"
        )

    return Evidence("share", column, e_value, rows, detail, power)


_TILTS = tuple(sign * 2.0**-step for step in range(9) for sign in (1, -1))
_ROUNDING = 1e-9
_OF_CHANCES = 1e-12
"""Largest error of the logarithm of a slot's mean by rounded probabilities, for each unit of gamma."""
_UNREACHABLE_COUNT = 1 << 60
"""A bound that no count reaches."""
_MAX_GAMMA = 12
"""Largest gamma for which all signs within a group are tried."""


def count_of_capped(claimed: SpluGenClaim, count: int, frequency: int, others: int) -> EValue:
    """Test a published count against a true one under ``capped``.

    Up to M records f' is Bin(gamma f, 1/gamma). Above, the places that no flagged slot takes are divided
    evenly among the unflagged slots. Given their number, an even share has the least spread of all whole
    numbers with its mean, so it is below its part of independent draws in the convex order. So
    `counts_point`, a mixture of convex functions, has a mean of at most 1. It is averaged with a test that
    uses how little such counts scatter: `_deviation_e_value`.
    """
    gamma, cap = int(claimed.law.gamma), _bound(claimed)
    drawn = counts_point(gamma * frequency, count, Fraction(1, gamma))
    if frequency <= cap:
        return drawn
    loose = frequency - cap
    steps = [_capped_log(gamma, j) for j in range(1, gamma)]
    return average([drawn, _deviation_e_value(count - frequency, cap, gamma, loose, others, steps)])


def count_of_all_or_none(claimed: SpluGenClaim, count: int, frequency: int, others: int) -> EValue:
    """Test a published count against a true one under ``all-or-none``.

    A rare value is published by a whole group or not at all: f'/gamma is Bin(f, 1/gamma). A common one is
    published in a group as often as it has records, once, unless there are rare values in it.
    """
    gamma = int(claimed.law.gamma)
    if frequency <= _bound(claimed):
        whole_groups, rest = divmod(count, gamma)
        return (
            IMPOSSIBLE
            if rest or whole_groups > frequency
            else counts_point(frequency, whole_groups, Fraction(1, gamma))
        )
    if count != frequency and (not others or count < frequency - others):
        return IMPOSSIBLE
    steps = [_common_log(gamma, j) for j in range(1, gamma)]
    return _deviation_e_value(count - frequency, 0, gamma, frequency, others, steps)


def whole_group_evidence(
    claimed: SpluGenClaim, found: IntArray, low: IntArray, high: IntArray
) -> EValue | None:
    """Test the groups that publish rare values alone against their number of records; None for other laws.

    In a group with j rare values the whole group publishes one of them with probability j/gamma. If W groups
    do, the mean of a^W is
    1 + (a - 1) j/gamma, at most (1 + (a - 1)/gamma)^j: so `counts_point` for as many trials as rare values
    have records has a mean of at most 1. Where it is unclear who was deleted, the least e-value counts.
    """
    if claimed.draws.name != "all-or-none":
        return None
    gamma, rare = int(claimed.law.gamma), high <= _bound(claimed)
    whole_groups = int(found[rare].sum()) // gamma
    sums = range(max(int(low[rare].sum()), whole_groups), int(high[rare].sum()) + 1)
    each = [counts_point(records, whole_groups, Fraction(1, gamma)) for records in sums]
    return min(each, key=lambda value: value.log10, default=IMPOSSIBLE)


def joint_evidence(claimed: SpluGenClaim, found: IntArray, low: IntArray, high: IntArray) -> EValue | None:
    """Test how far all counts together are from the true ones; None for groups of more than `_MAX_GAMMA`.

    With signs s_v the mean of exp(t sum of s_v (f'_v - f_v)) is a product over the groups, each of which has
    j slots that are drawn: those of flagged values, or of rare ones. Let b_j be the largest logarithm of such
    a factor over all signs and values of a group. The j add up to a number that follows from the histogram,
    so the product is at most exp(that number times the largest b_j / j). Averaged over all signs,
    exp(t sum of s_v (f'_v - f_v)) is the product of cosh(t (f'_v - f_v)). Under ``all-or-none`` the signs of
    rare values are 0. Where it is unclear who was deleted, f_v is the possible number that is nearest to
    f'_v.
    """
    gamma, bound = int(claimed.law.gamma), _bound(claimed)
    if gamma > _MAX_GAMMA:
        return None
    off = np.maximum(np.maximum(found - high, low - found), 0).astype(np.float64)
    drawn = np.minimum(high, bound)
    capped = claimed.draws.name == "capped"
    if not capped:
        drawn = np.where(high < bound + gamma, drawn, 0)
        off = np.where(low > bound, off, 0.0)
    groups = -(-int(high.sum()) // gamma)
    logs = []
    for tilt in (each for each in _TILTS if each > 0):
        by_step = np.array(
            _capped_factor_bounds(gamma, tilt) if capped else _common_factor_bounds(gamma, tilt)
        )
        per_slot = float((by_step / np.arange(1, len(by_step) + 1)).max())
        most = max(0.0, min(int(drawn.sum()) * per_slot, groups * float(by_step.max())))
        moved = float(np.logaddexp(tilt * off, -tilt * off).sum() - len(off) * math.log(2))
        logs.append(moved - most - _ROUNDING * (1 + most + moved) - _OF_CHANCES * gamma * int(drawn.sum()))
    return EValue(mean_log(logs) / math.log(10))


def others_drawn(claimed: SpluGenClaim, high: IntArray) -> IntArray:
    """Return for each value how many slots of other values are drawn at random, at most, shape (values,)."""
    bound = _bound(claimed)
    drawn = np.minimum(high, bound)
    if claimed.draws.name == "all-or-none":
        # A value that may have lost a record to the deletion may be rare with as many as the bound.
        drawn = np.where(high < bound + int(claimed.law.gamma), drawn, 0)
    return np.asarray(drawn.sum() - drawn)


def detectable_counts(claimed: SpluGenClaim, high: IntArray, others: IntArray, level: Fraction) -> str:
    """Return in words from which deviation on the published count of the most frequent value fails."""
    value, parts = int(high.argmax()), len(high)
    frequency, drawn = int(high[value]), int(others[value])
    judge = count_of_capped if claimed.draws.name == "capped" else count_of_all_or_none
    # The mean of the values', and for one law that of this and of whole groups.
    share = level / (parts * (1 if claimed.draws.name == "capped" else 2))

    def fails(off: int) -> bool:
        return judge(claimed, frequency + off, frequency, drawn).rejects(share)

    most = (int(claimed.law.gamma) - 1) * frequency
    least = bisect_left(range(most + 1), True, key=fails)
    if least > most:
        return "no count of the most frequent value"
    return f"a count of the most frequent value that is too large by {least} or more is always detected"


def _bound(claimed: SpluGenClaim) -> int:
    assert claimed.draws.bound is not None
    return min(claimed.draws.bound, _UNREACHABLE_COUNT)


def _deviation_e_value(
    moved: int, drawn: int, gamma: int, loose: int, others: int, steps: Sequence[tuple[float, ...]]
) -> EValue:
    """Test the deviation of a count by the mean of exp(t moved) over its bound, for several t."""
    by_step = np.array(steps)  # shape (gamma - 1, tilts)
    per_slot = by_step / np.arange(1, gamma)[:, None]
    most = np.minimum(others * per_slot.max(axis=0), loose * by_step.max(axis=0))
    tilts = np.array(_TILTS)
    own = gamma * np.log1p(np.expm1(tilts) / gamma) - tilts
    bound = drawn * own + np.maximum(most, 0.0)
    logs = tilts * moved - bound - _ROUNDING * (1 + np.abs(bound)) - _OF_CHANCES * gamma * others
    return EValue(mean_log(logs.tolist()) / math.log(10))


@lru_cache(maxsize=1024)
def _capped_factor_bounds(gamma: int, tilt: float) -> tuple[float, ...]:
    """Return b_1, ..., b_gamma of `joint_evidence` under ``capped``, b_j for j flagged slots."""
    found = []
    for flagged in range(1, gamma + 1):
        sharing, most = gamma - flagged, -math.inf
        left = np.arange(gamma + 1) if sharing else np.zeros(1, dtype=np.int64)
        chances = _left_over(gamma, sharing) if sharing else np.ones(1)
        for up in range(flagged + 1):
            drawn = (up * math.exp(tilt) + (flagged - up) * math.exp(-tilt)) / flagged
            own = chances * drawn ** (gamma - left)
            for shared in range(sharing + 1):
                mean = (own * _shared(tilt, left, sharing, shared)).sum()
                signs = 2 * (up + shared) - gamma
                most = max(most, math.log(float(mean)) - tilt * signs)
        found.append(most)
    return tuple(found)


@lru_cache(maxsize=1024)
def _common_factor_bounds(gamma: int, tilt: float) -> tuple[float, ...]:
    """Return b_1, ..., b_(gamma-1) under ``all-or-none``, b_j for j rare values."""
    found = []
    for rare in range(1, gamma):
        sharing, most = gamma - rare, -math.inf
        for up in range(sharing + 1):
            share = float(_shared(tilt, np.array([gamma]), sharing, up)[0])
            mean = rare / gamma + sharing / gamma * share
            most = max(most, math.log(mean) - tilt * (2 * up - sharing))
        found.append(most)
    return tuple(found)


def _left_over(gamma: int, sharing: int) -> FloatArray:
    """Return the chances of 0, 1, ..., gamma places that fall on no flagged slot, some slots sharing them."""
    left = np.arange(gamma + 1)
    logs = gammaln(gamma + 1) - gammaln(left + 1) - gammaln(gamma - left + 1)
    logs += left * math.log(sharing / gamma) + (gamma - left) * math.log((gamma - sharing) / gamma)
    return np.asarray(np.exp(logs))


def _shared(tilt: float, left: IntArray, sharing: int, up: int) -> FloatArray:
    """Return E exp(t sum of s k) of slots that share so many places evenly, ``up`` of them with s = 1."""
    if not sharing:
        return np.ones(len(left))
    whole, rest = np.divmod(left, sharing)
    moved = np.array(
        [
            sum(
                math.comb(up, n) * math.comb(sharing - up, r - n) * math.exp(tilt * (2 * n - r))
                for n in range(max(0, r - sharing + up), min(r, up) + 1)
            )
            / math.comb(sharing, r)
            for r in range(sharing)
        ]
    )
    return np.asarray(np.exp(tilt * whole * (2 * up - sharing)) * moved[rest])


@lru_cache(maxsize=1024)
def _capped_log(gamma: int, others: int) -> tuple[float, ...]:
    """Return log E exp(t (k - 1)) of an unflagged slot beside so many flagged ones, for each t."""
    sharing = gamma - others
    left = np.arange(gamma + 1)
    return _logs(left // sharing, (left % sharing) / sharing, _left_over(gamma, sharing))


@lru_cache(maxsize=1024)
def _common_log(gamma: int, rare: int) -> tuple[float, ...]:
    """Return the same of a common value's slot beside so many rare ones."""
    sharing = gamma - rare
    whole, rest = divmod(gamma, sharing)
    takes, more = np.array([0, whole]), np.array([0.0, rest / sharing])
    return _logs(takes, more, np.array([rare / gamma, sharing / gamma]))


def _logs(takes: IntArray, more: FloatArray, chances: FloatArray) -> tuple[float, ...]:
    """Return the logarithms of the means; one place more than ``takes`` is taken with chance ``more``."""
    with np.errstate(divide="ignore"):  # a chance may be 0
        known = np.log(chances)
    return tuple(
        float(np.logaddexp.reduce(known + t * (takes - 1.0) + np.log1p(more * math.expm1(t)))) for t in _TILTS
    )
