"""Whether the order of the file decided which decoys a record got."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from splu_ref.audit.e_values import EValue, counts_point
from splu_ref.audit.power import rate_power
from splu_ref.audit.releases.fair_pairs import HALF, far_pairs
from splu_ref.audit.releases.findings import Evidence
from splu_ref.audit.releases.match import Match
from splu_ref.audit.releases.pooling import largest_mean, product_of


def places_evidence(match: Match, column: str) -> Evidence | None:
    """Hold the places of the records within their values against a uniform order.

    Returns None if no two records of one value are linked.

    Notes
    -----
    The records of a value take the places of that value in a uniform order, and draw alike and
    independently. So the published values of the linked records of a value, in the order of the original
    file, are exchangeable. By `fair_pairs`, of the pairs of a record with another half the list below it, of
    which exactly one is published with w, the first is the one with w in Bin(pairs, 1/2) cases. The values w
    are averaged; the true values, whose orders are independent, are multiplied. The number of pairs is fixed
    given what stands in each of them.
    """
    rows = np.flatnonzero(match.records >= 0)
    rows = rows[np.argsort(match.records[rows])]
    true = match.original.codes[column][match.records[rows]]
    published = match.published[column][rows]
    first, second, values = [], [], []
    compared = 0
    for value in np.unique(true).tolist():
        members = published[true == value]
        upper, lower = far_pairs(len(members))
        compared += len(upper)
        different = members[upper] != members[lower]
        first.append(members[upper][different])
        second.append(members[lower][different])
        values.append(np.full(int(different.sum()), value))
    if not compared:
        return None
    size = len(match.original.domains[column]) + 1  # a foreign value is -1
    value = np.concatenate(values) * size
    before, after = value + np.concatenate(first) + 1, value + np.concatenate(second) + 1
    kinds, which = np.unique(np.concatenate([before, after]), return_inverse=True)
    trials = np.bincount(which, minlength=len(kinds))
    successes = np.bincount(which[: len(before)], minlength=len(kinds))
    e_value = EValue.of(Fraction(1))  # all records of each pair are published alike: no evidence
    if len(kinds):
        e_value = product_of(
            [
                largest_mean(counts_point, trials[of], successes[of], [HALF] * int(of.sum()), least=2)
                for of in (kinds // size == value for value in np.unique(kinds // size))
            ]
        )

    def power(level: Fraction) -> str:
        most = int(trials.max(initial=0))
        reached = rate_power(counts_point, most, HALF, level / max(1, 9 * len(kinds)))
        return f"a published value, first rather than second of two records: {reached}"

    detail = "published values by the order of the original file"
    return Evidence("places", column, e_value, len(rows), detail, power)
