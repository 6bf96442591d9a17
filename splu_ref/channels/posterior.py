"""What a published state says to an observer with a prior: Bayes' rule on a channel."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from splu_ref.channels.channel import Channel, In, Out, total
from splu_ref.model import Exact, ParameterError, shown
from splu_ref.model import probability as exact_probability


def posterior(channel: Channel[In, Out], prior: Mapping[In, Exact], published: Out) -> dict[In, Fraction]:
    """Return the probability of each true state once ``published`` is seen.

    Parameters
    ----------
    channel
        What is published.
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
    """Return a prior as exact numbers.

    Raises
    ------
    ParameterError
        If it is no law on the true states.
    """
    law = {state: exact_probability(entry, f"the prior of {state!r}") for state, entry in prior.items()}
    unknown = [state for state in law if state not in channel.laws]
    if unknown:
        raise ParameterError(f"the prior speaks of {unknown[0]!r}, which is no true state of the channel")
    if total(law) != 1:
        raise ParameterError(f"the prior adds up to {shown(total(law))}, not to 1")
    return law
