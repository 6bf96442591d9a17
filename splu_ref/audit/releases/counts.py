"""Published counts against their law given the true ones, and against the largest frequency allowed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.findings import Claimed, Evidence
from splu_ref.audit.releases.group_counts import (
    count_of_all_or_none,
    count_of_capped,
    noticed_counts,
    others_drawn,
    together_evidence,
    wins_evidence,
)
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import IMPOSSIBLE, bound_together, largest_mean, mean_of
from splu_ref.randomness import IntArray


def counts_evidence(match: Match, column: str, claimed: Claimed) -> Evidence:
    """Hold every published count f' against the law of a value with f records.

    Notes
    -----
    Whatever the plan and the places, f' is a sum of gamma f independent indicators: f of them with
    probability p (the records of the value) and (gamma - 1) f with (1 - p)/(gamma - 1) (the records that
    have it as decoy). Their mean rate is 1/gamma. For p = 1/gamma this is Bin(gamma f, 1/gamma), and the
    e-value has expectation 1. For another p, `counts_point` is a mixture over theta of C a^f' with
    a = theta (1 - r) / ((1 - theta) r), r = 1/gamma, hence convex in f'; by Hoeffding (1956, Theorem 3) its
    expectation is at most that under Bin(gamma f, 1/gamma), which is 1.

    Where it is unclear whose record was deleted, f is one of a few numbers, fixed before the draws: the
    least e-value over all of them is at most that of the true one. The values' e-values are averaged.

    Where the draws of a group hang together, the counts have laws of their own: `group_counts`.
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
    told = f"{len(values)} counts against "
    if not claimed.is_independent:
        parts = (wins_evidence(claimed, found, low, high), together_evidence(claimed, found, low, high))
        e_value = mean_of([e_value, *(part for part in parts if part is not None)])
        return Evidence(
            "counts",
            column,
            e_value,
            match.rows,
            f"{told}the law {claimed.draws}",
            lambda level: noticed_counts(claimed, high, others, level),
        )

    def power(level: Fraction) -> str:
        reached = rate_power(counts_point, gamma * largest, rate, level / len(values))
        return (
            f"most frequent value: {reached}; another gamma or p keeps the mean of every count and is "
            "hardly ever seen here"
        )

    return Evidence(
        "counts",
        column,
        e_value,
        match.rows,
        f"{told}Bin({gamma} f, 1/{gamma})",
        power,
    )


def _of_value(claimed: Claimed, count: int, frequency: int, others: int) -> EValue:
    """Return the e-value of one published count, at a true one."""
    if claimed.draws.name == "capped":
        return count_of_capped(claimed, count, frequency, others)
    if claimed.draws.name == "all-or-none":
        return count_of_all_or_none(claimed, count, frequency, others)
    return counts_point(int(claimed.law.gamma) * frequency, count, Fraction(1, claimed.law.gamma))


def share_evidence(column: str, found: IntArray, claimed: Claimed) -> Evidence:
    """Hold published counts against the largest frequency N/gamma that a value may have: no original needed.

    Parameters
    ----------
    column
        The sensitive column.
    found
        Published count of each value, shape (values,), with the sum N.
    claimed
        The claim.

    Notes
    -----
    A value with f <= N/gamma records is published by N records independently: f with probability p,
    (gamma - 1) f with (1 - p)/(gamma - 1), the others with 0. The mean rate is f/N <= 1/gamma. For each
    theta > 1/gamma the likelihood ratio against 1/gamma is C a^f' with a > 1: convex and increasing. So by
    Hoeffding (1956, Theorem 3) its expectation is at most that under Bin(N, f/N), which is at most that
    under Bin(N, 1/gamma), which is 1. Under ``capped`` f' is below that in the convex order
    (`group_counts`); under ``all-or-none`` a row counts for one in gamma (`bound_together`).
    """
    rows, rate = int(found.sum()), Fraction(1, claimed.law.gamma)
    together = claimed.together if claimed.draws.name == "all-or-none" else 1
    trials, shown = bound_together(np.full(len(found), rows), found, together)
    e_value: EValue = largest_mean(rate_at_most, trials, shown, [rate] * len(found), above_only=True)
    share = float(found.max()) / rows
    detail = f"the most frequent published value holds {share:.4f} of the rows, {rate} is allowed"

    def power(level: Fraction) -> str:
        return (
            f"a value's published share: {rate_power(rate_at_most, int(trials[0]), rate, level / len(found))}"
        )

    return Evidence("share", column, e_value, rows, detail, power)
