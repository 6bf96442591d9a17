"""Privacy breaches of one set or a product of sets (Agrawal, Srikant and Thomas 2005, section 5).

An (s, rho1, rho2) breach concerns a set S with a prior of at most rho1, a relative prior p_S / m_S below s,
m_S its probability under the replacement law, and a posterior of at least rho2 *given that the published
state is in S*. An observer sees the state itself, which may be more informative: compare `posterior_within`
and `most_informative_output`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import prod

from splu_ref.channels.beliefs import posterior
from splu_ref.channels.binomial_bounds import Bounds
from splu_ref.channels.breach import Breach, Levels
from splu_ref.channels.channel import Channel, In, Out, total
from splu_ref.channels.parameters import Exact, ParameterError, exact, probability

BITS = 64
"""Binary digits after the point of a limit that need not be rational."""


def retained_posterior(retention: Exact, prior: Exact, replaced: Exact) -> Fraction:
    """Return Pr[X in S | Y in S] for one set S under retention replacement.

    Parameters
    ----------
    retention
        Retention probability p.
    prior
        p_S: prior probability of S.
    replaced
        m_S: probability of S under the replacement law.

    Raises
    ------
    ParameterError
        If the published state is never in S.
    """
    return product_posterior(prior, [(retention, replaced)])


def product_posterior(prior: Exact, columns: Sequence[tuple[Exact, Exact]]) -> Fraction:
    """Return the largest Pr[X in S | Y in S] for S = S_1 x ... x S_k, each column replaced by itself.

    Parameters
    ----------
    prior
        p_S: joint prior probability of S.
    columns
        For each column its retention p_i, and m_i, the probability of S_i under its replacement law. Columns
        whose set is the whole domain are omitted.

    Returns
    -------
    Fraction
        With U = prod (p_i + (1-p_i) m_i) and L = prod (1-p_i) m_i it is p_S U / (p_S U + (1 - p_S) L). It is
        attained if all others of the prior lie outside of every S_i; for one column they always do.

    Raises
    ------
    ParameterError
        If there is no column, or the published state is never in S.
    """
    if not columns:
        raise ParameterError("a product of no sets says nothing: give a set for one column at least")
    own = probability(prior, "prior")
    shares = [(probability(keep, "retention"), probability(share, "replaced")) for keep, share in columns]
    inside = own * prod((keep + (1 - keep) * share for keep, share in shares), start=Fraction(1))
    outside = (1 - own) * prod(((1 - keep) * share for keep, share in shares), start=Fraction(1))
    if not inside + outside:
        raise ParameterError("no value of the set is ever published: nothing follows from seeing one")
    return inside / (inside + outside)


def set_retention_limit(relative: Exact, levels: Levels) -> Fraction:
    """Return the least retention with an (s, rho1, rho2) breach for sets of relative prior p_S / m_S = s.

    The observation is that the published value lies in the set itself. The posterior grows with p_S at a
    fixed s, so p_S = rho1 decides: p / (1-p) = (rho2 - rho1) / (s (1 - rho2)), provided that the set exists,
    m_S = rho1 / s <= 1. Theorem 4 states the same as a bound on s.

    Raises
    ------
    ParameterError
        If s is not positive, or below rho1: no set of such a prior exists.
    """
    s = exact(relative, "s")
    if s < levels.rho1:
        raise ParameterError(
            f"s = {relative} is below rho1 = {levels.rho1}: no set has so large a prior and so small a "
            "relative one, since m_S is at most 1; give an s of at least rho1"
        )
    odds = (levels.rho2 - levels.rho1) / (s * (1 - levels.rho2))
    return odds / (1 + odds)


def product_retention_limit(
    levels: Levels, replaced: Sequence[Exact], relative: Exact | None = None
) -> Bounds:
    """Enclose the least retention, the same for k columns, at which a product of sets has a breach.

    Parameters
    ----------
    levels
        rho1 and rho2.
    replaced
        m_i of each column, above 0: see `product_posterior`.
    relative
        Largest relative prior s of the product; unless given, its prior is bounded by rho1 alone.

    Returns
    -------
    Bounds
        No breach below ``lower``, and a breach from ``upper`` on, at most 2^-64 apart. With
        r = min(rho1, s m_S) the largest prior and t = p / (1-p), there is a breach exactly if
        prod (1 + t / m_i) >= rho2 (1 - r) / (r (1 - rho2)). One column has a rational limit: the two ends.

    Raises
    ------
    ParameterError
        If there is no column, or s or an m_i is not above 0.
    """
    shares = [probability(share, "replaced") for share in replaced]
    if not shares or not min(shares):
        raise ParameterError(
            "give the share of each set among the replacements, above 0: of none follows nothing"
        )
    prior = levels.rho1 if relative is None else min(levels.rho1, exact(relative, "s") * prod(shares))
    if prior <= 0:
        raise ParameterError(f"s = {relative} leaves no prior to speak of: give a number above 0")
    needed = levels.rho2 * (1 - prior) / (prior * (1 - levels.rho2))
    if len(shares) == 1:
        odds = shares[0] * (needed - 1)
        return Bounds(odds / (1 + odds), odds / (1 + odds))
    low, high = Fraction(0), Fraction(1)
    while high - low > Fraction(1, 1 << BITS):
        middle = (low + high) / 2
        odds = middle / (1 - middle)
        if prod(1 + odds / share for share in shares) >= needed:
            high = middle
        else:
            low = middle
    return Bounds(low, high)


def posterior_within(channel: Channel[In, In], prior: Mapping[In, Exact], secret: Collection[In]) -> Fraction:
    """Return Pr[X in S | Y in S] under one prior: the posterior if only membership in S is observed.

    Raises
    ------
    ParameterError
        If the prior is no law on the true states, or the published state is never in S.
    """
    inside = {label: label in secret for label in channel.outputs}
    chances = {
        state: sum((part for label, part in law.items() if inside[label]), Fraction(0))
        for state, law in channel.laws.items()
    }
    seen = Channel(
        {state: {True: chance, False: 1 - chance} for state, chance in chances.items()}, (True, False)
    )
    return total(_of(secret, posterior(seen, prior, True)))


def most_informative_output(
    channel: Channel[In, Out], prior: Mapping[In, Exact], secret: Collection[In]
) -> Breach[In, Out]:
    """Return the published state with the largest posterior of S under one prior, the first of several.

    The posterior given a set of published states is a mean of theirs, so no set has a larger one.

    Raises
    ------
    ParameterError
        If the prior is no law on the true states.
    """
    law = {state: probability(entry, f"the prior of {state!r}") for state, entry in prior.items()}
    before = total(_of(secret, law))
    found: Breach[In, Out] | None = None
    for label in channel.outputs:
        if not any(chance and channel.probability(state, label) for state, chance in law.items()):
            continue
        lifted = total(_of(secret, posterior(channel, law, label)))
        if found is None or lifted > found.posterior:
            found = Breach(tuple(state for state in channel.inputs if state in secret), label, before, lifted)
    if found is None:
        raise ParameterError("the prior gives no true state a chance: it must add up to 1")
    return found


def _of(secret: Collection[In], law: Mapping[In, Fraction]) -> dict[In, Fraction]:
    return {state: chance for state, chance in law.items() if state in secret}
