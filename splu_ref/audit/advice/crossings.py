"""How often a release of a crossing shows each of its parts truly: more often than the crossing itself.

A record shows its true part if it retains its value, or takes a decoy with the same part.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from splu_ref.channels import PublishedCount
from splu_ref.data import JOINED_BY
from splu_ref.mechanisms import expected_co_occurrence

MOST_VALUES = 2000
"""Largest number of values for which the matrix of their co-occurrence is computed."""


def parts_shown(
    law: PublishedCount, values: Sequence[tuple[str, int]], parts: Sequence[str]
) -> dict[str, float]:
    """Return for each part of a crossing the probability that a record's published part is the true one.

    Parameters
    ----------
    law
        gamma and p.
    values
        Values of the crossing and their true counts, all above 0.
    parts
        The columns that were crossed.

    Returns
    -------
    dict
        The mean over all records under the plan ``mixed``, in double precision: as exact as the expected
        co-occurrence. Empty if values were grouped after the crossing, or are more than `MOST_VALUES`.
    """
    cells = [value.split(JOINED_BY) for value, _ in values]
    if len(values) > MOST_VALUES or any(len(each) != len(parts) for each in cells):
        return {}
    together = expected_co_occurrence([count for _, count in values], law.gamma)
    np.fill_diagonal(together, 0.0)
    decoy = float((1 - law.retention) / (law.gamma - 1))
    found = {}
    for part, labels in zip(parts, zip(*cells, strict=True), strict=True):
        codes = np.unique(labels, return_inverse=True)[1]
        shared = float(together[codes[:, np.newaxis] == codes].sum())
        found[part] = float(law.retention) + decoy * shared / sum(count for _, count in values)
    return found


def parts_sentence(shown: dict[str, float]) -> str:
    """Return how often each part is shown truly."""
    chances = " and ".join(f"the true {part} with probability {chance:.3f}" for part, chance in shown.items())
    return f"on average a record shows {chances}"
