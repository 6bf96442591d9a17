"""Beliefs of an observer with a prior: posteriors, vulnerabilities, and coarsening of states."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeVar

from splu_ref.channels.channel import Channel, In, Out, total
from splu_ref.channels.parameters import Exact, ParameterError, exact, probability, shown
from splu_ref.channels.parameters import probability as exact_probability


def posterior(channel: Channel[In, Out], prior: Mapping[In, Exact], published: Out) -> dict[In, Fraction]:
    """Return the posterior probability of each true state given the published state.

    Parameters
    ----------
    channel
        The channel.
    prior
        The observer's probabilities of the true states, which add up to 1; missing ones are 0.
    published
        The state that was seen.

    Returns
    -------
    dict
        By true state in the order of the rows; those of probability 0 are left out.

    Raises
    ------
    ParameterError
        If the prior is no law on the true states, or never publishes what was seen.
    """
    law = prior_law(channel, prior)
    joint = {
        state: law[state] * channel.probability(state, published) for state in channel.inputs if state in law
    }
    seen = total(joint)
    if not seen:
        raise ParameterError(f"{published!r} is never published under this prior: nothing follows from it")
    return {state: weight / seen for state, weight in joint.items() if weight}


def prior_law(channel: Channel[In, Out], prior: Mapping[In, Exact]) -> dict[In, Fraction]:
    """Return a prior as exact numbers."""
    law = {state: exact_probability(entry, f"the prior of {state!r}") for state, entry in prior.items()}
    unknown = [state for state in law if state not in channel.laws]
    if unknown:
        raise ParameterError(f"the prior speaks of {unknown[0]!r}, which is no true state of the channel")
    if total(law) != 1:
        raise ParameterError(f"the prior adds up to {shown(total(law))}, not to 1")
    return law


Guess = TypeVar("Guess", bound=Hashable)


def prior_vulnerability(prior: Mapping[In, Exact]) -> Fraction:
    """Return the prior Bayes vulnerability: the largest prior probability."""
    if not prior:
        raise ParameterError("the prior is empty: give the probability of each true state")
    return max(probability(entry, f"the prior of {state!r}") for state, entry in prior.items())


def vulnerability(channel: Channel[In, Out], prior: Mapping[In, Exact]) -> Fraction:
    """Return the posterior Bayes vulnerability: the probability that the best guess is right.

    Sum over published states v of the largest of prior[u] A[u][v].

    Raises
    ------
    ParameterError
        If the prior is no law on the true states.
    """
    law = prior_law(channel, prior)
    best: dict[Out, Fraction] = {}
    for state, chance in law.items():
        for label, entry in channel.laws[state].items():
            best[label] = max(best.get(label, Fraction(0)), chance * entry)
    return sum(best.values(), Fraction(0))


Part = TypeVar("Part", bound=Hashable)


def coarsening(parts: Mapping[In, Part]) -> Channel[In, Part]:
    """Return the channel from a state to its part of a partition.

    Parameters
    ----------
    parts
        The part by state. A predicate is the partition ``{state: state in predicate for state in states}``.
    """
    return Channel(
        {state: {part: Fraction(1)} for state, part in parts.items()}, tuple(dict.fromkeys(parts.values()))
    )


def coarsen(
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
