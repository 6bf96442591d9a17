"""The mixed plan: a Markov chain of random exchanges whose limit is the uniform law over all plans.

Each block of the plan starts as a cyclic plan and is mixed separately. A pass pairs the groups of the block
at random, and the two groups of a pair exchange values that they do not share, each by a coin. The passes are
symmetric and connect all plans of the block, so their law tends to the uniform one (claim splu.TR). Such
chains are known from ecology as checkerboard and curveball swaps (Verhelst 2008; Strona et al. 2014; Carstens
2015).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from splu_ref.channels import Gamma, ParameterError
from splu_ref.mechanisms.plans.cyclic import MOST_GROUPS, BlockPlan, Blocks
from splu_ref.mechanisms.plans.eligibility import require_eligible
from splu_ref.mechanisms.plans.plan import Groups, IntArray, groups_dtype
from splu_ref.randomness import PlanSecret, UniformSource

_MOST_COMPARED = 1 << 18
"""Comparisons of two slots in one step of a pass; their arrays fit into the cache."""


class Secret(NamedTuple):
    """The random choices of one block: k passes over m groups in h = floor(m/2) pairs."""

    orders: IntArray  #: for each pass and place the previous place of its group, shape (k, m)
    rotations: IntArray  #: integers below gamma, by pass and pair, shape (k, h)
    coins: NDArray[np.bool_]  #: by pass, slot and pair, shape (k, gamma, h)


def default_passes(groups: int) -> int:
    """Return the default number of passes of a block: the least k with 2**k > 64 ``groups``.

    Two exchangeable values of a group stay together with probability 1/2, so the influence of the start on
    the number of groups that a pair of values shares is halved by each pass. A pair shares at most ``groups``
    groups at the start, which leaves an influence of 1/64 of a group after k passes. It is larger for few
    groups, one of which may rest in a pass: below 1/16 in the worlds of claim splu.TR.
    """
    return (64 * groups).bit_length()


def mixed(
    histogram: IntArray,
    gamma: Gamma,
    source: PlanSecret,
    passes: int | None = None,
    most: int = MOST_GROUPS,
) -> BlockPlan:
    """Return a plan each of whose blocks is nearly uniformly distributed over all plans of the block.

    Parameters
    ----------
    histogram
        Frequencies of the values, shape (values,); the sum is a multiple of gamma and no frequency is
        above its gamma-th part.
    gamma
        Size of a group.
    source
        Source of the exchanges, which are the plan's secret.
    passes
        Number of passes, at least 0; by default ``default_passes`` of each block's number of groups.
    most
        Largest number of groups of a block; other values than the specification's are for tests.

    Returns
    -------
    BlockPlan
        O(N) memory; the groups of `splu_ref.spec.plans`.

    Raises
    ------
    ParameterError
        For a histogram that is not eligible (the message names the largest feasible gamma), or a negative
        number of passes.
    """
    require_eligible(histogram, gamma)
    if passes is not None and passes < 0:
        raise ParameterError(f"passes is {passes}: it must be at least 0")
    blocks = Blocks.of(int(histogram.sum()) // gamma, most)
    arrays = (
        mixed_block(blocks.histogram(block, histogram), gamma, source.block(block), passes)
        for block in range(blocks.count)
    )
    return BlockPlan(gamma, len(histogram), tuple(arrays))


def mixed_block(
    histogram: IntArray, gamma: Gamma, source: UniformSource, passes: int | None = None
) -> Groups:
    """Return one block of the mixed plan.

    Parameters
    ----------
    histogram
        Frequencies of the values in the block (`Blocks.histogram`), shape (values,).
    gamma, passes
        As in :func:`mixed`.
    source
        The block's stream.

    Returns
    -------
    Groups
        Values by group and slot, shape (groups of the block, gamma).
    """
    count = int(histogram.sum()) // gamma
    sorted_values = np.repeat(np.arange(len(histogram), dtype=groups_dtype(len(histogram))), histogram)
    slots = sorted_values.reshape(gamma, count)  # by slot and group: long rows are quick to compare
    secret = draw_block_secret(count, gamma, source, default_passes(count) if passes is None else passes)
    return np.ascontiguousarray(apply_passes(slots, secret).T)


def draw_block_secret(groups: int, gamma: Gamma, source: UniformSource, passes: int) -> Secret:
    """Draw the random choices of a block: all orders, then all rotations, then all coins.

    Their number depends on the parameters alone, not on the plan. A block of one group draws nothing.
    """
    passes, pairs = (passes if groups > 1 else 0), groups // 2
    pass_of = np.repeat(np.arange(passes), groups)
    orders = source.order_within(pass_of).reshape(passes, groups) - groups * np.arange(passes)[:, np.newaxis]
    rotations = source.below(gamma, passes * pairs).reshape(passes, pairs)
    coins = source.coins(passes * gamma * pairs).reshape(passes, gamma, pairs)
    return Secret(orders, rotations, coins)


def apply_passes(slots: Groups, secret: Secret) -> Groups:
    """Return the values by slot and group, shape (gamma, groups), after the passes of a block's secret.

    Each pass permutes the groups, and then exchanges values of the groups at the places q and h + q.
    """
    for order, rotations, coins in zip(*secret, strict=True):
        slots = slots.take(order, axis=1)
        trade(slots, rotations, coins)
    return slots


def trade(slots: Groups, rotations: IntArray, coins: NDArray[np.bool_]) -> None:
    """Exchange, in place, values that the groups at the places q and h + q do not share.

    Shared values do not move, and no exchange makes a free value a shared one. Applying the same rotations
    and coins again reverses the exchange.
    """
    gamma, pairs = coins.shape
    step = max(1, _MOST_COMPARED // gamma**2)
    for begin in range(0, pairs, step):
        part = slice(begin, min(begin + step, pairs))
        other = slice(part.start + pairs, part.stop + pairs)
        _exchange(slots[:, part], slots[:, other], rotations[part], coins[:, part])


def _exchange(first: Groups, second: Groups, rotations: IntArray, coins: NDArray[np.bool_]) -> None:
    """Exchange values of pairs of groups, all arrays by slot and pair."""
    difference = first[:, np.newaxis] ^ second
    equal = difference == 0
    free_first, free_second = ~equal.any(axis=1), ~equal.any(axis=0)
    rank_first, _ = _ranks(free_first)
    rank_second, free = _ranks(free_second)
    # Both numbers are below the number of free values where it matters, so one subtraction is the modulus.
    facing = rank_first + rotations.astype(free.dtype) % np.maximum(free, 1)
    np.minimum(facing, facing - free, out=facing)  # what would be negative wraps around to a large number
    exchanged = facing[:, np.newaxis] == rank_second
    exchanged &= (free_first & coins)[:, np.newaxis]
    exchanged &= free_second
    difference *= exchanged  # no slot faces more than one
    first ^= np.bitwise_or.reduce(difference, axis=1)
    second ^= np.bitwise_or.reduce(difference, axis=0)


def _ranks(free: NDArray[np.bool_]) -> tuple[Groups, Groups]:
    """Return the number of free slots before each slot, shape of ``free``, and in all, shape (pairs,)."""
    flags = free.view(np.uint8).astype(np.min_scalar_type(2 * len(free)), copy=False)
    ranks = np.empty_like(flags)
    total = np.zeros_like(flags[0])
    for slot, flag in enumerate(flags):  # row by row: an accumulation along columns is many times slower
        ranks[slot] = total
        total += flag
    return ranks, total
