"""How often records are published with their own value."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import EValue, average, counts_point
from splu_ref.audit.power import RatePower, rate_power, trials_needed
from splu_ref.audit.releases.findings import Claim, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import independent_product, point_logs

PARTS = 2  # pooled, and by value: one of them suffices


def retention_evidence(match: Match, column: str, claimed: Claim) -> Evidence | None:
    """Hold the share of rows that kept their own value against p; None if no row's true value is known.

    Notes
    -----
    Every record keeps its own value with probability p, independently of all others, whatever the plan, the
    places and the deletion. Which rows have a known true value depends on non-sensitive cells and on the
    deletion alone, so their number that kept it is Bin(rows, p): pooled, and for every value alone. The
    values are independent: their e-values are multiplied (`independent_product`). The two parts are averaged.
    """
    true = match.true_values(column)
    rows = true >= 0
    known = true[rows]
    if not len(known):
        return None
    own = match.published[column][rows] == known
    size = len(match.original.domains[column])
    trials, kept = np.bincount(known, minlength=size), np.bincount(known[own], minlength=size)
    present = trials > 0
    rate = claimed.own_rate(column)
    pooled = counts_point(len(known), int(own.sum()), rate)
    by_value = EValue(independent_product(point_logs(trials[present], kept[present], rate)) / math.log(10))
    detail = (
        f"{int(own.sum())} of {len(known)} rows whose true value is known {claimed.kept_words}: "
        f"{own.mean():.4f}, claimed {float(rate):.4f}"
    )

    def power(level: Fraction) -> str:
        needed = [
            f"{trials_needed(counts_point, rate, other, level / PARTS)} rows to find {what}"
            for what, other in claimed.alternatives(column)
        ]
        return f"{retention_power(len(known), rate, level)}; it takes {' and '.join(needed)}"

    return Evidence("retention", column, average([pooled, by_value]), len(known), detail, power)


def retention_power(known: int, rate: Fraction, level: Fraction) -> RatePower:
    """Return which other rates than the stated one are found in so many rows whose true value is known."""
    return rate_power(counts_point, known, rate, level / PARTS)
