"""Faults in inverses of channels, in levels of breaches, and in the search for the worst property."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from property_tests.mutants.mutant import mutant
from splu_ref.channels import Breach, Channel, Inverse, Levels, inverse, worst_property
from splu_ref.channels.amplification_bounds import Amplification
from splu_ref.channels.parameters import Exact, exact


def _transposed(channel: Channel[Any, Any]) -> Inverse[Any, Any]:
    """Return the transpose of the inverse, which is the inverse of the transpose."""
    weights = inverse(channel).weights
    return Inverse(
        {
            label: {
                state: weights[other].get(place, Fraction(0))
                for state, other in zip(channel.inputs, channel.outputs, strict=True)
            }
            for label, place in zip(channel.outputs, channel.inputs, strict=True)
        }
    )


def _exchanged(levels: Levels, found: Amplification[Any, Any]) -> bool:
    return Levels(levels.rho2, levels.rho1).allow(found)


def _attained_is_allowed(levels: Levels, found: Amplification[Any, Any]) -> bool:
    return found.ratio is not None and found.ratio <= levels.amplification


def _greedy(channel: Channel[Any, Any], counts: Mapping[Any, int], rho1: Exact) -> Breach[Any, Any] | None:
    """Take the states that gain most for each record, as long as there is room."""
    exactly = worst_property(channel, counts, rho1)
    room = int(exact(rho1) * sum(counts.values()))
    best: Breach[Any, Any] | None = None
    for label in channel.outputs:
        left, chosen = room, []
        for state in sorted(counts, key=lambda state: -channel.probability(state, label)):
            if 0 < counts[state] <= left:
                left -= counts[state]
                chosen.append(state)
        gains = {state: count * channel.probability(state, label) for state, count in counts.items()}
        seen = sum(gains.values(), Fraction(0))
        if exactly is None or not seen:
            continue
        gained = sum((gains[state] for state in chosen), Fraction(0)) / seen
        if best is None or gained > best.posterior:
            best = exactly._replace(secret=tuple(chosen), published=label, posterior=gained)
    return best


mutant(
    "inverse-of-the-transpose",
    "channel.inverse",
    "Counts are taken back by the inverse of the transposed matrix.",
    inverse=_transposed,
)
mutant(
    "levels-exchanged",
    "breach.levels",
    "G is computed with the two levels exchanged.",
    allows=_exchanged,
)
mutant(
    "a-posterior-of-rho2-is-allowed",
    "breach.levels",
    "A posterior of exactly the upper level is no breach.",
    allows=_attained_is_allowed,
)
mutant(
    "greedy-knapsack",
    "breach.knapsack",
    "The states of a property are taken greedily, by their gain for each record.",
    worst_property=_greedy,
)
