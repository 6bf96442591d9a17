"""How often records are published with their own value."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import EValue, average, counts_point
from splu_ref.audit.power import RatePower, rate_power, trials_needed
from splu_ref.audit.releases.findings import Claim, Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.own_rates import OwnRates
from splu_ref.audit.releases.pooling import CERTAIN, IMPOSSIBLE, independent_product, mean_log, point_logs
from splu_ref.randomness import IntArray

PARTS = 2  # pooled, and by value: one of them suffices
_ANY_ROW = "a single row that shows its own value where none can, or another where none can"


def retention_evidence(match: Match, column: str, claimed: Claim) -> Evidence | None:
    """Hold the share of rows that kept their own value against p; None if no row's true value is known.

    Notes
    -----
    Every record keeps its own value with probability p, independently of all others, whatever the plan, the
    places and the deletion. Which rows have a known true value depends on non-sensitive cells and on the
    deletion alone, so their number that kept it is Bin(rows, p): pooled, and for every value alone. The
    values are independent: their e-values are multiplied (`independent_product`). The two parts are averaged.
    Where p depends on the value, the pooled number has its mean rate (`OwnRates.logs`), and rows of values
    for which it is 0 or 1 must do as it says.

    Where the draws of a group hang together, records of one value still draw independently, because no two of
    them stand in a group. Those of several values do not: pooled, each counts for one in gamma
    (`point_logs`), and the e-values of the values are averaged.
    """
    true = match.true_values(column)
    known, own = true[true >= 0], (match.published[column] == true)[true >= 0]
    if not len(known):
        return None
    size = len(match.original.domains[column])
    own_rates = OwnRates(claimed, column, size)
    rate = own_rates.mean(known)
    detail = (
        f"{int(own.sum())} of {len(known)} rows whose true value is known {claimed.kept_words}: "
        f"{own.mean():.4f}, claimed {float(rate):.4f}"
    )
    drawn, contradicted = own_rates.drawn[known], own_rates.contradicted(known, own)
    if contradicted or not drawn.any():
        found = IMPOSSIBLE if contradicted else CERTAIN
        return Evidence("retention", column, found, len(known), detail, lambda _: _ANY_ROW)
    known, own = known[drawn], own[drawn]
    rate = own_rates.mean(known)
    each = own_rates.logs(known, size, known, own)[np.bincount(known, minlength=size) > 0]
    if claimed.together == 1:
        pooled = counts_point(len(known), int(own.sum()), rate)
        by_value = EValue(independent_product(each) / math.log(10))
    else:
        whole = point_logs(np.array([len(known)]), np.array([int(own.sum())]), rate, claimed.together)
        pooled = EValue(float(whole[0]) / math.log(10))
        by_value = EValue(mean_log(each.tolist()) / math.log(10))

    def power(level: Fraction) -> str:
        parts = _parts(known, claimed)
        needed = [
            f"{trials_needed(counts_point, rate, other, level / parts)} rows to find {what}"
            for what, other in claimed.alternatives(column, rate)
        ]
        told = f"{retention_power(known, rate, claimed, level)}; it takes {' and '.join(needed)}"
        return told if claimed.together == 1 else f"the most frequent value: {told}"

    return Evidence("retention", column, average([pooled, by_value]), len(known), detail, power)


def retention_power(true: IntArray, rate: Fraction, claimed: Claim, level: Fraction) -> RatePower:
    """Return which other rates than the stated one are found, given the rows' true values, -1 if unknown.

    They are those that all known rows find, or where the draws of a group hang together, those of the most
    frequent value.
    """
    known = true[true >= 0]
    rows = len(known) if claimed.together == 1 else int(np.bincount(known).max())
    return rate_power(counts_point, rows, rate, level / _parts(true, claimed))


def _parts(true: IntArray, claimed: Claim) -> int:
    """Return of how many e-values the mean is taken, any of which suffices."""
    return PARTS if claimed.together == 1 else PARTS * len(np.unique(true[true >= 0]))
