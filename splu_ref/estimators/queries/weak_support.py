"""Warnings where a published count hardly depends on the true one.

A record with the queried values is published with one of them with probability b, another record with
probability a on average. If the predicate is independent of the other values, its expected published count
rises by b - a with each record that has the values. For a single value b = p, and p - a is the share of the
covariance that a release retains: 0 for a value with N/gamma records, if p = 1/gamma (claim splu.Cc).
"""

from __future__ import annotations

import numpy as np

from splu_ref.estimators.linear.transition import gain_probability
from splu_ref.estimators.queries.one_column import PublishedColumn
from splu_ref.estimators.shrinkage.shrinkage import HIDDEN
from splu_ref.mechanisms import FloatArray

WEAK_SUPPORT = (
    "weakly supported: a record with the queried values of {column} is published with one of them with "
    "probability {own:.3f}, any other record with probability {other:.3f} on average, because {count:.0f} of "
    "{rows} published records have them; so the published count of the conjunction says little about the "
    "true one"
)


def weak_support(column: PublishedColumn, name: str, members: FloatArray) -> list[str | None]:
    """Return a warning for each set of a column's values, or None.

    The warning is given if abs(b - a) is at most `HIDDEN` times b, where `shrunk` does not rely on the
    published count either. A set with more than half of all records is judged by its complement.
    """
    frequencies, rows = column.frequencies, float(column.rows)
    common = members @ frequencies > rows / 2
    members = np.where(common[:, None], 1 - members, members)
    count = members @ frequencies
    own = np.full(len(members), float(column.law.retention))
    several = members.sum(axis=1) > 1
    if several.any() and column.shrinkage is not None:
        weights = members[several] * frequencies
        chances = column.shrinkage.composition.published(members[several])
        total = np.maximum(weights.sum(axis=1), 1.0)
        own[several] = (weights * chances).sum(axis=1) / total
    other = gain_probability(count, rows, own)
    weak = (count > 0) & (np.abs(own - other) <= HIDDEN * own)
    # The probabilities of the set of the query: those of the complement, each from 1 and exchanged.
    own, other = np.where(common, 1 - other, own), np.where(common, 1 - own, other)
    count = np.where(common, rows - count, count)
    found: list[str | None] = [None] * len(members)
    for place in np.flatnonzero(weak).tolist():
        found[place] = WEAK_SUPPORT.format(
            column=repr(name), own=own[place], other=other[place], count=count[place], rows=column.rows
        )
    return found
