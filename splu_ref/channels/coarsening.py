"""Channels between parts of a partition: what is left once states are only told by their part."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

from splu_ref.channels.channel import Channel, In, total
from splu_ref.model import Exact, ParameterError, exact

Part = TypeVar("Part", bound=Hashable)


def coarsening(parts: Mapping[In, Part]) -> Channel[In, Part]:
    """Return the channel that publishes the part that a state belongs to.

    Parameters
    ----------
    parts
        The part by state. A predicate is the partition ``{state: state in predicate for state in states}``.
    """
    return Channel(
        {state: {part: Fraction(1)} for state, part in parts.items()}, tuple(dict.fromkeys(parts.values()))
    )


def coarsened(
    channel: Channel[In, In], parts: Mapping[In, Part], within: Mapping[In, Exact] | None = None
) -> Channel[Part, Part]:
    """Return the channel between the parts of a partition of the states.

    Parameters
    ----------
    channel
        A channel from states to the same states.
    parts
        The part by state, for every state.
    within
        How often the states of a part occur relative to one another: weights of at least 0, not all 0 in any
        part. Left out, the channel must be lumpable.

    Raises
    ------
    ParameterError
        If a state has no part or no weight; without ``within`` if two states of a part have different
        chances to be published as another part, so that the parts alone have no channel.
    """
    missing = [state for state in (*channel.inputs, *channel.outputs) if state not in parts]
    if missing:
        raise ParameterError(f"state {missing[0]!r} belongs to no part: give each state one")
    published = channel.then(coarsening({state: parts[state] for state in channel.outputs}))
    members: dict[Part, list[In]] = {}
    for state in channel.inputs:
        members.setdefault(parts[state], []).append(state)
    if within is not None:
        law_within = {part: _law(part, states, within) for part, states in members.items()}
        return Channel(law_within, channel.inputs).then(published)
    for part, (first, *rest) in members.items():
        for state in rest:
            if published.laws[state] != published.laws[first]:
                raise ParameterError(
                    f"states {first!r} and {state!r} of part {part!r} are published as different parts with "
                    "different chances: give the law within each part"
                )
    return Channel({part: published.laws[first] for part, (first, *_) in members.items()}, published.outputs)


def _law(part: Part, states: list[In], within: Mapping[In, Exact]) -> dict[In, Fraction]:
    missing = [state for state in states if state not in within]
    if missing:
        raise ParameterError(
            f"state {missing[0]!r} has no weight within its part: give one, 0 if it never occurs"
        )
    weights = {state: exact(within[state], f"the weight of {state!r}") for state in states}
    if min(weights.values()) < 0 or not total(weights):
        raise ParameterError(f"the weights within part {part!r} must be at least 0 and not all 0")
    return {state: weight / total(weights) for state, weight in weights.items()}
