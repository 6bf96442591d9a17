"""The greedy plan of Anatomy: each group takes one record from each of the gamma largest buckets.

Fu et al. 2014, section 3.1, step 2, refers to this method of the l-diversity literature. Ties between buckets
of equal size go to the smaller value, so that the plan is a function of the histogram.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from splu_ref.channels import Gamma
from splu_ref.mechanisms.plans.eligibility import require_eligible
from splu_ref.mechanisms.plans.plan import ArrayPlan, IntArray, Run, RunLengthPlan, groups_dtype
from splu_ref.randomness import PlanSecret


def anatomy_reference(histogram: IntArray, gamma: Gamma) -> ArrayPlan:
    """Return the greedy plan by its definition, group by group: the reference for :func:`anatomy`."""
    require_eligible(histogram, gamma)
    left = [int(count) for count in histogram]
    groups = []
    for _ in range(sum(left) // gamma):
        largest = sorted(range(len(left)), key=lambda value: (-left[value], value))[:gamma]
        for value in largest:
            left[value] -= 1
        groups.append(largest)
    return ArrayPlan(gamma, len(left), np.array(groups, dtype=groups_dtype(len(left))))


def anatomy(histogram: IntArray, gamma: Gamma, source: PlanSecret | None = None) -> RunLengthPlan:
    """Return the greedy plan in run-length form.

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
        The groups of :func:`anatomy_reference`, values by descending remaining frequency, ties by value.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible; the message names the largest feasible gamma.

    Notes
    -----
    Let ``level`` be the gamma-th largest remaining count. Buckets above it (the head) contribute a record to
    every group; the buckets at the level alternate in the order of their values. After a full round of this
    ring the next round starts one level lower, as long as the head stays above the ring and no smaller bucket
    is reached. Each iteration of the loop below emits the longest such run.
    """
    require_eligible(histogram, gamma)
    left = histogram.astype(np.int64)
    groups_left = int(left.sum()) // gamma
    runs = []
    while groups_left:
        run = _longest_run(left, gamma, groups_left)
        _remove(left, run, gamma)
        runs.append(run)
        groups_left -= run.length
    return RunLengthPlan(gamma, len(left), tuple(runs))


def _longest_run(left: IntArray, gamma: Gamma, groups_left: int) -> Run:
    level = int(np.partition(left, len(left) - gamma)[len(left) - gamma])
    head = np.flatnonzero(left > level)
    head = head[np.argsort(-left[head], kind="stable")]
    slack = int(left[head[-1]]) - level if len(head) else None
    width = gamma - len(head)
    due = np.flatnonzero(left == level)
    served = np.flatnonzero(left == level - 1) if level > 1 else due[:0]
    if len(served) and served[-1] > due[0]:
        # The two levels interleave: serve the buckets that are due and stop before the round starts again.
        ring, start = due, 0
        length = len(due) // width
        if slack is not None:
            length = min(length, slack)
    else:
        ring, start = np.concatenate([served, due]), len(served)
        floor = int(left[left < level - bool(len(served))].max(initial=0))

        def fails(turn: int) -> bool:
            """Return whether group ``turn`` of the run would no longer be the greedy one."""
            first = start + turn * width
            drop = first // len(ring)
            lowest = level - (first + width - 1) // len(ring)
            return lowest <= floor or (slack is not None and slack - turn <= -drop)

        length = bisect_left(range(groups_left), True, key=fails)
    values = (tuple(map(int, head)), tuple(map(int, ring)))
    return Run(*values, start, min(length, groups_left))


def _remove(left: IntArray, run: Run, gamma: Gamma) -> None:
    left[list(run.head)] -= run.length
    ring = np.array(run.ring)
    rounds, turns = divmod(run.length * (gamma - len(run.head)), len(ring))
    left[ring] -= rounds
    left[ring[(run.start + np.arange(turns)) % len(ring)]] -= 1
