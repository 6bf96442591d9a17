"""Entropies in exact form: of a law, of what a channel tells about its true state, and of the best guess.

Bits throughout. An entropy is a `LogForm`, so that equality is decided and order is certified.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm

from splu_ref.channels.channel import Channel, In, Out, total
from splu_ref.channels.log_form import LogForm
from splu_ref.channels.posterior import prior_law
from splu_ref.channels.vulnerability import prior_vulnerability, vulnerability
from splu_ref.model import Exact, ParameterError, exact, shown


def entropy(law: Mapping[Out, Exact]) -> LogForm:
    """Return Shannon's entropy of a law, H = sum of p lg(1/p).

    Raises
    ------
    ParameterError
        If the chances are below 0 or do not add up to 1.
    """
    chances = {label: exact(entry, f"the probability of {label!r}") for label, entry in law.items()}
    if total(chances) != 1 or min(chances.values()) < 0:
        raise ParameterError(
            f"the probabilities add up to {shown(total(chances))}: give a law, of numbers from 0 to 1"
        )
    return entropy_of_weights(chances.values())


def entropy_of_weights(weights: Iterable[Fraction | int]) -> LogForm:
    """Return the entropy of the law in proportion to weights of at least 0, not all 0.

    Notes
    -----
    With whole weights a that add up to t it is lg t - (sum of a lg a)/t.
    """
    given = [weight for weight in weights if weight]
    scale = lcm(*(weight.denominator for weight in given))
    whole = Counter(int(weight * scale) for weight in given)
    size = sum(weight * count for weight, count in whole.items())
    terms = {weight: Fraction(-weight * count, size) for weight, count in whole.items()}
    terms[size] = terms.get(size, Fraction(0)) + 1
    return LogForm.of(terms)


def mutual_information(channel: Channel[In, Out], prior: Mapping[In, Exact]) -> LogForm:
    """Return I(X; S) = H(X) + H(S) - H(X, S): how many bits what is published tells of the true state.

    It is the expectation, over what is published, of the entropy that the state loses; so it lies between 0
    and H(X), although a single published value may raise the entropy.

    Raises
    ------
    ParameterError
        If the prior is no law on the true states.
    """
    law = prior_law(channel, prior)
    joint = {
        (state, label): chance * entry
        for state, chance in law.items()
        for label, entry in channel.laws[state].items()
    }
    seen: dict[Out, Fraction] = {}
    for (_, label), chance in joint.items():
        seen[label] = seen.get(label, Fraction(0)) + chance
    apart = entropy_of_weights(law.values()) + entropy_of_weights(seen.values())
    return apart - entropy_of_weights(joint.values())


def min_entropy_leakage(channel: Channel[In, Out], prior: Mapping[In, Exact]) -> LogForm:
    """Return lg of how many times likelier the best single guess is right after seeing than before.

    At least 0, and at most the lg of `bayes_capacity`, which it is under the uniform prior.
    """
    return LogForm.lg(vulnerability(channel, prior) / prior_vulnerability(prior))
