"""The cyclic plan: records sorted by value are dealt to the groups in turn, column by column."""

from __future__ import annotations

import numpy as np

from splu_ref.decoys.eligibility import require_eligible
from splu_ref.decoys.plan import IntArray, Run, RunLengthPlan
from splu_ref.model import Gamma
from splu_ref.randomness import PlanSecret


def cyclic(histogram: IntArray, gamma: Gamma, source: PlanSecret | None = None) -> RunLengthPlan:
    """Return the plan whose slot j of group g holds the value of sorted record j * (N / gamma) + g.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,); the sum is a multiple of gamma and no frequency is
        above its gamma-th part.
    gamma
        Size of a group.
    source
        Not used: the plan has no secret.

    Returns
    -------
    RunLengthPlan
        At most (values + gamma) runs of identical groups. The values of a group are distinct because two
        slots of a group are at least N / gamma sorted records apart, and no value has more records.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible; the message names the largest feasible gamma.
    """
    require_eligible(histogram, gamma)
    groups = int(histogram.sum()) // gamma
    ends = np.cumsum(histogram)
    borders = np.unique(np.concatenate([[0], ends % groups, [groups]]))
    columns = np.arange(gamma) * groups
    runs = []
    for begin, end in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        values = np.searchsorted(ends, columns + begin, side="right")
        runs.append(Run((), tuple(values.tolist()), 0, end - begin))
    return RunLengthPlan(gamma, len(histogram), tuple(runs))
