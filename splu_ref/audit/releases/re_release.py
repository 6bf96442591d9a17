"""Test whether two releases of one table share their randomness."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import average, rate_at_least, rate_at_most
from splu_ref.audit.releases.claims import CoinClaim, SpluGenByColumnClaim
from splu_ref.audit.releases.findings import Reuse
from splu_ref.audit.releases.pooling import CERTAIN, IMPOSSIBLE, effective_trials
from splu_ref.audit.releases.record_linkage import first_alike, holds_text_only, text_ranks
from splu_ref.data import Microdata
from splu_ref.randomness import IntArray


def compare_releases(
    first: Microdata,
    second: Microdata,
    sensitive: Sequence[str],
    claimed: CoinClaim | SpluGenByColumnClaim,
    level: Fraction,
) -> Reuse:
    """Compare two releases with the same columns.

    Draws that belong to records, as with a key, make two releases of an unchanged table coincide. If the
    draws of the two are independent, a row of the second publishes the value that the first published for
    the same cells with probability at most max(p, (1 - p)/(gamma - 1)), whatever the plans, whichever
    records the two rows are, and whatever the other rows do: `rate_at_most`. If both rows are one record,
    they agree with probability at least p^2, that of keeping their value twice: `rate_at_least`. Fewer than
    gamma of the rows can be two records, which takes a deletion: they are counted as agreeing. The columns
    and both directions are averaged. Where the draws of a group are dependent, each row counts for one in
    gamma (`effective_trials`): by Hoelder's inequality once over the groups of each release.
    """
    for column in sensitive:
        first.require(column)
    others = [column for column in first.columns if column not in sensitive]
    blank = holds_text_only(first) or holds_text_only(second)
    ranks = {
        column: np.concatenate(text_ranks((first, second), column, blank=blank)) for column in first.columns
    }
    rows = first.row_count
    every = rows + second.row_count
    same = np.array_equal(*_sorted_halves(first_alike(ranks.values(), every), rows))
    classes = first_alike([ranks[column] for column in others], every)
    here, there = _unique_rows(classes[:rows]), _unique_rows(classes[rows:])
    common, at, besides = np.intersect1d(
        classes[:rows][here], classes[rows:][there], assume_unique=True, return_indices=True
    )
    pairs = here[at], rows + there[besides]
    equal = [ranks[column][pairs[0]] == ranks[column][pairs[1]] for column in sensitive]
    agreeing = int(np.logical_and.reduce(equal).sum())
    if not len(common):
        alike = np.intersect1d(classes[:rows], classes[rows:]).size  # records, though not which
        return Reuse("same" if same else "fresh" if alike else "unlinked", 0, 0, None)
    rates = [claimed.agreement(column) for column in sensitive]
    agree, count = [int(column.sum()) for column in equal], len(common)
    agreed = effective_trials(np.array([count] * len(agree)), np.array(agree), claimed.dependent)
    differing = [max(0, count - n - claimed.deletable) for n in agree]
    _, differed = effective_trials(agreed[0], np.array(differing), claimed.dependent)
    trials = int(agreed[0][0])
    # Rows that may always agree are no evidence when they do.
    more = average(
        [
            rate_at_most(trials, n, most) if most < 1 else CERTAIN
            for n, (_, most) in zip(agreed[1].tolist(), rates, strict=True)
        ]
    )
    fewer = average(
        [
            rate_at_least(trials, trials - n, least) if least < 1 else CERTAIN if not n else IMPOSSIBLE
            for n, (least, _) in zip(differed.tolist(), rates, strict=True)
        ]
    )
    e_value = average([more, fewer])
    if same:
        return Reuse("same", len(common), agreeing, e_value)
    if not e_value.rejects(level):
        return Reuse("fresh", len(common), agreeing, e_value)
    return Reuse("shared" if more.log10 > fewer.log10 else "opposed", len(common), agreeing, e_value)


def _sorted_halves(classes: IntArray, rows: int) -> tuple[IntArray, IntArray]:
    return np.sort(classes[:rows]), np.sort(classes[rows:])


def _unique_rows(classes: IntArray) -> IntArray:
    """Return the rows whose class occurs once."""
    counts = np.bincount(classes)
    return np.flatnonzero(counts[classes] == 1)
