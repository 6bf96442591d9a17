"""The mixed plan: groups trade values until who stands with whom follows from the frequencies alone.

The chain of trades is the curveball chain of the ecology literature (Verhelst 2008; Strona et al. 2014;
Carstens 2015), with all groups trading in pairs at once. It is symmetric and reaches every plan, so its
stationary law is uniform over all valid plans of the histogram (claim splu.TR).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from splu_ref.decoys.cyclic import cyclic
from splu_ref.decoys.plan import ArrayPlan, Groups, IntArray
from splu_ref.model import Gamma, ParameterError
from splu_ref.randomness import UniformSource


def default_passes(groups: int) -> int:
    """Return the least k with 2**k > 16 ``groups``.

    Two values that a group may trade stay together with a probability below 1/2, so what a pair owes to the
    start halves with each pass. No pair shares more than ``groups`` groups at the start, so after k passes
    less than a sixteenth of a group is owed to it (claim splu.TR says by how much in small worlds).
    """
    return (16 * groups).bit_length()


def mixed(histogram: IntArray, gamma: Gamma, source: UniformSource, passes: int | None = None) -> ArrayPlan:
    """Return a plan that is nearly uniform over all valid plans: the cyclic one after passes of trades.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,); the sum is a multiple of gamma and no frequency is
        above its gamma-th part.
    gamma
        Size of a group.
    source
        Where the trades come from. They are the plan's secret.
    passes
        How often every group trades, at least 0; ``default_passes(groups)`` unless given.

    Returns
    -------
    ArrayPlan
        O(N) memory; the groups of :func:`mixed_reference`.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible (the message names the largest feasible gamma), or for passes
        below 0.
    """
    groups = cyclic(histogram, gamma).groups()
    if passes is None:
        passes = default_passes(len(groups))
    elif passes < 0:
        raise ParameterError(f"passes is {passes}: it must be at least 0")
    for _ in range(passes):
        trade(groups, source)
    return ArrayPlan(gamma, len(histogram), groups)


def trade(groups: Groups, source: UniformSource) -> None:
    """Let the groups, paired at random, deal the values that they do not share back to each other, in place.

    Parameters
    ----------
    groups
        Values by group and slot, shape (groups, gamma), distinct in each group. Values that both groups of a
        pair hold stay in their slots, and so do those of an odd group that is left over.
    source
        Two orders are drawn: of the groups, and of the values in each pair's pool.
    """
    count, gamma = groups.shape
    # An order within one code is a permutation, and unlike the final shuffle it is always enumerated.
    order = source.order_within(np.zeros(count, dtype=np.int64))
    pairs = order[: count - count % 2].reshape(-1, 2)
    values = groups[pairs].reshape(-1, 2 * gamma)  # a pair's two groups, one after the other
    free = _not_shared(values, gamma)
    pool = values[free]
    pair_of = np.repeat(np.arange(len(pairs)), free.sum(axis=1))
    values[free] = pool[source.order_within(pair_of)]
    groups[pairs] = values.reshape(-1, 2, gamma)


def _not_shared(values: Groups, gamma: int) -> NDArray[np.bool_]:
    """Return which values of either half of a row are not in the other half, shape of ``values``."""
    slots = np.ascontiguousarray(values.T)  # comparing slot by slot is many times faster on long rows
    free = np.ones(slots.shape, dtype=np.bool_)
    for slot in range(gamma, 2 * gamma):
        differs = slots[:gamma] != slots[slot]
        free[:gamma] &= differs
        free[slot] = differs.all(axis=0)
    return np.ascontiguousarray(free.T)


def mixed_reference(histogram: IntArray, gamma: Gamma, source: UniformSource, passes: int) -> ArrayPlan:
    """Return the mixed plan, written as it is said: the specification of :func:`mixed`."""
    groups = cyclic(histogram, gamma).groups().tolist()
    for _ in range(passes):
        order = source.permutation(len(groups)).tolist()
        pairs = [(groups[order[i]], groups[order[i + 1]]) for i in range(0, len(order) - 1, 2)]
        slots = [
            (number, mine, slot)
            for number, (a, b) in enumerate(pairs)
            for mine, other in ((a, b), (b, a))
            for slot in range(gamma)
            if mine[slot] not in other
        ]
        pool = [mine[slot] for _, mine, slot in slots]
        dealt = source.order_within(np.array([number for number, _, _ in slots], dtype=np.int64))
        for (_, mine, slot), item in zip(slots, dealt.tolist(), strict=True):
            mine[slot] = pool[item]
    return ArrayPlan(gamma, len(histogram), np.array(groups))
