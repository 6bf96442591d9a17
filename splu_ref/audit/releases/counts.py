"""Published counts against Bin(gamma f, 1/gamma), and against the largest frequency that is allowed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import EValue, average, counts_point, rate_at_most
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.findings import Claimed, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import IMPOSSIBLE, largest_mean
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
    """
    codes = match.published[column]
    found = np.bincount(codes[codes >= 0], minlength=len(match.original.domains[column]))
    low, high = match.frequency_bounds(column)
    gamma, rate = int(claimed.law.gamma), Fraction(1, claimed.law.gamma)
    values = []
    for count, least, most in zip(found.tolist(), low.tolist(), high.tolist(), strict=True):
        possible = [f for f in range(max(0, least), most + 1) if count <= gamma * f]
        each = [counts_point(gamma * f, count, rate) for f in possible]
        values.append(min(each, key=lambda value: value.log10, default=IMPOSSIBLE))
    e_value = IMPOSSIBLE if IMPOSSIBLE in values else average(values)
    largest = int(high.max())

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
        f"{len(values)} counts against Bin({gamma} f, 1/{gamma})",
        power,
    )


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
    under Bin(N, 1/gamma), which is 1.
    """
    rows, rate = int(found.sum()), Fraction(1, claimed.law.gamma)
    trials = np.full(len(found), rows)
    e_value: EValue = largest_mean(rate_at_most, trials, found, [rate] * len(found), above_only=True)
    share = float(found.max()) / rows
    detail = f"the most frequent published value holds {share:.4f} of the rows, {rate} is allowed"

    def power(level: Fraction) -> str:
        return f"a value's published share: {rate_power(rate_at_most, rows, rate, level / len(found))}"

    return Evidence("share", column, e_value, rows, detail, power)
